/* SPDX-License-Identifier: MIT */
/*
 * Lost events, by the event count. Frames are counted when they are made, so a number that never comes was
 * lost. A number may come late, because an interrupt or another core sent first. So a loss is reported only
 * after some further events, or at once if the events are sorted.
 */
#ifndef LITEOS_LOSSES_H
#define LITEOS_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LOSSES_HOLES = 16,
	LOSSES_PATIENCE = 16,  /* how many events a late one is waited for */
	LOSSES_LATE_MAX = 512, /* a count that is further back means that the target restarted */
};

struct losses {
	unsigned patience; /* 0 or LOSSES_PATIENCE */
	bool has_expected, is_restarted;
	uint32_t expected;
	unsigned n_holes;
	struct losses_hole {
		uint32_t first, n_missing;
		unsigned age;
	} holes[LOSSES_HOLES];
};

/* Takes the count of the next event. Call it only when losses_due() returns 0. */
void losses_see(struct losses *losses, uint32_t count);

/* Tracing was restarted: missing events are lost, and the count may have gone back to 0. */
void losses_restart(struct losses *losses);

/*
 * Returns how many events of one place are certainly lost, or 0. Reports each place once. is_last: no more
 * events will come.
 */
uint32_t losses_due(struct losses *losses, bool is_last);

#endif
