/* SPDX-License-Identifier: MIT */
/*
 * Events of the trace, as lines in a report format. It reads the trace again, from the last place in front of
 * the window to the end of the window, and drops lines without the wanted text at once. An answer takes at
 * most EVENTS_MS from the begin of its window on; then it ends with the place to continue from.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/steady.h"
#include "view/session/session.h"

enum { EVENTS_MS = 2000, WAY_MS = 60000, LINE_MAX = EVENTS_BYTES_MAX / 2 };

/* One reading. */
struct reading {
	struct events_query *query;
	const struct session *session;
	struct report report;
	struct report_input input;
	struct events *events; /* n_bytes of lines are judged already */
	uint64_t end_ms;
	struct place begin; /* where reading begins behind the first batch, with has_begin */
	bool has_begin;
	bool is_there; /* where the window begins */
};

/*
 * The time of an answer counts from the begin of its window; the way there may take longer, from the begin of
 * the trace.
 */
static bool is_over(struct reading *reading)
{
	const uint64_t now_ms = steady_ms();

	if (__atomic_load_n(&reading->session->is_stopping, __ATOMIC_RELAXED) ||
		__atomic_load_n(&reading->query->is_stopped, __ATOMIC_RELAXED))
		return true;
	if (!reading->is_there && reading->input.is_started &&
		reading->input.end_ticks >= reading->query->from &&
		reading->input.n_events >= reading->query->first) {
		reading->is_there = true;
		reading->end_ms = now_ms + EVENTS_MS;
	}
	if (reading->query->is_patient && !reading->events->n)
		reading->end_ms = now_ms + EVENTS_MS;
	return now_ms >= reading->end_ms;
}

/* Marks that more events may follow, from the event with this number on. */
static void reading_cut(struct reading *reading, uint64_t ticks, uint64_t seq)
{
	reading->report.n_left = 0;
	if (reading->query->is_cut)
		return;
	reading->query->is_cut = true;
	reading->query->next_from = ticks;
	reading->query->next = seq;
}

static bool line_is_wanted(const struct reading *reading, const char *line, size_t n_bytes)
{
	if (n_bytes > LINE_MAX)
		return false;
	return !reading->query->text || strcasestr(line, reading->query->text);
}

/* Keeps or drops each new line. The line from byte start on is the event with this number. */
static void lines_judge(struct reading *reading, uint64_t seq, size_t start)
{
	struct events *events = reading->events;
	struct outbuf *lines = &events->lines;
	char *to = lines->start + events->n_bytes;
	const uint64_t next = seq == RST_NO_SEQ ? reading->input.n_events : seq;

	for (char *line = to, *end; line < lines->at && events->n < reading->query->limit; line = end + 1) {
		end = memchr(line, '\n', (size_t)(lines->at - line));
		if (!end)
			break;
		*end = '\0';
		if (!line_is_wanted(reading, line, (size_t)(end - line)))
			continue;
		if ((size_t)(to - lines->start) + (size_t)(end - line) > EVENTS_BYTES_MAX) {
			reading_cut(reading, reading->report.section.last_ticks, next);
			break;
		}
		events->ticks[events->n] = reading->report.section.last_ticks;
		events->seqs[events->n++] = (size_t)(line - lines->start) >= start ? seq : RST_NO_SEQ;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
		*to++ = '\n';
	}
	lines->at = to;
	events->n_bytes = (size_t)(to - lines->start);
	if (events->n == reading->query->limit)
		reading_cut(reading, reading->report.section.last_ticks, next + (seq != RST_NO_SEQ));
}

static void take_line(void *context, uint64_t seq, size_t start)
{
	struct reading *reading = context;

	if (seq < reading->query->first)
		reading->events->lines.at = reading->events->lines.start + reading->events->n_bytes;
	else
		lines_judge(reading, seq, start);
}

/* Names and types that were met in between are met again where they are needed. */
static void place_go(struct reading *reading)
{
	struct report_input *input = &reading->input;

	if (reading->has_begin && input->is_started && reading->begin.n_events > input->n_events &&
		trace_place_go(input->trace, &reading->begin.place)) {
		input->n_events = input->select.n_events = reading->begin.n_events;
		input->end_ticks = reading->begin.at;
	}
	reading->has_begin = false;
}

static void take_batch(void *context, uint64_t n_events)
{
	struct reading *reading = context;

	(void)n_events;
	lines_judge(reading, RST_NO_SEQ, SIZE_MAX);
	place_go(reading);
	if (reading->report.n_left && is_over(reading))
		reading_cut(reading, reading->input.end_ticks, reading->input.n_events);
	else if (reading->input.is_started && reading->input.end_ticks > reading->query->to)
		reading->report.n_left = 0;
}

/* It opens the trace with its own lists of templates, which no other thread uses. */
static enum rst_status reading_run(struct reading *reading, struct rst_error *err)
{
	const struct session *session = reading->session;
	const struct job job = session_job(session);
	struct dialect_templates *templates;
	struct reader reader;
	enum rst_status status = reader_take(session->places, &job, session->number, &reader, err);

	reading->input.trace = reader.trace;
	if (status == RST_OK)
		status = job_templates(&reader.job, reader.trace, &templates, err);
	if (status == RST_OK) {
		reading->input.templates = templates->set;
		reading->input.diags = &templates->diags;
		status = report_trace(&reading->report, &reading->input, err);
		lines_judge(reading, RST_NO_SEQ, SIZE_MAX);
	}
	reader_give(session->places, &reader);
	return status < 0 && status != RST_E_DAMAGED ? status : RST_OK;
}

enum rst_status events_read(
	struct session *session, struct events_query *query, struct events *events, struct rst_error *err)
{
	struct reading reading = { .query = query,
		.session = session,
		.events = events,
		.end_ms = steady_ms() + WAY_MS,
		.report = { .options = { .format = query->format, .filter = &query->filter },
			.out = &events->lines,
			.n_left = UINT64_MAX,
			.written = take_line,
			.written_context = &reading,
			.progress = take_batch,
			.progress_context = &reading } };

	const uint64_t first_seq = query->filter.n_seqs ? query->filter.seqs[0] : 0;
	const struct place *begin;

	session_lock(session);
	begin = places_find(
		session->places, query->from, first_seq > query->first ? first_seq : query->first);
	reading.has_begin = begin != NULL;
	if (begin)
		reading.begin = *begin;
	session_unlock(session);
	*events = (struct events){ .n = 0 };
	if (!outbuf_init(&events->lines, OUTBUF_MEMORY))
		return error_nomem(err);
	if (!session->can_read_again) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"the trace came through a pipe: its events cannot be read once more");
		return RST_E_USAGE;
	}
	return reading_run(&reading, err);
}

void events_done(struct events *events)
{
	outbuf_done(&events->lines);
}
