/* SPDX-License-Identifier: MIT */
/*
 * The output of `rastrum info` for people: the kind of the trace and whether it is complete; counts by
 * context and by event; the objects; and last the header's metadata in the format's own terms.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/text.h"
#include "model/clock.h"
#include "summary/summary.h"

enum { LINE_WIDTH = 80, NAME_MAX_WIDTH = 32, TYPE_MAX_WIDTH = 40, PLACES_MAX = 5, RUNS_MAX = 20 };

static const char *plural_end(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* "thread           " */
static void put_padded(struct outbuf *out, const char *text, size_t width)
{
	size_t columns = text_columns(text, strlen(text));

	outbuf_printf(out, "%s%*s", text, columns < width ? (int)(width - columns) : 0, "");
}

static size_t width_grow(size_t width, const char *text, size_t max)
{
	size_t columns = text_columns(text, strlen(text));

	if (columns > max)
		columns = max;
	return columns > width ? columns : width;
}

/* --- details -------------------------------------------------------------------------------------------- */

static void summary_words_put_detail(struct outbuf *out, const struct rst_detail *detail)
{
	switch (detail->type) {
	case RST_DETAIL_NUMBER:
		outbuf_printf(out, "%" PRIu64, detail->number);
		break;
	case RST_DETAIL_HEX:
		outbuf_printf(out, "0x%" PRIx64, detail->number);
		break;
	case RST_DETAIL_TEXT:
		outbuf_clean(out, detail->text);
		break;
	case RST_DETAIL_BOOL:
		outbuf_puts(out, detail->number ? "yes" : "no");
		break;
	case RST_DETAIL_NULL:
		outbuf_puts(out, "not known");
		break;
	case RST_DETAIL_HEX_LIST:
		for (uint64_t i = 0; i < detail->number; i++)
			outbuf_printf(out, "%s0x%" PRIx64, i ? " " : "", detail->list[i]);
		break;
	case RST_DETAIL_GROUP:
		for (size_t i = 0; i < detail->n_items; i++) {
			outbuf_printf(out, "%s%s ", i ? ", " : "", detail->items[i].name);
			summary_words_put_detail(out, &detail->items[i]);
		}
		break;
	}
}

/* --- lists of counts ------------------------------------------------------------------------------------ */

struct counted {
	const char *name;
	const char *label;
	uint64_t count;
};

static int by_count(const void *a, const void *b)
{
	const struct counted *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return strcmp(left->name, right->name);
}

static void put_list(struct outbuf *out, const char *title, struct counted *list, size_t n, uint64_t n_all)
{
	size_t width = 0;

	qsort(list, n, sizeof(*list), by_count);
	outbuf_printf(out, "\n%s (%zu)\n", title, n);
	for (size_t i = 0; i < n; i++)
		width = width_grow(width, list[i].name, TYPE_MAX_WIDTH);
	for (size_t i = 0; i < n; i++) {
		outbuf_printf(out, "%10" PRIu64 " %5.1f %%  ", list[i].count,
			100.0 * (double)list[i].count / (double)n_all);
		put_padded(out, list[i].name, list[i].label[0] ? width + 2 : 0);
		outbuf_printf(out, "%s\n", list[i].label);
	}
}

static void put_types(struct outbuf *out, const struct summary *summary)
{
	struct counted *list = calloc(summary->types_room + 1, sizeof(*list));
	const struct rst_type *type;
	size_t n = 0;

	for (size_t i = 0; list && i < summary->types_room; i++) {
		type = rst_trace_type(summary->trace, i);
		if (type && summary->types[i])
			list[n++] = (struct counted){ type->name, type->label, summary->types[i] };
	}
	if (list)
		put_list(out, "Events by type", list, n, summary->n_events);
	else
		out->error = ENOMEM;
	free(list);
}

static void put_contexts(struct outbuf *out, const struct summary *summary)
{
	struct counted *list = calloc(summary->n_rows + 1, sizeof(*list));

	for (size_t i = 0; list && i < summary->n_rows; i++)
		list[i] = (struct counted){ summary->rows[i].name, "", summary->rows[i].count };
	if (list)
		put_list(out, "Events by thread", list, summary->n_rows, summary->n_events);
	else
		out->error = ENOMEM;
	free(list);
}

/*
 * Counts threads that are known by the address of their control block. The symbols of a program may name
 * them.
 */
static void put_unnamed(struct outbuf *out, const struct summary *summary)
{
	const struct rst_metadata *metadata = rst_trace_metadata(summary->trace);
	size_t n = 0;

	for (size_t i = 0; i < summary->n_rows; i++) {
		const struct rst_context *context = summary->rows[i].context;

		n += context->kind == RST_CONTEXT_THREAD && !context->has_name && !context->is_number;
	}
	if (n && !metadata->n_symbols)
		outbuf_printf(out,
			"%zu without a name: --symbols PROGRAM names those that are variables of it\n", n);
}

