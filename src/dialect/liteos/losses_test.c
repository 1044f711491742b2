/* SPDX-License-Identifier: MIT */
#include "dialect/liteos/losses.h"

#include "tests/tap.h"

/* Takes the counts, and calls losses_due() after each as a reader does. Returns the number of lost events. */
static uint64_t lost_of(struct losses *losses, const uint32_t *counts, size_t n, bool is_last)
{
	uint64_t n_lost = 0;

	for (size_t i = 0; i < n; i++) {
		losses_see(losses, counts[i]);
		for (uint32_t due; (due = losses_due(losses, false)) != 0;)
			n_lost += due;
	}
	for (uint32_t due; is_last && (due = losses_due(losses, true)) != 0;)
		n_lost += due;
	return n_lost;
}

#define LOST(patience_, is_last, ...)                                                           \
	lost_of(&(struct losses){ .patience = (patience_) }, (const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), is_last)

static void check_counts(void)
{
	is_number(LOST(0, true, 100, 101, 102), 0, "a count that does not begin at 0 has lost nothing");
	is_number(LOST(0, false, 1, 2, 5, 6), 2, "what is missing between counts is lost, told at once");
	is_number(LOST(LOSSES_PATIENCE, false, 1, 2, 5, 6), 0, "it is held back where events may come late");
	is_number(LOST(LOSSES_PATIENCE, true, 1, 2, 5, 6), 2, "it is told at the end at the latest");
	is_number(LOST(LOSSES_PATIENCE, true, 1, 4, 3, 2, 5), 0, "late counts are not lost");
	is_number(LOST(LOSSES_PATIENCE, true, 1, 9, 5, 10), 6,
		"a late count in the middle leaves the rest lost");
	is_number(LOST(0, true, 0xfffffffe, 0xffffffff, 0, 2), 1, "counts go on at 0 after 32 bits");
	is_number(LOST(0, true, 5000, 5001, 0, 1), 0, "a target that began anew has lost nothing");
	is_number(LOST(0, true, 1, 3, 3, 3), 1, "a count that comes again fills nothing");
}

static void check_many_holes(void)
{
	struct losses losses = { .patience = LOSSES_PATIENCE };
	uint64_t n_lost = 0;

	for (uint32_t count = 0; count < 4000; count += 2)
		n_lost += lost_of(&losses, &count, 1, false);
	n_lost += lost_of(&losses, NULL, 0, true);
	is_number(n_lost, 1999, "every second event lost is counted one by one");
}

static void check_restart(void)
{
	struct losses losses = { .patience = LOSSES_PATIENCE };
	static const uint32_t before[] = { 0, 1, 4, 5 }, again[] = { 2, 3, 4 }, on[] = { 5, 7 };

	lost_of(&losses, before, 4, false);
	losses_restart(&losses);
	is_number(losses_due(&losses, false), 2, "a restart makes certain what was held back");
	is_number(lost_of(&losses, again, 3, true), 0, "after a restart the count may go back a little");
	losses_restart(&losses);
	is_number(lost_of(&losses, on, 2, true), 1, "after a restart the count may go on");
}

int main(void)
{
	check_counts();
	check_many_holes();
	check_restart();
	return tap_done();
}
