/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/steady.h"
#include "view/terminal/terminal.h"

enum {
	WAIT_MS = 200,	/* between two arrangements … */
	COST_FACTOR = 8 /* … and so many times what the last one took */
};

static uint8_t flags_of(const struct arrangement *arrangement, const struct track *track)
{
	return track->number < arrangement->n_flags ? arrangement->flags[track->number] : 0;
}

static bool flags_grow(struct arrangement *arrangement, size_t n)
{
	uint8_t *flags;

	if (n <= arrangement->n_flags)
		return true;
	n += n / 2;
	flags = realloc(arrangement->flags, n);
	if (!flags)
		return false;
	memset(flags + arrangement->n_flags, 0, n - arrangement->n_flags);
	arrangement->flags = flags;
	arrangement->n_flags = n;
	return true;
}

/* Shows the rows that have exactly these flags. */
static void rows_show(struct arrangement *arrangement, uint8_t flags)
{
	for (size_t i = 0; i < arrangement->rows.n; i++)
		if (flags_of(arrangement, arrangement->rows.all[i].track) == flags)
			arrangement->shown[arrangement->n_shown++] = i;
}

/* Keeps the selected row selected if it is still shown. */
static void selected_find(struct arrangement *arrangement)
{
	for (size_t i = 0; i < arrangement->n_shown && arrangement->selected; i++)
		if (arranged_row(arrangement, i)->track == arrangement->selected) {
			arrangement->row = i;
			return;
		}
	if (arrangement->row >= arrangement->n_shown)
		arrangement->row = arrangement->n_shown ? arrangement->n_shown - 1 : 0;
	if (arrangement->n_shown && arrangement->selected)
		arrangement->selected = arranged_row(arrangement, arrangement->row)->track;
}

/* Makes the rows of the whole time, so that they stay in place when the window moves. */
static bool rows_arrange(struct arrangement *arrangement, const struct tracks *tracks)
{
	rows_done(&arrangement->rows);
	free(arrangement->shown);
	arrangement->shown = NULL;
	arrangement->n_shown = 0;
	if (!rows_make(&arrangement->rows, tracks, &arrangement->names, 0, UINT64_MAX) ||
		!flags_grow(arrangement, tracks->n))
		return false;
	arrangement->shown = calloc(arrangement->rows.n + 1, sizeof(*arrangement->shown));
	if (!arrangement->shown)
		return false;
	rows_show(arrangement, ROW_PINNED);
	arrangement->n_pinned = arrangement->n_shown;
	rows_show(arrangement, 0);
	arrangement->n_hidden = arrangement->rows.n - arrangement->n_shown;
	selected_find(arrangement);
	return true;
}

/* A million rows take long, so a growing trace is not arranged for each picture. */
static bool is_due(const struct arrangement *arrangement, const struct session *session, uint64_t now_ms)
{
	if (arrangement->is_stale || !arrangement->shown)
		return true;
	if (arrangement->is_final)
		return false;
	return session->is_done ||
	       (arrangement->n_events != session->scan.n_events &&
		       now_ms - arrangement->made_ms >= WAIT_MS + COST_FACTOR * arrangement->cost_ms);
}

bool arrange_refresh(struct window *window)
{
	struct arrangement *arrangement = &window->arrangement;
	const struct session *session = window->session;
	const uint64_t now_ms = steady_ms();
	bool is_made;

	if (!is_due(arrangement, session, now_ms))
		return true;
	is_made = rows_arrange(arrangement, &session->tracks);
	arrangement->n_events = session->scan.n_events;
	arrangement->is_final = session->is_done;
	arrangement->is_stale = false;
	arrangement->made_ms = steady_ms();
	arrangement->cost_ms = arrangement->made_ms - now_ms;
	return is_made;
}

void arrange_done(struct arrangement *arrangement)
{
	rows_done(&arrangement->rows);
	free(arrangement->shown);
	free(arrangement->flags);
}

const char *arranged_title(const struct arrangement *arrangement, size_t n)
{
	if (n < arrangement->n_pinned)
		return n == 0 ? "Pinned" : NULL;
	if (n > arrangement->n_pinned &&
		arranged_row(arrangement, n)->group == arranged_row(arrangement, n - 1)->group)
		return NULL;
	return arranged_row(arrangement, n)->group->title;
}

void arrange_turn(struct arrangement *arrangement, enum row_flag flag)
{
	if (arrangement->row >= arrangement->n_shown)
		return;
	arrangement->selected = arranged_row(arrangement, arrangement->row)->track;
	arrangement->flags[arrangement->selected->number] ^= (uint8_t)flag;
	arrangement->is_stale = true;
}

void arrange_hide_group(struct arrangement *arrangement)
{
	if (arrangement->row >= arrangement->n_shown)
		return;

	const struct row_group *group = arranged_row(arrangement, arrangement->row)->group;

	for (size_t i = arrangement->n_pinned; i < arrangement->n_shown; i++)
		if (arranged_row(arrangement, i)->group == group)
			arrangement->flags[arranged_row(arrangement, i)->track->number] |= ROW_HIDDEN;
	arrangement->is_stale = true;
}

bool arrange_show_all(struct arrangement *arrangement)
{
	for (size_t i = 0; i < arrangement->n_flags; i++)
		arrangement->flags[i] &= (uint8_t)~ROW_HIDDEN;
	arrangement->is_stale = true;
	return arrangement->n_hidden > 0;
}

void arrange_filter(struct arrangement *arrangement, const char *names)
{
	char *next = arrangement->filter;

	arrangement->names = (struct select_list){ .items = arrangement->filters };
	for (const char *from = names; *from;
		from += strcspn(from, ",") + (from[strcspn(from, ",")] == ',')) {
		const size_t n = strcspn(from, ",");

		if (!n)
			continue;
		arrangement->filters[arrangement->names.n_items++] = next;
		memcpy(next, from, n);
		next[n] = '\0';
		next += n + 1;
	}
	arrangement->is_stale = true;
}
