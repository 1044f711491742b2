/* SPDX-License-Identifier: MIT */
/* Whole reports with templates of their own: what templates see, and what they can do to lines. */
#include "lines/format.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/image.h"
#include "tests/tap.h"

enum { IMAGE_ROOM = 4096, QUEUE_SEND = 69, RUNNING = 6, MUTEX_GET = 52 };

static const struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = 16,
	.n_registry = 2,
	.n_events = 4,
	.base = 0x20000000,
	.timer_mask = TXTB_MASK_32 };

struct fixture {
	uint8_t image[IMAGE_ROOM];
	struct rst_trace *trace;
	struct template_set *templates;
	struct diags diags;
	struct outbuf out;
	struct report report;
};

/* "low" sends on core 2, runs, sends once more, and gets a mutex that was never named. */
static void make_image(uint8_t *image)
{
	const struct txtb_object objects[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "low" },
		{ .type = TXTB_TYPE_QUEUE, .address = 0x2000, .name = "line" },
	};
	struct txtb_event events[] = {
		{ .thread = 0x1000, .id = QUEUE_SEND, .core = 2, .stamp = 100, .info = { 0x2000, 9, 0, 1 } },
		{ .thread = 0x1000, .id = RUNNING, .stamp = 105 },
		{ .thread = 0x1000, .id = QUEUE_SEND, .stamp = 120, .info = { 0x2000, 9, 0, 2 } },
		{ .thread = 0x1000, .id = MUTEX_GET, .stamp = 150, .info = { 0x3000, 0, 0, 0 } },
	};

	for (uint64_t i = 0; i < layout.n_events; i++)
		events[i].priority = txtb_priority(7, 7);
	image_fill(&layout, image, 0, objects, events, layout.n_events);
}

static void setup(struct fixture *f, const char *templates, uint64_t clock_hz)
{
	static const struct filter_spec all;
	const struct rst_open how = { .clock_hz = clock_hz };
	struct template_file *file = template_file_of("test.trcfmt", templates, strlen(templates));

	memset(f, 0, sizeof(*f));
	make_image(f->image);
	f->templates = template_set_new("threadx");
	ok(outbuf_init(&f->out, OUTBUF_MEMORY) &&
			rst_trace_open_bytes(&f->trace, f->image, (size_t)txtb_image_bytes(&layout),
				"some.trx", &how, NULL) == RST_OK &&
			f->templates && template_set_add(f->templates, file, &f->diags) == RST_OK,
		"a trace and templates are there");
	f->report = (struct report){ .options = { .filter = &all }, .out = &f->out, .n_left = UINT64_MAX };
}

static void teardown(struct fixture *f)
{
	rst_trace_free(f->trace);
	template_set_free(f->templates);
	diags_done(&f->diags);
	outbuf_done(&f->out);
}

static const char *report_as(struct fixture *f, const struct report_format *format, enum rst_status expected)
{
	struct report_input input = { .trace = f->trace, .templates = f->templates, .diags = &f->diags };

	f->report.options.format = format;
	ok(report_trace(&f->report, &input, NULL) == expected && outbuf_reserve(&f->out, 1),
		"it is reported as %s", format->name);
	*f->out.at = '\0';
	return f->out.start;
}

