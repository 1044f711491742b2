/* SPDX-License-Identifier: MIT */
#include "select/select.h"

#include <stdio.h>
#include <string.h>

#include "tests/image.h"
#include "tests/tap.h"

enum { IMAGE_ROOM = 2048, N_EVENTS = 6 };

static const struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = 32,
	.n_registry = 4,
	.n_events = 8,
	.base = 0x20000000,
	.timer_mask = TXTB_MASK_32 };

static const struct txtb_object objects[] = {
	{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "low" },
	{ .type = TXTB_TYPE_THREAD, .address = 0x2000, .name = "Irq[3]\\" },
	{ .type = TXTB_TYPE_QUEUE, .address = 0x3000, .name = "queue one" },
	{ .type = TXTB_TYPE_MUTEX, .address = 0x4000, .name = "low" },
};

/* Slot 4 is empty between written ones, so that row 4 is a marker: LOST. */
static const struct txtb_event events[N_EVENTS] = {
	{ .thread = 0x1000, .id = 69, .core = 0, .stamp = 100, .info = { 0x3000, 0x9000, 0, 1 } },
	{ .thread = 0x2000, .id = 6, .core = 1, .stamp = 110 },
	{ .thread = TXTB_THREAD_INTERRUPT, .priority = 0x1000, .id = 3, .core = 63, .stamp = 120 },
	{ .thread = TXTB_THREAD_INIT, .id = 4097, .core = 64, .stamp = 130, .info = { 0x3000 } },
	{ .thread = 0 },
	{ .thread = 0x5000, .id = 57, .core = 255, .stamp = 125, .info = { 0x4000, 0x1000, 1, 0x9000 } },
};

struct fixture {
	uint8_t image[IMAGE_ROOM];
	struct rst_trace *trace;
	const struct rst_batch *batch;
};

static bool setup(struct fixture *f)
{
	image_fill(&layout, f->image, N_EVENTS, objects, events, N_EVENTS);
	return rst_trace_open_bytes(&f->trace, f->image, (size_t)txtb_image_bytes(&layout), "test", NULL,
		       NULL) == RST_OK &&
	       rst_trace_next(f->trace, &f->batch, NULL) == RST_OK && f->batch->n_events == N_EVENTS;
}

/* The numbers of the rows taken, "0 2 4". */
static const char *rows_taken(const struct fixture *f, const struct filter_spec *spec, char text[64])
{
	uint16_t rows[RST_BATCH_EVENTS];
	struct select select;
	struct rst_error err;
	size_t n_rows = 0, n_text = 0;

	if (select_init(&select, spec, f->trace, &err) != RST_OK)
		return "usage";
	/* The second time everything is remembered, and must be the same. */
	for (int i = 0; i < 2; i++)
		n_rows = select_rows(&select, f->batch, rows);
	text[0] = '\0';
	for (size_t i = 0; i < n_rows; i++)
		n_text += (size_t)snprintf(text + n_text, 64 - n_text, i ? " %u" : "%u", rows[i]);
	select_done(&select);
	return text;
}

