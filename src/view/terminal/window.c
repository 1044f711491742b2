/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/terminal/terminal.h"

enum {
	TICKS_LEAST = 8,	  /* of a window */
	SEGMENTS_LOOKED_AT = 4096 /* in one column, for the longest of a class */
};

void sentence_add(char *text, size_t room, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_print(text, strlen(text), room, format, args);
	va_end(args);
}

const struct row *window_row(const struct window *window)
{
	const struct arrangement *arrangement = &window->arrangement;

	return arrangement->row < arrangement->n_shown ? arranged_row(arrangement, arrangement->row) : NULL;
}

struct axis window_all(const struct window *window)
{
	const struct scan *scan = &window->session->scan;

	return (struct axis){ .from = scan->from,
		.to = scan->to > scan->from ? scan->to : scan->from + 1,
		.first = scan->times.first,
		.hz = scan->times.hz };
}

bool window_refresh(struct window *window)
{
	const struct axis all = window_all(window);

	window->axis.first = all.first;
	window->axis.hz = all.hz;
	window->axis.width = window->screen->n_columns - window_left(window);
	if (window->cursor >= (int)window->axis.width)
		window->cursor = (int)window->axis.width - 1;
	if (!window->is_begun)
		window->is_begun = window->is_whole = true;
	if (window->is_whole)
		window_show(window, all.from, all.to);
	else if (window->is_followed && window->axis.to < all.to)
		window_show(window, all.to - (window->axis.to - window->axis.from), all.to);
	return arrange_refresh(window);
}

void window_select(struct window *window, long rows)
{
	struct arrangement *arrangement = &window->arrangement;
	const long n = (long)arrangement->n_shown, row = (long)arrangement->row + rows;

	if (n == 0)
		return;
	arrangement->row = row < 0 ? 0 : row >= n ? (size_t)n - 1 : (size_t)row;
	arrangement->selected = arranged_row(arrangement, arrangement->row)->track;
}

bool window_select_track(struct window *window, uint32_t track)
{
	struct arrangement *arrangement = &window->arrangement;

	for (size_t i = 0; i < arrangement->n_shown; i++)
		if (arranged_row(arrangement, i)->track->number == track) {
			window_select(window, (long)i - (long)arrangement->row);
			return true;
		}
	return false;
}

/* --- time ----------------------------------------------------------------------------------------------- */

uint64_t window_edge(const struct window *window, int column)
{
	const struct axis *axis = &window->axis;

	return axis->from +
	       (uint64_t)((__uint128_t)(axis->to - axis->from) * (unsigned)column / (unsigned)axis->width);
}

uint64_t window_edge_end(const struct window *window, int column)
{
	const uint64_t from = window_edge(window, column), to = window_edge(window, column + 1);

	return to > from ? to : from + 1;
}

/* The window stays inside the known time, and is at least TICKS_LEAST long if that is. */
void window_show(struct window *window, uint64_t from, uint64_t to)
{
	const struct axis known = window_all(window), *const all = &known;
	const uint64_t all_to = all->to;
	uint64_t length = to > from ? to - from : 1;

	if (length < TICKS_LEAST)
		length = TICKS_LEAST;
	if (length > all_to - all->from)
		length = all_to - all->from;
	if (from < all->from)
		from = all->from;
	if (from > all_to - length)
		from = all_to - length;
	window->axis.from = from;
	window->axis.to = from + length;
	window->is_whole = length == all_to - all->from;
	window->is_followed &= window->axis.to == all_to;
}

/* Ticks are of up to 64 bits: signed distances that stay inside of all there is. */
static void window_shift(struct window *window, double ticks)
{
	const struct axis known = window_all(window), *const all = &known;
	const uint64_t length = window->axis.to - window->axis.from;
	const double room = ticks < 0 ? (double)(window->axis.from - all->from)
				      : (double)(all->to > window->axis.to ? all->to - window->axis.to : 0);
	const uint64_t distance = (uint64_t)(ticks < 0 ? -ticks : ticks);
	const uint64_t cut = (double)distance > room ? (uint64_t)room : distance;
	const uint64_t from = ticks < 0 ? window->axis.from - cut : window->axis.from + cut;

	window_show(window, from, from + length);
}

