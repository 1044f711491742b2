/* SPDX-License-Identifier: MIT */
/*
 * The quick way to the beginning of a line of AIX's columns: blanks are there, and both times are stored over
 * them, eight digits at once. Elapsed times mostly change in their last eight digits only, so that those in
 * front of them are made once for many lines:
 *
 *	010   12.345678912       0.105984
 *	    ^^^^^ kept          ^^^^^^^^ eight digits, moved apart for the point
 *	         ^^^^^^^^ eight digits
 */
#ifndef LINES_AIX_FRONT_H
#define LINES_AIX_FRONT_H

#include "lines/aix_line.h"

enum {
	AIX_FRONT_BYTES = 64, /* of a line up to its text, and more */
	AIX_FRONT_WIDTH = 4,  /* columns in front of eight digits that are always written */
	AIX_EIGHT_DIGITS = 8,
	AIX_EIGHT = 100000000,
	AIX_HIGH_LIMIT = 1000000, /* in front of eight digits */
};

enum aix_unit { AIX_COUNTS_NOTHING, AIX_COUNTS_TICKS, AIX_COUNTS_NS };

/* The text in front of the last eight digits of elapsed times. A struct of zeros counts nothing. */
struct aix_count {
	uint64_t base;	/* the time whose last eight digits are 0 */
	char front[16]; /* its digits in front of them, at the end; with the point of seconds */
	unsigned width; /* columns of the whole number, twelve at the least */
	enum aix_unit kind;
	bool has_blanks; /* there are no digits in front: zeros at the beginning of the eight are blanks */
};

/*
 * Makes the text in front of the last eight digits of this time. Returns false if it takes too many columns.
 */
__attribute__((noinline)) bool aix_count_move(struct aix_count *count, const struct aix_times *times);

/* In front of a number's last digits, which are all there. */
__attribute__((noinline)) void aix_put_high(char *end, uint64_t high);

static inline void aix_store_eight(char *end, uint64_t digits)
{
	const uint64_t bytes = htole64(digits);

	memcpy(end - sizeof(bytes), &bytes, sizeof(bytes));
}

/* Blanks for zeros at the beginning, but for the last digit. */
static inline uint64_t aix_without_zeros(uint64_t digits)
{
	const uint64_t zeros = 0x3030303030303030, last = (uint64_t)1 << 56;
	const unsigned n_bits = (unsigned)__builtin_ctzll((digits ^ zeros) | last) & ~7U;

	return digits - (0x1010101010101010 & (((uint64_t)1 << n_bits) - 1));
}

static inline void aix_put_elapsed(char *end, const struct aix_count *count, uint64_t low)
{
	const char *front = count->front + sizeof(count->front);
	const uint64_t digits = text_eight((uint32_t)low);

	aix_store_eight(end, count->has_blanks ? aix_without_zeros(digits) : digits);
	memcpy(end - AIX_EIGHT_DIGITS - AIX_FRONT_WIDTH, front - AIX_FRONT_WIDTH, AIX_FRONT_WIDTH);
	if (__builtin_expect(count->width > AIX_EIGHT_DIGITS + AIX_FRONT_WIDTH, 0))
		memcpy(end - count->width, front - (count->width - AIX_EIGHT_DIGITS),
			count->width - AIX_EIGHT_DIGITS);
}

/* The first two of eight digits of nanoseconds are milliseconds. */
static inline void aix_put_delta(char *end, bool is_ticks, uint64_t high, uint64_t low)
{
	const uint64_t digits = text_eight((uint32_t)low);
	const char tens = (char)digits;

	if (is_ticks) {
		aix_store_eight(end, __builtin_expect(high != 0, 0) ? digits : aix_without_zeros(digits));
	} else {
		aix_store_eight(end, digits);
		end[-9] = high || tens != '0' ? tens : ' ';
		end[-8] = (char)(digits >> 8);
		end[-7] = '.';
	}
	if (__builtin_expect(high != 0, 0))
		aix_put_high(end - AIX_EIGHT_DIGITS - !is_ticks, high);
}

/*
 * Ends both times behind their columns, over blanks, of which n_free are in front of the first. Returns false
 * if something does not fit.
 */
static inline __attribute__((always_inline)) bool aix_numbers_put(char *elapsed_end, unsigned n_free,
	char *delta_end, struct aix_count *count, const struct aix_times *times)
{
	const bool is_ticks = times->is_ticks;
	uint64_t low = times->elapsed - count->base, delta = (uint64_t)times->delta, high = 0;

	if (__builtin_expect(
		    low >= AIX_EIGHT || count->kind != (is_ticks ? AIX_COUNTS_TICKS : AIX_COUNTS_NS), 0)) {
		if (!aix_count_move(count, times))
			return false;
		low = times->elapsed - count->base;
	}
	if (__builtin_expect(delta >= AIX_EIGHT, 0)) {
		high = delta / AIX_EIGHT;
		delta -= high * AIX_EIGHT;
		if (high >= (is_ticks ? AIX_HIGH_LIMIT : AIX_HIGH_LIMIT / 10))
			return false;
	}
	if (__builtin_expect(n_free <= count->width, 0))
		return false;
	aix_put_elapsed(elapsed_end, count, low);
	aix_put_delta(delta_end, is_ticks, high, delta);
	return true;
}

/* Whether lines have the id and both times in one line, which is the look without options. */
bool aix_look_is_usual(const struct aix_look *look);

/*
 * With that look, AIX_FRONT_BYTES that all lines of an id and level begin with. Returns the column of the
 * text.
 */
unsigned aix_front_make(char *front, const struct aix_look *look, struct text id, enum level level);

/*
 * A line of such a front with its times; n_free columns are behind the id up to the end of the first time.
 * Returns false if they do not fit, and only aix_line_put() and aix_line_times() will do.
 */
static inline bool aix_front_put(char *p, const char *front, unsigned n_free, const struct aix_look *look,
	struct aix_count *count, const struct aix_times *times)
{
	memcpy(p, front, AIX_FRONT_BYTES);
	return aix_numbers_put(p + look->elapsed_end, n_free, p + look->delta_end, count, times);
}

#endif
