/* SPDX-License-Identifier: MIT */
/*
 * Tries the demands of dialect.h on every dialect, with each of its goldens (tests/goldens/NAME/) and its
 * smaller real recordings (tests/data/NAME/): it alone claims them, reads them twice alike, and survives them
 * with bits inverted, with batches that are nearly full, and with too little memory. cut_test.c cuts them.
 * Begin reading at check_dialect().
 */
#include <inttypes.h>
#include <rastrum/field.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/chunks.h"
#include "template/language/effects.h"
#include "tests/dialect/input.h"
#include "tests/tap.h"
#include "trace/place.h"

#define DIGEST_START 0xcbf29ce484222325U

enum { FLIP_STRIDE = 7 }; /* bits; no divisor of a word, so that each bit of some word is inverted */

/* The result of reading an input to its end. */
struct outcome {
	enum rst_status status;
	uint64_t digest;
	uint64_t n_rows;
	struct rst_error err;
	char fault[160]; /* a promise of the contract that was broken, or "" */
};

/* --- reading -------------------------------------------------------------------------------------------- */

static void mix(uint64_t *digest, const void *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		*digest = (*digest ^ at[i]) * 0x100000001b3U; /* FNV-1a */
}

static void mix_number(uint64_t *digest, uint64_t number)
{
	mix(digest, &number, sizeof(number));
}

static void note_fault(struct outcome *outcome, const char *what, uint64_t number)
{
	if (!outcome->fault[0])
		snprintf(outcome->fault, sizeof(outcome->fault), "%s (%" PRIu64 ")", what, number);
}

static void take_gap(struct outcome *outcome, const struct rst_batch *batch, size_t row, size_t n_bytes)
{
	const struct rst_gap *gap = (const void *)batch->payload[row];

	if (!gap || !gap->what || !gap->what[0])
		note_fault(outcome, "a gap without a reason", row);
	else if (gap->n_bytes && gap->offset > n_bytes)
		note_fault(outcome, "damage beyond the end of the input", gap->offset);
	else
		mix_number(&outcome->digest, gap->offset + gap->n_bytes + gap->n_events);
}

/* Its fields are there, and it has what effects of its kind need. */
static void take_effect(
	struct outcome *outcome, const struct rst_layout *layout, const struct rst_effect *effect)
{
	struct rst_effect own = *effect;

	for (const struct effect_word *word = effect_words; word->name; word++) {
		const struct rst_operand *of = effect_operand(&own, word);

		if (word->type != EFFECT_WORD_OPERAND)
			continue;
		if (of->from > (int)layout->n_fields)
			note_fault(outcome, "an effect of a field that is not there", layout->id);
		if (of->from == RST_FROM_NOTHING && effect_kind_has(word->needed, effect->kind))
			note_fault(outcome, "an effect without what its kind needs", layout->id);
		if (of->from != RST_FROM_NOTHING && !effect_kind_has(word->kinds, effect->kind))
			note_fault(outcome, "an effect with what its kind does not have", layout->id);
	}
	for (size_t i = 0; i < RST_CONDITIONS_MAX; i++)
		if (effect->when[i].of.from > (int)layout->n_fields)
			note_fault(outcome, "a condition of a field that is not there", layout->id);
	if (!effect_phase_fits(effect->kind, effect->phase) && effect->phase != RST_DONE)
		note_fault(outcome, "an effect with a phase that its kind does not have", layout->id);
}

static void take_fields(
	struct outcome *outcome, struct rst_trace *trace, const struct rst_batch *batch, size_t row)
{
	const struct rst_layout *layout = batch->layout[row];

	for (unsigned i = 0; i < layout->n_fields; i++) {
		const struct rst_field *field = &layout->fields[i];
		size_t n_bytes = 0;
		const char *text = rst_trace_field_text(trace, batch, row, field, &n_bytes);

		/* Without text memory has run out. */
		if (text && (!text[0] != !n_bytes || strlen(text) != n_bytes))
			note_fault(outcome, "a field whose text has another length", layout->id);
		if (field->extent == RST_EXTENT_SPAN && field->n_bytes != 8)
			note_fault(outcome, "a span that does not have 8 bytes", layout->id);
		if (!rst_field_is_number(field))
			mix_number(&outcome->digest,
				rst_field_length(field, batch->payload[row], batch->payload_bytes[row]));
		else
			mix_number(&outcome->digest,
				rst_field_number(field, batch->payload[row], batch->payload_bytes[row]));
	}
	for (unsigned i = 0; i < layout->n_effects; i++)
		take_effect(outcome, layout, &layout->effects[i]);
	mix(&outcome->digest, batch->payload[row], batch->payload_bytes[row]);
}

