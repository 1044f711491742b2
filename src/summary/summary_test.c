/* SPDX-License-Identifier: MIT */
#include "summary/summary.h"

#include <errno.h>
#include <string.h>

#include "tests/image.h"
#include "tests/tap.h"

enum { IMAGE_ROOM = 4096, N_EVENTS = 12 };

static const struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = 32,
	.n_registry = 4,
	.n_events = N_EVENTS,
	.base = 0x20000000,
	.timer_mask = 0xffff };

static const struct txtb_object objects[] = {
	{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "twin" },
	{ .type = TXTB_TYPE_THREAD, .address = 0x2000, .name = "twin" },
	{ .type = TXTB_TYPE_QUEUE,
		.address = 0x3000,
		.name = "q \"1\"",
		.parameter_1 = 64,
		.parameter_2 = 4 },
	{ .type = TXTB_TYPE_MUTEX, .address = 0x4000, .name = "" },
};

/* Three empty slots are two losses; the stamps of 16 bits wrap once. */
static const struct txtb_event events[N_EVENTS] = {
	{ .thread = 0x1000, .id = 69, .core = 0, .stamp = 0xfff0, .info = { 0x3000 } },
	{ .thread = 0x2000, .id = 69, .core = 1, .stamp = 0xfff8, .info = { 0x3000 } },
	{ .thread = 0 },
	{ .thread = 0 },
	{ .thread = 0x2000, .id = 6, .core = 255, .stamp = 8 },
	{ .thread = 0 },
	{ .thread = TXTB_THREAD_INTERRUPT, .id = 3, .core = 1, .stamp = 16 },
	{ .thread = 0x5000, .id = 69, .core = 1, .stamp = 24, .info = { 0x3000 } },
};

struct fixture {
	uint8_t image[IMAGE_ROOM];
	struct rst_trace *trace;
	struct summary summary;
	struct outbuf out;
};

static enum rst_status setup(struct fixture *f, uint64_t n_events, size_t n_cut, uint64_t hz)
{
	const struct rst_open how = { .clock_hz = hz };

	image_fill(&layout, f->image, n_events % N_EVENTS, objects, events, n_events);
	outbuf_init(&f->out, OUTBUF_MEMORY);
	f->trace = NULL;
	rst_trace_open_bytes(
		&f->trace, f->image, (size_t)txtb_image_bytes(&layout) - n_cut, "a \"test\"", &how, NULL);
	return summary_read(&f->summary, f->trace, NULL, NULL, NULL);
}

static void teardown(struct fixture *f)
{
	summary_done(&f->summary);
	outbuf_done(&f->out);
	rst_trace_free(f->trace);
}

static const char *printed(struct fixture *f, void (*print)(const struct summary *, struct outbuf *))
{
	f->out.at = f->out.start;
	print(&f->summary, &f->out);
	return outbuf_reserve(&f->out, 1) ? (*f->out.at = '\0', f->out.start) : "";
}

static void has(const char *text, const char *part, const char *sentence)
{
	if (!ok(strstr(text, part) != NULL, "%s", sentence))
		is_text(text, part, "where it should be");
}

static void check_counts(void)
{
	struct fixture f;
	uint64_t n_types = 0, n_contexts = 0;

	ok(setup(&f, 8, 0, 0) == RST_OK, "a sound trace is read to its end");
	for (size_t i = 0; i < f.summary.types_room; i++)
		n_types += f.summary.types[i];
	for (size_t i = 0; i < f.summary.contexts_room; i++)
		n_contexts += f.summary.contexts[i];
	ok(f.summary.n_events == 5 && n_types == 5 && n_contexts == 5,
		"every event is counted once, in its type and its context; losses are not");
	ok(f.summary.n_lost == 3 && f.summary.n_gaps == 2, "three events were lost in two places");
	ok(f.summary.first_ticks == 0xfff0 && f.summary.last_ticks == 0x10018, "time goes on over the wrap");
	ok(f.summary.cores[0] == 1 && f.summary.cores[1] == 3 && f.summary.cores[255] == 1,
		"cores are counted by their number");
	teardown(&f);
}

