/* SPDX-License-Identifier: MIT */
/* Loads what is complete only at the end of a trace: names, statistics, the trace itself. */
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "database/row.h"

/* --- the trace as a whole ------------------------------------------------------------------------------- */

static void put_types(struct loading *loading, sqlite3_stmt *statement)
{
	const struct rst_type *type;

	for (size_t i = 0; (type = rst_trace_type(loading->scan->trace, i)); i++) {
		struct binding_at at = row_begin(loading, statement);

		loading->database->n_types++;
		if (type->marker != RST_EVENT)
			continue;
		put_number(&at, loading->first_type + type->index);
		put_number(&at, loading->source);
		put_number(&at, type->id);
		put_bytes(&at, type->name, type->name_bytes);
		put_word(&at, type->label);
		if (!row_end(loading, &at))
			return;
	}
}

static void put_contexts(struct loading *loading, sqlite3_stmt *statement)
{
	const struct rst_context *context;

	for (size_t i = 0; (context = rst_trace_context(loading->scan->trace, i)); i++) {
		struct binding_at at = row_begin(loading, statement);
		char room[ID_ROOM];

		loading->database->n_contexts++;
		put_number(&at, loading->first_context + context->index);
		put_number(&at, loading->source);
		put_word(&at, rst_context_kind_name(context->kind));
		put_id(&at, context->is_number, context->id, room);
		put_bytes(&at, context->name, context->name_bytes);
		put_known(&at, context->process, context->process);
		if (!row_end(loading, &at))
			return;
	}
}

static void put_objects(struct loading *loading, sqlite3_stmt *statement)
{
	const struct rst_object *object;

	for (size_t i = 0; (object = rst_trace_object(loading->scan->trace, i)); i++) {
		struct binding_at at = row_begin(loading, statement);
		char room[ID_ROOM];

		put_number(&at, loading->source);
		put_word(&at, rst_object_kind_name(object->kind));
		put_id(&at, object->is_number, object->id, room);
		put_bytes(&at, object->name, object->name_bytes);
		put_known(&at, object->process, object->process);
		put_known(&at, object->capacity, object->capacity);
		put_number(&at, (int64_t)object->from_seq);
		if (!row_end(loading, &at))
			return;
	}
}

/* A thing without a name is called by its number. */
static void put_things(struct loading *loading, sqlite3_stmt *statement)
{
	loading->database->n_things += loading->n_things;
	for (const struct thing_row *row = loading->first_row; row; row = row->next) {
		const struct rst_entity *entity = &row->entity;
		struct binding_at at = row_begin(loading, statement);
		char room[ID_ROOM], name[TEXT_DEC_MAX + ID_ROOM];
		const bool is_number = entity->is_number || entity->form == RST_ENTITY_NUMBER;

		put_number(&at, loading->first_thing + row->number);
		put_number(&at, loading->source);
		put_word(&at, entity->kind);
		put_id(&at, is_number, entity->id, room);
		if (row->is_rest)
			put_word(&at, "(others)");
		else if (entity->name)
			put_bytes(&at, entity->name, entity->name_bytes);
		else
			put_bytes(&at, name,
				(size_t)((is_number ? text_put_dec : text_put_hex)(name, entity->id) - name));
		put_known(&at, entity->process, entity->process);
		if (!row_end(loading, &at))
			return;
	}
}

static uint64_t hz_of(const struct rst_metadata *metadata)
{
	return metadata->clock.rate_ticks ? metadata->clock_hz : 0;
}

static void put_trace(struct loading *loading, sqlite3_stmt *statement, const char *fault)
{
	const struct scan *scan = loading->scan;
	const struct rst_metadata *metadata = rst_trace_metadata(scan->trace);
	const size_t n_path = strlen(metadata->path);
	char *path = malloc(4 * n_path + 1); /* a file's name may have any bytes, a database has UTF-8 */
	struct binding_at at = row_begin(loading, statement);

	if (!path) {
		loading->status = error_nomem(&loading->err);
		return;
	}
	put_number(&at, loading->source);
	put_bytes(&at, path, (size_t)(text_clean(path, (const uint8_t *)metadata->path, n_path) - path));
	put_word(&at, metadata->dialect);
	put_word(&at, metadata->target);
	put_known(&at, hz_of(metadata), hz_of(metadata));
	put_word(&at, scan->is_started && scan->times.hz ? "ns" : "ticks");
	put_known(&at, scan->is_started, scan->from);
	put_known(&at, scan->is_started, scan->to);
	put_number(&at, loading->first_seq);
	put_number(&at, (int64_t)scan_n_numbers(scan));
	put_real(&at, scan->is_started ? stats_unknown(&loading->stats, BASIS_EVENTS) : 1);
	put_word(&at, fault);
	row_end(loading, &at);
	free(path);
}

/* A function that puts in all rows of a table. */
static enum rst_status table_fill(struct loading *loading, const char *sql,
	void (*fill)(struct loading *loading, sqlite3_stmt *statement), struct rst_error *err)
{
	sqlite3_stmt *statement = NULL;

	error_try(database_prepare(loading->database, sql, &statement, err));
	fill(loading, statement);
	loading->database->sqlite.finalize(statement);
	if (loading->status < 0)
		*err = loading->err;
	return loading->status;
}

/* --- statistics ----------------------------------------------------------------------------------------- */

