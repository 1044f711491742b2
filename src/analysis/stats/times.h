/* SPDX-License-Identifier: MIT */
/* Cells that several tables have: how lengths of time are distributed. */
#ifndef ANALYSIS_STATS_TIMES_H
#define ANALYSIS_STATS_TIMES_H

#include "analysis/table/histogram.h"
#include "analysis/table/table.h"

/* The cells, in the order of their columns. */
enum { DURATION_P50, DURATION_P90, DURATION_P99, DURATION_MAX, DURATION_MAX_AT, N_DURATION_CELLS };

/* Their columns from `first` on: the names begin with a prefix; each table has its own ranks. */
#define DURATION_COLUMNS(first, prefix, is_max_bounded, rank_p50, rank_p90, rank_p99, rank_max, rank_max_at, \
	help_p50, help_max_at)                                                                               \
	[(first) + DURATION_P50] = { .name = prefix "p50",                                                   \
		.type = CELL_TIME,                                                                           \
		.rank = rank_p50,                                                                            \
		.help = help_p50 },                                                                          \
		   [(first) + DURATION_P90] = { .name = prefix "p90",                                        \
			   .type = CELL_TIME,                                                                \
			   .rank = rank_p90,                                                                 \
			   .help = "nine in ten are not longer" },                                           \
		   [(first) + DURATION_P99] = { .name = prefix "p99",                                        \
			   .type = CELL_TIME,                                                                \
			   .rank = rank_p99,                                                                 \
			   .help = "99 in 100 are not longer" },                                             \
		   [(first) + DURATION_MAX] = { .name = prefix "max",                                        \
			   .type = CELL_TIME,                                                                \
			   .is_bounded = is_max_bounded,                                                     \
			   .rank = rank_max,                                                                 \
			   .help = "the longest" },                                                          \
		   [(first) + DURATION_MAX_AT] = { .name = prefix "max_at",                                  \
			   .type = CELL_MOMENT,                                                              \
			   .rank = rank_max_at,                                                              \
			   .help = help_max_at }

/* Sets those cells; all are absent if the histogram has no number. */
static inline void duration_cells(struct table_cell *cells, const struct histogram *histogram)
{
	static const double shares[] = { [DURATION_P50] = 0.5, [DURATION_P90] = 0.9, [DURATION_P99] = 0.99 };

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		cells[i] = cell_if(histogram->n > 0, cell_time(histogram_at(histogram, shares[i])));
	cells[DURATION_MAX] = cell_if(histogram->n > 0, cell_time(histogram->most));
	cells[DURATION_MAX_AT] = cell_if(histogram->n > 0, cell_moment(histogram->most_at));
}

/*
 * The longest of whole intervals. If their subject has unknown time, a longer one may lie there, and only the
 * window bounds it. Absent if there is no interval.
 */
static inline struct table_cell longest_cell(
	const struct histogram *histogram, uint64_t unknown, uint64_t window)
{
	return cell_if(
		histogram->n > 0, cell_time_between(histogram->most, unknown ? window : histogram->most));
}

static inline struct table_cell mean_cell(const struct histogram *histogram)
{
	return cell_if(histogram->n > 0, cell_time((uint64_t)(histogram_mean(histogram) + 0.5)));
}

#endif
