/* SPDX-License-Identifier: MIT */
/*
 * For people:
 *
 *	    ticks   thread  text
 *	251686888   init    creates queue 'queue one' for 16 messages of 2 words
 *	251687011   low     waits for mutex 'resource', held by 'high'
 *
 * A text that begins with the thread's name begins behind the thread's column. The event's constant stands in
 * the text when there is no template, and in a column of its own with --columns +event. Further lines of a
 * text begin below the first. Thread and event cells are padded (and coloured) once. An interrupt shows what
 * it interrupted, and its depth from the second level on: "isr over low", "isr/2 over low".
 */
#include "base/text.h"
#include "lines/format.h"

enum {
	SOURCE_WIDTH = 3,
	CORE_WIDTH = 4,
	PRIORITY_WIDTH = 9,
	GAP = 2,
	PLAIN = 1U << COLUMN_TIME | 1U << COLUMN_THREAD | 1U << COLUMN_TEXT,
	MORE = 1U << COLUMN_CORE | 1U << COLUMN_EVENT
};

static const char reset[] = "\033[0m", dim[] = "\033[2m", event_color[] = "\033[1m";

static const char *context_color(const struct rst_context *context)
{
	static const char *const colors[] = { "\033[32m", "\033[34m", "\033[36m", "\033[92m", "\033[94m",
		"\033[96m" };

	if (context->kind != RST_CONTEXT_THREAD)
		return "\033[35m";
	return colors[context->index % (sizeof(colors) / sizeof(colors[0]))];
}

/*
 * text in color, padded to width with blanks (outside of the color) and two more. bytes is NULL when memory
 * ran out.
 */
static struct cell cell_make(struct report_input *input, const char *color, struct text text, unsigned width)
{
	const bool has_color = input->report->options.has_color;
	size_t columns = text_columns(text.bytes, text.n_bytes), pad = columns < width ? width - columns : 0;
	char *bytes = arena_alloc(&input->arena, text.n_bytes + pad + CELL_ROOM), *end = bytes;

	if (!bytes)
		return (struct cell){ .bytes = NULL };
	if (has_color)
		end = text_put(end, color, strlen(color));
	end = text_put(end, text.bytes, text.n_bytes);
	if (has_color)
		end = text_put_literal(end, "\033[0m");
	end = text_put_fill(end, ' ', pad + GAP);
	return (struct cell){
		.bytes = bytes, .n_bytes = (size_t)(end - bytes), .columns = (unsigned)(columns + pad + GAP)
	};
}

/* "isr over low"; an unknown context is "-". */
static size_t format_text_put_context(
	char *p, const struct rst_context *context, const struct rst_context *interrupted, unsigned depth)
{
	char *end = p;

	if (context->kind == RST_CONTEXT_UNKNOWN)
		*end++ = '-';
	else
		end = text_put(end, context->name, context->name_bytes);
	if (depth > 1) {
		*end++ = '/';
		end = text_put_dec(end, depth);
	}
	if (interrupted) {
		end = text_put_literal(end, " over ");
		end = text_put(end, interrupted->name, interrupted->name_bytes);
	}
	return (size_t)(end - p);
}

/* A name that is longer than those before it widens the column from here on. */
static void context_widen(struct report_input *input, struct cell *cell, size_t n_columns)
{
	struct report_section *section = &input->report->section;
	const struct cell same = *cell;

	if (n_columns <= section->context_width || n_columns > REPORT_CONTEXT_MAX)
		return;
	plan_forget_cells(input);
	section->context_width = (unsigned)n_columns;
	*cell = same;
}

static bool text_context_cell(struct report_input *input, struct cell *cell, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row],
				 *interrupted = rst_batch_interrupted(line->batch, line->row);
	char *bytes = arena_alloc(
		&input->arena, context->name_bytes + (interrupted ? interrupted->name_bytes : 0) + 32);
	struct text text = { bytes, 0 };
	struct cell made;

	if (!bytes)
		return false;
	text.n_bytes =
		format_text_put_context(bytes, context, interrupted, rst_batch_depth(line->batch, line->row));
	context_widen(input, cell, text_columns(text.bytes, text.n_bytes));
	made = cell_make(input, context_color(context), text, input->report->section.context_width);
	cell->bytes = made.bytes;
	cell->n_bytes = made.n_bytes;
	cell->columns = made.columns;
	return cell->bytes != NULL;
}

