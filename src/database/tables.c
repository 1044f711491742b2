/* SPDX-License-Identifier: MIT */
/*
 * A table-valued function is a virtual table whose last columns are hidden: SQLite turns the arguments of a
 * call into constraints on them. Here each function is a SELECT over the tables that are loaded anyway, so
 * SQLite plans, sorts and spills it like any other; a limit of time or memory holds for it, too.
 */
#include "database/tables.h"

#include <string.h>

#include "base/error.h"
#include "database/sweep.h"

static const struct table_function {
	const char *name, *usage, *about;
	const char *columns, *arguments; /* as in CREATE TABLE */
	int n_columns, n_least,
		n_most; /* columns in front of the arguments, and how many arguments it takes */
	uint32_t needs;
	const char *sql;   /* its columns, then its arguments */
	const char *guard; /* one row: NULL, or what is wrong with the arguments; or NULL */
} functions[] = {
	{
		.name = "state_at",
		.usage = "state_at(ts)",
		.about = "What did each thread, core and lock do at this moment (ticks)?",
		.columns = "source INTEGER, kind TEXT, subject TEXT,\n"
			   "  subject_kind TEXT, subject_id, object TEXT, object_kind TEXT,\n"
			   "  object_id, state TEXT, reason TEXT, core INTEGER, depth INTEGER,\n"
			   "  from_ts INTEGER, to_ts INTEGER, duration INTEGER,\n"
			   "  from_seq INTEGER, to_seq INTEGER, by TEXT, certainty TEXT, value",
		.arguments = "ts HIDDEN",
		.n_columns = 20,
		.n_least = 1,
		.n_most = 1,
		.needs = SCHEMA_BIT(SCHEMA_INTERVALS),
		.sql = "SELECT source, kind, subject, subject_kind, subject_id, object, object_kind,\n"
		       "  object_id, state, reason, core, depth, from_ts, to_ts, duration, from_seq,\n"
		       "  to_seq, by, certainty, value, ?1 FROM intervals\n"
		       "  WHERE from_ts <= ?1 AND ?1 < to_ts",
	},
	{
		.name = "pairs",
		.usage = "pairs(begin, end[, key])",
		.about = "From an event of one name to one of another, in the same context",
		.columns = "source INTEGER, context TEXT, value,\n"
			   "  from_seq INTEGER, to_seq INTEGER, from_ts INTEGER, to_ts INTEGER,\n"
			   "  from_ns INTEGER, to_ns INTEGER, duration INTEGER",
		.arguments = "\"begin\" HIDDEN, \"end\" HIDDEN, \"key\" HIDDEN",
		.n_columns = 10,
		.n_least = 2,
		.n_most = 3,
		.needs = SCHEMA_BIT(SCHEMA_EVENTS) | SCHEMA_BIT(SCHEMA_ARGS),
		.sql = "SELECT source, context, value, last_seq, seq, last_ts, ts, last_ns, ns,\n"
		       "  coalesce(ns - last_ns, ts - last_ts), ?1, ?2, ?3 FROM (\n"
		       "  SELECT source, context, name, value, seq, ts, ns, lag(name) OVER w AS last,\n"
		       "    lag(seq) OVER w AS last_seq, lag(ts) OVER w AS last_ts,\n"
		       "    lag(ns) OVER w AS last_ns FROM (\n"
		       "    SELECT source, context, context_kind, context_id, process, name, seq, ts, ns,\n"
		       "      CASE WHEN ?3 IS NOT NULL THEN args ->> ?3 END AS value FROM events\n"
		       "      WHERE name IN (?1, ?2))\n"
		       "    WHERE ?3 IS NULL OR value IS NOT NULL\n"
		       "    WINDOW w AS (PARTITION BY source, context_kind, context_id, process, context,\n"
		       "      value ORDER BY seq))\n"
		       "  WHERE name = ?2 AND last = ?1 ORDER BY seq",
	},
	{
		.name = "overlaps",
		.usage = "overlaps(kind, state, kind, state)",
		.about = "The time that intervals of one kind and state share with those of another",
		.columns = "source INTEGER, kind TEXT, subject TEXT,\n"
			   "  subject_kind TEXT, subject_id, object TEXT, state TEXT, reason TEXT,\n"
			   "  core INTEGER, from_seq INTEGER, to_seq INTEGER, certainty TEXT,\n"
			   "  other_kind TEXT, other TEXT, other_subject_kind TEXT, other_subject_id,\n"
			   "  other_object TEXT, other_state TEXT, other_reason TEXT,\n"
			   "  other_core INTEGER, other_from_seq INTEGER, other_to_seq INTEGER,\n"
			   "  other_certainty TEXT, from_ts INTEGER, to_ts INTEGER, from_ns INTEGER,\n"
			   "  to_ns INTEGER, duration INTEGER",
		.arguments = "kind_1 HIDDEN, state_1 HIDDEN, kind_2 HIDDEN, state_2 HIDDEN",
		.n_columns = 28,
		.n_least = 4,
		.n_most = 4,
		.needs = SCHEMA_BIT(SCHEMA_INTERVALS),
		.sql = "SELECT a.source, a.kind, s.name, s.kind, s.id, x.name, a.state, a.reason, a.core,\n"
		       "  a.from_seq, a.to_seq, a.certainty, b.kind, t.name, t.kind, t.id, y.name,\n"
		       "  b.state, b.reason, b.core, b.from_seq, b.to_seq, b.certainty, o.from_ts,\n"
		       "  o.to_ts, max(a.from_ns, b.from_ns), min(a.to_ns, b.to_ns),\n"
		       "  coalesce(min(a.to_ns, b.to_ns) - max(a.from_ns, b.from_ns),\n"
		       "    o.to_ts - o.from_ts), ?1, ?2, ?3, ?4\n"
		       "  FROM overlap_rows(?1, ?2, ?3, ?4) o\n"
		       "  CROSS JOIN interval_rows a ON a.rowid = o.one\n"
		       "  CROSS JOIN interval_rows b ON b.rowid = o.other\n"
		       "  LEFT JOIN things s ON s.thing = a.subject LEFT JOIN things x ON x.thing = "
		       "a.object\n"
		       "  LEFT JOIN things t ON t.thing = b.subject LEFT JOIN things y ON y.thing = b.object",
	},
	{
		.name = "load",
		.usage = "load(step)",
		.about = "What used the processor in each step of time? Step: unit of durations",
		.columns = "source INTEGER,\n"
			   "  at INTEGER, -- where the step begins: ns since the first event, or ticks\n"
			   "  thread TEXT,\n"
			   "  core INTEGER, -- NULL: not known, as where running is 0\n"
			   "  running INTEGER, running_max INTEGER, share REAL, share_max REAL",
		.arguments = "step HIDDEN",
		.n_columns = 8,
		.n_least = 1,
		.n_most = 1,
		.needs = SCHEMA_BIT(SCHEMA_INTERVALS),
		.sql = "WITH RECURSIVE piece(source, subject, core, state, n, a, z) AS (\n"
		       "  SELECT source, subject, CASE state WHEN 'running' THEN core END, state,\n"
		       "    coalesce(from_ns, from_ts) / ?1, coalesce(from_ns, from_ts),\n"
		       "    coalesce(to_ns, to_ts) FROM interval_rows\n"
		       "    WHERE kind = 'thread' AND state IN ('running', 'unknown')\n"
		       "  UNION ALL SELECT source, subject, core, state, n + 1, (n + 1) * ?1, z FROM piece\n"
		       "    WHERE (n + 1) * ?1 < z),\n"
		       "  part AS (SELECT source, n, subject, core,\n"
		       "    coalesce(sum(min(z, (n + 1) * ?1) - a) FILTER (WHERE state = 'running'), 0)\n"
		       "      AS least,\n"
		       "    sum(min(z, (n + 1) * ?1) - a) AS most FROM piece GROUP BY 1, 2, 3, 4)\n"
		       "SELECT p.source, n * ?1, t.name, core, least, most, 100.0 * least / ?1,\n"
		       "  100.0 * most / ?1, ?1 FROM part p JOIN things t ON t.thing = p.subject\n"
		       "  ORDER BY p.source, n, least DESC, t.name, core",
		.guard = "SELECT CASE WHEN typeof(?1) <> 'integer' OR ?1 < 1\n"
			 "  THEN 'load(step): step is a whole number from 1 on'\n"
			 "  WHEN (SELECT max((z - a) / ?1) FROM (\n"
			 "    SELECT max(coalesce(to_ns, to_ts)) AS z, min(coalesce(from_ns, from_ts)) AS a\n"
			 "      FROM interval_rows WHERE kind = 'thread' GROUP BY source)) >= 100000\n"
			 "  THEN 'load(step): the recording has more than 100000 such steps' END",
	},
};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* --- what virtual tables share -------------------------------------------------------------------------- */

