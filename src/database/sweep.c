/* SPDX-License-Identifier: MIT */
#include "database/sweep.h"

#include "base/error.h"
#include "database/tables.h"

static const char declaration[] =
	"CREATE TABLE overlap_rows (one INTEGER, other INTEGER, from_ts INTEGER,\n"
	"  to_ts INTEGER, kind HIDDEN, state HIDDEN, other_kind HIDDEN, other_state HIDDEN)";

/*
 * The intervals of both sides; the state NULL means all states. Intervals without length share no time with
 * others. SQLite sorts the rows, in temporary files if there are many.
 */
static const char intervals[] =
	"SELECT source, from_ts, to_ts, rowid, 0 FROM interval_rows\n"
	"  WHERE kind = ?1 AND (?2 IS NULL OR state = ?2) AND to_ts > from_ts UNION ALL\n"
	"SELECT source, from_ts, to_ts, rowid, 1 FROM interval_rows\n"
	"  WHERE kind = ?3 AND (?4 IS NULL OR state = ?4) AND to_ts > from_ts ORDER BY 1, 2";

enum { FIRST_ARGUMENT = 4, N_ARGUMENTS = 4 };

struct open_interval {
	int64_t row, from, to;
};

/* Intervals of one side that have begun and may not have ended. */
struct side {
	struct open_interval *all; /* memory of SQLite */
	size_t n, capacity;
};

struct sweep {
	sqlite3_vtab_cursor base;
	struct database *database;
	sqlite3_stmt *statement;
	struct side sides[2];
	int64_t source;
	struct open_interval present; /* which the open ones of the other side are compared with … */
	int side;		      /* … and whose it is */
	size_t at;		      /* the next one of the other side */
	struct open_interval match;   /* the present row */
	int64_t row;
	bool is_over;
};

static int sweep_connect(
	sqlite3 *handle, void *context, int n, const char *const *words, sqlite3_vtab **ret, char **ret_error)
{
	(void)handle, (void)n, (void)words, (void)ret_error;
	return virtual_connect(context, NULL, declaration, ret);
}

static int sweep_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
	return virtual_plan(table, info, FIRST_ARGUMENT, N_ARGUMENTS, N_ARGUMENTS, "overlap_rows");
}

static int sweep_open(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	struct database *database = ((struct virtual_table *)table)->database;
	struct sweep *sweep = database->sqlite.malloc64(sizeof(*sweep));

	if (!sweep)
		return SQLITE_NOMEM;
	*sweep = (struct sweep){ .database = database };
	*ret = &sweep->base;
	return SQLITE_OK;
}

static int sweep_close(sqlite3_vtab_cursor *cursor)
{
	struct sweep *sweep = (struct sweep *)cursor;
	const struct sqlite *sqlite = &sweep->database->sqlite;

	sqlite->finalize(sweep->statement);
	sqlite->free(sweep->sides[0].all);
	sqlite->free(sweep->sides[1].all);
	sqlite->free(sweep);
	return SQLITE_OK;
}

/* Takes out what has ended before this moment. */
static void side_prune(struct side *side, int64_t ts)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n; i++)
		if (side->all[i].to > ts)
			side->all[n++] = side->all[i];
	side->n = n;
}

/* Room is doubled only if half of it is still open, so that each interval costs a constant time. */
static bool side_add(const struct sqlite *sqlite, struct side *side, const struct open_interval *interval)
{
	struct open_interval *all;
	size_t capacity;

	if (side->n == side->capacity)
		side_prune(side, interval->from);
	if (2 * side->n >= side->capacity) {
		capacity = side->capacity ? 2 * side->capacity : 16;
		all = sqlite->realloc64(side->all, capacity * sizeof(*all));
		if (!all)
			return false;
		side->all = all;
		side->capacity = capacity;
	}
	side->all[side->n++] = *interval;
	return true;
}

