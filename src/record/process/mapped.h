/* SPDX-License-Identifier: MIT */
/*
 * Which files lie in a process's memory ready to be run, from /proc/PID/maps, with their build ids. Memory is the
 * caller's, system calls are raw: a process looks at its own map inside a trace point, and in the handler of a fatal
 * signal.
 */
#ifndef PROCESS_MAPPED_H
#define PROCESS_MAPPED_H

#include "log/format.h"
#include "record/rendezvous/proc.h"

struct mapped {
	struct proc_map map;
	struct proc_mapping mapping; /* that mapped_next() gave */
	unsigned char buffer[8192];  /* not on the stack, which may be a handler's */
	unsigned char head[2048];    /* of the file that is identified */
	char path[4200];
};

/* False: there is no such process, or it may not be looked at. Ended by mapped_close(). */
bool mapped_open(struct mapped *mapped, uint32_t pid);
void mapped_close(struct mapped *mapped);

/* Whether the memory of a file begins at this address, or, with 0, anywhere. What is read next is the first line. */
bool mapped_has(struct mapped *mapped, const struct proc_file *file, uint64_t address);

/*
 * The next run of memory with a file's code: all of the module but path and build id. The mark tells what lies there:
 * another file at the same address has another one.
 */
bool mapped_next(struct mapped *mapped, uint32_t pid, struct log_module *ret_module, uint32_t *ret_mark);
/* Both of the run that mapped_next() gave; the path, ended by NUL, until the next call. NULL: it is too long. */
const char *mapped_identify(struct mapped *mapped, struct log_module *module);

#endif
