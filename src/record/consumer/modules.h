/* SPDX-License-Identifier: MIT */
/*
 * Which memory ranges of processes a log describes, so that each is written once, and the range of an address
 * can be found. Async-signal-safe.
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
#define MODULES_MAX 512
#define MODULES_WRITTEN_MAX \
	16384 /* in all: pids are claims of the traced processes, and a log must not grow without end */
struct modules {
	uint32_t n;
	struct modules_range range[MODULES_MAX]; /* written to the log; the oldest are replaced */
	uint32_t next;				 /* to be replaced */
	uint32_t n_written;
	uint32_t n_passed_over;
	struct mapped mapped; /* of modules_write() */
};

/* The written range with this address, or NULL. It is valid until a range is written or forgotten. */
const struct modules_range *modules_find(const struct modules *modules, uint32_t pid, uint64_t address);
/* Whether a written range has this address. */
bool modules_know(const struct modules *modules, uint32_t pid, uint64_t address);

/*
 * Proof that a map belongs to the program that made the events: it shows their pool, at this address (0: at
 * any). After exec it does not, or at another address.
 */
struct modules_proof {
	const struct proc_file *memory;
	uint64_t address;
};
/*
 * Reads the map of a process and writes new ranges to the log, if the map has the proof (NULL: needs none).
 * 0, or the log's error; a map that cannot be read (of a process that has ended) is no error.
 */
int modules_write(
	struct modules *modules, uint32_t pid, const struct modules_proof *proof, struct log_writer *log);
/* The same for a range from a procinfo record. */
int modules_add(struct modules *modules, const struct log_module *module, const char *path, uint32_t mark,
	struct log_writer *log);
/* The process is another one, or runs another program: its ranges no longer hold. */
void modules_forget(struct modules *modules, uint32_t pid);

#endif
