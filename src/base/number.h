/* SPDX-License-Identifier: MIT */
/*
 * A number of a recording with its type: a level, a field. The type defines the meaning of its 64 bits, so
 * that no sign or fraction is lost between the field and an output.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rastrum/type.h>

struct number {
	enum rst_field_type type; /* RST_SIGNED; RST_REAL: the bits of a double; else unsigned */
	uint64_t bits;
};

enum { NUMBER_MAX = 32 }; /* bytes that number_put() and number_put_json() can write */

static inline struct number number_as(uint64_t bits, enum rst_field_type type)
{
	return (struct number){ type, bits };
}

static inline struct number number_of_real(double real)
{
	struct number number = { RST_REAL, 0 };

	memcpy(&number.bits, &real, sizeof(real));
	return number;
}

/*
 * Returns the double nearest to the shortest decimal number that reads back as this float. So 0.1f becomes
 * 0.1, as people wrote it, and not 0.10000000149011612. The result converts to the same float, so nothing is
 * lost.
 */
double number_widen(float number);

/* The nearest double. */
double number_real(struct number number);

static inline bool number_is_nan(struct number number)
{
	return number.type == RST_REAL && __builtin_isnan(number_real(number));
}

/* Whether the number is neither infinite nor NaN. */
static inline bool number_is_finite(struct number number)
{
	return number.type != RST_REAL || __builtin_isfinite(number_real(number));
}

/*
 * Returns -1, 0 or 1 if one is less than, equal to or greater than other. The result is exact, whatever their
 * types. Neither may be NaN.
 */
int number_compare(struct number one, struct number other);

/* Whether both are the same value, or both NaN. */
bool number_is_same(struct number one, struct number other);

/* The sum: exact if neither is real and it has room in 64 bits, else the nearest double. */
struct number number_add(struct number one, struct number other);

/*
 * Gets an integer from 0 to UINT64_MAX, which counts something. Returns false if the number is not such an
 * integer.
 */
bool number_count(struct number number, uint64_t *ret_count);

/* Writes "-5", "20.5", "18446744073709551615", "NAN" or "-INF". */
char *number_put(char *p, struct number number);

/* The same for JSON, where NaN and infinity become null. */
char *number_put_json(char *p, struct number number);

#endif