/* The next interval, in the order of begins, becomes the present one. */
static int interval_next(struct sweep *sweep)
{
	const struct sqlite *sqlite = &sweep->database->sqlite;
	const int result = sqlite->step(sweep->statement);
	int64_t source;

	if (result != SQLITE_ROW) {
		sweep->is_over = true;
		return result == SQLITE_DONE ? SQLITE_OK : virtual_fail(sweep->base.pVtab, result);
	}
	source = sqlite->column_int64(sweep->statement, 0);
	if (source != sweep->source)
		sweep->sides[0].n = sweep->sides[1].n = 0;
	sweep->source = source;
	sweep->present = (struct open_interval){ .from = sqlite->column_int64(sweep->statement, 1),
		.to = sqlite->column_int64(sweep->statement, 2),
		.row = sqlite->column_int64(sweep->statement, 3) };
	sweep->side = (int)sqlite->column_int64(sweep->statement, 4);
	sweep->at = 0;
	side_prune(&sweep->sides[!sweep->side], sweep->present.from);
	return side_add(sqlite, &sweep->sides[sweep->side], &sweep->present) ? SQLITE_OK : SQLITE_NOMEM;
}

/* All open ones of the other side share time with the present one; an interval is not its own other. */
static int sweep_next(sqlite3_vtab_cursor *cursor)
{
	struct sweep *sweep = (struct sweep *)cursor;
	int result = SQLITE_OK;

	while (!sweep->is_over && result == SQLITE_OK) {
		const struct side *others = &sweep->sides[!sweep->side];

		if (sweep->at == others->n) {
			result = interval_next(sweep);
			continue;
		}
		sweep->match = others->all[sweep->at++];
		if (sweep->match.row != sweep->present.row) {
			sweep->row++;
			break;
		}
	}
	return result;
}

static int sweep_filter(
	sqlite3_vtab_cursor *cursor, int plan, const char *text, int n, sqlite3_value **values)
{
	struct sweep *sweep = (struct sweep *)cursor;
	const struct sqlite *sqlite = &sweep->database->sqlite;
	int result = SQLITE_OK;

	(void)plan, (void)text;
	if (!sweep->statement)
		result = virtual_prepare(sweep->database, intervals, &sweep->statement);
	else
		sqlite->reset(sweep->statement);
	if (result != SQLITE_OK)
		return virtual_fail(cursor->pVtab, result);
	for (int i = 0; i < n; i++)
		sqlite->bind_value(sweep->statement, i + 1, values[i]);
	sweep->sides[0].n = sweep->sides[1].n = sweep->at = 0;
	sweep->side = 0;
	sweep->is_over = false;
	return sweep_next(cursor);
}

static int sweep_is_over(sqlite3_vtab_cursor *cursor)
{
	return ((struct sweep *)cursor)->is_over;
}

static int sweep_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
	struct sweep *sweep = (struct sweep *)cursor;
	const struct open_interval *one = sweep->side ? &sweep->match : &sweep->present,
				   *other = sweep->side ? &sweep->present : &sweep->match;
	const int64_t values[FIRST_ARGUMENT] = { one->row, other->row,
		one->from > other->from ? one->from : other->from,
		one->to < other->to ? one->to : other->to };

	if (column < FIRST_ARGUMENT)
		sweep->database->sqlite.result_int64(context, values[column]);
	return SQLITE_OK;
}

static int sweep_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = ((struct sweep *)cursor)->row;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = sweep_connect,
	.xBestIndex = sweep_plan,
	.xDisconnect = virtual_disconnect,
	.xOpen = sweep_open,
	.xClose = sweep_close,
	.xFilter = sweep_filter,
	.xNext = sweep_next,
	.xEof = sweep_is_over,
	.xColumn = sweep_column,
	.xRowid = sweep_rowid,
};

enum rst_status sweep_add(struct database *database, struct rst_error *err)
{
	if (database->sqlite.create_module_v2(database->handle, "overlap_rows", &module, database, NULL) !=
		SQLITE_OK)
		return database_fault(database, err);
	return RST_OK;
}
