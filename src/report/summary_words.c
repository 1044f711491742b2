/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/clock.h"
#include "report/summary.h"

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
	qsort(list, n, sizeof(*list), by_count);
	outbuf_printf(out, "\n%s (%zu)\n", title, n);
	for (size_t i = 0; i < n; i++)
		outbuf_printf(out, "%12" PRIu64 " %5.1f %%  %s%s%s\n", list[i].count,
			100.0 * (double)list[i].count / (double)n_all, list[i].name,
			list[i].label[0] ? "  " : "", list[i].label);
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
		put_list(out, "Events by context", list, summary->n_rows, summary->n_events);
	else
		out->error = ENOMEM;
	free(list);
}

/* The columns of words: kind, id, name, then what the format says of the object in its own terms. */
static void put_objects(struct outbuf *out, const struct summary *summary)
{
	const struct rst_object *object;
	size_t n = 0;

	while (rst_trace_object(summary->trace, n))
		n++;
	if (n)
		outbuf_printf(out, "\nObjects (%zu)\n", n);
	for (size_t i = 0; (object = rst_trace_object(summary->trace, i)) != NULL; i++) {
		outbuf_printf(out, "  %-16s 0x%-10" PRIx64 " %s", rst_object_kind_name(object->kind),
			object->id, object->name && object->name_bytes ? object->name : "(no name)");
		for (size_t k = 0; k < object->n_facts; k++) {
			const struct rst_fact *fact = &object->facts[k];

			if (!fact->is_raw) {
				outbuf_printf(out, "  %s ", fact->name);
				summary_put_fact(out, fact, false);
			}
		}
		outbuf_puts(out, "\n");
	}
}

static void put_time(struct outbuf *out, const struct summary *summary, const struct rst_facts *facts)
{
	uint64_t span = summary->last_ticks - summary->first_ticks;

	outbuf_printf(out, "clock       %u bits, counts %s", facts->clock_bits,
		facts->clock_direction == RST_CLOCK_DOWN ? "down" : "up");
	if (facts->clock_hz)
		outbuf_printf(out, ", %" PRIu64 " Hz\n", facts->clock_hz);
	else
		outbuf_puts(out, ", frequency not recorded (--clock-hz N gives it)\n");
	if (!summary->n_events)
		return;
	outbuf_printf(out, "time        %" PRIu64 " ticks, from %" PRIu64 " to %" PRIu64, span,
		summary->first_ticks, summary->last_ticks);
	if (facts->clock_hz) {
		uint64_t ns = clock_ns(span, facts->clock_hz);

		outbuf_printf(out, " (%" PRIu64 ".%09" PRIu64 " s)", ns / 1000000000U, ns % 1000000000U);
	}
	outbuf_puts(out, "\n");
}

static void put_damage(
	struct outbuf *out, const char *source, uint64_t offset, uint64_t n_bytes, const char *what)
{
	outbuf_printf(out, "damage      %s", source);
	if (offset != RST_NO_OFFSET)
		outbuf_printf(out, ", byte %" PRIu64, offset);
	outbuf_printf(out, ": %s", what);
	if (n_bytes)
		outbuf_printf(out, " (%" PRIu64 " bytes)", n_bytes);
	outbuf_puts(out, "\n");
}

static void put_gaps(struct outbuf *out, const struct summary *summary)
{
	const struct rst_gap *gaps;
	size_t n_kept;
	uint64_t n_all = rst_trace_gaps(summary->trace, &gaps, &n_kept);

	if (summary->n_gaps)
		outbuf_printf(out, "loss        %" PRIu64 " events known to be lost, in %" PRIu64 " places\n",
			summary->n_lost, summary->n_gaps);
	else
		outbuf_puts(out, "loss        none\n");
	if (!rst_trace_is_damaged(summary->trace) && summary->failure.status >= 0)
		outbuf_puts(out, "damage      none\n");
	for (size_t i = 0; i < n_kept; i++)
		if (gaps[i].marker == RST_DAMAGE)
			put_damage(out, gaps[i].source, gaps[i].offset, gaps[i].n_bytes, gaps[i].what);
	if (summary->failure.status < 0)
		put_damage(out, summary->failure.source, summary->failure.offset, 0, summary->failure.what);
	if (n_all > n_kept)
		outbuf_printf(out, "            and %" PRIu64 " more\n", n_all - n_kept);
}

void summary_words(const struct summary *summary, struct outbuf *out)
{
	const struct rst_facts *facts = rst_trace_facts(summary->trace);

	outbuf_printf(out, "%s\n", facts->path);
	outbuf_printf(out, "dialect     %s%s%s\n", facts->dialect, facts->wrapping[0] ? ", wrapped in " : "",
		facts->wrapping);
	outbuf_printf(out, "events      %" PRIu64 "\n", summary->n_events);
	if (facts->clock_bits)
		put_time(out, summary, facts);
	put_gaps(out, summary);
	for (size_t i = 0; i < facts->n_notes; i++)
		outbuf_printf(out, "note        %s\n", facts->notes[i]);
	if (facts->n_details)
		outbuf_puts(out, "\nHeader\n");
	for (size_t i = 0; i < facts->n_details; i++) {
		outbuf_printf(out, "  %-32s ", facts->details[i].name);
		summary_put_fact(out, &facts->details[i], false);
		outbuf_puts(out, "\n");
	}
	put_objects(out, summary);
	if (summary->n_events) {
		put_contexts(out, summary);
		put_types(out, summary);
	}
}
