/* SPDX-License-Identifier: MIT */
/*
 * Contradictions: the recording says that a thread stops to wait, and then has an event of it, though nothing
 * woke it in between. Either the recorder or the kernel is wrong there, so what is concluded about the thread
 * is in doubt. Where events are lost, the wake-up may be among them: no finding.
 *
 * Effects come behind the rows of their batch. So each event is linked with the next one of its thread, and a
 * thread's cursor follows the effects.
 */
#include <stdlib.h>

#include "analysis/explain/explain.h"
#include "base/array.h"

enum { LINKS_MAX = 2 * RST_BATCH_EVENTS };

/* An event; its number is that of all events that were read, the first is 1. */
struct link {
	uint64_t number, next; /* next: the number of the next event of its thread; 0: none yet */
	uint64_t seq, at;
	uint64_t n_gaps; /* before it */
};

struct follower {
	uint64_t newest, cursor; /* numbers of events of the thread; 0: none */
	struct party *party;
	bool waits;
	struct link wait; /* the event with which it stops to wait */
	uint64_t n_pauses;
};

struct contradicted {
	struct party *party;
	uint64_t n, from, to;
	uint64_t wait_seq, event_seq; /* of the first one */
};

struct contradiction_state {
	struct findings *findings;
	struct link links[LINKS_MAX]; /* a ring */
	uint64_t n_links, n_gaps, n_pauses;
	struct follower *threads; /* by index of the context */
	size_t room;
	struct records contradicted;
};

static struct link *link_of(struct contradiction_state *state, uint64_t number)
{
	struct link *link = number ? &state->links[number % LINKS_MAX] : NULL;

	return link && link->number == number ? link : NULL;
}

static struct follower *follower_of(struct contradiction_state *state, const struct rst_context *thread)
{
	struct follower *threads = array_reach(state->threads, &state->room, thread->index, sizeof(*threads));

	if (!threads)
		return NULL;
	state->threads = threads;
	return &threads[thread->index];
}

static bool contradiction_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct contradiction_state *state = context;
	const uint64_t number = state->n_links + 1;
	struct follower *thread;
	struct link *before;

	state->n_gaps += batch->type[row]->marker != RST_EVENT;
	if (batch->type[row]->marker != RST_EVENT || batch->context[row]->kind != RST_CONTEXT_THREAD)
		return true;
	thread = follower_of(state, batch->context[row]);
	if (!thread)
		return false;
	before = link_of(state, thread->newest);
	if (before)
		before->next = number;
	thread->newest = number;
	state->links[number % LINKS_MAX] = (struct link){ .number = number,
		.seq = row_seq(state->findings->scan, batch, row),
		.at = at,
		.n_gaps = state->n_gaps };
	state->n_links = number;
	if (!link_of(state, thread->cursor))
		thread->cursor = number;
	return true;
}

/* The first event of a thread between two sequence numbers. Returns NULL if the thread has no event there. */
static const struct link *event_between(
	struct contradiction_state *state, struct follower *thread, uint64_t after, uint64_t before)
{
	struct link *link = link_of(state, thread->cursor);

	while (link && link->seq <= after && link_of(state, link->next))
		link = link_of(state, link->next);
	if (link)
		thread->cursor = link->number;
	return link && link->seq > after && link->seq < before ? link : NULL;
}

/* The wait of a thread ends, or goes on anew, with an event: it must not have recorded events meanwhile. */
static bool contradiction_wait_judge(
	struct contradiction_state *state, struct follower *thread, uint64_t end_seq)
{
	const struct link *event = thread->waits && thread->n_pauses == state->n_pauses
					   ? event_between(state, thread, thread->wait.seq, end_seq)
					   : NULL;
	struct contradicted *contradicted;

	thread->waits = false;
	if (!event || event->n_gaps != thread->wait.n_gaps)
		return true;
	state->contradicted.record_bytes = sizeof(*contradicted);
	contradicted = record_of(&state->contradicted, thread->party);
	if (!contradicted)
		return false;
	if (!contradicted->n) {
		contradicted->party = thread->party;
		contradicted->from = thread->wait.at;
		contradicted->to = event->at;
		contradicted->wait_seq = thread->wait.seq;
		contradicted->event_seq = event->seq;
	}
	contradicted->n++;
	return true;
}

