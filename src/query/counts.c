/* SPDX-License-Identifier: MIT */
/*
 * count, errors and lost: numbers of events in the window, or in each part of it. If events are lost, the
 * number is only known as a range: from the events seen to those that are possible.
 */
#include "analysis/errors.h"
#include "query/check.h"

struct counted {
	struct run *run;
	uint64_t number;      /* of the part */
	uint64_t n, n_lost;   /* seen; how many more there may be */
	bool is_lost_unknown; /* … or nothing is known of how many */
	bool is_in_gap; /* no event since the last loss, which may so reach from one part into the next */
	uint64_t first_seq, last_seq;
	uint64_t n_parts; /* that were whole */
};

static void part_judge(struct run *run, struct counted *counted, const struct scan *scan, bool is_whole)
{
	const uint64_t from = run_part_begin(run, scan, counted->number);
	const struct violation sample = { .from = from,
		.to = run->per && is_whole ? from + run->per : scan->to,
		.from_seq = counted->n ? counted->first_seq : RST_NO_SEQ,
		.to_seq = counted->n ? counted->last_seq : RST_NO_SEQ,
		.value = counted->n };
	uint64_t most = counted->n + counted->n_lost;

	if (counted->is_lost_unknown || most < counted->n)
		most = UINT64_MAX;
	if (is_whole)
		run_measure_between(
			run, &sample, most, "events are lost or not recorded, and these may be among them");
	else if (counted->n > run->bounds.most)
		run_measure(run, &sample, 1);
	counted->n_parts += is_whole;
}

/* Ends the parts before this moment. The time between a loss and the next event is in doubt. */
static void parts_reach(struct run *run, struct counted *counted, const struct scan *scan, uint64_t at)
{
	const uint64_t number = run_part(run, scan, at), n_empty = number - counted->number - 1;

	if (counted->number >= number)
		return;
	part_judge(run, counted, scan, true);
	counted->number++;
	counted->n = 0;
	counted->n_lost = counted->is_in_gap ? counted->n_lost : 0;
	counted->is_lost_unknown &= counted->is_in_gap;
	/* All parts without events are alike. */
	if (n_empty && (counted->n_lost || counted->is_lost_unknown))
		part_judge(run, counted, scan, true);
	else if (n_empty)
		run_measure(run,
			&(struct violation){ .from = run_part_begin(run, scan, counted->number),
				.to = run_part_begin(run, scan, counted->number + 1),
				.from_seq = RST_NO_SEQ,
				.to_seq = RST_NO_SEQ },
			n_empty);
	counted->n_parts += n_empty;
	counted->number = number;
}

static void loss_add(struct counted *counted, const struct rst_gap *gap)
{
	counted->is_in_gap = true;
	if (!gap->n_events || gap->marker == RST_DAMAGE)
		counted->is_lost_unknown = true;
	else if (__builtin_add_overflow(counted->n_lost, gap->n_events, &counted->n_lost))
		counted->is_lost_unknown = true;
}

static bool count_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct counted *counted = context;
	struct run *run = counted->run;
	const struct edge *edge = &run->check->row_edge;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (gap && gap->marker == RST_RUN)
		return true;
	if (gap) {
		loss_add(counted, gap);
		return true;
	}
	/* Events during a pause of the recording count as lost. */
	if (edge->ends_pause && edge->phase == RST_ENTERS)
		counted->is_in_gap = counted->is_lost_unknown = true;
	if (counted->number != run_part(run, run->check->scan, at))
		parts_reach(run, counted, run->check->scan, at);
	counted->is_in_gap = false;
	if (!run_takes_event(run, 0, batch, row))
		return true;
	if (!counted->n)
		counted->first_seq = row_seq(run->check->scan, batch, row);
	counted->last_seq = row_seq(run->check->scan, batch, row);
	counted->n++;
	run->has_match = true;
	return true;
}

