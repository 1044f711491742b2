/* SPDX-License-Identifier: MIT */
#include "analysis/table/format.h"

#include "model/clock.h"

static const struct table_format *const formats[] = {
	&table_format_text,
	&table_format_csv,
	&table_format_json,
	NULL,
};

enum rst_status table_format_find(
	const char *name, const struct table_format **ret_format, struct rst_error *err)
{
	for (size_t i = 0; formats[i]; i++)
		if (strcmp(formats[i]->name, name) == 0) {
			*ret_format = formats[i];
			return RST_OK;
		}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no format %s of tables", name);
	error_advise(err, "use text, csv or json");
	return RST_E_USAGE;
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

uint64_t time_in_unit(const struct table_output *output, uint64_t ticks)
{
	return has_ns(output) ? clock_ns(ticks, output->times->hz) : ticks;
}