static void take_row(struct outcome *outcome, struct rst_trace *trace, const struct rst_batch *batch,
	size_t row, size_t n_bytes)
{
	const struct rst_type *type = batch->type[row];
	const struct rst_context *context = batch->context[row];

	if (!type || batch->layout[row]->type != type || !type->name || !context || !context->name) {
		note_fault(outcome, "a row without type, layout or context", row);
		return;
	}
	mix_number(&outcome->digest, batch->ticks[row]);
	mix_number(&outcome->digest, batch->seq[row]);
	mix_number(&outcome->digest, type->id);
	mix(&outcome->digest, context->name, context->name_bytes);
	if (type->marker != RST_EVENT)
		take_gap(outcome, batch, row, n_bytes);
	else
		take_fields(outcome, trace, batch, row);
}

static void check_end(struct outcome *outcome, size_t n_bytes)
{
	const struct rst_error *err = &outcome->err;

	if (outcome->status == RST_END)
		return;
	if (outcome->status >= 0)
		note_fault(outcome, "an end that is none", (uint64_t)outcome->status);
	else if (!err->what[0] || err->status != outcome->status)
		note_fault(outcome, "a failure without a sentence", 0);
	else if (err->offset != RST_NO_OFFSET && err->offset > n_bytes)
		note_fault(outcome, "a failure beyond the end of the input", err->offset);
}

/* Reads on to the end, and stays at a place behind each batch, of which there are at most so many. */
static struct outcome read_on(
	struct rst_trace *trace, size_t n_bytes, struct trace_place *places, size_t n_places)
{
	struct outcome outcome = { .digest = DIGEST_START };
	const struct rst_batch *batch;

	for (size_t n = 0; outcome.status == RST_OK; n++) {
		outcome.status = rst_trace_next(trace, &batch, &outcome.err);
		if (outcome.status != RST_OK)
			break;
		if (batch->n_events == 0 || batch->n_events > RST_BATCH_EVENTS)
			note_fault(&outcome, "a batch of a wrong size", batch->n_events);
		for (size_t row = 0; row < batch->n_events; row++)
			take_row(&outcome, trace, batch, row, n_bytes);
		outcome.n_rows += batch->n_events;
		/* Eight bytes are less than any event of any dialect, and gaps stand between events. */
		if (outcome.n_rows > n_bytes / 4 + 64) {
			note_fault(&outcome, "more rows than the input can hold", outcome.n_rows);
			outcome.status = RST_END;
		}
		if (n < n_places && !trace_place_take(trace, &places[n]))
			note_fault(&outcome, "no place", n);
	}
	check_end(&outcome, n_bytes);
	return outcome;
}

/* Opens bytes as the dialect (NULL: as found) and reads to the end. */
static struct outcome read_all(const char *dialect, const uint8_t *bytes, size_t n_bytes)
{
	struct outcome outcome = { .digest = DIGEST_START };
	const struct rst_open how = { .dialect = dialect };
	struct rst_trace *trace = NULL;

	outcome.status = rst_trace_open_bytes(&trace, bytes, n_bytes, "input", &how, &outcome.err);
	if (outcome.status == RST_OK)
		outcome = read_on(trace, n_bytes, NULL, 0);
	else
		check_end(&outcome, n_bytes);
	rst_trace_free(trace);
	return outcome;
}

/* --- the promises --------------------------------------------------------------------------------------- */

static void check_claims(const struct dialect *dialect, const struct input *input)
{
	const char *others = NULL;
	unsigned score = dialect->probe(input->bytes, input->n_bytes, true);

	for (size_t i = 0; dialects[i]; i++)
		if (dialects[i] != dialect && dialects[i]->probe(input->bytes, input->n_bytes, true))
			others = dialects[i]->name;
	ok(score > 0 && score <= 100 && !others, "%s alone claims %s", dialect->name, input->path);
	if (others)
		printf("# so does %s\n", others);
}

static void check_twice(const struct dialect *dialect, const struct input *input)
{
	struct outcome first = read_all(dialect->name, input->bytes, input->n_bytes);
	struct outcome second = read_all(NULL, input->bytes, input->n_bytes);

	ok(first.status == second.status && first.digest == second.digest && first.n_rows == second.n_rows &&
			!first.fault[0],
		"%s gives the same twice", input->path);
	if (first.fault[0])
		printf("# %s\n", first.fault);
}

/*
 * The rows behind a place are the same in a trace that came there by reading and in one that went there.
 */
