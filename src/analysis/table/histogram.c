/* SPDX-License-Identifier: MIT */
#include "analysis/table/histogram.h"

#include <stdlib.h>

/*
 * The first octave has the numbers below 64, the next one those of 7 bits, and so on: up to there each number
 * has its range.
 */
static unsigned octave_of(uint64_t number)
{
	const unsigned n_bits = 64 - (unsigned)__builtin_clzll(number | 1);

	return n_bits > HISTOGRAM_BITS ? n_bits - HISTOGRAM_BITS : 0;
}

static unsigned shift_of(unsigned octave)
{
	return octave ? octave - 1 : 0;
}

static struct histogram_range range_of(unsigned octave, unsigned part)
{
	const uint64_t first = octave ? (uint64_t)(HISTOGRAM_PARTS | part) << shift_of(octave) : part;

	return (struct histogram_range){ first, first + (((uint64_t)1 << shift_of(octave)) - 1), 0 };
}

/* --- counts --------------------------------------------------------------------------------------------- */

/* Counts are as wide as the greatest one needs: most are small, and there may be thousands of histograms. */
struct octave {
	unsigned n_bytes; /* of a count: 1, 2, 4, 8 */
	union {
		uint8_t *small;
		uint16_t *medium;
		uint32_t *large;
		uint64_t *huge;
	} counts; /* HISTOGRAM_PARTS, behind this */
};

static struct octave *octave_new(unsigned n_bytes)
{
	struct octave *octave = calloc(1, sizeof(*octave) + (size_t)n_bytes * HISTOGRAM_PARTS);

	if (!octave)
		return NULL;
	octave->n_bytes = n_bytes;
	octave->counts.huge = (uint64_t *)(octave + 1);
	return octave;
}

static uint64_t count_get(const struct octave *octave, unsigned part)
{
	switch (octave->n_bytes) {
	case 1:
		return octave->counts.small[part];
	case 2:
		return octave->counts.medium[part];
	case 4:
		return octave->counts.large[part];
	default:
		return octave->counts.huge[part];
	}
}

/* Adds to a count, which has room. */
static void count_set(struct octave *octave, unsigned part, uint64_t count)
{
	switch (octave->n_bytes) {
	case 1:
		octave->counts.small[part] = (uint8_t)count;
		break;
	case 2:
		octave->counts.medium[part] = (uint16_t)count;
		break;
	case 4:
		octave->counts.large[part] = (uint32_t)count;
		break;
	default:
		octave->counts.huge[part] = count;
	}
}

static bool has_room(const struct octave *octave, uint64_t count)
{
	return octave->n_bytes == 8 || !(count >> 8 * octave->n_bytes);
}

/* Counts of twice the width. Returns false if memory ran out. */
static bool octave_widen(struct octave **octave)
{
	struct octave *wide = octave_new((*octave)->n_bytes * 2);

	if (!wide)
		return false;
	for (unsigned part = 0; part < HISTOGRAM_PARTS; part++)
		count_set(wide, part, count_get(*octave, part));
	free(*octave);
	*octave = wide;
	return true;
}

static struct octave **octave_reach(struct histogram *histogram, unsigned octave)
{
	if (!histogram->octaves)
		histogram->octaves = calloc(HISTOGRAM_OCTAVES, sizeof(struct octave *));
	if (!histogram->octaves)
		return NULL;
	if (!histogram->octaves[octave])
		histogram->octaves[octave] = octave_new(1);
	return histogram->octaves[octave] ? &histogram->octaves[octave] : NULL;
}

static bool count_add(struct histogram *histogram, uint64_t number, uint64_t n)
{
	const unsigned octave = octave_of(number);
	const unsigned part = (unsigned)(number >> shift_of(octave) & (HISTOGRAM_PARTS - 1));
	struct octave **counts = octave_reach(histogram, octave);
	uint64_t count;

	if (!counts)
		return false;
	count = count_get(*counts, part) + n;
	while (!has_room(*counts, count))
		if (!octave_widen(counts))
			return false;
	count_set(*counts, part, count);
	return true;
}

/* --- adding --------------------------------------------------------------------------------------------- */

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void extremes_join(struct histogram *histogram, uint64_t least, uint64_t most, uint64_t most_at)
{
	if (!histogram->n || least < histogram->least)
		histogram->least = least;
	if (!histogram->n || most > histogram->most) {
		histogram->most = most;
		histogram->most_at = most_at;
	}
}