/* --- details of the format ------------------------------------------------------------------------------ */

enum { ID_ROOM = TEXT_DEC_MAX + 1 };

struct widths {
	size_t kind, id, name;
};

static const char *object_name(const struct rst_object *object)
{
	return object->name && object->name_bytes ? object->name : "(no name)";
}

static const char *object_id(const struct rst_object *object, char id[ID_ROOM])
{
	*(object->is_number ? text_put_dec : text_put_hex)(id, object->id) = '\0';
	return id;
}

/*
 * Moves the text from offset start on to a line of its own, below column indent, if it does not fit the line
 * that is written up to *column. The text begins with n_blanks blanks; the line break replaces them.
 */
static void items_fold(struct outbuf *out, size_t start, size_t n_blanks, size_t *column, size_t indent)
{
	size_t n;

	if ((size_t)(out->at - out->start) < start) /* it has been written out */
		return;
	n = text_columns(out->start + start, (size_t)(out->at - out->start) - start);
	if (*column > indent && *column + n > LINE_WIDTH && outbuf_reserve(out, indent + 1)) {
		char *text = out->start + start + n_blanks;
		size_t n_text = (size_t)(out->at - text);

		memmove(out->start + start + 1 + indent, text, n_text);
		out->start[start] = '\n';
		memset(out->start + start + 1, ' ', indent);
		out->at = out->start + start + 1 + indent + n_text;
		*column = indent;
		n -= n_blanks;
	}
	*column += n;
}

/* The columns of words: kind, id, name, then details of the object in the format's own terms. */
static void put_object(struct outbuf *out, const struct rst_object *object, const struct widths *widths)
{
	const size_t indent = 2 + widths->kind + 2 + widths->id + 2 + 2;
	size_t column = indent - 2 + widths->name;
	bool has_details = false;
	char id[ID_ROOM];

	for (size_t k = 0; k < object->n_details; k++)
		has_details |= !object->details[k].is_raw;
	outbuf_puts(out, "  ");
	put_padded(out, rst_object_kind_name(object->kind), widths->kind + 2);
	put_padded(out, object_id(object, id), widths->id + 2);
	put_padded(out, object_name(object), has_details ? widths->name : 0);
	for (size_t k = 0; k < object->n_details; k++) {
		const struct rst_detail *detail = &object->details[k];

		size_t start = (size_t)(out->at - out->start);

		if (detail->is_raw)
			continue;
		outbuf_printf(out, "  %s ", detail->name);
		summary_words_put_detail(out, detail);
		items_fold(out, start, 2, &column, indent);
	}
	outbuf_puts(out, "\n");
}

static void summary_words_put_objects(struct outbuf *out, const struct summary *summary)
{
	const struct rst_object *object;
	struct widths widths = { 0 };
	char id[ID_ROOM];
	size_t n = 0;

	for (; (object = rst_trace_object(summary->trace, n)) != NULL; n++) {
		widths.kind = width_grow(widths.kind, rst_object_kind_name(object->kind), NAME_MAX_WIDTH);
		widths.id = width_grow(widths.id, object_id(object, id), NAME_MAX_WIDTH);
		widths.name = width_grow(widths.name, object_name(object), NAME_MAX_WIDTH);
	}
	if (n)
		outbuf_printf(out, "\nObjects (%zu)\n", n);
	for (size_t i = 0; i < n; i++)
		put_object(out, rst_trace_object(summary->trace, i), &widths);
}

/* Details under one name stand one behind the other, as many on a line as fit. */
static void put_group(struct outbuf *out, const struct rst_detail *group, size_t indent)
{
	size_t column = indent;

	for (size_t i = 0; i < group->n_items; i++) {
		const struct rst_detail *item = &group->items[i];
		size_t start = (size_t)(out->at - out->start);

		outbuf_printf(out, "%s%s ", i ? " " : "", item->name);
		summary_words_put_detail(out, item);
		outbuf_puts(out, i + 1 < group->n_items ? "," : "");
		items_fold(out, start, i ? 1 : 0, &column, indent);
	}
}

static void put_header(struct outbuf *out, const struct rst_metadata *metadata)
{
	size_t width = 0;

	if (metadata->n_details)
		outbuf_puts(out, "\nHeader\n");
	for (size_t i = 0; i < metadata->n_details; i++)
		width = width_grow(width, metadata->details[i].name, NAME_MAX_WIDTH);
	for (size_t i = 0; i < metadata->n_details; i++) {
		const struct rst_detail *detail = &metadata->details[i];

		outbuf_puts(out, "  ");
		put_padded(out, detail->name, width + 2);
		if (detail->type == RST_DETAIL_GROUP && outbuf_reserve(out, 4096))
			put_group(out, detail, width + 4);
		else
			summary_words_put_detail(out, detail);
		outbuf_puts(out, "\n");
	}
}

