/* SPDX-License-Identifier: MIT */
/* Tests <rastrum/field.h>: reading fields from payloads. */
#include <rastrum/field.h>

#include <string.h>

#include "tests/tap.h"

enum { PAYLOAD_BYTES = 9 };

static const struct {
	struct rst_field field;
	size_t payload_bytes;
	uint64_t number;
	bool is_there;
	const char *sentence;
} numbers[] = {
	{ { .type = RST_UNSIGNED, .n_bytes = 1 }, 9, 0x80, true, "a byte with its top bit is positive" },
	{ { .type = RST_SIGNED, .n_bytes = 1 }, 9, (uint64_t)-128, true, "unless it is signed" },
	{ { .type = RST_SIGNED, .n_bytes = 3, .offset = 1 }, 9, (uint64_t)-1, true,
		"three bytes have a sign, too" },
	{ { .type = RST_SIGNED, .n_bytes = 8, .offset = 1, .is_big_endian = true }, 9, (uint64_t)-2, true,
		"so have eight" },
	{ { .type = RST_UNSIGNED, .n_bytes = 8, .offset = 1, .is_big_endian = true }, 9, UINT64_MAX - 1, true,
		"eight bytes may end with the payload" },
	{ { .type = RST_UNSIGNED, .n_bytes = 2, .is_big_endian = true }, 9, 0x80ff, true,
		"the first byte is the highest in one order" },
	{ { .type = RST_UNSIGNED, .n_bytes = 2 }, 9, 0xff80, true, "and the lowest in the other" },
	{ { .type = RST_UNSIGNED, .n_bytes = 1, .shift = 4, .n_bits = 3 }, 9, 0, true,
		"of a bit field only its bits count" },
	{ { .type = RST_UNSIGNED, .n_bytes = 1, .shift = 7, .n_bits = 1 }, 9, 1, true, "the highest, too" },
	{ { .type = RST_SIGNED, .n_bytes = 1, .shift = 6, .n_bits = 2 }, 9, (uint64_t)-2, true,
		"a signed bit field has its sign" },
	{ { .type = RST_SIGNED, .n_bytes = 1, .shift = 4, .n_bits = 3 }, 9, 0, true,
		"which is not that of the bytes" },
	{ { .type = RST_UNSIGNED, .n_bytes = 8, .offset = 1, .n_bits = 64, .is_big_endian = true }, 9,
		UINT64_MAX - 1, true, "a bit field may have all the bits" },
	{ { .type = RST_UNSIGNED, .n_bytes = 8, .offset = 2 }, 9, 0, false, "one byte beyond it is 0" },
	{ { .type = RST_UNSIGNED, .n_bytes = 1, .offset = UINT16_MAX + 1 }, 9, 0, false,
		"far beyond it, too: offsets have more than 16 bits" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4, .offset = UINT32_MAX }, 9, 0, false,
		"the largest offset does not wrap" },
	{ { .type = RST_UNSIGNED, .n_bytes = 4 }, 0, 0, false, "no payload has no number" },
	{ { .type = RST_UNSIGNED, .n_bytes = 9 }, 9, 0, true, "a number that is too wide is 0" },
	{ { .type = RST_BYTES }, 9, 0, true, "so is a field without a size" },
};

static void check_numbers(void)
{
	static const uint8_t payload[PAYLOAD_BYTES] = { 0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xfe };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const struct rst_field *field = &numbers[i].field;
		const size_t n = numbers[i].payload_bytes;

		is_number(rst_field_number(field, n ? payload : NULL, n), numbers[i].number,
			numbers[i].sentence);
		ok(rst_field_is_there(field, n) == numbers[i].is_there, "%s: it is %s", numbers[i].sentence,
			numbers[i].is_there ? "there" : "not there");
	}
}

static void check_reals(void)
{
	static const uint8_t narrow[] = { 0xc0, 0x20, 0, 0 }, wide[] = { 0, 0, 0, 0, 0, 0, 4, 0xc0 };
	const struct rst_field of_4 = { .type = RST_REAL, .n_bytes = 4, .is_big_endian = true },
			       of_8 = { .type = RST_REAL, .n_bytes = 8 };
	const double numbers_read[] = { rst_field_real(&of_4, narrow, 4), rst_field_real(&of_8, wide, 8),
		rst_field_real(&of_4, narrow, 3), rst_field_real(&of_8, wide, 7) };
	static const double expected[] = { -2.5, -2.5, 0, 0 };

	ok(memcmp(&numbers_read[0], &expected[0], sizeof(double)) == 0, "a real number has 4 bytes");
	ok(memcmp(&numbers_read[1], &expected[1], sizeof(double)) == 0, "or 8, in the other order");
	ok(memcmp(&numbers_read[2], &expected[2], 2 * sizeof(double)) == 0, "one that is cut off is 0");
}

