/* SPDX-License-Identifier: MIT */
/* The keys are those of the page of `rastrum view`, where it has the same. */
#include <stdio.h>

#include "view/terminal/screen.h"

static const double PAN = 0.2, ZOOM = 0.7;

static void do_zoom(struct app *app, struct window *window, int direction)
{
	(void)app;
	window_zoom(window, direction > 0 ? ZOOM : 1 / ZOOM);
}

static void do_pan(struct app *app, struct window *window, int direction)
{
	(void)app;
	window_pan(window, direction * PAN);
}

static void do_whole(struct app *app, struct window *window, int direction)
{
	const struct axis all = window_all(window);

	(void)app;
	(void)direction;
	window_show(window, all.from, all.to);
}

static void do_edge(struct app *app, struct window *window, int direction)
{
	const struct axis all = window_all(window);
	const uint64_t length = window->axis.to - window->axis.from;

	(void)app;
	if (direction < 0)
		window_show(window, all.from, all.from + length);
	else
		window_show(window, all.to - length, all.to);
	window->cursor = direction < 0 ? 0 : (int)window->axis.width - 1;
}

static void do_row(struct app *app, struct window *window, int direction)
{
	(void)app;
	window_select(window, direction);
}

static void do_page(struct app *app, struct window *window, int direction)
{
	(void)app;
	window_select(window, direction * (long)window_lines(window) / 2);
}

static void do_interval(struct app *app, struct window *window, int direction)
{
	(void)app;
	if (!window_step(window, direction))
		snprintf(window->message, MESSAGE_MAX, "there is no interval %s in this row",
			direction < 0 ? "before" : "behind");
}

static void do_column(struct app *app, struct window *window, int direction)
{
	(void)app;
	window_move(window, direction);
}

static void do_fit(struct app *app, struct window *window, int direction)
{
	struct segment segment;

	(void)app;
	(void)direction;
	if (window_segment(window, &segment)) {
		const uint64_t from = segment.from, edge = (segment.to - from) / 8 + 1;

		window_show(window, from > edge ? from - edge : 0, segment.to + edge);
		window_put_cursor(window, from);
	}
}

static void do_details(struct app *app, struct window *window, int direction)
{
	(void)direction;
	details_show(app, window);
}

static void do_findings(struct app *app, struct window *window, int direction)
{
	(void)direction;
	findings_show(app, window);
}

static void do_finding(struct app *app, struct window *window, int direction)
{
	(void)app;
	findings_step(window, direction);
}

static void do_search(struct app *app, struct window *window, int direction)
{
	char text[SEARCH_MAX] = "";

	(void)direction;
	if (panel_ask(app, "search: ", text) && *text)
		search_run(app, window, text);
}

static void do_hit(struct app *app, struct window *window, int direction)
{
	(void)app;
	search_step(window, direction);
}

static void do_filter(struct app *app, struct window *window, int direction)
{
	char text[SEARCH_MAX] = "";

	(void)direction;
	if (panel_ask(app, "names of tracks, * and ? match; nothing: all: ", text))
		arrange_filter(&window->arrangement, text);
}

static void do_follow(struct app *app, struct window *window, int direction)
{
	const bool is_followed = !window->is_followed;

	do_edge(app, window, 1);
	(void)direction;
	window->is_followed = is_followed;
	snprintf(window->message, MESSAGE_MAX, "%s",
		!is_followed		   ? "the window stays where it is"
		: window->session->is_done ? "the trace is read to its end: nothing comes any more"
					   : "the end of the trace is followed");
}

static void do_measure(struct app *app, struct window *window, int direction)
{
	(void)app;
	(void)direction;
	window->has_mark = !window->has_mark;
	window->mark = window_edge(window, window->cursor);
	snprintf(window->message, MESSAGE_MAX, "%s", window->has_mark ? "measures from here; m ends it" : "");
}

static void do_pin(struct app *app, struct window *window, int direction)
{
	(void)app;
	(void)direction;
	arrange_turn(&window->arrangement, ROW_PINNED);
}

static void do_hide(struct app *app, struct window *window, int direction)
{
	struct arrangement *arrangement = &window->arrangement;

	(void)app;
	if (direction == 0)
		arrange_hide_group(arrangement);
	else
		arrange_turn(arrangement, ROW_HIDDEN);
	/* The row that takes its place is the selected one. */
	arrangement->selected = NULL;
}

static void do_show_all(struct app *app, struct window *window, int direction)
{
	(void)app;
	(void)direction;
	if (!arrange_show_all(&window->arrangement))
		snprintf(window->message, MESSAGE_MAX, "no track is hidden");
}

static void do_trace(struct app *app, struct window *window, int direction)
{
	if (app->n_windows == 1)
		snprintf(window->message, MESSAGE_MAX, "there is only this trace");
	app->shown = (app->shown + app->n_windows + (size_t)(long)direction) % app->n_windows;
}

static void do_clear(struct app *app, struct window *window, int direction)
{
	(void)app;
	(void)direction;
	window->has_mark = false;
	search_done(window);
}

