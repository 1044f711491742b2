/* SPDX-License-Identifier: MIT */
#include "picture/picture.h"

#include <stdio.h>

#include "base/real.h"
#include "base/text.h"
#include "picture/scale.h"

/* Measures, in pixels. */
enum {
	MARGIN = 10,
	LABEL_WIDTH = 150,
	TITLE_HEIGHT = 26,
	AXIS_HEIGHT = 20,
	GROUP_HEIGHT = 20,
	ROW_HEIGHT = 22,
	BAR_HEIGHT = 16,
	LEVEL_HEIGHT = 30,
	LEGEND_HEIGHT = 18, /* of one line of at most LEGEND_LINES */
	LEGEND_LINES = 2,
	LEGEND_BAR = 22,
	LEGEND_GAP = 14,
	MARK_DISTANCE = 90,
	COLUMN = 1,    /* pixels of a column, if segments are too narrow to draw each */
	WIDTH_MIN = 1, /* shorter segments are drawn this wide */
	TEXT_MAX = 256
};

/* How a class looks: its colour, the pattern over it, if any, and its part of the bar's height. */
struct look {
	const char *fill, *pattern;
	double height;
	const char *word; /* in the legend; NULL: no entry of its own */
};

static const struct look looks[N_CLASSES] = {
	[RST_STATE_UNKNOWN] = { "#ffffff", "dots", 1, "not known" },
	[RST_STATE_RUNNING] = { "#0072b2", NULL, 1, "running" },
	[RST_STATE_READY] = { "#f0b040", "right", 0.7, "ready" },
	[RST_STATE_WAITING] = { "#d0d0d0", NULL, 0.25, NULL },
	[RST_STATE_INTERRUPTED] = { "#cc79a7", "upright", 1, "interrupted" },
	[RST_STATE_CREATED] = { "#e8e8e8", NULL, 0.12, "created" },
	[RST_STATE_ENDED] = { "#e8e8e8", NULL, 0.12, NULL },
	[RST_STATE_IDLE] = { "#e8e8e8", NULL, 0.25, "idle" },
	[RST_STATE_INTERRUPT] = { "#cc79a7", "upright", 1, "interrupt" },
	[RST_STATE_HELD] = { "#009e73", NULL, 0.8, "held" },
	[CLASS_ON] = { "#56b4e9", NULL, 0.8, NULL },
	[CLASS_WAITING + RST_REASON_NONE] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_SLEEP] = { "#d0d0d0", NULL, 0.12, "asleep" },
	[CLASS_WAITING + RST_REASON_LOCK] = { "#d55e00", "left", 0.35, "waiting for a lock" },
	[CLASS_WAITING + RST_REASON_SEMAPHORE] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_QUEUE] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_FLAGS] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_MEMORY] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_IO] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_JOIN] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_CHILD] = { "#d0d0d0", NULL, 0.25, "waiting" },
	[CLASS_WAITING + RST_REASON_SUSPENDED] = { "#a0a0a0", NULL, 0.12, "suspended" },
	[CLASS_WAITING + RST_REASON_OTHER] = { "#d0d0d0", NULL, 0.25, "waiting" },
};

static const char head_text[] =
	"<style>text{font-family:sans-serif;font-size:11px;fill:#222}.g{font-weight:bold}"
	".n{fill:#fff}.q{fill:#666}</style>\n"
	"<defs>\n"
	"<pattern id=\"right\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
	"<path d=\"M0 6L6 0\" stroke=\"#8a5a00\"/></pattern>\n"
	"<pattern id=\"left\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
	"<path d=\"M0 0L5 5M0 5L5 0\" stroke=\"#fff\" stroke-width=\".7\"/></pattern>\n"
	"<pattern id=\"upright\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
	"<path d=\"M2 0V4\" stroke=\"#5c2a48\"/></pattern>\n"
	"<pattern id=\"dots\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">"
	"<circle cx=\"2\" cy=\"2\" r=\".8\" fill=\"#999\"/></pattern>\n"
	"</defs>\n";

/* --- text ----------------------------------------------------------------------------------------------- */

/*
 * The most that a letter needs, in tenths of pixels. The reader's font is unknown, and DejaVu is the widest
 * of the usual fonts. A letter that takes two columns of a terminal is as wide as it is high.
 */
