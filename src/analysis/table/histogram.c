/* SPDX-License-Identifier: MIT */
#include "analysis/table/histogram.h"

#include <stdlib.h>

/* The first octave has the numbers below 64, the next one those of 7 bits, and so on: up to there each number has its range. */
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

static uint64_t *octave_reach(struct histogram *histogram, unsigned octave)
{
	if (!histogram->octaves)
		histogram->octaves = calloc(HISTOGRAM_OCTAVES, sizeof(uint64_t *));
	if (!histogram->octaves)
		return NULL;
	if (!histogram->octaves[octave])
		histogram->octaves[octave] = calloc(HISTOGRAM_PARTS, sizeof(uint64_t));
	return histogram->octaves[octave];
}

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

static bool count_add(struct histogram *histogram, uint64_t number, uint64_t n)
{
	const unsigned octave = octave_of(number);
	uint64_t *counts = octave_reach(histogram, octave);

	if (counts)
		counts[number >> shift_of(octave) & (HISTOGRAM_PARTS - 1)] += n;
	return counts != NULL;
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

static struct histogram_range range_around(uint64_t number)
{
	const unsigned octave = octave_of(number);

	return range_of(octave, (unsigned)(number >> shift_of(octave) & (HISTOGRAM_PARTS - 1)));
}

/* Numbers of one range are one behind the other. */
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
		const uint64_t *counts = histogram->octaves[octave];

		if (!counts) {
			*position += HISTOGRAM_PARTS - 1;
		} else if (counts[part]) {
			*ret_range = range_of(octave, part);
			ret_range->n = counts[part];
			++*position;
			return true;
		}
	}
	return false;
}

/* The middle of the range, but never beyond what was met. */
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
