/* SPDX-License-Identifier: MIT */
#include "database/cage.h"

#include <stdio.h>
#include <string.h>

#include "database/tables.h"

/* --- the connection ------------------------------------------------------------------------------------- */

static const struct {
	int option, value;
} options[] = {
	{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
	{ SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },
	{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
	{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
	{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
	{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
	/*
	 * A misspelt column in double quotes is an error and not a text: sqlite.org/quirks.html, section 8.
	 */
	{ SQLITE_DBCONFIG_DQS_DML, 0 },
	{ SQLITE_DBCONFIG_DQS_DDL, 0 },
};

/* Our own statements stay far below these limits, so the limits always apply. */
static const struct {
	int limit, value;
} limits[] = {
	{ SQLITE_LIMIT_SQL_LENGTH, CAGE_SQL_BYTES },
	{ SQLITE_LIMIT_COLUMN, 2000 },
	{ SQLITE_LIMIT_EXPR_DEPTH, 1000 },
	{ SQLITE_LIMIT_COMPOUND_SELECT, 500 },
	{ SQLITE_LIMIT_VDBE_OP, 1000000 },
	{ SQLITE_LIMIT_FUNCTION_ARG, 100 },
	{ SQLITE_LIMIT_ATTACHED, 0 },
	{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
	{ SQLITE_LIMIT_VARIABLE_NUMBER, 100 },
	{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
	{ SQLITE_LIMIT_WORKER_THREADS, 0 },
};

void cage_close(struct database *database)
{
	static const char *modules[] = { "json_each", "json_tree", NULL };
	const struct sqlite *sqlite = &database->sqlite;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		sqlite->db_config(database->handle, options[i].option, options[i].value, NULL);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite->limit(database->handle, limits[i].limit, limits[i].value);
	sqlite->drop_modules(database->handle, modules);
	sqlite->hard_heap_limit64(CAGE_HEAP_BYTES);
	sqlite->memory_highwater(true);
	database->value_bytes = sqlite->limit(database->handle, SQLITE_LIMIT_LENGTH, -1);
}

/* The texts of a loaded event may be longer than those that a question may make. */
void cage_enter(struct database *database)
{
	database->refused[0] = '\0';
	database->is_asking = true;
	database->sqlite.limit(database->handle, SQLITE_LIMIT_LENGTH, CAGE_VALUE_BYTES);
}

void cage_leave(struct database *database)
{
	database->is_asking = false;
	database->sqlite.limit(database->handle, SQLITE_LIMIT_LENGTH, database->value_bytes);
}

/*
 * When a statement fails, its memory is free again, so the highest mark counts. With values of limited length
 * SQLite asks for pieces that are far smaller than this reserve.
 */
bool cage_is_full(const struct database *database)
{
	return database->sqlite.memory_highwater(false) > CAGE_HEAP_BYTES - 16 * CAGE_VALUE_BYTES;
}

/* --- functions ------------------------------------------------------------------------------------------ */

/*
 * Each computes a value from its arguments, or tells the time. All other functions are refused, such as those
 * of extensions (fts3_tokenizer() calls an address that it is given) and of later versions of SQLite.
 */
static const char *const functions[] = {
	/* texts and numbers */
	"abs",
	"char",
	"coalesce",
	"concat",
	"concat_ws",
	"format",
	"glob",
	"hex",
	"if",
	"ifnull",
	"iif",
	"instr",
	"length",
	"like",
	"likelihood",
	"likely",
	"lower",
	"ltrim",
	"max",
	"min",
	"nullif",
	"octet_length",
	"printf",
	"quote",
	"random",
	"randomblob",
	"replace",
	"round",
	"rtrim",
	"sign",
	"soundex",
	"sqlite_version",
	"substr",
	"substring",
	"trim",
	"typeof",
	"unhex",
	"unicode",
	"unlikely",
	"upper",
	"zeroblob",
	/* mathematics */
	"acos",
	"acosh",
	"asin",
	"asinh",
	"atan",
	"atan2",
	"atanh",
	"ceil",
	"ceiling",
	"cos",
	"cosh",
	"degrees",
	"exp",
	"floor",
	"ln",
	"log",
	"log10",
	"log2",
	"mod",
	"pi",
	"pow",
	"power",
	"radians",
	"sin",
	"sinh",
	"sqrt",
	"tan",
	"tanh",
	"trunc",
	/* dates and times */
	"current_date",
	"current_time",
	"current_timestamp",
	"date",
	"datetime",
	"julianday",
	"strftime",
	"time",
	"timediff",
	"unixepoch",
	/* of many rows */
	"avg",
	"count",
	"group_concat",
	"histogram",
	"median",
	"percentile",
	"percentile_cont",
	"percentile_disc",
	"string_agg",
	"sum",
	"total",
	/* of a window */
	"cume_dist",
	"dense_rank",
	"first_value",
	"lag",
	"last_value",
	"lead",
	"nth_value",
	"ntile",
	"percent_rank",
	"rank",
	"row_number",
	/* JSON */
	"->",
	"->>",
	"json",
	"json_array",
	"json_array_length",
	"json_error_position",
	"json_extract",
	"json_group_array",
	"json_group_object",
	"json_insert",
	"json_object",
	"json_patch",
	"json_pretty",
	"json_quote",
	"json_remove",
	"json_replace",
	"json_set",
	"json_type",
	"json_valid",
};

enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static bool is_function(const char *name)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (strcmp(functions[i], name) == 0)
			return true;
	return false;
}

void cage_offer_functions(struct similar *similar)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		similar_offer(similar, functions[i]);
}

/* --- tables --------------------------------------------------------------------------------------------- */

static bool is_looking(const char *pragma)
{
	static const char *const all[] = { "table_info", "table_xinfo", "table_list", "index_list",
		"index_info", "function_list", "compile_options" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(pragma, all[i]) == 0)
			return true;
	return false;
}

/*
 * If a statement reads no column of a table, the column is "", and the table may be a name from WITH. Every
 * other table is in the list, since cage_close() has removed the virtual tables.
 */
static bool is_table(const char *table, const char *column)
{
	static const char pragma[] = "pragma_";

	if (strncmp(table, pragma, strlen(pragma)) == 0)
		return is_looking(table + strlen(pragma));
	return schema_has(table) || !*column || strcmp(table, "sqlite_master") == 0 ||
	       strcmp(table, "json_each") == 0 || strcmp(table, "json_tree") == 0;
}

/* --- the authorizer ------------------------------------------------------------------------------------- */

static const struct {
	int action;
	const char *word;
} changes[] = {
	{ SQLITE_INSERT, "INSERT" },
	{ SQLITE_UPDATE, "UPDATE" },
	{ SQLITE_DELETE, "DELETE" },
	{ SQLITE_ALTER_TABLE, "ALTER" },
	{ SQLITE_ATTACH, "ATTACH" },
	{ SQLITE_DETACH, "DETACH" },
	{ SQLITE_ANALYZE, "ANALYZE" },
	{ SQLITE_REINDEX, "REINDEX" },
	{ SQLITE_TRANSACTION, "BEGIN" },
	{ SQLITE_SAVEPOINT, "SAVEPOINT" },
	{ SQLITE_PRAGMA, "PRAGMA" },
};

/* For CREATE and DROP, SQLite first asks about a change of sqlite_master. */
static const char *change_word(int action, const char *first)
{
	if (first && strncmp(first, "sqlite_", strlen("sqlite_")) == 0 && action == SQLITE_INSERT)
		return "CREATE";
	if (first && strncmp(first, "sqlite_", strlen("sqlite_")) == 0 && action == SQLITE_DELETE)
		return "DROP";
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (changes[i].action == action)
			return changes[i].word;
	return "a change";
}

static int refuse(struct database *database, const char *before, const char *name, const char *behind)
{
	if (!database->refused[0])
		snprintf(database->refused, sizeof(database->refused), "%s%s%s", before, name, behind);
	return SQLITE_DENY;
}

/*
 * SQLite itself declares table-valued functions (json_each) by an update of sqlite_master, which no statement
 * can do.
 */
int cage_allow(void *context, int action, const char *first, const char *second, const char *schema,
	const char *view)
{
	struct database *database = context;
	uint32_t needs;

	(void)schema;
	if (!database->is_asking)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_function(second) ? SQLITE_OK
					   : refuse(database, "a question cannot call ", second, "()");
	case SQLITE_READ:
		second = second ? second : "";
		if (tables_have(first, &needs)) {
			database->needs |= needs;
			return SQLITE_OK;
		}
		if (!is_table(first, second))
			return refuse(database, "a question cannot read the table ", first, "");
		database->needs |= schema_needs(first, second, view);
		return SQLITE_OK;
	case SQLITE_PRAGMA:
		if (is_looking(first))
			return SQLITE_OK;
		return refuse(database, "a question can only read: SELECT, not PRAGMA ", first, "");
	case SQLITE_UPDATE:
		if (strcmp(first, "sqlite_master") == 0)
			return SQLITE_OK;
		break;
	default:
		break;
	}
	return refuse(database, "a question can only read: SELECT, not ", change_word(action, first), "");
}
