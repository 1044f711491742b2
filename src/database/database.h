/* SPDX-License-Identifier: MIT */
/*
 * Traces as tables of SQLite: for questions, for rules, and as a file of its own.
 *
 *	database_open(&database, NULL, &err)              an empty one, which has all tables
 *	question_prepare(&question, &database, sql, &err) so what it needs is known before the trace is read
 *	loading_begin(&loading, …); the scan; loading_finish(&loading, …)
 *	database_finish(&database, false, &err)
 *	while (question_step(&question, &err) == RST_OK) …
 */
#ifndef DATABASE_DATABASE_H
#define DATABASE_DATABASE_H

#include "base/text.h"
#include "database/schema.h"
#include "database/sqlite.h"

struct json;

struct database {
	struct sqlite sqlite;
	sqlite3 *handle;
	uint32_t needs;	   /* what questions need; bits of enum schema_table */
	bool is_asking;	   /* a statement of a user is prepared or run: cage.h */
	char refused[120]; /* … and the part of it that is not allowed, or "" */
	int value_bytes;   /* the longest value of our own statements */
	/* Numbers that go on from trace to trace. */
	unsigned n_sources;
	int64_t n_events, n_types, n_contexts, n_things;
	double unknown;	   /* the largest share of the time of a trace that is not known */
	uint64_t from, to; /* the window of the last trace … */
	bool has_window;   /* … if it has an event */
};

/*
 * Makes the tables in an existing empty file, or in a temporary database (NULL), which is in memory while it
 * is small. RST_E_UNSUPPORTED, RST_E_IO, RST_E_NOMEM; database_close() is due in any case.
 */
enum rst_status database_open(struct database *database, const char *path, struct rst_error *err);

/* Ends writing, after the last trace. has_indexes: adds indexes, for a file that gets many questions. */
enum rst_status database_finish(struct database *database, bool has_indexes, struct rst_error *err);
void database_close(struct database *database);

/* The last failure of SQLite. */
enum rst_status database_fault(const struct database *database, struct rst_error *err);

/* Runs a statement of ours that has no rows. */
enum rst_status database_run(struct database *database, const char *sql, struct rst_error *err);

/* A statement of ours, that puts values in. *ret is to be finalized. */
enum rst_status database_prepare(
	struct database *database, const char *sql, sqlite3_stmt **ret, struct rst_error *err);

/* --- questions ------------------------------------------------------------------------------------------ */

/* A statement of the user, which can only read what cage.h allows. */
struct question {
	struct database *database;
	sqlite3_stmt *statement;
	uint32_t needs; /* of this one */
	int fault_at;	/* the byte of the SQL that is wrong; -1 if it is not known */
	unsigned n_columns;
	uint64_t
		/* how long it may run; 0: no limit. Set by the caller in front of the first step */
		timeout_ns;
	uint64_t until_ns; /* by the steady clock; 0 if it has not begun */
};

/*
 * Returns RST_E_USAGE, with the reason, if the SQL is wrong or is refused. question_done() is due in any
 * case.
 */
enum rst_status question_prepare(
	struct question *question, struct database *database, const char *sql, struct rst_error *err);

/*
 * The next row of the answer: RST_OK; RST_END if there is no further row. Returns RST_E_USAGE if it cannot be
 * computed. Returns RST_E_IO if it needs more time or memory than it may have, or the disk is full.
 * RST_E_NOMEM.
 */
enum rst_status question_step(struct question *question, struct rst_error *err);

/* The name of a column of the answer. */
const char *question_column(const struct question *question, unsigned column);

/*
 * A value of the present row as SQLite writes it, valid until the next value or row. The bytes are NULL if
 * the value is NULL. *ret_type is the type that SQLite gives it.
 */
struct text question_value(const struct question *question, unsigned column, int *ret_type);

/* Writes a value of the present row as JSON. Infinity is null, because JSON does not have it. */
void question_put_json(const struct question *question, unsigned column, struct json *json, const char *key);

void question_done(struct question *question);

#endif
