/* SPDX-License-Identifier: MIT */
/*
 * What programs and libraries lie where in a process's memory, from /proc/PID/maps, with their build ids. Memory is the
 * caller's, system calls are raw: the handler of a fatal signal reads its own map so.
 */
#ifndef ATTACH_MODULES_H
#define ATTACH_MODULES_H

#include "log/write.h"

struct modules_range {
	uint32_t pid;
	uint32_t mark; /* of what lies there: another file may come to lie at the same place */
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
	unsigned char buffer[8192]; /* modules_write()'s: a handler's stack may be small */
	char path[4200];
};

/* What the log knows to lie at an address; NULL: nothing. Valid until modules_write(). */
const struct modules_range *modules_find(const struct modules *modules, uint32_t pid, uint64_t address);
/* Whether the log knows what lies at an address. */
bool modules_know(const struct modules *modules, uint32_t pid, uint64_t address);
/* Reads the map of a process (its executable parts of files) and writes what is new to the log. 0, or the log's error;
 * a map that cannot be read (a process that is gone) is no error. */
int modules_write(struct modules *modules, uint32_t pid, struct log_writer *log);

#endif
