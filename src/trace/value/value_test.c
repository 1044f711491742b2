/* SPDX-License-Identifier: MIT */
/* Tests values of every type as text for people. */
#include "trace/value/value.h"

#include <stdlib.h>
#include <string.h>

#include <rastrum/rastrum.h>

#include "tests/image.h"
#include "tests/tap.h"

enum { IMAGE_ROOM = 4096, LONG_NAME = 300 };

static const struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = LONG_NAME + 4,
	.n_registry = 2,
	.n_events = 1,
	.base = 0x20000000,
	.timer_mask = TXTB_MASK_32 };

struct fixture {
	uint8_t image[IMAGE_ROOM];
	char long_name[LONG_NAME + 1];
	struct rst_trace *trace;
	const struct rst_batch *batch;
	struct outbuf out;
};

/* 0x1000 is the thread "low", 0x2000 a queue with a name of 300 bytes. */
static bool setup(struct fixture *f)
{
	const struct txtb_object objects[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "low" },
		{ .type = TXTB_TYPE_QUEUE, .address = 0x2000, .name = f->long_name },
	};
	const struct txtb_event events[] = {
		{ .thread = 0x1000, .id = 69, .stamp = 1, .info = { 0x2000, 0x9000, 0xffffffff, 1 } },
	};

	memset(f->long_name, 'q', LONG_NAME);
	f->long_name[LONG_NAME] = '\0';
	image_fill(&layout, f->image, 0, objects, events, layout.n_events);
	f->trace = NULL;
	return outbuf_init(&f->out, OUTBUF_MEMORY) &&
	       rst_trace_open_bytes(
		       &f->trace, f->image, (size_t)txtb_image_bytes(&layout), "test", NULL, NULL) == RST_OK;
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
enum { PAYLOAD_BYTES = sizeof(payload) - 1 };

