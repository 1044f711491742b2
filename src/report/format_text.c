/* SPDX-License-Identifier: MIT */
/*
 * For people:
 *
 *	        time      delta  core  context   event                 text
 *	   251686888      +1172     0  init      TX_TRACE_QUEUE_CREATE queue one is made, for messages of 2 words
 *
 * Further lines of a text begin below the first. Context and event cells are padded (and coloured) once. An interrupt
 * shows what it interrupted, and its depth from the second level on: "isr over low", "isr/2 over low".
 */
#include "base/text.h"
#include "report/report.h"

enum { SOURCE_WIDTH = 4, CORE_WIDTH = 5 };

static const char reset[] = "\033[0m", dim[] = "\033[2m", event_color[] = "\033[1m";

static const char *context_color(const struct rst_context *context)
{
	static const char *const colors[] = { "\033[32m", "\033[33m", "\033[34m", "\033[36m", "\033[92m",
		"\033[94m" };

	if (context->kind != RST_CONTEXT_THREAD)
		return "\033[35m";
	return colors[context->index % (sizeof(colors) / sizeof(colors[0]))];
}

/* text in color, padded to width with spaces (outside of the color) and two more. NULL when memory ran out. */
static char *make_cell(struct report *report, const char *color, const char *text, size_t n_text,
	unsigned width, size_t *ret_n_bytes, unsigned *ret_columns)
{
	size_t columns = text_columns(text, n_text), pad = columns < width ? width - columns : 0;
	char *cell = arena_alloc(&report->arena, n_text + pad + CELL_PIECE), *end = cell;

	if (!cell)
		return NULL;
	if (report->has_color)
		end = text_put(end, color, strlen(color));
	end = text_put(end, text, n_text);
	if (report->has_color)
		end = text_put_literal(end, "\033[0m");
	end = text_put_fill(end, ' ', pad + 2);
	*ret_n_bytes = (size_t)(end - cell);
	*ret_columns = (unsigned)(columns + pad + 2);
	return cell;
}

/* "isr over low". */
static size_t put_context(
	char *p, const struct rst_context *context, const struct rst_context *over, unsigned depth)
{
	char *end = text_put(p, context->name, context->name_bytes);

	if (depth > 1) {
		*end++ = '/';
		end = text_put_dec(end, depth);
	}
	if (over) {
		end = text_put_literal(end, " over ");
		end = text_put(end, over->name, over->name_bytes);
	}
	return (size_t)(end - p);
}

static bool text_context_cell(struct report *report, struct cell *cell, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row],
				 *over = line->batch->over[line->row];
	char *text = arena_alloc(&report->arena, context->name_bytes + (over ? over->name_bytes : 0) + 32);

	if (!text)
		return false;
	size_t n_text = put_context(text, context, over, line->batch->depth[line->row]);

	cell->bytes = make_cell(report, context_color(context), text, n_text, report->context_width,
		&cell->n_bytes, &cell->columns);
	return cell->bytes != NULL;
}

static bool text_event_cell(struct report *report, struct plan *plan, const struct rst_type *type)
{
	plan->cell = make_cell(report, event_color, type->name, type->name_bytes, report->event_width,
		&plan->cell_bytes, &plan->columns);
	return plan->cell != NULL;
}

static char *put_time(struct report *report, char *p, uint64_t ticks)
{
	if (report->has_color)
		p = text_put(p, dim, sizeof(dim) - 1);
	if (report->has_sources) {
		p = text_put_dec_right(p, report->source, SOURCE_WIDTH - 1);
		*p++ = ' ';
	}
	p = times_put(&report->times, p, ticks);
	*p++ = ' ';
	p = report->has_last ? times_put_delta(&report->times, p, report->last_ticks, ticks)
			     : text_put_fill(p, ' ', report->times.delta_width);
	return p;
}

static char *put_core(char *p, uint16_t core)
{
	if (core == RST_NO_CORE)
		return text_put_literal(p, "   - ");
	p = text_put_dec_right(p, core, CORE_WIDTH - 1);
	*p++ = ' ';
	return p;
}

/* The column in which the text of a line begins. */
static unsigned text_column(const struct report *report, const struct report_line *line)
{
	return (report->has_sources ? SOURCE_WIDTH : 0) + report->times.width + 1 +
	       report->times.delta_width + CORE_WIDTH + 1 + line->context->columns + line->plan->columns;
}

static char *text_event(struct report *report, const struct report_line *line, char *p)
{
	p = put_time(report, p, line->batch->ticks[line->row]);
	p = put_core(p, line->batch->core[line->row]);
	if (report->has_color)
		p = text_put(p, reset, sizeof(reset) - 1);
	*p++ = ' ';
	p = cell_put(p, line->context->bytes, line->context->n_bytes);
	p = cell_put(p, line->plan->cell, line->plan->cell_bytes);
	report->runner.margin = text_column(report, line);
	p = plan_put_last(line, p);
	*p++ = '\n';
	return p;
}

const struct report_format report_format_text = {
	.name = "text",
	.summary = "aligned columns for people: time, delta, core, context, event, text",
	.event_cell = text_event_cell,
	.context_cell = text_context_cell,
	.event = text_event,
	.gap = report_gap,
	.has_interrupted = true,
	.has_depth = true,
};
