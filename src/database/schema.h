/* SPDX-License-Identifier: MIT */
/*
 * The tables of a database, and which data of a trace each column has. rastrum-query(1) describes them for
 * users.
 */
#ifndef DATABASE_SCHEMA_H
#define DATABASE_SCHEMA_H

#include "analysis/stats/stats.h"
#include "base/outbuf.h"

enum {
	SCHEMA_APPLICATION = 0x52617374, /* "Rast": the application id of our files */
	SCHEMA_VERSION = 1
};

/* The contents of a database: bit n of tables is enum schema_table n. */
enum schema_table {
	SCHEMA_EVENTS,
	SCHEMA_ARGS, /* columns of events that cost more than the others */
	SCHEMA_TEXT,
	SCHEMA_INTERVALS,
	SCHEMA_LOSSES,
	SCHEMA_FINDINGS,
	SCHEMA_STATS, /* followed by one bit for each analysis, in their order */
	SCHEMA_BITS = SCHEMA_STATS + ANALYSES_MAX
};

#define SCHEMA_BIT(table) (UINT32_C(1) << (table))
#define SCHEMA_ALL	  UINT32_MAX

/* The tables that a statement needs if it reads this column through this view (NULL if it uses no view). */
uint32_t schema_needs(const char *table, const char *column, const char *view);

/* Whether a table or view of this name exists. */
bool schema_has(const char *name);

/* Statements that make the tables and views, and the indexes after all rows; NULL ends the lists. */
extern const char *const schema_tables[], *const schema_views[], *const schema_indexes[];

/* Writes the statement that makes the table of an analysis: stats_NAME. */
void schema_put_stats(struct outbuf *out, const struct analysis *analysis);

/* Writes all statements, for people. */
void schema_put(struct outbuf *out);

/* Statements that insert values; their parameters are in the order of the columns. */
extern const char schema_insert_event[], schema_insert_interval[], schema_insert_thing[],
	schema_insert_type[], schema_insert_context[], schema_insert_object[], schema_insert_loss[],
	schema_insert_trace[], schema_insert_finding[];
void schema_put_insert_stats(struct outbuf *out, const struct analysis *analysis);

#endif
