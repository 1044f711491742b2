/* SPDX-License-Identifier: MIT */
/* Numbers with units, and ranges of them, without rounding: a limit of 2ms is 2ms, whatever the clock. */
#include <string.h>

#include "query/rule.h"

/* A number is worth so many units of its form: 10 to the power, or factor. */
static const struct {
	const char *suffix;
	enum quantity_form form;
	uint64_t factor;
} units[] = {
	{ "ns", QUANTITY_TIME, 1000 },
	{ "us", QUANTITY_TIME, 1000000 },
	{ "\xc2\xb5s", QUANTITY_TIME, 1000000 },
	{ "\xce\xbcs", QUANTITY_TIME, 1000000 },
	{ "ms", QUANTITY_TIME, 1000000000 },
	{ "s", QUANTITY_TIME, 1000000000000 },
	{ "min", QUANTITY_TIME, 60000000000000 },
	{ "ticks", QUANTITY_TICKS, 1 },
	{ "tick", QUANTITY_TICKS, 1 },
	{ "%", QUANTITY_SHARE, 1000000000 },
	{ "k", QUANTITY_COUNT, 1000 },
	{ "M", QUANTITY_COUNT, 1000000 },
	{ "G", QUANTITY_COUNT, 1000000000 },
	{ "Ki", QUANTITY_COUNT, 1024 },
	{ "Mi", QUANTITY_COUNT, 1024 * 1024 },
	{ "Gi", QUANTITY_COUNT, 1024 * 1024 * 1024 },
	{ "", QUANTITY_COUNT, 1 },
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct decimal {
	uint64_t digits, divisor; /* the number is digits / divisor */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool digit_add(struct decimal *decimal, char c)
{
	return !__builtin_mul_overflow(decimal->digits, 10, &decimal->digits) &&
	       !__builtin_add_overflow(decimal->digits, (uint64_t)(c - '0'), &decimal->digits);
}

/* A point that another one follows is that of a range. NULL: the number has too many digits. */
static const char *decimal_parse(const char *p, struct decimal *decimal)
{
	*decimal = (struct decimal){ 0, 1 };
	for (; is_digit(*p); p++)
		if (!digit_add(decimal, *p))
			return NULL;
	if (*p != '.' || !is_digit(p[1]))
		return p;
	for (p++; is_digit(*p); p++)
		if (!digit_add(decimal, *p) ||
			__builtin_mul_overflow(decimal->divisor, 10, &decimal->divisor))
			return NULL;
	return p;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || (c & 0x80);
}

const char *quantity_parse(const char *p, struct quantity *ret_quantity, const char **ret_why)
{
	struct decimal decimal;
	size_t n_unit = 0;

	if (!is_digit(*p)) {
		*ret_why = "a number is missing";
		return NULL;
	}
	p = decimal_parse(p, &decimal);
	*ret_why = "the number is too large, or has too many digits";
	if (!p)
		return NULL;
	/* One blank may stand in front of the unit; `per` is none. */
	if (*p == ' ' && is_word(p[1]) && strncmp(p + 1, "per ", 4) != 0)
		p++;
	while (is_word(p[n_unit]))
		n_unit++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		wide value = (wide)decimal.digits * units[i].factor;

		if (strlen(units[i].suffix) != n_unit || memcmp(p, units[i].suffix, n_unit) != 0)
			continue;
		if (value / decimal.divisor > UINT64_MAX)
			return NULL;
		*ret_why = units[i].form == QUANTITY_COUNT || units[i].form == QUANTITY_TICKS
				   ? "a whole number is meant here"
				   : "the number has too many decimals";
		if (value % decimal.divisor)
			return NULL;
		*ret_quantity = (struct quantity){ units[i].form, (uint64_t)(value / decimal.divisor) };
		return p + n_unit;
	}
	*ret_why = "there is no such unit: it is ns, us, ms, s, min, ticks, %, or k, M, G, Ki, Mi, Gi of a "
		   "number";
	return NULL;
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static uint64_t clamp(wide value)
{
	return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

uint64_t quantity_units(const struct quantity *quantity, struct worth worth)
{
	return clamp((wide)quantity->value * worth.multiply / worth.divide);
}

struct bounds range_bounds(const struct range *range, struct worth worth)
{
	struct bounds bounds = { 0, UINT64_MAX, false };

	if (range->has_least) {
		const wide value = (wide)range->least.value * worth.multiply;
		const bool is_on_it = value % worth.divide == 0;

		bounds.least = clamp(value / worth.divide + (is_on_it ? range->is_least_out : 1));
	}
	if (range->has_most) {
		const wide value = (wide)range->most.value * worth.multiply;
		const bool is_below = value % worth.divide == 0 && range->is_most_out;

		bounds.is_empty = is_below && value == 0;
		bounds.most = bounds.is_empty ? 0 : clamp(value / worth.divide - is_below);
	}
	bounds.is_empty |= bounds.least > bounds.most;
	return bounds;
}

bool range_is_void(const struct range *range)
{
	if (!range->has_least)
		return range->has_most && range->is_most_out && range->most.value == 0;
	return range->has_most && range->least.form == range->most.form &&
	       range->least.value > range->most.value;
}
