/* SPDX-License-Identifier: MIT */
/* Numbers with units, and ranges of them, without rounding: a limit of 2ms is 2ms, whatever the clock. */
#include <string.h>

#include "base/text.h"
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

/* --- reading -------------------------------------------------------------------------------------------- */

struct decimal {
	uint64_t digits, divisor; /* the number is digits / divisor */
};

static bool digit_add(struct decimal *decimal, char c)
{
	return !__builtin_mul_overflow(decimal->digits, 10, &decimal->digits) &&
	       !__builtin_add_overflow(decimal->digits, (uint64_t)(c - '0'), &decimal->digits);
}

/* A point that another one follows is that of a range. Returns NULL if the number has too many digits. */
static const char *decimal_parse(const char *p, struct decimal *decimal)
{
	*decimal = (struct decimal){ 0, 1 };
	for (; text_is_digit(*p); p++)
		if (!digit_add(decimal, *p))
			return NULL;
	if (*p != '.' || !text_is_digit(p[1]))
		return p;
	for (p++; text_is_digit(*p); p++)
		if (!digit_add(decimal, *p) ||
			__builtin_mul_overflow(decimal->divisor, 10, &decimal->divisor))
			return NULL;
	return p;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || (c & 0x80);
}

/* Divides by 10 what both have in common: 2.50 is 25 / 10. */
static void parts_shorten(struct quantity *quantity)
{
	while (quantity->parts > 1 && quantity->value % 10 == 0) {
		quantity->value /= 10;
		quantity->parts /= 10;
	}
}

/*
 * The number with a unit; only a count keeps its decimals and sign. NULL is good, else it is what is wrong.
 */
static const char *quantity_make(
	const struct decimal *decimal, bool is_negative, size_t unit, struct quantity *ret_quantity)
{
	const wide value = (wide)decimal->digits * units[unit].factor;
	const bool is_count = units[unit].form == QUANTITY_COUNT;
	const uint64_t parts = value % decimal->divisor ? decimal->divisor : 1;

	if (value / decimal->divisor > UINT64_MAX || (parts != 1 && value > UINT64_MAX))
		return "the number is too large, or has too many digits";
	if (parts != 1 && units[unit].form == QUANTITY_TICKS)
		return "a whole number is meant here";
	if ((parts != 1 && !is_count) || parts > QUANTITY_PARTS_MAX)
		return "the number has too many decimals";
	*ret_quantity = (struct quantity){ .form = units[unit].form,
		.value = (uint64_t)(parts == 1 ? value / decimal->divisor : value),
		.parts = parts };
	ret_quantity->is_negative = is_negative && ret_quantity->value;
	parts_shorten(ret_quantity);
	return ret_quantity->is_negative && !is_count ? "no time or share is less than 0" : NULL;
}

const char *quantity_parse(const char *p, struct quantity *ret_quantity, const char **ret_why)
{
	const bool is_negative = *p == '-';
	struct decimal decimal;
	size_t n_unit = 0;

	p += is_negative;
	if (!text_is_digit(*p)) {
		*ret_why = "a number is missing";
		return NULL;
	}
	p = decimal_parse(p, &decimal);
	*ret_why = "the number is too large, or has too many digits";
	if (!p)
		return NULL;
	/* One blank may stand in front of the unit; `per` is not a unit. */
	if (*p == ' ' && is_word(p[1]) && strncmp(p + 1, "per ", 4) != 0)
		p++;
	while (is_word(p[n_unit]))
		n_unit++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].suffix) != n_unit || memcmp(p, units[i].suffix, n_unit) != 0)
			continue;
		*ret_why = quantity_make(&decimal, is_negative, i, ret_quantity);
		return *ret_why ? NULL : p + n_unit;
	}
	*ret_why = "there is no such unit: it is ns, us, ms, s, min, ticks, %, or k, M, G, Ki, Mi, Gi of a "
		   "number";
	return NULL;
}

/* --- ranges --------------------------------------------------------------------------------------------- */

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

bool range_is_void(const struct range *range, bool has_sign)
{
	if (!range->has_least)
		return !has_sign && range->has_most && range->is_most_out && range->most.value == 0;
	return range->has_most && range->least.form == range->most.form &&
	       quantity_compare(&range->least, &range->most) > 0;
}
