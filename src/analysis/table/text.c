/* SPDX-License-Identifier: MIT */
/*
 * Tables for people: aligned columns, times in the unit that suits them, what a row is about in one column. Columns that have
 * nothing to show are left out; where the terminal is too narrow, so are those of the highest rank.
 */
#include <stdio.h>

#include "analysis/table/format.h"

enum { CELL_ROOM = 32, BETWEEN = 2, COLUMNS_MAX = 64, NAME_MAX_COLUMNS = 32 };

/* A column of the text: one of the table, or all that are its subject. */
struct shown {
	size_t column; /* the first */
	unsigned width;
	bool is_left;
};

struct layout {
	struct shown shown[COLUMNS_MAX];
	size_t n_shown;
	size_t n_left_out; /* by rank */
};

static char *put_share(char *p, double share, bool is_signed)
{
	return p + snprintf(p, CELL_ROOM, is_signed ? "%+.*f %%" : "%.*f %%",
			   share >= 0.9995 || share <= -0.9995 ? 0 : 1, share * 100);
}

/* Three digits that count, as far as two decimals have them. */
static char *put_real(char *p, double real)
{
	return p + snprintf(p, CELL_ROOM, "%.*f", real < 10 ? 2 : real < 100 ? 1 : 0, real);
}

/* Writes at most CELL_ROOM bytes. */
static char *put_number(char *p, const struct table_output *output, const struct table_column *column,
	const struct table_cell *cell)
{
	const bool has_ns = output->times && output->times->hz;

	if (column->type == CELL_TIME && has_ns)
		return text_put_duration(p, (int64_t)time_in_unit(output, cell->number));
	if (column->type == CELL_MOMENT && has_ns)
		return text_put_seconds(p, times_ns(output->times, cell->number));
	if (column->type == CELL_SHARE)
		return put_share(p, cell->real, column->is_signed);
	if (column->type == CELL_REAL)
		return put_real(p, cell->real);
	if (column->type == CELL_NUMBER)
		return text_put_signed(p, (int64_t)cell->number);
	return text_put_dec(p, cell->number);
}

/* What is shown of a cell; number is where its digits may go. */
static struct text text_of(const struct table_output *output, const struct table_column *column,
	const struct table_cell *cell, char number[CELL_ROOM])
{
	if (!cell->is_there)
		return (struct text){ "", 0 };
	if (column->type == CELL_WORD)
		return cell->text;
	return (struct text){ number, (size_t)(put_number(number, output, column, cell) - number) };
}

/* The cell that stands in a column of the text: of several subjects, the last one that is there. */
static size_t cell_shown(const struct table *table, const struct table_cell *row, size_t column)
{
	size_t found = column;

	for (size_t i = column; table->columns[column].is_subject && i < table->n_columns; i++)
		if (table->columns[i].is_subject && row[i].is_there)
			found = i;
	return found;
}

/* --- which columns ------------------------------------------------------------------------------------------------ */

static bool has_cells(const struct table *table, size_t column)
{
	for (size_t row = 0; row < table->n_rows; row++)
		if (table->cells[row * table->n_columns + column].is_there)
			return true;
	return false;
}

static unsigned width_of(const struct table_output *output, const struct table *table, size_t column)
{
	size_t width = strlen(table->columns[column].name);

	for (size_t row = 0; row < table->n_rows; row++) {
		const struct table_cell *cells = table->cells + row * table->n_columns;
		const size_t i = cell_shown(table, cells, column);
		char number[CELL_ROOM];
		const struct text text = text_of(output, &table->columns[i], &cells[i], number);
		const size_t n = text_columns(text.bytes, text.n_bytes);

		width = n > width ? n : width;
	}
	return (unsigned)width;
}

static void layout_choose(const struct table_output *output, const struct table *table, struct layout *layout)
{
	bool has_subject = false;

	for (size_t i = 0; i < table->n_columns && layout->n_shown < COLUMNS_MAX; i++) {
		const struct table_column *column = &table->columns[i];

		if (column->is_data || column->type == CELL_HISTOGRAM || column->rank > output->rank_max ||
			(column->is_subject && has_subject) || !(column->is_subject || has_cells(table, i)))
			continue;
		has_subject |= column->is_subject;
		layout->shown[layout->n_shown++] = (struct shown){
			.column = i, .width = width_of(output, table, i), .is_left = column->type == CELL_WORD
		};
	}
}

