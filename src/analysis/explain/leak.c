/* SPDX-License-Identifier: MIT */
/*
 * Memory leaks: blocks of a pool that threads allocate in the window and that nothing frees. A block that is
 * still allocated at the end is not a leak by itself: it counts if it is older than twice the longest life of
 * the freed blocks. The allocations of such blocks must go on over a quarter of the window. They must be a
 * fifth of all. If the recording shows how full the pool is, the pool must become fuller.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/allocations.h"
#include "analysis/explain/explain.h"
#include "base/number.h"

enum { KEPT_MAX = 12, LIFE_FACTOR = 2, SPREAD = 4, SHARE = 5 };

struct pool_record {
	struct subject subject;
	struct party *party;
	uint64_t n_freed, longest_life, n_refused;
	bool has_levels;
	uint64_t first_used, last_used; /* or as much less than all as is free */
	/* At the end. */
	uint64_t n, n_bytes, from, to;
	bool has_bytes;
	struct party *thread; /* of the first one */
	bool has_several_threads;
	uint64_t seqs[KEPT_MAX];
};

/* The record of an allocation is its pool, its thread a party. */
struct leak_state {
	struct findings *findings;
	struct subjects pools;
	struct allocations allocations;
};

static bool leak_allocate(struct findings *findings, struct leak_state *state, struct pool_record *pool,
	const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	struct allocation *block;
	struct party *thread;
	bool has_memory;

	pool->n_refused += facts->phase == RST_GAVE_UP;
	/* If an event of a request has an address, the address was written after the wait. */
	if (facts->phase == RST_GAVE_UP || !facts->has_value || !facts->value || !facts->thread ||
		facts->thread->kind != RST_CONTEXT_THREAD)
		return true;
	thread = history_thread(&findings->history, facts->thread);
	block = thread ? allocation_take(&state->allocations, facts, occurrence->run, &has_memory) : NULL;
	if (!block)
		return thread && has_memory;
	block->record = pool;
	block->thread = thread;
	block->at = occurrence->at;
	block->seq = occurrence->seq;
	block->has_bytes = facts->has_amount && facts->effect->unit == RST_UNIT_BYTES;
	block->n_bytes = facts->amount;
	return true;
}

static void leak_free(struct leak_state *state, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	struct allocation *block = allocation_given_back(&state->allocations, facts, occurrence->run);
	struct pool_record *pool = block ? block->record : NULL;

	if (!block)
		return;
	block->record = NULL;
	if (!allocation_is_freed(facts))
		return;
	pool->n_freed++;
	if (occurrence->at - block->at > pool->longest_life)
		pool->longest_life = occurrence->at - block->at;
}

static void leak_level(struct pool_record *pool, const struct rst_effect_facts *facts)
{
	uint64_t level;

	if (!pool || !facts->has_value || facts->effect->is_change ||
		!number_count(number_as(facts->value, facts->value_type), &level))
		return;
	pool->last_used = facts->effect->is_free ? UINT64_MAX - level : level;
	if (!pool->has_levels)
		pool->first_used = pool->last_used;
	pool->has_levels = true;
}

/* Finds the pool of an effect; an allocation makes it. */
static bool leak_pool(struct findings *findings, struct leak_state *state,
	const struct rst_effect_facts *facts, struct pool_record **ret_pool)
{
	*ret_pool = NULL;
	if (facts->effect->kind != RST_EFFECT_ALLOCATE && !state->pools.n)
		return true;
	if (!facts->object.is_there || facts->object.is_unknown)
		return true;
	state->pools.record_bytes = sizeof(**ret_pool);
	if (facts->effect->kind != RST_EFFECT_ALLOCATE) {
		const struct rst_entity entity = rst_entity_of_ref(&facts->object);

		*ret_pool = subject_known(&state->pools, &entity);
		return true;
	}
	*ret_pool = subject_of_ref(&state->pools, &facts->object);
	if (*ret_pool)
		(*ret_pool)->party = history_object(&findings->history, &facts->object);
	return *ret_pool && (*ret_pool)->party;
}

static bool leak_effect(void *context, const struct occurrence *occurrence)
{
	struct leak_state *state = context;
	struct findings *findings = state->findings;
	const struct rst_effect_facts *facts = occurrence->facts;
	struct pool_record *pool;

	if (!leak_pool(findings, state, facts, &pool))
		return false;
	if (facts->effect->kind == RST_EFFECT_ALLOCATE)
		return !pool || leak_allocate(findings, state, pool, occurrence);
	if (facts->effect->kind == RST_EFFECT_LEVEL)
		leak_level(pool, facts);
	else
		leak_free(state, occurrence);
	return true;
}

