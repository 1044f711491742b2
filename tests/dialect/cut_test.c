/* SPDX-License-Identifier: MIT */
/*
 * Inputs that end too early, and inputs with a wrong byte. Each golden and each smaller real recording of
 * every dialect is cut at every byte. A cut must be reported: by a failure, or by a gap or a warning that the
 * whole input does not have, whose offset is not behind the cut. It may be silent in two places only: where a
 * record ends, and where nothing but bytes without a meaning are missing.
 *
 * The test knows no format. It takes a silent cut for the end of a record when a cut one byte earlier is
 * reported, and a byte for meaningless when the whole input reads the same with this byte inverted. The
 * events of a silently cut input must be a run of those of the whole input. Begin reading at check_cuts().
 *
 * Where records have checksums, each byte is also changed, and that must be reported, too, not behind the
 * byte.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "tests/dialect/input.h"
#include "tests/tap.h"

/* A list of digests. */
struct digests {
	uint64_t *all;
	size_t n, room;
};

struct reading {
	enum rst_status status;
	uint64_t offset;	/* of the failure */
	struct digests reports; /* gaps and warnings … */
	struct digests offsets; /* … and where damage begins; RST_NO_OFFSET of others */
	struct digests events;
	uint64_t digest; /* of everything */
};

/* --- reading -------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t digest, const void *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		digest = (digest ^ at[i]) * 0x100000001b3U; /* FNV-1a */
	return digest;
}

static uint64_t mix_number(uint64_t digest, uint64_t number)
{
	return mix(digest, &number, sizeof(number));
}

static void digests_add(struct digests *digests, uint64_t one)
{
	if (digests->n == digests->room) {
		digests->room = digests->room ? 2 * digests->room : 64;
		digests->all = realloc(digests->all, digests->room * sizeof(*digests->all));
	}
	digests->all[digests->n++] = one;
}

static bool digests_have(const struct digests *digests, uint64_t one)
{
	for (size_t i = 0; i < digests->n; i++)
		if (digests->all[i] == one)
			return true;
	return false;
}

static uint64_t gap_digest(const struct rst_gap *gap)
{
	uint64_t digest = mix(gap->marker, gap->what, strlen(gap->what));

	return mix_number(mix_number(mix_number(digest, gap->n_events), gap->offset), gap->n_bytes);
}

/* Without names, times and numbers, which a dialect that reads ahead may take from other records. */
static uint64_t event_digest(const struct rst_batch *batch, size_t row)
{
	return mix(batch->type[row]->id, batch->payload[row], batch->payload_bytes[row]);
}

static void read_rows(struct reading *reading, const struct rst_batch *batch)
{
	for (size_t row = 0; row < batch->n_events; row++) {
		const struct rst_gap *gap = rst_batch_gap(batch, row);
		const struct rst_context *context = batch->context[row];

		if (gap) {
			digests_add(&reading->reports, gap_digest(gap));
			digests_add(
				&reading->offsets, gap->marker == RST_DAMAGE ? gap->offset : RST_NO_OFFSET);
		} else
			digests_add(&reading->events, event_digest(batch, row));
		reading->digest = mix_number(reading->digest, batch->ticks[row]);
		reading->digest = mix(reading->digest, context->name, context->name_bytes);
	}
}

static void read_end(struct reading *reading, struct rst_trace *trace)
{
	const struct rst_metadata *metadata = rst_trace_metadata(trace);
	struct digests *reports = &reading->reports, *events = &reading->events;

	for (size_t i = 0; i < metadata->n_warnings; i++) {
		digests_add(reports, mix(1, metadata->warnings[i], strlen(metadata->warnings[i])));
		digests_add(&reading->offsets, RST_NO_OFFSET);
	}
	reading->digest = mix(reading->digest, reports->all, reports->n * sizeof(*reports->all));
	reading->digest = mix(reading->digest, events->all, events->n * sizeof(*events->all));
	reading->digest = mix_number(reading->digest, (uint64_t)reading->status);
}

static struct reading input_read(const struct dialect *dialect, const uint8_t *bytes, size_t n_bytes)
{
	const struct rst_open how = { .dialect = dialect->name };
	struct reading reading = { .digest = 0xcbf29ce484222325U };
	struct rst_error err = { .offset = RST_NO_OFFSET };
	struct rst_trace *trace = NULL;
	const struct rst_batch *batch;

	reading.status = rst_trace_open_bytes(&trace, bytes, n_bytes, "input", &how, &err);
	while (reading.status == RST_OK) {
		reading.status = rst_trace_next(trace, &batch, &err);
		if (reading.status == RST_OK)
			read_rows(&reading, batch);
	}
	reading.offset = reading.status < 0 ? err.offset : RST_NO_OFFSET;
	if (trace)
		read_end(&reading, trace);
	rst_trace_free(trace);
	return reading;
}

static void reading_done(struct reading *reading)
{
	free(reading->reports.all);
	free(reading->offsets.all);
	free(reading->events.all);
}

/* --- cuts ----------------------------------------------------------------------------------------------- */

static struct reading cut_read(const struct dialect *dialect, const struct input *input, size_t n_bytes)
{
	uint8_t *cut = malloc(n_bytes + !n_bytes); /* so that the sanitizer sees one read too many */

	memcpy(cut, input->bytes, n_bytes);
	struct reading reading = input_read(dialect, cut, n_bytes);

