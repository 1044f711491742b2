/* SPDX-License-Identifier: MIT */
/*
 * Tables for people: aligned columns, times in the unit that suits them, what a row is about in one column,
 * under the table's name. Columns that have nothing to show are left out; where the terminal is too narrow,
 * so are those of the highest rank.
 *
 *	threads  switches  run_max
 *	high            9  9.580 ms
 */
#include <math.h>
#include <stdio.h>

#include "analysis/table/bars.h"
#include "analysis/table/format.h"
#include "base/text.h"

enum { CELL_ROOM = 32, BETWEEN = 2, COLUMNS_MAX = 64, HEAD_ROOM = 64 };

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
	const bool is_small = share > 0 && share < 0.0005 && !is_signed;

	return p + snprintf(p, CELL_ROOM,
			   is_signed  ? "%+.*f %%"
			   : is_small ? "<%.*f %%"
				      : "%.*f %%",
			   share >= 0.9995 || share <= -0.9995 ? 0 : 1, is_small ? 0.1 : share * 100);
}

/* Puts three significant digits, but at most two decimals. */
static char *put_real(char *p, double real)
{
	return p + snprintf(p, CELL_ROOM, "%.*f", real < 10 ? 2 : real < 100 ? 1 : 0, real);
}

/* Writes at most CELL_ROOM bytes. */
static char *text_put_number(char *p, const struct table_output *output, const struct table_column *column,
	const struct table_cell *cell)
{
	const bool has_ns = output->times && output->times->hz;

	if (column->type == CELL_TIME && has_ns && cell->number)
		return text_put_duration_aligned(p, time_in_unit(output, cell->number));
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

/*
 * A share between two: in whole percent, the least rounded down and the most rounded up, or in tenths of a
 * percent where they are near to each other.
 */
static char *put_range(char *p, double least, double most)
{
	const bool is_near = most - least < 0.02;
	const double steps = is_near ? 1000 : 100;

	return p + snprintf(p, CELL_ROOM, "%.*f\xe2\x80\x93%.*f %%", is_near,
			   floor(least * steps) * 100 / steps, is_near, ceil(most * steps) * 100 / steps);
}

/*
 * A figure that may be larger: a range of shares; others are "≥ 3.1 ms". If the most reads the same, it is
 * left out.
 */
static char *put_figure(char *p, const struct table_output *output, const struct table_column *column,
	const struct table_cell *cell)
{
	const struct table_cell most = cell_most(column, cell);
	char least_text[CELL_ROOM], most_text[CELL_ROOM];
	const struct text text = { least_text,
		(size_t)(text_put_number(least_text, output, column, cell) - least_text) };
	const size_t n_most = (size_t)(text_put_number(most_text, output, column, &most) - most_text);

	if (n_most == text.n_bytes && memcmp(least_text, most_text, n_most) == 0)
		return text_put(p, text.bytes, text.n_bytes);
	if (column->type == CELL_SHARE)
		return put_range(p, cell->real, most.real);
	return text_put(text_put_literal(p, "\xe2\x89\xa5 "), text.bytes, text.n_bytes);
}

/*
 * The texts of a cell: up to three in a row. A number that is a subject has its kind in front ("core 0"); a
 * name that is too long has dots in its middle.
 */
enum { PIECES = 3, NAME_LEAST = 16 };

struct shown_cell {
	struct text pieces[PIECES];
	char number[CELL_ROOM];
};

/*
 * The most bytes of whole characters, from the front or from the back, that need no more than so many
 * columns.
 */
static struct text part_of(struct text text, size_t n_columns, bool is_tail)
{
	size_t n = text.n_bytes < 4 * n_columns ? text.n_bytes : 4 * n_columns;

	for (;; n--) {
		const char *cut = is_tail ? text.bytes + text.n_bytes - n : text.bytes + n;
		const struct text part = { is_tail ? cut : text.bytes, n };
		const bool is_border = n == 0 || n == text.n_bytes || (*cut & 0xC0) != 0x80;

		if (is_border && text_columns(part.bytes, n) <= n_columns)
			return part;
	}
}

static void shown_name(const struct table_output *output, const struct table_column *column, struct text name,
	struct shown_cell *ret)
{
	const size_t third = output->n_columns / 3, most = third > NAME_LEAST ? third : NAME_LEAST;

	if (output->n_columns && text_columns(name.bytes, name.n_bytes) > most) {
		ret->pieces[0] = part_of(name, most / 2, false);
		ret->pieces[1] = (struct text){ "..", 2 };
		ret->pieces[2] = part_of(name, most - 2 - most / 2, true);
		return;
	}
	ret->pieces[2] = name;
	if (column->is_subject && name.n_bytes && text_is_digit(*name.bytes)) {
		ret->pieces[0] = (struct text){ column->name, strlen(column->name) };
		ret->pieces[1] = (struct text){ " ", 1 };
	}
}

static void shown_cell(const struct table_output *output, const struct table_column *column,
	const struct table_cell *cell, struct shown_cell *ret)
{
	for (size_t i = 0; i < PIECES; i++)
		ret->pieces[i] = (struct text){ "", 0 };
	if (!cell->is_there)
		return;
	if (column->type == CELL_WORD) {
		shown_name(output, column, cell->text, ret);
		return;
	}
	const char *end = put_figure(ret->number, output, column, cell);

	ret->pieces[0] = (struct text){ ret->number, (size_t)(end - ret->number) };
}

static size_t shown_width(const struct shown_cell *shown)
{
	size_t width = 0;

	for (size_t i = 0; i < PIECES; i++)
		width += text_columns(shown->pieces[i].bytes, shown->pieces[i].n_bytes);
	return width;
}

/* The cell in a column of the text; of several subjects, the last one that is not absent. */
static size_t cell_shown(const struct table *table, const struct table_cell *row, size_t column)
{
	size_t found = column;

	for (size_t i = column; table->columns[column].is_subject && i < table->n_columns; i++)
		if (table->columns[i].is_subject && row[i].is_there)
			found = i;
	return found;
}

static size_t rows_shown(const struct table_output *output, const struct table *table)
{
	return output->n_rows_max && table->n_rows > output->n_rows_max ? output->n_rows_max : table->n_rows;
}

/* --- which columns -------------------------------------------------------------------------------------- */

/* A column with only zeros is shown only if it is one of the most important. */
static bool shows(const struct table_column *column, const struct table_cell *cell)
{
	if (!cell->is_there || column->rank == 0 || column->type == CELL_WORD)
		return cell->is_there;
	return column->type == CELL_SHARE || column->type == CELL_REAL ? cell->real != 0 : cell->number != 0;
}

static bool has_cells(const struct table *table, size_t n_rows, size_t column)
{
	for (size_t row = 0; row < n_rows; row++)
		if (shows(&table->columns[column], &table->cells[row * table->n_columns + column]))
			return true;
	return false;
}

/*
 * The heading of a column. The column of subjects has the table's name and, on the page, the number of rows.
 */
static struct text head_of(
	const struct table_output *output, const struct table *table, size_t column, char room[HEAD_ROOM])
{
	const char *name = table->columns[column].name;
	const size_t n_rows = rows_shown(output, table);

	if (!table->columns[column].is_subject)
		return (struct text){ name, strlen(name) };
	if (!output->is_page || n_rows == table->n_rows)
		return (struct text){ table->name, strlen(table->name) };
	const int n = snprintf(room, HEAD_ROOM, "%.16s (%zu of %zu)", table->name, n_rows, table->n_rows);

	return (struct text){ room, (size_t)n };
}

static unsigned width_of(
	const struct table_output *output, const struct table *table, size_t n_rows, size_t column)
{
	char room[HEAD_ROOM];
	size_t width = head_of(output, table, column, room).n_bytes;

	for (size_t row = 0; row < n_rows; row++) {
		const struct table_cell *cells = table->cells + row * table->n_columns;
		const size_t i = cell_shown(table, cells, column);
		struct shown_cell shown;

		shown_cell(output, &table->columns[i], &cells[i], &shown);
		const size_t n = shown_width(&shown);

		width = n > width ? n : width;
	}
	return (unsigned)width;
}

static void layout_choose(
	const struct table_output *output, const struct table *table, size_t n_rows, struct layout *layout)
{
	bool has_subject = false;

	for (size_t i = 0; i < table->n_columns && layout->n_shown < COLUMNS_MAX; i++) {
		const struct table_column *column = &table->columns[i];

		if (column->is_data || column->type == CELL_HISTOGRAM || column->rank > output->rank_max ||
			(column->is_subject && has_subject) ||
			!(column->is_subject || has_cells(table, n_rows, i)))
			continue;
		has_subject |= column->is_subject;
		layout->shown[layout->n_shown++] = (struct shown){ .column = i,
			.width = width_of(output, table, n_rows, i),
			.is_left = column->type == CELL_WORD };
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

/* --- lines ---------------------------------------------------------------------------------------------- */

static void put_aligned(struct outbuf *out, const struct shown *shown, const struct shown_cell *cell)
{
	const size_t width = shown_width(cell);
	const size_t n_blanks = width < shown->width ? shown->width - width : 0;

	size_t n_bytes = n_blanks;

	for (size_t i = 0; i < PIECES; i++)
		n_bytes += cell->pieces[i].n_bytes;
	if (!outbuf_reserve(out, n_bytes))
		return;
	if (!shown->is_left)
		out->at = text_put_fill(out->at, ' ', n_blanks);
	for (size_t i = 0; i < PIECES; i++)
		out->at = text_put(out->at, cell->pieces[i].bytes, cell->pieces[i].n_bytes);
	if (shown->is_left)
		out->at = text_put_fill(out->at, ' ', n_blanks);
}

/* Ends a line, without the blanks that absent cells leave at its end. */
static void put_line_end(struct outbuf *out)
{
	while (out->at > out->start && out->at[-1] == ' ')
		out->at--;
	outbuf_puts(out, "\n");
}

static void put_head(
	const struct table_output *output, const struct table *table, const struct layout *layout)
{
	outbuf_puts(output->out, output->has_color ? "\033[1m" : "");
	for (size_t i = 0; i < layout->n_shown; i++) {
		char room[HEAD_ROOM];
		const struct shown_cell cell = {
			.pieces = { head_of(output, table, layout->shown[i].column, room), { "", 0 },
				{ "", 0 } }
		};

		outbuf_puts(output->out, i ? "  " : "");
		put_aligned(output->out, &layout->shown[i], &cell);
	}
	outbuf_puts(output->out, output->has_color ? "\033[0m" : "");
	put_line_end(output->out);
}

/* The part of the window stands in its first row only. */
static bool is_repeated(const struct table *table, size_t row, size_t column)
{
	const struct table_cell *cell = table->cells + row * table->n_columns + column;

	return column < table->n_leading && row && cell->number == cell[-(ptrdiff_t)table->n_columns].number;
}

static void put_row(
	const struct table_output *output, const struct table *table, const struct layout *layout, size_t n)
{
	static const struct table_cell absent = { 0 };
	const struct table_cell *row = table->cells + n * table->n_columns;

	for (size_t i = 0; i < layout->n_shown; i++) {
		const size_t column = cell_shown(table, row, layout->shown[i].column);
		struct shown_cell cell;

		outbuf_puts(output->out, i ? "  " : "");
		shown_cell(output, &table->columns[column],
			is_repeated(table, n, column) ? &absent : &row[column], &cell);
		put_aligned(output->out, &layout->shown[i], &cell);
	}
	put_line_end(output->out);
}

static bool has_subject(const struct table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].is_subject)
			return true;
	return false;
}

static void put_rows(const struct table_output *output, const struct table *table)
{
	const size_t n_rows = rows_shown(output, table);
	struct layout layout = { .n_shown = 0 };

	layout_choose(output, table, n_rows, &layout);
	layout_fit(table, output->n_columns, &layout);
	put_head(output, table, &layout);
	for (size_t row = 0; row < n_rows; row++)
		put_row(output, table, &layout, row);
	if (output->is_page)
		return;
	if (n_rows < table->n_rows)
		outbuf_printf(output->out, "(%zu more)\n", table->n_rows - n_rows);
	if (layout.n_left_out)
		outbuf_printf(output->out, "(%zu more column%s: a wider terminal, or --format csv)\n",
			layout.n_left_out, layout.n_left_out == 1 ? "" : "s");
}

static void text_put_table(const struct table_output *output, const struct table *table)
{
	if (output->n_begun)
		outbuf_puts(output->out, "\n");
	if (!table->n_rows)
		outbuf_printf(output->out, "%s: nothing recorded\n", table->name);
	else if (!has_subject(table))
		outbuf_printf(output->out, "%s\n", table->name);
	if (table->n_rows)
		put_rows(output, table);
	if (table->n_rows && output->has_bars)
		bars_put(output, table);
}

const struct table_format table_format_text = {
	.name = "text",
	.put = text_put_table,
};