/* Counts the blocks of the last run: blocks of earlier runs ended with their run. */
static void block_count(const struct allocation *block, size_t run, uint64_t end)
{
	struct pool_record *pool = block->record;

	if (!pool || block->run != run ||
		(pool->n_freed && end - block->at <= LIFE_FACTOR * pool->longest_life))
		return;
	if (!pool->n) {
		pool->from = block->at;
		pool->thread = block->thread;
	}
	pool->has_several_threads |= pool->thread != block->thread;
	if (block->at < pool->from)
		pool->from = block->at;
	if (block->at > pool->to)
		pool->to = block->at;
	if (pool->n < KEPT_MAX)
		pool->seqs[pool->n] = block->seq;
	pool->n++;
	pool->n_bytes += block->n_bytes;
	pool->has_bytes |= block->has_bytes;
}

enum { BYTES, REFUSED, FREED };

/* If events are lost, a block may have been freed in the loss. */
static bool leak_finish(void *context, const struct scan *scan)
{
	struct leak_state *state = context;
	struct findings *findings = state->findings;

	for (const struct allocation *block = state->allocations.first; block; block = block->next)
		block_count(block, scan->n_runs, scan->to);
	for (size_t i = 0; i < state->pools.n; i++) {
		const struct pool_record *pool = (const struct pool_record *)state->pools.all[i];
		struct finding *finding;

		if ((pool->to - pool->from) < (scan->to - scan->from) / SPREAD ||
			(pool->has_levels && pool->last_used <= pool->first_used) ||
			pool->n_freed > (SHARE - 1) * pool->n)
			continue;
		finding = finding_add(findings, &finding_memory_leak, pool->n);
		if (!finding)
			continue;
		finding->from = pool->from;
		finding->to = scan->to;
		finding->is_certain = scan->n_rows_lost == 0;
		finding->severity = pool->n_refused ? SEVERITY_ERROR : SEVERITY_WARNING;
		finding->figures[BYTES] = pool->has_bytes ? (int64_t)pool->n_bytes : 0;
		finding->figures[REFUSED] = (int64_t)pool->n_refused;
		finding->figures[FREED] = (int64_t)pool->n_freed;
		finding_subject(finding, pool->party);
		finding_name(finding, pool->thread);
		finding->n_more_named = pool->has_several_threads;
		for (size_t k = 0; k < pool->n && k < KEPT_MAX; k++)
			finding_evidence(finding, pool->seqs[k]);
	}
	return true;
}

static void leak_say(const struct finding *finding, struct sentence *sentence)
{
	const uint64_t n_bytes = (uint64_t)finding->figures[BYTES],
		       n_refused = (uint64_t)finding->figures[REFUSED],
		       n_freed = (uint64_t)finding->figures[FREED];

	sentence_names(sentence, finding->named, finding->n_named, finding->n_more_named);
	sentence_words(sentence, " allocated ");
	sentence_count(sentence, finding->weight, "block", "blocks");
	if (n_bytes)
		sentence_words(sentence, " (%" PRIu64 " bytes)", n_bytes);
	sentence_words(sentence, " of ");
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " that %s not freed in this recording", finding->weight == 1 ? "is" : "are");
	if (n_freed)
		sentence_words(sentence, "; %" PRIu64 " others were freed, all sooner", n_freed);
	if (n_refused) {
		sentence_words(sentence, "; ");
		sentence_count(sentence, n_refused, "allocation was refused", "allocations were refused");
	}
	sentence_words(sentence, ".");
}

static void leak_done(void *context)
{
	struct leak_state *state = context;

	subjects_done(&state->pools);
	allocations_done(&state->allocations);
}

const struct finding_kind finding_memory_leak = {
	.observer = {
		.state_bytes = sizeof(struct leak_state),
		.effects = SCAN_BIT(RST_EFFECT_ALLOCATE) | SCAN_BIT(RST_EFFECT_FREE) | SCAN_BIT(RST_EFFECT_LEVEL),
		.effect = leak_effect,
		.finish = leak_finish,
		.done = leak_done,
	},
	.name = "memory_leak",
	.about = "memory is allocated again and again and not freed",
	.threshold = "how many blocks",
	.is_count = true,
	.count = 4,
	.say = leak_say,
};
