/* SPDX-License-Identifier: MIT */
/* The tables of a database: what of a trace is in which column. rastrum-query(1) describes them for users. */
#ifndef DATABASE_SCHEMA_H
#define DATABASE_SCHEMA_H

#include "analysis/stats/stats.h"
#include "base/outbuf.h"

enum {
	SCHEMA_APPLICATION = 0x52617374, /* "Rast": the application id of our files */
	SCHEMA_VERSION = 1
};

/* What goes into a database: bit n of tables is enum schema_table n. */
enum schema_table {
	SCHEMA_EVENTS,
	SCHEMA_ARGS, /* columns of events that cost more than the others */
	SCHEMA_TEXT,
	SCHEMA_INTERVALS,
	SCHEMA_LOSSES,
	SCHEMA_STATS, /* and behind it as many as there are analyses, in their order */
	SCHEMA_BITS = SCHEMA_STATS + ANALYSES_MAX
};

#define SCHEMA_BIT(table) (UINT32_C(1) << (table))
#define SCHEMA_ALL	  UINT32_MAX

/* What a statement needs when it reads this column through this view (NULL: none). */
uint32_t schema_needs(const char *table, const char *column, const char *view);

/* Whether there is a table or view of this name. */
bool schema_has(const char *name);

/* Statements that make the tables and views, and behind the rows the indexes; NULL ends the lists. */
extern const char *const schema_tables[], *const schema_views[], *const schema_indexes[];

/* Writes the statement that makes the table of an analysis: stats_NAME. */
void schema_put_stats(struct outbuf *out, const struct analysis *analysis);

/* All of them, for people. */
void schema_put(struct outbuf *out);

/* How values are put in; their parameters are in the order of the columns. */
extern const char schema_insert_event[], schema_insert_interval[], schema_insert_thing[],
	schema_insert_type[], schema_insert_context[], schema_insert_object[], schema_insert_loss[],
	schema_insert_trace[];
void schema_put_insert_stats(struct outbuf *out, const struct analysis *analysis);

#endif