static const struct {
	struct rst_field field;
	size_t payload_bytes;
	const char *text, *sentence;
} rows[] = {
	{ { .type = RST_UNSIGNED, .n_bytes = 4 }, 24, "2164260863", "an unsigned number" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4, .is_big_endian = true }, 24, "4294967168",
		"the same bytes in the other order" },
	{ { .type = RST_SIGNED, .n_bytes = 4 }, 24, "-2130706433", "a signed number" },
	{ { .type = RST_SIGNED, .n_bytes = 1 }, 24, "-1", "a signed byte" },
	{ { .type = RST_UNSIGNED, .n_bytes = 3 }, 24, "16777215", "an odd size" },
	{ { .type = RST_UNSIGNED, .n_bytes = 8 }, 24, "17594350305279", "eight bytes" },
	{ { .type = RST_HEX, .n_bytes = 4 }, 24, "0x80ffffff", "flags are hexadecimal for people" },
	{ { .type = RST_WORD, .n_bytes = 4 }, 24, "-2130706433 (0x80ffffff)",
		"a word that may be anything reads both ways, with its sign" },
	{ { .type = RST_WORD, .n_bytes = 8 }, 24, "17594350305279 (0x100080ffffff)", "so do eight bytes" },
	{ { .type = RST_WORD, .n_bytes = 1, .offset = 6 }, 24, "0",
		"a digit reads the same in both, and stands once" },
	{ { .type = RST_HEX, .n_bytes = 4, .shift = 20, .n_bits = 8 }, 24, "0xf", "a bit field" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4, .shift = 31, .n_bits = 1, .is_big_endian = true }, 24, "1",
		"one bit, in the other order" },
	{ { .type = RST_ADDRESS, .n_bytes = 4, .offset = 4 }, 24, "0x1000",
		"an address has no name, even where an object is" },
	{ { .type = RST_OBJECT, .n_bytes = 4, .offset = 4 }, 24, "low", "an object has its name" },
	{ { .type = RST_OBJECT, .n_bytes = 4, .offset = 4, .object_kind = RST_OBJECT_QUEUE }, 24, "0x1000",
		"but not when it is of another kind" },
	{ { .type = RST_OBJECT, .n_bytes = 4 }, 24, "0x80ffffff", "an unknown one its id" },
	{ { .type = RST_OBJECT, .n_bytes = 1, .is_number = true }, 24, "255",
		"which is decimal where it counts" },
	{ { .type = RST_OBJECT, .n_bytes = 4, .is_number = true }, 24, "0x80ffffff", "and not very large" },
	{ { .type = RST_OBJECT, .n_bytes = 2, .offset = 6, .zero_is_none = true }, 24, "none",
		"object 0 is none where that is said" },
	{ { .type = RST_OBJECT, .n_bytes = 2, .offset = 6 }, 24, "0x0", "else it is an id like others" },
	{ { .type = RST_ENUM, .n_bytes = 2, .offset = 6, .constants = &constants }, 24, "NONE",
		"a constant by its position" },
	{ { .type = RST_ENUM, .n_bytes = 4, .offset = 4, .constants = &constants }, 24, "4096",
		"a number that is no constant" },
	{ { .type = RST_ENUM, .n_bytes = 1, .constants = &constants }, 24, "255",
		"a byte is not widened to a constant" },
	{ { .type = RST_IPV4, .n_bytes = 4 }, 24, "128.255.255.255", "an IPv4 address" },
	{ { .type = RST_IPV4, .n_bytes = 2, .offset = 6 }, 24, "0.0.0.0", "the address that is none" },
	{ { .type = RST_TEXT, .offset = 12 }, 24, "te\"xt\\\\x01", "a text ends at its NUL and is cleaned" },
	{ { .type = RST_TEXT, .offset = 20, .n_bytes = 2 }, 24, "re", "a text of two bytes" },
	{ { .type = RST_TEXT, .offset = 20, .n_bytes = 99 }, 24, "rest",
		"a text longer than the payload ends with it" },
	{ { .type = RST_TEXT, .offset = 24 }, 24, "", "a text at the end is empty" },
	{ { .type = RST_TEXT, .offset = 25 }, 24, "?", "one beyond it is missing" },
	{ { .type = RST_TEXT }, 0, "", "a text of no payload is empty" },
	{ { .type = RST_BYTES }, 0, "", "so are bytes" },
	{ { .type = RST_BYTES, .n_bytes = 4 }, 24, "ffffff80", "bytes in hexadecimal" },
	{ { .type = RST_BYTES, .offset = 19 }, 24, "0072657374", "bytes go on behind a NUL" },
	{ { .type = RST_SEQUENCE, .n_bytes = 3, .item_type = RST_SIGNED, .item_bytes = 1 }, 24,
		"[-1, -1, -1]", "a sequence of numbers" },
	{ { .type = RST_SEQUENCE, .offset = 4, .n_bytes = 8, .item_type = RST_OBJECT, .item_bytes = 4 }, 8,
		"[low]", "elements as their type reads, as far as the payload goes" },
	{ { .type = RST_SEQUENCE, .item_type = RST_REAL, .item_bytes = 4 }, 0, "[]", "an empty one" },
	{ { .type = RST_SEQUENCE, .offset = 25, .item_type = RST_HEX, .item_bytes = 4 }, 24, "?",
		"one that is missing" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4, .offset = 21 }, 24, "?", "a number that is cut off" },
	{ { .type = RST_OBJECT, .n_bytes = 4, .offset = UINT16_MAX }, 24, "?", "an object far beyond" },
	{ { .type = RST_UNSIGNED, .n_bytes = 1 }, 0, "?", "a number of no payload" },
};

/* Writes a value to a line that has n_before bytes already. */
static const char *value(struct fixture *f, struct rst_trace *trace, const struct rst_field *field,
	size_t payload_bytes, size_t n_before)
{
	const struct value_source from = { .out = &f->out,
		.trace = trace,
		.payload = payload_bytes ? payload : NULL,
		.payload_bytes = payload_bytes };

	f->out.at = f->out.start;
	if (!outbuf_reserve(&f->out, n_before + VALUE_ROOM))
		return "no memory";
	memset(f->out.start, '.', n_before);
	char *end = value_put_text(&from, f->out.start + n_before, field);

	*end = '\0';
	return f->out.start + n_before;
}