static bool wait_begin(
	struct contradiction_state *state, struct follower *thread, const struct occurrence *occurrence)
{
	const struct link *link;

	thread->party = history_thread(&state->findings->history, occurrence->facts->thread);
	link = link_of(state, thread->cursor);
	while (link && link->seq < occurrence->seq && link_of(state, link->next))
		link = link_of(state, link->next);
	if (!link || link->seq != occurrence->seq)
		return thread->party != NULL;
	thread->cursor = link->number;
	thread->waits = true;
	thread->wait = *link;
	thread->n_pauses = state->n_pauses;
	return thread->party != NULL;
}

static bool contradiction_effect(void *context, const struct occurrence *occurrence)
{
	struct contradiction_state *state = context;
	const struct rst_effect_facts *facts = occurrence->facts;
	const enum rst_effect_kind kind = facts->effect->kind;
	struct follower *thread;

	state->n_pauses += kind == RST_EFFECT_GAP;
	if (!facts->thread || facts->thread->kind != RST_CONTEXT_THREAD ||
		(kind == RST_EFFECT_WAIT && facts->phase != RST_DONE))
		return true;
	thread = follower_of(state, facts->thread);
	if (!thread || !contradiction_wait_judge(state, thread, occurrence->seq))
		return false;
	return kind != RST_EFFECT_WAIT || facts->state != RST_STATE_WAITING ||
	       facts->thread != occurrence->batch->context[occurrence->row] ||
	       wait_begin(state, thread, occurrence);
}

static bool contradiction_finish(void *context, const struct scan *scan)
{
	struct contradiction_state *state = context;
	const struct contradicted *contradicted;
	size_t index = 0;

	(void)scan;
	for (size_t i = 0; i < state->room; i++)
		if (state->threads[i].waits &&
			!contradiction_wait_judge(state, &state->threads[i], UINT64_MAX))
			return false;
	while ((contradicted = record_next(&state->contradicted, &index)) != NULL) {
		struct finding *finding =
			finding_add(state->findings, &finding_contradiction, contradicted->n);

		if (!finding)
			continue;
		finding->from = contradicted->from;
		finding->to = contradicted->to;
		finding_subject(finding, contradicted->party);
		finding_evidence(finding, contradicted->wait_seq);
		finding_evidence(finding, contradicted->event_seq);
	}
	return true;
}

static void contradiction_say(const struct finding *finding, struct sentence *sentence)
{
	sentence_words(sentence, "The recording contradicts itself: ");
	sentence_name(sentence, finding->subjects[0]);
	sentence_words(sentence, " stops to wait, and then has an event though nothing woke it");
	if (finding->weight > 1) {
		sentence_words(sentence, ", ");
		sentence_count(sentence, finding->weight, "time", "times");
	}
	sentence_words(sentence, ".");
}

static void contradiction_done(void *context)
{
	struct contradiction_state *state = context;

	free(state->threads);
	records_done(&state->contradicted);
}

const struct finding_kind finding_contradiction = {
	.observer = {
		.state_bytes = sizeof(struct contradiction_state),
		.effects = SCAN_BIT(RST_EFFECT_WAIT) | SCAN_BIT(RST_EFFECT_WAKE) | SCAN_BIT(RST_EFFECT_SWITCH) |
			   SCAN_BIT(RST_EFFECT_SCHEDULE) | SCAN_BIT(RST_EFFECT_CREATE) |
			   SCAN_BIT(RST_EFFECT_DELETE) | SCAN_BIT(RST_EFFECT_GAP),
		.row = contradiction_row,
		.effect = contradiction_effect,
		.finish = contradiction_finish,
		.done = contradiction_done,
	},
	.name = "contradiction",
	.about = "the recording contradicts itself: a thread goes on though it waits",
	.threshold = "how often",
	.is_count = true,
	.count = 1,
	.say = contradiction_say,
};
