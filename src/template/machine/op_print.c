/* SPDX-License-Identifier: MIT */
/* The value on the stack as text. */
#include <string.h>

#include "base/calendar.h"
#include "base/real.h"
#include "base/text.h"
#include "template/language/errors.h"
#include "template/machine/ops.h"

const char upper_pairs[] = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"
			   "202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F"
			   "404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F"
			   "606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F"
			   "808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9F"
			   "A0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF"
			   "C0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDF"
			   "E0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF";

static uint64_t value_pop(struct runner *run)
{
	return (uint64_t)run_pop(run);
}

/* The lowest n_bytes bytes, the highest first. */
static char *print_put_hex(char *p, uint64_t value, unsigned n_bytes)
{
	uint8_t bytes[16] = { 0 };

	if (n_bytes == 2)
		return upper_put_four(p, (unsigned)value);
	if (n_bytes == 4)
		return text_put_last(p, text_hex_eight((uint32_t)value, 'A'), 8);
	for (unsigned i = 0; i < 8; i++)
		bytes[15 - i] = (uint8_t)(value >> (8 * i));
	return upper_put(p, bytes + 16 - n_bytes, n_bytes);
}

/* Digits of a base that is a power of two, as many as the value needs, but min at the least. */
static char *put_digits(char *p, uint64_t value, unsigned n_bits, unsigned min)
{
	unsigned n_used = 64 - (unsigned)__builtin_clzll(value | 1),
		 n_digits = (n_used + n_bits - 1) / n_bits;

	if (n_digits < min)
		n_digits = min;
	if (n_bits == 4 && n_digits <= 8)
		return text_put_last(p, text_hex_eight((uint32_t)value, 'A'), n_digits);
	for (unsigned i = n_digits; i-- > 0;)
		*p++ = "0123456789ABCDEF"[n_bits * i < 64 ? value >> (n_bits * i) & ((1U << n_bits) - 1) : 0];
	return p;
}

char *upper_put_many(char *p, uint64_t value, unsigned min)
{
	if (value - 0x1000 <= 0xffff - 0x1000)
		return upper_put_four(p, (unsigned)value);
	return put_digits(p, value, 4, min);
}

char *run_put_id(char *p, uint64_t id)
{
	return upper_put_id(p, id);
}

static char *print_hex(struct runner *run, char *p, const struct insn *insn)
{
	return print_put_hex(p, value_pop(run), insn->b);
}

/* Two bytes; four, or eight, where the value needs them, be it signed or not (D6). */
static char *print_hex_wide(struct runner *run, char *p, const struct insn *insn)
{
	uint64_t value = value_pop(run);
	int64_t number = (int64_t)value;
	unsigned n_bytes = 8;

	(void)insn;
	if (number >= INT16_MIN && number <= UINT16_MAX)
		return upper_put_four(p, (unsigned)value);
	if (number >= INT32_MIN && number <= UINT32_MAX)
		n_bytes = 4;
	return print_put_hex(p, value, n_bytes);
}

static char *print_hex_wide_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, print_hex_wide(run, p, insn), insn);
}

static char *print_digits(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	return upper_put_digits(p, value_pop(run));
}

static char *print_digits_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, print_digits(run, p, insn), insn);
}

static char *print_id(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	return upper_put_id(p, value_pop(run));
}

static char *print_id_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, print_id(run, p, insn), insn);
}

static char *print_signed(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	return text_put_signed(p, (int64_t)value_pop(run));
}

static char *print_unsigned(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	return text_put_dec_over(p, value_pop(run));
}

static char *print_unsigned_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, print_unsigned(run, p, insn), insn);
}

static char *print_octal(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	return put_digits(p, value_pop(run), 3, 1);
}

static char *print_bits(struct runner *run, char *p, const struct insn *insn)
{
	uint64_t value = value_pop(run);

	for (unsigned i = insn->b; i-- > 0;)
		*p++ = (char)('0' + (value >> i & 1));
	return p;
}

static char *print_float(struct runner *run, char *p, const struct insn *insn)
{
	enum { FLOAT_DECIMALS = 4, DOUBLE_DECIMALS = 8 };
	uint64_t bits = value_pop(run);
	uint32_t low = (uint32_t)bits;
	double number;
	float single;

	if (insn->b == sizeof(double)) {
		memcpy(&number, &bits, sizeof(number));
		return real_put_scientific(p, number, DOUBLE_DECIMALS);
	}
	memcpy(&single, &low, sizeof(single));
	return real_put_scientific(p, (double)single, FLOAT_DECIMALS);
}

static char *print_time(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	return calendar_put(p, (int64_t)value_pop(run));
}

/* b is the enum error_numbers that the names are of (D24). */
static char *print_errno(struct runner *run, char *p, const struct insn *insn)
{
	uint64_t number = value_pop(run);
	const char *name = error_number_name((enum error_numbers)insn->b, number);

	return name ? text_put(p, name, strlen(name)) : text_put_dec(p, number);
}

/*
 * b is the power of ten that converts the number to nanoseconds. A result that does not fit 64 bits becomes
 * the largest number that does.
 */
static char *print_duration(struct runner *run, char *p, const struct insn *insn)
{
	static const int64_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	int64_t number = (int64_t)value_pop(run), ns;

	if (__builtin_mul_overflow(number, powers[insn->b], &ns))
		ns = number < 0 ? -INT64_MAX : INT64_MAX;
	return text_put_signed_duration(p, ns);
}

static char *print_process(struct runner *run, char *p, const struct insn *insn)
{
	uint64_t pid = value_pop(run);
	const struct text path = run->entry->host->process(run->entry, pid);

	(void)insn;
	if (!path.n_bytes)
		return text_put_dec(p, pid);
	if (!run_more_room(run, &p, path.n_bytes))
		return p;
	return text_put(p, path.bytes, path.n_bytes);
}

const struct op op_print_hex = { "print_hex", print_hex, "b", READS_NOTHING, NULL, NULL };
const struct op op_print_hex_wide = { "print_hex_wide", print_hex_wide, NULL, READS_NOTHING, NULL,
	print_hex_wide_on };
const struct op op_print_digits = { "print_digits", print_digits, NULL, READS_NOTHING, NULL,
	print_digits_on };
const struct op op_print_id = { "print_id", print_id, NULL, READS_NOTHING, NULL, print_id_on };
const struct op op_print_signed = { "print_signed", print_signed, NULL, READS_NOTHING, NULL, NULL };
const struct op op_print_unsigned = { "print_unsigned", print_unsigned, NULL, READS_NOTHING, NULL,
	print_unsigned_on };
const struct op op_print_octal = { "print_octal", print_octal, NULL, READS_NOTHING, NULL, NULL };
const struct op op_print_bits = { "print_bits", print_bits, "b", READS_NOTHING, NULL, NULL };
const struct op op_print_float = { "print_float", print_float, "b", READS_NOTHING, NULL, NULL };
const struct op op_print_time = { "print_time", print_time, NULL, READS_NOTHING, NULL, NULL };
const struct op op_print_errno = { "print_errno", print_errno, "b", READS_NOTHING, NULL, NULL };
const struct op op_print_duration = { "print_duration", print_duration, "b", READS_NOTHING, NULL, NULL };
const struct op op_print_process = { "print_process", print_process, NULL, READS_NOTHING, NULL, NULL };