enum { ELLIPSIS = 110, LETTER = 70, NARROW = 40, WIDE = 110 };

static unsigned letter_width(const char *letter, size_t n_bytes)
{
	if (n_bytes > 1)
		return text_columns(letter, n_bytes) > 1 ? WIDE + 10 : LETTER + 10;
	if (strchr("ijl.,:;'|!()[] ", *letter))
		return NARROW;
	return strchr("mwMW@%", *letter) ? WIDE : LETTER + 10 * (*letter >= 'A' && *letter <= 'Z');
}

static size_t letter_bytes(const char *text)
{
	size_t n = 1;

	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

static double text_width(const char *text)
{
	double width = 0;

	for (size_t n; *text; text += n) {
		n = letter_bytes(text);
		width += letter_width(text, n);
	}
	return width / 10;
}

/* Returns how many bytes of whole letters fit in front of an ellipsis; 0 if fewer than two letters fit. */
static size_t text_cut(const char *text, double width)
{
	double room = width * 10 - ELLIPSIS;
	size_t n_letters = 0, at = 0;

	for (;; n_letters++) {
		const size_t n = letter_bytes(text + at);

		room -= letter_width(text + at, n);
		if (room < 0)
			return n_letters < 2 ? 0 : at;
		at += n;
	}
}

/*
 * Writes text within `width` pixels. Cuts longer text with an ellipsis; writes nothing if that is too wide,
 * too.
 */
static void put_text(
	struct outbuf *out, double x, double y, double width, const char *class, const char *text)
{
	const bool is_cut = text_width(text) > width;
	const size_t n_bytes = is_cut ? text_cut(text, width) : strlen(text);

	if (!n_bytes)
		return;
	outbuf_printf(out, "<text x=\"%.1f\" y=\"%.1f\"%s%s%s>", x, y, class ? " class=\"" : "",
		class ? class : "", class ? "\"" : "");
	outbuf_xml(out, text, n_bytes);
	outbuf_puts(out, is_cut ? "\xe2\x80\xa6</text>\n" : "</text>\n");
}

/* --- bars ----------------------------------------------------------------------------------------------- */

/* A row that is being drawn. */
struct drawing {
	const struct picture *picture;
	struct outbuf *out;
	const struct row *row;
	double left, top; /* of the bar */
};

static void put_bar(const struct drawing *drawing, double x, double width, unsigned class)
{
	const struct look *look = &looks[class];
	const double height = BAR_HEIGHT * look->height, y = drawing->top + BAR_HEIGHT - height;

	for (unsigned i = 0; i < (look->pattern ? 2 : 1); i++)
		outbuf_printf(drawing->out,
			"<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s%s%s\"/>\n",
			drawing->left + x, y, width, height, i ? "url(#" : "", i ? look->pattern : look->fill,
			i ? ")" : "");
}

/* Writes the text of a bar: what a thread waits for, who has the core or lock, the name of a span. */
static void put_bar_text(const struct drawing *drawing, double x, double width, const struct segment *segment)
{
	const bool is_dark = segment->class == RST_STATE_RUNNING || segment->class == RST_STATE_HELD;
	const bool is_of_thread = drawing->row->track->kind == RST_INTERVAL_THREAD;
	char label[TEXT_MAX];

	if (is_of_thread && segment->state != RST_STATE_WAITING)
		return;
	entity_label(tracks_entity(drawing->picture->tracks, segment->object), label, sizeof(label));
	put_text(drawing->out, drawing->left + x + 3, drawing->top + BAR_HEIGHT - (is_of_thread ? 6 : 4),
		width - 4, is_dark ? "n" : NULL, label);
}

/* Draws one bar for each segment, if the row has few enough of them. */
static void put_segments(const struct drawing *drawing)
{
	const struct axis *axis = &drawing->picture->axis;
	const struct tree *tree = &drawing->row->track->tree;

	for (uint64_t n = tree_find(tree, axis->from); n < tree_n(tree); n++) {
		const struct segment segment = tree_segment(tree, n);
		const double from = axis_at(axis, segment.from), to = axis_at(axis, segment.to);

		if (segment.from >= axis->to)
			return;
		put_bar(drawing, from, to - from > WIDTH_MIN ? to - from : WIDTH_MIN, segment.class);
		put_bar_text(drawing, from, to - from, &segment);
	}
}

static uint64_t column_edge(const struct axis *axis, unsigned column)
{
	const double share = (double)column * COLUMN / axis->width;

	return share >= 1 ? axis->to : axis->from + (uint64_t)(share * (double)(axis->to - axis->from));
}

/* Draws the main class of each column; equal neighbours are one bar. */
static void put_columns(const struct drawing *drawing)
{
	const struct axis *axis = &drawing->picture->axis;
	const unsigned n_columns = (unsigned)(axis->width / COLUMN);
	unsigned first = 0, class = N_CLASSES;

	for (unsigned column = 0; column <= n_columns; column++) {
		const uint64_t from = column_edge(axis, column), to = column_edge(axis, column + 1);
		const struct summary sum = column < n_columns && from < to
						   ? tree_sum(&drawing->row->track->tree, from, to)
						   : (struct summary){ 0 };
		const unsigned most = sum.n_segments ? summary_most(&sum) : N_CLASSES;

		if (most == class && column < n_columns)
			continue;
		if (class < N_CLASSES)
			put_bar(drawing, first * COLUMN, (column - first) * COLUMN, class);
		first = column;
		class = most;
	}
}

/*
 * Draws a level as steps from the line of 0: each column shows the value that is farthest from 0. A column is
 * empty if the level is unknown or not finite.
 */
static void put_steps(const struct drawing *drawing, const struct scale *scale)
{
	const struct axis *axis = &drawing->picture->axis;
	const unsigned n_columns = (unsigned)(axis->width / COLUMN);
	const double height = LEVEL_HEIGHT - 8, bottom = drawing->top + height,
		     zero = bottom - scale_share(scale, 0) * height;
	bool is_open = false;
	double level = 0;

	for (unsigned column = 0; column <= n_columns; column++) {
		const uint64_t from = column_edge(axis, column), to = column_edge(axis, column + 1);
		const struct summary sum = column < n_columns ? tree_sum(&drawing->row->track->tree, from,
									to > from ? to : from + 1)
							      : (struct summary){ 0 };
		const double value = sum.has_values ? scale_value(&sum) : 0,
			     x = drawing->left + column * COLUMN,
			     y = bottom - scale_share(scale, value) * height;
		const bool is_step = value > level || value < level;

		/* A step begins where the one before it ends. */
		if (is_open && (!sum.has_values || is_step))
			outbuf_printf(drawing->out, "H%.0f", x);
		if (is_open && !sum.has_values)
			outbuf_printf(drawing->out, "V%.1f", zero);
		if (!is_open && sum.has_values)
			outbuf_printf(drawing->out, "M%.0f %.1f", x, zero);
		if (sum.has_values && (!is_open || is_step))
			outbuf_printf(drawing->out, "V%.1f", y);
		is_open = sum.has_values;
		level = value;
	}
}

/*
 * Writes a number. If it is too long, it gets few digits and an exponent: a cut number would be a wrong
 * number.
 */
static char *put_short(char *p, struct number number, int room, unsigned n_decimals)
{
	char *end = number_put(p, number);

	return end - p <= room ? end : real_put_scientific(p, number_real(number), n_decimals);
}

/* Writes "most 5", or "-5 to 3" if some values are below 0. */
static void level_label(const struct summary *whole, char label[TEXT_MAX])
{
	enum { ROOM = 14, ROOM_OF_TWO = 7 };
	const bool has_two = whole->has_values && number_real(whole->least) < 0;
	char *p = label;

	if (!whole->has_values) {
		snprintf(label, TEXT_MAX, whole->n_segments ? "no number" : "not known");
		return;
	}
	if (has_two)
		p = text_put_literal(put_short(p, whole->least, ROOM_OF_TWO, 1), " to ");
	else
		p = text_put_literal(p, "most ");
	*put_short(p, whole->most, has_two ? ROOM_OF_TWO : ROOM, has_two ? 1 : 3) = '\0';
}

static void put_level(const struct drawing *drawing)
{
	const struct axis *axis = &drawing->picture->axis;
	const struct summary whole = tree_sum(&drawing->row->track->tree, axis->from, axis->to);
	const struct scale scale = scale_of(&whole);
	char label[TEXT_MAX];

	outbuf_puts(drawing->out, "<path fill=\"#bfe3f5\" stroke=\"#0072b2\" stroke-width=\".8\" d=\"");
	put_steps(drawing, &scale);
	outbuf_puts(drawing->out, "\"/>\n");
	level_label(&whole, label);
	put_text(drawing->out, MARGIN, drawing->top + LEVEL_HEIGHT - 7, LABEL_WIDTH, "q", label);
}

static void put_row(const struct drawing *drawing)
{
	const bool is_level = drawing->row->track->kind == RST_INTERVAL_LEVEL;
	const struct axis *axis = &drawing->picture->axis;
	const struct summary sum = tree_sum(&drawing->row->track->tree, axis->from, axis->to);

	put_text(drawing->out, MARGIN, drawing->top + (is_level ? 9 : BAR_HEIGHT - 4), LABEL_WIDTH, NULL,
		drawing->row->label);
	if (is_level)
		put_level(drawing);
	else if ((double)sum.n_segments > axis->width / 2)
		put_columns(drawing);
	else
		put_segments(drawing);
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static double row_height(const struct row *row)
{
	return row->track->kind == RST_INTERVAL_LEVEL ? LEVEL_HEIGHT : ROW_HEIGHT;
}

static bool row_begins_group(const struct rows *rows, size_t n)
{
	return n == 0 || rows->all[n].group != rows->all[n - 1].group;
}

static size_t n_shown(const struct rows *rows)
{
	return rows->n < PICTURE_ROWS_MAX ? rows->n : PICTURE_ROWS_MAX;
}

static double picture_height(const struct picture *picture)
{
	double height = MARGIN + TITLE_HEIGHT + AXIS_HEIGHT + LEGEND_LINES * LEGEND_HEIGHT + 2 * MARGIN;

	for (size_t i = 0; i < n_shown(picture->rows); i++)
		height += row_height(&picture->rows->all[i]) +
			  (row_begins_group(picture->rows, i) ? GROUP_HEIGHT : 0);
	return height + (picture->rows->n > PICTURE_ROWS_MAX ? ROW_HEIGHT : 0);
}

static void put_axis(
	const struct picture *picture, struct outbuf *out, double left, double top, double bottom)
{
	struct axis_mark marks[AXIS_MARKS_MAX];
	const size_t n_marks = axis_marks(&picture->axis, MARK_DISTANCE, marks);

	for (size_t i = 0; i < n_marks; i++) {
		const double x = left + marks[i].at;

		outbuf_printf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", x,
			top + AXIS_HEIGHT - 6, bottom);
		put_text(out, x + 2, top + AXIS_HEIGHT - 8, left + picture->axis.width - x, "q",
			marks[i].label);
	}
}

/* Lines over all rows. */
#define LOSS_STYLE "stroke=\"#c00\" stroke-width=\"2\" stroke-dasharray=\"4 3\""
#define RUN_STYLE  "stroke=\"#000\" stroke-width=\"2\""

static void put_losses(
	const struct picture *picture, struct outbuf *out, double left, double top, double bottom)
{
	for (size_t i = 0; i < picture->n_losses; i++) {
		const uint64_t at = picture->losses[i].at;

		if (at >= picture->axis.from && at <= picture->axis.to)
			outbuf_printf(out, "<path d=\"M%.1f %.1fV%.1f\" " LOSS_STYLE "/>\n",
				left + axis_at(&picture->axis, at), top, bottom);
	}
}

static void put_runs(
	const struct picture *picture, struct outbuf *out, double left, double top, double bottom)
{
	for (size_t i = 0; i < picture->n_runs; i++) {
		const uint64_t at = picture->runs[i];

		if (at >= picture->axis.from && at <= picture->axis.to)
			outbuf_printf(out, "<path d=\"M%.1f %.1fV%.1f\" " RUN_STYLE "/>\n",
				left + axis_at(&picture->axis, at), top, bottom);
	}
}

static bool class_occurs(const struct picture *picture, unsigned class)
{
	for (size_t i = 0; i < n_shown(picture->rows); i++)
		if (tree_sum(&picture->rows->all[i].track->tree, picture->axis.from, picture->axis.to)
				.ticks[class] > 0)
			return true;
	return false;
}

/* Places a word behind the last one, or on the next line if the line has no room. */
static void legend_place(const struct picture *picture, struct drawing *drawing, double *x, const char *word)
{
	const double width = LEGEND_BAR + text_width(word) + LEGEND_GAP;

	if (*x + width > picture->axis.width) {
		*x = 0;
		drawing->top += LEGEND_HEIGHT;
	}
	put_text(drawing->out, drawing->left + *x + LEGEND_BAR, drawing->top + BAR_HEIGHT - 4, LABEL_WIDTH,
		NULL, word);
	drawing->left += *x;
	*x += width;
}

/* Draws the legend: each word whose class occurs in the picture, once. */
static void put_legend(const struct picture *picture, struct outbuf *out, double left, double top)
{
	struct drawing drawing = { .picture = picture, .out = out, .top = top };
	const struct {
		bool is_there;
		const char *word, *style;
	} lines[] = { { picture->n_losses != 0, "events lost", LOSS_STYLE },
		{ picture->n_runs != 0, "recording begins anew", RUN_STYLE } };
	const char *last = NULL;
	double x = 0;

	for (unsigned class = 0; class < N_CLASSES; class ++) {
		const char *word = looks[class].word;

		if (!word || word == last || !class_occurs(picture, class))
			continue;
		last = word;
		drawing.left = left;
		legend_place(picture, &drawing, &x, word);
		put_bar(&drawing, 0, LEGEND_BAR - 4, class);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!lines[i].is_there)
			continue;
		drawing.left = left;
		legend_place(picture, &drawing, &x, lines[i].word);
		outbuf_printf(out, "<path d=\"M%.1f %.1fv%d\" %s/>\n", drawing.left + LEGEND_BAR / 2,
			drawing.top, BAR_HEIGHT, lines[i].style);
	}
}

