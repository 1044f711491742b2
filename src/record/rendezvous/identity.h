/* SPDX-License-Identifier: MIT */
/*
 * Who a process is, and what its files in a rendezvous directory are called. A pid alone comes again; with the time the
 * process began (field 22 of /proc/PID/stat, which exec does not change) it names a process for ever.
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

/* A file of shared memory, named by who made it and a number. All zeros: none. */
struct identity_file {
	struct identity maker;
	uint64_t serial;
};

#define IDENTITY_NAME_BYTES 72 /* of any file's name, with its zero */

enum identity_kind {
	IDENTITY_CONTROL = 'c', /* the control page of a process; serial 0 */
	IDENTITY_NAMES = 'n',	/* a map of names */
	IDENTITY_POOL = 'r',	/* a stream */
	IDENTITY_DRAFT = 'd',	/* a control page that is being made */
};

/* All functions are async-signal-safe, no cancellation points, and leave errno as it was. */

/*
 * The identity of a process; pid 0: the caller. False: none of this pid runs, or /proc does not tell, or tells of another
 * namespace than the caller's; then the pid is filled in, and no other process is. A thread's number is taken for a
 * process's.
 */
bool identity_of(uint32_t pid, struct identity *ret_identity);
/* Whether it runs, if only with threads other than its first. What cannot be judged (it is in another namespace, or /proc
 * hides it) counts as running. */
bool identity_runs(const struct identity *identity);
/* The same of one thread, the first of a process among them, by its number alone. */
bool identity_thread_runs(uint32_t tid);
bool identity_is(const struct identity *one, const struct identity *other);
bool identity_file_is(const struct identity_file *one, const struct identity_file *other);

/* "r-4026531836-1234-567890-1": the file's name. */
void identity_file_name(
	enum identity_kind kind, const struct identity_file *file, char ret_name[IDENTITY_NAME_BYTES]);
/* The other way round; false: the name is not exactly as the function above writes it. */
bool identity_file_parse(const char *name, enum identity_kind *ret_kind, struct identity_file *ret_file);

#endif