static void few_add(struct histogram *histogram, uint64_t number)
{
	size_t place = (size_t)histogram->n;

	for (; place && histogram->few[place - 1] > number; place--)
		histogram->few[place] = histogram->few[place - 1];
	histogram->few[place] = number;
}

/* From here on numbers are counts. */
static bool few_spread(struct histogram *histogram)
{
	if (histogram->octaves)
		return true;
	for (uint64_t i = 0; i < histogram->n; i++)
		if (!count_add(histogram, histogram->few[i], 1))
			return false;
	return true;
}

static bool number_add(struct histogram *histogram, uint64_t number)
{
	if (!histogram->octaves && histogram->n < HISTOGRAM_FEW) {
		few_add(histogram, number);
		return true;
	}
	return few_spread(histogram) && count_add(histogram, number, 1);
}

bool histogram_add(struct histogram *histogram, uint64_t number, uint64_t at)
{
	if (!number_add(histogram, number))
		return false;
	extremes_join(histogram, number, number, at);
	histogram->sum = sum_of(histogram->sum, number);
	histogram->n++;
	return true;
}

bool histogram_join(struct histogram *histogram, const struct histogram *other)
{
	struct histogram_range range;

	if (!other->n)
		return true;
	if (!few_spread(histogram))
		return false;
	for (size_t position = 0; histogram_next(other, &position, &range);)
		if (!count_add(histogram, range.from, range.n))
			return false;
	extremes_join(histogram, other->least, other->most, other->most_at);
	histogram->sum = sum_of(histogram->sum, other->sum);
	histogram->n += other->n;
	return true;
}

/* --- looking -------------------------------------------------------------------------------------------- */

static struct histogram_range range_around(uint64_t number)
{
	const unsigned octave = octave_of(number);

	return range_of(octave, (unsigned)(number >> shift_of(octave) & (HISTOGRAM_PARTS - 1)));
}

/* Numbers of one range follow each other. */
static bool few_next(const struct histogram *histogram, size_t *position, struct histogram_range *ret_range)
{
	if (*position >= histogram->n)
		return false;
	*ret_range = range_around(histogram->few[*position]);
	for (; *position < histogram->n && histogram->few[*position] <= ret_range->to; ++*position)
		ret_range->n++;
	return true;
}

bool histogram_next(const struct histogram *histogram, size_t *position, struct histogram_range *ret_range)
{
	if (!histogram->octaves)
		return few_next(histogram, position, ret_range);
	for (; *position < (size_t)HISTOGRAM_OCTAVES * HISTOGRAM_PARTS; ++*position) {
		const unsigned octave = (unsigned)(*position / HISTOGRAM_PARTS);
		const unsigned part = (unsigned)(*position % HISTOGRAM_PARTS);
		const struct octave *counts = histogram->octaves[octave];

		if (!counts) {
			*position += HISTOGRAM_PARTS - 1;
		} else if (count_get(counts, part)) {
			*ret_range = range_of(octave, part);
			ret_range->n = count_get(counts, part);
			++*position;
			return true;
		}
	}
	return false;
}

/* The middle of the range, but within the numbers that were counted. */
static uint64_t number_in(const struct histogram *histogram, const struct histogram_range *range)
{
	const uint64_t middle = range->from + (range->to - range->from) / 2;

	if (middle < histogram->least)
		return histogram->least;
	return middle > histogram->most ? histogram->most : middle;
}

uint64_t histogram_at(const struct histogram *histogram, double share)
{
	const double wanted = share * (double)histogram->n;
	struct histogram_range range = { 0 };
	size_t position = 0;

	for (uint64_t n = 0; histogram_next(histogram, &position, &range);) {
		n += range.n;
		if ((double)n >= wanted)
			break;
	}
	if (share >= 1)
		return histogram->most;
	return histogram->n ? number_in(histogram, &range) : 0;
}

void histogram_done(struct histogram *histogram)
{
	for (unsigned octave = 0; histogram->octaves && octave < HISTOGRAM_OCTAVES; octave++)
		free(histogram->octaves[octave]);
	free(histogram->octaves);
	*histogram = (struct histogram){ 0 };
}
