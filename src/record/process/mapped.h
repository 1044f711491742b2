/* SPDX-License-Identifier: MIT */
/*
 * The executable files in a process's memory, from /proc/PID/maps, with their build ids. The caller provides
 * the memory, and system calls are raw: a process reads its own map inside a trace point, and in the handler
 * of a fatal signal.
 */
#ifndef PROCESS_MAPPED_H
#define PROCESS_MAPPED_H

#include "log/format.h"
#include "record/rendezvous/proc.h"

struct mapped {
	struct proc_map map;
	struct proc_mapping mapping; /* given by mapped_next() */
	unsigned char buffer[8192];  /* not on the stack, which may be a handler's */
	unsigned char head[2048];    /* of the file that is identified */
	char path[4200];
};

/* Returns false if there is no such process, or access is denied. mapped_close() ends it. */
bool mapped_open(struct mapped *mapped, uint32_t pid);
void mapped_close(struct mapped *mapped);

/*
 * Whether a mapping of the file begins at this address or, with 0, at any. Reading begins again with the
 * first line.
 */
bool mapped_has(struct mapped *mapped, const struct proc_file *file, uint64_t address);

/*
 * The next range of memory with code of a file: all of the module but path and build id. The mark differs for
 * different files at the same address.
 */
bool mapped_next(struct mapped *mapped, uint32_t pid, struct log_module *ret_module, uint32_t *ret_mark);
/*
 * Path and build id of the range that mapped_next() gave; the path, ended by NUL, is valid until the next
 * call. Returns NULL if it is too long.
 */
const char *mapped_identify(struct mapped *mapped, struct log_module *module);

#endif