static void check_times(const struct fixture *f)
{
	static const struct {
		const char *from, *to, *rows;
	} rows[] = {
		{ NULL, NULL, "0 1 2 3 4 5" },
		{ "0", NULL, "0 1 2 3 4 5" },
		{ "100", "100", "0" },
		{ "101", "109", "" },
		{ "+10", "+20", "1 2" },
		{ "125", NULL, "3 4 5" },
		{ "126", "18446744073709551615", "3 4" },
		{ "120", "110", "" },
		{ "+18446744073709551615", NULL, "" },
		{ "now", NULL, "usage" },
		{ NULL, "1ms", "usage" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(rows_taken(f, &(struct filter_spec){ .from = rows[i].from, .to = rows[i].to }, text),
			rows[i].rows,
			"from and to are both included, and a step back is judged by its own time");
}

/* Row 4, the loss, is in every answer: only time can leave it out. */
static void check_lists(const struct fixture *f)
{
	static const struct {
		const char *types, *contexts, *objects, *cores, *rows;
	} rows[] = {
		{ "TX_TRACE_RUNNING", NULL, NULL, NULL, "1 4" },
		{ "tx_trace_running", NULL, NULL, NULL, "1 4" },
		{ "TX_TRACE_RUN", NULL, NULL, NULL, "4" },
		{ "*QUEUE*", NULL, NULL, NULL, "0 4" },
		{ "tx_queue_sen?", NULL, NULL, NULL, "0 4" },
		{ "6", NULL, NULL, NULL, "1 4" },
		{ "0x1001", NULL, NULL, NULL, "3 4" },
		{ "*", NULL, NULL, NULL, "0 1 2 3 4 5" },
		{ "", NULL, NULL, NULL, "4" },
		{ NULL, "low", NULL, NULL, "0 4" },
		{ NULL, "LOW", NULL, NULL, "0 4" },
		{ NULL, "0x1000", NULL, NULL, "0 4" },
		{ NULL, "Irq[3]\\", NULL, NULL, "1 4" },
		{ NULL, "irq*", NULL, NULL, "1 4" },
		{ NULL, "isr", NULL, NULL, "2 4" },
		{ NULL, "ISR", NULL, NULL, "2 4" },
		{ NULL, "init", NULL, NULL, "3 4" },
		{ NULL, "thread", NULL, NULL, "0 1 4 5" },
		{ NULL, "0x5000", NULL, NULL, "4 5" },
		{ NULL, "20480", NULL, NULL, "4 5" },
		{ NULL, "idle", NULL, NULL, "4" },
		{ NULL, NULL, "queue one", NULL, "0 4" },
		{ NULL, NULL, "QUEUE*", NULL, "0 4" },
		{ NULL, NULL, "0x9000", NULL, "0 4 5" },
		{ NULL, NULL, "0x4000", NULL, "4 5" },
		{ NULL, NULL, "low", NULL, "4 5" },
		{ NULL, NULL, "0x3000", NULL, "0 4" },
		{ NULL, NULL, "nobody", NULL, "4" },
		{ NULL, NULL, NULL, "0", "0 4" },
		{ NULL, NULL, NULL, "63", "2 4" },
		{ NULL, NULL, NULL, "64", "3 4" },
		{ NULL, NULL, NULL, "255", "4 5" },
		{ NULL, NULL, NULL, "0xff", "4 5" },
		{ NULL, NULL, NULL, "2", "4" },
		{ NULL, NULL, NULL, "65535", "usage" },
		{ NULL, NULL, NULL, "-1", "usage" },
		{ NULL, NULL, NULL, "one", "usage" },
		{ "*", "*", "*", "0", "0 4" },
		{ "*QUEUE*", "isr", NULL, NULL, "4" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const given[4] = { rows[i].types, rows[i].contexts, rows[i].objects,
			rows[i].cores };
		const char *items[4];
		struct select_list lists[4];

		for (unsigned k = 0; k < 4; k++) {
			items[k] = given[k];
			lists[k] = (struct select_list){ &items[k], given[k] != NULL };
		}
		const struct filter_spec spec = {
			.types = lists[0], .contexts = lists[1], .objects = lists[2], .cores = lists[3]
		};

		ok(strcmp(rows_taken(f, &spec, text), rows[i].rows) == 0,
			"types %s, contexts %s, objects %s, cores %s: rows %s", given[0] ? given[0] : "all",
			given[1] ? given[1] : "all", given[2] ? given[2] : "all", given[3] ? given[3] : "all",
			rows[i].rows);
	}
}

static void check_members(const struct fixture *f)
{
	const char *types[] = { "6", "3", "*SEND" }, *cores[] = { "1", "0" };
	const struct filter_spec spec = { .types = { types, 3 }, .cores = { cores, 2 } };
	char text[64];

	is_text(rows_taken(f, &spec, text), "0 1 4", "one member of every list must match");
	uint16_t rows[RST_BATCH_EVENTS];
	struct select select;

	select_init(&select, &spec, f->trace, NULL);
	tap_fail_alloc_after(0);
	is_number(select_rows(&select, f->batch, rows), 3,
		"without memory decisions are not remembered, but right");
	tap_fail_alloc_after(-1);
	select_done(&select);
	const char *large[] = { "256", "65534" }, *none[] = { "65535" };
	const struct filter_spec far = { .cores = { large, 2 } }, no_core = { .cores = { none, 1 } };
	struct rst_error err;

	is_text(rows_taken(f, &far, text), "4",
		"a core of a large number is a core; a loss is of all of them");
	ok(select_init(&select, &no_core, f->trace, &err) == RST_E_USAGE,
		"one that no event can have is none");
	select_done(&select);
}

/* A dump has no processes: programs are its threads, by name. */
static void check_programs(const struct fixture *f)
{
	static const struct {
		const char *process, *thread, *rows;
	} rows[] = {
		{ "low", NULL, "0 4" },
		{ "IRQ*", NULL, "1 4" },
		{ "4096", NULL, "4" },
		{ NULL, "0x1000", "0 4" },
		{ NULL, "low", "4" },
		{ "low", "0x2000", "4" },
		{ "isr", NULL, "2 4" },
		{ NULL, "0", "4" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *process = rows[i].process, *thread = rows[i].thread;
		const struct filter_spec spec = { .processes = { &process, process != NULL },
			.threads = { &thread, thread != NULL } };

		ok(strcmp(rows_taken(f, &spec, text), rows[i].rows) == 0, "program %s, thread %s: rows %s",
			process ? process : "all", thread ? thread : "all", rows[i].rows);
	}
	const int64_t moment = 0;

	is_text(rows_taken(f, &(struct filter_spec){ .from_wall = &moment }, text), "usage",
		"where the time of day is not recorded, nothing can be chosen by it");
}

int main(void)
{
	struct fixture f = { .trace = NULL };

	if (ok(setup(&f), "the trace to select from has five events and a loss")) {
		check_times(&f);
		check_lists(&f);
		check_members(&f);
		check_programs(&f);
	}
	rst_trace_free(f.trace);
	return tap_done();
}
