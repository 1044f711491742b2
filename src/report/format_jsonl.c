/* SPDX-License-Identifier: MIT */
/*
 * JSON Lines: one object for each event, keys always in the same order, facts that are absent null:
 *
 *	seq source? ts ns name id context{kind id name} core prio args{…} text
 *
 * Loss and damage are lines of their own where they happened.
 */
#include "base/text.h"
#include "report/value.h"

/* ,"context":{"kind":"thread","id":"0x1f00","name":"low"} */
static const struct cell *context_cell(struct report *report, const struct rst_context *context)
{
	struct cell *cell = plan_cell(report, context, false);
	const char *kind = rst_context_kind_name(context->kind);
	char *bytes, *p;

	if (!cell || cell->bytes)
		return cell;
	bytes = p = arena_alloc(&report->arena, 6 * context->name_bytes + 96);
	if (!bytes)
		return NULL;
	p = text_put_literal(p, ",\"context\":{\"kind\":\"");
	p = text_put(p, kind, strlen(kind));
	p = text_put_literal(p, "\",\"id\":\"");
	p = text_put_hex(p, context->id);
	p = text_put_literal(p, "\",\"name\":");
	p = context->has_name ? text_put_json(p, context->name, context->name_bytes)
			      : text_put_literal(p, "null");
	*p++ = '}';
	cell->n_bytes = (size_t)(p - bytes);
	cell->bytes = bytes;
	return cell;
}

/* ,"name":"TX_TRACE_ISR_ENTER","id":3 */
static bool event_cell(struct report *report, struct plan *plan, const struct rst_type *type)
{
	char *bytes = arena_alloc(&report->arena, 6 * type->name_bytes + 64), *p = bytes;

	if (!bytes)
		return false;
	p = text_put_literal(p, ",\"name\":");
	p = text_put_json(p, type->name, type->name_bytes);
	p = text_put_literal(p, ",\"id\":");
	p = text_put_dec(p, type->id);
	plan->cell_bytes = (size_t)(p - bytes);
	plan->cell = bytes;
	return true;
}

static char *put_head(struct report *report, char *p, uint64_t ticks)
{
	p = text_put_literal(p, "{\"seq\":");
	p = text_put_dec(p, report->seq);
	if (report->has_sources) {
		p = text_put_literal(p, ",\"source\":");
		p = text_put_dec(p, report->source);
	}
	p = text_put_literal(p, ",\"ts\":");
	p = text_put_dec(p, ticks);
	p = text_put_literal(p, ",\"ns\":");
	if (!report->times.hz)
		return text_put_literal(p, "null");
	return text_put_dec(p, times_ns(&report->times, ticks));
}

static char *put_core_and_priority(char *p, uint16_t core, int16_t priority)
{
	p = text_put_literal(p, ",\"core\":");
	p = core == RST_NO_CORE ? text_put_literal(p, "null") : text_put_dec(p, core);
	p = text_put_literal(p, ",\"prio\":");
	return priority == RST_NO_PRIORITY ? text_put_literal(p, "null") : text_put_signed(p, priority);
}

/*
 * Makes the text since start, behind an opening quote, a JSON string. Names are clean, so only quotes and backslashes
 * can need escaping; they are rare, and most texts stay as they are.
 */
static char *escape(const struct value_source *from, size_t start, char *end)
{
	struct outbuf *out = from->out;
	char *text = out->start + start, *raw;
	size_t n = (size_t)(end - text);

	if (memchr(text, '"', n) || memchr(text, '\\', n)) {
		out->at = end;
		if (!outbuf_extend(out, 7 * n + from->room_after))
			return out->start + start;
		text = out->start + start;
		raw = memmove(text + 6 * n, text, n);
		return text_put_json(text - 1, raw, n);
	}
	*end++ = '"';
	return end;
}

static char *put_args(const struct value_source *from, char *p, const struct plan *plan)
{
	p = text_put_literal(p, ",\"args\":{");
	for (unsigned i = 0; i < plan->n_fields; i++) {
		p = text_put_short(p, plan->fields[i].json_lead, plan->fields[i].json_lead_bytes);
		p = value_put_json(from, p, plan->fields[i].field);
	}
	*p++ = '}';
	return p;
}

/* Where in the buffer p is: good also after the buffer has moved. */
static size_t position(const struct report *report, const char *p)
{
	return (size_t)(p - report->out->start);
}

static bool jsonl_event(struct report *report, const struct rst_batch *batch, size_t row)
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

	p = text_put(p, plan->cell, plan->cell_bytes);
	p = text_put(p, context->bytes, context->n_bytes);
	p = put_core_and_priority(p, batch->core[row], batch->priority[row]);
	p = put_args(&from, p, plan);
	p = text_put_literal(p, ",\"text\":\"");
	size_t text = position(report, p);

	p = escape(&from, text, value_put_all(&from, p, plan));
	p = text_put_literal(p, "}\n");
	report->out->at = p;
	return true;
}

static void jsonl_gap(struct report *report, const struct rst_batch *batch, size_t row)
{
	const struct rst_gap *gap = (const struct rst_gap *)(const void *)batch->payload[row];
	struct outbuf *out = report->out;

	if (batch->type[row]->marker == RST_DAMAGE) {
		outbuf_printf(out, "{\"damage\":{\"offset\":%llu,\"bytes\":%llu,\"what\":",
			(unsigned long long)gap->offset, (unsigned long long)gap->n_bytes);
		outbuf_json(out, gap->what);
		outbuf_puts(out, "}");
	} else {
		outbuf_puts(out, "{\"lost\":");
		if (gap->n_events)
			outbuf_printf(out, "%llu", (unsigned long long)gap->n_events);
		else
			outbuf_puts(out, "null");
		outbuf_printf(out, ",\"ts\":%llu", (unsigned long long)batch->ticks[row]);
	}
	if (report->has_sources)
		outbuf_printf(out, ",\"source\":%u", report->source);
	outbuf_puts(out, "}\n");
}

static bool jsonl_rows(
	struct report *report, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		if (batch->type[rows[i]]->marker != RST_EVENT) {
			jsonl_gap(report, batch, rows[i]);
			continue;
		}
		if (!jsonl_event(report, batch, rows[i]))
			return false;
		report->seq++;
	}
	return true;
}

const struct report_format report_format_jsonl = {
	.name = "jsonl",
	.summary = "JSON Lines: one object for each event",
	.rows = jsonl_rows,
};
