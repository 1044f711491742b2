/* SPDX-License-Identifier: MIT */
/*
 * Procinfo records: a traced process publishes its program, and which files lie where in its memory. A pool
 * is read later, when the process may have ended or called exec. So the process writes records into the pool
 * when it begins to be traced (a program that was exec'd, a child, or a new stream), and when it ends by
 * exit() and has loaded more files since.
 *
 * A record holds for the process's events from its stamp on. Records lie beside the sub-buffers, so that
 * events keep their room; the newest overwrite the oldest. A reader that has missed records reads /proc.
 *
 * Lock-free: a writer takes a sequence number, which selects a slot. A slot is valid if its check is right;
 * two concurrent writers, or a killed one, leave it invalid. Records are rare, so operations are sequentially
 * consistent; a reader compares n_procinfos_whole with acquire, after procinfo_put() added to it.
 */
#ifndef PROCESS_PROCINFO_H
#define PROCESS_PROCINFO_H

#include "record/buffer/pool.h"

enum procinfo_kind {
	PROCINFO_PROGRAM = 1, /* earlier records of the process no longer hold */
	PROCINFO_MODULE = 2,
};
#define PROCINFO_PATH_BYTES 160 /* a module with a longer path has no record */
struct procinfo {
	uint64_t ticks;
	uint32_t kind; /* enum procinfo_kind */
	uint32_t mark; /* PROCINFO_MODULE: mapped.h */
	uint64_t pool; /* PROCINFO_PROGRAM: where the process has mapped the pool */
	union {
		struct log_task task;
		struct log_module module;
	};
	char path[PROCINFO_PATH_BYTES]; /* PROCINFO_MODULE; ended by NUL */
};
_Static_assert(sizeof(struct procinfo) == POOL_PROCINFO_WORDS * sizeof(uint64_t), "a record fills its slot");

/* Stamps a record and writes it into a pool that has room for records. */
void procinfo_put(const struct pool *pool, struct procinfo *info);

/*
 * procinfo_publish(): writes the process as it is now to a pool; is_child: it was just forked, and its memory
 * has what its parent published. procinfo_end(): at the end of the process, writes the files that were loaded
 * since, to all its pools. Both under the process's lock.
 */
void procinfo_publish(const struct pool *pool, bool is_child);
void procinfo_end(void);
/* Called once, when the recorder is loaded. */
void procinfo_begin(void);

/* The records of a pool as one reader sees them; it takes each once. */
struct procinfo_reader {
	const struct pool *pool; /* NULL if there are no records */
	uint64_t n_whole;	 /* completed records at the last look */
	uint64_t idle_pid;	 /* no record of this process waits; PROCINFO_NO_PID */
	uint32_t n, found;
	struct procinfo_waiting {
		uint64_t number, ticks;
		uint32_t pid;
	} waiting[POOL_PROCINFOS];
	uint64_t known
		[POOL_PROCINFOS]; /* by slot: 1 more than the number of the record that waits, or was taken */
};

void procinfo_reader_begin(struct procinfo_reader *reader, const struct pool *pool);
/* Gets the first record of a process with a stamp up to these ticks; it gets the same record until that is
 * taken. Returns false if there is no such record. */
bool procinfo_reader_peek(
	struct procinfo_reader *reader, uint32_t pid, uint64_t ticks, struct procinfo *ret_info);
void procinfo_reader_take(struct procinfo_reader *reader);
/* Whether no record of a process waits: a cheap look, which may be false in vain. */
static inline bool procinfo_reader_is_idle(const struct procinfo_reader *reader, uint32_t pid)
{
	return !reader->pool || (atomic_load_explicit(&reader->pool->shared->n_procinfos_whole,
					 memory_order_acquire) == reader->n_whole &&
					(reader->n == 0 || pid == reader->idle_pid));
}

#endif
