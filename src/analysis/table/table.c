/* SPDX-License-Identifier: MIT */
#include "analysis/table/table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"

struct table_cell *table_row(struct table *table)
{
	check(table->columns && table->n_leading < table->n_columns);
	check(table->n_cells == table->n_rows * table->n_columns);
	while (table->n_cells + table->n_columns > table->room) {
		struct table_cell *cells =
			array_room(table->cells, table->room, &table->room, sizeof(*table->cells));

		if (!cells)
			return NULL;
		table->cells = cells;
	}
	struct table_cell *row = table->cells + table->n_cells;

	memset(row, 0, table->n_columns * sizeof(*row));
	table->n_cells += table->n_columns;
	table->n_rows++;
	return row + table->n_leading;
}

const struct table_cell *table_find(const struct table *table, size_t row, const char *column)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (strcmp(table->columns[i].name, column) == 0)
			return &table->cells[row * table->n_columns + i];
	return NULL;
}

bool table_has_most(const struct table *table, size_t column)
{
	for (size_t row = 0; table->columns[column].is_bounded && row < table->n_rows; row++) {
		const struct table_cell *cell = &table->cells[row * table->n_columns + column];

		if (cell->is_there && cell->has_most)
			return true;
	}
	return false;
}

bool table_copy(struct table *table, const char *bytes, size_t n_bytes, struct text *ret_text)
{
	char *copy = arena_copy(&table->arena, bytes, n_bytes);

	*ret_text = (struct text){ copy, copy ? n_bytes : 0 };
	return copy != NULL;
}

/* --- sorting -------------------------------------------------------------------------------------------- */

static int texts_compare(const struct text *a, const struct text *b)
{
	const size_t n = a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes;
	const int order = memcmp(a->bytes, b->bytes, n);

	return order ? order : (a->n_bytes > b->n_bytes) - (a->n_bytes < b->n_bytes);
}

/* Below 0: a comes first. Rows without the cell come last. */
static int cells_compare(enum cell_type type, const struct table_cell *a, const struct table_cell *b)
{
	if (!a->is_there || !b->is_there)
		return b->is_there - a->is_there;
	if (type == CELL_WORD)
		return texts_compare(&a->text, &b->text);
	if (type == CELL_SHARE || type == CELL_REAL)
		return (a->real < b->real) - (a->real > b->real);
	if (type == CELL_NUMBER)
		return ((int64_t)a->number < (int64_t)b->number) - ((int64_t)a->number > (int64_t)b->number);
	return (a->number < b->number) - (a->number > b->number);
}

struct sorting {
	const struct table *table;
	size_t column;
};

static int rows_compare(const void *a, const void *b, void *context)
{
	const struct sorting *sorting = context;
	const struct table *table = sorting->table;
	const size_t *row_a = a, *row_b = b;
	const struct table_cell *cells = table->cells + sorting->column;
	const int order = cells_compare(table->columns[sorting->column].type,
		cells + *row_a * table->n_columns, cells + *row_b * table->n_columns);

	return order ? order : (*row_a > *row_b) - (*row_a < *row_b);
}

bool table_sort(struct table *table, size_t first, size_t column)
{
	check(first <= table->n_rows && column < table->n_columns);
	const size_t n_rows = table->n_rows - first, row_bytes = table->n_columns * sizeof(*table->cells);
	struct sorting sorting = { table, column };
	size_t *order = malloc((n_rows + 1) * sizeof(*order));
	struct table_cell *cells = malloc(n_rows * row_bytes + 1);

	if (order && cells) {
		for (size_t i = 0; i < n_rows; i++)
			order[i] = first + i;
		qsort_r(order, n_rows, sizeof(*order), rows_compare, &sorting);
		for (size_t i = 0; i < n_rows; i++)
			memcpy(cells + i * table->n_columns, table->cells + order[i] * table->n_columns,
				row_bytes);
		if (n_rows)
			memcpy(table->cells + first * table->n_columns, cells, n_rows * row_bytes);
	}
	const bool is_sorted = order && cells;

	free(order);
	free(cells);
	return is_sorted;
}

void table_done(struct table *table)
{
	free(table->cells);
	arena_done(&table->arena);
}
