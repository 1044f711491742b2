/* SPDX-License-Identifier: MIT */
/* The rank sum test against figures that were computed by hand, and by counting all orders. */
#include "analysis/diff/rank.h"

#include <math.h>

#include "tests/tap.h"

static struct histogram of(size_t n, const uint64_t *numbers)
{
	struct histogram histogram = { 0 };

	for (size_t i = 0; i < n; i++)
		histogram_add(&histogram, numbers[i], i);
	return histogram;
}

#define OF(...) of(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (const uint64_t[]){ __VA_ARGS__ })

static bool is_near(double a, double b)
{
	return fabs(a - b) < 0.0005;
}

static void expect(
	struct histogram a, struct histogram b, double above, double probability, const char *sentence)
{
	const struct rank rank = rank_test(&a, &b);

	ok(is_near(rank.above, above) && is_near(rank.probability, probability), "%s (%.4f, %.4f)", sentence,
		rank.above, rank.probability);
	histogram_done(&a);
	histogram_done(&b);
}

/* U, its mean and its variance are worked out beside each; the probability is 2 (1 - Phi(z)). */
static void check_ranks(void)
{
	expect((struct histogram){ 0 }, OF(1, 2, 3), 0.5, 1, "without numbers there is no difference");
	expect(OF(5, 5, 5), OF(5, 5, 5, 5), 0.5, 1, "numbers that are all equal do not differ");
	expect(OF(1, 2, 3, 4), OF(1, 2, 3, 4), 0.5, 1, "a set does not differ from itself");
	/* U = 25, mean 12.5, variance 25 * 11 / 12 = 22.917, z = 12 / 4.787 = 2.5067 */
	expect(OF(1, 2, 3, 4, 5), OF(6, 7, 8, 9, 10), 1, 0.0122, "all above all, five of each");
	expect(OF(6, 7, 8, 9, 10), OF(1, 2, 3, 4, 5), 0, 0.0122, "and all below all");
	/* U = 8 + 0.5 (the two 3s), mean 8, variance 16 / 12 * (9 - 6 / 56) = 11.857, z = 0 / … */
	expect(OF(1, 3, 5, 7), OF(2, 3, 4, 9), 0.53125, 1, "ties count half");
	/*
	 * Pairs with the greater b: 10: 3; 20: 4; 30: 4; U = 11 of 12, mean 6, variance 8, z = 4.5 / 2.828 =
	 * 1.591
	 */
	expect(OF(1, 5, 9, 11), OF(10, 20, 30), 11.0 / 12, 0.1116, "sets of different size");
}

static void check_ranges(void)
{
	struct histogram low = OF(100, 102), high = OF(200, 203), wide = OF(90, 300), one = OF(500);

	ok(ranges_are_apart(&low, &high) && ranges_are_apart(&high, &low),
		"two pairs that are far apart are a difference, in either order");
	ok(!ranges_are_apart(&low, &wide) && !ranges_are_apart(&low, &low), "ranges that overlap are none");
	ok(!ranges_are_apart(&low, &one), "and neither is one number");
	histogram_done(&low);
	histogram_done(&high);
	histogram_done(&wide);
	histogram_done(&one);
	low = OF(100, 150);
	high = OF(180, 200);
	ok(!ranges_are_apart(&low, &high), "the gap must be larger than either range");
	histogram_done(&low);
	histogram_done(&high);
}

int main(void)
{
	check_ranks();
	check_ranges();
	return tap_done();
}
