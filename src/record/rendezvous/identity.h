/* SPDX-License-Identifier: MIT */
/*
 * The identity of a process, and the names of its files in a rendezvous directory. Pids are reused; pid and
 * start time (field 22 of /proc/PID/stat, which exec does not change) identify a process for ever.
 */
#ifndef RENDEZVOUS_IDENTITY_H
#define RENDEZVOUS_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct identity {
	uint64_t start; /* clock ticks since boot */
	uint32_t pid;
	uint32_t space; /* the inode number of the pid namespace in which this is its pid */
};

/* A file of shared memory, named by its maker and a number. All zeros: none. */
struct identity_file {
	struct identity maker;
	uint64_t serial;
};

#define IDENTITY_NAME_BYTES 72 /* of any file's name, with its NUL */

enum identity_kind {
	IDENTITY_CONTROL = 'c', /* the control page of a process; serial 0 */
	IDENTITY_NAMES = 'n',	/* a map of names */
	IDENTITY_POOL = 'r',	/* the pool of a stream */
	IDENTITY_DRAFT = 'd',	/* a control page that is being made */
};

/* All functions are async-signal-safe, no cancellation points, and keep errno. */

/*
 * The identity of a process; pid 0: the caller. False: no process has this pid, or /proc does not show it, or
 * shows another namespace than the caller's; then only the pid is filled in. The number of a thread counts as
 * a process's.
 */
bool identity_of(uint32_t pid, struct identity *ret_identity);
/*
 * Whether it runs, even if only with threads other than its first. A process that cannot be identified (in
 * another namespace, or hidden by /proc) counts as running.
 */
bool identity_runs(const struct identity *identity);
/* The same for one thread, by its number alone. */
bool identity_thread_runs(uint32_t tid);
bool identity_is(const struct identity *one, const struct identity *other);
bool identity_file_is(const struct identity_file *one, const struct identity_file *other);

/* "r-4026531836-1234-567890-1": the file's name. */
void identity_file_name(
	enum identity_kind kind, const struct identity_file *file, char ret_name[IDENTITY_NAME_BYTES]);
/* The inverse; false if the name is not exactly as identity_file_name() writes it. */
bool identity_file_parse(const char *name, enum identity_kind *ret_kind, struct identity_file *ret_file);

#endif
