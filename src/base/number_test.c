/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include "base/real.h"
#include "tests/tap.h"

static struct number natural(uint64_t value)
{
	return number_as(value, RST_UNSIGNED);
}

static struct number integer(int64_t value)
{
	return number_as((uint64_t)value, RST_SIGNED);
}

/* The rows go from the least to the greatest number; each is less than all that follow. */
static void check_order(void)
{
	const struct number rows[] = {
		number_of_real(-__builtin_inf()),
		number_of_real(-1e300),
		number_of_real(-0x1p63 - 4096),
		integer(INT64_MIN),
		integer(INT64_MIN + 1),
		number_of_real(-1.5),
		integer(-1),
		number_of_real(-0.25),
		natural(0),
		number_of_real(5e-324),
		number_of_real(0.5),
		integer(1),
		number_of_real(1.5),
		natural((UINT64_C(1) << 53) + 1),
		number_of_real(0x1p53 + 2),
		integer(INT64_MAX),
		number_of_real(0x1p63),
		natural((UINT64_C(1) << 63) + 1),
		natural(UINT64_MAX),
		number_of_real(0x1p64),
		number_of_real(0x1p65),
		number_of_real(__builtin_inf()),
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	unsigned n_wrong = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			n_wrong += number_compare(rows[i], rows[j]) != (i > j) - (i < j) ||
				   number_is_same(rows[i], rows[j]) != (i == j);
	ok(n_wrong == 0, "numbers of all types have one order (%u wrong)", n_wrong);
}

static void check_same(void)
{
	const struct number nan = number_of_real(__builtin_nan("")), minus_zero = number_of_real(-0.0);

	ok(number_is_same(nan, nan) && !number_is_same(nan, natural(0)) && !number_is_same(integer(-1), nan),
		"NaN is the same as NaN only");
	ok(number_is_same(integer(7), natural(7)) && number_is_same(number_of_real(7), integer(7)) &&
			number_is_same(minus_zero, natural(0)),
		"a value is the same whatever its type");
	ok(!number_is_same(natural(UINT64_MAX), integer(-1)) &&
			!number_is_same(natural(UINT64_MAX), number_of_real(0x1p64)),
		"2^64-1 is neither -1 nor 2^64");
	ok(number_is_nan(nan) && !number_is_finite(nan) &&
			!number_is_finite(number_of_real(-__builtin_inf())) &&
			number_is_finite(natural(UINT64_MAX)) && !number_is_nan(integer(-1)),
		"NaN and infinity are known");
}

static void check_text(void)
{
	static const struct {
		uint64_t bits;
		enum rst_field_type type;
		double real;
		const char *text, *json;
	} rows[] = {
		{ 20, RST_UNSIGNED, 20, "20", "20" },
		{ UINT64_MAX, RST_UNSIGNED, 0x1p64, "18446744073709551615", "18446744073709551615" },
		{ UINT64_MAX, RST_SIGNED, -1, "-1", "-1" },
		{ UINT64_MAX, RST_HEX, 0x1p64, "18446744073709551615", "18446744073709551615" },
		{ UINT64_C(1) << 63, RST_SIGNED, -0x1p63, "-9223372036854775808", "-9223372036854775808" },
		{ UINT64_C(0x4034800000000000), RST_REAL, 20.5, "20.5", "20.5" },
		{ UINT64_C(0x7ff0000000000000), RST_REAL, __builtin_inf(), "INF", "null" },
		{ UINT64_C(0xfff0000000000000), RST_REAL, -__builtin_inf(), "-INF", "null" },
		{ UINT64_C(0xffefffffffffffff), RST_REAL, -1.7976931348623157e308, "-1.7976931348623157E+308",
			"-1.7976931348623157E+308" },
	};
	char text[NUMBER_MAX + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct number number = number_as(rows[i].bits, rows[i].type);

		*number_put(text, number) = '\0';
		is_text(text, rows[i].text, "a number as text");
		*number_put_json(text, number) = '\0';
		is_text(text, rows[i].json, "a number in JSON");
		ok(number_compare(number_of_real(number_real(number)), number_of_real(rows[i].real)) == 0,
			"as a double: %s", rows[i].text);
	}
	*number_put_json(text, number_of_real(__builtin_nan(""))) = '\0';
	is_text(text, "null", "NaN is null in JSON");
}

static bool adds(struct number one, struct number other, struct number sum)
{
	const struct number got = number_add(one, other);

	return got.type == sum.type && got.bits == sum.bits;
}

static void check_sums(void)
{
	ok(adds(natural(2), integer(-1), natural(1)) && adds(natural(0), integer(-1), integer(-1)) &&
			adds(integer(-1), natural(1), natural(0)),
		"one less than 2 is 1, than 0 is -1");
	ok(adds(natural(UINT64_MAX), integer(-1), natural(UINT64_MAX - 1)) &&
			adds(natural(UINT64_MAX), natural(1), number_of_real(0x1p64)) &&
			adds(integer(INT64_MIN), integer(-1), number_of_real(-0x1p63)),
		"a sum without room in 64 bits is real");
	ok(adds(natural(2), number_of_real(0.5), number_of_real(2.5)) &&
			number_is_nan(number_add(integer(1), number_of_real(__builtin_nan("")))),
		"a sum with a real number is real");
}

static void check_counts(void)
{
	uint64_t count = 0;

	ok(number_count(natural(UINT64_MAX), &count) && count == UINT64_MAX, "2^64-1 is a count");
	ok(number_count(integer(3), &count) && count == 3, "so is 3 with a sign");
	ok(number_count(number_of_real(4), &count) && count == 4, "so is 4.0");
	ok(!number_count(integer(-1), &count) && !number_count(number_of_real(0.5), &count) &&
			!number_count(number_of_real(-1), &count) &&
			!number_count(number_of_real(0x1p64), &count) &&
			!number_count(number_of_real(__builtin_nan("")), &count),
		"-1, 0.5, 2^64 and NaN are none");
}

static void check_floats(void)
{
	static const struct {
		float single;
		double wide;
	} rows[] = {
		{ 0, 0 },
		{ 0.1f, 0.1 },
		{ -0.1f, -0.1 },
		{ 0.25f, 0.25 },
		{ 20.5f, 20.5 },
		{ 16777216, 16777216 },
		{ 3.4028235e38f, 3.4028235e38 },
		{ 1.17549435e-38f, 1.1754944e-38 },
		{ -1.5e-7f, -1.5e-7 },
	};
	char text[NUMBER_MAX + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const double wide = number_widen(rows[i].single);

		*real_put(text, wide, false) = '\0';
		ok(memcmp(&wide, &rows[i].wide, sizeof(wide)) == 0 && (float)wide == rows[i].single,
			"a float is the decimal number that it was written as (%s)", text);
	}
	ok((float)number_widen(1e-45f) == 1e-45f, "the least float is not lost");
	ok(__builtin_isnan(number_widen(__builtin_nanf(""))) &&
			number_widen(-__builtin_inff()) == -__builtin_inf(),
		"NaN and infinity stay what they are");
}

int main(void)
{
	check_order();
	check_same();
	check_text();
	check_sums();
	check_counts();
	check_floats();
	return tap_done();
}
