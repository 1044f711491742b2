/* SPDX-License-Identifier: MIT */
/* Tests which parts of a dump are read when a part of it is wanted, and what is reported about the rest. */
#include <stdlib.h>

#include "dialect/threadx/threadx.h"
#include "tests/image.h"
#include "tests/tap.h"

enum {
	PART = TX_PART_EVENTS,
	N_PARTS = 10,
	N_EVENTS = N_PARTS * PART,
	LATE_TYPE = 2 * PART + 7,   /* events with something new */
	LATE_THREAD = 5 * PART - 1, /* in part 4 */
	LATE_CORE = 7 * PART,
	CHANGE = 6 * PART + 9,	/* where the rare thread's address becomes a queue … */
	CHANGED = 8 * PART + 9, /* … and its next event is */
	NO_HOLE = N_EVENTS,
	QUEUE_CREATE = 60,
	STEP = 10, /* ticks from one to the next */
};

/* A dump that is being read. */
struct reading {
	uint8_t *image;
	uint64_t n_bytes;
	struct chunk chunk;
	struct model model;
	struct batch batch;
	struct threadx *state;
	bool is_good;
};

/* Slot `hole` has no event. has_change: the dump has a rare thread, whose address becomes another object. */
static uint8_t *image_make(uint64_t hole, bool has_change, uint64_t *ret_n_bytes)
{
	const struct txtb_layout layout = { .word_bytes = 4,
		.name_bytes = 32,
		.n_registry = 2,
		.n_events = N_EVENTS,
		.base = 0x20000000,
		.timer_mask = TXTB_MASK_32 };
	const struct txtb_object threads[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "worker" },
		{ .type = TXTB_TYPE_THREAD, .address = 0x3000, .name = "rare" },
	};
	struct txtb_event *events = calloc(N_EVENTS, sizeof(*events));
	uint8_t *image = calloc(1, txtb_image_bytes(&layout));

	for (uint64_t i = 0; i < N_EVENTS; i++)
		events[i] = (struct txtb_event){ .thread = i == hole	      ? 0
							   : i == LATE_THREAD ? 0x2000
									      : 0x1000,
			.id = i == LATE_TYPE ? 11 : 10,
			.core = i == LATE_CORE,
			.stamp = STEP * (i + 1) };
	if (has_change) {
		events[1].thread = events[CHANGED].thread = 0x3000;
		events[2].id = events[CHANGE].id = QUEUE_CREATE;
		events[2].info[0] = 0x5000;
		events[CHANGE].info[0] = 0x3000;
	}
	image_fill(&layout, image, 0, threads, events, N_EVENTS);
	free(events);
	*ret_n_bytes = txtb_image_bytes(&layout);
	return image;
}

static struct reading reading_begin(uint64_t hole, bool has_change)
{
	const struct rst_open how = { 0 };
	struct reading reading = { .state = calloc(1, sizeof(*reading.state)) };

	reading.image = image_make(hole, has_change, &reading.n_bytes);
	reading.chunk = (struct chunk){ .bytes = reading.image,
		.n_bytes = reading.n_bytes,
		.source = "test",
		.behind = CHUNK_INPUT_ENDS };
	reading.is_good = model_init(&reading.model) &&
			  batch_init(&reading.batch, dialect_threadx.columns, 0) &&
			  dialect_threadx.open(reading.state, &reading.model, &how, NULL) == RST_OK;
	return reading;
}

static void reading_end(struct reading *reading)
{
	dialect_threadx.close(reading->state);
	model_done(&reading->model);
	batch_done(&reading->batch);
	free(reading->state);
	free(reading->image);
}

static bool survey(struct reading *reading)
{
	uint64_t first_ticks;

	return dialect_threadx.rare->survey(reading->state, &reading->model, &reading->chunk, &first_ticks) &&
	       first_ticks == STEP;
}

/* Reads the rest, sets has[part] for each part with rows, and adds up what was passed over. */
static enum rst_status read_all(struct reading *reading, bool has[N_PARTS], uint64_t *ret_n_passed)
{
	struct chunk end = { .behind = CHUNK_ENDS };
	enum rst_status status =
		dialect_threadx.read(reading->state, &reading->model, &reading->chunk, &reading->batch, NULL);
	const struct passed *passed;

	*ret_n_passed = 0;
	for (status = status == RST_MORE ? RST_OK : status; status == RST_OK;) {
		batch_clear(&reading->batch);
		status = dialect_threadx.read(reading->state, &reading->model, &end, &reading->batch, NULL);
		for (size_t i = 0; status >= 0 && i < reading->batch.n_events; i++)
			has[reading->batch.seq[i] / PART] = true;
		passed = dialect_threadx.rare->take_passed(reading->state);
		*ret_n_passed += passed ? passed->n_events : 0;
	}
	return status;
}