static const struct {
	const struct report_format *format;
	const char *templates;
	uint64_t clock_hz;
	const char *text, *sentence;
} rows[] = {
	{ &report_format_text,
		"TX_TRACE_QUEUE_SEND 1.0 \"@\" \"to \" $queue_ptr\nTX_TRACE_RUNNING 1.0 \"@\"\n", 0,
		"      100     2  low     to 'line'\n"
		"      105     0  low     TX_TRACE_RUNNING\n"
		"      120     0  low     to 'line'\n"
		"      150     0  low     TX_TRACE_MUTEX_GET "
		"mutex_ptr=0x3000, wait_option=TX_NO_WAIT, owner_thread_ptr=none, ownership_count=0\n",
		"an event without a template reads as its constant and fields, one without text as its "
		"constant" },
	{ &report_format_text,
		"TX_TRACE_QUEUE_SEND 1.0 \"@\" to \\n $queue_ptr\nTX_TRACE_RUNNING 1.0 \"@\" $SKIP\n"
		"TX_TRACE_MUTEX_GET 1.0 \"@\" got \\n\n",
		0,
		"      100     2  low     to\n"
		"                         line\n"
		"      120     0  low     to\n"
		"                         line\n"
		"      150     0  low     got\n\n",
		"further lines begin below the first, and what is left out is no line to count from" },
	{ &report_format_aix,
		"TX_TRACE_QUEUE_SEND 1.0 L=APPL \"@\" to \\n $queue_ptr\nTX_TRACE_RUNNING 1.0 L=SVC "
		"\"runs\"\n"
		"TX_TRACE_MUTEX_GET 1.0 \"\"\n",
		1000,
		"ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT\n"
		"045    0.000000000       0.000000  to\n"
		"                                   line\n"
		"006    0.005000000       5.000000          runs\n"
		"045    0.020000000      15.000000  to\n"
		"                                   line\n"
		"034    0.050000000      30.000000\n",
		"the AIX layout puts each text under its level" },
	{ &report_format_aix,
		"TX_TRACE_QUEUE_SEND 1.0 \"@\" $SKIP\nTX_TRACE_RUNNING 1.0 L=INT \"runs\" $STOP more\n", 0,
		"ID    ELAPSED_TICK    DELTA_TICK   APPL    SYSCALL KERNEL  INTERRUPT\n"
		"006              5              0                          runs\n",
		"without a frequency it has ticks; $STOP ends it" },
	{ &report_format_jsonl,
		"TX_TRACE_QUEUE_SEND 1.0 \"@\" \"\\\"a\\\"\" \\n b\nTX_TRACE_RUNNING 1.0 \"@\" off $SKIP\n"
		"TX_TRACE_MUTEX_GET 1.0 \"@\" $STOP\n",
		0,
		"{\"seq\":0,\"ts\":100,\"ns\":null,\"name\":\"TX_TRACE_QUEUE_SEND\",\"id\":69,\"context\":{"
		"\"kind\":"
		"\"thread\",\"id\":\"0x1000\",\"name\":\"low\"},\"core\":2,\"prio\":7,\"threshold\":7,"
		"\"args\":{\"queue_"
		"ptr\":"
		"\"0x2000\",\"source_ptr\":\"0x9\",\"wait_option\":0,\"enqueued\":1},\"text\":"
		"\"\\\"a\\\"\\nb\"}\n"
		"{\"seq\":1,\"ts\":105,\"ns\":null,\"name\":\"TX_TRACE_RUNNING\",\"id\":6,\"context\":{"
		"\"kind\":"
		"\"thread\",\"id\":\"0x1000\",\"name\":\"low\"},\"core\":0,\"prio\":7,\"threshold\":7,"
		"\"args\":{},\"text\":"
		"\"\"}\n"
		"{\"seq\":2,\"ts\":120,\"ns\":null,\"name\":\"TX_TRACE_QUEUE_SEND\",\"id\":69,\"context\":{"
		"\"kind\":"
		"\"thread\",\"id\":\"0x1000\",\"name\":\"low\"},\"core\":0,\"prio\":7,\"threshold\":7,"
		"\"args\":{\"queue_"
		"ptr\":"
		"\"0x2000\",\"source_ptr\":\"0x9\",\"wait_option\":0,\"enqueued\":2},\"text\":"
		"\"\\\"a\\\"\\nb\"}\n"
		"{\"seq\":3,\"ts\":150,\"ns\":null,\"name\":\"TX_TRACE_MUTEX_GET\",\"id\":52,\"context\":{"
		"\"kind\":"
		"\"thread\",\"id\":\"0x1000\",\"name\":\"low\"},\"core\":0,\"prio\":7,\"threshold\":7,"
		"\"args\":{\"mutex_"
		"ptr\":"
		"\"0x3000\",\"wait_option\":0,\"owner_thread_ptr\":\"0x0\",\"ownership_count\":0},\"text\":"
		"\"\"}\n",
		"JSON escapes line ends and keeps events that are left out elsewhere" },
};