static void do_quit(struct app *app, struct window *window, int direction)
{
	(void)window;
	(void)direction;
	app->is_quitting = true;
}

static void do_help(struct app *app, struct window *window, int direction);

/* A key of a pair has its words from the other one, too. */
static const struct key_use {
	int keys[3];
	const char *names, *words;
	void (*run)(struct app *app, struct window *window, int direction);
	int direction;
	bool has_own_lock; /* it takes the session's lock itself, because it waits for keys or reads events */
} bindings[] = {
	{ { 'w', 'W', '+' }, "w +", "zoom in, around the cursor", do_zoom, 1, false },
	{ { 's', 'S', '-' }, "s -", "zoom out", do_zoom, -1, false },
	{ { 'a', 'A' }, "a", "back in time", do_pan, -1, false },
	{ { 'd', 'D' }, "d", "on in time", do_pan, 1, false },
	{ { '0' }, "0", "the whole trace", do_whole, 0, false },
	{ { KEY_HOME }, "Home", "to the begin", do_edge, -1, false },
	{ { KEY_END }, "End", "to the end", do_edge, 1, false },
	{ { KEY_UP }, "Up", "the track above", do_row, -1, false },
	{ { KEY_DOWN }, "Down", "the track below", do_row, 1, false },
	{ { KEY_PPAGE }, "PageUp", "half a screen up", do_page, -1, false },
	{ { KEY_NPAGE }, "PageDown", "half a screen down", do_page, 1, false },
	{ { KEY_LEFT }, "Left", "the interval before", do_interval, -1, false },
	{ { KEY_RIGHT }, "Right", "the next interval", do_interval, 1, false },
	{ { ',', KEY_SLEFT }, ", Shift-Left", "the cursor a column to the left", do_column, -1, false },
	{ { '.', KEY_SRIGHT }, ". Shift-Right", "the cursor a column to the right", do_column, 1, false },
	{ { '\r', '\n', KEY_ENTER }, "Enter", "details of the interval, with its events", do_details, 0,
		true },
	{ { 'z' }, "z", "zoom to the interval", do_fit, 0, false },
	{ { 'f' }, "f", "findings; Enter goes to one", do_findings, 0, true },
	{ { ']' }, "]", "the next finding", do_finding, 1, false },
	{ { '[' }, "[", "the finding before", do_finding, -1, false },
	{ { '/' }, "/", "search tracks, and events from their begin on", do_search, 0, true },
	{ { 'n' }, "n", "the next one that was found", do_hit, 1, false },
	{ { 'N' }, "N", "the one before", do_hit, -1, false },
	{ { 't' }, "t", "only tracks of these names", do_filter, 0, true },
	{ { 'm' }, "m", "measure from the cursor, or no more", do_measure, 0, false },
	{ { 'p' }, "p", "pin the track to the top, or let it go", do_pin, 0, false },
	{ { 'h' }, "h", "hide the track", do_hide, 1, false },
	{ { 'c' }, "c", "hide the group of the track", do_hide, 0, false },
	{ { 'H' }, "H", "show all that is hidden", do_show_all, 0, false },
	{ { 'F' }, "F", "follow what grows, or no more", do_follow, 0, false },
	{ { '>' }, ">", "the next trace, where there are several", do_trace, 1, false },
	{ { '<' }, "<", "the trace before", do_trace, -1, false },
	{ { '?' }, "?", "this help", do_help, 0, true },
	{ { 27 }, "Esc", "nothing is measured or found any more", do_clear, 0, false },
	{ { 'q', 'Q' }, "q", "quit", do_quit, 0, true },
};

static void do_help(struct app *app, struct window *window, int direction)
{
	struct outbuf out;

	(void)window;
	(void)direction;
	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return;
	for (size_t i = 0; i < sizeof(bindings) / sizeof(bindings[0]); i++)
		outbuf_printf(&out, "%-14s %s\n", bindings[i].names, bindings[i].words);
	outbuf_puts(&out, "");
	if (outbuf_reserve(&out, 1)) {
		*out.at = '\0';
		panel_run(app, "Keys", out.start, false);
	}
	outbuf_done(&out);
}

static const struct key_use *binding_find(int key)
{
	for (size_t i = 0; i < sizeof(bindings) / sizeof(bindings[0]); i++)
		for (size_t k = 0; k < 3; k++)
			if (key && bindings[i].keys[k] == key)
				return &bindings[i];
	return NULL;
}

/* Before the first event only those work that need no picture. */
void key_run(struct app *app, int key)
{
	struct window *window = &app->windows[app->shown];
	const struct key_use *binding = binding_find(key);

	window->message[0] = '\0';
	if (!binding) {
		snprintf(window->message, MESSAGE_MAX, "this key does nothing; ? shows the keys");
		return;
	}
	if (!window->is_begun && binding->run != do_quit && binding->run != do_trace &&
		binding->run != do_help)
		return;
	if (binding->has_own_lock) {
		binding->run(app, window, binding->direction);
		return;
	}
	session_lock(window->session);
	binding->run(app, window, binding->direction);
	session_unlock(window->session);
}