static bool parts_finish(void *context, const struct scan *scan)
{
	struct counted *counted = context;
	struct run *run = counted->run;

	run_explain_fields(run);
	if (!run->per) {
		part_judge(run, counted, scan, true);
		return true;
	}
	parts_reach(run, counted, scan, scan->to);
	part_judge(run, counted, scan, scan->to - run_part_begin(run, scan, counted->number) == run->per);
	if (!counted->n_parts)
		run_unknown(run, "the window is shorter than a part (per)");
	return true;
}

/* A gap without a count in gap->n_events counts as at least one event. */
static bool lost_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct counted *counted = context;
	struct run *run = counted->run;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (counted->number != run_part(run, run->check->scan, at))
		parts_reach(run, counted, run->check->scan, at);
	if (!gap || gap->marker == RST_RUN)
		return true;
	if (!counted->n)
		counted->first_seq = row_seq(run->check->scan, batch, row);
	counted->last_seq = row_seq(run->check->scan, batch, row);
	if (gap->marker == RST_DAMAGE || !gap->n_events)
		counted->is_lost_unknown = true;
	if (__builtin_add_overflow(
		    counted->n, gap->n_events && gap->marker == RST_LOSS ? gap->n_events : 1, &counted->n))
		counted->n = UINT64_MAX;
	return true;
}

/* --- errors --------------------------------------------------------------------------------------------- */

/* Those that the target reports, as `explain` finds them. */
struct counted_errors {
	struct counted counted;
	struct errors errors;
};

static bool errors_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct counted_errors *state = context;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	(void)at;
	if (gap && gap->marker != RST_RUN)
		loss_add(&state->counted, gap);
	if (!gap && state->counted.run->check->row_edge.ends_pause)
		state->counted.is_lost_unknown = true;
	return true;
}

static bool errors_effect(void *context, const struct occurrence *occurrence)
{
	struct counted_errors *state = context;
	struct counted *counted = &state->counted;
	bool is_error;

	if (!errors_take(&state->errors, occurrence->facts, &is_error))
		return false;
	if (!is_error)
		return true;
	if (!counted->n)
		counted->first_seq = occurrence->seq;
	counted->last_seq = occurrence->seq;
	counted->n++;
	return true;
}

static void errors_end(void *context)
{
	struct counted_errors *state = context;

	errors_done(&state->errors);
}

const struct metric metric_errors = {
	.observer = {
		.state_bytes = sizeof(struct counted_errors),
		.effects = ERRORS_EFFECTS,
		.row = errors_row,
		.effect = errors_effect,
		.finish = parts_finish,
		.done = errors_end,
	},
	.name = "errors",
	.usage = "errors() == 0",
	.about = "errors that the target reports: failed assertions, error numbers, refused calls",
	.quantities = QUANTITY_BIT(QUANTITY_COUNT),
	.judges_losses = true,
};

const struct metric metric_count = {
	.observer = {
		.state_bytes = sizeof(struct counted),
		.row = count_row,
		.finish = parts_finish,
	},
	.name = "count",
	.usage = "count(event NAME) >= 10 [per 100ms]",
	.about = "how often the event occurs, in all or in each part",
	.n_selectors = 1,
	.n_selectors_max = 1,
	.takes = { SELECTOR_BIT(SELECTOR_EVENT) },
	.takes_fields = true,
	.quantities = QUANTITY_BIT(QUANTITY_COUNT),
	.takes_per = true,
	.judges_losses = true,
};

const struct metric metric_lost = {
	.observer = {
		.state_bytes = sizeof(struct counted),
		.row = lost_row,
		.finish = parts_finish,
	},
	.name = "lost",
	.usage = "lost() == 0 [per 1s]",
	.about = "events that are lost; damage, and a loss of unknown size, is one or more",
	.quantities = QUANTITY_BIT(QUANTITY_COUNT),
	.takes_per = true,
	.judges_losses = true,
};