static void check_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;
		bool is_stopped = strstr(rows[i].templates, "$STOP") != NULL;

		setup(&f, rows[i].templates, rows[i].clock_hz);
		is_text(report_as(&f, rows[i].format, is_stopped ? RST_END : RST_OK), rows[i].text,
			rows[i].sentence);
		is_number(f.diags.n_errors, 0, "nothing is wrong with its templates");
		teardown(&f);
	}
}

static void check_csv(void)
{
	struct fixture f;
	const char *text;

	setup(&f, "TX_TRACE_QUEUE_SEND 1.0 \"@\" a \\n \"\\\"b\\\"\"\nTX_TRACE_RUNNING 1.0 \"@\" $SKIP\n", 0);
	text = report_as(&f, &report_format_csv, RST_OK);
	ok(strstr(text,
		   "\"queue_ptr=0x2000;source_ptr=0x9;wait_option=0;enqueued=1\",\"a\n\"\"b\"\"\",,,,\n"),
		"CSV keeps line ends within quotes");
	ok(strstr(text, "\n1,105,,TX_TRACE_RUNNING,6,thread,0x1000,low,0,7,7,\"\",\"\",,,,\n"),
		"and events that are left out elsewhere");
	teardown(&f);
}

static void check_facts(void)
{
	static const char templates[] =
		"TX_TRACE_QUEUE_SEND 1.0 \"@\" $RELLINENO $TID%X4 $EXECPATH $CPUID $PRI $TRACEID $TOTALCPUS\n"
		"TX_TRACE_RUNNING 1.0 \"@\" $RELLINENO starttimer(1,2) $LOGFILE $PID $LOGIDX%D4 $HD%D4 "
		"$HL%D4\n"
		"TX_TRACE_MUTEX_GET 1.0 \"@\" $RELLINENO \\n endtimer(1,2) $HL%D4\n";
	struct fixture f;

	setup(&f, templates, 1000000);
	is_text(report_as(&f, &report_format_aix, RST_OK),
		"ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT\n"
		"045    0.000000000       0.000000                  1 00001000 'low' 2 7 045 3\n"
		"006    0.000005000       0.005000                  2 some.trx 0 0 6 16\n"
		"045    0.000020000       0.015000                  3 00001000 'low' 0 7 045 3\n"
		"034    0.000050000       0.030000                  4\n"
		"                                                   after 45 us 16\n",
		"templates see the thread, core, time, and the line");
	teardown(&f);
	setup(&f, "TX_TRACE_RUNNING 1.0 \"@\" starttimer(1,2)\nTX_TRACE_MUTEX_GET 1.0 \"@\" endtimer(1,2)\n",
		0);
	ok(strstr(report_as(&f, &report_format_aix, RST_OK), "after 45 ticks\n"),
		"without a frequency timers count ticks");
	teardown(&f);
}

static void check_limit(void)
{
	struct fixture f;
	const char *text;

	setup(&f, "TX_TRACE_QUEUE_SEND 1.0 \"@\" $SKIP\n", 0);
	f.report.n_left = 1;
	text = report_as(&f, &report_format_text, RST_END);
	ok(strstr(text, "TX_TRACE_RUNNING") && !strstr(text, "TX_TRACE_MUTEX_GET"),
		"an event that is left out is none for the limit");
	teardown(&f);
}

/* The second stanza has no errors by itself: that it does not fit is found when it is bound. */
static void check_fault(void)
{
	static const char misfit[] = "TX_TRACE_MUTEX_GET 1.0 \"@\" $wait_option,TX_NEVER never\n";
	struct template_file *file = template_file_of("more.trcfmt", misfit, strlen(misfit));
	struct fixture f;

	setup(&f, misfit, 0);
	ok(strstr(report_as(&f, &report_format_text, RST_OK), "mutex_ptr=0x3000, wait_option=TX_NO_WAIT"),
		"an event whose template does not fit it reads as its fields");
	ok(f.diags.n_errors == 1 && strcmp(f.diags.items[0].number, "T07") == 0, "and the reason is told");
	teardown(&f);
	setup(&f, "TX_TRACE_MUTEX_GET 1.0 \"@\" below\n", 0);
	ok(template_set_add(f.templates, file, &f.diags) == RST_OK &&
			strstr(report_as(&f, &report_format_text, RST_OK), "  low     below\n"),
		"or as the template below it says");
	teardown(&f);
}