static void put_rows(const struct picture *picture, struct outbuf *out, double left, double top)
{
	struct drawing drawing = { .picture = picture, .out = out, .left = left, .top = top };
	const struct rows *rows = picture->rows;
	char text[TEXT_MAX];

	for (size_t i = 0; i < n_shown(rows); i++) {
		drawing.row = &rows->all[i];
		if (row_begins_group(rows, i)) {
			put_text(out, MARGIN, drawing.top + GROUP_HEIGHT - 7, LABEL_WIDTH, "g",
				rows->all[i].group->title);
			drawing.top += GROUP_HEIGHT;
		}
		put_row(&drawing);
		drawing.top += row_height(drawing.row);
	}
	if (rows->n <= PICTURE_ROWS_MAX)
		return;
	snprintf(text, sizeof(text), "%zu more rows", rows->n - PICTURE_ROWS_MAX);
	put_text(out, MARGIN, drawing.top + BAR_HEIGHT, picture->width, "q", text);
}

void picture_put(const struct picture *picture, struct outbuf *out)
{
	struct picture own = *picture;
	const double height = picture_height(picture), left = MARGIN + LABEL_WIDTH;
	const double top = MARGIN + TITLE_HEIGHT, bottom = height - LEGEND_LINES * LEGEND_HEIGHT - 2 * MARGIN;
	char length[AXIS_LABEL_MAX + TEXT_DURATION_MAX], text[2 * TEXT_MAX];

	own.axis.width = picture->width - left - MARGIN;
	*axis_put_length(&own.axis, length, own.axis.to - own.axis.from) = '\0';
	outbuf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%.0f\" viewBox=\"0 0 %u "
		"%.0f\">\n",
		picture->width, height, picture->width, height);
	outbuf_puts(out, head_text);
	outbuf_puts(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	snprintf(text, sizeof(text), "%s: %s", picture->title, length);
	put_text(out, MARGIN, MARGIN + 12, picture->width - 2 * MARGIN, "g", text);
	put_axis(&own, out, left, top, bottom);
	put_rows(&own, out, left, top + AXIS_HEIGHT);
	put_losses(&own, out, left, top + AXIS_HEIGHT, bottom);
	put_runs(&own, out, left, top + AXIS_HEIGHT, bottom);
	put_legend(&own, out, left, height - LEGEND_LINES * LEGEND_HEIGHT - MARGIN);
	outbuf_puts(out, "</svg>\n");
}
