/* SPDX-License-Identifier: MIT */
/*
 * Calculates the clock's frequency and the time of day from the clock pairs in the log: each has what the
 * clocks showed at one instant.
 */
#include "base/calendar.h"
#include "dialect/posix/posix.h"

#define NS_PER_SECOND 1000000000

__extension__ typedef unsigned __int128 u128;

/* If two pairs are closer than this, the header's frequency is more exact. */
enum { PAIRS_APART_NS = 1000000 };

/* Returns 0 if the pairs cannot be used. */
static uint64_t hz_of_pairs(const struct posix *posix)
{
	const struct log_clock_pair *first = &posix->first_pair, *last = &posix->last_pair;
	u128 ticks;
	uint64_t ns;

	if (posix->n_pairs < 2 || last->ticks <= first->ticks || last->monotonic <= first->monotonic)
		return 0;
	ns = (uint64_t)last->monotonic - (uint64_t)first->monotonic;
	if (ns < PAIRS_APART_NS)
		return 0;
	ticks = (u128)(last->ticks - first->ticks) * NS_PER_SECOND + ns / 2;
	return ticks / ns <= UINT64_MAX ? (uint64_t)(ticks / ns) : 0;
}

/*
 * A stream does not wait for pairs: it uses the header's frequency, or the first pairs if the header has no
 * frequency.
 */
void posix_clock(struct posix *posix, struct model *model)
{
	const struct log_header *header = &posix->input.scan.header;
	uint64_t hz = hz_of_pairs(posix);

	const struct log_clock_pair *first = &posix->first_pair, *last = &posix->last_pair;

	model->clock_bits = 64;
	model->rate_ticks = 0;
	if (posix->has_wanted_hz)
		return;
	if (header->clock == LOG_CLOCK_MONOTONIC)
		model->clock_hz = NS_PER_SECOND;
	else if (header->clock == LOG_CLOCK_TSC && posix->input.phase != POSIX_STREAM)
		model->clock_hz = hz ? hz : header->clock_hz;
	else if (header->clock == LOG_CLOCK_TSC && !model->clock_hz)
		model->clock_hz = header->clock_hz ? header->clock_hz : hz;
	if (hz && model->clock_hz == hz && header->clock == LOG_CLOCK_TSC) {
		model->rate_ticks = last->ticks - first->ticks;
		model->rate_ns = (uint64_t)last->monotonic - (uint64_t)first->monotonic;
	}
}

/* Time of day minus the log's clock: a different number after each boot. */
static int64_t boot_of(const struct log_clock_pair *pair)
{
	return (int64_t)((uint64_t)pair->realtime - (uint64_t)pair->monotonic);
}

/*
 * Whether both logs were recorded between the same two boots. The time of day may have been adjusted a little
 * meanwhile.
 */
static bool is_same_boot(const struct posix *posix)
{
	int64_t distance;

	return posix->had_pair && posix->n_pairs &&
	       !__builtin_sub_overflow(
		       boot_of(&posix->first_pair), boot_of(&posix->before_pair), &distance) &&
	       distance > -NS_PER_SECOND && distance < NS_PER_SECOND;
}

/* Adds a clock pair with the time of day of the new run's first event. */
static bool put_run_pair(const struct posix *posix, struct model *model, uint64_t stamp, uint64_t ticks)
{
	const struct log_clock_pair *pair = &posix->last_pair;
	const int64_t ns = stamp < pair->ticks ? 0 : (int64_t)clock_ns(stamp - pair->ticks, model->clock_hz);

	return !posix->n_pairs || stamp < pair->ticks || ns < 0 ||
	       model_add_pair(model, &(struct rst_clock_pair){ .ticks = ticks,
					     .monotonic_ns = pair->monotonic + ns,
					     .realtime_ns = pair->realtime + ns,
					     .error_ns = pair->error });
}

bool posix_begin_log(struct posix *posix, struct model *model, struct batch *batch, uint64_t stamp)
{
	uint64_t ticks;

	posix->begins_log = false;
	if (stamp >= posix->greatest_stamp)
		return true;
	if (is_same_boot(posix))
		return model_warn(model,
			"%.64s: this log begins in front of the end of the one before, by the same clock: "
			"logs are "
			"joined in the order in which they are given",
			posix->input.source);
	if (!model_put_run(model, batch, posix->input.source, 0,
		    "the clock of this log begins in front of the end of the one before: the machine was "
		    "booted in "
		    "between"))
		return false;
	ticks = model_run_begin(model, batch);
	run_clock_begin(&posix->clock, ticks);
	posix->greatest_stamp = 0;
	return !model->clock_hz || put_run_pair(posix, model, stamp, ticks);
}

bool posix_pair(struct posix *posix, struct model *model, const struct log_clock_pair *pair)
{
	if (!posix->n_pairs++)
		posix->first_pair = *pair;
	posix->last_pair = *pair;
	posix_detail_number(posix, model, POSIX_DETAIL_CLOCK_PAIRS, posix->n_pairs);
	return model_add_pair(
		model, &(struct rst_clock_pair){ .ticks = run_clock_ticks(&posix->clock, pair->ticks),
			       .monotonic_ns = pair->monotonic,
			       .realtime_ns = pair->realtime,
			       .error_ns = pair->error });
}

void posix_note_first(struct posix *posix, struct model *model)
{
	const struct rst_clock clock = model_clock(model);
	char text[CALENDAR_MAX + 1];
	int64_t realtime;

	if (!model->has_first_ticks ||
		model->details[posix->first_detail + POSIX_DETAIL_FIRST_EVENT].type != RST_DETAIL_NULL ||
		!rst_clock_wall_ns(&clock, model->first_ticks, &realtime))
		return;
	*calendar_put_utc_ns(text, realtime) = '\0';
	posix_detail_text(posix, model, POSIX_DETAIL_FIRST_EVENT, text, sizeof(text));
}
