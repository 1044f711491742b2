/* SPDX-License-Identifier: MIT */
/*
 * Context switches: the kernel's records of a process's threads, in order of time and in ticks of the
 * stream's clock. Records are events (PERF_IN to PERF_N_SWITCHES), and names and forks of threads.
 *
 * switches_open() allocates all memory; the rest is async-signal-safe, one thread at a time. errno is not
 * kept.
 */
#ifndef KERNEL_SWITCHES_H
#define KERNEL_SWITCHES_H

#include "log/format.h"
#include "record/kernel/perf.h"
#include <stdbool.h>

struct switches;

struct switches_config {
	uint32_t pid;
	bool is_inherited; /* by processes */
	bool is_recorder;  /* the newest are kept for snapshots */
	bool has_faults;   /* page faults, too */
	enum log_clock clock;
	uint16_t types[PERF_N_SWITCHES]; /* of its events */
};

struct switches_record {
	struct perf_record what;
	uint64_t ticks;
	uint16_t type; /* of an event */
};

/* The name of an event's type. */
const char *switches_name(enum perf_kind kind);

/* As rings_open(). */
int switches_open(struct switches **ret_switches, const struct switches_config *config);
void switches_close(struct switches *switches); /* NULL is fine */

/*
 * The oldest record that was not taken, if it is not later than these ticks, which are in the past. It stays
 * until it is taken. A recorder's are to be begun: all that are there come then, once more. Up to the ticks
 * that switches_begin() returns they are there of every processor; of some there are later ones, too.
 */
uint64_t switches_begin(struct switches *switches);
const struct switches_record *switches_peek(struct switches *switches, uint64_t until);
void switches_take(struct switches *switches);
/* Takes all there are. */
void switches_discard(struct switches *switches);

/* Whether they should be taken soon, before some are lost; *ret_any: whether there are any. A cheap look. */
bool switches_are_many(const struct switches *switches, bool *ret_any);

#endif
