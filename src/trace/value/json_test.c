/* SPDX-License-Identifier: MIT */
/* Tests values of every type as text for programs. */
#include "trace/value/value.h"

#include "tests/tap.h"

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
	{ { .type = RST_TEXT, .offset = 12 }, 24, "\"te\\\"xt\\\\\\u0001\"",
		"a text ends at its NUL, and can be recovered" },
	{ { .type = RST_TEXT, .offset = 20, .n_bytes = 2 }, 24, "\"re\"", "a text of two bytes" },
	{ { .type = RST_TEXT, .offset = 20, .n_bytes = 99 }, 24, "\"rest\"",
		"a text longer than the payload ends with it" },
	{ { .type = RST_TEXT, .offset = 24 }, 24, "\"\"", "a text at the end is empty" },
	{ { .type = RST_TEXT, .offset = 25 }, 24, "null", "one beyond it is null" },
	{ { .type = RST_TEXT }, 0, "\"\"", "a text of no payload is empty" },
	{ { .type = RST_BYTES }, 0, "\"\"", "so are bytes" },
	{ { .type = RST_BYTES, .n_bytes = 4 }, 24, "\"ffffff80\"", "bytes in hexadecimal" },
	{ { .type = RST_SEQUENCE, .n_bytes = 3, .item_type = RST_SIGNED, .item_bytes = 1 }, 24, "[-1,-1,-1]",
		"a sequence is an array" },
	{ { .type = RST_SEQUENCE, .offset = 4, .n_bytes = 8, .item_type = RST_OBJECT, .item_bytes = 4 }, 24,
		"[\"0x1000\",\"0x2000\"]", "of what its elements are" },
	{ { .type = RST_SEQUENCE, .item_type = RST_REAL, .item_bytes = 4 }, 0, "[]", "it may be empty" },
	{ { .type = RST_SEQUENCE, .offset = 25, .item_type = RST_HEX, .item_bytes = 4 }, 24, "null",
		"and null when it is cut off" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4, .offset = 21 }, 24, "null",
		"a number that is cut off is null" },
	{ { .type = RST_OBJECT, .n_bytes = 4, .offset = UINT16_MAX }, 24, "null",
		"so is an object far beyond" },
	{ { .type = RST_UNSIGNED, .n_bytes = 1 }, 0, "null", "and a number of no payload" },
};

static const char *value(struct outbuf *out, const struct rst_field *field, size_t payload_bytes)
{
	const struct value_source from = {
		.out = out, .payload = payload_bytes ? payload : NULL, .payload_bytes = payload_bytes
	};

	out->at = out->start;
	if (!outbuf_reserve(out, VALUE_ROOM))
		return "no memory";
	char *end = value_put_json(&from, out->start, field);

	*end = '\0';
	return out->start;
}

static void check_rows(struct outbuf *out)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(value(out, &rows[i].field, rows[i].payload_bytes), rows[i].json, rows[i].sentence);
}

int main(void)
{
	struct outbuf out;

	if (ok(outbuf_init(&out, OUTBUF_MEMORY), "there is room"))
		check_rows(&out);
	outbuf_done(&out);
	return tap_done();
}