/* Compiled templates contain the offsets of fields in the types of one trace. */
static void check_traces(void)
{
	static const struct rst_open big = { .dialect = "threadx" };
	const struct txtb_event sent = {
		.thread = 0x1000, .id = QUEUE_SEND, .stamp = 1, .info = { 5, 6, 7, 8 }
	};
	struct txtb_layout wide = layout;
	struct fixture f;
	struct rst_trace *trace;
	uint8_t image[IMAGE_ROOM];

	wide.word_bytes = 8;
	wide.is_big_endian = 1;
	wide.n_registry = 0;
	wide.n_events = 1;
	image_fill(&wide, image, 0, NULL, &sent, 1);
	setup(&f, "TX_TRACE_QUEUE_SEND 1.0 \"@\" $enqueued queued\n", 0);
	f.report.options.has_sources = true;
	report_as(&f, &report_format_aix, RST_OK);
	f.trace = rst_trace_free(f.trace);
	ok(rst_trace_open_bytes(&trace, image, (size_t)txtb_image_bytes(&wide), "wide.trx", &big, NULL) ==
			RST_OK,
		"there is a trace of other words");
	f.trace = trace;
	is_text(strstr(report_as(&f, &report_format_aix, RST_OK), "*** wide.trx"),
		"*** wide.trx, in ticks\n"
		"045              0              0                  8 queued\n",
		"templates are good for a further trace; its line has its name and units");
	ok(!strstr(strchr(f.out.start, '\n') + 1, "ELAPSED"), "the heading stands once");
	teardown(&f);
}

/* Loss has no text of a template. */
static void check_gap(void)
{
	const struct rst_gap gap = { .marker = RST_LOSS, .n_events = 3, .what = "the ring is full" };
	const struct report_line line = { .row = 0 };
	struct outbuf out;
	struct report report = { .out = &out };

	outbuf_init(&out, OUTBUF_MEMORY);
	report_format_aix.gap(&report, &line, &gap);
	*out.at = '\0';
	is_text(out.start, "*** LOST 3 events: the ring is full\n", "the AIX layout tells of loss, too");
	outbuf_done(&out);
}

/*
 * Quoting makes lines longer than was reserved: the buffer grows for the first of them, not again and again.
 */
static void check_growth(void)
{
	enum { N_TRACES = 1500, WIDTH = 200 };
	char templates[WIDTH + 100];
	struct fixture f;
	bool is_good = true;

	snprintf(templates, sizeof(templates), "TX_TRACE_QUEUE_SEND 1.0 \"@\" A0.%d \\n x\n", WIDTH);
	setup(&f, templates, 0);
	outbuf_done(&f.out);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	is_good = outbuf_init(&f.out, null);
	f.report.options.format = &report_format_jsonl;
	for (unsigned i = 0; i < N_TRACES && is_good; i++) {
		struct report_input input = { .templates = f.templates, .diags = &f.diags };

		rst_trace_free(f.trace);
		is_good = rst_trace_open_bytes(&f.trace, f.image, (size_t)txtb_image_bytes(&layout),
				  "some.trx", NULL, NULL) == RST_OK;
		input.trace = f.trace;
		is_good = is_good && report_trace(&f.report, &input, NULL) == RST_OK;
	}
	ok(is_good && f.out.n_written > 4 * OUTBUF_BYTES && f.out.end - f.out.start <= 2 * OUTBUF_BYTES,
		"much that must be quoted does not make the buffer larger and larger");
	close(null);
	teardown(&f);
}

int main(void)
{
	check_rows();
	check_csv();
	check_facts();
	check_limit();
	check_fault();
	check_traces();
	check_gap();
	check_growth();
	return tap_done();
}
