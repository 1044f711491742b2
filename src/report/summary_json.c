/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/text.h"
#include "report/summary.h"

/* A number, or null when it is not known. */
static void put_known(struct outbuf *out, bool is_known, uint64_t number)
{
	if (is_known)
		outbuf_printf(out, "%" PRIu64, number);
	else
		outbuf_puts(out, "null");
}

static void put_details(struct outbuf *out, const struct rst_detail *details, size_t n_details, bool is_first)
{
	for (size_t i = 0; i < n_details; i++) {
		if (!is_first || i)
			outbuf_puts(out, ",");
		outbuf_json(out, details[i].name);
		outbuf_puts(out, ":");
		summary_put_detail(out, &details[i], true);
	}
}

static void put_count(struct outbuf *out, bool *is_first, const char *name, uint64_t count)
{
	outbuf_puts(out, *is_first ? "" : ",");
	*is_first = false;
	outbuf_json(out, name);
	outbuf_printf(out, ":%" PRIu64, count);
}

static void put_counts(struct outbuf *out, const struct summary *summary)
{
	const struct rst_type *type;
	bool is_first = true;

	outbuf_puts(out, ",\"counts\":{");
	for (size_t i = 0; i < summary->types_room && (type = rst_trace_type(summary->trace, i)) != NULL; i++)
		if (summary->types[i])
			put_count(out, &is_first, type->name, summary->types[i]);
	outbuf_puts(out, "}");
}

static void put_contexts(struct outbuf *out, const struct summary *summary)
{
	bool is_first = true;

	outbuf_puts(out, ",\"contexts\":{");
	for (size_t i = 0; i < summary->n_rows; i++)
		put_count(out, &is_first, summary->rows[i].name, summary->rows[i].count);
	outbuf_puts(out, "},\"cores\":{");
	is_first = true;
	for (size_t core = 0; core < summary->cores_room; core++) {
		char name[8];

		if (!summary->cores[core])
			continue;
		*text_put_dec(name, core) = '\0';
		put_count(out, &is_first, name, summary->cores[core]);
	}
	outbuf_puts(out, "}");
}

static void put_objects(struct outbuf *out, const struct summary *summary)
{
	const struct rst_object *object;

	outbuf_puts(out, ",\"objects\":[");
	for (size_t i = 0; (object = rst_trace_object(summary->trace, i)) != NULL; i++) {
		outbuf_printf(out,
			object->is_number ? "%s{\"kind\":\"%s\",\"id\":%" PRIu64 ",\"name\":"
					  : "%s{\"kind\":\"%s\",\"id\":\"0x%" PRIx64 "\",\"name\":",
			i ? "," : "", rst_object_kind_name(object->kind), object->id);
		outbuf_json(out, object->name);
		if (object->process)
			outbuf_printf(out, ",\"process\":%" PRIu64, object->process);
		put_details(out, object->details, object->n_details, false);
		outbuf_puts(out, "}");
	}
	outbuf_puts(out, "]");
}

/* {"offset":600,"bytes":null,"file":"a.trx","what":"…"} */
static void put_damage_entry(struct outbuf *out, bool is_first, uint64_t offset, uint64_t n_bytes,
	const char *source, const char *what)
{
	outbuf_puts(out, is_first ? "{\"offset\":" : ",{\"offset\":");
	put_known(out, offset != RST_NO_OFFSET, offset);
	outbuf_puts(out, ",\"bytes\":");
	put_known(out, n_bytes != 0, n_bytes);
	outbuf_puts(out, ",\"file\":");
	outbuf_json(out, source);
	outbuf_puts(out, ",\"what\":");
	outbuf_json(out, what);
	outbuf_puts(out, "}");
}

