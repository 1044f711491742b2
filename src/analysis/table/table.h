/* SPDX-License-Identifier: MIT */
/*
 * Tables: the figures of an analysis, row by row. Its columns are declared once, with their units. Text, CSV,
 * JSON and any other format show the same cells.
 *
 *	cells[LOAD_RUNNING] = cell_time(ticks);
 *
 * A cell that is all zero is absent: it does not apply, or is not known.
 *
 * The figure of a cell is what the recording proves. Where the recording has unknown time, the truth may be
 * larger: a column that is_bounded has cells that also say how large it can be. Text then shows `≥ 3.1 ms` or
 * `19–35 %`; CSV and SQL have a second column NAME_max; JSON has that column if it differs from NAME in some
 * row.
 *
 *	cells[LOAD_RUNNING] = cell_time_between(ticks, ticks + unknown);
 */
#ifndef ANALYSIS_TABLE_TABLE_H
#define ANALYSIS_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

struct histogram;

enum cell_type {
	CELL_WORD,   /* text: a name, a kind */
	CELL_COUNT,  /* a number, of the column's unit */
	CELL_NUMBER, /* a whole number that counts nothing and may be negative: a priority */
	CELL_TIME,   /* a length of time, in ticks; shown in nanoseconds if the clock's frequency is known */
	CELL_MOMENT, /* a point in time: ticks, as `ts` of events */
	CELL_SHARE,  /* a fraction; shown in percent */
	CELL_REAL,   /* a number with decimals, of the column's unit */
	CELL_HISTOGRAM, /* how times are distributed, in ticks; text draws it below the table */
};

struct table_column {
	const char *name; /* plain words with _ between, the same in every output */
	enum cell_type type;
	const char *unit; /* CELL_COUNT, CELL_REAL: "bytes"; NULL if it counts what the name says */
	bool is_subject;  /* the subject of the row: text merges such columns into one */
	bool is_signed;	  /* CELL_SHARE: a change, with its sign */
	bool is_bounded;  /* CELL_TIME, CELL_SHARE, CELL_REAL: its cells may have a `most` */
	bool is_data;	  /* for programs: text does not show it */
	/* 0 is the most important, on the page; 1 is shown if it fits; text leaves out 2, … first */
	uint8_t rank;
	const char *help; /* a clause for --list and the manual; NULL if the name says it */
};

struct table_cell {
	bool is_there;
	/* the figure is the least that fits the recording; `most`, which is larger, fits as well */
	bool has_most;
	union {
		struct text text;
		uint64_t number;
		double real;
		const struct histogram *histogram;
	};
	union {
		uint64_t number;
		double real;
	} most;
};

static inline struct table_cell cell_text(struct text text)
{
	return (struct table_cell){ .is_there = true, .text = text };
}

static inline struct table_cell cell_word(const char *word)
{
	return cell_text((struct text){ word, strlen(word) });
}

static inline struct table_cell cell_count(uint64_t number)
{
	return (struct table_cell){ .is_there = true, .number = number };
}

static inline struct table_cell cell_number(int64_t number)
{
	return cell_count((uint64_t)number);
}

static inline struct table_cell cell_time(uint64_t ticks)
{
	return cell_count(ticks);
}

/* A time of which the recording proves the least; the most is not less. */
static inline struct table_cell cell_time_between(uint64_t least, uint64_t most)
{
	struct table_cell cell = cell_time(least);

	cell.has_most = most > least;
	cell.most.number = most;
	return cell;
}

static inline struct table_cell cell_moment(uint64_t ticks)
{
	return cell_count(ticks);
}

static inline struct table_cell cell_real(double real)
{
	return (struct table_cell){ .is_there = true, .real = real };
}

static inline struct table_cell cell_real_between(double least, double most)
{
	struct table_cell cell = cell_real(least);

	cell.has_most = most > least;
	cell.most.real = most;
	return cell;
}

/* A part of a whole; absent if the whole is 0. */
static inline struct table_cell cell_share(double part, double whole)
{
	return whole > 0 ? cell_real(part / whole) : (struct table_cell){ 0 };
}

static inline struct table_cell cell_share_between(double least, double most, double whole)
{
	return whole > 0 ? cell_real_between(least / whole, most / whole) : (struct table_cell){ 0 };
}

/* The largest figure that fits the recording; the figure itself if that is all. */
static inline struct table_cell cell_most(const struct table_column *column, const struct table_cell *cell)
{
	struct table_cell most = *cell;

	if (cell->has_most && column->type == CELL_TIME)
		most.number = cell->most.number;
	else if (cell->has_most)
		most.real = cell->most.real;
	most.has_most = false;
	return most;
}

/* The cell if a condition holds; else an absent cell. */
static inline struct table_cell cell_if(bool is_there, struct table_cell cell)
{
	cell.is_there &= is_there;
	return cell;
}

static inline struct table_cell cell_histogram(const struct histogram *histogram)
{
	return (struct table_cell){ .is_there = histogram != NULL, .histogram = histogram };
}

struct table {
	const char *name;
	const struct table_column *columns;
	size_t n_columns;
	size_t n_leading;	  /* of these, columns in front of an analysis's own */
	struct table_cell *cells; /* row by row */
	size_t n_rows, n_cells, room;
	struct arena arena; /* texts of cells */
	uint64_t from, to;  /* the window, in ticks */
	bool has_window;    /* false if the trace has no event */
	double unknown;	    /* share of the window that the recording has no data about */
};

/*
 * A new row, of absent cells behind the leading ones; they stay where they are until the next row. Returns
 * NULL if memory ran out.
 */
struct table_cell *table_row(struct table *table);

/* The cell of a column of this name; NULL if there is no such column. */
const struct table_cell *table_find(const struct table *table, size_t row, const char *column);

/* Whether some cell of a bounded column has a `most`. */
bool table_has_most(const struct table *table, size_t column);

/* A copy that lives as long as the table. Returns false if memory ran out. */
bool table_copy(struct table *table, const char *bytes, size_t n_bytes, struct text *ret_text);

/*
 * Sorts the rows from first on by a column, largest first, or texts in their order; rows of equal cells stay
 * in order.
 */
bool table_sort(struct table *table, size_t first, size_t column);

void table_done(struct table *table);

#endif