static unsigned layout_width(const struct layout *layout)
{
	unsigned width = 0;

	for (size_t i = 0; i < layout->n_shown; i++)
		width += layout->shown[i].width + (i ? BETWEEN : 0);
	return width;
}

/* Leaves out the last column of the highest rank, until the rest fits. */
static void layout_fit(const struct table *table, unsigned n_columns, struct layout *layout)
{
	while (n_columns && layout_width(layout) > n_columns) {
		size_t last = 0;

		for (size_t i = 1; i < layout->n_shown; i++)
			if (table->columns[layout->shown[i].column].rank >=
				table->columns[layout->shown[last].column].rank)
				last = i;
		if (last == 0)
			return;
		layout->n_shown--;
		layout->n_left_out++;
		memmove(&layout->shown[last], &layout->shown[last + 1],
			(layout->n_shown - last) * sizeof(struct shown));
	}
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static void put_aligned(struct outbuf *out, const struct shown *shown, struct text text, bool is_last)
{
	const size_t n_columns = text_columns(text.bytes, text.n_bytes);
	const size_t n_blanks = n_columns < shown->width ? shown->width - n_columns : 0;

	if (!outbuf_reserve(out, n_blanks + text.n_bytes))
		return;
	if (!shown->is_left)
		out->at = text_put_fill(out->at, ' ', n_blanks);
	out->at = text_put(out->at, text.bytes, text.n_bytes);
	if (shown->is_left && !is_last)
		out->at = text_put_fill(out->at, ' ', n_blanks);
}

static void put_head(
	const struct table_output *output, const struct table *table, const struct layout *layout)
{
	outbuf_puts(output->out, output->has_color ? "\033[1m" : "");
	for (size_t i = 0; i < layout->n_shown; i++) {
		const char *name = table->columns[layout->shown[i].column].name;

		outbuf_puts(output->out, i ? "  " : "");
		put_aligned(output->out, &layout->shown[i], (struct text){ name, strlen(name) },
			i + 1 == layout->n_shown);
	}
	outbuf_puts(output->out, output->has_color ? "\033[0m\n" : "\n");
}

/* Cells that are absent leave no blanks at the end of a line. */
static void put_line_end(struct outbuf *out)
{
	while (out->at > out->start && out->at[-1] == ' ')
		out->at--;
	outbuf_puts(out, "\n");
}

static void put_row(const struct table_output *output, const struct table *table, const struct layout *layout,
	const struct table_cell *row)
{
	for (size_t i = 0; i < layout->n_shown; i++) {
		const size_t column = cell_shown(table, row, layout->shown[i].column);
		char number[CELL_ROOM];

		outbuf_puts(output->out, i ? "  " : "");
		put_aligned(output->out, &layout->shown[i],
			text_of(output, &table->columns[column], &row[column], number),
			i + 1 == layout->n_shown);
	}
	put_line_end(output->out);
}

static void text_put_table(const struct table_output *output, const struct table *table)
{
	const size_t n_rows =
		output->n_rows_max && table->n_rows > output->n_rows_max ? output->n_rows_max : table->n_rows;
	struct layout layout = { .n_shown = 0 };

	if (output->n_begun)
		outbuf_puts(output->out, "\n");
	outbuf_printf(output->out, "%s%s", table->name, table->n_rows ? "\n" : ": nothing recorded\n");
	if (!table->n_rows)
		return;
	layout_choose(output, table, &layout);
	layout_fit(table, output->n_columns, &layout);
	put_head(output, table, &layout);
	for (size_t row = 0; row < n_rows; row++)
		put_row(output, table, &layout, table->cells + row * table->n_columns);
	if (n_rows < table->n_rows)
		outbuf_printf(output->out, "(%zu more)\n", table->n_rows - n_rows);
	if (layout.n_left_out)
		outbuf_printf(output->out, "(%zu more column%s: a wider terminal, or --format csv)\n",
			layout.n_left_out, layout.n_left_out == 1 ? "" : "s");
}

const struct table_format table_format_text = {
	.name = "text",
	.put = text_put_table,
};
