/* SPDX-License-Identifier: MIT */
/*
 * JSON Lines: one object for each event, keys always in the same order, values that are absent null:
 *
 *	seq source? ts ns wall_ns? name id context{kind id name} process?{kind id name} target? interrupted?{kind id name} core
 *	depth? prio threshold? args{…} text
 *
 * Those with a question mark are there only where the event has them. Loss and damage are lines of their own
 * where they happened. Events are written by hand, because the JSON writer takes 130 instructions more for
 * each of their values.
 */
#include "base/json.h"
#include "lines/format.h"

enum { CONTEXT_ROOM = 96 }; /* of a context but for its name */

/* {"kind":"thread","id":"0x1f00","name":"low"} */
static char *format_jsonl_put_context(char *p, const struct rst_context *context)
{
	const char *kind = rst_context_kind_name(context->kind);

	p = text_put_literal(p, "{\"kind\":\"");
	p = text_put(p, kind, strlen(kind));
	p = text_put_literal(p, "\",\"id\":");
	if (!context->is_number)
		*p++ = '"';
	p = (context->is_number ? text_put_dec : text_put_hex)(p, context->id);
	if (!context->is_number)
		*p++ = '"';
	p = text_put_literal(p, ",\"name\":");
	p = context->has_name ? text_put_json(p, context->name, context->name_bytes)
			      : text_put_literal(p, "null");
	*p++ = '}';
	return p;
}

/* ,"process":{"kind":"process","id":203,"name":"server"} */
static char *put_process(char *p, const struct rst_context *context, const struct rst_object *process)
{
	p = text_put_literal(p, ",\"process\":{\"kind\":\"process\",\"id\":");
	p = text_put_dec(p, context->process);
	p = text_put_literal(p, ",\"name\":");
	p = process && process->name_bytes ? text_put_json(p, process->name, process->name_bytes)
					   : text_put_literal(p, "null");
	*p++ = '}';
	return p;
}

/* ,"target":"pi" */
static char *put_target(char *p, const char *target)
{
	p = text_put_literal(p, ",\"target\":");
	return text_put_json(p, target, strlen(target));
}

/*
 * Makes ,"context":{…} with its process and target, if it has them. An interrupt also has ,"interrupted":{…}
 */
static bool jsonl_context_cell(struct report_input *input, struct cell *cell, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row],
				 *interrupted = rst_batch_interrupted(line->batch, line->row);
	const struct rst_object *process = NULL;
	const char *target = rst_trace_metadata(input->trace)->target;
	size_t n_names = context->name_bytes + (interrupted ? interrupted->name_bytes : 0);
	char *bytes, *p;

	if (context->process)
		process = rst_trace_find_object(
			input->trace, 0, context->process, RST_OBJECT_PROCESS, line->batch->seq[line->row]);
	n_names += (process ? process->name_bytes : 0) + (target ? strlen(target) : 0);
	bytes = p = arena_alloc(&input->arena, 6 * n_names + 3 * CONTEXT_ROOM + CELL_ROOM);

	if (!bytes)
		return false;
	p = format_jsonl_put_context(text_put_literal(p, ",\"context\":"), context);
	if (context->process)
		p = put_process(p, context, process);
	if (target)
		p = put_target(p, target);
	if (interrupted)
		p = format_jsonl_put_context(text_put_literal(p, ",\"interrupted\":"), interrupted);
	cell->n_bytes = (size_t)(p - bytes);
	cell->bytes = bytes;
	return true;
}

/* ,"name":"TX_TRACE_ISR_ENTER","id":3 */
static bool jsonl_event_cell(struct report_input *input, struct plan *plan, const struct rst_layout *layout)
{
	const struct rst_type *type = layout->type;
	char *bytes = arena_alloc(&input->arena, 6 * type->name_bytes + CELL_ROOM), *p = bytes;

	if (!bytes)
		return false;
	p = text_put_literal(p, ",\"name\":");
	p = text_put_json(p, type->name, type->name_bytes);
	p = text_put_literal(p, ",\"id\":");
	p = text_put_dec(p, layout->id);
	plan->cell_bytes = (size_t)(p - bytes);
	plan->cell = bytes;
	return true;
}

