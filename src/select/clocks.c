/* SPDX-License-Identifier: MIT */
#include "select/clocks.h"

__extension__ typedef __int128 wide;

/*
 * Clocks of one host are set, and read one after the other: so far apart they may show the time of day at one
 * tick.
 */
enum { SAME_CLOCK_NS = 100 * 1000 * 1000 };

const struct clocks clocks_none = { .have_day = true, .are_one = true };

void clocks_see(struct clocks *clocks, const struct rst_metadata *metadata)
{
	if (!metadata->has_first_ticks)
		return;
	clocks->have_day &= metadata->clock.n_pairs && metadata->clock.rate_ticks;
	if (!clocks->has_any)
		clocks->hz = metadata->clock_hz;
	clocks->are_one &= metadata->clock_hz == clocks->hz;
	clocks->has_any = true;
}

/* The time of day at tick 0, or INT64_MAX if the trace does not have one. */
static int64_t day_of_zero(const struct rst_metadata *metadata)
{
	int64_t ns;

	if (!metadata->has_first_ticks || !rst_clock_wall_ns(&metadata->clock, 0, &ns))
		return INT64_MAX;
	return ns;
}

/* Whether both clocks show nearly the same time of day at the same ticks. */
static bool is_same_clock(const struct rst_metadata *a, const struct rst_metadata *b)
{
	int64_t own, other;
	wide distance;

	if (!b->has_first_ticks)
		return true;
	if (!rst_clock_wall_ns(&a->clock, b->first_ticks, &own) ||
		!rst_clock_wall_ns(&b->clock, b->first_ticks, &other))
		return false;
	distance = (wide)own - other;
	return distance <= SAME_CLOCK_NS && distance >= -SAME_CLOCK_NS;
}

static size_t first_with_events(struct rst_trace *const *traces, size_t n_traces)
{
	for (size_t i = 0; i < n_traces; i++)
		if (rst_trace_metadata(traces[i])->has_first_ticks)
			return i;
	return 0;
}

void shared_axis_choose(struct shared_axis *axis, struct rst_trace *const *traces, size_t n_traces)
{
	struct clocks clocks = clocks_none;
	size_t earliest = first_with_events(traces, n_traces);
	bool is_same = true;

	for (size_t i = 0; i < n_traces; i++)
		clocks_see(&clocks, rst_trace_metadata(traces[i]));
	*axis = (struct shared_axis){ .traces = traces, .reference = earliest };
	for (size_t i = 0; i < n_traces; i++) {
		const struct rst_metadata *metadata = rst_trace_metadata(traces[i]);

		is_same &= is_same_clock(rst_trace_metadata(traces[axis->reference]), metadata);
		if (day_of_zero(metadata) < day_of_zero(rst_trace_metadata(traces[earliest])))
			earliest = i;
	}
	axis->is_shown = clocks.have_day && clocks.are_one && is_same;
	if (axis->is_shown || (!clocks.have_day && clocks.are_one))
		return;
	axis->kind = clocks.have_day ? SHARED_DAY : SHARED_NOTHING;
	axis->reference = clocks.have_day ? earliest : SIZE_MAX;
}

/* The pair that is not behind this time of day, else the first. */
static const struct rst_clock_pair *pair_at(const struct rst_clock *clock, int64_t day_ns)
{
	size_t from = 0, to = clock->n_pairs;

	while (to - from > 1) {
		const size_t middle = from + (to - from) / 2;

		if (clock->pairs[middle].realtime_ns <= day_ns)
			from = middle;
		else
			to = middle;
	}
	return &clock->pairs[from];
}

/* The ticks of a clock at this time of day. */
static uint64_t ticks_at(const struct rst_clock *clock, int64_t day_ns)
{
	const struct rst_clock_pair *pair = pair_at(clock, day_ns);
	const wide distance = (wide)day_ns - pair->realtime_ns;
	wide ticks;

	if (!clock->rate_ns || __builtin_mul_overflow(distance, (wide)clock->rate_ticks, &ticks))
		return pair->ticks;
	ticks = ticks / (wide)clock->rate_ns + (wide)pair->ticks;
	return ticks < 0 ? 0 : ticks > (wide)UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

uint64_t shared_axis_ticks(const struct shared_axis *axis, size_t n, uint64_t ticks)
{
	int64_t day_ns;

	if (axis->kind != SHARED_DAY || n == axis->reference ||
		!rst_clock_wall_ns(&rst_trace_metadata(axis->traces[n])->clock, ticks, &day_ns))
		return ticks;
	return ticks_at(&rst_trace_metadata(axis->traces[axis->reference])->clock, day_ns);
}
