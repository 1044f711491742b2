/* SPDX-License-Identifier: MIT */
/*
 * Reads. The data pointer counts bits from the start of the entry; what is read lies $BASEPOINTER bytes
 * behind it. A template may set both to anything, so they are kept small enough never to overflow, and
 * checked where a run begins.
 */
#include "base/load.h"
#include "base/text.h"
#include "template/machine/ops.h"

enum { POINTER_MAX = 1 << 30 }; /* bytes, either way: far beyond any entry */

static int64_t pointer_clamp(int64_t bytes)
{
	if (bytes > POINTER_MAX)
		return POINTER_MAX;
	return bytes < -POINTER_MAX ? -POINTER_MAX : bytes;
}

/* --- the data pointer ----------------------------------------------------------------------------------- */

/* A run from byte `at` on. The reads themselves find missing bytes: the runner turns careful. */
static char *begin_run(struct runner *run, char *p, const struct insn *insn, int64_t at)
{
	int64_t byte = at + run->base, n_bytes = (int64_t)run->entry->n_bytes;
	int64_t left = byte < 0 || byte > n_bytes ? 0 : n_bytes - byte;

	run->pointer = 8 * at + insn->b;
	run->run = run->entry->bytes + (left ? byte : 0);
	run->run_left = (size_t)left;
	if (__builtin_expect(left < (int64_t)insn->a, 0))
		run_be_careful(run);
	return p;
}

/* The quick loop's: reads follow that need no more looks, unless the runner has turned careful. */
static inline char *begin_run_on(struct runner *run, char *p, const struct insn *insn, int64_t at)
{
	begin_run(run, p, insn, at);
	return __builtin_expect(run->is_careful, 0) ? p : run_on(run, p, insn);
}

static char *begin_on_byte_on(struct runner *run, char *p, const struct insn *insn)
{
	return begin_run_on(run, p, insn, (run->pointer + 7) >> 3);
}

static char *begin_at_on(struct runner *run, char *p, const struct insn *insn)
{
	return begin_run_on(run, p, insn, insn->number >> 3);
}

static char *begin_on_byte(struct runner *run, char *p, const struct insn *insn)
{
	return begin_run(run, p, insn, (run->pointer + 7) >> 3);
}

static char *begin_on_bit(struct runner *run, char *p, const struct insn *insn)
{
	return begin_run(run, p, insn, run->pointer >> 3);
}

static char *begin_at(struct runner *run, char *p, const struct insn *insn)
{
	return begin_run(run, p, insn, insn->number >> 3);
}

static char *pointer_go(struct runner *run, char *p, const struct insn *insn)
{
	run->pointer = insn->number;
	return p;
}

static char *pointer_forward(struct runner *run, char *p, const struct insn *insn)
{
	run->pointer =
		run->pointer + insn->a < 8LL * POINTER_MAX ? run->pointer + insn->a : 8LL * POINTER_MAX;
	return p;
}

/* R aligns down, goes back, and stops at 0 (D10). */
static char *pointer_back(struct runner *run, char *p, const struct insn *insn)
{
	int64_t byte = (run->pointer >> 3) - insn->a;

	run->pointer = byte > 0 ? 8 * byte : 0;
	return p;
}

static char *store_pointer(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->pointer = 8 * pointer_clamp(run_pop(run));
	return p;
}

static char *store_pointer_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, store_pointer(run, p, insn), insn);
}

static char *store_base(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->base = pointer_clamp(run_pop(run));
	return p;
}

/* --- hexadecimal ---------------------------------------------------------------------------------------- */

static char *put_hex_1(struct runner *run, char *p, const struct insn *insn)
{
	return upper_put_1(p, run->run + insn->a);
}

static char *put_hex_2(struct runner *run, char *p, const struct insn *insn)
{
	return upper_put_2(p, run->run + insn->a);
}

static char *put_hex_2_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, put_hex_2(run, p, insn), insn);
}

static char *put_hex_4(struct runner *run, char *p, const struct insn *insn)
{
	return upper_put_4(p, run->run + insn->a);
}

static char *put_hex_4_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, put_hex_4(run, p, insn), insn);
}

static char *put_hex_8(struct runner *run, char *p, const struct insn *insn)
{
	return upper_put_8(p, run->run + insn->a);
}

static char *put_hex_8_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, put_hex_8(run, p, insn), insn);
}

static char *read_put_hex(struct runner *run, char *p, const struct insn *insn)
{
	return upper_put(p, run->run + insn->a, insn->b);
}

/* The bytes that are there of those that a cut instruction would have read. */
static size_t bytes_there(const struct runner *run, const struct insn *insn)
{
	return run->run_left > insn->a ? run->run_left - insn->a : 0;
}

