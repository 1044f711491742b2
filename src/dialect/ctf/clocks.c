/* SPDX-License-Identifier: MIT */
/*
 * The clocks of all traces become one: that of the trace whose clock starts first. If all have one rate, the
 * rows have the ticks of that clock; else they have nanoseconds.
 */
#include "dialect/ctf/ctf.h"

/* Offsets and rates of 64 bits may have a product of more. */
__extension__ typedef __int128 wide;

enum { NS_PER_S = 1000000000 };

/* The time from 1970 to the zero of a clock, in its ticks. */
static wide clock_zero(const struct ctf_clock *clock)
{
	return (wide)clock->offset_s * (wide)clock->hz + clock->offset;
}

static wide zero_ns(const struct ctf_clock *clock)
{
	return (wide)clock->offset_s * NS_PER_S + (wide)clock->offset * NS_PER_S / (wide)clock->hz;
}

static bool has_rate(const struct ctf_trace *trace)
{
	return trace->clock && trace->clock->hz;
}

/* A clock that begins at 0 tells no date, unless the description says so. */
static bool has_date(const struct ctf_clock *clock)
{
	return clock->is_absolute || clock->offset_s || clock->offset;
}

static bool have_same_rate(const struct ctf *ctf, const struct ctf_clock *first)
{
	for (size_t i = 0; i < ctf->n_traces; i++)
		if (has_rate(ctf->traces[i]) && ctf->traces[i]->clock->hz != first->hz)
			return false;
	return true;
}

static const struct ctf_clock *earliest_clock(const struct ctf *ctf)
{
	const struct ctf_clock *earliest = NULL;

	for (size_t i = 0; i < ctf->n_traces; i++) {
		const struct ctf_clock *clock = ctf->traces[i]->clock;

		if (has_rate(ctf->traces[i]) && (!earliest || zero_ns(clock) < zero_ns(earliest)))
			earliest = clock;
	}
	return earliest;
}

static uint64_t limited(wide number)
{
	return number < 0 ? 0 : number > (wide)INT64_MAX ? INT64_MAX : (uint64_t)number;
}

bool ctf_join_clocks(struct ctf *ctf, struct model *model)
{
	const struct ctf_clock *earliest = earliest_clock(ctf);
	bool is_same;

	if (!earliest)
		return true;
	is_same = have_same_rate(ctf, earliest);
	for (size_t i = 0; i < ctf->n_traces; i++) {
		struct ctf_trace *trace = ctf->traces[i];

		trace->is_scaled = !is_same;
		if (!has_rate(trace))
			continue;
		trace->shift = (int64_t)limited(is_same ? clock_zero(trace->clock) - clock_zero(earliest)
							: zero_ns(trace->clock) - zero_ns(earliest));
	}
	if (!model->clock_hz)
		model->clock_hz = is_same ? earliest->hz : NS_PER_S;
	if (!has_date(earliest))
		return true;
	if (zero_ns(earliest) > INT64_MAX || zero_ns(earliest) < INT64_MIN)
		return model_warn(model, "the clock's offset is beyond what can be a time of day");
	return model_add_pair(model, &(struct rst_clock_pair){ .realtime_ns = (int64_t)zero_ns(earliest) });
}

uint64_t ctf_row_ticks(const struct ctf_trace *trace, uint64_t stamp)
{
	uint64_t ticks = trace->is_scaled && has_rate(trace) ? clock_ns(stamp, trace->clock->hz) : stamp;

	return __builtin_add_overflow(ticks, (uint64_t)trace->shift, &ticks) ? UINT64_MAX : ticks;
}
