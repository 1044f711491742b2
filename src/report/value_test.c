/* SPDX-License-Identifier: MIT */
/* Values of every type as programs read them, and how whole lines quote and escape. */
#include "report/format.h"

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

/* 0x1000 is the thread "low", 0x2000 a queue whose name is 300 quotes, 0x3000 a thread with commas and backslashes. */
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

static const struct rst_constant constant_rows[] = { { 0, "NONE" }, { 1, "ONE" }, { 0xffffffff, "ALL" } };
static const struct rst_constants constants = { "list", 3, constant_rows };

/* Payload: the bytes 0 to 3 are ff ff ff 80, then the address 0x1000, the address 0x2000, and text. */
static const uint8_t payload[] = "\xff\xff\xff\x80\x00\x10\0\0\x00\x20\0\0te\"xt\\\x01\0rest";

static const struct {
	struct rst_field field;
	size_t payload_bytes;
	const char *json, *sentence;
} rows[] = {
	{ { .type = RST_UNSIGNED, .n_bytes = 4 }, 24, "2164260863", "an unsigned number" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4, .is_big_endian = true }, 24, "4294967168",
		"the same bytes in the other order" },
	{ { .type = RST_SIGNED, .n_bytes = 4 }, 24, "-2130706433", "a signed number" },
	{ { .type = RST_SIGNED, .n_bytes = 1 }, 24, "-1", "a signed byte" },
	{ { .type = RST_UNSIGNED, .n_bytes = 8 }, 24, "17594350305279", "eight bytes" },
	{ { .type = RST_HEX, .n_bytes = 4 }, 24, "2164260863", "flags are a number like others" },
	{ { .type = RST_WORD, .n_bytes = 4 }, 24, "2164260863", "so is a word that may be anything" },
	{ { .type = RST_HEX, .n_bytes = 4, .shift = 20, .n_bits = 8 }, 24, "15",
		"a bit field is its number" },
	{ { .type = RST_ADDRESS, .n_bytes = 4, .offset = 4 }, 24, "\"0x1000\"",
		"an address is a string of hexadecimal digits" },
	{ { .type = RST_OBJECT, .n_bytes = 4, .offset = 4 }, 24, "\"0x1000\"",
		"an object is its address, not its name" },
	{ { .type = RST_OBJECT, .n_bytes = 2, .offset = 6, .zero_is_none = true }, 24, "\"0x0\"",
		"no object is the address 0" },
	{ { .type = RST_ENUM, .n_bytes = 2, .offset = 6, .constants = &constants }, 24, "0",
		"a constant is its number" },
	{ { .type = RST_IPV4, .n_bytes = 4 }, 24, "2164260863", "so is an IPv4 address" },
	{ { .type = RST_TEXT, .offset = 12 }, 24, "\"te\\\"xt\\\\\\\\x01\"",
		"a text ends at its NUL, is cleaned, and escaped" },
	{ { .type = RST_TEXT, .offset = 20, .n_bytes = 2 }, 24, "\"re\"", "a text of two bytes" },
	{ { .type = RST_TEXT, .offset = 20, .n_bytes = 99 }, 24, "\"rest\"",
		"a text longer than the payload ends with it" },
	{ { .type = RST_TEXT, .offset = 24 }, 24, "\"\"", "a text at the end is empty" },
	{ { .type = RST_TEXT, .offset = 25 }, 24, "null", "one beyond it is null" },
	{ { .type = RST_TEXT }, 0, "\"\"", "a text of no payload is empty" },
	{ { .type = RST_BYTES }, 0, "\"\"", "so are bytes" },
	{ { .type = RST_BYTES, .n_bytes = 4 }, 24, "\"ffffff80\"", "bytes in hexadecimal" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4, .offset = 21 }, 24, "null",
		"a number that is cut off is null" },
	{ { .type = RST_OBJECT, .n_bytes = 4, .offset = UINT16_MAX }, 24, "null",
		"so is an object far beyond" },
	{ { .type = RST_UNSIGNED, .n_bytes = 1 }, 0, "null", "and a number of no payload" },
};

static const char *value(struct fixture *f, const struct rst_field *field, size_t payload_bytes)
{
	const struct value_source from = { .out = &f->out,
		.trace = f->trace,
		.payload = payload_bytes ? payload : NULL,
		.payload_bytes = payload_bytes };

	f->out.at = f->out.start;
	if (!outbuf_reserve(&f->out, VALUE_ROOM))
		return "no memory";
	char *end = value_put_json(&from, f->out.start, field);

	*end = '\0';
	return f->out.start;
}

static void check_rows(struct fixture *f)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(value(f, &rows[i].field, rows[i].payload_bytes), rows[i].json, rows[i].sentence);
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
		check_rows(&f);
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
