/* SPDX-License-Identifier: MIT */
/*
 * The layout of AIX reports: hook id, elapsed and delta time, and the text in the column of its template's level.
 * Columns are in aix_line.h; context and constant name are only shown where a template prints them.
 */
#include "base/text.h"
#include "report/aix_line.h"
#include "report/report.h"

/* Of several traces each has a line with its name and its units, since the one heading may be that of another. */
static void aix_begin(struct report *report)
{
	const struct rst_facts *facts = report->trace ? rst_trace_facts(report->trace) : NULL;
	bool counts_ticks = facts && !facts->clock_hz;
	struct outbuf *out = report->out;

	if (report->n_begun == 0)
		outbuf_puts(out, aix_line_heading(counts_ticks));
	if (!report->has_sources || !facts)
		return;
	outbuf_puts(out, "*** ");
	if (outbuf_reserve(out, 4 * strlen(facts->path)))
		out->at = text_clean(out->at, (const uint8_t *)facts->path, strlen(facts->path));
	outbuf_puts(out, counts_ticks ? ", in ticks\n" : ", in seconds and milliseconds\n");
}

/* All that a line shows of its type is its id, which the plan has anyway, and nothing of its context. */
static bool aix_event_cell(struct report *report, struct plan *plan, const struct rst_type *type)
{
	(void)report;
	(void)type;
	plan->room += AIX_LINE_ROOM;
	return true;
}

static bool aix_context_cell(struct report *report, struct cell *cell, const struct report_line *line)
{
	(void)report;
	(void)line;
	cell->bytes = "";
	return true;
}

static char *aix_event(struct report *report, const struct report_line *line, char *p)
{
	const struct plan *plan = line->plan;
	uint64_t ticks = line->batch->ticks[line->row], last = report->has_last ? report->last_ticks : ticks;
	const struct times *times = &report->times;

	if (times->hz)
		p = aix_line_head(p, plan->id, plan->n_id, times_ns(times, ticks),
			times_distance_ns(times, last, ticks), plan->level);
	else
		p = aix_line_head_ticks(p, plan->id, plan->n_id, (int64_t)(ticks - times->first),
			(int64_t)(ticks - last), plan->level);
	report->runner.margin = aix_line_margin(plan->level);
	p = plan_put_last(line, p);
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
