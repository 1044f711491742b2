/* SPDX-License-Identifier: MIT */
/* Limits with a sign and decimals: they are read and compared exactly, whatever type a number has. */
#include <math.h>
#include <string.h>

#include "query/metric.h"
#include "tests/tap.h"

static uint64_t bits_of(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

/* --- reading -------------------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	bool is_negative;
	uint64_t value, parts;
} good[] = {
	{ "5", false, 5, 1 },
	{ "-5", true, 5, 1 },
	{ "30.5", false, 305, 10 },
	{ "2.50", false, 25, 10 },
	{ "-0.125", true, 125, 1000 },
	{ "-0", false, 0, 1 },
	{ "3.0", false, 3, 1 },
	{ "1.5k", false, 1500, 1 },
	{ "-2Ki", true, 2048, 1 },
	{ "0.0005k", false, 5, 10 },
	{ "18446744073709551615", false, UINT64_MAX, 1 },
	{ "0.000000000000000001", false, 1, QUANTITY_PARTS_MAX },
};

static const char *const bad[] = { "-", "--5", "-.5", "18446744073709551616", "0.0000000000000000001", "-5ms",
	"-3%", "-2ticks", "1.5ticks", "0.00000000001%", "" };

static void test_reading(void)
{
	struct quantity quantity;
	const char *why;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const char *end = quantity_parse(good[i].text, &quantity, &why);

		ok(end && !*end && quantity.form == QUANTITY_COUNT &&
				quantity.is_negative == good[i].is_negative &&
				quantity.value == good[i].value && quantity.parts == good[i].parts,
			"'%s' is a number, to its last decimal", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!quantity_parse(bad[i], &quantity, &why) && *why, "'%s' is no quantity: %s", bad[i], why);
}

/* --- comparing ------------------------------------------------------------------------------------------ */

struct sample {
	const char *rule; /* its range */
	enum rst_field_type type;
	uint64_t value;
	int side;
	enum rst_field_type by_type;
	double by;
};

#define REAL(value)  RST_REAL, bits_of(value)
#define WHOLE(value) RST_SIGNED, (uint64_t)(int64_t)(value)
#define COUNT(value) RST_UNSIGNED, UINT64_C(value)

static void test_sides(void)
{
	const struct sample samples[] = {
		{ ">= -5", WHOLE(-5), 0, RST_UNSIGNED, 0 },
		{ ">= -5", WHOLE(-6), -1, RST_UNSIGNED, 1 },
		{ "> -5", WHOLE(-5), -1, RST_UNSIGNED, 1 },
		{ "< 10", WHOLE(-1), 0, RST_UNSIGNED, 0 },
		{ "< 10", COUNT(18446744073709551615), 1, RST_UNSIGNED, 18446744073709551606. },
		{ "-5..5", WHOLE(9), 1, RST_UNSIGNED, 4 },
		{ "-5..-1", WHOLE(0), 1, RST_UNSIGNED, 1 },
		{ "< 30.5", WHOLE(30), 0, RST_UNSIGNED, 0 },
		{ "< 30.5", WHOLE(31), 1, RST_REAL, 0.5 },
		{ "< 30.5", REAL(30.5), 1, RST_REAL, 0 },
		{ "<= 30.5", REAL(30.5), 0, RST_UNSIGNED, 0 },
		{ "< 30", REAL(20.5), 0, RST_UNSIGNED, 0 },
		{ "< 30", REAL(30.25), 1, RST_REAL, 0.25 },
		{ "> -0.5", REAL(-0.75), -1, RST_REAL, 0.25 },
		{ ">= 0", REAL(-0.0), 0, RST_UNSIGNED, 0 },
		{ "== 0", REAL(5e-324), 1, RST_REAL, 5e-324 },
		/*
		 * 0.1 as a double is a little more than a tenth, 0.3 a little less: both are what was
		 * written.
		 */
		{ "<= 0.1", REAL(0.1), 0, RST_UNSIGNED, 0 },
		{ ">= 0.1", REAL(0.1), 0, RST_UNSIGNED, 0 },
		{ "<= 0.3", REAL(0.3), 0, RST_UNSIGNED, 0 },
		{ ">= 0.3", REAL(0.3), 0, RST_UNSIGNED, 0 },
		{ "< 0.3", REAL(0.3), 1, RST_REAL, 0 },
		{ "<= 0.3", REAL(0.1 + 0.2), 1, RST_REAL, 0x1p-54 },
		{ "-0.3..-0.1", REAL(-0.3), 0, RST_UNSIGNED, 0 },
		{ ">= -18446744073709551615", REAL(-0x1p64), 0, RST_UNSIGNED, 0 },
		{ "< 18446744073709551615", REAL(18446744073709551616.), 1, RST_REAL, 0 },
		{ "< 9007199254740993", REAL(9007199254740992.), 0, RST_UNSIGNED, 0 },
		{ "> 9007199254740991", REAL(9007199254740992.), 0, RST_UNSIGNED, 0 },
		{ "< 1", REAL(INFINITY), 1, RST_REAL, INFINITY },
		{ "> 1", REAL(-INFINITY), -1, RST_REAL, INFINITY },
		{ ">= 0.000000000000000001", REAL(1e-30), -1, RST_REAL, 1e-18 },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];
		struct rules rules = { 0 };
		enum rst_field_type by_type = RST_TEXT;
		char text[80] = "level(object x) ";
		uint64_t by;
		double real;

		strcat(text, sample->rule);
		ok(rules_parse(&rules, text, strlen(text)) && rules.n == 1, "'%s' is a rule", text);
		if (rules.n != 1)
			continue;
		ok(range_side(&rules.all->range, sample->value, sample->type) == sample->side,
			"%s: a number lies on side %d", text, sample->side);
		by = range_distance(&rules.all->range, sample->value, sample->type, &by_type);
		memcpy(&real, &by, sizeof(real));
		real = by_type == RST_REAL ? real : (double)by;
		ok(by_type == sample->by_type && (real == sample->by || fabs(real - sample->by) < 1e-19),
			"%s: it is out by %g", text, real);
		rules_done(&rules);
	}
}

static void test_nan(void)
{
	const struct range range = { .has_least = true, .least = { .value = 0, .parts = 1 } };

	ok(range_side(&range, bits_of(NAN), RST_REAL) == 1, "no number at all lies in no range");
}

int main(void)
{
	test_reading();
	test_sides();
	test_nan();
	return tap_done();
}