static const struct {
	struct rst_field field;
	size_t payload_bytes;
	const char *bytes; /* NULL if the field is absent */
	size_t n_bytes;
	const char *sentence;
} spans[] = {
	{ { .type = RST_TEXT, .offset = 8 }, 20, "text", 4, "a text ends at its NUL" },
	{ { .type = RST_TEXT, .offset = 8, .n_bytes = 2 }, 20, "te", 2, "or with its size" },
	{ { .type = RST_TEXT, .offset = 13 }, 17, "more", 4, "or with the payload" },
	{ { .type = RST_TEXT, .offset = 13, .n_bytes = 99 }, 17, "more", 4, "also when its size is larger" },
	{ { .type = RST_BYTES, .offset = 8 }, 17, "text\0more", 9, "bytes go on behind a NUL" },
	{ { .type = RST_BYTES, .offset = 8, .n_bytes = 6 }, 17, "text\0m", 6, "to their size" },
	{ { .type = RST_TEXT, .offset = 20 }, 20, "", 0, "a text at the payload's end is empty" },
	{ { .type = RST_TEXT, .offset = 21 }, 20, NULL, 0, "one beyond it is none" },
	{ { .type = RST_BYTES }, 0, "", 0, "bytes of no payload are empty" },
	{ { .type = RST_TEXT, .n_bytes = 8, .extent = RST_EXTENT_SPAN }, 20, "more", 4,
		"a span's numbers say where the text is" },
	{ { .type = RST_TEXT, .n_bytes = 8, .extent = RST_EXTENT_SPAN }, 15, "mo", 2,
		"a span that leaves the payload ends with it" },
	{ { .type = RST_TEXT, .n_bytes = 8, .extent = RST_EXTENT_SPAN }, 10, "", 0,
		"one that lies beyond is empty" },
	{ { .type = RST_BYTES, .n_bytes = 8, .extent = RST_EXTENT_SPAN }, 7, NULL, 0,
		"one whose numbers are cut off is none" },
	{ { .type = RST_TEXT, .n_bytes = 8, .extent = RST_EXTENT_SPAN, .is_big_endian = true }, 20, "", 0,
		"the numbers of a span have the byte order of the field" },
	{ { .type = RST_BYTES, .offset = 4, .n_bytes = 1, .extent = RST_EXTENT_COUNTED }, 20, "\0\0\0t", 4,
		"bytes that are counted lie behind their number" },
	{ { .type = RST_BYTES, .offset = 4, .n_bytes = 1, .extent = RST_EXTENT_COUNTED }, 7, "\0\0", 2,
		"the payload ends them sooner" },
	{ { .type = RST_TEXT, .offset = 4, .n_bytes = 4, .extent = RST_EXTENT_COUNTED }, 20, "text", 4,
		"so does text, whose number may have four bytes" },
	{ { .type = RST_TEXT, .offset = 4, .n_bytes = 4, .extent = RST_EXTENT_COUNTED }, 7, NULL, 0,
		"without the whole number it is none" },
	{ { .type = RST_TEXT,
		  .offset = 4,
		  .n_bytes = 4,
		  .extent = RST_EXTENT_COUNTED,
		  .is_big_endian = true },
		20, "text", 4, "too large a number reaches to the payload's end" },
};

static void check_bytes(void)
{
	static const struct {
		uint32_t offset, n_bytes;
		char text[12];
	} payload = { 13, 4, "text\0more" };

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		const struct rst_field *field = &spans[i].field;
		const size_t n = spans[i].payload_bytes;
		size_t n_bytes = 99;
		const uint8_t *bytes =
			rst_field_bytes(field, n ? (const uint8_t *)&payload : NULL, n, &n_bytes);

		ok(!bytes == !spans[i].bytes && n_bytes == spans[i].n_bytes &&
				(!bytes || memcmp(bytes, spans[i].bytes, n_bytes) == 0),
			"%s", spans[i].sentence);
		ok(rst_field_is_there(field, n) == (bytes != NULL), "%s: it is %s", spans[i].sentence,
			bytes ? "there" : "not there");
	}
}

/*
 * Two bytes: 3; three numbers of two bytes: 1, 2, -1; a rest of one byte; the span of the second and third of
 * them.
 */