static void put_damage(struct outbuf *out, const struct summary *summary)
{
	const struct rst_error *failure = &summary->failure;
	const struct rst_gap *gaps;
	size_t n_gaps;
	bool is_first = true;

	rst_trace_gaps(summary->trace, &gaps, &n_gaps);
	outbuf_printf(out,
		",\"loss\":{\"events\":%" PRIu64 ",\"gaps\":%" PRIu64 "},\"damages\":%" PRIu64
		",\"damage\":[",
		summary->n_lost, summary->n_gaps, summary->n_damages + (failure->status < 0));
	for (size_t i = 0; i < n_gaps; i++) {
		if (gaps[i].marker != RST_DAMAGE)
			continue;
		put_damage_entry(
			out, is_first, gaps[i].offset, gaps[i].n_bytes, gaps[i].source, gaps[i].what);
		is_first = false;
	}
	if (failure->status < 0)
		put_damage_entry(out, is_first, failure->offset, 0, failure->source, failure->what);
	outbuf_puts(out, "]");
}

static void put_notes(struct outbuf *out, const struct rst_metadata *metadata)
{
	outbuf_puts(out, ",\"notes\":[");
	for (size_t i = 0; i < metadata->n_warnings; i++) {
		outbuf_puts(out, i ? "," : "");
		outbuf_json(out, metadata->warnings[i]);
	}
	outbuf_puts(out, "]");
}

/* The time of day of the first event. */
static void put_wall(struct outbuf *out, const struct summary *summary, const struct rst_clock *clock)
{
	int64_t wall;

	if (summary->n_events && rst_clock_wall_ns(clock, summary->first_ticks, &wall))
		outbuf_printf(out, ",\"wall_ns\":%" PRId64, wall);
	else
		outbuf_puts(out, ",\"wall_ns\":null");
}

void summary_json(const struct summary *summary, struct outbuf *out)
{
	const struct rst_metadata *metadata = rst_trace_metadata(summary->trace);
	const uint64_t error_ns = rst_clock_error_ns(&metadata->clock);

	outbuf_puts(out, "{\"file\":");
	outbuf_json(out, metadata->path);
	outbuf_printf(out, ",\"dialect\":\"%s\",\"target\":", metadata->dialect);
	outbuf_json(out, metadata->target);
	outbuf_puts(out, ",\"details\":{\"wrapping\":");
	outbuf_json(out, metadata->wrapping[0] ? metadata->wrapping : NULL);
	put_details(out, metadata->details, metadata->n_details, false);
	outbuf_puts(out, "},\"clock\":{\"hz\":");
	put_known(out, metadata->clock_hz != 0, metadata->clock_hz);
	outbuf_puts(out, ",\"bits\":");
	put_known(out, metadata->clock_bits != 0, metadata->clock_bits);
	outbuf_puts(out, ",\"direction\":");
	outbuf_json(out, !metadata->clock_bits			       ? NULL
			 : metadata->clock_direction == RST_CLOCK_DOWN ? "down"
								       : "up");
	outbuf_printf(out, ",\"pairs\":%zu,\"error_ns\":", metadata->clock.n_pairs);
	put_known(out, error_ns != 0, error_ns);
	outbuf_printf(out, "},\"events\":%" PRIu64 ",\"first_ts\":", summary->n_events);
	put_known(out, summary->n_events != 0, summary->first_ticks);
	outbuf_puts(out, ",\"last_ts\":");
	put_known(out, summary->n_events != 0, summary->last_ticks);
	if (summary->n_runs)
		outbuf_printf(out, ",\"runs\":%" PRIu64, summary->n_runs + 1);
	put_wall(out, summary, &metadata->clock);
	if (metadata->n_symbols)
		outbuf_printf(out, ",\"symbols\":{\"addresses\":%" PRIu64 ",\"named\":%" PRIu64 "}",
			metadata->n_addresses, metadata->n_named);
	put_counts(out, summary);
	put_contexts(out, summary);
	put_objects(out, summary);
	put_damage(out, summary);
	put_notes(out, metadata);
	outbuf_puts(out, "}\n");
}
