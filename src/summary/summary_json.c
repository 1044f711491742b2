/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "summary/summary.h"

static void put_details(struct json *json, const struct rst_detail *details, size_t n_details);

static void summary_json_put_detail(struct json *json, const struct rst_detail *detail)
{
	switch (detail->type) {
	case RST_DETAIL_NUMBER:
		json_unsigned(json, detail->name, detail->number);
		break;
	case RST_DETAIL_HEX:
		json_id(json, detail->name, false, detail->number);
		break;
	case RST_DETAIL_TEXT:
		json_text(json, detail->name, detail->text);
		break;
	case RST_DETAIL_BOOL:
		json_bool(json, detail->name, detail->number != 0);
		break;
	case RST_DETAIL_NULL:
		json_null(json, detail->name);
		break;
	case RST_DETAIL_HEX_LIST:
		json_array(json, detail->name);
		for (uint64_t i = 0; i < detail->number; i++)
			json_id(json, NULL, false, detail->list[i]);
		json_end(json);
		break;
	case RST_DETAIL_GROUP:
		json_object(json, detail->name);
		put_details(json, detail->items, detail->n_items);
		json_end(json);
		break;
	}
}

static void put_details(struct json *json, const struct rst_detail *details, size_t n_details)
{
	for (size_t i = 0; i < n_details; i++)
		summary_json_put_detail(json, &details[i]);
}

static void put_counts(struct json *json, const struct summary *summary)
{
	const struct rst_type *type;

	json_object(json, "counts");
	for (size_t i = 0; i < summary->types_room && (type = rst_trace_type(summary->trace, i)) != NULL; i++)
		if (summary->types[i])
			json_unsigned(json, type->name, summary->types[i]);
	json_end(json);
	json_object(json, "contexts");
	for (size_t i = 0; i < summary->n_rows; i++)
		json_unsigned(json, summary->rows[i].name, summary->rows[i].count);
	json_end(json);
	json_object(json, "cores");
	for (size_t core = 0; core < summary->cores_room; core++) {
		char name[8];

		if (!summary->cores[core])
			continue;
		*text_put_dec(name, core) = '\0';
		json_unsigned(json, name, summary->cores[core]);
	}
	json_end(json);
}

static void summary_json_put_objects(struct json *json, const struct summary *summary)
{
	const struct rst_object *object;

	json_array(json, "objects");
	for (size_t i = 0; (object = rst_trace_object(summary->trace, i)) != NULL; i++) {
		json_object(json, NULL);
		json_text(json, "kind", rst_object_kind_name(object->kind));
		json_id(json, "id", object->is_number, object->id);
		json_text(json, "name", object->name);
		if (object->process)
			json_unsigned(json, "process", object->process);
		put_details(json, object->details, object->n_details);
		json_end(json);
	}
	json_end(json);
}

/* {"offset":600,"bytes":null,"file":"a.trx","what":"…"} */
static void put_damage_entry(
	struct json *json, uint64_t offset, uint64_t n_bytes, const char *source, const char *what)
{
	json_object(json, NULL);
	json_known(json, "offset", offset != RST_NO_OFFSET, offset);
	json_known(json, "bytes", n_bytes != 0, n_bytes);
	json_text(json, "file", source);
	json_text(json, "what", what);
	json_end(json);
}

static void summary_json_put_damage(struct json *json, const struct summary *summary)
{
	const struct rst_error *failure = &summary->failure;
	const struct rst_gap *gaps;
	size_t n_gaps;

	rst_trace_gaps(summary->trace, &gaps, &n_gaps);
	json_object(json, "loss");
	json_unsigned(json, "events", summary->n_lost);
	if (summary->n_lost_packets)
		json_unsigned(json, "packets", summary->n_lost_packets);
	json_unsigned(json, "gaps", summary->n_gaps);
	json_end(json);
	json_unsigned(json, "damages", summary->n_damages + (failure->status < 0));
	json_array(json, "damage");
	for (size_t i = 0; i < n_gaps; i++)
		if (gaps[i].marker == RST_DAMAGE)
			put_damage_entry(json, gaps[i].offset, gaps[i].n_bytes, gaps[i].source, gaps[i].what);
	if (failure->status < 0)
		put_damage_entry(json, failure->offset, 0, failure->source, failure->what);
	json_end(json);
}