static void check_places(const struct dialect *dialect, const struct input *input)
{
	const struct rst_open how = { .dialect = dialect->name };
	struct trace_place place = { .last_seq = 0 };
	struct rst_trace *first = NULL, *second = NULL;
	const struct rst_batch *batch;
	struct rst_error err;
	bool has_both =
		rst_trace_open_bytes(&first, input->bytes, input->n_bytes, "input", &how, &err) == RST_OK &&
		rst_trace_open_bytes(&second, input->bytes, input->n_bytes, "input", &how, &err) == RST_OK;

	ok(has_both && !trace_place_go(second, NULL), "%s: before the first batch there is no place",
		input->path);
	if (has_both && rst_trace_next(second, &batch, &err) == RST_OK && trace_place_go(second, NULL)) {
		const struct outcome whole = read_on(first, input->n_bytes, &place, 1);
		const struct outcome again = read_on(second, input->n_bytes, NULL, 0);
		struct outcome rest, other;

		ok(whole.digest == again.digest && whole.n_rows == again.n_rows && !again.fault[0],
			"%s: from its begin on a trace gives the same once more", input->path);
		ok(trace_place_go(first, &place) && trace_place_go(second, &place),
			"%s: from its end it goes back to a place", input->path);
		rest = read_on(first, input->n_bytes, NULL, 0);
		other = read_on(second, input->n_bytes, NULL, 0);
		ok(rest.digest == other.digest && rest.n_rows == other.n_rows && rest.n_rows < whole.n_rows,
			"%s: what lies behind the place is the same in both", input->path);
	}
	rst_trace_free(first);
	rst_trace_free(second);
}

static bool is_sound(const struct outcome *outcome, const char *how, size_t where)
{
	if (!outcome->fault[0])
		return true;
	printf("# %s %zu: %s\n", how, where, outcome->fault);
	return false;
}

static void check_flips(const struct dialect *dialect, const struct input *input)
{
	bool is_good = true;
	size_t step = FLIP_STRIDE * input->stride;

	for (size_t bit = 0; bit < 8 * input->n_bytes && is_good; bit += step) {
		uint8_t mask = (uint8_t)(1U << bit % 8);

		input->bytes[bit / 8] ^= mask;
		struct outcome outcome = read_all(dialect->name, input->bytes, input->n_bytes);

		is_good = is_sound(&outcome, "turned bit", bit);
		input->bytes[bit / 8] ^= mask;
	}
	ok(is_good, "%s may have any bit turned over", input->path);
}

/* Also each other way than trace.c takes: a whole input, and chunks where the dialect takes them. */
static void check_fronts(const struct dialect *dialect, const struct input *input)
{
	static const struct rst_open how;
	const char *fault = NULL;

	for (unsigned front = 0; front < CHUNKS_FRONTS && !fault; front++)
		for (unsigned way = 0; way < 3 && !fault; way++) {
			static const size_t n_chunk[] = { 0, 37, 300 };
			const struct coming coming = { n_chunk[way], chunks_front(front) };

			if (dialect->chunks == CHUNKS_WHOLE && way)
				continue;
			fault = chunks_try(dialect, &how, input->bytes, input->n_bytes, &coming, NULL);
			if (fault)
				printf("# %zu rows in front, chunks of %zu: %s\n", coming.front.n_events,
					coming.n_chunk, fault);
		}
	ok(!fault, "%s may come into batches that are nearly full", input->path);
}

static void check_memory(const struct dialect *dialect, const struct input *input)
{
	struct outcome outcome;
	bool is_good = true;
	long n = -1;

	do {
		tap_fail_alloc_after(++n);
		outcome = read_all(dialect->name, input->bytes, input->n_bytes);
		tap_fail_alloc_after(-1);
		is_good = !outcome.fault[0];
	} while (is_good && outcome.status == RST_E_NOMEM && n < 10000);
	ok(is_good && outcome.status != RST_E_NOMEM && n > 0, "%s may run out of memory at any time",
		input->path);
	if (!is_good)
		printf("# allocation %ld: status %d, %s\n", n, outcome.status, outcome.fault);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static void check_input(const struct dialect *dialect, const struct input *input)
{
	check_claims(dialect, input);
	check_twice(dialect, input);
	check_flips(dialect, input);
	check_fronts(dialect, input);
	if (dialect_rare(dialect)->place_go)
		check_places(dialect, input);
	if (input->is_golden)
		check_memory(dialect, input);
}

static void check_dialect(const struct dialect *dialect)
{
	inputs_check(dialect, check_input);
	ok(dialect_find(dialect->name) == dialect, "%s is found by its name", dialect->name);
	ok(dialect->summary[0] && dialect->options, "%s has a summary and a list of settings", dialect->name);
}

int main(void)
{
	for (size_t i = 0; dialects[i]; i++)
		check_dialect(dialects[i]);
	return tap_done();
}
