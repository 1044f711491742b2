/* SPDX-License-Identifier: MIT */
#include "lines/format.h"

#include "base/choice.h"
#include "base/error.h"
#include "lines/intervals.h"
#include "lines/workers.h"

const struct report_format *const report_formats[] = {
	&report_format_text,
	&report_format_aix,
	&report_format_jsonl,
	&report_format_csv,
	NULL,
};

static const char *report_format_name(size_t i)
{
	return report_formats[i] ? report_formats[i]->name : NULL;
}

enum rst_status report_format_find(
	const char *name, const struct report_format **ret_format, struct rst_error *err)
{
	const struct choice choice = { .kind = "format", .name = report_format_name };
	size_t index;

	error_try(choice_find(&choice, name, &index, err));
	*ret_format = report_formats[index];
	return RST_OK;
}

void report_begin(struct report *report, const struct report_input *input)
{
	struct outbuf *out = report->out;

	if (report->section.is_begun)
		return;
	report->section.is_begun = true;
	if (report->heading && report->n_begun == 0)
		report->out = report->heading;
	if (report->options.intervals)
		intervals_begin(report, input);
	else if (report->options.format->begin)
		report->options.format->begin(report, input);
	report->out = out;
	report->n_begun++;
}

void report_gap(struct report *report, const struct report_line *line, const struct rst_gap *gap)
{
	enum { MARK = 4, BEHIND = 16 };
	struct outbuf *out = report->out;
	size_t start;

	(void)line;
	if (report->options.has_color)
		outbuf_puts(out, "\033[1;31m");
	outbuf_puts(out, "*** ");
	start = (size_t)(out->at - out->start);
	if (gap->marker == RST_RUN)
		outbuf_printf(out, "RUN %llu: ", (unsigned long long)gap->n_events);
	else if (gap->marker == RST_DAMAGE && gap->n_bytes)
		outbuf_printf(out, "DAMAGE at byte %llu, %llu byte%s: ", (unsigned long long)gap->offset,
			(unsigned long long)gap->n_bytes, gap->n_bytes == 1 ? "" : "s");
	else if (gap->marker == RST_DAMAGE)
		outbuf_printf(out, "DAMAGE at byte %llu: ", (unsigned long long)gap->offset);
	else if (gap->n_events)
		outbuf_printf(out, "LOST %llu event%s: ", (unsigned long long)gap->n_events,
			gap->n_events == 1 ? "" : "s");
	else
		outbuf_puts(out, "LOST an unknown number of events: ");
	outbuf_puts(out, gap->what);
	if (report->options.n_columns)
		out->at = wrap_text(report, start, out->at, MARK, BEHIND);
	outbuf_puts(out, report->options.has_color ? "\033[0m\n" : "\n");
}

/* Lines of what the event came to: more than one where its template has them. */
static uint64_t count_lines(const struct runner *runner, const struct outbuf *out, size_t start)
{
	const char *at = out->start + start;
	uint64_t n_lines = 0;

	if (__builtin_expect(runner->line == runner->start, 1))
		return 1;
	while ((at = memchr(at, '\n', (size_t)(out->at - at))) != NULL) {
		n_lines++;
		at++;
	}
	return n_lines;
}

/* The number of an event; those of its batch are counted already. */
static uint64_t number_of(const struct report_line *line)
{
	const struct rst_carried *carried = rst_trace_carried(line->input->trace);
	uint64_t number = line->input->n_events;

	if (carried)
		return carried->seqs[line->row];
	for (size_t row = line->row; row < line->batch->n_events; row++)
		number -= line->batch->type[row]->marker == RST_EVENT;
	return number;
}

/* An event that is not shown does not count for --limit, or for the time to the next event. */
void report_line_end(const struct report_line *line, size_t start, char *end)
{
	struct report *report = line->report;
	struct report_input *input = line->input;
	const struct runner *runner = &input->runner;
	struct outbuf *out = report->out;

	if (__builtin_expect(runner->outcome == RUN_SKIP && !report->options.format->keeps_skipped, 0)) {
		out->at = out->start + start;
		return;
	}
	out->at = end;
	report->section.last_ticks = line->batch->ticks[line->row];
	report->section.has_last = true;
	report->seq++;
	report->n_lines += count_lines(runner, out, start);
	report->n_left = __builtin_expect(runner->outcome == RUN_STOP, 0) ? 0 : report->n_left - 1;
	if (__builtin_expect(report->written != NULL, 0))
		report->written(report->written_context, number_of(line), start);
	if (__builtin_expect(input->counts != NULL, 0))
		type_counts_add(input->counts, line->layout);
	/*
	 * A long line has made the buffer larger; lines to come must not have it filled before it is written
	 * out.
	 */
	if (__builtin_expect(out->at - out->start > OUTBUF_BYTES, 0))
		outbuf_flush(out);
}

