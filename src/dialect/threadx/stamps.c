/* SPDX-License-Identifier: MIT */
/*
 * Direction: TraceX counts rises and falls between neighbours, from the third entry on, and takes the
 * majority. This file does the same, but takes a tie as up.
 *
 * Damage: the format has no checksum. But if one bit takes a stamp far away from its two neighbours, which
 * are close to each other, the trace gets a note.
 */
#include "dialect/threadx/stamps.h"

/* For a clock of nanoseconds. */
enum { FAR_FALL = 1000000000 / 2, NEAR_FALL = 1000000000 / 256 };

struct tx_plain_steps tx_stamps_plain(const struct tx_stamps *stamps, uint64_t rises_below, bool may_fall)
{
	if (stamps->n_events < 2 || (stamps->step == TX_STEP_DOWN && !may_fall))
		return (struct tx_plain_steps){ 0 };
	if (stamps->step == TX_STEP_UP)
		return (struct tx_plain_steps){ 1, rises_below - 1 };
	if (stamps->step == TX_STEP_DOWN)
		return (struct tx_plain_steps){ (uint64_t)-NEAR_FALL, NEAR_FALL };
	return (struct tx_plain_steps){ 0, 1 };
}

void tx_stamps_pass(struct tx_stamps *stamps, uint64_t n, uint64_t last_but_one, uint64_t last)
{
	stamps->n_events += n;
	stamps->n_rises += stamps->step == TX_STEP_UP ? n : 0;
	stamps->n_falls += stamps->step == TX_STEP_DOWN ? n : 0;
	stamps->largest = last > stamps->largest ? last : stamps->largest;
	stamps->last_but_one = last_but_one;
	stamps->last = last;
}

/* Whether stamp lies between two stamps that are close to each other if one of its high bits is changed. */
static bool is_flipped(uint64_t before, uint64_t stamp, uint64_t after, uint64_t mask)
{
	enum { CLOSE_SHIFT = 12, HIGH_SHIFT = 8, LEAST_BITS = 24 }; /* of the mask */
	uint64_t low = before < after ? before : after, high = before < after ? after : before;

	if (mask >> (LEAST_BITS - 1) == 0 || high - low > mask >> CLOSE_SHIFT ||
		(stamp >= low && stamp <= high))
		return false;
	for (uint64_t bit = mask & ~(mask >> 1); bit > mask >> HIGH_SHIFT; bit >>= 1)
		if ((stamp ^ bit) >= low && (stamp ^ bit) <= high)
			return true;
	return false;
}

void tx_stamps_begin_run(struct tx_stamps *stamps, uint64_t stamp)
{
	stamps->last = stamps->last_but_one = stamp;
	stamps->step = TX_STEP_LEVEL;
}

void tx_stamps_see(struct tx_stamps *stamps, uint64_t stamp, uint64_t mask)
{
	const uint64_t last = stamps->n_events ? stamps->last : stamp;
	const enum tx_step step = stamp > last ? TX_STEP_UP : stamp < last ? TX_STEP_DOWN : TX_STEP_LEVEL;

	if (stamps->n_events == 0)
		stamps->first = stamp;
	if (stamps->n_events >= 2) {
		stamps->n_rises += step == TX_STEP_UP;
		stamps->n_falls += step == TX_STEP_DOWN;
		if ((step == TX_STEP_UP) != (stamps->step == TX_STEP_UP))
			stamps->n_flipped += is_flipped(stamps->last_but_one, last, stamp, mask);
	}
	if (step == TX_STEP_DOWN) {
		stamps->n_far += last - stamp > FAR_FALL;
		stamps->n_near += last - stamp > NEAR_FALL && last - stamp <= FAR_FALL;
	}
	stamps->step = step;
	stamps->largest = stamp > stamps->largest ? stamp : stamps->largest;
	stamps->last_but_one = last;
	stamps->last = stamp;
	stamps->n_events++;
}
