/* SPDX-License-Identifier: MIT */
/*
 * Tables for programs: a JSON object on one line, and CSV with a heading. Both formats have all columns and
 * the same numbers. Behind a column that is_bounded stands NAME_max, the largest figures that fit the
 * recording: always in CSV, in JSON if some of them differ.
 */
#include <stdio.h>

#include "analysis/table/format.h"
#include "analysis/table/histogram.h"
#include "base/check.h"

enum {
	CELL_ROOM = 64,
	NAME_ROOM = 80,
	COLUMNS_MAX = 64,
	NAME_FACTOR = 6,
	SHARE_DECIMALS = 4,
	REAL_DECIMALS = 3,
	UNKNOWN_DECIMALS = 6
};

/*
 * A fraction as percent with four decimals; a number with three. Both without an exponent, which few readers
 * of CSV know.
 */
static char *put_decimals(char *p, double number, unsigned n_decimals)
{
	return p + snprintf(p, CELL_ROOM, "%.*f", (int)n_decimals, number);
}

static char *data_put_number(char *p, const struct table_output *output, const struct table_column *column,
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

/* --- JSON ----------------------------------------------------------------------------------------------- */

/* [[from, to, count], …] */
static void put_histogram(
	const struct table_output *output, struct json *json, const struct histogram *histogram)
{
	struct histogram_range range;

	json_array(json, NULL);
	for (size_t position = 0; histogram_next(histogram, &position, &range);) {
		json_array(json, NULL);
		json_unsigned(json, NULL, time_in_unit(output, range.from));
		json_unsigned(json, NULL, time_in_unit(output, range.to));
		json_unsigned(json, NULL, range.n);
		json_end(json);
	}
	json_end(json);
}

static void put_cell(const struct table_output *output, struct json *json, const struct table_column *column,
	const struct table_cell *cell)
{
	char number[CELL_ROOM];

	if (!cell->is_there)
		json_null(json, NULL);
	else if (column->type == CELL_HISTOGRAM)
		put_histogram(output, json, cell->histogram);
	else if (column->type == CELL_WORD)
		json_bytes(json, NULL, cell->text);
	else
		json_ready(json, NULL,
			(struct text){
				number, (size_t)(data_put_number(number, output, column, cell) - number) });
}

void table_json_window(struct json *json, bool has_window, uint64_t from, uint64_t to, double unknown)
{
	if (!has_window) {
		json_null(json, "window");
		json_null(json, "unknown");
		return;
	}
	json_object(json, "window");
	json_unsigned(json, "from", from);
	json_unsigned(json, "to", to);
	json_end(json);
	json_decimals(json, "unknown", unknown, UNKNOWN_DECIMALS);
}

void table_json_column(struct json *json, const char *name, const char *unit)
{
	json_object(json, NULL);
	json_text(json, "name", name);
	json_text(json, "unit", unit);
	json_end(json);
}

static void json_most_column(
	struct json *json, const struct table_column *column, const struct table_output *output)
{
	char name[NAME_ROOM];

	snprintf(name, sizeof(name), "%s_max", column->name);
	json_object(json, NULL);
	json_text(json, "name", name);
	json_text(json, "unit", column_unit(column, output));
	json_text(json, "most_of", column->name);
	json_end(json);
}

static void json_columns(struct json *json, const struct table *table, const struct table_output *output)
{
	json_array(json, "columns");
	for (size_t i = 0; i < table->n_columns; i++) {
		table_json_column(json, table->columns[i].name, column_unit(&table->columns[i], output));
		if (table_has_most(table, i))
			json_most_column(json, &table->columns[i], output);
	}
	json_end(json);
}

static void json_rows(struct json *json, const struct table *table, const struct table_output *output)
{
	bool has_most[COLUMNS_MAX];

	check(table->n_columns <= COLUMNS_MAX);
	for (size_t i = 0; i < table->n_columns; i++)
		has_most[i] = table_has_most(table, i);
	json_array(json, "rows");
	for (size_t i = 0; i < table->n_cells; i++) {
		const size_t n = i % table->n_columns;
		const struct table_column *column = &table->columns[n];

		if (n == 0)
			json_array(json, NULL);
		put_cell(output, json, column, &table->cells[i]);
		if (has_most[n]) {
			const struct table_cell most = cell_most(column, &table->cells[i]);

			put_cell(output, json, column, &most);
		}
		if (n + 1 == table->n_columns)
			json_end(json);
	}
	json_end(json);
}

void table_json_begin(const struct table_output *output, const struct table *table, struct json *json)
{
	json_object(json, NULL);
	json_text(json, "table", table->name);
	if (output->has_source)
		json_unsigned(json, "source", output->source);
	json_columns(json, table, output);
	json_rows(json, table, output);
	table_json_window(json, table->has_window, table->from, table->to, table->unknown);
}

static void table_json_put(const struct table_output *output, const struct table *table)
{
	struct json json = { .out = output->out };

	table_json_begin(output, table, &json);
	json_end(&json);
	json_line_end(&json);
}

const struct table_format table_format_json = {
	.name = "json",
	.put = table_json_put,
};

/* --- CSV ------------------------------------------------------------------------------------------------ */

/* Units stand behind names, as column_ns; histograms are for readers of JSON. */
static void csv_head(const struct table_output *output, const struct table *table)
{
	outbuf_puts(output->out, output->has_source ? "source,table" : "table");
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct table_column *column = &table->columns[i];
		const char *unit = column_unit(column, output);

		for (unsigned most = 0; column->type != CELL_HISTOGRAM && most <= column->is_bounded; most++)
			outbuf_printf(output->out, ",%s%s%s%s", column->name, most ? "_max" : "",
				unit ? "_" : "",
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

	if (!outbuf_reserve(out, room_of(column, cell)))
		return;
	*out->at++ = ',';
	if (!cell->is_there)
		return;
	out->at = column->type == CELL_WORD ? text_put_csv(out->at, cell->text.bytes, cell->text.n_bytes)
					    : data_put_number(out->at, output, column, cell);
}

static void csv_cells(
	const struct table_output *output, const struct table_column *column, const struct table_cell *cell)
{
	const struct table_cell most = cell_most(column, cell);

	if (column->type == CELL_HISTOGRAM)
		return;
	csv_cell(output, column, cell);
	if (column->is_bounded)
		csv_cell(output, column, &most);
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
		csv_cells(output, &table->columns[column], &table->cells[i]);
		outbuf_puts(out, column + 1 == table->n_columns ? "\n" : "");
	}
}

const struct table_format table_format_csv = {
	.name = "csv",
	.put = csv_put,
};
