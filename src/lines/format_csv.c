/* SPDX-License-Identifier: MIT */
/*
 * CSV after RFC 4180, one heading line. `args` has the fields as recorded ("queue_ptr=0x1f00;enqueued=3"),
 * `text` has them as people read them. The columns that only some recordings fill are last: the interrupted
 * context and the depth. Loss and damage are rows of the name LOST or DAMAGE, with the reason as text.
 */
#include "base/text.h"
#include "lines/format.h"

static void csv_begin(struct report *report, const struct report_input *input)
{
	(void)input;
	if (report->n_begun)
		return;
	outbuf_puts(report->out, report->options.has_sources ? "seq,source," : "seq,");
	outbuf_puts(report->out,
		"ts,ns,name,id,context_kind,context_id,context_name,core,prio,threshold,args,text,"
		"interrupted_kind,interrupted_id,interrupted_name,depth\n");
}

/* thread,0x1f00,low */
static char *format_csv_put_context(char *p, const struct rst_context *context)
{
	const char *kind = rst_context_kind_name(context->kind);

	p = text_put(p, kind, strlen(kind));
	*p++ = ',';
	p = (context->is_number ? text_put_dec : text_put_hex)(p, context->id);
	*p++ = ',';
	return context->has_name ? text_put_csv(p, context->name, context->name_bytes) : p;
}

static bool csv_context_cell(struct report_input *input, struct cell *cell, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row];
	char *bytes = arena_alloc(&input->arena, 4 * context->name_bytes + CELL_ROOM);

	if (!bytes)
		return false;
	cell->n_bytes = (size_t)(format_csv_put_context(bytes, context) - bytes);
	cell->bytes = bytes;
	return true;
}

static bool csv_event_cell(struct report_input *input, struct plan *plan, const struct rst_layout *layout)
{
	const struct rst_type *type = layout->type;
	char *bytes = arena_alloc(&input->arena, 4 * type->name_bytes + CELL_ROOM), *p = bytes;

	if (!bytes)
		return false;
	p = text_put_csv(p, type->name, type->name_bytes);
	*p++ = ',';
	p = text_put_dec(p, layout->id);
	plan->cell_bytes = (size_t)(p - bytes);
	plan->cell = bytes;
	return true;
}

static char *format_csv_put_head(struct report *report, const struct report_line *line, char *p)
{
	const struct times *times = &line->input->times;
	uint64_t ticks = line->batch->ticks[line->row];

	p = text_put_dec_over(p, report->seq);
	*p++ = ',';
	if (report->options.has_sources) {
		p = text_put_dec(p, line->input->source);
		*p++ = ',';
	}
	p = text_put_dec_over(p, ticks);
	*p++ = ',';
	if (times->hz)
		p = text_put_dec_over(p, times_ns(times, ticks));
	*p++ = ',';
	return p;
}

static char *put_optional(char *p, bool is_there, int64_t number)
{
	*p++ = ',';
	return is_there ? text_put_signed(p, number) : p;
}

/*
 * Names of fields are put as they are; a value that is text is a JSON string. Each field begins with a
 * semicolon; the first one's gives its place to the quote.
 */
static char *put_args(const struct value_source *from, char *p, const struct plan *plan)
{
	size_t start = value_position(from, p);

	p = plan_put_fields(from, p, plan, false);
	p += value_position(from, p) == start;
	from->out->start[start] = '"';
	if (plan->has_quotes)
		return value_quote(from, start + 1, p, &quoting_csv);
	*p++ = '"';
	return p;
}

/* The interrupted context, and the depth. Only a long name needs more room than the line has. */
static char *put_nesting(const struct value_source *from, char *p, const struct rst_batch *batch, size_t row)
{
	const struct rst_context *interrupted = rst_batch_interrupted(batch, row);
	char *roomy = p;

	if (interrupted && interrupted->name_bytes > VALUE_ROOM / 2)
		roomy = value_more_room(from, p, 4 * interrupted->name_bytes + CELL_COPY);
	p = roomy ? roomy : p;
	*p++ = ',';
	p = interrupted && roomy ? format_csv_put_context(p, interrupted) : text_put_literal(p, ",,");
	return put_optional(p, rst_batch_depth(batch, row) != 0, rst_batch_depth(batch, row));
}

static char *csv_event(struct report *report, const struct report_line *line, char *p)
{
	const struct rst_batch *batch = line->batch;
	size_t row = line->row, start;

	p = format_csv_put_head(report, line, p);
	p = cell_put(p, line->plan->cell, line->plan->cell_bytes);
	*p++ = ',';
	p = cell_put(p, line->context->bytes, line->context->n_bytes);
	p = put_optional(p, rst_batch_core(batch, row) != RST_NO_CORE, rst_batch_core(batch, row));
	p = put_optional(
		p, rst_batch_priority(batch, row) != RST_NO_PRIORITY, rst_batch_priority(batch, row));
	p = put_optional(
		p, rst_batch_threshold(batch, row) != RST_NO_PRIORITY, rst_batch_threshold(batch, row));
	*p++ = ',';
	p = put_args(&line->values, p, line->plan);
	p = text_put_literal(p, ",\"");
	start = value_position(&line->values, p);
	p = value_quote(&line->values, start, plan_put_text(line, p), &quoting_csv);
	p = put_nesting(&line->values, p, batch, row);
	*p++ = '\n';
	return p;
}

static size_t csv_events(struct report_line *line, const uint16_t *rows, size_t n_rows)
{
	return lines_put(&report_format_csv, line, rows, n_rows, csv_event);
}

static void csv_gap(struct report *report, const struct report_line *line, const struct rst_gap *gap)
{
	struct outbuf *out = report->out;
	bool is_damage = gap->marker == RST_DAMAGE;

	outbuf_puts(out, ",");
	if (report->options.has_sources)
		outbuf_printf(out, "%u,", line->input->source);
	if (line->input->is_started)
		outbuf_printf(out, "%llu", (unsigned long long)line->batch->ticks[line->row]);
	outbuf_printf(out, ",,%s,,,,,,,,", gap->marker == RST_RUN ? "RUN" : is_damage ? "DAMAGE" : "LOST");
	if (gap->marker == RST_RUN)
		outbuf_printf(out, "run=%llu,", (unsigned long long)gap->n_events);
	else if (is_damage && gap->n_bytes)
		outbuf_printf(out, "offset=%llu;bytes=%llu,", (unsigned long long)gap->offset,
			(unsigned long long)gap->n_bytes);
	else if (is_damage)
		outbuf_printf(out, "offset=%llu;bytes=unknown,", (unsigned long long)gap->offset);
	else if (gap->n_events)
		outbuf_printf(out, "lost=%llu,", (unsigned long long)gap->n_events);
	else
		outbuf_puts(out, "lost=unknown,");
	if (outbuf_reserve(out, 4 * strlen(gap->what) + 2))
		out->at = text_put_csv(out->at, gap->what, strlen(gap->what));
	outbuf_puts(out, ",,,,\n");
}

const struct report_format report_format_csv = {
	.name = "csv",
	.summary = "comma-separated values with a heading line",
	.begin = csv_begin,
	.event_cell = csv_event_cell,
	.context_cell = csv_context_cell,
	.event = csv_event,
	.events = csv_events,
	.gap = csv_gap,
	.has_quotes = true,
	.has_values = true,
	.keeps_skipped = true,
};
