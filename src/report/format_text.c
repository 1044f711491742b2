/* SPDX-License-Identifier: MIT */
/*
 * For people:
 *
 *	        time      delta  core  context   event                 text
 *	   251686888      +1172     0  init      TX_TRACE_QUEUE_CREATE queue_ptr=queue one, message_size=2, …
 *
 * Context and event cells are padded (and coloured) once. An interrupt shows what it interrupted, and its depth from
 * the second level on: "isr over low", "isr/2 over low".
 */
#include "base/text.h"
#include "report/value.h"

static const char reset[] = "\033[0m", dim[] = "\033[2m", event_color[] = "\033[1m",
		  marker_color[] = "\033[1;31m";

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
	unsigned width, size_t *ret_n_bytes)
{
	size_t columns = text_columns(text, n_text), pad = columns < width ? width - columns : 0;
	char *cell = arena_alloc(&report->arena, n_text + pad + 32), *end = cell;

	if (!cell)
		return NULL;
	if (report->has_color)
		end = text_put(end, color, strlen(color));
	end = text_put(end, text, n_text);
	if (report->has_color)
		end = text_put_literal(end, "\033[0m");
	end = text_put_fill(end, ' ', pad + 2);
	*ret_n_bytes = (size_t)(end - cell);
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

static struct cell *context_cell(struct report *report, const struct rst_context *context,
	const struct rst_context *over, unsigned depth)
{
	struct cell *cell = plan_cell(report, over ? over : context, over != NULL);
	size_t room = context->name_bytes + (over ? over->name_bytes : 0) + 32;
	char *text;

	if (!cell || (cell->bytes && cell->variant == depth))
		return cell;
	text = arena_alloc(&report->arena, room);
	if (!text)
		return NULL;
	size_t n_text = put_context(text, context, over, depth);

	cell->variant = depth; /* nesting changes seldom */
	cell->bytes = make_cell(
		report, context_color(context), text, n_text, report->context_width, &cell->n_bytes);
	return cell->bytes ? cell : NULL;
}

static bool event_cell(struct report *report, struct plan *plan, const struct rst_type *type)
{
	unsigned width = plan->n_fields ? report->event_width : 0;

	plan->cell = make_cell(report, event_color, type->name, type->name_bytes, width, &plan->cell_bytes);
	if (plan->cell && !plan->n_fields)
		plan->cell_bytes -= 2; /* nothing follows: no spaces at the end of a line */
	return plan->cell != NULL;
}

static char *put_time(struct report *report, char *p, uint64_t ticks)
{
	if (report->has_color)
		p = text_put(p, dim, sizeof(dim) - 1);
	if (report->has_sources) {
		p = text_put_dec_right(p, report->source, 3);
		*p++ = ' ';
	}
	p = times_put(&report->times, p, ticks);
	*p++ = ' ';
	p = report->has_last ? times_put_delta(&report->times, p, report->last_ticks, ticks)
			     : text_put_fill(p, ' ', 10);
	report->last_ticks = ticks;
	report->has_last = true;
	return p;
}

static char *put_core(char *p, uint16_t core)
{
	if (core == RST_NO_CORE)
		return text_put_literal(p, "   - ");
	p = text_put_dec_right(p, core, 4);
	*p++ = ' ';
	return p;
}

static bool text_event(struct report *report, const struct rst_batch *batch, size_t row)
{
	const struct rst_type *type = batch->type[row];
	const struct plan *plan = plan_of(report, type);
	const struct cell *context =
		context_cell(report, batch->context[row], batch->over[row], batch->depth[row]);

	if (!plan || !context || (!plan->cell && !event_cell(report, report->plans[type->index], type)))
		return false;
	if (!outbuf_reserve(report->out, plan->room + context->n_bytes + plan->cell_bytes))
		return true;
	char *p = put_time(report, report->out->at, batch->ticks[row]);

	p = put_core(p, batch->core[row]);
	if (report->has_color)
		p = text_put(p, reset, sizeof(reset) - 1);
	*p++ = ' ';
	p = text_put(p, context->bytes, context->n_bytes);
	p = text_put(p, plan->cell, plan->cell_bytes);
	p = value_put_all(&(struct value_source){ .out = report->out,
				  .trace = report->trace,
				  .payload = batch->payload[row],
				  .payload_bytes = batch->payload_bytes[row],
				  .place = batch->place[row],
				  .room_after = plan->room },
		p, plan);
	*p++ = '\n';
	report->out->at = p;
	return true;
}

static void text_gap(struct report *report, const struct rst_batch *batch, size_t row)
{
	const struct rst_gap *gap = (const struct rst_gap *)(const void *)batch->payload[row];
	struct outbuf *out = report->out;

	if (report->has_color)
		outbuf_puts(out, marker_color);
	if (batch->type[row]->marker == RST_DAMAGE)
		outbuf_printf(out, "*** DAMAGE at byte %llu, %llu bytes: ", (unsigned long long)gap->offset,
			(unsigned long long)gap->n_bytes);
	else if (gap->n_events)
		outbuf_printf(out, "*** LOST %llu events: ", (unsigned long long)gap->n_events);
	else
		outbuf_puts(out, "*** LOST an unknown number of events: ");
	outbuf_puts(out, gap->what);
	outbuf_puts(out, report->has_color ? "\033[0m\n" : "\n");
}

static bool text_rows(
	struct report *report, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		if (batch->type[rows[i]]->marker != RST_EVENT)
			text_gap(report, batch, rows[i]);
		else if (!text_event(report, batch, rows[i]))
			return false;
	}
	return true;
}

const struct report_format report_format_text = {
	.name = "text",
	.summary = "aligned columns for people: time, delta, core, context, event, text",
	.rows = text_rows,
};