static void put_cell(struct loading *loading, struct binding_at *at, const struct table_column *column,
	const struct table_cell *cell)
{
	const struct times *times = &loading->scan->times;

	if (!cell->is_there)
		put_known(at, false, 0);
	else if (column->type == CELL_WORD)
		put_bytes(at, cell->text.bytes, cell->text.n_bytes);
	else if (column->type == CELL_SHARE)
		put_real(at, cell->real * 100);
	else if (column->type == CELL_REAL)
		put_real(at, cell->real);
	else if (column->type == CELL_TIME && times->hz)
		put_number(at, times_distance_ns(times, 0, cell->number));
	else
		put_number(at, (int64_t)cell->number);
}

/* The columns of schema_put_stats(). */
static void put_cells(struct loading *loading, struct binding_at *at, const struct table_column *column,
	const struct table_cell *cell)
{
	const struct table_cell most = cell_most(column, cell);

	if (column->type == CELL_HISTOGRAM)
		return;
	put_cell(loading, at, column, cell);
	if (column->is_bounded)
		put_cell(loading, at, column, &most);
}

static void put_stats(struct loading *loading, sqlite3_stmt *statement, const struct table *table)
{
	for (size_t row = 0; row < table->n_rows && loading->status == RST_OK; row++) {
		struct binding_at at = row_begin(loading, statement);

		put_number(&at, loading->source);
		for (size_t i = 0; i < table->n_columns; i++)
			put_cells(
				loading, &at, &table->columns[i], &table->cells[row * table->n_columns + i]);
		row_end(loading, &at);
	}
}

static enum rst_status stats_prepare(
	struct loading *loading, size_t n, sqlite3_stmt **ret, struct rst_error *err)
{
	struct outbuf out;
	enum rst_status status;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return error_nomem(err);
	schema_put_insert_stats(&out, loading->stats.analyses[n]);
	if (outbuf_reserve(&out, 1)) {
		*out.at = '\0';
		status = database_prepare(loading->database, out.start, ret, err);
	} else {
		status = error_nomem(err);
	}
	outbuf_done(&out);
	return status;
}

static void put_unknown(struct loading *loading, sqlite3_stmt *statement)
{
	for (size_t i = 0; i < loading->stats.n_analyses; i++) {
		const struct analysis *analysis = loading->stats.analyses[i];
		struct binding_at at = row_begin(loading, statement);

		put_number(&at, loading->source);
		put_word(&at, analysis->name);
		put_real(&at, stats_unknown(&loading->stats, analysis->basis));
		if (!row_end(loading, &at))
			return;
	}
}

static enum rst_status stats_fill(struct loading *loading, struct rst_error *err)
{
	for (size_t i = 0; i < loading->stats.n_analyses; i++) {
		sqlite3_stmt *statement = NULL;
		struct table table;
		enum rst_status status = stats_table(&loading->stats, i, &table, err);

		if (status == RST_OK)
			status = stats_prepare(loading, i, &statement, err);
		if (status == RST_OK)
			put_stats(loading, statement, &table);
		loading->database->sqlite.finalize(statement);
		table_done(&table);
		error_try(status);
	}
	return table_fill(loading, "INSERT INTO stats_tables VALUES (?,?,?)", put_unknown, err);
}

/* --- findings ------------------------------------------------------------------------------------------- */

static void put_finding(struct loading *loading, sqlite3_stmt *statement, const struct finding *finding,
	struct outbuf *subjects)
{
	struct binding_at at = row_begin(loading, statement);
	struct json json = { .out = subjects };
	struct sentence sentence;

	subjects->at = subjects->start;
	finding_put_subjects(&json, NULL, &loading->findings, finding);
	put_number(&at, loading->source);
	put_word(&at, finding->kind->name);
	put_word(&at, severity_names[finding->severity]);
	put_number(&at, (int64_t)finding->from);
	put_number(&at, (int64_t)finding->to);
	put_bytes(&at, subjects->start, (size_t)(subjects->at - subjects->start));
	put_word(&at, finding_say(&loading->findings, finding, &sentence));
	put_number(&at, finding->is_certain);
	row_end(loading, &at);
}

static void put_findings(struct loading *loading, sqlite3_stmt *statement)
{
	const struct findings *findings = &loading->findings;
	struct outbuf subjects;

	if (!outbuf_init(&subjects, OUTBUF_MEMORY)) {
		loading->status = error_nomem(&loading->err);
		return;
	}
	for (size_t i = 0; i < findings->n_sorted && loading->status == RST_OK; i++)
		put_finding(loading, statement, findings->sorted[i], &subjects);
	if (loading->status == RST_OK && (subjects.error || findings->lacks_names))
		loading->status = error_nomem(&loading->err);
	outbuf_done(&subjects);
}

static enum rst_status findings_fill(struct loading *loading, struct rst_error *err)
{
	if (!loading->has_findings)
		return RST_OK;
	if (!findings_finish(&loading->findings))
		return error_nomem(err);
	return table_fill(loading, schema_insert_finding, put_findings, err);
}

/* --- the end -------------------------------------------------------------------------------------------- */

static enum rst_status trace_fill(struct loading *loading, const char *fault, struct rst_error *err)
{
	sqlite3_stmt *statement = NULL;

	error_try(database_prepare(loading->database, schema_insert_trace, &statement, err));
	put_trace(loading, statement, fault);
	loading->database->sqlite.finalize(statement);
	if (loading->status < 0)
		*err = loading->err;
	return loading->status;
}

enum rst_status whole_fill(struct loading *loading, const char *fault, struct rst_error *err)
{
	error_try(table_fill(loading, schema_insert_type, put_types, err));
	error_try(table_fill(loading, schema_insert_context, put_contexts, err));
	error_try(table_fill(loading, schema_insert_object, put_objects, err));
	error_try(table_fill(loading, schema_insert_thing, put_things, err));
	error_try(trace_fill(loading, fault, err));
	error_try(findings_fill(loading, err));
	return stats_fill(loading, err);
}