static char *format_jsonl_put_head(struct report *report, const struct report_line *line, char *p)
{
	const struct times *times = &line->input->times;
	uint64_t ticks = line->batch->ticks[line->row];
	int64_t wall;

	p = text_put_literal(p, "{\"seq\":");
	p = text_put_dec_over(p, report->seq);
	if (report->options.has_sources) {
		p = text_put_literal(p, ",\"source\":");
		p = text_put_dec(p, line->input->source);
	}
	p = text_put_literal(p, ",\"ts\":");
	p = text_put_dec_over(p, ticks);
	p = text_put_literal(p, ",\"ns\":");
	if (!times->hz)
		return text_put_literal(p, "null");
	p = text_put_dec_over(p, times_ns(times, ticks));
	if (times->clock.n_pairs && rst_clock_wall_ns(&times->clock, ticks, &wall)) {
		p = text_put_literal(p, ",\"wall_ns\":");
		p = text_put_signed(p, wall);
	}
	return p;
}

static char *put_core_and_priority(char *p, const struct rst_batch *batch, size_t row)
{
	const uint16_t core = rst_batch_core(batch, row);
	const uint8_t depth = rst_batch_depth(batch, row);
	const int16_t priority = rst_batch_priority(batch, row), threshold = rst_batch_threshold(batch, row);

	p = text_put_literal(p, ",\"core\":");
	p = core == RST_NO_CORE ? text_put_literal(p, "null") : text_put_dec_over(p, core);
	if (depth) {
		p = text_put_literal(p, ",\"depth\":");
		p = text_put_dec_over(p, depth);
	}
	p = text_put_literal(p, ",\"prio\":");
	p = priority == RST_NO_PRIORITY ? text_put_literal(p, "null") : text_put_signed(p, priority);
	if (threshold != RST_NO_PRIORITY) {
		p = text_put_literal(p, ",\"threshold\":");
		p = text_put_signed(p, threshold);
	}
	return p;
}

/* Each field begins with a comma; the first one's gives its place to the brace. */
char *jsonl_put_fields(const struct value_source *from, char *p, const struct plan *plan)
{
	const size_t start = value_position(from, p);

	p = plan_put_fields(from, p, plan, true);
	p += value_position(from, p) == start;
	from->out->start[start] = '{';
	*p++ = '}';
	return p;
}

static char *jsonl_event(struct report *report, const struct report_line *line, char *p)
{
	const struct rst_batch *batch = line->batch;

	p = format_jsonl_put_head(report, line, p);
	p = cell_put(p, line->plan->cell, line->plan->cell_bytes);
	p = cell_put(p, line->context->bytes, line->context->n_bytes);
	p = put_core_and_priority(p, batch, line->row);
	p = text_put_literal(p, ",\"args\":");
	p = jsonl_put_fields(&line->values, p, line->plan);
	p = text_put_literal(p, ",\"text\":\"");
	size_t text = value_position(&line->values, p);

	p = value_quote(&line->values, text, plan_put_text(line, p), &quoting_json);
	return text_put_literal(p, "}\n");
}

static size_t jsonl_events(struct report_line *line, const uint16_t *rows, size_t n_rows)
{
	return lines_put(&report_format_jsonl, line, rows, n_rows, jsonl_event);
}

static void jsonl_gap(struct report *report, const struct report_line *line, const struct rst_gap *gap)
{
	const char *target = rst_trace_metadata(line->input->trace)->target;
	const uint64_t ticks = line->batch->ticks[line->row];
	struct json json = { .out = report->out };

	json_object(&json, NULL);
	if (gap->marker == RST_DAMAGE) {
		json_object(&json, "damage");
		json_unsigned(&json, "offset", gap->offset);
		json_known(&json, "bytes", gap->n_bytes != 0, gap->n_bytes);
		json_text(&json, "what", gap->what);
		json_end(&json);
	} else if (gap->marker == RST_RUN) {
		json_unsigned(&json, "run", gap->n_events);
		json_known(&json, "ts", line->input->is_started, ticks);
		json_text(&json, "what", gap->what);
	} else {
		json_known(&json, "lost", gap->n_events != 0, gap->n_events);
		if (gap->n_packets)
			json_unsigned(&json, "packets", gap->n_packets);
		json_known(&json, "ts", line->input->is_started, ticks);
	}
	if (report->options.has_sources)
		json_unsigned(&json, "source", line->input->source);
	if (target)
		json_text(&json, "target", target);
	json_end(&json);
	json_line_end(&json);
}

const struct report_format report_format_jsonl = {
	.name = "jsonl",
	.summary = "JSON Lines: one object for each event",
	.event_cell = jsonl_event_cell,
	.context_cell = jsonl_context_cell,
	.event = jsonl_event,
	.events = jsonl_events,
	.gap = jsonl_gap,
	.has_interrupted = true,
	.has_values = true,
	.keeps_skipped = true,
};
