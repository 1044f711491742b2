/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/terminal/terminal.h"

enum { NUMBER_ROOM = 24 };

static void put_fact(struct outbuf *out, const char *name, const char *value)
{
	if (*value)
		outbuf_printf(out, "%-10s %s\n", name, value);
}

static void put_moment(struct outbuf *out, const struct window *window, const char *name, uint64_t ticks)
{
	char length[AXIS_LABEL_MAX], text[MESSAGE_MAX];

	window_put_length(window, length, ticks - window->axis.first);
	snprintf(text, sizeof(text), "+%s (%llu)", length, (unsigned long long)ticks);
	put_fact(out, name, text);
}

static void put_entity(struct outbuf *out, const struct window *window, const char *name, uint32_t number)
{
	char label[ROW_LABEL_MAX];

	entity_label(tracks_entity(&window->session->tracks, number), label, sizeof(label));
	put_fact(out, name, label);
}

static void put_segment(
	struct outbuf *out, const struct window *window, const struct row *row, const struct segment *segment)
{
	char words[MESSAGE_MAX], length[AXIS_LABEL_MAX], number[NUMBER_ROOM];

	put_fact(out, "track", row->label);
	segment_words(row->track, segment, words);
	put_fact(out, row->track->kind == RST_INTERVAL_LEVEL ? "level" : "state", words);
	put_entity(out, window, "object", segment->object);
	put_entity(out, window, "by", segment->by);
	put_moment(out, window, "from", segment->from);
	put_moment(out, window, "to", segment->to);
	window_put_length(window, length, segment->to - segment->from);
	put_fact(out, "length", length);
	if (segment->core != RST_NO_CORE) {
		snprintf(number, sizeof(number), "%u", segment->core);
		put_fact(out, "core", number);
	}
	put_fact(out, "certainty", rst_certainty_name((enum rst_certainty)segment->certainty));
}

/* Returns false if nothing is known of it. */
static bool details_find(struct outbuf *out, struct window *window, struct details *ret_details)
{
	const struct row *row = window_row(window);
	struct segment segment;

	if (!window_segment(window, &segment)) {
		put_fact(out, "track", row ? row->label : "none");
		outbuf_puts(out, "Nothing is known of it at the cursor.\n");
		return false;
	}
	put_segment(out, window, row, &segment);
	details_take(ret_details, &window->session->tracks, row->track, &segment);
	return true;
}

static void put_events(struct app *app, struct outbuf *out, struct window *window, struct details *details)
{
	char text[512];
	struct events_query query;
	struct events events;
	struct rst_error err;

	if (!details_ask(details, &query))
		return;
	query.format = &report_format_text;
	outbuf_puts(out, *details->thread ? "\nIts events:\n" : "\nThe events that begin and end it:\n");
	if (events_fetch(app, window, &query, &events, &err) < 0)
		outbuf_printf(out, "%s\n", rst_error_text(&err, text, sizeof(text)));
	else if (outbuf_reserve(&events.lines, 1)) {
		events.lines.start[events.n_bytes] = '\0';
		outbuf_puts(out, events.lines.start);
		if (query.is_cut)
			outbuf_puts(out, "… and more\n");
	}
	events_done(&events);
}

static void text_show(struct app *app, const char *title, struct outbuf *out)
{
	if (outbuf_reserve(out, 1)) {
		*out->at = '\0';
		panel_run(app, title, out->start, false);
	}
}

void details_show(struct app *app, struct window *window)
{
	struct outbuf out;
	struct details details;
	bool is_found;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return;
	session_lock(window->session);
	is_found = details_find(&out, window, &details);
	session_unlock(window->session);
	if (is_found)
		put_events(app, &out, window, &details);
	text_show(app, "Details", &out);
	outbuf_done(&out);
}

/* --- findings ------------------------------------------------------------------------------------------- */

/* While the trace is being read, it shows the findings so far. */
static bool findings_ready(struct session *session)
{
	return session->judge.scan->is_started &&
	       (session->judge.is_done || findings_sort(&session->judge.findings));
}

static void finding_text(struct window *window, size_t n, struct sentence *sentence)
{
	struct findings *findings = &window->session->judge.findings;

	sentence->findings = findings;
	finding_say(findings, findings->sorted[n], sentence);
}

static void findings_put(struct outbuf *out, struct window *window)
{
	struct findings *findings = &window->session->judge.findings;
	struct sentence *sentence = malloc(sizeof(*sentence));

	for (size_t i = 0; i < findings->n_sorted && sentence; i++) {
		finding_text(window, i, sentence);
		outbuf_printf(out, "%s: ", severity_names[findings->sorted[i]->severity]);
		outbuf_clean(out, sentence->text);
		outbuf_puts(out, "\n");
	}
	free(sentence);
	findings_forget_names(findings);
}

/* Selects the row of the finding's first subject that has a row on the screen. */
static void finding_select(struct window *window, const struct finding *finding)
{
	const struct tracks *tracks = &window->session->tracks;

	for (size_t i = 0; i < finding->n_subjects; i++)
		for (int kind = 0; kind < RST_N_INTERVAL_KINDS; kind++) {
			const struct track *track =
				tracks_find(tracks, kind, &finding->subjects[i]->subject.entity, 0);

			if (track && window_select_track(window, track->number))
				return;
		}
}

/* Goes to the finding's time, with some time around it, and to a row of its subjects. */
static void finding_go(struct window *window, size_t n)
{
	struct findings *findings = &window->session->judge.findings;
	const struct finding *finding = findings->sorted[n];
	const uint64_t edge = (finding->to - finding->from) / 4 + 1;
	struct sentence sentence;

	window->finding = n + 1;
	window_show(window, finding->from > edge ? finding->from - edge : 0, finding->to + edge);
	window_put_cursor(window, finding->from);
	finding_select(window, finding);
	finding_text(window, n, &sentence);
	snprintf(window->message, MESSAGE_MAX, "%zu of %zu: ", n + 1, findings->n_sorted);
	sentence_add(window->message, MESSAGE_MAX, "%s", sentence.text);
	findings_forget_names(findings);
}

void findings_show(struct app *app, struct window *window)
{
	struct outbuf out;
	bool is_ready;
	long n = -1;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return;
	judge_lock(window->session);
	is_ready = findings_ready(window->session);
	if (is_ready)
		findings_put(&out, window);
	judge_unlock(window->session);
	if (is_ready && out.at == out.start)
		snprintf(window->message, MESSAGE_MAX, "nothing has gone wrong%s",
			window->session->judge.is_done ? "" : " so far");
	else if (outbuf_reserve(&out, 1)) {
		*out.at = '\0';
		n = panel_run(app, "Findings", out.start, true);
	}
	outbuf_done(&out);
	session_lock(window->session);
	judge_lock(window->session);
	if (n >= 0 && findings_ready(window->session) && (size_t)n < window->session->judge.findings.n_sorted)
		finding_go(window, (size_t)n);
	judge_unlock(window->session);
	session_unlock(window->session);
}

void findings_step(struct window *window, int direction)
{
	const size_t before = window->finding;

	judge_lock(window->session);

	const size_t n = findings_ready(window->session) ? window->session->judge.findings.n_sorted : 0;

	if (!n)
		snprintf(window->message, MESSAGE_MAX, "nothing has gone wrong%s",
			window->session->judge.is_done ? "" : " so far");
	else
		finding_go(window, before	   ? (before - 1 + n + (size_t)(long)direction) % n
				   : direction > 0 ? 0
						   : n - 1);
	judge_unlock(window->session);
}
