/* SPDX-License-Identifier: MIT */
/*
 * The layout of AIX reports: hook id, elapsed and delta time, and the text in the column of its template's level.
 * Columns are in aix_line.h; --columns adds thread and core. An event without a template has its
 * constant in front of its fields.
 */
#include "base/text.h"
#include "report/aix_line.h"
#include "report/format.h"

static bool wants_column(const struct report *report, enum column column)
{
	return columns_has(report->options.columns.shown, column);
}

static unsigned front_shift(const struct report *report)
{
	return (wants_column(report, COLUMN_THREAD) ? AIX_THREAD_WIDTH : 0U) +
	       (wants_column(report, COLUMN_CORE) ? AIX_CORE_WIDTH : 0U);
}

static void put_heading(struct report *report, bool counts_ticks)
{
	const char *heading = aix_line_heading(counts_ticks);

	outbuf_printf(report->out, "%.*s", AIX_ID_WIDTH, heading);
	if (wants_column(report, COLUMN_THREAD))
		outbuf_printf(report->out, "%-*s", AIX_THREAD_WIDTH, "PROCESS NAME");
	if (wants_column(report, COLUMN_CORE))
		outbuf_printf(report->out, "%-*s", AIX_CORE_WIDTH, "CPU");
	outbuf_puts(report->out, heading + AIX_ID_WIDTH);
}

/* Of several traces each has a line with its name and its units, since the one heading may be that of another. */
static void aix_begin(struct report *report, const struct report_input *input)
{
	const struct rst_metadata *metadata = input ? rst_trace_metadata(input->trace) : NULL;
	bool counts_ticks = metadata && !metadata->clock_hz;
	struct outbuf *out = report->out;

	if (report->n_begun == 0)
		put_heading(report, counts_ticks);
	if (!report->options.has_sources || !metadata)
		return;
	outbuf_puts(out, "*** ");
	if (outbuf_reserve(out, 4 * strlen(metadata->path)))
		out->at = text_clean(out->at, (const uint8_t *)metadata->path, strlen(metadata->path));
	outbuf_puts(out, counts_ticks ? ", in ticks\n" : ", in seconds and milliseconds\n");
}

/* The constant, for events without a template. */
static bool aix_event_cell(struct report_input *input, struct plan *plan, const struct rst_layout *layout)
{
	const struct rst_type *type = layout->type;
	char *cell = arena_alloc(&input->arena, type->name_bytes + CELL_COPY);

	if (!cell)
		return false;
	plan->cell = cell;
	plan->cell_bytes =
		(size_t)(text_put_literal(text_put(cell, type->name, type->name_bytes), " ") - cell);
	plan->room += AIX_LINE_ROOM + AIX_THREAD_WIDTH + AIX_CORE_WIDTH;
	return true;
}

/* The name, or "-" where it is not known, and blanks to the end of its column. */
static bool aix_context_cell(struct report_input *input, struct cell *cell, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row];
	bool is_known = context->kind != RST_CONTEXT_UNKNOWN;
	char *bytes = arena_alloc(&input->arena, context->name_bytes + CELL_COPY + AIX_THREAD_WIDTH),
	     *end = bytes;

	if (!bytes)
		return false;
	end = is_known ? text_put(end, context->name, context->name_bytes) : text_put_literal(end, "-");
	cell->columns = (unsigned)text_columns(bytes, (size_t)(end - bytes));
	do {
		*end++ = ' ';
	} while (++cell->columns < AIX_THREAD_WIDTH);
	cell->bytes = bytes;
	cell->n_bytes = (size_t)(end - bytes);
	return true;
}

/* Id, thread and core. */
static char *put_front(
	const struct report *report, const struct report_line *line, char *p, struct aix_front *front)
{
	const struct plan *plan = line->plan;
	uint16_t core = rst_batch_core(line->batch, line->row);

	p = text_put(p, plan->id, plan->n_id);
	*front = (struct aix_front){ .columns = plan->n_id, .shift = front_shift(report) };
	while (front->shift && front->columns < AIX_ID_WIDTH) {
		*p++ = ' ';
		front->columns++;
	}
	if (wants_column(report, COLUMN_THREAD)) {
		p = text_put(p, line->context->bytes, line->context->n_bytes);
		front->columns += line->context->columns;
	}
	if (wants_column(report, COLUMN_CORE)) {
		char *start = p;

		p = core == RST_NO_CORE ? text_put_literal(p, "-") : text_put_dec(p, core);
		front->columns += (unsigned)(p - start);
	}
	return p;
}

static char *aix_event(struct report *report, const struct report_line *line, char *p)
{
	const struct plan *plan = line->plan;
	uint64_t ticks = line->batch->ticks[line->row],
		 last = report->section.has_last ? report->section.last_ticks : ticks;
	const struct times *times = &line->input->times;
	struct aix_front front;

	p = put_front(report, line, p, &front);
	if (times->hz)
		p = aix_line_times(
			p, front, times_ns(times, ticks), times_distance_ns(times, last, ticks), plan->level);
	else
		p = aix_line_ticks(
			p, front, (int64_t)(ticks - times->first), (int64_t)(ticks - last), plan->level);
	line->input->runner.margin = aix_line_margin(plan->level) + front.shift;
	if (plan->is_generated)
		p = cell_put(p, plan->cell, plan->cell_bytes);
	p = plan_put_last(line, p);
	while (plan->is_generated && p[-1] == ' ')
		p--;
	*p++ = '\n';
	return p;
}

const struct report_format report_format_aix = {
	.name = "aix",
	.summary = "columns as AIX reports have them: hook id, elapsed and delta time, text by level",
	.begin = aix_begin,
	.event_cell = aix_event_cell,
	.context_cell = aix_context_cell,
	.event = aix_event,
	.gap = report_gap,
};
