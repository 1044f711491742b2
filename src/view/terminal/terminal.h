/* SPDX-License-Identifier: MIT */
/*
 * `rastrum timeline`: a trace in the terminal. What is shown is a session (view/session), which a thread reads meanwhile.
 *
 *	main.c      rastrum-timeline: opens the traces, begins the screen, waits for keys, signals and time
 *	screen.c    ncurses: begin and end, text, colours, how each class looks
 *	arrange.c   which rows are shown, in which order: pinned, hidden, filtered
 *	window.c    which part of the time is shown, and what lies under the cursor
 *	draw.c      the timeline: heading, axis, legend, the line about the cursor
 *	draw_rows.c its rows
 *	keys.c      what each key does, in one table, from which the help is made
 *	search.c    rows and events by a text
 *	fetch.c     events, read beside the screen
 *	panel.c     texts over the whole screen: help, details, findings
 *	details.c   what those of an interval and of findings say
 */
#ifndef VIEW_TERMINAL_TERMINAL_H
#define VIEW_TERMINAL_TERMINAL_H

#include "cli/analysis/timeline.h"
#include "view/axis.h"
#include "view/rows.h"
#include "view/session/session.h"

/* --- screen.c ----------------------------------------------------------------------------------------------------- */

enum paint {
	PAINT_PLAIN,
	PAINT_BLUE,
	PAINT_YELLOW,
	PAINT_RED,
	PAINT_MAGENTA,
	PAINT_GREEN,
	PAINT_CYAN,
	PAINT_FAINT,
	N_PAINTS
};

enum { STYLE_BOLD = 1, STYLE_REVERSE = 2 };

struct screen {
	bool is_utf8, has_color;
	int n_columns, n_lines;
	int held_stderr; /* what was standard error … */
	int messages;	 /* … and where messages go until the end */
	void *terminal;	 /* of ncurses */
};

/* Returns RST_E_USAGE if standard input or output is no terminal. */
enum rst_status screen_check(struct rst_error *err);
/* Returns RST_E_USAGE if it is no terminal that is known. */
enum rst_status screen_begin(struct screen *screen, const struct timeline_args *args, struct rst_error *err);
/* The terminal is as it was; messages that came meanwhile are printed. */
void screen_end(struct screen *screen);

/* The terminal is the shell's until the program goes on. */
void screen_suspend(void);
/* The terminal has another size. */
void screen_resize(void);

/* Text from a column on, cut to n_columns of the screen. Control characters are not shown. Returns the columns it took. */
int screen_text(const struct screen *screen, int line, int column, int n_columns, enum paint paint,
	unsigned style, const char *text);

/* How a class looks. */
struct glyph {
	const char *utf8, *ascii;
	enum paint paint;
	const char *word; /* in the legend */
};

extern const struct glyph glyphs[N_CLASSES];
static inline const char *glyph_text(const struct screen *screen, const struct glyph *glyph)
{
	return screen->is_utf8 ? glyph->utf8 : glyph->ascii;
}

/* How full something is, from 0 to 1. */
const char *glyph_level(const struct screen *screen, double share);

/* --- arrange.c ---------------------------------------------------------------------------------------------------- */

enum { SEARCH_MAX = 64, MESSAGE_MAX = 400 };

enum row_flag { ROW_PINNED = 1, ROW_HIDDEN = 2 };

/* Which rows are shown, in which order. */
struct arrangement {
	struct select_list names;	     /* of --tracks, or of the filter */
	char filter[SEARCH_MAX];	     /* whose names, each with its end, … */
	const char *filters[SEARCH_MAX / 2]; /* … begin here */
	struct rows rows;
	size_t *shown; /* indexes of rows: first those that are pinned */
	size_t n_shown, n_pinned, n_hidden;
	uint8_t *flags; /* enum row_flag, by the number of the track */
	size_t n_flags;
	uint64_t n_events;	      /* when the rows were made … */
	uint64_t made_ms, cost_ms;    /* … at this time, which took so long */
	bool is_final, is_stale;      /* all is read; a flag or name has changed */
	const struct track *selected; /* NULL if none is there */
	size_t row, top;	      /* of shown: the selected one; the first one on the screen */
};

struct window;

/* Makes the rows anew where something came. Returns false if memory ran out. */
bool arrange_refresh(struct window *window);
void arrange_done(struct arrangement *arrangement);

static inline const struct row *arranged_row(const struct arrangement *arrangement, size_t n)
{
	return &arrangement->rows.all[arrangement->shown[n]];
}

/* The title above the n-th row that is shown; NULL if it is that of the row before. */
const char *arranged_title(const struct arrangement *arrangement, size_t n);

/* Of the selected row: turned over, or of all rows of its group: set. */
void arrange_turn(struct arrangement *arrangement, enum row_flag flag);
void arrange_hide_group(struct arrangement *arrangement);
/* Returns false if none was hidden. */
bool arrange_show_all(struct arrangement *arrangement);
/* Names between commas; "": all. */
void arrange_filter(struct arrangement *arrangement, const char *names);

