/* SPDX-License-Identifier: MIT */
/* How texts are quoted and escaped, alone and in whole lines. */
#include "lines/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/image.h"
#include "tests/tap.h"

enum { IMAGE_ROOM = 4096, LONG_NAME = 300 };

static const struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = LONG_NAME + 4,
	.n_registry = 3,
	.n_events = 4,
	.base = 0x20000000,
	.timer_mask = TXTB_MASK_32 };

struct fixture {
	uint8_t image[IMAGE_ROOM];
	char long_name[LONG_NAME + 1];
	struct rst_trace *trace;
	const struct rst_batch *batch;
	struct outbuf out;
};

/*
 * 0x1000 is the thread "low", 0x2000 a queue whose name is 300 quotes, 0x3000 a thread with commas and
 * backslashes.
 */
static bool setup(struct fixture *f, const struct rst_open *how)
{
	const struct txtb_object objects[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "low" },
		{ .type = TXTB_TYPE_QUEUE, .address = 0x2000, .name = f->long_name },
		{ .type = TXTB_TYPE_THREAD, .address = 0x3000, .name = "a,b\\\x01" },
	};
	const struct txtb_event events[] = {
		{ .thread = 0x1000, .id = 69, .stamp = 1, .info = { 0x2000, 0x9000, 0xffffffff, 1 } },
		{ .thread = 0x3000, .id = 4096, .stamp = 2, .info = { 1, 2, 3, 4 } },
		{ .thread = 0x3000, .id = 4096, .stamp = 3, .info = { 5, 6, 7, 8 } },
		{ .thread = 0x3000, .id = 4096, .stamp = 4, .info = { 5, 6, 7, 8 } },
	};

	memset(f->long_name, '"', LONG_NAME);
	f->long_name[LONG_NAME] = '\0';
	image_fill(&layout, f->image, 0, objects, events, layout.n_events);
	f->trace = NULL;
	return outbuf_init(&f->out, OUTBUF_MEMORY) &&
	       rst_trace_open_bytes(
		       &f->trace, f->image, (size_t)txtb_image_bytes(&layout), "test", how, NULL) == RST_OK;
}

static void teardown(struct fixture *f)
{
	rst_trace_free(f->trace);
	outbuf_done(&f->out);
}

/* A text of n dots, one of them replaced (place n: none), as JSON has it. */
static bool is_quoted_well(struct fixture *f, size_t n, size_t position, char c)
{
	const struct value_source from = { .out = &f->out };
	char expected[200], *p = expected;

	*p++ = '"';
	for (size_t i = 0; i < n; i++) {
		if (i == position)
			*p++ = '\\';
		*p++ = i == position ? c : '.';
	}
	*p++ = '"';
	f->out.start[0] = '"';
	memset(f->out.start + 1, '.', n);
	if (position < n)
		f->out.start[1 + position] = c;
	char *end = value_quote(&from, 1, f->out.start + 1 + n, &quoting_json);

	return end == f->out.start + (p - expected) &&
	       memcmp(f->out.start, expected, (size_t)(p - expected)) == 0;
}

static void check_quotes(struct fixture *f)
{
	enum { LONGEST = 50 };
	bool is_good = true;

	for (size_t n = 0; n <= LONGEST; n++)
		for (size_t position = 0; position <= n; position++)
			is_good = is_good && is_quoted_well(f, n, position, '"') &&
				  is_quoted_well(f, n, position, '\\');
	ok(is_good, "what must be escaped is found wherever it stands");
}

static void report(struct fixture *f, const struct report_format *format)
{
	static const struct filter_spec all;
	struct report_input input = { .trace = f->trace };
	struct report report = {
		.options = { .format = format, .filter = &all }, .out = &f->out, .n_left = UINT64_MAX
	};

	f->out.at = f->out.start;
	ok(report_trace(&report, &input, NULL) == RST_OK && outbuf_reserve(&f->out, 1), "%s can be had",
		format->name);
	*f->out.at = '\0';
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text += strlen(what))
		n++;
	return n;
}

/* The event names quotes in its object, its context, its own name and its labels. */
static void check_lines(const char *custom)
{
	const struct rst_setting setting = { "custom", custom };
	const struct rst_open how = { .n_settings = 1, .settings = &setting };
	struct fixture f;

	setup(&f, &how);
	report(&f, &report_format_text);
	ok(count(f.out.start, "queue_ptr='\"\"\"") == 1 && count(f.out.start, "\"") == 300 + 3 * (1 + 2) &&
			count(f.out.start, "\n") == 4,
		"text shows quotes as they are");
	ok(strstr(f.out.start, "a,b\\\\x01"), "and control bytes of a name never");
	teardown(&f);

	setup(&f, &how);
	report(&f, &report_format_jsonl);
	ok(count(f.out.start, "\\\"") == 300 + 3 * (1 + 2 + 2) && count(f.out.start, "\n") == 4,
		"JSON escapes every quote in keys, names and text");
	ok(count(f.out.start, "\"name\":\"a,b\\\\\\\\x01\"") == 3, "and backslashes");
	teardown(&f);

	setup(&f, &how);
	report(&f, &report_format_csv);
	ok(count(f.out.start, "\n") == 1 + 4 && count(f.out.start, ",\"a,b\\\\x01\",") == 3,
		"CSV quotes a field that holds a comma");
	ok(count(f.out.start, "queue_ptr=0x2000;source_ptr=0x9000;wait_option=4294967295;enqueued=1\"") == 1,
		"its arguments are as recorded");
	ok(count(f.out.start, "\"\"") == 300 + 3 * (1 + 2 + 2), "and quotes within are doubled");
	teardown(&f);
}

/* Labels of the user's own may be longer than any buffer. */
static void check_long_labels(const char *custom, size_t n_label)
{
	const struct rst_setting setting = { "custom", custom };
	const struct rst_open how = { .n_settings = 1, .settings = &setting };

	for (size_t i = 0; report_formats[i]; i++) {
		struct fixture f;

		setup(&f, &how);
		report(&f, report_formats[i]);
		ok((size_t)(f.out.at - f.out.start) > 3 * n_label && !strstr(f.out.start, "?"),
			"a label of %zu bytes is whole in %s", n_label, report_formats[i]->name);
		teardown(&f);
	}
}

static void write_custom(const char *path, size_t n_label)
{
	FILE *file = fopen(path, "w");

	fprintf(file, "Start\n4096, my \"step, MS, (1,2,3), (4,5,6), %s", n_label ? "" : "\"x\",y\n");
	for (size_t i = 0; i < n_label; i++)
		fputc('l', file);
	fputs("\nEnd\n", file);
	fclose(file);
}

int main(void)
{
	char path[] = "/tmp/rastrum-custom-XXXXXX";
	struct fixture f;

	close(mkstemp(path));
	setup(&f, NULL);
	if (ok(rst_trace_next(f.trace, &f.batch, NULL) == RST_OK, "there is a trace")) {
		check_quotes(&f);
	}
	teardown(&f);
	write_custom(path, 0);
	check_lines(path);
	write_custom(path, 100000);
	check_long_labels(path, 100000);
	unlink(path);
	return tap_done();
}
