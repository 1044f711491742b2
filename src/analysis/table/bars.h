/* SPDX-License-Identifier: MIT */
/*
 * Histograms as bars of text, below a table.
 *
 *	latencies of high: 9
 *	 <= 50 us  ########                              2
 *	<= 100 us  ############################          7
 */
#ifndef ANALYSIS_TABLE_BARS_H
#define ANALYSIS_TABLE_BARS_H

#include "analysis/table/format.h"

/* For the first rows that have more than one number, of each column of histograms. */
void bars_put(const struct table_output *output, const struct table *table);

#endif
