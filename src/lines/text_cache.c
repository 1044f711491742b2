/* SPDX-License-Identifier: MIT */
#include "lines/text_cache.h"

#include <stdlib.h>

#include "lines/format.h"

enum {
	TEXTS_BITS = 12, /* texts, two at each place */
	TEXT_BYTES = 96, /* longer texts are not kept */
	N_FRONT = 2,
	TEXT_COPY = 64, /* bytes that are copied at once, however short a text is */

	/* A text that is found saves about as much as one costs that is looked for in vain. */
	CREDIT_FIRST = 64,
	CREDIT_MAX = 64,
	N_PASSED = 4096, /* events without looking where there is no credit */
};

/* The key of a text. */
struct text_key {
	const uint8_t *payload;
	const struct rst_context *context; /* NULL: any */
	uint64_t process;
	uint64_t words[N_FRONT]; /* most have no more */
};

struct kept_text {
	const struct text_use *use; /* NULL if nothing is kept here */
	uint64_t words[TEXT_KEY_WORDS];
	const struct rst_context *context;
	const char *name;      /* of the context, which it may get late */
	uint64_t process, seq; /* of the event that it was made for */
	size_t n_objects;      /* one more than there were, where the text depends on that; else 0 */
	struct value_use uses[VALUE_USES_MAX];
	uint8_t n_text;
	/* a blank in front of it belongs to it, where $EXECPATH stands elsewhere on the line */
	bool is_early;
	char text[TEXT_BYTES];
};

/* The places of texts. A search that finds no text reads only tags, which stay in the nearest cache. */
struct text_cache {
	size_t n_objects;
	unsigned n_kept;
	uint32_t tags[1 << TEXTS_BITS];
	struct kept_text kept[1 << TEXTS_BITS];
};

/* Two places, and what their tags say for a key. */
struct text_place {
	size_t index;
	uint32_t tag;
};

struct text_cache *text_cache_new(void)
{
	return calloc(1, sizeof(struct text_cache));
}

struct text_cache *text_cache_free(struct text_cache *cache)
{
	free(cache);
	return NULL;
}

void text_cache_refresh(struct text_cache *cache, const struct rst_trace *trace)
{
	while (rst_trace_object(trace, cache->n_objects))
		cache->n_objects++;
}

/* --- keys ----------------------------------------------------------------------------------------------- */

/* Words over all bytes that are read, of payloads that have them. Returns false if there are too many. */
static bool use_words(struct text_use *use, const struct unit_reads *reads)
{
	size_t at = 0, end = UNIT_READS_MAX;

	while (end && !reads->mask[end - 1])
		end--;
	use->need = (uint16_t)end;
	for (;; at += sizeof(uint64_t)) {
		while (at < end && !reads->mask[at])
			at++;
		if (at >= end || use->n_words == TEXT_KEY_WORDS)
			return at >= end;
		if (at + sizeof(uint64_t) > end)
			at = end < sizeof(uint64_t) ? 0 : end - sizeof(uint64_t);
		use->at[use->n_words] = (uint8_t)at;
		memcpy(&use->mask[use->n_words++], reads->mask + at, sizeof(uint64_t));
	}
}

struct text_use *text_use_new(struct arena *arena, const struct unit *unit)
{
	struct text_use use = { .credit = CREDIT_FIRST }, *kept;
	struct unit_reads reads;

	if (!unit_is_steady(unit, &reads) || !use_words(&use, &reads))
		return NULL;
	use.has_context = reads.has_context;
	use.has_subject = reads.has_subject;
	kept = arena_alloc(arena, sizeof(*kept));
	if (kept)
		*kept = use;
	return kept;
}

/* Loads the first word of a payload that is shorter than a word. */
static __attribute__((noinline)) uint64_t load_short(const uint8_t *payload, size_t n_bytes)
{
	uint8_t bytes[sizeof(uint64_t)] = { 0 };
	uint64_t word;

	if (n_bytes >= sizeof(uint32_t)) {
		memcpy(bytes, payload, sizeof(uint32_t));
		memcpy(bytes + n_bytes - sizeof(uint32_t), payload + n_bytes - sizeof(uint32_t),
			sizeof(uint32_t));
	} else {
		for (size_t i = 0; i < n_bytes; i++)
			bytes[i] = payload[i];
	}
	memcpy(&word, bytes, sizeof(word));
	return word;
}