void window_zoom(struct window *window, double factor)
{
	const struct axis known = window_all(window), *const all = &known;
	const uint64_t at = window_edge(window, window->cursor);
	const double length = (double)(window->axis.to - window->axis.from) * factor;
	const double limit = (double)(all->to - all->from);
	const uint64_t ticks = length >= limit		      ? all->to - all->from
			       : length < (double)TICKS_LEAST ? TICKS_LEAST
							      : (uint64_t)length;
	const uint64_t before =
		(uint64_t)((__uint128_t)ticks * (unsigned)window->cursor / (unsigned)window->axis.width);
	const uint64_t from = at > before ? at - before : 0;

	window_show(window, from, from + ticks);
	window_put_cursor(window, at);
}

void window_pan(struct window *window, double share)
{
	window_shift(window, (double)(window->axis.to - window->axis.from) * share);
}

void window_put_cursor(struct window *window, uint64_t ticks)
{
	int low = 0, high = (int)window->axis.width - 1;

	/* Find the last column that begins at or before it. */
	while (low < high) {
		const int middle = (low + high + 1) / 2;

		if (window_edge(window, middle) <= ticks)
			low = middle;
		else
			high = middle - 1;
	}
	window->cursor = low;
}

void window_go(struct window *window, uint64_t ticks)
{
	const uint64_t length = window->axis.to - window->axis.from;

	if (ticks < window->axis.from || ticks >= window->axis.to)
		window_show(window, ticks > length / 2 ? ticks - length / 2 : 0,
			(ticks > length / 2 ? ticks - length / 2 : 0) + length);
	window_put_cursor(window, ticks);
}

void window_move(struct window *window, int columns)
{
	const int last = (int)window->axis.width - 1, to = window->cursor + columns;

	if (to < 0 || to > last)
		window_pan(window, to < 0 ? -0.25 : 0.25);
	else
		window->cursor = to;
}

/* --- what lies under the cursor ------------------------------------------------------------------------- */

bool window_segment(const struct window *window, struct segment *ret_segment)
{
	const uint64_t from = window_edge(window, window->cursor),
		       to = window_edge_end(window, window->cursor);
	const struct row *row = window_row(window);
	uint64_t best_ticks = 0;

	if (!row)
		return false;

	const struct tree *tree = &row->track->tree;
	const struct summary sum = tree_sum(tree, from, to);
	const unsigned class = summary_most(&sum);
	uint64_t n = tree_find(tree, from);

	for (unsigned i = 0; sum.n_segments && i < SEGMENTS_LOOKED_AT && n < tree_n(tree); i++, n++) {
		const struct segment segment = tree_segment(tree, n);
		const uint64_t begin = segment.from > from ? segment.from : from;
		const uint64_t end = segment.to < to ? segment.to : to;

		if (segment.from >= to)
			break;
		if (segment.class == class && end - begin > best_ticks) {
			*ret_segment = segment;
			best_ticks = end - begin;
		}
	}
	return best_ticks > 0;
}

/* The first one that begins behind the column of the cursor, or the last one that begins before it. */
bool window_step(struct window *window, int direction)
{
	const struct row *row = window_row(window);
	const struct tree *tree = row ? &row->track->tree : NULL;
	const uint64_t from = window_edge(window, window->cursor),
		       to = window_edge_end(window, window->cursor);
	uint64_t n;

	if (!tree)
		return false;
	if (direction > 0)
		for (n = tree_find(tree, to); n < tree_n(tree) && tree_segment(tree, n).from < to; n++)
			;
	else
		for (n = tree_find(tree, from);
			n > 0 && (n == tree_n(tree) || tree_segment(tree, n).from >= from); n--)
			;
	if (n >= tree_n(tree) || (direction < 0 && tree_segment(tree, n).from >= from))
		return false;
	window_go(window, tree_segment(tree, n).from);
	return true;
}

void segment_object(const struct window *window, const struct segment *segment, char label[ROW_LABEL_MAX])
{
	entity_label(tracks_entity(&window->session->tracks, segment->object), label, ROW_LABEL_MAX);
}

void segment_words(const struct track *track, const struct segment *segment, char words[MESSAGE_MAX])
{
	if (track->kind == RST_INTERVAL_LEVEL)
		*number_put(words, segment_value(segment)) = '\0';
	else
		snprintf(words, MESSAGE_MAX, "%s", class_name(segment->class));
}

void window_put_length(const struct window *window, char text[AXIS_LABEL_MAX], uint64_t ticks)
{
	*axis_put_length(&window->axis, text, ticks) = '\0';
}
