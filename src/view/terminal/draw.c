/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/terminal/screen.h"

enum { LABEL_LEAST = 12, LABEL_MOST = 28, LEGEND_GAP = 2, MARK_DISTANCE = 14, COLUMNS_LENGTH = 60 };

int window_left(const struct window *window)
{
	const int fifth = window->screen->n_columns / 5;

	return fifth < LABEL_LEAST ? LABEL_LEAST : fifth > LABEL_MOST ? LABEL_MOST : fifth;
}

/* --- head ----------------------------------------------------------------------------------------------- */

/* Writes the right part of the title: facts about the whole trace. */
static void title_words(const struct window *window, char words[MESSAGE_MAX])
{
	const struct session *session = window->session;
	char length[AXIS_LABEL_MAX];

	*words = '\0';
	window_put_length(window, length, window->axis.to - window->axis.from);
	if (window->screen->n_columns >= COLUMNS_LENGTH)
		sentence_add(words, MESSAGE_MAX, "%s  ", length);
	sentence_add(words, MESSAGE_MAX, "%llu events", (unsigned long long)session->scan.n_events);
	if (session->n_losses)
		sentence_add(words, MESSAGE_MAX, "  %llu %s", (unsigned long long)session->n_losses,
			session->n_losses == 1 ? "loss" : "losses");
	if (window->arrangement.n_hidden)
		sentence_add(words, MESSAGE_MAX, "  %zu hidden", window->arrangement.n_hidden);
	if (!session->is_done && session_percent(session) >= 0)
		sentence_add(words, MESSAGE_MAX, "  reading %d %%", session_percent(session));
	else if (!session->is_done)
		sentence_add(words, MESSAGE_MAX, "  %s",
			window->is_followed ? "following"
			: session->is_live  ? "live"
					    : "reading");
	if (session->failure[0] ||
		(session->is_done && session->trace && rst_trace_is_damaged(session->trace)))
		sentence_add(words, MESSAGE_MAX, "  damaged");
}

static void draw_title(const struct window *window)
{
	const struct job *job = &window->session->job;
	const char *path = job->paths[window->session->number];
	char words[MESSAGE_MAX], name[ROW_LABEL_MAX];
	const int n_columns = window->screen->n_columns;
	int n;

	title_words(window, words);
	n = (int)text_columns(words, strlen(words));
	snprintf(name, sizeof(name), "%s", text_file_name(path));
	screen_text(window->screen, 0, 0, n_columns - n - 2, PAINT_PLAIN, STYLE_BOLD, name);
	screen_text(window->screen, 0, n < n_columns ? n_columns - n : 0, n, PAINT_PLAIN, 0, words);
}

static void draw_axis(const struct window *window)
{
	const struct screen *screen = window->screen;
	const int left = window_left(window), width = (int)window->axis.width;
	struct axis_mark marks[AXIS_MARKS_MAX];
	const size_t n_marks = axis_marks(&window->axis, MARK_DISTANCE, marks);

	for (int column = 0; column < width; column++)
		screen_text(screen, 2, left + column, 1, PAINT_FAINT, 0, screen->is_utf8 ? "─" : "-");
	for (size_t i = 0; i < n_marks; i++) {
		const int column = (int)marks[i].at,
			  n = (int)text_columns(marks[i].label, strlen(marks[i].label));

		if (column >= width)
			continue;
		screen_text(screen, 2, left + column, 1, PAINT_FAINT, 0, screen->is_utf8 ? "┴" : "+");
		if (column + n <= width)
			screen_text(screen, 1, left + column, n, PAINT_PLAIN, 0, marks[i].label);
	}
}

static void draw_at(const struct window *window, uint64_t ticks, const char *sign, enum paint paint)
{
	struct window copy = *window;

	if (ticks < window->axis.from || ticks > window->axis.to)
		return;
	window_put_cursor(&copy, ticks);
	screen_text(window->screen, 2, window_left(window) + copy.cursor, 1, paint, STYLE_BOLD, sign);
}

/* Draws losses, new runs, the mark and the cursor on the axis. */
static void draw_places(const struct window *window)
{
	const struct session *session = window->session;

	for (uint64_t i = 0; i < session->n_losses && i < SESSION_LOSSES_MAX; i++)
		draw_at(window, session->losses[i].at, "!", PAINT_RED);
	for (size_t i = 0; i < session->scan.n_runs; i++)
		draw_at(window, session->scan.runs[i], "R", PAINT_PLAIN);
	if (window->has_mark)
		draw_at(window, window->mark, "M", PAINT_GREEN);
	screen_text(window->screen, 2, window_left(window) + window->cursor, 1, PAINT_PLAIN, STYLE_BOLD,
		window->screen->is_utf8 ? "▼" : "V");
}

/* --- foot ----------------------------------------------------------------------------------------------- */

