/* SPDX-License-Identifier: MIT */
/* Hexadecimal digits in upper case, as templates print them, out of a table of two for each byte. */
#ifndef TEMPLATE_MACHINE_UPPER_H
#define TEMPLATE_MACHINE_UPPER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The two upper-case hexadecimal digits of each byte: "00" to "FF" (op_print.c). */
extern const char upper_pairs[];

static inline char *upper_put(char *p, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		memcpy(p + 2 * i, upper_pairs + 2 * (size_t)bytes[i], 2);
	return p + 2 * n_bytes;
}

static inline char *upper_put_1(char *p, const uint8_t *bytes)
{
	return upper_put(p, bytes, 1);
}

static inline char *upper_put_2(char *p, const uint8_t *bytes)
{
	return upper_put_1(upper_put_1(p, bytes), bytes + 1);
}

static inline char *upper_put_4(char *p, const uint8_t *bytes)
{
	return upper_put_2(upper_put_2(p, bytes), bytes + 2);
}

static inline char *upper_put_8(char *p, const uint8_t *bytes)
{
	return upper_put_4(upper_put_4(p, bytes), bytes + 4);
}

/* The lowest two bytes of a value. */
static inline char *upper_put_four(char *p, unsigned value)
{
	memcpy(p, upper_pairs + 2 * (value >> 8 & 0xff), 2);
	memcpy(p + 2, upper_pairs + 2 * (value & 0xff), 2);
	return p + 4;
}

/* Hexadecimal digits, as many as the value needs, and at the least as many as are asked for (op_print.c). */
char *upper_put_many(char *p, uint64_t value, unsigned min);

static inline char *upper_put_digits(char *p, uint64_t value)
{
	if (__builtin_expect(value > 0xf, 0))
		return upper_put_many(p, value, 1);
	*p = upper_pairs[2 * value + 1];
	return p + 1;
}

/* A hook id, which mostly has three digits: as run_put_id() has it. */
static inline char *upper_put_id(char *p, uint64_t id)
{
	if (__builtin_expect(id > 0xfff, 0))
		return upper_put_many(p, id, 3);
	*p = upper_pairs[2 * (id >> 8) + 1];
	memcpy(p + 1, upper_pairs + 2 * (id & 0xff), 2);
	return p + 3;
}

#endif
