/* SPDX-License-Identifier: MIT */
/*
 * `rastrum timeline` shows a trace in the terminal. It shows a session (view/session), whose trace a thread
 * reads meanwhile.
 *
 *	app.c       begins sessions and the screen, waits for keys, signals and time
 *	screen.c    ncurses: begin and end, text, colours, how each class looks
 *	arrange.c   which rows are shown, in which order: pinned, hidden, filtered
 *	window.c    which part of the time is shown, and what lies under the cursor
 *	draw.c      the timeline: heading, axis, legend, the line about the cursor
 *	draw_rows.c its rows
 *	keys.c      what each key does, in one table, from which the help is made
 *	search.c    rows and events by a text
 *	fetch.c     reads events in a thread of its own
 *	panel.c     texts over the whole screen: help, details, findings
 *	details.c   the texts of details and findings
 */
#ifndef VIEW_TERMINAL_TERMINAL_H
#define VIEW_TERMINAL_TERMINAL_H

#include "picture/axis.h"
#include "picture/rows.h"
#include "view/session/session.h"

/* --- screen.c ------------------------------------------------------------------------------------------- */

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
	int held_stderr; /* the original standard error … */
	int messages;	 /* … and where messages go until the end */
	void *terminal;	 /* of ncurses */
};

/* How the screen looks, as the user wishes. */
struct screen_look {
	struct select_list tracks; /* which rows are shown; borrowed */
	bool is_ascii;		   /* also where the terminal has UTF-8 */
	bool wants_color;	   /* if the terminal has it */
};

/* Returns RST_E_USAGE if standard input or output is no terminal. */
enum rst_status screen_check(struct rst_error *err);
/* Returns RST_E_USAGE if the terminal is unknown. */
enum rst_status screen_begin(struct screen *screen, const struct screen_look *look, struct rst_error *err);
/* Restores the terminal, and prints the messages that came meanwhile. */
void screen_end(struct screen *screen);

/* Gives the terminal to the shell until the program goes on. */
void screen_suspend(void);
/* The terminal has another size. */
void screen_resize(void);

/*
 * Text from a column on, cut to n_columns of the screen. Control characters are not shown. Returns the
 * columns it took.
 */
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

/* --- arrange.c ------------------------------------------------------------------------------------------ */

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

/* Makes the rows again if something has changed. Returns false if memory ran out. */
bool arrange_refresh(struct window *window);
void arrange_done(struct arrangement *arrangement);

static inline const struct row *arranged_row(const struct arrangement *arrangement, size_t n)
{
	return &arrangement->rows.all[arrangement->shown[n]];
}

/* Returns the title above the n-th visible row; NULL if the row before has the same title. */
const char *arranged_title(const struct arrangement *arrangement, size_t n);

/* Toggles a flag of the selected row. arrange_hide_group() hides all rows of its group. */
void arrange_turn(struct arrangement *arrangement, enum row_flag flag);
void arrange_hide_group(struct arrangement *arrangement);
/* Returns false if no row was hidden. */
bool arrange_show_all(struct arrangement *arrangement);
/* Names between commas; "": all. */
void arrange_filter(struct arrangement *arrangement, const char *names);

/* --- window.c ------------------------------------------------------------------------------------------- */

/* A result of a search: a row or an event. */
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

/* Returns the selected row; NULL if no row is selected. */
const struct row *window_row(const struct window *window);

/* Updates the window to the data read so far. Returns false if memory ran out. */
bool window_refresh(struct window *window);

/* Returns the whole known time: from … to, with to above from. */
struct axis window_all(const struct window *window);

/* Ticks at the left edge of a column, and its end, which is at least one tick behind. */
uint64_t window_edge(const struct window *window, int column);
uint64_t window_edge_end(const struct window *window, int column);

void window_zoom(struct window *window, double factor); /* around the cursor; below 1: closer */
void window_pan(struct window *window, double share);	/* of its width */
void window_show(struct window *window, uint64_t from, uint64_t to);
void window_move(struct window *window, int columns); /* the cursor; at an edge the window moves */
void window_put_cursor(struct window *window, uint64_t ticks);
/* Moves a moment outside the window into its middle. */
void window_go(struct window *window, uint64_t ticks);
void window_select(struct window *window, long rows); /* down; below 0: up */
/* Selects a row by the number of its track. Returns false if it is not shown. */
bool window_select_track(struct window *window, uint32_t track);
/* Moves to the begin of the next or previous interval. Returns false without such an interval. */
bool window_step(struct window *window, int direction);

/* Finds the main segment of the selected row in the cursor's column. Returns false if the column is empty. */
bool window_segment(const struct window *window, struct segment *ret_segment);

/* Writes the printable name of its object or owner, or its own name; "" if it has no name. */
void segment_object(const struct window *window, const struct segment *segment, char label[ROW_LABEL_MAX]);

/* Writes the segment's state or value: "running", "waiting for a lock", "3". */
void segment_words(const struct track *track, const struct segment *segment, char words[MESSAGE_MAX]);

/* Writes a duration as text. */
void window_put_length(const struct window *window, char text[AXIS_LABEL_MAX], uint64_t ticks);

/* Appends to a text, which is cut at `room` bytes. */
void sentence_add(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --- draw.c, draw_rows.c -------------------------------------------------------------------------------- */

enum { HEAD_LINES = 3, FOOT_LINES = 3, LINES_LEAST = 9, COLUMNS_LEAST = 40 };

/* Lines for rows and titles of groups. */
static inline int window_lines(const struct window *window)
{
	return window->screen->n_lines - HEAD_LINES - FOOT_LINES;
}

/* Columns of names in front of the chart. */
int window_left(const struct window *window);

/* Returns true if the picture will not change by itself. */
bool window_draw(struct window *window);
void draw_rows(const struct window *window);

/* Scrolls so that the selected row is on the screen. */
void window_scroll(struct window *window);

/* --- panel.c, fetch.c, details.c, search.c, keys.c, app.c ----------------------------------------------- */

/*
 * Shows lines over the whole screen until a key ends it. With choices, Enter returns the line's number,
 * others -1.
 */
long panel_run(struct app *app, const char *title, const char *text, bool has_choices);

/* Asks for a line of text at the bottom. Returns false after Escape. */
bool panel_ask(struct app *app, const char *question, char text[SEARCH_MAX]);

/*
 * Runs events_read() in a thread: the screen stays responsive, and Escape ends it with the events found so
 * far.
 */
enum rst_status events_fetch(struct app *app, struct window *window, struct events_query *query,
	struct events *events, struct rst_error *err);

void details_show(struct app *app, struct window *window);
void findings_show(struct app *app, struct window *window);
/* Goes `direction` findings further. */
void findings_step(struct window *window, int direction);

void search_run(struct app *app, struct window *window, const char *text);
void search_step(struct window *window, int direction);
void search_done(struct window *window);

/*
 * Begins a session for each trace of the spec, and shows them until the user leaves. It tells errors to the
 * listener of the spec. Returns the outcome.
 */
int app_show(const struct session_spec *spec, size_t n_traces, const struct screen_look *look);

/* Waits for a key. Returns ERR after another event or the timeout, or if the program ends. */
int app_key(struct app *app, int timeout_ms);

/* Does what the key does. */
void key_run(struct app *app, int key);

#endif