static void check_window(
	struct dialect_window window, bool has_change, const char *expected, const char *sentence)
{
	struct reading reading = reading_begin(NO_HOLE, has_change);
	bool has[N_PARTS] = { false };
	char got[N_PARTS + 1] = "";
	uint64_t n_passed, n_read = 0;
	bool is_good = reading.is_good && survey(&reading) && survey(&reading);

	dialect_threadx.rare->narrow(reading.state, &window);
	is_good &= read_all(&reading, has, &n_passed) == RST_END;
	for (size_t i = 0; i < N_PARTS; i++) {
		got[i] = has[i] ? '+' : '-';
		n_read += has[i] ? PART : 0;
	}
	is_text(is_good ? got : "", expected, sentence);
	is_number(n_passed, N_EVENTS - n_read, "what is not read is told");
	reading_end(&reading);
}

static void check_windows(void)
{
	const uint64_t all = UINT64_MAX;

	check_window((struct dialect_window){ 0, all, 3 }, false, "+-+-+--+-+",
		"of the last events: the first part, the last, and those with a new type, thread and core");
	check_window((struct dialect_window){ 0, all, PART + 1 }, false, "+-+-+--+++",
		"as many parts as are needed");
	check_window((struct dialect_window){ STEP * PART * 6 + 11, STEP * PART * 6 + 12, all }, false,
		"+-+-+-++--", "between two moments: the part that they are in");
	check_window((struct dialect_window){ 0, STEP, all }, false, "+-+-+--+--",
		"up to a moment: nothing behind it");
	check_window((struct dialect_window){ 0, all, 3 }, true, "+-+-+-++++",
		"where an address becomes another object, and where a thread has its first event after that");
	check_window((struct dialect_window){ 0, all, all }, false, "++++++++++", "all, if all is wanted");
}

static void check_passed(void)
{
	const struct dialect_window last = { 0, UINT64_MAX, 1 };
	struct reading reading = reading_begin(NO_HOLE, false);
	const struct passed *passed = NULL;
	struct chunk end = { .behind = CHUNK_ENDS };

	ok(survey(&reading), "the dump has parts");
	dialect_threadx.rare->narrow(reading.state, &last);
	dialect_threadx.read(reading.state, &reading.model, &reading.chunk, &reading.batch, NULL);
	while (!passed) {
		batch_clear(&reading.batch);
		dialect_threadx.read(reading.state, &reading.model, &end, &reading.batch, NULL);
		passed = dialect_threadx.rare->take_passed(reading.state);
	}
	is_number(passed->least_ticks, STEP * (PART + 1), "what was passed over has a first moment");
	is_number(passed->greatest_ticks, STEP * 2 * PART, "and a last one");
	is_number(reading.batch.ticks[0], passed->last_ticks + STEP, "behind which reading goes on");
	ok(!dialect_threadx.rare->take_passed(reading.state), "it is told once");
	reading_end(&reading);
}

static void check_hole(void)
{
	struct reading reading = reading_begin(PART + 3, false);
	bool has[N_PARTS] = { false };
	uint64_t n_passed;

	ok(!survey(&reading) && !survey(&reading), "a dump with a loss has none");
	ok(read_all(&reading, has, &n_passed) == RST_END && has[1] && has[N_PARTS - 1] && n_passed == 0 &&
			reading.model.n_gaps_all == 1,
		"and is read whole");
	reading_end(&reading);
}

/*
 * Without memory for parts, all events are read. Without memory for anything else, reading returns that
 * error.
 */
static void check_memory(void)
{
	unsigned n_wrong = 0, n_without = 0, n_failed = 0;

	for (long n = 0; n < 60; n++) {
		struct reading reading = reading_begin(NO_HOLE, false);
		bool has[N_PARTS] = { false };
		enum rst_status status;
		uint64_t n_passed;
		bool has_parts;

		tap_fail_alloc_after(n);
		has_parts = survey(&reading);
		tap_fail_alloc_after(-1);
		status = read_all(&reading, has, &n_passed);
		n_wrong += status != RST_END && (status != RST_E_NOMEM || has_parts);
		n_without += status == RST_END && !has_parts && has[1];
		n_failed += status == RST_E_NOMEM;
		reading_end(&reading);
	}
	ok(!n_wrong && n_without && n_failed,
		"without memory it is read whole, or the reader says so: %u, %u, %u", n_wrong, n_without,
		n_failed);
}

int main(void)
{
	check_windows();
	check_passed();
	check_hole();
	check_memory();
	return tap_done();
}