/* The event's column; without it the constant itself, where the event has no other words. */
static bool text_event_cell(struct report_input *input, struct plan *plan, const struct rst_layout *layout)
{
	const struct rst_type *type = layout->type;
	const struct report_section *section = &input->report->section;
	const bool has_column = columns_has(section->columns, COLUMN_EVENT);
	const struct cell made = cell_make(input, event_color, (struct text){ type->name, type->name_bytes },
		has_column ? section->event_width : 0);

	plan->cell = made.bytes;
	plan->cell_bytes = made.n_bytes;
	if (has_column)
		plan->columns = made.columns;
	return plan->cell != NULL;
}

static char *put_time(struct report *report, const struct report_line *line, char *p)
{
	uint64_t ticks = line->batch->ticks[line->row];

	if (report->options.has_color)
		p = text_put(p, dim, sizeof(dim) - 1);
	if (report->options.has_sources) {
		p = text_put_dec_right(p, line->input->source, SOURCE_WIDTH - GAP);
		p = text_put_fill(p, ' ', GAP);
	}
	if (columns_has(report->section.columns, COLUMN_TIME)) {
		p = times_put(&line->input->times, p, ticks);
		p = text_put_fill(p, ' ', GAP);
	}
	if (columns_has(report->section.columns, COLUMN_DELTA)) {
		p = report->section.has_last
			    ? times_put_delta(&line->input->times, p, report->section.last_ticks, ticks)
			    : text_put_fill(p, ' ', line->input->times.delta_width);
		p = text_put_fill(p, ' ', GAP);
	}
	return p;
}

static char *format_text_put_core(char *p, uint16_t core)
{
	if (__builtin_expect(core < 10, 1)) {
		p = text_put_literal(p, "   0  ");
		p[-1 - GAP] = (char)('0' + core);
		return p;
	}
	p = core == RST_NO_CORE ? text_put_literal(p, "   -") : text_put_dec_right(p, core, CORE_WIDTH);
	return text_put_literal(p, "  ");
}

/* 12, or 12/5 where the preemption threshold is another. */
static char *put_priority(char *p, int16_t priority, int16_t threshold)
{
	char *start = p;

	p = priority == RST_NO_PRIORITY ? text_put_literal(p, "-") : text_put_signed(p, priority);
	if (threshold != RST_NO_PRIORITY && threshold != priority) {
		*p++ = '/';
		p = text_put_signed(p, threshold);
	}
	size_t n = (size_t)(p - start), pad = n < PRIORITY_WIDTH ? PRIORITY_WIDTH - n : 0;

	return text_put_fill(p, ' ', pad + GAP);
}

/* The columns in front of the thread's. */
static unsigned thread_column(const struct report *report, const struct report_line *line)
{
	return (report->options.has_sources ? SOURCE_WIDTH : 0) +
	       (columns_has(report->section.columns, COLUMN_TIME) ? line->input->times.width + GAP : 0) +
	       (columns_has(report->section.columns, COLUMN_DELTA) ? line->input->times.delta_width + GAP
								   : 0) +
	       (columns_has(report->section.columns, COLUMN_CORE) ? CORE_WIDTH + GAP : 0);
}

/* The sentence, or the constant in its place or in front of its fields. */
static inline __attribute__((always_inline)) char *format_text_put_words(
	struct report *report, const struct report_line *line, char *p, bool has_constant)
{
	size_t start = (size_t)(p - report->out->start);

	if (line->plan->is_generated && !has_constant) {
		p = cell_put(p, line->plan->cell, line->plan->cell_bytes) - 1;
		start = (size_t)(p - report->out->start);
	}
	p = plan_put_last(line, p);
	if (__builtin_expect((size_t)(p - report->out->start) <= start && !has_constant, 0) &&
		!line->plan->is_generated)
		p = cell_put(report->out->start + start, line->plan->cell, line->plan->cell_bytes) - GAP;
	return p;
}

static char *format_text_line_end(
	struct report *report, const struct report_line *line, char *p, unsigned column)
{
	size_t start = (size_t)(p - report->out->start);

	line->input->runner.margin = column;
	if (columns_has(report->section.columns, COLUMN_TEXT))
		p = format_text_put_words(
			report, line, p, columns_has(report->section.columns, COLUMN_EVENT));
	else
		while (p > report->out->start && p[-1] == ' ')
			p--;
	if (report->options.n_columns)
		p = wrap_text(report, start, p, column, line->plan->room);
	*p++ = '\n';
	return p;
}

/* The columns that are there without options, which may be `more` ones, and no other. */
static bool is_plain(const struct report *report, unsigned more)
{
	return (report->section.columns & ~more) == PLAIN && !report->options.has_color &&
	       !report->options.has_sources && !report->options.n_columns;
}

