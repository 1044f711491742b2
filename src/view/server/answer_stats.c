/* SPDX-License-Identifier: MIT */
/*
 * /api/stats/TABLE: a table of the whole trace, which the session has; with from or to, a table of a part,
 * for which it reads the trace again. It leaves out rows that have no room in an answer, and counts them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/table/format.h"
#include "base/error.h"
#include "base/steady.h"
#include "view/server/server.h"

enum { ROWS_MAX = 10000, ROWS_TRIES = 20, READ_MS = 60000, NUMBER_ROOM = 24 };

/*
 * Writes the rows from `offset` on that fit. A separate key has what was left out; a whole table has no such
 * key.
 */
static bool put_table(const struct request *request, struct answer *answer, struct table *table,
	const struct table_output *output)
{
	struct outbuf *out = &answer->body;
	uint64_t offset = 0, limit = ROWS_MAX;
	struct table part = *table;
	struct json json;

	if (!parameter_number(request, answer, "offset", 0, UINT64_MAX, &offset) ||
		!parameter_number(request, answer, "limit", 1, ROWS_MAX, &limit))
		return true;
	if (offset > table->n_rows)
		offset = table->n_rows;
	part.n_rows = table->n_rows - (size_t)offset < limit ? table->n_rows - (size_t)offset : (size_t)limit;
	part.cells = table->cells + offset * table->n_columns;
	for (unsigned i = 0; i < ROWS_TRIES; i++, part.n_rows = part.n_rows * 3 / 4) {
		part.n_cells = part.n_rows * table->n_columns;
		out->at = out->start;
		json = (struct json){ .out = out };
		table_json_begin(output, &part, &json);
		if (out_bytes(out) < ANSWER_MAX || !part.n_rows)
			break;
	}
	if (offset + part.n_rows < table->n_rows) {
		json_unsigned(&json, "total", table->n_rows);
		json_unsigned(&json, "next", offset + part.n_rows);
	}
	json_end(&json);
	json_line_end(&json);
	return !out->error;
}

/* The n-th table of a run. */
static bool put_stats(const struct request *request, struct answer *answer, struct stats *stats, size_t n)
{
	const struct table_output output = { .out = &answer->body,
		.times = stats->scan->is_started ? &stats->scan->times : NULL };
	struct table table;
	const bool is_done =
		stats_table(stats, n, &table, NULL) == RST_OK && put_table(request, answer, &table, &output);

	table_done(&table);
	return is_done;
}

/* --- a part --------------------------------------------------------------------------------------------- */

/* One reading for one table. */
struct part_reading {
	const struct session *session;
	uint64_t end_ms;
};

static bool answer_stats_goes_on(void *context, const struct scan *scan)
{
	const struct part_reading *reading = context;

	(void)scan;
	return !__atomic_load_n(&reading->session->is_stopping, __ATOMIC_RELAXED) &&
	       steady_ms() < reading->end_ms;
}

static const struct observer_kind part_observer = { .step = answer_stats_goes_on };

static enum rst_status part_read(
	const struct request *request, struct part_reading *reading, struct scan *scan, struct rst_error *err)
{
	const struct session *session = request->session;
	struct job job = session_job(session);
	struct filter_spec filter = session->job.filter;
	enum rst_status status;

	filter.from = request->parameter(request, "from");
	filter.to = request->parameter(request, "to");
	status = job_open(&job, session->number, &scan->trace, err);
	scan->filter = &filter;
	if (status == RST_OK)
		status = scan_run(scan, err);
	if (status == RST_E_NOMEM && !answer_stats_goes_on(reading, scan))
		status = RST_E_UNSUPPORTED;
	job_done(&job);
	return status == RST_E_DAMAGED ? RST_OK : status;
}

static bool put_part(const struct request *request, struct answer *answer, const struct analysis *analysis)
{
	struct part_reading reading = { .session = request->session, .end_ms = steady_ms() + READ_MS };
	struct stats stats = { .analyses = { analysis }, .n_analyses = 1 };
	struct scan scan = { 0 };
	struct rst_error err;
	char text[1024];
	enum rst_status status;
	bool is_done;

	if (!request->session->can_read_again)
		return answer_fail(answer, 409, "the trace came through a pipe: it cannot be read once more");
	stats_init(&stats, &scan);
	observers_add(&scan.observers, &part_observer, &reading);
	status = part_read(request, &reading, &scan, &err);
	if (status == RST_OK)
		is_done = put_stats(request, answer, &stats, 0);
	else if (status == RST_E_UNSUPPORTED)
		is_done = answer_fail(answer, 503, "to read the trace once more takes too long");
	else
		is_done = answer_fail(
			answer, status == RST_E_USAGE ? 400 : 500, rst_error_text(&err, text, sizeof(text)));
	stats_done(&stats);
	scan_done(&scan);
	rst_trace_free(scan.trace);
	return is_done;
}

/* --- which ---------------------------------------------------------------------------------------------- */

static bool put_whole(const struct request *request, struct answer *answer, size_t n)
{
	struct session *session = request->session;
	bool is_done;

	judge_lock(session);
	is_done = put_stats(request, answer, &session->judge.stats, n);
	judge_unlock(session);
	return is_done;
}

bool answer_stats(const struct request *request, struct answer *answer)
{
	const char *name = request->path + strlen("/api/stats/");
	uint64_t from = 0, to = UINT64_MAX;

	if (!parameter_number(request, answer, "from", 0, UINT64_MAX, &from) ||
		!parameter_number(request, answer, "to", 0, UINT64_MAX, &to))
		return true;
	if (from > to)
		return answer_fail(answer, 400, "from must not be above to");
	for (size_t n = 0; analyses[n]; n++)
		if (strcmp(analyses[n]->name, name) == 0)
			return from || to < UINT64_MAX ? put_part(request, answer, analyses[n])
						       : put_whole(request, answer, n);
	return answer_fail(answer, 404, "there is no table of that name: /api/info has their names");
}