static const uint8_t numbers_of_two[] = { 3, 0, 1, 0, 2, 0, 0xff, 0xff, 7, 4, 0, 0, 0, 2, 0, 0, 0 };

static const struct {
	struct rst_field field;
	size_t payload_bytes, length;
	uint64_t sum; /* of all elements */
	bool is_there;
	const char *sentence;
} sequences[] = {
	{ { .offset = 2, .n_bytes = 6 }, 17, 3, 2, true, "a sequence has as many elements as fit its bytes" },
	{ { .offset = 2, .n_bytes = 5 }, 17, 2, 3, true, "only whole ones count" },
	{ { .offset = 2 }, 9, 3, 2, true, "one without a size goes on to the payload's end" },
	{ { .offset = 2, .n_bytes = 6 }, 6, 2, 3, true, "which may cut it" },
	{ { .offset = 9 }, 9, 0, 0, true, "at that end it is empty" },
	{ { .offset = 10 }, 9, 0, 0, false, "beyond it there is none" },
	{ { .n_bytes = 2, .extent = RST_EXTENT_COUNTED }, 17, 3, 2, true, "elements are counted in front" },
	{ { .n_bytes = 2, .extent = RST_EXTENT_COUNTED }, 7, 2, 3, true, "and fewer where the payload ends" },
	{ { .n_bytes = 2, .extent = RST_EXTENT_COUNTED }, 1, 0, 0, false, "without a count there is none" },
	{ { .offset = 9, .n_bytes = 8, .extent = RST_EXTENT_SPAN }, 17, 2, 1, true,
		"a span has them elsewhere" },
	{ { .offset = 9, .n_bytes = 4, .extent = RST_EXTENT_SPAN }, 17, 2, 4, true,
		"a span that is none reads nothing beyond the payload" },
};

static void check_sequences(void)
{
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		struct rst_field field = sequences[i].field;
		const size_t n = sequences[i].payload_bytes;
		uint64_t sum = 0;

		field.type = RST_SEQUENCE;
		field.item_type = RST_SIGNED;
		field.item_bytes = 2;
		const size_t length = rst_field_length(&field, numbers_of_two, n);

		for (size_t k = 0; k < length; k++) {
			const struct rst_field item = rst_field_item(&field, numbers_of_two, n, k);

			sum += rst_field_number(&item, numbers_of_two, n);
		}
		const struct rst_field beyond = rst_field_item(&field, numbers_of_two, n, length);

		ok(length == sequences[i].length && sum == sequences[i].sum &&
				!rst_field_is_there(&beyond, n),
			"%s", sequences[i].sentence);
		ok(rst_field_is_there(&field, n) == sequences[i].is_there && !rst_field_is_number(&field),
			"%s: it is %s", sequences[i].sentence, sequences[i].is_there ? "there" : "not there");
	}
}

static void check_lengths(void)
{
	const struct rst_field number = { .type = RST_UNSIGNED, .n_bytes = 2 },
			       text = { .type = RST_TEXT, .offset = 1 },
			       odd = { .type = RST_SEQUENCE, .item_type = RST_SEQUENCE, .item_bytes = 2 },
			       none = { .type = RST_SEQUENCE, .item_type = RST_UNSIGNED };
	static const uint8_t payload[] = { 1, 'a', 'b', 0, 'c' };
	const struct rst_field self = rst_field_item(&number, payload, 5, 7),
			       item = rst_field_item(&odd, payload, 5, 1);

	ok(rst_field_length(&number, payload, 5) == 1 && rst_field_length(&number, payload, 1) == 0,
		"a number has the length 1, or 0 when it is not there");
	ok(rst_field_length(&text, payload, 5) == 2, "a text that of its characters");
	ok(self.type == RST_UNSIGNED && self.offset == 0 && self.n_bytes == 2,
		"the element of a number is the number");
	ok(item.type == RST_BYTES && item.offset == 2, "elements that are no numbers are bytes");
	ok(rst_field_length(&none, payload, 5) == 0, "elements without a size are none");
}

static void check_constants(void)
{
	static const struct rst_constant rows[] = { { 0, "zero" }, { UINT64_MAX, "all" } };
	static const struct rst_constants constants = { "list", 2, rows };

	is_text(rst_constant_name(&constants, UINT64_MAX), "all", "a constant has a name");
	ok(!rst_constant_name(&constants, 1) && !rst_constant_name(NULL, 0), "a value between has none");
}

int main(void)
{
	check_numbers();
	check_reals();
	check_bytes();
	check_sequences();
	check_lengths();
	check_constants();
	return tap_done();
}