static bool report_event(struct report *report, struct report_input *input, struct report_line *line)
{
	struct outbuf *out = report->out;
	size_t start;

	input->has_chosen = true;
	line->plan = plan_of(input, line->layout);
	line->context = plan_context(input, line);
	if (!line->plan || !line->context)
		return false;
	if (!outbuf_reserve(out, line_room(line)))
		return true; /* remembered in out->error */
	values_open(&line->values, line->batch, line->row);
	line->values.room_after = line->plan->room;
	input->runner.outcome = RUN_DONE;
	start = (size_t)(out->at - out->start);
	report_line_end(line, start, report->options.format->event(report, line, out->at));
	return true;
}

static void report_marker(struct report *report, const struct report_line *line)
{
	report->options.format->gap(report, line, rst_batch_gap(line->batch, line->row));
	report->n_lines++;
}

/* Before the first line of a trace is written. */
static void report_first(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	struct report *report = input->report;

	plan_widths(&report->section, batch, rows, n_rows);
	if (report->options.has_head && report->options.format->head)
		report->options.format->head(report, input);
}

static bool shows_core(const struct report *report)
{
	return (report->options.columns.hidden | report->section.columns) >> COLUMN_CORE & 1;
}

/* From the batch with a second core on, lines show the core, unless --columns decided that. */
static void watch_core(struct report *report, uint16_t core)
{
	struct report_section *section = &report->section;

	if (core == section->core || core == RST_NO_CORE || shows_core(report))
		return;
	if (section->core != RST_NO_CORE)
		section->columns |= 1U << COLUMN_CORE;
	else
		section->core = core;
}

static void watch_cores(struct report *report, const struct rst_batch *batch)
{
	if (!batch->core || shows_core(report))
		return;
	for (size_t i = 0; i < batch->n_events; i++)
		if (__builtin_expect(batch->core[i] != report->section.core, 0))
			watch_core(report, batch->core[i]);
}

/*
 * As many rows as the format takes at once; those that are looked at one by one for other reasons are not
 * among them.
 */
static size_t rows_quick(struct report_line *line, const uint16_t *rows, size_t n_rows)
{
	const struct report *report = line->report;
	size_t n_put;

	if (!report->options.format->events || report->written || line->input->counts)
		return 0;
	n_put = report->options.format->events(
		line, rows, n_rows < report->n_left ? n_rows : (size_t)report->n_left);
	line->input->has_chosen |= n_put > 0;
	return n_put;
}

/* Markers do not count for --limit, but those behind the last event wanted are left out with it. */
static bool rows_put(struct report *report, struct report_input *input, const struct rst_batch *batch,
	const uint16_t *rows, size_t n_rows, bool removes_duplicates)
{
	struct report_line line = { .report = report,
		.input = input,
		.batch = batch,
		.values = { .out = report->out, .trace = input->trace } };

	for (size_t i = 0; i < n_rows && report->n_left; i++) {
		i += removes_duplicates ? 0 : rows_quick(&line, rows + i, n_rows - i);
		if (i == n_rows || !report->n_left)
			break;
		line.row = rows[i];
		line.layout = batch->layout[rows[i]];
		if (batch->type[line.row]->marker != RST_EVENT)
			report_marker(report, &line);
		else if (removes_duplicates &&
			 duplicates_have(&report->duplicates, batch->ticks[line.row], batch, line.row))
			continue;
		else if (!report_event(report, input, &line))
			return false;
	}
	return true;
}

static enum rst_status report_batch(
	struct report_input *input, const struct rst_batch *batch, struct rst_error *err)
{
	struct report *report = input->report;
	uint16_t rows[RST_BATCH_EVENTS];
	size_t n_rows = select_rows(&input->select, batch, rows);
	enum share share;
	bool is_good;

