/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "picture/scale.h"
#include "view/terminal/terminal.h"

/* A row that is being drawn. */
struct drawing {
	const struct window *window;
	const struct row *row;
	int line, left;
	bool is_selected;
	struct scale scale; /* of a level */
};

static void draw_cell(const struct drawing *drawing, int column)
{
	const struct window *window = drawing->window;
	const struct summary sum = tree_sum(
		&drawing->row->track->tree, window_edge(window, column), window_edge_end(window, column));
	const struct glyph *glyph = &glyphs[sum.n_segments ? summary_most(&sum) : RST_STATE_UNKNOWN];
	const unsigned style = drawing->is_selected && column == window->cursor ? STYLE_REVERSE : 0;
	const char *text = glyph_text(window->screen, glyph);
	const bool is_level = drawing->row->track->kind == RST_INTERVAL_LEVEL;

	if (!sum.n_segments || (is_level && !sum.has_values))
		text = " ";
	else if (is_level) {
		text = glyph_level(window->screen, scale_share(&drawing->scale, scale_value(&sum)));
		glyph = &glyphs[scale_value(&sum) != 0 ? CLASS_ON : RST_STATE_IDLE];
	}
	screen_text(window->screen, drawing->line, drawing->left + column, 1, glyph->paint, style, text);
}

/*
 * Returns whether a segment shows a name: who has the core or lock, the span's name, what a thread waits for.
 */
static bool segment_is_named(const struct drawing *drawing, const struct segment *segment)
{
	const enum rst_interval_kind kind = drawing->row->track->kind;

	return kind != RST_INTERVAL_LEVEL &&
	       (kind != RST_INTERVAL_THREAD || segment->state == RST_STATE_WAITING);
}

/* The first column whose greater part lies in it, and the one behind the last. */
static int column_of(const struct window *window, uint64_t ticks)
{
	return (int)(axis_at(&window->axis, ticks) + 0.5);
}

/* Draws the name between characters of its state; the cursor has priority over it. */
static void draw_name(const struct drawing *drawing, const struct segment *segment)
{
	const struct window *window = drawing->window;
	const int first = column_of(window, segment->from), behind = column_of(window, segment->to);
	char label[ROW_LABEL_MAX];
	int n;

	if (!segment_is_named(drawing, segment))
		return;
	segment_object(window, segment, label);
	n = (int)text_columns(label, strlen(label));
	if (!n || n + 4 > behind - first ||
		(drawing->is_selected && window->cursor >= first + 2 && window->cursor < first + 2 + n))
		return;
	screen_text(window->screen, drawing->line, drawing->left + first + 2, n, glyphs[segment->class].paint,
		segment->state == RST_STATE_WAITING ? 0 : STYLE_REVERSE, label);
}

static void draw_row(const struct drawing *drawing)
{
	const struct window *window = drawing->window;
	const struct tree *tree = &drawing->row->track->tree;
	const int width = (int)window->axis.width;

	screen_text(window->screen, drawing->line, 0, 1, PAINT_PLAIN, STYLE_BOLD,
		!drawing->is_selected	  ? " "
		: window->screen->is_utf8 ? "▸"
					  : ">");
	screen_text(window->screen, drawing->line, 1, drawing->left - 2, PAINT_PLAIN,
		drawing->is_selected ? STYLE_BOLD : 0, drawing->row->label);
	for (int column = 0; column < width; column++)
		draw_cell(drawing, column);
	if (tree_sum(tree, window->axis.from, window->axis.to).n_segments > (uint64_t)width)
		return;
	for (uint64_t n = tree_find(tree, window->axis.from); n < tree_n(tree); n++) {
		const struct segment segment = tree_segment(tree, n);

		if (segment.from >= window->axis.to)
			return;
		draw_name(drawing, &segment);
	}
}

/*
 * Lines from the row `top` to row n, with it; a group's title stands above its first row, and above the first
 * one on the screen.
 */
static int lines_to(const struct window *window, size_t top, size_t n)
{
	int lines = 0;

	for (size_t i = top; i <= n && lines <= window_lines(window); i++)
		lines += 1 + (i == top || arranged_title(&window->arrangement, i));
	return lines;
}

void window_scroll(struct window *window)
{
	struct arrangement *arrangement = &window->arrangement;
	const size_t page = (size_t)window_lines(window), row = arrangement->row;

	if (row < arrangement->top)
		arrangement->top = row;
	if (row > arrangement->top + page)
		arrangement->top = row - page;
	while (arrangement->top < row && lines_to(window, arrangement->top, row) > window_lines(window))
		arrangement->top++;
	/* Fill empty lines at the bottom with rows from above. */
	while (arrangement->top > 0 && arrangement->n_shown &&
		lines_to(window, arrangement->top - 1, arrangement->n_shown - 1) <= window_lines(window))
		arrangement->top--;
}

/* Returns the title of the n-th row's group: the first row on the screen has its title above it, too. */
static const char *title_of(const struct arrangement *arrangement, size_t n)
{
	while (!arranged_title(arrangement, n))
		n--;
	return arranged_title(arrangement, n);
}

static void draw_empty(const struct window *window)
{
	const struct arrangement *arrangement = &window->arrangement;

	screen_text(window->screen, HEAD_LINES + 1, 2, window->screen->n_columns - 2, PAINT_PLAIN, 0,
		arrangement->n_hidden	     ? "all tracks are hidden; H shows them"
		: !window->session->is_done  ? "nothing yet"
		: arrangement->names.n_items ? "no track has such a name; t takes another one"
					     : "nothing in this trace says what threads or objects did");
}

void draw_rows(const struct window *window)
{
	struct drawing drawing = { .window = window, .line = HEAD_LINES, .left = window_left(window) };
	const struct arrangement *arrangement = &window->arrangement;
	const int end = HEAD_LINES + window_lines(window);

	for (size_t i = arrangement->top; i < arrangement->n_shown && drawing.line < end; i++) {
		const struct row *row = arranged_row(arrangement, i);

		if (i == arrangement->top || arranged_title(arrangement, i))
			screen_text(window->screen, drawing.line++, 0, window->screen->n_columns, PAINT_CYAN,
				STYLE_BOLD, title_of(arrangement, i));
		if (drawing.line >= end)
			return;
		drawing.row = row;
		drawing.is_selected = i == arrangement->row;
		if (row->track->kind == RST_INTERVAL_LEVEL) {
			const struct summary whole = tree_sum(&row->track->tree, 0, UINT64_MAX);

			drawing.scale = scale_of(&whole);
		}
		draw_row(&drawing);
		drawing.line++;
	}
	if (!arrangement->n_shown)
		draw_empty(window);
}
