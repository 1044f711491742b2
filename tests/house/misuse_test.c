/* SPDX-License-Identifier: MIT */
/*
 * Contracts run. Each case breaks one on purpose, in a process of its own, which must end there and name the
 * contract on stderr. In a release build contracts are not checked, so nothing is tried.
 */
#include "tests/tap.h"

#ifdef RST_CHECKED

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/scan.h"
#include "analysis/table/table.h"
#include "base/array.h"
#include "base/cursor.h"
#include "base/json.h"
#include "base/map.h"
#include "base/outbuf.h"
#include "base/text.h"
#include "export/export.h"
#include "model/clock.h"
#include "model/model.h"
#include "model/row.h"
#include "tracks/tree.h"

#define DUMP "tests/data/threadx/priority_inversion.trx"

/* --- base ----------------------------------------------------------------------------------------------- */

static void grow_from_outside(void)
{
	size_t room = 4;

	array_room(NULL, 5, &room, 8);
}

static void map_nothing(void)
{
	struct map map = { 0 };

	map_set(&map, 1, NULL);
}

static void write_beyond_room(void)
{
	struct outbuf out;

	if (outbuf_init(&out, OUTBUF_MEMORY))
		out.at = out.end + 1;
	outbuf_flush(&out);
}

static void take_beyond_end(void)
{
	static const uint8_t bytes[4];
	struct cursor cursor = cursor_over(bytes, 2);

	cursor.at += 3;
	cursor_take(&cursor, 1);
}

static void put_nine_digits(void)
{
	char text[16];

	text_put_last(text, text_eight(100000000), 8);
}

static struct json json_in_memory(void)
{
	static struct outbuf out;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		exit(1);
	return (struct json){ .out = &out };
}

static void put_member_without_key(void)
{
	struct json json = json_in_memory();

	json_object(&json, NULL);
	json_unsigned(&json, NULL, 1);
}

static void put_item_with_key(void)
{
	struct json json = json_in_memory();

	json_array(&json, NULL);
	json_unsigned(&json, "n", 1);
}

static void end_line_in_object(void)
{
	struct json json = json_in_memory();

	json_object(&json, NULL);
	json_line_end(&json);
}

/* --- model ---------------------------------------------------------------------------------------------- */

static const struct rst_type event_type = { .name = "event" };
static const struct rst_layout event_layout = { .type = &event_type };
static const struct rst_context event_context = { .name = "thread" };

static struct batch *batch_of(size_t n_rows)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (!batch || !batch_init(batch, 0, 0))
		exit(1);
	for (size_t i = 0; i < n_rows; i++)
		batch_row(
			batch, 0, &(struct batch_row){ .layout = &event_layout, .context = &event_context });
	return batch;
}

static void add_to_full_batch(void)
{
	batch_of(RST_BATCH_EVENTS + 1);
}

static void add_without_layout(void)
{
	batch_row(batch_of(0), 0, &(struct batch_row){ .context = &event_context });
}

static void add_length_without_payload(void)
{
	batch_row(batch_of(0), 0,
		&(struct batch_row){ .layout = &event_layout, .context = &event_context, .n_payload = 4 });
}

static void change_columns_of_rows(void)
{
	batch_set_columns(batch_of(1), BATCH_CORE);
}

static void put_gap_into_full_batch(void)
{
	static struct model model;

	model_put_gap(
		&model, batch_of(RST_BATCH_EVENTS), &(struct rst_gap){ .marker = RST_LOSS, .what = "lost" });
}

static void step_beyond_modulus(void)
{
	struct clock clock;

	clock_init(&clock, 65536, false);
	clock_ticks(&clock, 1);
	clock_ticks(&clock, 65536);
}

/* --- states and above ----------------------------------------------------------------------------------- */

static struct rst_trace *trace_of_dump(void)
{
	struct rst_trace *trace;

	if (rst_trace_open(&trace, DUMP, NULL, NULL) < 0)
		exit(1);
	return trace;
}

/* States that have seen the first batch. */
static struct rst_states *states_of(struct rst_trace *trace, const struct rst_batch **ret_batch)
{
	struct rst_states *states;

	if (rst_states_new(&states, trace, NULL) < 0 || rst_trace_next(trace, ret_batch, NULL) < 0 ||
		rst_states_feed(states, *ret_batch, NULL) < 0)
		exit(1);
	return states;
}

static void feed_behind_end(void)
{
	const struct rst_batch *batch;
	struct rst_states *states = states_of(trace_of_dump(), &batch);

	rst_states_finish(states, NULL);
	rst_states_feed(states, batch, NULL);
}