static void put_clock(struct json *json, const struct rst_metadata *metadata)
{
	const uint64_t error_ns = rst_clock_error_ns(&metadata->clock);
	const char *direction = metadata->clock_direction == RST_CLOCK_DOWN ? "down" : "up";

	json_object(json, "clock");
	json_known(json, "hz", metadata->clock_hz != 0, metadata->clock_hz);
	json_known(json, "bits", metadata->clock_bits != 0, metadata->clock_bits);
	json_text(json, "direction", metadata->clock_bits ? direction : NULL);
	json_unsigned(json, "pairs", metadata->clock.n_pairs);
	json_known(json, "error_ns", error_ns != 0, error_ns);
	json_end(json);
}

/* Which part of a recording the trace is; events are numbered from 0 on. */
static void summary_json_put_part(struct json *json, const struct rst_carried *part)
{
	if (!part)
		return;
	json_object(json, "part");
	json_unsigned(json, "from", part->from);
	json_unsigned(json, "to", part->to);
	json_unsigned(json, "first_event", part->first_event);
	json_unsigned(json, "end_event", part->end_event);
	json_unsigned(json, "events", part->n_events);
	json_bool(json, "selection", part->is_selection);
	json_end(json);
}

/* Each run; of very many the first ones, and how many more there are. */
static void summary_json_put_runs(struct json *json, const struct summary *summary)
{
	const uint64_t n_more = summary->n_runs + 1 - summary->n_kept_runs;

	json_array(json, "runs");
	for (size_t i = 0; i < summary->n_kept_runs; i++) {
		const struct summary_run *run = &summary->runs[i];

		json_object(json, NULL);
		json_unsigned(json, "run", run->number);
		json_unsigned(json, "events", run->n_events);
		json_known(json, "first_ts", run->n_events != 0, run->first_ticks);
		json_known(json, "last_ts", run->n_events != 0, run->last_ticks);
		json_end(json);
	}
	json_end(json);
	if (n_more)
		json_unsigned(json, "more_runs", n_more);
}

/* The time of day of the first event. */
static void put_wall(struct json *json, const struct summary *summary, const struct rst_clock *clock)
{
	int64_t wall;

	if (summary->n_events && rst_clock_wall_ns(clock, summary->first_ticks, &wall))
		json_signed(json, "wall_ns", wall);
	else
		json_null(json, "wall_ns");
}

void summary_json(const struct summary *summary, struct outbuf *out)
{
	const struct rst_metadata *metadata = rst_trace_metadata(summary->trace);
	struct json json = { .out = out };

	json_object(&json, NULL);
	json_text(&json, "file", metadata->path);
	json_text(&json, "dialect", metadata->dialect);
	json_text(&json, "target", metadata->target);
	json_object(&json, "details");
	json_text(&json, "wrapping", metadata->wrapping[0] ? metadata->wrapping : NULL);
	put_details(&json, metadata->details, metadata->n_details);
	json_end(&json);
	put_clock(&json, metadata);
	json_unsigned(&json, "events", summary->n_events);
	json_known(&json, "first_ts", summary->n_events != 0, summary->first_ticks);
	json_known(&json, "last_ts", summary->n_events != 0, summary->last_ticks);
	summary_json_put_runs(&json, summary);
	summary_json_put_part(&json, rst_trace_carried(summary->trace));
	put_wall(&json, summary, &metadata->clock);
	if (metadata->n_symbols) {
		json_object(&json, "symbols");
		json_unsigned(&json, "addresses", metadata->n_addresses);
		json_unsigned(&json, "named", metadata->n_named);
		json_end(&json);
	}
	put_counts(&json, summary);
	summary_json_put_objects(&json, summary);
	summary_json_put_damage(&json, summary);
	json_array(&json, "notes");
	for (size_t i = 0; i < metadata->n_warnings; i++)
		json_text(&json, NULL, metadata->warnings[i]);
	json_end(&json);
	json_end(&json);
	json_line_end(&json);
}