static inline __attribute__((always_inline)) char *plain_put(
	struct report *report, const struct report_line *line, char *p, bool has_core, bool has_event)
{
	struct times *times = &line->input->times;
	unsigned column = times->width + GAP;

	p = times_put(times, p, line->batch->ticks[line->row]);
	p = text_put_literal(p, "  ");
	if (has_core) {
		p = format_text_put_core(p, rst_batch_core(line->batch, line->row));
		column += CORE_WIDTH + GAP;
	}
	p = cell_put(p, line->context->bytes, line->context->n_bytes);
	column += line->context->columns;
	if (has_event) {
		p = cell_put(p, line->plan->cell, line->plan->cell_bytes);
		column += line->plan->columns;
	}
	line->input->runner.margin = column;
	p = format_text_put_words(report, line, p, has_event);
	*p++ = '\n';
	return p;
}

static inline char *plain_event(struct report *report, const struct report_line *line, char *p)
{
	return plain_put(report, line, p, false, false);
}

static inline char *more_event(struct report *report, const struct report_line *line, char *p)
{
	return plain_put(report, line, p, columns_has(report->section.columns, COLUMN_CORE),
		columns_has(report->section.columns, COLUMN_EVENT));
}

static char *text_event(struct report *report, const struct report_line *line, char *p)
{
	unsigned column = thread_column(report, line);

	p = put_time(report, line, p);
	if (columns_has(report->section.columns, COLUMN_CORE))
		p = format_text_put_core(p, rst_batch_core(line->batch, line->row));
	if (report->options.has_color)
		p = text_put(p, reset, sizeof(reset) - 1);
	if (columns_has(report->section.columns, COLUMN_THREAD)) {
		p = cell_put(p, line->context->bytes, line->context->n_bytes);
		column += line->context->columns;
	}
	if (columns_has(report->section.columns, COLUMN_PRIORITY)) {
		p = put_priority(p, rst_batch_priority(line->batch, line->row),
			rst_batch_threshold(line->batch, line->row));
		column += PRIORITY_WIDTH + GAP;
	}
	if (columns_has(report->section.columns, COLUMN_EVENT)) {
		p = cell_put(p, line->plan->cell, line->plan->cell_bytes);
		column += line->plan->columns;
	}
	return format_text_line_end(report, line, p, column);
}

static size_t text_events(struct report_line *line, const uint16_t *rows, size_t n_rows)
{
	if (is_plain(line->report, 0))
		return lines_put(&report_format_text, line, rows, n_rows, plain_event);
	if (is_plain(line->report, MORE))
		return lines_put(&report_format_text, line, rows, n_rows, more_event);
	return lines_put(&report_format_text, line, rows, n_rows, text_event);
}

/* A name that stands above a column, which it may be wider than. */
static void put_title(struct report *report, enum column column, const char *title, int width)
{
	if (columns_has(report->section.columns, column))
		outbuf_printf(report->out, "%*s%*s", width, title, GAP, "");
}

/* Which file it is, and what the columns are. */
static void format_text_text_head(struct report *report, const struct report_input *input)
{
	struct outbuf *out = report->out;

	outbuf_puts(out, report->options.has_color ? "\033[2m# " : "# ");
	if (report->options.has_sources)
		outbuf_printf(out, "%u: ", input->source);
	outbuf_clean(out, rst_trace_metadata(input->trace)->path);
	outbuf_puts(out, "\n");
	if (report->options.has_sources)
		outbuf_printf(out, "%*s", SOURCE_WIDTH, "");
	put_title(report, COLUMN_TIME, times_unit(&input->times), (int)input->times.width);
	put_title(report, COLUMN_DELTA, "delta", (int)input->times.delta_width);
	put_title(report, COLUMN_CORE, "core", CORE_WIDTH);
	put_title(report, COLUMN_THREAD, "thread", -(int)report->section.context_width);
	put_title(report, COLUMN_PRIORITY, "priority", -PRIORITY_WIDTH);
	put_title(report, COLUMN_EVENT, "event", -(int)report->section.event_width);
	if (columns_has(report->section.columns, COLUMN_TEXT))
		outbuf_puts(out, "text");
	outbuf_puts(out, report->options.has_color ? "\033[0m\n" : "\n");
}

const struct report_format report_format_text = {
	.name = "text",
	.summary = "aligned columns for people: time, thread, text, and others",
	.head = format_text_text_head,
	.event_cell = text_event_cell,
	.context_cell = text_context_cell,
	.event = text_event,
	.events = text_events,
	.gap = report_gap,
	.has_interrupted = true,
	.has_depth = true,
	.has_subjects = true,
};