/* --- what it is ----------------------------------------------------------------------------------------- */

static void put_time(struct outbuf *out, const struct summary *summary, const struct rst_metadata *metadata)
{
	uint64_t span = summary->last_ticks - summary->first_ticks;
	const char *direction = metadata->clock_direction == RST_CLOCK_DOWN ? "down" : "up";

	if (metadata->clock_hz)
		outbuf_printf(out, "clock       %" PRIu64 " Hz, %u bits, counts %s\n", metadata->clock_hz,
			metadata->clock_bits, direction);
	else
		outbuf_printf(out, "clock       %u bits, counts %s; frequency not recorded (--clock-hz N)\n",
			metadata->clock_bits, direction);
	if (!summary->n_events)
		return;
	outbuf_puts(out, "time        ");
	if (metadata->clock_hz && outbuf_reserve(out, TEXT_DURATION_MAX)) {
		out->at = text_put_duration(out->at, clock_ns(span, metadata->clock_hz));
		outbuf_puts(out, ", ");
	}
	outbuf_printf(out, "%" PRIu64 " tick%s, from %" PRIu64 " to %" PRIu64 "\n", span, plural_end(span),
		summary->first_ticks, summary->last_ticks);
}

/* "            2: 6 events, ticks 1000051 to 1000101" */
static void put_run(struct outbuf *out, const struct summary_run *run)
{
	outbuf_printf(out, "            %" PRIu64 ": %" PRIu64 " event%s", run->number, run->n_events,
		plural_end(run->n_events));
	if (run->n_events)
		outbuf_printf(out, ", ticks %" PRIu64 " to %" PRIu64, run->first_ticks, run->last_ticks);
	outbuf_puts(out, "\n");
}

/* How much time is between runs is not known. */
static void put_runs(struct outbuf *out, const struct summary *summary)
{
	const uint64_t n_all = summary->n_runs + 1,
		       n_shown = summary->n_kept_runs < RUNS_MAX ? summary->n_kept_runs : RUNS_MAX;

	if (!summary->n_runs)
		return;
	outbuf_printf(out,
		"runs        %" PRIu64 ", each directly behind the one before; how much time was "
		"between is not known\n",
		n_all);
	for (size_t i = 0; i < n_shown; i++)
		put_run(out, &summary->runs[i]);
	if (n_all > n_shown)
		outbuf_printf(out, "            … and %" PRIu64 " more\n", n_all - n_shown);
}

/* "part        ticks 20 to 90 of a recording, events 4 to 31 of 96; it carries the states of the whole" */
static void summary_words_put_part(struct outbuf *out, const struct rst_carried *part)
{
	if (!part)
		return;
	outbuf_printf(
		out, "part        ticks %" PRIu64 " to %" PRIu64 " of a recording, ", part->from, part->to);
	if (part->end_event == part->first_event)
		outbuf_printf(out, "none of its %" PRIu64 " events", part->n_events);
	else
		outbuf_printf(out, "%sevents %" PRIu64 " to %" PRIu64 " of %" PRIu64,
			part->is_selection ? "some of the " : "", part->first_event + 1, part->end_event,
			part->n_events);
	outbuf_puts(out, "; it carries the states that the whole shows\n");
}

/* "date        2026-11-21T09:03:52.000000005Z, to 54 ns (2 clock pairs)": of the first event. */
static void put_date(struct outbuf *out, const struct summary *summary, const struct rst_clock *clock)
{
	const uint64_t error_ns = rst_clock_error_ns(clock);
	int64_t wall;

	if (!summary->n_events || !rst_clock_wall_ns(clock, summary->first_ticks, &wall) ||
		!outbuf_reserve(out, CALENDAR_MAX + TEXT_DURATION_MAX))
		return;
	outbuf_puts(out, "date        ");
	out->at = calendar_put_utc_ns(out->at, wall);
	if (error_ns) {
		outbuf_puts(out, ", to ");
		out->at = text_put_duration(out->at, error_ns);
	}
	outbuf_printf(out, " (%zu clock pair%s%s)\n", clock->n_pairs, plural_end(clock->n_pairs),
		error_ns	      ? ""
		: clock->n_pairs == 1 ? "; its error is not recorded"
				      : "; their error is not recorded");
}

static void put_loss(struct outbuf *out, const struct summary *summary)
{
	if (!summary->n_gaps)
		outbuf_puts(out, "loss        none\n");
	else if (summary->n_lost)
		outbuf_printf(out, "loss        %s%" PRIu64 " event%s lost, in %" PRIu64 " place%s\n",
			summary->n_unknown ? "at least " : "", summary->n_lost, plural_end(summary->n_lost),
			summary->n_gaps, plural_end(summary->n_gaps));
	else
		outbuf_printf(out, "loss        an unknown number of events, in %" PRIu64 " place%s\n",
			summary->n_gaps, plural_end(summary->n_gaps));
}

