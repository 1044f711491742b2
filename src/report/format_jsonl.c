/* SPDX-License-Identifier: MIT */
/*
 * JSON Lines: one object for each event, keys always in the same order, facts that are absent null:
 *
 *	seq source? ts ns name id context{kind id name} core prio args{…} text
 *
 * Loss and damage are lines of their own where they happened.
 */
#include "base/text.h"
#include "report/report.h"

/* ,"context":{"kind":"thread","id":"0x1f00","name":"low"} */
static bool jsonl_context_cell(struct report *report, struct cell *cell, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row];
	const char *kind = rst_context_kind_name(context->kind);
	char *bytes, *p;

	bytes = p = arena_alloc(&report->arena, 6 * context->name_bytes + 96);
	if (!bytes)
		return false;
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
	return true;
}

/* ,"name":"TX_TRACE_ISR_ENTER","id":3 */
static bool jsonl_event_cell(struct report *report, struct plan *plan, const struct rst_type *type)
{
	char *bytes = arena_alloc(&report->arena, 6 * type->name_bytes + CELL_PIECE), *p = bytes;

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

static char *jsonl_event(struct report *report, const struct report_line *line, char *p)
{
	const struct rst_batch *batch = line->batch;

	p = put_head(report, p, batch->ticks[line->row]);
	p = cell_put(p, line->plan->cell, line->plan->cell_bytes);
	p = cell_put(p, line->context->bytes, line->context->n_bytes);
	p = put_core_and_priority(p, batch->core[line->row], batch->priority[line->row]);
	p = put_args(&line->values, p, line->plan);
	p = text_put_literal(p, ",\"text\":\"");
	size_t text = value_position(&line->values, p);

	p = value_quote(&line->values, text, plan_put_text(line, p), &quoting_json);
	return text_put_literal(p, "}\n");
}

/* ,"bytes":12, or null for a number that is not known. */
static void put_known(struct outbuf *out, const char *key, bool is_known, uint64_t number)
{
	outbuf_puts(out, key);
	if (is_known)
		outbuf_printf(out, "%llu", (unsigned long long)number);
	else
		outbuf_puts(out, "null");
}

static void jsonl_gap(struct report *report, const struct report_line *line, const struct rst_gap *gap)
{
	struct outbuf *out = report->out;

	if (gap->marker == RST_DAMAGE) {
		put_known(out, "{\"damage\":{\"offset\":", true, gap->offset);
		put_known(out, ",\"bytes\":", gap->n_bytes != 0, gap->n_bytes);
		outbuf_puts(out, ",\"what\":");
		outbuf_json(out, gap->what);
		outbuf_puts(out, "}");
	} else {
		put_known(out, "{\"lost\":", gap->n_events != 0, gap->n_events);
		put_known(out, ",\"ts\":", report->is_started, line->batch->ticks[line->row]);
	}
	if (report->has_sources)
		outbuf_printf(out, ",\"source\":%u", report->source);
	outbuf_puts(out, "}\n");
}

const struct report_format report_format_jsonl = {
	.name = "jsonl",
	.summary = "JSON Lines: one object for each event",
	.event_cell = jsonl_event_cell,
	.context_cell = jsonl_context_cell,
	.event = jsonl_event,
	.gap = jsonl_gap,
	.keeps_skipped = true,
};
