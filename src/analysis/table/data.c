/* SPDX-License-Identifier: MIT */
/*
 * Tables for programs: a JSON object on one line, and CSV with a heading. Both formats have all columns and
 * the same numbers.
 */
#include <stdio.h>

#include "analysis/table/format.h"
#include "analysis/table/histogram.h"

enum { CELL_ROOM = 64, NAME_FACTOR = 6, SHARE_DECIMALS = 4, REAL_DECIMALS = 3 };

/* A fraction as percent with four decimals; a number with three. Both without an exponent, which few readers of CSV know. */
static char *put_decimals(char *p, double number, unsigned n_decimals)
{
	return p + snprintf(p, CELL_ROOM, "%.*f", (int)n_decimals, number);
}

static char *put_number(char *p, const struct table_output *output, const struct table_column *column,
	const struct table_cell *cell)
{
	if (column->type == CELL_TIME)
		return text_put_dec(p, time_in_unit(output, cell->number));
	if (column->type == CELL_SHARE)
		return put_decimals(p, cell->real * 100, SHARE_DECIMALS);
	if (column->type == CELL_REAL)
		return put_decimals(p, cell->real, REAL_DECIMALS);
	if (column->type == CELL_NUMBER)
		return text_put_signed(p, (int64_t)cell->number);
	return text_put_dec(p, cell->number);
}

static size_t room_of(const struct table_column *column, const struct table_cell *cell)
{
	return CELL_ROOM + (column->type == CELL_WORD ? NAME_FACTOR * cell->text.n_bytes : 0);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

/* [[from, to, count], …] */
static void json_histogram(const struct table_output *output, const struct histogram *histogram)
{
	struct outbuf *out = output->out;
	struct histogram_range range;
	const char *between = "";

	outbuf_puts(out, "[");
	for (size_t position = 0; histogram_next(histogram, &position, &range); between = ",")
		outbuf_printf(out, "%s[%llu,%llu,%llu]", between,
			(unsigned long long)time_in_unit(output, range.from),
			(unsigned long long)time_in_unit(output, range.to), (unsigned long long)range.n);
	outbuf_puts(out, "]");
}

static void json_cell(
	const struct table_output *output, const struct table_column *column, const struct table_cell *cell)
{
	struct outbuf *out = output->out;

	if (!cell->is_there)
		outbuf_puts(out, "null");
	else if (column->type == CELL_HISTOGRAM)
		json_histogram(output, cell->histogram);
	else if (outbuf_reserve(out, room_of(column, cell)))
		out->at = column->type == CELL_WORD
				  ? text_put_json(out->at, cell->text.bytes, cell->text.n_bytes)
				  : put_number(out->at, output, column, cell);
}

static void json_columns(const struct table_output *output, const struct table *table)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		outbuf_printf(
			output->out, "%s{\"name\":\"%s\",\"unit\":", i ? "," : "", table->columns[i].name);
		outbuf_json(output->out, column_unit(&table->columns[i], output));
		outbuf_puts(output->out, "}");
	}
}

static void json_put(const struct table_output *output, const struct table *table)
{
	struct outbuf *out = output->out;

	outbuf_printf(out, "{\"table\":\"%s\",", table->name);
	if (output->has_source)
		outbuf_printf(out, "\"source\":%u,", output->source);
	outbuf_puts(out, "\"columns\":[");
	json_columns(output, table);
	outbuf_puts(out, "],\"rows\":[");
	for (size_t i = 0; i < table->n_cells; i++) {
		const size_t column = i % table->n_columns;

		outbuf_puts(out, column ? "," : i ? ",[" : "[");
		json_cell(output, &table->columns[column], &table->cells[i]);
		outbuf_puts(out, column + 1 == table->n_columns ? "]" : "");
	}
	if (table->has_window)
		outbuf_printf(out, "],\"window\":{\"from\":%llu,\"to\":%llu},\"unknown\":%.6f}\n",
			(unsigned long long)table->from, (unsigned long long)table->to, table->unknown);
	else
		outbuf_puts(out, "],\"window\":null,\"unknown\":null}\n");
}

const struct table_format table_format_json = {
	.name = "json",
	.put = json_put,
};

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

/* Units stand behind names, as column_ns; histograms are for readers of JSON. */
static void csv_head(const struct table_output *output, const struct table *table)
{
	outbuf_puts(output->out, output->has_source ? "source,table" : "table");
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct table_column *column = &table->columns[i];
		const char *unit = column_unit(column, output);

		if (column->type == CELL_HISTOGRAM)
			continue;
		outbuf_printf(output->out, ",%s%s%s", column->name, unit ? "_" : "",
			!unit			 ? ""
			: strcmp(unit, "%") == 0 ? "percent"
						 : unit);
	}
	outbuf_puts(output->out, "\n");
}

static void csv_cell(
	const struct table_output *output, const struct table_column *column, const struct table_cell *cell)
{
	struct outbuf *out = output->out;

	if (column->type == CELL_HISTOGRAM || !outbuf_reserve(out, room_of(column, cell)))
		return;
	*out->at++ = ',';
	if (!cell->is_there)
		return;
	out->at = column->type == CELL_WORD ? text_put_csv(out->at, cell->text.bytes, cell->text.n_bytes)
					    : put_number(out->at, output, column, cell);
}

static void csv_put(const struct table_output *output, const struct table *table)
{
	struct outbuf *out = output->out;

	if (output->n_begun)
		outbuf_puts(out, "\n");
	csv_head(output, table);
	for (size_t i = 0; i < table->n_cells; i++) {
		const size_t column = i % table->n_columns;

		if (column == 0 && output->has_source)
			outbuf_printf(out, "%u,", output->source);
		if (column == 0)
			outbuf_puts(out, table->name);
		csv_cell(output, &table->columns[column], &table->cells[i]);
		outbuf_puts(out, column + 1 == table->n_columns ? "\n" : "");
	}
}

const struct table_format table_format_csv = {
	.name = "csv",
	.put = csv_put,
};
