/* SPDX-License-Identifier: MIT */
/*
 * What of processes' memory is in a log: which runs of it were written, so that each is written once, and what an
 * address needs can be found. Async-signal-safe.
 */
#ifndef CONSUMER_MODULES_H
#define CONSUMER_MODULES_H

#include "log/write.h"
#include "record/process/mapped.h"

struct modules_range {
	uint32_t pid;
	uint32_t mark; /* of the file there: another file may be mapped at the same address later */
	uint64_t start, end;
};
#define MODULES_MAX	    512
#define MODULES_WRITTEN_MAX 16384 /* in all: pids are claims of the traced processes, and a log has an end */
struct modules {
	uint32_t n;
	struct modules_range range[MODULES_MAX]; /* written to the log already; the oldest give way */
	uint32_t next;				 /* to give way */
	uint32_t n_written;
	uint32_t n_passed_over;
	struct mapped mapped; /* modules_write()'s */
};

/* What the log knows to lie at an address; NULL: nothing. Valid until something is written or forgotten. */
const struct modules_range *modules_find(const struct modules *modules, uint32_t pid, uint64_t address);
/* Whether the log knows what lies at an address. */
bool modules_know(const struct modules *modules, uint32_t pid, uint64_t address);

/* A map is of the program that made the events if it shows the memory of their pool, at this address (0: anywhere): after
 * exec, it does not, or elsewhere. */
struct modules_proof {
	const struct proc_file *memory;
	uint64_t address;
};
/*
 * Reads the map of a process and writes what is new to the log; what has no proof (NULL: needs none) is not written. 0,
 * or the log's error; a map that cannot be read (a process that is gone) is no error.
 */
int modules_write(
	struct modules *modules, uint32_t pid, const struct modules_proof *proof, struct log_writer *log);
/* The same for what somebody else has read. */
int modules_tell(struct modules *modules, const struct log_module *module, const char *path, uint32_t mark,
	struct log_writer *log);
/* The process is another one, or runs another program: nothing is known of its memory. */
void modules_forget(struct modules *modules, uint32_t pid);

#endif
