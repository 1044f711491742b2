/* SPDX-License-Identifier: MIT */
/* Writes a file of SQLite: all tables of `rastrum query`, with indexes. */
#include "base/error.h"
#include "export/export.h"

struct sqlite_state {
	struct export *export;
	struct database database;
	struct loading loading;
	bool has_database, is_loading;
};

static enum rst_status sqlite_begin(struct export *export, struct rst_error *err)
{
	struct sqlite_state *state = export->state;

	if (!state->has_database) {
		state->has_database = true;
		error_try(database_open(&state->database, export->path, err));
	}
	state->is_loading = true;
	return loading_begin(&state->loading, &state->database, SCHEMA_ALL, export->scan, export->templates,
		export->diags, export->trace, err);
}

static void loading_end(struct sqlite_state *state)
{
	if (state->is_loading)
		loading_done(&state->loading);
	state->is_loading = false;
}

static enum rst_status sqlite_end(struct export *export, struct rst_error *err)
{
	struct sqlite_state *state = export->state;
	const enum rst_status status = loading_finish(&state->loading, export->fault, err);

	loading_end(state);
	return status;
}

static enum rst_status sqlite_finish(struct export *export, struct rst_error *err)
{
	struct sqlite_state *state = export->state;

	if (!state->has_database) {
		state->has_database = true;
		error_try(database_open(&state->database, export->path, err));
	}
	return database_finish(&state->database, true, err);
}

static void sqlite_done(void *context)
{
	struct sqlite_state *state = context;

	loading_end(state);
	if (state->has_database)
		database_close(&state->database);
}

const struct export_format export_format_sqlite = {
	.observer = {
		.state_bytes = sizeof(struct sqlite_state),
		.done = sqlite_done,
	},
	.name = "sqlite",
	.extension = ".db",
	.about = "an SQLite database: the tables and views of `rastrum query`, with indexes",
	.keeps = "events with all fields, names and sentences; intervals; losses; statistics",
	.leaves = "histograms of statistics",
	.output = EXPORT_FILE,
	.takes_several = true,
	.begin = sqlite_begin,
	.end = sqlite_end,
	.finish = sqlite_finish,
};