/* source NULL: the file that the words are about. */
static void summary_words_put_damage(
	struct outbuf *out, const char *source, uint64_t offset, uint64_t n_bytes, const char *what)
{
	outbuf_puts(out, "damage      ");
	if (source) {
		outbuf_clean(out, source);
		outbuf_puts(out, offset != RST_NO_OFFSET ? ", " : ": ");
	}
	if (offset != RST_NO_OFFSET)
		outbuf_printf(out, "byte %" PRIu64 ": ", offset);
	outbuf_clean(out, what);
	if (n_bytes)
		outbuf_printf(out, " (%" PRIu64 " byte%s)", n_bytes, plural_end(n_bytes));
	outbuf_puts(out, "\n");
}

/* Many damages: how many of which kind, and where the first of them are. */
static void put_kinds(
	struct outbuf *out, const struct summary *summary, const struct rst_gap *gaps, size_t n_kept)
{
	unsigned n_places = 0;

	outbuf_printf(out, "damage      %" PRIu64 " places, %" PRIu64 " byte%s: ", summary->n_damages,
		summary->n_damage_bytes, plural_end(summary->n_damage_bytes));
	for (unsigned i = 0; i < summary->n_kinds; i++) {
		outbuf_puts(out, i ? ", " : "");
		outbuf_clean(out, summary->kinds[i].what);
		outbuf_printf(out, " (%" PRIu64 ")", summary->kinds[i].count);
	}
	if (summary->n_other_damages)
		outbuf_printf(out, ", others (%" PRIu64 ")", summary->n_other_damages);
	outbuf_puts(out, "\n            at bytes ");
	for (size_t i = 0; i < n_kept && n_places < PLACES_MAX; i++)
		if (gaps[i].marker == RST_DAMAGE)
			outbuf_printf(out, "%s%" PRIu64, n_places++ ? ", " : "", gaps[i].offset);
	outbuf_puts(out, " …; `rastrum report` has each at its place\n");
}

static void put_gaps(struct outbuf *out, const struct summary *summary, const struct rst_metadata *metadata)
{
	const struct rst_error *failure = &summary->failure;
	const struct rst_gap *gaps;
	size_t n_kept;

	rst_trace_gaps(summary->trace, &gaps, &n_kept);
	put_loss(out, summary);
	if (!rst_trace_is_damaged(summary->trace) && failure->status >= 0)
		outbuf_puts(out, "damage      none\n");
	if (summary->n_damages > PLACES_MAX)
		put_kinds(out, summary, gaps, n_kept);
	else
		for (size_t i = 0; i < n_kept; i++)
			if (gaps[i].marker == RST_DAMAGE)
				summary_words_put_damage(out,
					strcmp(gaps[i].source, metadata->path) ? gaps[i].source : NULL,
					gaps[i].offset, gaps[i].n_bytes, gaps[i].what);
	if (failure->status < 0)
		summary_words_put_damage(out,
			strcmp(failure->source, metadata->path) ? failure->source : NULL, failure->offset, 0,
			failure->what);
}

void summary_words(const struct summary *summary, struct outbuf *out)
{
	const struct rst_metadata *metadata = rst_trace_metadata(summary->trace);

	outbuf_clean(out, metadata->path);
	outbuf_printf(out, "\ndialect     %s%s%s\n", metadata->dialect,
		metadata->wrapping[0] ? ", wrapped in " : "", metadata->wrapping);
	if (metadata->target) {
		outbuf_puts(out, "target      ");
		outbuf_clean(out, metadata->target);
		outbuf_puts(out, "\n");
	}
	outbuf_printf(out, "events      %" PRIu64 "\n", summary->n_events);
	if (metadata->clock_bits)
		put_time(out, summary, metadata);
	put_runs(out, summary);
	summary_words_put_part(out, rst_trace_carried(summary->trace));
	put_date(out, summary, &metadata->clock);
	put_gaps(out, summary, metadata);
	if (metadata->n_symbols)
		outbuf_printf(out, "symbols     %" PRIu64 " of %" PRIu64 " address%s named\n",
			metadata->n_named, metadata->n_addresses, metadata->n_addresses == 1 ? "" : "es");
	for (size_t i = 0; i < metadata->n_warnings; i++) {
		outbuf_puts(out, "note        ");
		outbuf_clean(out, metadata->warnings[i]);
		outbuf_puts(out, "\n");
	}
	if (summary->n_events) {
		put_contexts(out, summary);
		put_unnamed(out, summary);
		put_types(out, summary);
	}
	summary_words_put_objects(out, summary);
	put_header(out, metadata);
}