int virtual_connect(struct database *database, const void *kind, const char *declaration, sqlite3_vtab **ret)
{
	struct virtual_table *table;
	const int result = database->sqlite.declare_vtab(database->handle, declaration);

	if (result != SQLITE_OK)
		return result;
	table = database->sqlite.malloc64(sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct virtual_table){ .database = database, .kind = kind };
	*ret = &table->base;
	return SQLITE_OK;
}

int virtual_disconnect(sqlite3_vtab *table)
{
	((struct virtual_table *)table)->database->sqlite.free(table);
	return SQLITE_OK;
}

static int plan_fail(sqlite3_vtab *table, const char *usage)
{
	const struct sqlite *sqlite = &((struct virtual_table *)table)->database->sqlite;

	sqlite->free(table->zErrMsg);
	table->zErrMsg = sqlite->mprintf("call it as %s", usage);
	return SQLITE_ERROR;
}

int virtual_plan(
	sqlite3_vtab *table, sqlite3_index_info *info, int first, int n_least, int n_most, const char *usage)
{
	uint32_t given = 0, unusable = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		const int n = info->aConstraint[i].iColumn - first;

		if (n < 0 || n >= n_most || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable) {
			unusable |= 1u << n;
		} else if (!(given & 1u << n)) {
			given |= 1u << n;
			info->aConstraintUsage[i].argvIndex = n + 1;
			info->aConstraintUsage[i].omit = 1;
		}
	}
	if (unusable & ~given)
		return SQLITE_CONSTRAINT;
	/* SQLite wants the values without a hole. */
	if (given & (given + 1) || given < (1u << n_least) - 1)
		return plan_fail(table, usage);
	info->estimatedCost = 1e6;
	info->estimatedRows = 1000;
	return SQLITE_OK;
}