static char *cut_hex(struct runner *run, char *p, const struct insn *insn)
{
	size_t n_bytes = bytes_there(run, insn);

	if (!run->has_mark)
		p = upper_put(p, run->run + insn->a * (n_bytes > 0), n_bytes);
	return run_truncate(run, p, insn, n_bytes > 0);
}

/* --- decimal -------------------------------------------------------------------------------------------- */

static int64_t load_signed_of(const uint8_t *at, unsigned n_bytes)
{
	unsigned n_unused = 64 - 8 * n_bytes;

	return (int64_t)(load_uint(at, n_bytes, true) << n_unused) >> n_unused;
}

static char *put_signed_4(struct runner *run, char *p, const struct insn *insn)
{
	return text_put_signed(p, (int32_t)load_u32(run->run + insn->a, true));
}

static char *put_unsigned_4(struct runner *run, char *p, const struct insn *insn)
{
	return text_put_dec_over(p, load_u32(run->run + insn->a, true));
}

static char *put_signed(struct runner *run, char *p, const struct insn *insn)
{
	return text_put_signed(p, load_signed_of(run->run + insn->a, insn->b));
}

static char *put_unsigned(struct runner *run, char *p, const struct insn *insn)
{
	return text_put_dec_over(p, load_uint(run->run + insn->a, insn->b, true));
}

/* --- characters ----------------------------------------------------------------------------------------- */

/* Up to the first NUL; a byte that cannot be printed becomes a dot. */
static char *put_characters(char *p, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes && bytes[i]; i++)
		*p++ = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.';
	return p;
}

/* A part of text that may be empty. */
static char *put_part(struct runner *run, char *p, const struct insn *insn, const uint8_t *bytes,
	size_t n_bytes, enum glue glue)
{
	if (!n_bytes || !bytes[0]) {
		run_take_glue(run, insn);
		return p;
	}
	if (!run_text_room(run, &p, n_bytes))
		return p;
	p = run_open_part(run, p, insn, true);
	run->glue = (uint8_t)glue;
	return put_characters(p, bytes, n_bytes);
}

static size_t read_bytes_min(size_t a, int64_t b)
{
	return a < (size_t)b ? a : (size_t)b;
}

static char *put_ascii(struct runner *run, char *p, const struct insn *insn)
{
	return put_part(run, p, insn, run->run + insn->a, read_bytes_min(insn->b, insn->number), GLUE_DATA);
}

static char *put_ascii_tight(struct runner *run, char *p, const struct insn *insn)
{
	return put_part(run, p, insn, run->run + insn->a, read_bytes_min(insn->b, insn->number), GLUE_TIGHT);
}

/* Left-justified in its field, padded or cut to it. */
static char *put_ascii_field(struct runner *run, char *p, const struct insn *insn)
{
	size_t width = (size_t)insn->number, n;
	char *end;

	if (!run_text_room(run, &p, width))
		return p;
	end = put_characters(p, run->run + insn->a, read_bytes_min(insn->b, insn->number));
	n = (size_t)(end - p);
	return n < width ? text_put_fill(end, ' ', width - n) : end;
}

static char *cut_ascii(struct runner *run, char *p, const struct insn *insn)
{
	size_t n_bytes = read_bytes_min(bytes_there(run, insn), insn->number);
	char *start;

	if (run->has_mark || !n_bytes)
		return run_truncate(run, p, insn, false);
	if (!run_text_room(run, &p, n_bytes))
		return p;
	start = p;
	if (insn->lead == LEAD_GLUE && run->run[insn->a])
		start = p = run_open_part(run, p, insn, true);
	p = put_characters(p, run->run + insn->a, n_bytes);
	return run_truncate(run, p, insn, p > start);
}

/* A length of b bytes, then as many characters (S). */
static char *put_counted_as(struct runner *run, char *p, const struct insn *insn, enum glue glue)
{
	int64_t at = (run->pointer + 7) >> 3, byte = at + run->base;
	size_t n_bytes = run->entry->n_bytes, left;
	const uint8_t *bytes;
	uint64_t length;

	left = byte < 0 || (uint64_t)byte > n_bytes ? 0 : n_bytes - (size_t)byte;
	if (left < insn->b)
		return run_truncate(run, p, insn, false);
	bytes = run->entry->bytes + byte + insn->b;
	length = load_uint(bytes - insn->b, insn->b, true);
	left -= insn->b;
	if (length > left) {
		bool has_bytes = left && bytes[0] && !run->has_mark;

		if (has_bytes)
			p = put_part(run, p, insn, bytes, left, glue);
		return run_truncate(run, p, insn, has_bytes);
	}
	run->pointer = 8 * (at + insn->b + (int64_t)length);
	return put_part(run, p, insn, bytes, (size_t)length, glue);
}

static char *put_counted(struct runner *run, char *p, const struct insn *insn)
{
	return put_counted_as(run, p, insn, GLUE_DATA);
}

