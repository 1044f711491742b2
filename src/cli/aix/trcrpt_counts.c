/* SPDX-License-Identifier: MIT */
/*
 * -O hist: a line for each hook that was shown, the most frequent first.
 *
 *	ID         COUNT  HOOK
 *	010          153  speed
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/aix/trcrpt.h"

struct row {
	uint64_t n_events;
	const struct rst_type *type;
	const struct rst_layout *layout; /* one of the type's that was shown */
	const struct hook *hook;	 /* that it was shown as; or NULL */
};

/* Equal ones in the order in which the trace has them. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	if (one->n_events != other->n_events)
		return one->n_events < other->n_events ? 1 : -1;
	return one->type->index < other->type->index ? -1 : one->type->index > other->type->index;
}

/* The label of the hook's template, or else its name. */
static void put_label(struct outbuf *out, struct template_set *all, const struct row *row, struct text id)
{
	const struct rst_type *type = row->type;
	struct template_set *set = template_set_of(all, row->layout->dialect);
	const struct stanza *stanza =
		row->hook ? stanza_good(template_set_find(set, id.bytes, id.n_bytes)) : NULL;

	if (!stanza)
		stanza = template_set_find_event(set, type->name, type->name_bytes);
	if (!stanza || !stanza->label.n_bytes)
		outbuf_clean(out, type->name);
	else if (outbuf_reserve(out, 4 * stanza->label.n_bytes))
		out->at = text_clean(out->at, (const uint8_t *)stanza->label.bytes, stanza->label.n_bytes);
}

static void put_row(struct outbuf *out, const struct row *row, struct template_set *set)
{
	char number[TEXT_HEX_MAX];
	struct text id = { row->type->name, row->type->name_bytes };

	if (!row->layout->hook_bytes)
		id = (struct text){ number,
			(size_t)(run_put_id(number, row->hook ? row->hook->id : row->layout->id) - number) };
	outbuf_printf(out, "%-4.*s %12" PRIu64 "  ", (int)id.n_bytes, id.bytes, row->n_events);
	put_label(out, set, row, id);
	outbuf_puts(out, "\n");
}

/* Events of several types that are shown as one hook are counted by the first of them. */
static void rows_join(struct row *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++)
		for (size_t j = 0; rows[i].hook && j < i; j++) {
			if (!rows[j].hook || !rows[j].n_events || rows[j].hook->id != rows[i].hook->id)
				continue;
			rows[j].n_events += rows[i].n_events;
			rows[i].n_events = 0;
			break;
		}
}

bool trcrpt_counts_put(struct outbuf *out, const struct type_counts *counts, const struct report_input *input)
{
	const struct rst_layout *layout;
	struct row *rows;
	size_t n_rows = 0;

	for (size_t i = 0; rst_trace_type(input->trace, i); i++)
		n_rows++;
	rows = calloc(n_rows + 1, sizeof(*rows));
	for (size_t i = 0; rows && (layout = rst_trace_layout(input->trace, i)) != NULL; i++) {
		struct row *row = &rows[layout->type->index];
		const uint64_t n_events = type_counts_of(counts, layout);

		if (!n_events)
			continue;
		row->n_events += n_events;
		row->type = layout->type;
		row->layout = layout;
		row->hook = input->hook ? input->hook(input->trace, layout) : NULL;
	}
	if (!rows || counts->has_no_memory) {
		free(rows);
		return false;
	}
	rows_join(rows, n_rows);
	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].n_events == 0)
			rows[i].type = rst_trace_type(input->trace, i);
	qsort(rows, n_rows, sizeof(*rows), compare_rows);
	outbuf_puts(out, "\nID          COUNT  HOOK\n");
	for (size_t i = 0; i < n_rows && rows[i].n_events; i++)
		put_row(out, &rows[i], input->templates);
	free(rows);
	return true;
}