int virtual_prepare(struct database *database, const char *sql, sqlite3_stmt **ret)
{
	const bool is_asking = database->is_asking;
	int result;

	database->is_asking = false;
	result = database->sqlite.prepare_v2(database->handle, sql, -1, ret, NULL);
	database->is_asking = is_asking;
	return result;
}

int virtual_fail(sqlite3_vtab *table, int result)
{
	struct database *database = ((struct virtual_table *)table)->database;

	database->sqlite.free(table->zErrMsg);
	table->zErrMsg = database->sqlite.mprintf("%s", database->sqlite.errmsg(database->handle));
	return result;
}

/* --- the functions -------------------------------------------------------------------------------------- */

struct call {
	sqlite3_vtab_cursor base;
	struct database *database;
	const struct table_function *function;
	sqlite3_stmt *statement;
	int64_t row;
	bool is_over;
};

static int function_declare(
	struct database *database, const struct table_function *function, sqlite3_vtab **ret)
{
	char *declaration = database->sqlite.mprintf(
		"CREATE TABLE %s(%s,\n%s)", function->name, function->columns, function->arguments);
	const int result = declaration ? virtual_connect(database, function, declaration, ret) : SQLITE_NOMEM;

	database->sqlite.free(declaration);
	return result;
}

static int function_connect(
	sqlite3 *handle, void *context, int n, const char *const *words, sqlite3_vtab **ret, char **ret_error)
{
	(void)handle, (void)n, (void)ret_error;
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (strcmp(functions[i].name, words[0]) == 0)
			return function_declare(context, &functions[i], ret);
	return SQLITE_ERROR;
}

static int function_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	const struct table_function *function = ((struct virtual_table *)table)->kind;

	return virtual_plan(
		table, info, function->n_columns, function->n_least, function->n_most, function->usage);
}

static int call_open(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	const struct virtual_table *made = (struct virtual_table *)table;
	struct call *call = made->database->sqlite.malloc64(sizeof(*call));

	if (!call)
		return SQLITE_NOMEM;
	*call = (struct call){ .database = made->database, .function = made->kind };
	*ret = &call->base;
	return SQLITE_OK;
}

