/* SPDX-License-Identifier: MIT */
#include "database/database.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "database/aggregates.h"
#include "database/cage.h"
#include "database/tables.h"

enum rst_status database_fault(const struct database *database, struct rst_error *err)
{
	const char *what = database->sqlite.errmsg(database->handle);

	if (strcmp(what, "out of memory") == 0)
		return error_nomem(err);
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot write the database: %s", what);
}

enum rst_status database_run(struct database *database, const char *sql, struct rst_error *err)
{
	if (database->sqlite.exec(database->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return database_fault(database, err);
	return RST_OK;
}

enum rst_status database_prepare(
	struct database *database, const char *sql, sqlite3_stmt **ret, struct rst_error *err)
{
	if (database->sqlite.prepare_v2(database->handle, sql, -1, ret, NULL) != SQLITE_OK)
		return database_fault(database, err);
	return RST_OK;
}

/* --- tables --------------------------------------------------------------------------------------------- */

static enum rst_status run_all(
	struct database *database, const char *const *statements, struct rst_error *err)
{
	for (size_t i = 0; statements[i]; i++)
		error_try(database_run(database, statements[i], err));
	return RST_OK;
}

static enum rst_status stats_tables_make(struct database *database, struct rst_error *err)
{
	struct outbuf out;
	enum rst_status status = RST_OK;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return error_nomem(err);
	for (size_t i = 0; analyses[i] && status == RST_OK; i++) {
		out.at = out.start;
		schema_put_stats(&out, analyses[i]);
		outbuf_puts(&out, ";");
		status = outbuf_reserve(&out, 1) ? RST_OK : error_nomem(err);
		if (status == RST_OK) {
			*out.at = '\0';
			status = database_run(database, out.start, err);
		}
	}
	outbuf_done(&out);
	return status;
}

/*
 * The database has one reader, this process, until it is finished, and an unfinished database is removed. So
 * it needs no journal. SQL of users cannot change the loaded data.
 */
static const char *const settings[] = {
	"PRAGMA page_size = 8192",
	"PRAGMA journal_mode = OFF",
	"PRAGMA synchronous = OFF",
	"PRAGMA locking_mode = EXCLUSIVE",
	"PRAGMA cache_size = -4096",
	"PRAGMA temp_store = FILE",
	NULL,
};

static enum rst_status marks_set(struct database *database, struct rst_error *err)
{
	char text[64];

	snprintf(text, sizeof(text), "PRAGMA application_id = %d", SCHEMA_APPLICATION);
	error_try(database_run(database, text, err));
	snprintf(text, sizeof(text), "PRAGMA user_version = %d", SCHEMA_VERSION);
	return database_run(database, text, err);
}

enum rst_status database_open(struct database *database, const char *path, struct rst_error *err)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

	*database = (struct database){ 0 };
	error_try(sqlite_open(&database->sqlite, err));
	if (database->sqlite.open_v2(path ? path : "", &database->handle, flags, NULL) != SQLITE_OK)
		return database->handle ? database_fault(database, err) : error_nomem(err);
	error_try(run_all(database, settings, err));
	/*
	 * Behind the settings: a defensive database refuses to go without a journal, and SQLite would make
	 * one.
	 */
	cage_close(database);
	error_try(marks_set(database, err));
	error_try(database_run(database, "BEGIN", err));
	error_try(run_all(database, schema_tables, err));
	error_try(stats_tables_make(database, err));
	error_try(run_all(database, schema_views, err));
	error_try(aggregates_add(database, err));
	error_try(tables_add(database, err));
	database->sqlite.set_authorizer(database->handle, cage_allow, database);
	return RST_OK;
}

enum rst_status database_finish(struct database *database, bool has_indexes, struct rst_error *err)
{
	if (has_indexes)
		error_try(run_all(database, schema_indexes, err));
	return database_run(database, "COMMIT", err);
}

void database_close(struct database *database)
{
	if (database->handle)
		database->sqlite.close(database->handle);
	database->handle = NULL;
	sqlite_close(&database->sqlite);
}
