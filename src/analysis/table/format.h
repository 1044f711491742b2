/* SPDX-License-Identifier: MIT */
/* How tables are written: one row for each format. */
#ifndef ANALYSIS_TABLE_FORMAT_H
#define ANALYSIS_TABLE_FORMAT_H

#include "analysis/table/table.h"
#include "base/error.h"
#include "base/json.h"
#include "select/times.h"

/* How a table is written. */
struct table_output {
	struct outbuf *out;
	const struct times *times; /* of its trace; NULL if the trace has no event */
	unsigned n_columns;	   /* of the terminal; 0 if lines may be as long as they need */
	bool has_color;
	bool has_source; /* several traces: JSON and CSV have the number of this one */
	unsigned source;
	uint64_t n_begun;  /* tables that were written before this one */
	size_t n_rows_max; /* text: of a table; those beyond are counted. 0: all */
	uint8_t rank_max;  /* text: of columns that are shown */
	bool is_page;	   /* text: no remarks about rows and columns that are left out */
	bool has_bars;	   /* text: histograms are drawn below the table */
};

struct table_format {
	const char *name;
	void (*put)(const struct table_output *output, const struct table *table);
};

extern const struct table_format table_format_text, table_format_csv, table_format_json;

/* Writes a table as a JSON object, which the caller ends. So the caller may add members. */
void table_json_begin(const struct table_output *output, const struct table *table, struct json *json);

/* Writes one of its columns; unit: NULL without a unit. */
void table_json_column(struct json *json, const char *name, const char *unit);

/* Writes what part of the trace the table is about, and the share of time whose states are not known. */
void table_json_window(struct json *json, bool has_window, uint64_t from, uint64_t to, double unknown);

/* Returns RST_E_USAGE, with the existing names, if a name is unknown. */
enum rst_status table_format_find(
	const char *name, const struct table_format **ret_format, struct rst_error *err);

/* The unit of a column in this output: "ns" or "ticks", "%", or the column's own. NULL without a unit. */
const char *column_unit(const struct table_column *column, const struct table_output *output);

/* For reports in columns: a number; one that may be larger has the sign of that in front. */
void put_least(struct outbuf *out, double number, unsigned n_decimals, bool may_be_larger, unsigned width);

/* Converts a time to that unit. */
uint64_t time_in_unit(const struct table_output *output, uint64_t ticks);

#endif
