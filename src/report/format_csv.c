/* SPDX-License-Identifier: MIT */
/*
 * CSV after RFC 4180, one heading line. `args` has the fields as recorded ("queue_ptr=0x1f00;enqueued=3"), `text` has
 * them as people read them. Loss and damage are rows of the name LOST or DAMAGE, with the reason as text.
 */
#include "base/text.h"
#include "report/value.h"

static bool csv_begin(struct report *report)
{
	outbuf_puts(report->out, report->has_sources ? "seq,source," : "seq,");
	outbuf_puts(report->out,
		"ts,ns,name,id,context_kind,context_id,context_name,core,prio,threshold,args,text\n");
	return true;
}

/* thread,0x1f00,low */
static const struct cell *context_cell(struct report *report, const struct rst_context *context)
{
	struct cell *cell = plan_cell(report, context, false);
	const char *kind = rst_context_kind_name(context->kind);
	char *bytes, *p;

	if (!cell || cell->bytes)
		return cell;
	bytes = p = arena_alloc(&report->arena, 2 * context->name_bytes + 64);
	if (!bytes)
		return NULL;
	p = text_put(p, kind, strlen(kind));
	*p++ = ',';
	p = text_put_hex(p, context->id);
	*p++ = ',';
	if (context->has_name)
		p = text_put_csv(p, context->name, context->name_bytes);
	cell->n_bytes = (size_t)(p - bytes);
	cell->bytes = bytes;
	return cell;
}

static bool event_cell(struct report *report, struct plan *plan, const struct rst_type *type)
{
	char *bytes = arena_alloc(&report->arena, 2 * type->name_bytes + 32), *p = bytes;

	if (!bytes)
		return false;
	p = text_put_csv(p, type->name, type->name_bytes);
	*p++ = ',';
	p = text_put_dec(p, type->id);
	plan->cell_bytes = (size_t)(p - bytes);
	plan->cell = bytes;
	return true;
}

static char *put_head(struct report *report, char *p, uint64_t ticks)
{
	p = text_put_dec(p, report->seq);
	*p++ = ',';
	if (report->has_sources) {
		p = text_put_dec(p, report->source);
		*p++ = ',';
	}
	p = text_put_dec(p, ticks);
	*p++ = ',';
	if (report->times.hz)
		p = text_put_dec(p, times_ns(&report->times, ticks));
	*p++ = ',';
	return p;
}

static char *put_optional(char *p, bool is_there, int64_t number)
{
	*p++ = ',';
	return is_there ? text_put_signed(p, number) : p;
}

/*
 * Makes the text since start, behind an opening quote, a quoted field. Quotes within are rare; then each is doubled.
 */
static char *quote(const struct value_source *from, size_t start, char *end)
{
	struct outbuf *out = from->out;
	char *text = out->start + start, *raw;
	size_t n = (size_t)(end - text);

	if (memchr(text, '"', n)) {
		out->at = end;
		if (!outbuf_extend(out, 3 * n + from->room_after))
			return out->start + start;
		text = out->start + start;
		raw = memmove(text + 2 * n, text, n);
		return text_put_csv(text - 1, raw, n);
	}
	*end++ = '"';
	return end;
}

/* Names of fields are put as they are; a value that is text is a JSON string. */
static char *put_args(const struct value_source *from, char *p, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_fields; i++) {
		const struct rst_field *field = plan->fields[i].field;

		if (i)
			*p++ = ';';
		p = text_put(p, field->name, strlen(field->name));
		*p++ = '=';
		p = field->type == RST_OBJECT || field->type == RST_ADDRESS
			    ? text_put_hex(p, rst_field_number(field, from->payload, from->payload_bytes))
			    : value_put_json(from, p, field);
	}
	return p;
}

static bool csv_event(struct report *report, const struct rst_batch *batch, size_t row)
{
	const struct rst_type *type = batch->type[row];
	const struct plan *plan = plan_of(report, type);
	const struct cell *context = context_cell(report, batch->context[row]);

	if (!plan || !context || (!plan->cell && !event_cell(report, report->plans[type->index], type)))
		return false;
	if (!outbuf_reserve(report->out, plan->room + context->n_bytes + plan->cell_bytes))
		return true;
	const struct value_source from = { .out = report->out,
		.trace = report->trace,
		.payload = batch->payload[row],
		.payload_bytes = batch->payload_bytes[row],
		.place = batch->place[row],
		.room_after = plan->room };
	char *p = put_head(report, report->out->at, batch->ticks[row]);
	size_t start;

	p = text_put(p, plan->cell, plan->cell_bytes);
	*p++ = ',';
	p = text_put(p, context->bytes, context->n_bytes);
	p = put_optional(p, batch->core[row] != RST_NO_CORE, batch->core[row]);
	p = put_optional(p, batch->priority[row] != RST_NO_PRIORITY, batch->priority[row]);
	p = put_optional(p, batch->threshold[row] != RST_NO_PRIORITY, batch->threshold[row]);
	p = text_put_literal(p, ",\"");
	start = (size_t)(p - report->out->start);
	p = quote(&from, start, put_args(&from, p, plan));
	p = text_put_literal(p, ",\"");
	start = (size_t)(p - report->out->start);
	p = quote(&from, start, value_put_all(&from, p, plan));
	*p++ = '\n';
	report->out->at = p;
	return true;
}

static void csv_gap(struct report *report, const struct rst_batch *batch, size_t row)
{
	const struct rst_gap *gap = (const struct rst_gap *)(const void *)batch->payload[row];
	struct outbuf *out = report->out;
	bool is_damage = batch->type[row]->marker == RST_DAMAGE;

	outbuf_puts(out, ",");
	if (report->has_sources)
		outbuf_printf(out, "%u,", report->source);
	outbuf_printf(out, "%llu,,%s,,,,,,,,", (unsigned long long)batch->ticks[row],
		is_damage ? "DAMAGE" : "LOST");
	if (is_damage)
		outbuf_printf(out, "offset=%llu;bytes=%llu,", (unsigned long long)gap->offset,
			(unsigned long long)gap->n_bytes);
	else if (gap->n_events)
		outbuf_printf(out, "lost=%llu,", (unsigned long long)gap->n_events);
	else
		outbuf_puts(out, "lost=unknown,");
	if (outbuf_reserve(out, 2 * strlen(gap->what) + 2))
		out->at = text_put_csv(out->at, gap->what, strlen(gap->what));
	outbuf_puts(out, "\n");
}

static bool csv_rows(
	struct report *report, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		if (batch->type[rows[i]]->marker != RST_EVENT) {
			csv_gap(report, batch, rows[i]);
			continue;
		}
		if (!csv_event(report, batch, rows[i]))
			return false;
		report->seq++;
	}
	return true;
}

const struct report_format report_format_csv = {
	.name = "csv",
	.summary = "comma-separated values with a heading line",
	.begin = csv_begin,
	.rows = csv_rows,
};