/* --- window.c ----------------------------------------------------------------------------------------------------- */

/* What was found: a row, or an event. */
struct hit {
	uint32_t track; /* its number */
	bool is_event;
	uint64_t at;
	char *text; /* the event's line */
};

struct window {
	struct session *session;
	struct screen *screen;
	struct arrangement arrangement;

	struct axis axis; /* the part of the time that is shown; width is the number of columns */
	bool is_begun;	  /* that is known */
	bool is_whole;	  /* it is all there is, and grows with that */
	bool is_followed; /* its end is the end of all, and stays there */

	int cursor; /* column of the chart */
	uint64_t mark;
	bool has_mark;
	char message[MESSAGE_MAX]; /* shown until the next key */

	struct hit *hits;
	size_t n_hits, hit, hits_room;
	bool has_hits;	    /* hit is one that was gone to */
	bool has_more_hits; /* events that were not read may have the text, too */
	size_t finding;	    /* that was gone to last, from 1 on; 0: none */
};

/* The windows of all traces, and the one that is shown. */
struct app {
	struct screen screen;
	struct window *windows;
	size_t n_windows, shown;
	bool is_quitting;
	int signal; /* that ends the program; 0 if a key does */
	sigset_t signals;
	int signals_fd;
};

/* The selected row; NULL if there is none. */
const struct row *window_row(const struct window *window);

/* What there is by now. Returns false if memory ran out. */
bool window_refresh(struct window *window);

/* All that is known of the time: from … to, with to above from. */
struct axis window_all(const struct window *window);

/* Ticks at the left edge of a column, and its end, which is at least one tick behind. */
uint64_t window_edge(const struct window *window, int column);
uint64_t window_edge_end(const struct window *window, int column);

void window_zoom(struct window *window, double factor); /* around the cursor; below 1: closer */
void window_pan(struct window *window, double share);	/* of its width */
void window_show(struct window *window, uint64_t from, uint64_t to);
void window_move(struct window *window, int columns); /* the cursor; at an edge the window moves */
void window_put_cursor(struct window *window, uint64_t ticks);
/* A moment that is not in the window comes into its middle. */
void window_go(struct window *window, uint64_t ticks);
void window_select(struct window *window, long rows); /* down; below 0: up */
/* A row by the number of its track. Returns false if it is not shown. */
bool window_select_track(struct window *window, uint32_t track);
/* To where the next interval begins, or the one before; false if there is none. */
bool window_step(struct window *window, int direction);

/* What the selected row did most in the column of the cursor; false: nothing. */
bool window_segment(const struct window *window, struct segment *ret_segment);

/* What its object, owner or name is called, clean; "": there is none. */
void segment_object(const struct window *window, const struct segment *segment, char label[ROW_LABEL_MAX]);

/* "running", "waiting for a lock", "3": what the segment says. */
void segment_words(const struct track *track, const struct segment *segment, char words[MESSAGE_MAX]);

/* A length of time in words. */
void window_put_length(const struct window *window, char text[AXIS_LABEL_MAX], uint64_t ticks);

/* Adds to a text that is cut at its room. */
void sentence_add(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --- draw.c, draw_rows.c ------------------------------------------------------------------------------------------ */

enum { HEAD_LINES = 3, FOOT_LINES = 3, LINES_LEAST = 9, COLUMNS_LEAST = 40 };

/* Lines for rows and titles of groups. */
static inline int window_lines(const struct window *window)
{
	return window->screen->n_lines - HEAD_LINES - FOOT_LINES;
}

/* Columns of names in front of the chart. */
int window_left(const struct window *window);

/* Returns true if nothing of it will change by itself. */
bool window_draw(struct window *window);
void draw_rows(const struct window *window);

/* Puts the selected row onto the screen. */
void window_scroll(struct window *window);

/* --- panel.c, fetch.c, details.c, search.c, keys.c, main.c ------------------------------------------------------------------ */

/* Lines over the whole screen, until a key ends it. With choices Enter gives the number of the line; -1: none. */
long panel_run(struct app *app, const char *title, const char *text, bool has_choices);

/* Asks for a line of text at the bottom. false: Escape. */
bool panel_ask(struct app *app, const char *question, char text[SEARCH_MAX]);

/* events_read(), by a thread of its own: the screen lives meanwhile, and Escape ends it with what was found. */
enum rst_status events_fetch(struct app *app, struct window *window, struct events_query *query,
	struct events *events, struct rst_error *err);

void details_show(struct app *app, struct window *window);
void findings_show(struct app *app, struct window *window);
/* To the finding that is so many further. */
void findings_step(struct window *window, int direction);

void search_run(struct app *app, struct window *window, const char *text);
void search_step(struct window *window, int direction);
void search_done(struct window *window);

/* Waits for a key; ERR: something else came, or time went by, or the program ends. */
int app_key(struct app *app, int timeout_ms);

/* Does what the key does. */
void key_run(struct app *app, int key);

#endif