/* Draws the state of the selected row under the cursor, and the distance from the mark. */
static void draw_cursor(const struct window *window, int line)
{
	struct segment segment;
	const bool has_segment = window_segment(window, &segment);
	const struct row *row = window_row(window);
	const uint64_t at = window_edge(window, window->cursor);
	char text[4 * MESSAGE_MAX] = "", words[MESSAGE_MAX], object[ROW_LABEL_MAX], length[AXIS_LABEL_MAX];

	window_put_length(window, length, at > window->axis.first ? at - window->axis.first : 0);
	sentence_add(text, sizeof(text), "+%s  ", length);
	if (window->has_mark) {
		window_put_length(window, length, at > window->mark ? at - window->mark : window->mark - at);
		sentence_add(text, sizeof(text), "(%s from the mark)  ", length);
	}
	if (row)
		sentence_add(text, sizeof(text), "%s", row->label);
	if (has_segment) {
		segment_words(row->track, &segment, words);
		segment_object(window, &segment, object);
		window_put_length(window, length, segment.to - segment.from);
		sentence_add(text, sizeof(text), ": %s%s%s, %s", words, *object ? " " : "", object, length);
	}
	screen_text(window->screen, line, 0, window->screen->n_columns, PAINT_PLAIN, STYLE_BOLD, text);
}

static int legend_put(const struct window *window, int line, int column, const char *sign, enum paint paint,
	const char *word)
{
	const int n = (int)strlen(word) + 2;

	if (column + n > window->screen->n_columns)
		return column;
	screen_text(window->screen, line, column, 1, paint, 0, sign);
	screen_text(window->screen, line, column + 2, n, PAINT_PLAIN, 0, word);
	return column + n + LEGEND_GAP;
}

/* Finds the classes that the rows on the screen have in the window. */
static void classes_find(const struct window *window, bool occurs[N_CLASSES])
{
	const struct arrangement *arrangement = &window->arrangement;
	const size_t end = arrangement->top + (size_t)window_lines(window);

	for (size_t i = arrangement->top; i < arrangement->n_shown && i < end; i++) {
		const struct track *track = arranged_row(arrangement, i)->track;
		const struct summary sum = tree_sum(&track->tree, window->axis.from, window->axis.to);

		for (unsigned class = 0; class < N_CLASSES; class ++)
			occurs[class] |= sum.ticks[class] > 0 && track->kind != RST_INTERVAL_LEVEL;
	}
}

/* The most important classes are first: a narrow screen has no room for all. */
static const uint8_t legend_order[] = { RST_STATE_RUNNING, RST_STATE_READY, CLASS_WAITING + RST_REASON_LOCK,
	RST_STATE_HELD, RST_STATE_INTERRUPT, RST_STATE_INTERRUPTED, RST_STATE_WAITING,
	CLASS_WAITING + RST_REASON_SLEEP, CLASS_ON, RST_STATE_UNKNOWN, RST_STATE_IDLE, RST_STATE_CREATED,
	CLASS_WAITING + RST_REASON_SUSPENDED };

/* Returns whether a class with this word occurs. */
static bool word_occurs(const bool occurs[N_CLASSES], const char *word)
{
	bool does = false;

	for (unsigned class = 0; class < N_CLASSES; class ++)
		does |= occurs[class] && strcmp(glyphs[class].word, word) == 0;
	return does;
}

static void draw_legend(const struct window *window, int line)
{
	bool occurs[N_CLASSES] = { false };
	int column = 0;

	classes_find(window, occurs);
	if (window->session->n_losses)
		column = legend_put(window, line, column, "!", PAINT_RED, "events lost");
	for (size_t i = 0; i < sizeof(legend_order); i++) {
		const struct glyph *glyph = &glyphs[legend_order[i]];

		if (word_occurs(occurs, glyph->word))
			column = legend_put(window, line, column, glyph_text(window->screen, glyph),
				glyph->paint, glyph->word);
	}
}

static void draw_foot(const struct window *window)
{
	const int line = window->screen->n_lines - FOOT_LINES;

	draw_cursor(window, line);
	draw_legend(window, line + 1);
	screen_text(window->screen, line + 2, 0, window->screen->n_columns,
		window->message[0] ? PAINT_PLAIN : PAINT_FAINT, 0,
		window->message[0] ? window->message
		: window->session->failure[0]
			? window->session->failure
			: "? help  q quit  w/s zoom  a/d pan  Enter details  f findings  "
			  "/ search");
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static void draw_chart(struct window *window)
{
	const bool has_memory = window_refresh(window);

	window_scroll(window);
	draw_title(window);
	draw_axis(window);
	draw_places(window);
	draw_rows(window);
	draw_foot(window);
	if (!has_memory)
		screen_text(window->screen, HEAD_LINES, 0, window->screen->n_columns, PAINT_RED, 0,
			"memory ran out");
}

static const char *waiting_words(const struct session *session)
{
	return session->failure[0] ? session->failure
	       : session->is_done  ? "no event in this trace"
	       : session->is_live  ? "waiting for events"
				   : "reading";
}

bool window_draw(struct window *window)
{
	struct screen *screen = window->screen;
	bool is_final;

	getmaxyx(stdscr, screen->n_lines, screen->n_columns);
	erase();
	session_lock(window->session);
	if (screen->n_columns < COLUMNS_LEAST || screen->n_lines < LINES_LEAST)
		screen_text(screen, 0, 0, screen->n_columns, PAINT_PLAIN, 0, "too small");
	else if (window->session->scan.is_started)
		draw_chart(window);
	else {
		screen_text(screen, 0, 0, screen->n_columns, PAINT_PLAIN, 0, waiting_words(window->session));
		screen_text(screen, 1, 0, screen->n_columns, PAINT_PLAIN, 0, "q quits");
	}
	is_final = window->session->is_done;
	session_unlock(window->session);
	refresh();
	return is_final;
}
