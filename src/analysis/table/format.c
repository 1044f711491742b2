/* SPDX-License-Identifier: MIT */
#include "analysis/table/format.h"

#include <stdio.h>

#include "base/choice.h"
#include "model/clock.h"

static const struct table_format *const formats[] = {
	&table_format_text,
	&table_format_csv,
	&table_format_json,
	NULL,
};

static const char *format_name(size_t i)
{
	return formats[i] ? formats[i]->name : NULL;
}

enum rst_status table_format_find(
	const char *name, const struct table_format **ret_format, struct rst_error *err)
{
	const struct choice choice = { .kind = "format of tables", .name = format_name };
	size_t index;

	error_try(choice_find(&choice, name, &index, err));
	*ret_format = formats[index];
	return RST_OK;
}

static bool has_ns(const struct table_output *output)
{
	return output->times && output->times->hz;
}

const char *column_unit(const struct table_column *column, const struct table_output *output)
{
	if (column->type == CELL_TIME || column->type == CELL_HISTOGRAM)
		return has_ns(output) ? "ns" : "ticks";
	if (column->type == CELL_MOMENT)
		return "ticks";
	return column->type == CELL_SHARE ? "%" : column->unit;
}

void put_least(struct outbuf *out, double number, unsigned n_decimals, bool may_be_larger, unsigned width)
{
	char text[400]; /* DBL_MAX has 309 digits */
	const unsigned n =
		(unsigned)snprintf(text, sizeof(text), "%.*f", (int)n_decimals, number) + may_be_larger;

	outbuf_printf(out, "%*s%s%s", width > n ? (int)(width - n) : 0, "",
		may_be_larger ? "\xe2\x89\xa5" : "", text);
}

uint64_t time_in_unit(const struct table_output *output, uint64_t ticks)
{
	return has_ns(output) ? clock_ns(ticks, output->times->hz) : ticks;
}