static void check_rows(struct fixture *f)
{
	const struct rst_field object = { .type = RST_OBJECT, .n_bytes = 4, .offset = 4 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(value(f, f->trace, &rows[i].field, rows[i].payload_bytes, 0), rows[i].text,
			rows[i].sentence);
	is_text(value(f, NULL, &object, PAYLOAD_BYTES, 0), "0x1000", "without a trace nothing has a name");
}

/* A long name at the end of the line's room: the line moves to more room, or the error is reported. */
static void check_long_name(struct fixture *f)
{
	const struct rst_field queue = { .type = RST_OBJECT, .n_bytes = 4, .offset = 8 };
	size_t n_before = OUTBUF_BYTES - VALUE_ROOM;
	const char *name;

	tap_fail_alloc_after(0);
	name = value(f, f->trace, &queue, PAYLOAD_BYTES, n_before);
	ok(strncmp(name, f->long_name, strlen(name)) == 0 && f->out.error,
		"without memory the name is cut, and the output knows that it is wrong");
	tap_fail_alloc_after(-1);
	f->out.error = 0;
	name = value(f, f->trace, &queue, PAYLOAD_BYTES, n_before);
	is_text(name, f->long_name, "a name of 300 bytes is whole even where the buffer ends");
	ok(f->out.start[0] == '.' && name[-1] == '.' && !f->out.error, "what stood before it came along");
}

/* Each kind, process and set_off has its own kept text. Each round looks up every row. */
static void check_kept_names(struct fixture *f)
{
	const struct {
		uint64_t id, process;
		enum rst_object_kind kind;
		const struct set_off *set_off;
		bool zero_is_none;
		const char *text;
	} asked[] = { { 0x1000, 0, RST_OBJECT_UNKNOWN, set_off_quotes, false, "'low'" },
		{ 0x1000, 0, RST_OBJECT_UNKNOWN, NULL, false, "low" },
		{ 0x1000, 0, RST_OBJECT_THREAD, set_off_quotes, false, "'low'" },
		{ 0x1000, 0, RST_OBJECT_QUEUE, set_off_quotes, false, "0x1000" },
		{ 0x1000, 7, RST_OBJECT_THREAD, NULL, false, "low" },
		{ 0x2000, 0, RST_OBJECT_QUEUE, NULL, false, f->long_name },
		{ 0x3000, 0, RST_OBJECT_UNKNOWN, NULL, false, "0x3000" },
		{ 0, 0, RST_OBJECT_UNKNOWN, NULL, true, "none" },
		{ 0, 0, RST_OBJECT_UNKNOWN, NULL, false, "0x0" } };
	enum { N_ROWS = sizeof(asked) / sizeof(asked[0]), N_ROUNDS = 3 };
	static struct value_names names;
	size_t n_right = 0;

	for (size_t i = 0; i < (size_t)N_ROWS * N_ROUNDS; i++) {
		/* Forwards and backwards, so that each text also follows itself. */
		const size_t n = i / N_ROWS % 2 ? N_ROWS - 1 - i % N_ROWS : i % N_ROWS;
		const struct rst_field field = { .type = RST_OBJECT,
			.object_kind = asked[n].kind,
			.zero_is_none = asked[n].zero_is_none };
		const struct value_source from = { .out = &f->out,
			.trace = f->trace,
			.process = asked[n].process,
			.set_off = asked[n].set_off,
			.names = &names };
		char *end;

		f->out.at = f->out.start;
		end = value_put_object(&from, f->out.start, &field, asked[n].id);
		*end = '\0';
		n_right += strcmp(f->out.start, asked[n].text) == 0;
	}
	is_number(n_right, (size_t)N_ROWS * N_ROUNDS, "names that are kept are what the id means");
	ok(names.kept[0x1000 * 0x9e3779b97f4a7c15U >> (64 - VALUE_NAMES_BITS)].n_bytes > 0,
		"a short name is kept");
}

static void check_long_sequence(struct fixture *f)
{
	enum { N_ITEMS = 100000 };
	const struct rst_field field = { .type = RST_SEQUENCE, .item_type = RST_OBJECT, .item_bytes = 1 };
	uint8_t *bytes = calloc(1, N_ITEMS);
	const struct value_source from = {
		.out = &f->out, .trace = f->trace, .payload = bytes, .payload_bytes = bytes ? N_ITEMS : 0
	};

	f->out.at = f->out.start;
	const size_t n = (size_t)(value_put_text(&from, f->out.start, &field) - f->out.start);

	ok(bytes && n == 5 * (size_t)N_ITEMS && !f->out.error,
		"a sequence of a hundred thousand ids has them all");
	free(bytes);
}

int main(void)
{
	struct fixture f;

	setup(&f);
	if (ok(rst_trace_next(f.trace, &f.batch, NULL) == RST_OK,
		    "there is a trace whose names can be used")) {
		check_rows(&f);
		check_long_name(&f);
		check_kept_names(&f);
		check_long_sequence(&f);
	}
	teardown(&f);
	return tap_done();
}
