/* SPDX-License-Identifier: MIT */
/*
 * How numbers are distributed, in bounded memory: counts of ranges whose width grows with the number, as
 * HdrHistogram has them (64 ranges for each power of two). A percentile is a number in the same range as the
 * true one: its error is less than 1/64 (1.6 %). It is exact below 128, and for the least and the greatest
 * number. Memory: up to HISTOGRAM_FEW numbers are stored as they are. More numbers take 64 bytes for each
 * power of two that occurs, twice as many if a range has 256 numbers, and so on to 512.
 */
#ifndef ANALYSIS_TABLE_HISTOGRAM_H
#define ANALYSIS_TABLE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HISTOGRAM_BITS = 6, /* significant bits of a number below its highest bit */
	HISTOGRAM_PARTS = 1 << HISTOGRAM_BITS,
	HISTOGRAM_OCTAVES = 64 - HISTOGRAM_BITS + 1,
	HISTOGRAM_FEW = 4
};

struct octave;

struct histogram {
	uint64_t n;		     /* numbers */
	uint64_t least, most;	     /* with n */
	uint64_t most_at;	     /* moment of the greatest */
	uint64_t sum;		     /* which stays at its greatest value */
	uint64_t few[HISTOGRAM_FEW]; /* the numbers, in rising order, while there are no octaves */
	struct octave **octaves;     /* HISTOGRAM_OCTAVES, each with counts or NULL; or NULL */
};

/* Counts a number that was met at this moment. Returns false if memory ran out. */
bool histogram_add(struct histogram *histogram, uint64_t number, uint64_t at);

/* Adds all of another one. Returns false if memory ran out. */
bool histogram_join(struct histogram *histogram, const struct histogram *other);

/* The number that is not exceeded by this share of all: 0.5 is the median. 0 without a number. */
uint64_t histogram_at(const struct histogram *histogram, double share);

static inline double histogram_mean(const struct histogram *histogram)
{
	return histogram->n ? (double)histogram->sum / (double)histogram->n : 0;
}

/* A range of numbers and how many were in it. */
struct histogram_range {
	uint64_t from, to; /* both belong to it */
	uint64_t n;
};

/*
 * Finds the next range that has numbers, in rising order. Returns false after the last one. *position is 0
 * before the first.
 */
bool histogram_next(const struct histogram *histogram, size_t *position, struct histogram_range *ret_range);

void histogram_done(struct histogram *histogram);

#endif
