/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/terminal/screen.h"

/* A text over the whole screen; a longer line continues on the next line, indented by two columns. */
struct panel {
	struct app *app;
	const char *title, *text;
	bool has_choices;
	long line, n_lines; /* of the text: the chosen one, or the first one on the screen */
};

enum { INDENT = 2, MARGIN = 2 };

/* Returns how many bytes of a line fit; it cuts at a blank if the line has one. */
static size_t part_bytes(const char *line, size_t n_bytes, int n_columns)
{
	size_t n = 0, blank = 0;
	int columns = 0;

	while (n < n_bytes) {
		const unsigned more = text_utf8_bytes((const uint8_t *)line + n, n_bytes - n);
		const size_t step = (uint8_t)line[n] < 0x80 || !more ? 1 : more;

		columns += (int)text_columns(line + n, step);
		if (columns > n_columns)
			return blank ? blank + 1 : n ? n : step;
		if (line[n] == ' ' && n)
			blank = n;
		n += step;
	}
	return n;
}

/* Draws a line of text from a screen line on; returns how many screen lines it took. */
static int draw_line(
	const struct panel *panel, int at, int end, const char *line, size_t n_bytes, bool is_chosen)
{
	const struct screen *screen = &panel->app->screen;
	const int room = screen->n_columns - 2 * MARGIN;
	int n = 0;

	do {
		const int indent = n ? INDENT : 0;
		const size_t part = part_bytes(line, n_bytes, room - indent);
		char text[1024];

		snprintf(text, sizeof(text), "%.*s", (int)(part < sizeof(text) ? part : sizeof(text) - 1),
			line);
		if (at + n < end)
			screen_text(screen, at + n, MARGIN + indent, room - indent, PAINT_PLAIN,
				is_chosen ? STYLE_REVERSE : 0, text);
		line += part;
		n_bytes -= part;
		n++;
	} while (n_bytes);
	return n;
}

/* The n-th line of the text. */
static const char *line_find(const char *text, long n)
{
	for (; n > 0; n--)
		text += strcspn(text, "\n") + 1;
	return text;
}

static long count_lines(const char *text)
{
	long n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/*
 * Puts the chosen line first on the screen. If the lines behind it leave room, lines before it fill the room.
 */
static long top_line(const struct panel *panel, int n_screen)
{
	long top = panel->line;
	int n = 0;

	for (long i = panel->line; i < panel->n_lines && n < n_screen; i++) {
		const char *line = line_find(panel->text, i);

		n += (int)(text_columns(line, strcspn(line, "\n")) /
			     (size_t)(panel->app->screen.n_columns - 2 * MARGIN)) +
		     1;
	}
	for (; top > 0 && n < n_screen; top--) {
		const char *line = line_find(panel->text, top - 1);

		n += (int)(text_columns(line, strcspn(line, "\n")) /
			     (size_t)(panel->app->screen.n_columns - 2 * MARGIN - INDENT)) +
		     1;
		if (n > n_screen)
			break;
	}
	return top;
}

static void panel_draw(struct panel *panel)
{
	struct screen *screen = &panel->app->screen;
	long i;
	int at = 2;

	getmaxyx(stdscr, screen->n_lines, screen->n_columns);
	erase();
	if (screen->n_columns < COLUMNS_LEAST || screen->n_lines < LINES_LEAST) {
		screen_text(screen, 0, 0, screen->n_columns, PAINT_PLAIN, 0, "too small");
		refresh();
		return;
	}
	screen_text(screen, 0, 0, screen->n_columns, PAINT_CYAN, STYLE_BOLD, panel->title);
	i = top_line(panel, screen->n_lines - 4);
	for (const char *line = line_find(panel->text, i); i < panel->n_lines && at < screen->n_lines - 2;
		i++) {
		const size_t n_bytes = strcspn(line, "\n");

		at += draw_line(panel, at, screen->n_lines - 2, line, n_bytes,
			panel->has_choices && i == panel->line);
		line += n_bytes + 1;
	}
	screen_text(screen, screen->n_lines - 1, 0, screen->n_columns, PAINT_FAINT, 0,
		panel->has_choices ? "Up and Down choose, Enter goes there, Esc goes back"
				   : "Up and Down scroll, Esc goes back");
	refresh();
}

static void panel_move(struct panel *panel, long lines)
{
	panel->line += lines;
	if (panel->line >= panel->n_lines)
		panel->line = panel->n_lines - 1;
	if (panel->line < 0)
		panel->line = 0;
}

/* Returns false if the key ends the panel. */
static bool panel_key(struct panel *panel, int key)
{
	const long page = panel->app->screen.n_lines - 5;

	switch (key) {
	case KEY_UP:
		panel_move(panel, -1);
		return true;
	case KEY_DOWN:
		panel_move(panel, 1);
		return true;
	case KEY_PPAGE:
		panel_move(panel, -page);
		return true;
	case KEY_NPAGE:
	case ' ':
		panel_move(panel, page);
		return true;
	case KEY_HOME:
		panel_move(panel, -panel->n_lines);
		return true;
	case KEY_END:
		panel_move(panel, panel->n_lines);
		return true;
	default:
		return key == ERR;
	}
}

long panel_run(struct app *app, const char *title, const char *text, bool has_choices)
{
	struct panel panel = { .app = app,
		.title = title,
		.text = text,
		.has_choices = has_choices,
		.n_lines = count_lines(text) };
	int key;

	do {
		panel_draw(&panel);
		key = app_key(app, -1);
	} while (!app->is_quitting && panel_key(&panel, key));
	return has_choices && !app->is_quitting && panel.n_lines &&
			       (key == '\r' || key == '\n' || key == KEY_ENTER)
		       ? panel.line
		       : -1;
}

/* --- a line of text ------------------------------------------------------------------------------------- */

static void ask_draw(struct app *app, const char *question, const char *text)
{
	struct screen *screen = &app->screen;
	int n;

	window_draw(&app->windows[app->shown]);
	move(screen->n_lines - 1, 0);
	clrtoeol();
	n = screen_text(screen, screen->n_lines - 1, 0, screen->n_columns - SEARCH_MAX / 4, PAINT_PLAIN,
		STYLE_BOLD, question);
	n += screen_text(screen, screen->n_lines - 1, n, screen->n_columns - n - 1, PAINT_PLAIN, 0, text);
	screen_text(screen, screen->n_lines - 1, n, 1, PAINT_PLAIN, STYLE_REVERSE, " ");
	refresh();
}

/* Removes the last character, however many bytes it has. */
static size_t text_shorter(const char *text, size_t n)
{
	while (n && ((uint8_t)text[n - 1] & 0xc0) == 0x80)
		n--;
	return n ? n - 1 : 0;
}

bool panel_ask(struct app *app, const char *question, char text[SEARCH_MAX])
{
	size_t n = strlen(text);

	while (!app->is_quitting) {
		ask_draw(app, question, text);

		const int key = app_key(app, -1);

		if (key == 27)
			return false;
		if (key == '\r' || key == '\n' || key == KEY_ENTER)
			return true;
		if (key == KEY_BACKSPACE || key == 127 || key == 8)
			n = text_shorter(text, n);
		else if (key >= 0x20 && key <= 0xff && n + 1 < SEARCH_MAX)
			text[n++] = (char)key;
		text[n] = '\0';
	}
	return false;
}