static char *put_counted_tight(struct runner *run, char *p, const struct insn *insn)
{
	return put_counted_as(run, p, insn, GLUE_TIGHT);
}

/* --- onto the stack ------------------------------------------------------------------------------------- */

static char *load_unsigned(struct runner *run, char *p, const struct insn *insn)
{
	run_push(run, (int64_t)load_uint(run->run + insn->a, insn->b, true));
	return p;
}

static char *load_signed(struct runner *run, char *p, const struct insn *insn)
{
	run_push(run, load_signed_of(run->run + insn->a, insn->b));
	return p;
}

/* Bits are numbered from the most significant one (D9). */
static uint64_t bits_at(const uint8_t *bytes, uint64_t at, unsigned n_bits)
{
	uint64_t value = 0;

	while (n_bits) {
		unsigned offset = at & 7, n_taken = 8 - offset < n_bits ? 8 - offset : n_bits;
		unsigned byte = bytes[at >> 3] & (0xffU >> offset);

		value = value << n_taken | byte >> (8 - offset - n_taken);
		at += n_taken;
		n_bits -= n_taken;
	}
	return value;
}

static char *load_bits(struct runner *run, char *p, const struct insn *insn)
{
	run_push(run, (int64_t)bits_at(run->run, insn->a, insn->b));
	return p;
}

static char *load_bits_here(struct runner *run, char *p, const struct insn *insn)
{
	int64_t first = run->pointer + 8 * run->base;

	if (first < 0 || first + insn->b > 8 * (int64_t)run->entry->n_bytes)
		return run_truncate(run, p, insn, false);
	run_push(run, (int64_t)bits_at(run->entry->bytes, (uint64_t)first, insn->b));
	run->pointer += insn->b;
	return p;
}

const struct op op_run = { "run", begin_on_byte, "a b", READS_NOTHING, NULL, begin_on_byte_on };
const struct op op_run_bits = { "run_bits", begin_on_bit, "a b", READS_NOTHING, NULL, NULL };
const struct op op_run_at = { "run_at", begin_at, "number a b", READS_NOTHING, NULL, begin_at_on };
const struct op op_go = { "go", pointer_go, "number", READS_NOTHING, NULL, NULL };
const struct op op_forward = { "forward", pointer_forward, "a", READS_NOTHING, NULL, NULL };
const struct op op_back = { "back", pointer_back, "a", READS_NOTHING, NULL, NULL };
const struct op op_store_pointer = { "store_pointer", store_pointer, NULL, READS_NOTHING, NULL,
	store_pointer_on };
const struct op op_store_base = { "store_base", store_base, NULL, READS_NOTHING, NULL, NULL };
const struct op op_hex_1 = { "hex", put_hex_1, "a b need", READS_RUN, cut_hex, NULL };
const struct op op_hex_2 = { "hex", put_hex_2, "a b need", READS_RUN, cut_hex, put_hex_2_on };
const struct op op_hex_4 = { "hex", put_hex_4, "a b need", READS_RUN, cut_hex, put_hex_4_on };
const struct op op_hex_8 = { "hex", put_hex_8, "a b need", READS_RUN, cut_hex, put_hex_8_on };
const struct op op_hex = { "hex", read_put_hex, "a b need", READS_RUN, cut_hex, NULL };
const struct op op_signed_4 = { "signed", put_signed_4, "a b need", READS_RUN, run_cut, NULL };
const struct op op_unsigned_4 = { "unsigned", put_unsigned_4, "a b need", READS_RUN, run_cut, NULL };
const struct op op_signed = { "signed", put_signed, "a b need", READS_RUN, run_cut, NULL };
const struct op op_unsigned = { "unsigned", put_unsigned, "a b need", READS_RUN, run_cut, NULL };
const struct op op_ascii = { "ascii", put_ascii, "a b need", READS_RUN, cut_ascii, NULL };
const struct op op_ascii_tight = { "ascii_tight", put_ascii_tight, "a b need", READS_RUN, cut_ascii, NULL };
const struct op op_ascii_field = { "ascii_field", put_ascii_field, "a b need", READS_RUN, cut_ascii, NULL };
const struct op op_counted = { "counted", put_counted, "b glue", READS_NOTHING, NULL, NULL };
const struct op op_counted_tight = { "counted_tight", put_counted_tight, "b glue", READS_NOTHING, NULL,
	NULL };
const struct op op_load_unsigned = { "load_unsigned", load_unsigned, "a b need", READS_RUN, run_cut, NULL };
const struct op op_load_signed = { "load_signed", load_signed, "a b need", READS_RUN, run_cut, NULL };
const struct op op_load_bits = { "load_bits", load_bits, "a b need", READS_RUN, run_cut, NULL };
const struct op op_load_bits_here = { "load_bits_here", load_bits_here, "b", READS_NOTHING, NULL, NULL };
