/* SPDX-License-Identifier: MIT */
#include "report/standing.h"

#include "report/format.h"

struct standing standing_of(const struct report_input *input)
{
	return (struct standing){ .section = input->report->section,
		.time_width = input->times.width,
		.has_chosen = input->has_chosen,
		.seq = input->report->seq,
		.n_events = input->n_events,
		.end_ticks = input->end_ticks };
}

void standing_set(struct report_input *input, const struct standing *standing)
{
	struct report *report = input->report;

	if (report->section.context_width != standing->section.context_width)
		plan_forget_cells(input);
	report->section = standing->section;
	times_set_width(&input->times, standing->time_width);
	input->has_chosen = standing->has_chosen;
	report->seq = standing->seq;
	input->n_events = standing->n_events;
	input->end_ticks = standing->end_ticks;
}

/* A name that is longer than those before it makes its column wider. Most have been seen. */
static inline bool context_pass(struct report_input *input, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row];
	const size_t index = 2 * (size_t)context->index;
	const bool is_plain =
		!rst_batch_interrupted(line->batch, line->row) && !rst_batch_depth(line->batch, line->row);

	if (is_plain && index < input->cells_room && input->cells[index].bytes &&
		input->cells[index].name == context->name)
		return true;
	return plan_context(input, line) != NULL;
}

bool standing_pass(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	struct report *report = input->report;
	struct report_line line = { .report = report, .input = input, .batch = batch };
	const bool has_subjects = report->options.format->has_subjects;
	uint64_t least = UINT64_MAX, greatest = 0;
	char room[TIMES_ROOM];

	for (size_t i = 0; i < n_rows; i++) {
		line.row = rows[i];
		line.layout = batch->layout[line.row];
		if (batch->type[line.row]->marker != RST_EVENT)
			continue;
		if (has_subjects && !context_pass(input, &line))
			return false;
		if (input->counts)
			type_counts_add(input->counts, line.layout);
		least = batch->ticks[line.row] < least ? batch->ticks[line.row] : least;
		greatest = batch->ticks[line.row] > greatest ? batch->ticks[line.row] : greatest;
		report->section.last_ticks = batch->ticks[line.row];
		report->section.has_last = input->has_chosen = true;
		report->seq++;
	}
	/* The column of times is as wide as the widest. */
	if (least <= greatest) {
		times_put(&input->times, room, least);
		times_put(&input->times, room, greatest);
	}
	return true;
}
