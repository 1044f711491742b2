/* SPDX-License-Identifier: MIT */
/*
 * The kernel's events of a process's threads: one event for each of its threads and each CPU, which threads
 * and processes that it makes inherit; one ring of records for each CPU.
 *
 * Rings are read as they fill; or, for a flight recorder, the kernel overwrites the oldest records, and a
 * snapshot looks at them. All memory is allocated in rings_open().
 */
#ifndef KERNEL_RINGS_H
#define KERNEL_RINGS_H

#include "record/kernel/perf.h"
#include <stdbool.h>

struct rings_config {
	uint32_t pid;
	bool is_inherited; /* by processes; by threads always */
	bool overwrites;
	bool has_faults; /* page faults, too */
	int32_t clock;	 /* clockid_t of the times */
};

struct kernel_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *area;
	uint64_t bytes;	  /* of the area, a power of two */
	uint64_t at, end; /* with overwrites only at: the cursor at the last look */
	int fd;		  /* of its first event */
	/*
	 * With overwrites: a copy of the area in order, newest record first, and where the records are in it.
	 */
	unsigned char *copy;
	uint32_t *offsets;
	uint64_t n_offsets;	/* not given yet: the last is the oldest record */
	uint64_t n_overwritten; /* records in front of it, as if each were the shortest; 0 after the report */
};

struct rings {
	bool overwrites;
	uint32_t n_rings;
	struct kernel_ring *rings;
	size_t n_fds, fds_room;
	int *fds;
};

/*
 * Returns 0; EACCES (perf_event_paranoid); EPERM (the process is not the caller's, or a filter of system
 * calls); ENOSYS (the kernel lacks perf events); ESRCH; EMFILE, ENFILE (each thread needs a descriptor on
 * each processor); ENOMEM. After an error no ring is open.
 */
int rings_open(struct rings *rings, const struct rings_config *config);
void rings_close(struct rings *rings);

/* Finds the new records. Returns false if, with overwrites, half of a ring or more was overwritten meanwhile:
 * it is lost. */
bool rings_look(struct rings *rings);
/* Takes the oldest record of a ring that was found and not taken. Returns false if there is no such record.
 * */
bool rings_take(struct rings *rings, uint32_t ring, struct perf_record *ret_record);
/* Whether a ring is so full that it should be read soon; *ret_any: whether there is anything at all. */
bool rings_are_filling(const struct rings *rings, bool *ret_any);

#endif