	workers_enter(input);
	watch_cores(report, batch);
	if (!report->section.context_width && n_rows && report->n_left)
		report_first(input, batch, rows, n_rows);
	error_try(workers_share(input, batch, rows, n_rows, &share, err));
	if (share == SHARE_OWN)
		is_good = rows_put(report, input, batch, rows, n_rows, report->options.removes_duplicates);
	else
		is_good = workers_pass(input, batch, rows, n_rows);
	if (is_good)
		workers_give(report);
	return is_good && report_end_batch(input, batch) ? RST_OK : error_nomem(err);
}

bool report_end_batch(struct report_input *input, const struct rst_batch *batch)
{
	return !input->spans.is_wanted || open_spans_end_batch(&input->spans, input->trace, batch);
}

bool report_row(struct report *report, struct report_input *input, const struct rst_batch *batch, size_t row)
{
	const uint16_t one = (uint16_t)row;
	const struct report_line line = {
		.report = report, .input = input, .batch = batch, .row = row, .layout = batch->layout[row]
	};

	if (batch->type[row]->marker != RST_EVENT) {
		report_marker(report, &line); /* --limit 0 shows it, too */
		return true;
	}
	return rows_put(report, input, batch, &one, 1, false);
}

/* Markers in front of everything. */
static void report_markers(struct report_input *input, const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct report_line line = { .report = input->report,
			.input = input,
			.batch = batch,
			.row = i,
			.layout = batch->layout[i] };

		if (batch->type[line.row]->marker != RST_EVENT)
			report_marker(input->report, &line);
	}
}

uint64_t report_count_events(const struct rst_batch *batch)
{
	uint64_t n_events = 0;

	for (size_t i = 0; i < batch->n_events; i++)
		n_events += batch->type[i]->marker == RST_EVENT;
	return n_events;
}

/* Counts the rows that were passed over. Without a selection, all of them would have been shown. */
static void report_passed(struct report_input *input)
{
	const struct passed *passed = input->take_passed ? input->take_passed(input->trace) : NULL;
	struct report *report = input->report;
	char room[TIMES_ROOM];

	if (!passed)
		return;
	input->n_events += passed->n_events;
	input->end_ticks = passed->last_ticks;
	for (size_t core = 0; core < passed->tallies[PASSED_CORES].room; core++)
		if (passed->tallies[PASSED_CORES].n[core])
			watch_core(report, (uint16_t)core);
	if (!input->is_started || !input->select.takes_all)
		return;
	report->seq += passed->n_events;
	report->n_lines += passed->n_rows;
	input->has_chosen = true;
	times_put(&input->times, room, passed->least_ticks);
	times_put(&input->times, room, passed->greatest_ticks);
	report->section.last_ticks = passed->last_ticks;
	report->section.has_last = true;
}

static enum rst_status report_batches(struct report_input *input, struct rst_error *err)
{
	struct report *report = input->report;
	static const struct rst_batch none;
	const struct rst_batch *batch;
	enum rst_status status;

	while ((status = rst_trace_next(input->trace, &batch, err)) == RST_OK) {
		report_passed(input);
		input->n_events += report_count_events(batch);
		if (batch->n_events)
			input->end_ticks = batch->ticks[batch->n_events - 1];
		if (!input->is_started && rst_trace_metadata(input->trace)->has_first_ticks)
			error_try(input_start(input, batch, err));
		input_refresh(input);
		report_begin(report, input);
		if (!input->is_started)
			report_markers(input, batch);
		else
			error_try(report_batch(input, batch, err));
		if (report->n_left == 0 || report->out->error)
			return RST_END;
		if (report->progress)
			report->progress(report->progress_context, input->n_events);
	}
	report_passed(input);
	/* A selection that cannot be read is an error for a trace without events, too. */
	if (status == RST_END && !input->is_started)
		error_try(input_start(input, &none, err));
	return status == RST_END ? RST_OK : status;
}

/* The events of a trace, by one thread or several. */
static enum rst_status report_events(struct report_input *input, struct rst_error *err)
{
	enum rst_status status;

	error_try(workers_init(input, err));
	status = report_batches(input, err);
	return workers_done(input, status, err);
}

enum rst_status report_trace(struct report *report, struct report_input *input, struct rst_error *err)
{
	enum rst_status status;

	report->section = (struct report_section){ .core = RST_NO_CORE };
	status = input_prepare(input, report, err);
	if (status == RST_OK)
		status = report->options.intervals ? intervals_trace(input, err) : report_events(input, err);
	if (status == RST_OK)
		input_explain(input);
	report_begin(report, input);
	input_release(input);
	return status;
}
