/* SPDX-License-Identifier: MIT */
/* Questions: what they may do is in cage.h. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/steady.h"
#include "base/text.h"
#include "database/cage.h"
#include "database/tables.h"

/* --- what is wrong with one ----------------------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 120 };

/* Messages about unknown names, and the statement that lists the names that the user may have meant. */
static const struct unknown {
	const char *before; /* in its message */
	const char *names;  /* a statement; NULL: the functions of the cage */
} unknowns[] = {
	{ "no such column: ", "SELECT DISTINCT c.name FROM sqlite_master m, pragma_table_info(m.name) c "
			      "WHERE m.type IN ('table', 'view')" },
	{ "no such table: ", "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')" },
	{ "no such function: ", NULL },
};

/* The bare name: of `e.foo`, `"foo"` and `"foo" - should this be …?` it is foo. */
static void name_of(const char *text, char name[NAME_MAX_BYTES])
{
	const char *start = text + (*text == '"'), *dot;
	size_t n = strcspn(start, "\" ");

	n = n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES - 1;
	memcpy(name, start, n);
	name[n] = '\0';
	dot = strrchr(name, '.');
	if (dot)
		memmove(name, dot + 1, strlen(dot));
}

static void names_offer(struct database *database, const char *sql, struct similar *similar)
{
	const struct sqlite *sqlite = &database->sqlite;
	sqlite3_stmt *statement = NULL;

	if (sqlite->prepare_v2(database->handle, sql, -1, &statement, NULL) == SQLITE_OK)
		while (sqlite->step(statement) == SQLITE_ROW)
			similar_offer(similar, (const char *)sqlite->column_text(statement, 0));
	sqlite->finalize(statement);
}

/* Advises a similar name, or other quotes for a text. */
static void unknown_advise(
	struct database *database, const char *sql, const char *what, struct rst_error *err)
{
	char name[NAME_MAX_BYTES], quoted[NAME_MAX_BYTES + 2], text[SIMILAR_TEXT_MAX];

	for (size_t i = 0; i < sizeof(unknowns) / sizeof(unknowns[0]); i++) {
		const struct unknown *unknown = &unknowns[i];
		struct similar similar;

		if (strncmp(what, unknown->before, strlen(unknown->before)) != 0)
			continue;
		name_of(what + strlen(unknown->before), name);
		similar = similar_to(name);
		if (unknown->names)
			names_offer(database, unknown->names, &similar);
		else
			cage_offer_functions(&similar);
		tables_offer(&similar);
		snprintf(quoted, sizeof(quoted), "\"%s\"", name);
		if (similar_text(&similar, text))
			error_advise(err, "%s", text);
		else if (sql && strstr(sql, quoted))
			error_advise(err, "a text stands in single quotes: '%s'", name);
		else
			error_advise(err, "see `rastrum query --schema`");
	}
}

static enum rst_status late_fault(const struct question *question, struct rst_error *err)
{
	char text[TEXT_DURATION_MAX + 1];

	*text_put_duration(text, question->timeout_ns) = '\0';
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "the question takes longer than %s (--timeout)", text);
}

static enum rst_status memory_fault(const struct question *question, struct rst_error *err)
{
	if (!cage_is_full(question->database))
		return error_nomem(err);
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "the question needs more than %d MiB of memory",
		CAGE_HEAP_BYTES >> 20);
}

/* sql: while it is prepared; NULL: it runs. */
static enum rst_status question_fault(
	struct question *question, int result, const char *sql, struct rst_error *err)
{
	struct database *database = question->database;
	char what[512];

	question->fault_at = database->sqlite.error_offset(database->handle);
	snprintf(what, sizeof(what), "%s", database->sqlite.errmsg(database->handle));
	if (database->refused[0])
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s", database->refused);
	switch (result & 0xff) {
	case SQLITE_NOMEM:
		return memory_fault(question, err);
	case SQLITE_INTERRUPT:
		return late_fault(question, err);
	case SQLITE_TOOBIG:
		return sql ? error_set(err, RST_E_USAGE, RST_NO_OFFSET, "SQL: it is longer than %d MiB",
				     CAGE_SQL_BYTES >> 20)
			   : error_set(err, RST_E_IO, RST_NO_OFFSET,
				     "a value or row of the question is longer than %d MiB",
				     CAGE_VALUE_BYTES >> 20);
	case SQLITE_IOERR:
	case SQLITE_FULL:
		return database_fault(database, err);
	default:
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "SQL: %s", what);
		unknown_advise(database, sql, what, err);
		return RST_E_USAGE;
	}
}

/* --- asking --------------------------------------------------------------------------------------------- */

