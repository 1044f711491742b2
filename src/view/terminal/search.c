/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/terminal/terminal.h"

enum { HITS_EVENTS = 200, HITS_TRACKS = 1000 };

void search_done(struct window *window)
{
	for (size_t i = 0; i < window->n_hits; i++)
		free(window->hits[i].text);
	free(window->hits);
	window->hits = NULL;
	window->n_hits = window->hits_room = window->hit = 0;
	window->has_hits = false;
}

/* Returns NULL if memory ran out. */
static struct hit *hit_add(struct window *window)
{
	if (window->n_hits == window->hits_room) {
		const size_t room = 2 * window->hits_room + 16;
		struct hit *hits = realloc(window->hits, room * sizeof(*hits));

		if (!hits)
			return NULL;
		window->hits = hits;
		window->hits_room = room;
	}
	window->hits[window->n_hits] = (struct hit){ .at = 0 };
	return &window->hits[window->n_hits++];
}

static void find_rows(struct window *window, const char *text)
{
	const struct arrangement *arrangement = &window->arrangement;

	for (size_t i = 0; i < arrangement->n_shown && window->n_hits < HITS_TRACKS; i++) {
		const struct row *row = arranged_row(arrangement, i);
		struct hit *hit = strcasestr(row->label, text) ? hit_add(window) : NULL;

		if (hit)
			hit->track = row->track->number;
	}
}

static void keep_events(struct window *window, const struct events *events)
{
	const char *line = events->lines.start;

	for (uint64_t i = 0; i < events->n; i++) {
		const size_t n_bytes = strcspn(line, "\n");
		struct hit *hit = hit_add(window);

		if (hit) {
			hit->is_event = true;
			hit->at = events->ticks[i];
			hit->text = strndup(line, n_bytes);
		}
		line += n_bytes + 1;
	}
}

/* Writes why the search did not read all events; "" if it did, or if it found enough. */
static void find_events(struct app *app, struct window *window, const char *text, char why[MESSAGE_MAX])
{
	struct events_query query = { .format = &report_format_text,
		.limit = HITS_EVENTS,
		.text = text,
		.to = UINT64_MAX,
		.is_patient = true };
	struct events events;
	struct rst_error err;

	why[0] = '\0';
	query.filter = window->session->job.filter;
	if (events_fetch(app, window, &query, &events, &err) == RST_OK)
		keep_events(window, &events);
	else
		rst_error_text(&err, why, MESSAGE_MAX);
	if (!why[0] && query.is_stopped)
		snprintf(why, MESSAGE_MAX, "stopped before all events were read");
	window->has_more_hits = query.is_cut;
	events_done(&events);
}

static void hit_show(struct window *window)
{
	const struct hit *hit = &window->hits[window->hit];

	snprintf(window->message, MESSAGE_MAX, "%zu of %zu%s", window->hit + 1, window->n_hits,
		window->has_more_hits ? " or more" : "");
	if (hit->is_event) {
		window_go(window, hit->at);
		sentence_add(window->message, MESSAGE_MAX, ": %s", hit->text ? hit->text : "");
	} else if (window_select_track(window, hit->track))
		sentence_add(window->message, MESSAGE_MAX, ": %s", window_row(window)->label);
	else
		sentence_add(window->message, MESSAGE_MAX, ": a track that is hidden");
}

/* Tracks first: they are on the screen. */
void search_run(struct app *app, struct window *window, const char *text)
{
	char why[MESSAGE_MAX];

	search_done(window);
	session_lock(window->session);
	find_rows(window, text);
	session_unlock(window->session);
	find_events(app, window, text, why);
	session_lock(window->session);
	window->has_hits = window->n_hits > 0;
	if (window->has_hits)
		hit_show(window);
	else
		snprintf(window->message, MESSAGE_MAX, "no track%s has \"%s\"", why[0] ? "" : " and no event",
			text);
	if (why[0])
		sentence_add(window->message, MESSAGE_MAX, "; %s", why);
	session_unlock(window->session);
}

void search_step(struct window *window, int direction)
{
	if (!window->has_hits) {
		snprintf(window->message, MESSAGE_MAX, "nothing was searched for, or found; / searches");
		return;
	}
	window->hit = (window->hit + window->n_hits + (size_t)(long)direction) % window->n_hits;
	hit_show(window);
}