static inline uint64_t word_of(const struct text_use *use, const struct text_key *key, size_t i)
{
	uint64_t word;

	memcpy(&word, key->payload + use->at[i], sizeof(word));
	return word & use->mask[i];
}

/* The payload has the bytes that the use needs. */
static inline struct text_key text_cache_key_of(const struct text_use *use, const struct report_line *line)
{
	const struct rst_batch *batch = line->batch;
	const struct rst_context *context = batch->context[line->row];
	struct text_key key = { .payload = batch->payload[line->row],
		.context = use->has_context ? context : NULL,
		.process = context->process };

	if (__builtin_expect(batch->payload_bytes[line->row] < sizeof(uint64_t), 0)) {
		key.words[0] = load_short(key.payload, batch->payload_bytes[line->row]) & use->mask[0];
		return key;
	}
	key.words[0] = word_of(use, &key, 0);
	key.words[1] = word_of(use, &key, 1);
	return key;
}

static inline struct text_place place_of(const struct text_use *use, const struct text_key *key)
{
	const uint64_t factor = 0x9e3779b97f4a7c15U;
	uint64_t hash = (key->words[0] * factor ^ key->words[1] ^ (uint64_t)(uintptr_t)key->context << 24) +
			(uint64_t)(uintptr_t)use;

	for (size_t i = N_FRONT; __builtin_expect(i < use->n_words, 0); i++)
		hash = hash * factor ^ word_of(use, key, i);
	hash = (hash ^ hash >> 32) * factor;
	return (struct text_place){ 2 * (hash >> (64 - TEXTS_BITS + 1)), (uint32_t)(hash >> 16) };
}

static inline bool is_of(const struct kept_text *kept, const struct text_use *use, const struct text_key *key)
{
	const uint64_t differ = ((uint64_t)(uintptr_t)kept->use ^ (uint64_t)(uintptr_t)use) |
				(kept->words[0] ^ key->words[0]) | (kept->words[1] ^ key->words[1]) |
				((uint64_t)(uintptr_t)kept->context ^ (uint64_t)(uintptr_t)key->context) |
				(kept->process ^ key->process);

	if (differ)
		return false;
	for (size_t i = N_FRONT; i < use->n_words; i++)
		if (kept->words[i] != word_of(use, key, i))
			return false;
	return true;
}

/* In place of the objects that a text does not have: it never changes. */
static const struct rst_object no_object;

static inline bool text_cache_holds(
	const struct kept_text *kept, const struct text_cache *cache, uint64_t seq)
{
	if (kept->seq > seq || (kept->context && kept->name != kept->context->name) ||
		(kept->n_objects && kept->n_objects != cache->n_objects + 1))
		return false;
	/* All of them are looked at, used or not: how many there are would be a guess. */
	return value_use_holds(&kept->uses[0]) & value_use_holds(&kept->uses[1]);
}

/* --- texts ---------------------------------------------------------------------------------------------- */

/* Where the text begins, and behind the name that it may begin with, as put_subject() in op_text.c has it. */
static inline char *put_kept(const struct report_line *line, const struct kept_text *kept, char *p)
{
	const struct rst_context *context = line->batch->context[line->row];
	struct runner *runner = &line->input->runner;
	const bool has_subject = kept->use->has_subject;

	p -= kept->is_early | (has_subject & runner->omits_subject);
	runner->start = runner->line = (size_t)(p - runner->out->start);
	runner->outcome = RUN_DONE;
	if (has_subject & !runner->omits_subject)
		p = text_put(p, context->name, context->name_bytes);
	memcpy(p, kept->text, TEXT_COPY);
	if (__builtin_expect(kept->n_text > TEXT_COPY, 0))
		memcpy(p + TEXT_COPY, kept->text + TEXT_COPY, TEXT_BYTES - TEXT_COPY);
	return p + kept->n_text;
}