/* Whether no second statement follows: the rest has only blanks and semicolons. */
static bool is_all(const char *rest)
{
	return rest[strspn(rest, "; \t\r\n")] == '\0';
}

/* Judges a statement that SQLite has accepted: returns an error if it is not one question that only reads. */
static enum rst_status question_judge(
	struct question *question, const char *sql, const char *rest, struct rst_error *err)
{
	const struct sqlite *sqlite = &question->database->sqlite;

	if (!question->statement)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "SQL: there is no statement in it");
	if (!is_all(rest)) {
		question->fault_at = (int)(rest - sql);
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "SQL: there is more than one statement");
	}
	if (!question->n_columns || !sqlite->stmt_readonly(question->statement))
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "a question can only read: SELECT");
	if (sqlite->bind_parameter_count(question->statement))
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"SQL: a parameter (?, :name, @name or $name) has no value here");
	return RST_OK;
}

enum rst_status question_prepare(
	struct question *question, struct database *database, const char *sql, struct rst_error *err)
{
	const uint32_t needs = database->needs;
	const char *rest;
	int result;

	*question = (struct question){ .database = database, .fault_at = -1 };
	database->needs = 0;
	cage_enter(database);
	result = database->sqlite.prepare_v2(database->handle, sql, -1, &question->statement, &rest);
	cage_leave(database);
	question->needs = database->needs;
	database->needs |= needs;
	if (result != SQLITE_OK)
		return question_fault(question, result, sql, err);
	question->n_columns = (unsigned)database->sqlite.column_count(question->statement);
	return question_judge(question, sql, rest, err);
}

/* Called by SQLite each CAGE_STEPS instructions: other than 0 ends the statement. */
static int is_late(void *context)
{
	const struct question *question = context;

	return steady_ns() >= question->until_ns;
}

/* SQLite limits each value, but not how many of them a row has. */
static enum rst_status row_judge(const struct question *question, struct rst_error *err)
{
	const struct sqlite *sqlite = &question->database->sqlite;
	size_t n_bytes = 0;

	for (int i = 0; i < (int)question->n_columns; i++) {
		const int type = sqlite->column_type(question->statement, i);

		if (type == SQLITE_TEXT || type == SQLITE_BLOB)
			n_bytes += (size_t)sqlite->column_bytes(question->statement, i);
	}
	return n_bytes <= CAGE_ROW_BYTES
		       ? RST_OK
		       : error_set(err, RST_E_IO, RST_NO_OFFSET, "a row of the answer is longer than %d MiB",
				 CAGE_ROW_BYTES >> 20);
}

enum rst_status question_step(struct question *question, struct rst_error *err)
{
	struct database *database = question->database;
	const struct sqlite *sqlite = &database->sqlite;
	const bool has_limit = question->timeout_ns != 0;
	int result;

	if (has_limit && !question->until_ns)
		question->until_ns = steady_ns() + question->timeout_ns;
	/* A statement that the tables have made old is prepared anew, so the cage is needed here, too. */
	cage_enter(database);
	sqlite->progress_handler(database->handle, CAGE_STEPS, has_limit ? is_late : NULL, question);
	result = sqlite->step(question->statement);
	sqlite->progress_handler(database->handle, 0, NULL, NULL);
	cage_leave(database);
	if (result == SQLITE_ROW)
		return row_judge(question, err);
	return result == SQLITE_DONE ? RST_END : question_fault(question, result, NULL, err);
}

void question_done(struct question *question)
{
	if (question->statement)
		question->database->sqlite.finalize(question->statement);
	question->statement = NULL;
}

const char *question_column(const struct question *question, unsigned column)
{
	const char *name = question->database->sqlite.column_name(question->statement, (int)column);

	return name ? name : "";
}

struct text question_value(const struct question *question, unsigned column, int *ret_type)
{
	const struct sqlite *sqlite = &question->database->sqlite;
	sqlite3_stmt *statement = question->statement;
	const char *bytes;

	check(column < question->n_columns);
	*ret_type = sqlite->column_type(statement, (int)column);
	bytes = (const char *)sqlite->column_text(statement, (int)column);
	return (struct text){ bytes, bytes ? (size_t)sqlite->column_bytes(statement, (int)column) : 0 };
}

/* SQLite writes an infinite real as a word. */
static bool is_finite(struct text real)
{
	return real.n_bytes && real.bytes[real.n_bytes - 1] <= '9';
}

void question_put_json(const struct question *question, unsigned column, struct json *json, const char *key)
{
	int type;
	const struct text value = question_value(question, column, &type);

	if (!value.bytes || (type == SQLITE_FLOAT && !is_finite(value)))
		json_null(json, key);
	else if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		json_ready(json, key, value);
	else
		json_bytes(json, key, value);
}
