/* SPDX-License-Identifier: MIT */
/*
 * Table-valued functions of questions, such as state_at(ts). Each is a row of one table: its columns, and a
 * SELECT of ours over the tables of the schema, whose parameters are the arguments.
 */
#ifndef DATABASE_TABLES_H
#define DATABASE_TABLES_H

#include "base/similar.h"
#include "database/database.h"

/* Adds them to a connection. RST_E_IO, RST_E_NOMEM. */
enum rst_status tables_add(struct database *database, struct rst_error *err);

/* Whether a function of this name exists; *ret_needs is the data that it reads: bits of enum schema_table. */
bool tables_have(const char *name, uint32_t *ret_needs);

/* Offers the name of each of them. */
void tables_offer(struct similar *similar);

/* Writes what they are for and their columns, as comments of SQL. */
void tables_put(struct outbuf *out);

/* --- for virtual tables --------------------------------------------------------------------------------- */

/* Every virtual table of ours begins with this part. */
struct virtual_table {
	sqlite3_vtab base; /* SQLite's part, which comes first */
	struct database *database;
	const void *kind; /* a row of a const table; NULL if there is only one */
};

/*
 * Makes one while SQLite connects it: declaration is its CREATE TABLE. Returns a result of SQLite;
 * virtual_disconnect() frees it.
 */
int virtual_connect(struct database *database, const void *kind, const char *declaration, sqlite3_vtab **ret);
int virtual_disconnect(sqlite3_vtab *table);

/*
 * Plans a table whose last n_most columns are arguments, from number first on: each is given as a constraint
 * "=", of which the first n_least must be there. Returns a result of SQLite.
 */
int virtual_plan(
	sqlite3_vtab *table, sqlite3_index_info *info, int first, int n_least, int n_most, const char *usage);

/* Prepares a statement of ours while a question runs; it may read what questions may not. */
int virtual_prepare(struct database *database, const char *sql, sqlite3_stmt **ret);

/* Passes on why a statement of ours failed; returns its result. */
int virtual_fail(sqlite3_vtab *table, int result);

#endif
