/* SPDX-License-Identifier: MIT */
#include "analysis/table/histogram.h"

#include "tests/tap.h"

enum { N_MANY = 20000 };

static void check_small(void)
{
	struct histogram histogram = { 0 };
	struct histogram_range range;
	size_t position = 0;

	ok(histogram_at(&histogram, 0.5) == 0 && !histogram_next(&histogram, &position, &range),
		"an empty histogram has no range, and its percentiles are 0");
	for (uint64_t number = 1; number <= 100; number++)
		histogram_add(&histogram, number, 1000 + number);
	ok(histogram.n == 100 && histogram.least == 1 && histogram.most == 100 && histogram.sum == 5050,
		"number, least, greatest and sum are exact");
	ok(histogram.most_at == 1100, "the moment of the greatest is kept");
	ok(histogram_at(&histogram, 0.5) == 50 && histogram_at(&histogram, 0.99) == 99 &&
			histogram_at(&histogram, 1) == 100 && histogram_at(&histogram, 0) == 1,
		"percentiles of numbers below 128 are exact");
	ok((int)(histogram_mean(&histogram) * 10) == 505, "and so is the mean");
	histogram_done(&histogram);
	ok(histogram.n == 0, "a histogram that is done is an empty one");
}

static void check_edges(void)
{
	static const uint64_t numbers[] = { 0, 63, 64, 127, 128, 129, 255, 256, (uint64_t)1 << 32,
		UINT64_MAX - 1, UINT64_MAX };
	enum { N = sizeof(numbers) / sizeof(numbers[0]) };
	struct histogram histogram = { 0 };
	struct histogram_range range;
	uint64_t n = 0, before = 0;
	bool is_rising = true, fits = true;

	for (size_t i = 0; i < N; i++)
		histogram_add(&histogram, numbers[i], i);
	for (size_t position = 0; histogram_next(&histogram, &position, &range); before = range.to) {
		is_rising &= n == 0 || range.from > before;
		fits &= range.from <= range.to && range.to - range.from <= range.from / HISTOGRAM_PARTS;
		n += range.n;
	}
	ok(n == N && is_rising, "the ranges rise, and hold all numbers");
	ok(fits, "and none is wider than a 64th of its numbers");
	ok(histogram_at(&histogram, 1) == UINT64_MAX && histogram.sum == UINT64_MAX,
		"the largest number can be counted; the sum sticks there");
	histogram_done(&histogram);
}

/* Numbers of which the true percentiles are known: 7, 14, 21, … */
static void check_error(void)
{
	static const double shares[] = { 0.01, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999 };
	struct histogram histogram = { 0 };
	bool is_near = true;

	for (uint64_t i = N_MANY; i > 0; i--)
		histogram_add(&histogram, 7 * i, i);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		const double truth = 7 * shares[i] * N_MANY;
		const double error = (double)histogram_at(&histogram, shares[i]) - truth;

		is_near &= error < truth / HISTOGRAM_PARTS && error > -truth / HISTOGRAM_PARTS;
	}
	ok(is_near, "percentiles are off by less than a 64th");
	histogram_done(&histogram);
}

static void check_join(void)
{
	struct histogram a = { 0 }, b = { 0 }, none = { 0 };

	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(i % 2 ? &a : &b, i, i);
	ok(histogram_join(&a, &b) && histogram_join(&a, &none) && a.n == 1000 && a.sum == 500500 &&
			a.least == 1 && a.most == 1000 && a.most_at == 1000,
		"two histograms that are joined have the numbers of both");
	ok(histogram_at(&a, 0.5) >= 492 && histogram_at(&a, 0.5) <= 508, "and their percentiles");
	histogram_done(&a);
	histogram_done(&b);
}

/* Counts get wider: 300 times, 70,000 times, and more than 32 bits have. */
static void check_wide(void)
{
	enum { N_DOUBLED = 17 };
	const uint64_t n_often = (uint64_t)70000 << N_DOUBLED;
	struct histogram histogram = { 0 };
	struct histogram_range range = { 0 };
	size_t position = 0;
	bool is_same = true;

	for (unsigned i = 0; i < 70000; i++)
		is_same &= histogram_add(&histogram, 1000, i) &&
			   (i >= 300 || histogram_add(&histogram, 1100, i));
	for (unsigned i = 0; i < N_DOUBLED; i++) {
		struct histogram copy = { 0 };

		is_same &= histogram_join(&copy, &histogram) && histogram_join(&histogram, &copy);
		histogram_done(&copy);
	}
	is_same &= histogram_next(&histogram, &position, &range) && range.from <= 1000 && range.to >= 1000 &&
		   range.n == n_often;
	is_same &= histogram_next(&histogram, &position, &range) && range.from <= 1100 && range.to >= 1100 &&
		   range.n == (uint64_t)300 << N_DOUBLED;
	ok(is_same && !histogram_next(&histogram, &position, &range) && n_often > UINT32_MAX,
		"counts of any size are exact");
	histogram_done(&histogram);
}

int main(void)
{
	check_small();
	check_edges();
	check_error();
	check_join();
	check_wide();
	return tap_done();
}