	free(cut);
	return reading;
}

/* A report that the whole input does not have, about a byte that is not behind this one, or about none. */
static bool is_reported(const struct reading *part, const struct reading *whole, uint64_t at)
{
	if (part->status < 0)
		return part->offset == RST_NO_OFFSET || part->offset <= at;
	for (size_t i = 0; i < part->reports.n; i++)
		if (!digests_have(&whole->reports, part->reports.all[i]) &&
			(part->offsets.all[i] == RST_NO_OFFSET || part->offsets.all[i] <= at))
			return true;
	return false;
}

/*
 * Whether all events of the cut input are one run of those of the whole input; a cut ring may lack the
 * oldest.
 */
static bool is_run(const struct digests *cut, const struct digests *whole)
{
	for (size_t first = 0; first + cut->n <= whole->n; first++)
		if (cut->n == 0 || memcmp(cut->all, whole->all + first, cut->n * sizeof(*cut->all)) == 0)
			return true;
	return false;
}

/* Flags between frames of RKH: each of them ends a frame, though an empty one. */
static bool is_empty_record(const struct dialect *dialect, uint8_t byte)
{
	return strcmp(dialect->name, "rkh") == 0 && byte == 0x7e;
}

static bool is_meaningless(
	const struct dialect *dialect, const struct input *input, size_t at, const struct reading *whole)
{
	input->bytes[at] ^= 0xff;
	struct reading other = input_read(dialect, input->bytes, input->n_bytes);
	bool is_same = other.digest == whole->digest;

	input->bytes[at] ^= 0xff;
	reading_done(&other);
	return is_same;
}

/* Whether a cut at n bytes is reported; NULL, or what is wrong with a silent one. */
static const char *cut_fault(const struct dialect *dialect, const struct input *input, size_t n,
	const struct reading *whole, bool *ret_is_reported)
{
	struct reading cut = cut_read(dialect, input, n);
	bool is_part = is_run(&cut.events, &whole->events);

	*ret_is_reported = is_reported(&cut, whole, n);
	reading_done(&cut);
	return *ret_is_reported || is_part ? NULL : "other events than the whole input has";
}

/* Of real recordings some pairs of neighbouring cuts are tried, of goldens all. */
static void check_cuts(const struct dialect *dialect, const struct input *input)
{
	struct reading whole = input_read(dialect, input->bytes, input->n_bytes);
	size_t n_reported = 0;
	const char *fault = NULL;
	size_t at = 0;

	for (size_t n = 1; n < input->n_bytes && !fault; n += input->stride) {
		bool is_early, is_late;

		at = n;
		fault = cut_fault(dialect, input, n - 1, &whole, &is_early);
		if (!fault)
			fault = cut_fault(dialect, input, n, &whole, &is_late);
		if (fault)
			break;
		n_reported += is_late;
		if (!is_early && !is_late && !is_empty_record(dialect, input->bytes[n - 1]) &&
			!is_meaningless(dialect, input, n - 1, &whole))
			fault = "no report that a record is cut";
	}
	ok(!fault && n_reported > 0, "%s: a cut is reported wherever it takes a part of a record",
		input->path);
	if (fault)
		printf("# cut at byte %zu of %zu: %s\n", at, input->n_bytes, fault);
	reading_done(&whole);
}

/* --- wrong bytes ---------------------------------------------------------------------------------------- */

/* Records of the others have none, so a wrong byte may be a right one. */
static bool has_checksums(const struct dialect *dialect, const struct input *input)
{
	static const char *const dialects_with[] = { "rkh", "compact", "posix" };
	/*
	 * A target of RKH that is built without them; a recorder's memory, whose blocks get them on their way
	 * out.
	 */
	static const char *const without[] = { "rkh/nothing-but-ids", "compact/memory" };

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (strstr(input->path, without[i]))
			return false;
	for (size_t i = 0; i < sizeof(dialects_with) / sizeof(dialects_with[0]); i++)
		if (strcmp(dialect->name, dialects_with[i]) == 0)
			return true;
	return false;
}

static void check_wrong_bytes(const struct dialect *dialect, const struct input *input)
{
	struct reading whole;
	size_t n_silent = 0, first = 0;

	if (!has_checksums(dialect, input))
		return;
	whole = input_read(dialect, input->bytes, input->n_bytes);
	for (size_t at = 0; at < input->n_bytes; at += input->stride) {
		const uint8_t mask = (uint8_t)(1U << at % 8);

		input->bytes[at] ^= mask;
		struct reading wrong = input_read(dialect, input->bytes, input->n_bytes);

		input->bytes[at] ^= mask;
		if (wrong.digest != whole.digest && !is_reported(&wrong, &whole, at))
			first = n_silent++ ? first : at;
		reading_done(&wrong);
	}
	ok(!n_silent, "%s: a wrong byte is reported, and not behind it", input->path);
	if (n_silent)
		printf("# %zu of %zu bytes, the first is %zu\n", n_silent, input->n_bytes, first);
	reading_done(&whole);
}

static void check_input(const struct dialect *dialect, const struct input *input)
{
	check_cuts(dialect, input);
	check_wrong_bytes(dialect, input);
}

int main(void)
{
	for (size_t i = 0; dialects[i]; i++)
		inputs_check(dialects[i], check_input);
	return tap_done();
}