static void finish_twice(void)
{
	const struct rst_batch *batch;
	struct rst_states *states = states_of(trace_of_dump(), &batch);

	rst_states_finish(states, NULL);
	rst_states_finish(states, NULL);
}

static void watch_late(void)
{
	const struct rst_batch *batch;

	rst_states_watch(states_of(trace_of_dump(), &batch), 1, NULL, NULL);
}

static void scan_twice(void)
{
	static const struct filter_spec all;
	struct scan scan = { .trace = trace_of_dump(), .filter = &all };

	scan_run(&scan, NULL);
	scan_run(&scan, NULL);
}

static void sort_by_no_column(void)
{
	static const struct table_column columns[] = { { .name = "only", .type = CELL_COUNT } };
	struct table table = { .columns = columns, .n_columns = 1 };

	table_sort(&table, 0, 1);
}

static void add_segments_out_of_order(void)
{
	static struct tree_store store;
	struct tree tree = { 0 };

	tree_add(&tree, &store, &(struct segment){ .from = 10, .to = 20 });
	tree_add(&tree, &store, &(struct segment){ .from = 15, .to = 30 });
}

static void finish_export_that_is_none(void)
{
	struct export export = { .format = &export_format_csv };

	export_finish(&export, NULL);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static const struct misuse {
	const char *sentence;
	void (*run)(void);
	const char *contract; /* part of what is written */
} misuses[] = {
	{ "an array has no more items than room", grow_from_outside, "in array_room()" },
	{ "a map has no value that is NULL", map_nothing, "value, in map_set()" },
	{ "text ends within its room", write_beyond_room, "out->at <= out->end, in outbuf_flush()" },
	{ "a cursor stays in its bytes", take_beyond_end, "in cursor_take()" },
	{ "eight digits are no more than eight", put_nine_digits, "v < 100000000, in text_eight()" },
	{ "a member of a JSON object has a key", put_member_without_key, "in value_begin()" },
	{ "an item of a JSON array has no key", put_item_with_key, "in value_begin()" },
	{ "JSON's objects end before the line", end_line_in_object, "json->depth == 0, in json_line_end()" },
	{ "no row is added to a full batch", add_to_full_batch, "!batch_is_full(batch), in batch_row()" },
	{ "a row has a layout", add_without_layout, "in batch_row()" },
	{ "a row with a length has a payload", add_length_without_payload, "in batch_row()" },
	{ "columns change in an empty batch only", change_columns_of_rows, "in batch_set_columns()" },
	{ "no gap is added to a full batch", put_gap_into_full_batch,
		"!batch_is_full(batch), in model_put_gap()" },
	{ "a stamp is below the modulus of its clock", step_beyond_modulus, "in clock_step()" },
	{ "states take no batch behind their end", feed_behind_end, "in rst_states_feed()" },
	{ "states end once", finish_twice, "in rst_states_finish()" },
	{ "effects are watched from the first batch on", watch_late, "in rst_states_watch()" },
	{ "a scan runs once", scan_twice, "in scan_run()" },
	{ "a table is sorted by a column that it has", sort_by_no_column, "in table_sort()" },
	{ "segments of a track do not overlap", add_segments_out_of_order, "in tree_add()" },
	{ "an export that ends has begun", finish_export_that_is_none, "in export_finish()" },
};

/* Runs one in a child without a core file; what it wrote to stderr. Whether it ended by abort(). */
static bool child_aborts(const struct misuse *misuse, char *ret_text, size_t room)
{
	int ends[2], status = 0;
	size_t n = 0;
	ssize_t got;
	pid_t child;

	fflush(stdout);
	if (pipe(ends) < 0 || (child = fork()) < 0)
		return false;
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
		dup2(ends[1], STDERR_FILENO);
		misuse->run();
		_exit(0);
	}
	close(ends[1]);
	while (n + 1 < room && (got = read(ends[0], ret_text + n, room - n - 1)) > 0)
		n += (size_t)got;
	ret_text[n] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

int main(void)
{
	char text[4096];

	for (size_t i = 0; i < sizeof(misuses) / sizeof(*misuses); i++) {
		const struct misuse *misuse = &misuses[i];
		const bool aborts = child_aborts(misuse, text, sizeof(text));

		if (!ok(aborts && strstr(text, "broken contract: ") && strstr(text, misuse->contract), "%s",
			    misuse->sentence))
			printf("#   %.200s\n", text);
	}
	return tap_done();
}

#else

int main(void)
{
	ok(true, "each broken contract is named # SKIP contracts run in check builds");
	return tap_done();
}

#endif