/* Counts the faults so far. Each event counts its faults, so a text that causes a fault is not kept. */
static uint64_t runner_faults(const struct runner *runner)
{
	return runner->n_truncated + runner->n_nesting + runner->n_limit + runner->n_div0;
}

/* Whole, of one line, and depending on no more than can be kept. */
static bool runner_is_done(const struct runner *runner)
{
	return runner->outcome == RUN_DONE && runner->line == runner->start && !runner->is_careful &&
	       runner->names->uses.n <= VALUE_USES_MAX;
}

/* The text that the runner has made at offset `from` of the output, up to p. */
static void text_cache_keep(struct text_cache *cache, const struct text_use *use,
	const struct report_line *line, size_t from, const char *p)
{
	const struct runner *runner = &line->input->runner;
	const struct value_uses *uses = &runner->names->uses;
	const bool has_name = use->has_subject && !runner->omits_subject;
	const char *text = runner->out->start + runner->start +
			   (has_name ? line->batch->context[line->row]->name_bytes : 0);
	const size_t n_text = (size_t)(p - text);
	const struct text_key key = text_cache_key_of(use, line);
	const struct text_place place = place_of(use, &key);
	const size_t index = place.index + (cache->n_kept & 1);
	struct kept_text *kept = &cache->kept[index];

	if (n_text > TEXT_BYTES)
		return;
	cache->tags[index] = place.tag;
	cache->n_kept++;
	kept->use = use;
	kept->context = key.context;
	kept->name = key.context ? key.context->name : NULL;
	kept->process = key.process;
	kept->seq = line->batch->seq[line->row];
	memcpy(kept->words, key.words, sizeof(key.words));
	for (size_t i = N_FRONT; i < use->n_words; i++)
		kept->words[i] = word_of(use, &key, i);
	kept->n_objects = uses->has_unknown ? cache->n_objects + 1 : 0;
	for (size_t i = 0; i < VALUE_USES_MAX; i++)
		kept->uses[i] = i < uses->n ? uses->of[i] : (struct value_use){ .object = &no_object };
	kept->n_text = (uint8_t)n_text;
	kept->is_early = !use->has_subject && runner->start < from;
	memcpy(kept->text, text, n_text);
}

static __attribute__((noinline)) char *put_anew(
	struct text_cache *cache, struct text_use *use, const struct report_line *line, char *p)
{
	struct runner *runner = &line->input->runner;
	const uint64_t n_faults = runner_faults(runner);
	const size_t from = (size_t)(p - runner->out->start);

	if (--use->credit == 0)
		use->credit = -N_PASSED;
	value_uses_begin(runner->names);
	p = plan_run_text(line, p);
	if (runner_is_done(runner) && runner_faults(runner) == n_faults)
		text_cache_keep(cache, use, line, from, p);
	return p;
}

char *text_cache_put(struct text_cache *cache, struct text_use *use, const struct report_line *line, char *p)
{
	const struct rst_batch *batch = line->batch;
	const struct kept_text *kept;
	struct text_place place;
	struct text_key key;
	bool is_first;

	/* Fields that are cut off; and a name that is empty, or long, is not put as others are. */
	if (__builtin_expect(batch->payload_bytes[line->row] < use->need ||
				     batch->context[line->row]->name_bytes - 1 >= RUN_TEXT_ROOM,
		    0))
		return plan_run_text(line, p);
	key = text_cache_key_of(use, line);
	place = place_of(use, &key);
	is_first = cache->tags[place.index] == place.tag;
	if (!(is_first | (cache->tags[place.index + 1] == place.tag)))
		return put_anew(cache, use, line, p);
	kept = &cache->kept[place.index + !is_first];
	if (__builtin_expect(
		    !is_of(kept, use, &key) || !text_cache_holds(kept, cache, batch->seq[line->row]), 0))
		return put_anew(cache, use, line, p);
	if (__builtin_expect(use->credit < CREDIT_MAX, 0))
		use->credit++;
	return put_kept(line, kept, p);
}