static int call_close(sqlite3_vtab_cursor *cursor)
{
	struct call *call = (struct call *)cursor;
	const struct sqlite *sqlite = &call->database->sqlite;

	sqlite->finalize(call->statement);
	sqlite->free(call);
	return SQLITE_OK;
}

static int call_next(sqlite3_vtab_cursor *cursor)
{
	struct call *call = (struct call *)cursor;
	const int result = call->database->sqlite.step(call->statement);

	call->row++;
	call->is_over = result != SQLITE_ROW;
	return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK
							     : virtual_fail(cursor->pVtab, result);
}

static void bind_all(const struct sqlite *sqlite, sqlite3_stmt *statement, int n, sqlite3_value **values)
{
	for (int i = 0; i < n; i++)
		sqlite->bind_value(statement, i + 1, values[i]);
}

/* Judges the arguments; a wrong one is told in the words of the guard. */
static int call_guard(struct call *call, int n, sqlite3_value **values)
{
	const struct sqlite *sqlite = &call->database->sqlite;
	sqlite3_vtab *table = call->base.pVtab;
	sqlite3_stmt *statement = NULL;
	int result = virtual_prepare(call->database, call->function->guard, &statement);

	if (result == SQLITE_OK) {
		bind_all(sqlite, statement, n, values);
		result = sqlite->step(statement);
	}
	if (result != SQLITE_ROW) {
		virtual_fail(table, result);
	} else if (sqlite->column_type(statement, 0) != SQLITE_NULL) {
		sqlite->free(table->zErrMsg);
		table->zErrMsg = sqlite->mprintf("%s", (const char *)sqlite->column_text(statement, 0));
		result = SQLITE_ERROR;
	}
	sqlite->finalize(statement);
	return result == SQLITE_ROW ? SQLITE_OK : result;
}

static int call_filter(sqlite3_vtab_cursor *cursor, int plan, const char *text, int n, sqlite3_value **values)
{
	struct call *call = (struct call *)cursor;
	const struct sqlite *sqlite = &call->database->sqlite;
	int result = SQLITE_OK;

	(void)plan, (void)text;
	if (call->function->guard)
		result = call_guard(call, n, values);
	if (result != SQLITE_OK)
		return result;
	if (!call->statement)
		result = virtual_prepare(call->database, call->function->sql, &call->statement);
	else
		sqlite->reset(call->statement);
	if (result != SQLITE_OK)
		return virtual_fail(cursor->pVtab, result);
	bind_all(sqlite, call->statement, n, values);
	return call_next(cursor);
}

static int call_is_over(sqlite3_vtab_cursor *cursor)
{
	return ((struct call *)cursor)->is_over;
}

static int call_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
	const struct call *call = (struct call *)cursor;
	const struct sqlite *sqlite = &call->database->sqlite;

	sqlite->result_value(context, sqlite->column_value(call->statement, column));
	return SQLITE_OK;
}

static int call_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = ((struct call *)cursor)->row;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = function_connect,
	.xBestIndex = function_plan,
	.xDisconnect = virtual_disconnect,
	.xOpen = call_open,
	.xClose = call_close,
	.xFilter = call_filter,
	.xNext = call_next,
	.xEof = call_is_over,
	.xColumn = call_column,
	.xRowid = call_rowid,
};

enum rst_status tables_add(struct database *database, struct rst_error *err)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (database->sqlite.create_module_v2(
			    database->handle, functions[i].name, &module, database, NULL) != SQLITE_OK)
			return database_fault(database, err);
	return sweep_add(database, err);
}

/* --- their names ---------------------------------------------------------------------------------------- */

bool tables_have(const char *name, uint32_t *ret_needs)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (strcmp(functions[i].name, name) == 0) {
			*ret_needs = functions[i].needs;
			return true;
		}
	return false;
}

void tables_offer(struct similar *similar)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		similar_offer(similar, functions[i].name);
}

/* The declaration, each line behind a "-- ". */
static void columns_put(struct outbuf *out, const char *text)
{
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		outbuf_printf(out, "--   %.*s\n", (int)(end - text), text);
	}
}

void tables_put(struct outbuf *out)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++) {
		outbuf_printf(out, "-- %s\n-- %s:\n", functions[i].about, functions[i].usage);
		columns_put(out, functions[i].columns);
	}
}