static void check_json(void)
{
	static const char *const parts[] = {
		"{\"file\":\"a "
		"\\\"test\\\"\",\"dialect\":\"threadx\",\"target\":null,\"details\":{\"wrapping\":null,",
		"\"header_reserved\":[\"0xaaaaaaaa\",\"0xbbbbbbbb\",\"0xcccccccc\"]",
		"\"clock\":{\"hz\":null,\"bits\":16,\"direction\":\"up\",\"pairs\":0,\"error_ns\":null}",
		",\"events\":5,\"first_ts\":65520,\"last_ts\":65560,\"runs\":[{\"run\":1,\"events\":5,"
		"\"first_ts\":65520,\"last_ts\":65560}],\"wall_ns\":null,",
		",\"counts\":{\"TX_TRACE_QUEUE_SEND\":3,\"TX_TRACE_RUNNING\":1,\"TX_TRACE_ISR_ENTER\":1}",
		"\"contexts\":{\"twin (0x1000)\":1,\"twin (0x2000)\":2,\"isr\":1,\"0x5000\":1}",
		"\"cores\":{\"0\":1,\"1\":3,\"255\":1}",
		"{\"kind\":\"queue\",\"id\":\"0x3000\",\"name\":\"q \\\"1\\\"\",",
		"{\"kind\":\"mutex\",\"id\":\"0x4000\",\"name\":\"\",",
		",\"loss\":{\"events\":3,\"gaps\":2},\"damages\":0,\"damage\":[],\"notes\":[\"an older "
		"ThreadX, by its bare "
		"priorities: its interrupts do not tell what they interrupted\"]}\n",
	};
	struct fixture f;

	setup(&f, 8, 0, 0);
	const char *json = printed(&f, summary_json);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		has(json, parts[i], "JSON has each part in its shape");
	ok(strchr(json, '\n') == f.out.at - 1, "it is one line");
	teardown(&f);
	setup(&f, 8, 0, UINT64_MAX);
	has(printed(&f, summary_json), "{\"hz\":18446744073709551615,", "a frequency is a number");
	teardown(&f);
}

static void check_words(void)
{
	static const char *const parts[] = {
		"a \"test\"\ndialect     threadx\nevents      5\n",
		"clock       1000 Hz, 16 bits, counts up\n",
		"time        40 ms, 40 ticks, from 65520 to 65560\n",
		"loss        3 events lost, in 2 places\ndamage      none\n",
		"\nObjects (4)\n",
		"  queue   0x3000  q \"1\"      queue_bytes 64  message_words 4",
		"  mutex   0x4000  (no name)",
		"\nEvents by thread (4)\n         2  40.0 %  twin (0x2000)\n",
		"\nEvents by type (3)\n         3  60.0 %  TX_TRACE_QUEUE_SEND  tx_queue_send\n",
	};
	struct fixture f;

	setup(&f, 8, 0, 1000);
	const char *words = printed(&f, summary_words);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		has(words, parts[i], "words say each thing on its line");
	teardown(&f);
}

static void check_empty(void)
{
	struct fixture f;

	ok(setup(&f, 0, 0, 0) == RST_OK && f.summary.n_events == 0, "a trace without an event is no failure");
	has(printed(&f, summary_json),
		"\"events\":0,\"first_ts\":null,\"last_ts\":null,\"runs\":[{\"run\":1,\"events\":0,\"first_"
		"ts\":null,"
		"\"last_ts\":null}],\"wall_ns\":null,\"counts\":{},\"contexts\":"
		"{}",
		"where there is no event there is no time");
	ok(!strstr(printed(&f, summary_words), "\ntime "), "nor in words");
	teardown(&f);
}

static void check_damage(void)
{
	struct fixture f;

	/* Slot 7 is there by half, those behind it not at all. */
	ok(setup(&f, 8, 4 * 32 + 16, 0) == RST_OK, "a dump that is cut is read as far as it goes");
	has(printed(&f, summary_json),
		"\"loss\":{\"events\":3,\"gaps\":2},\"damages\":1,\"damage\":[{\"offset\":464,\"bytes\":160,",
		"damage has its place and is no loss");
	has(printed(&f, summary_words),
		"byte 464: the dump is cut here: the header promises more entries (160 bytes)",
		"and is told in words");
	teardown(&f);
}

static void check_no_memory(void)
{
	void (*const prints[])(const struct summary *, struct outbuf *) = { summary_words, summary_json };
	struct fixture f;
	enum rst_status status;

	setup(&f, 8, 0, 0);
	for (size_t i = 0; i < 2; i++) {
		size_t n_whole = strlen(printed(&f, prints[i]));

		f.out.error = 0;
		tap_fail_alloc_after(0);
		size_t n = strlen(printed(&f, prints[i]));

		tap_fail_alloc_after(-1);
		ok(n == n_whole || f.out.error == ENOMEM,
			"what memory does not suffice for is not left out silently");
	}
	teardown(&f);
	setup(&f, 8, 0, 0);
	summary_done(&f.summary);
	rst_trace_free(f.trace);
	rst_trace_open_bytes(&f.trace, f.image, (size_t)txtb_image_bytes(&layout), "t", NULL, NULL);
	tap_fail_alloc_after(0);
	status = summary_read(&f.summary, f.trace, NULL, NULL, NULL);
	tap_fail_alloc_after(-1);
	ok(status == RST_E_NOMEM && f.summary.n_events == 0, "reading without memory fails");
	teardown(&f);
}

int main(void)
{
	check_counts();
	check_json();
	check_words();
	check_empty();
	check_damage();
	check_no_memory();
	return tap_done();
}
