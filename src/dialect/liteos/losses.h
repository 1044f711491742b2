/* SPDX-License-Identifier: MIT */
/*
 * What the event count shows of lost events. Frames are counted when they are made, so a number that never comes was
 * lost; one may come late, because an interrupt or another core sent first. What is missing is therefore held back for
 * some events (none where they have been put in order).
 */
#ifndef LITEOS_LOSSES_H
#define LITEOS_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LOSSES_HOLES = 16,
	LOSSES_PATIENCE = 16,  /* events that a late one is waited for */
	LOSSES_LATE_MAX = 512, /* a count that is further back is that of a target that began anew */
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

/* The count of the next event. Only when losses_due() has nothing to say. */
void losses_see(struct losses *losses, uint32_t count);

/* Tracing began anew: what is missing is lost, and the count may have gone back to 0. */
void losses_restart(struct losses *losses);

/* How many events of one place are lost for certain, each place reported once; 0: none. is_last: nothing comes any more. */
uint32_t losses_due(struct losses *losses, bool is_last);

#endif
