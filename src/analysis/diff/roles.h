/* SPDX-License-Identifier: MIT */
/*
 * The roles of threads and objects: the same in every run of one program. On systems that draw the numbers of
 * threads and processes, and where addresses belong to processes, neither numbers nor addresses are roles:
 *
 *	process   its program, and which of that program's processes it is
 *	thread    its process, the function that it runs, its name, and which of these threads it is
 *	lock      its process, its name, and which of these locks it is
 *
 * Processes and threads count in the order of their numbers, which the system gives in the order of creation;
 * locks in the order of their first use. All other things are what their name says or, without a name, their
 * number.
 */
#ifndef ANALYSIS_DIFF_ROLES_H
#define ANALYSIS_DIFF_ROLES_H

#include <rastrum/rastrum.h>

#include "analysis/subjects.h"
#include "base/text.h"

/* A thread of the trace. */
struct role {
	struct subject subject;
	struct text start; /* the function that it runs; empty if it is unknown */
	uint64_t key;
};

struct roles {
	struct rst_trace *trace; /* borrowed; set before anything else is done */
	struct subjects threads; /* struct role */
	struct map processes;	 /* number to uint64_t: its key */
	struct arena arena;
};

void roles_init(struct roles *roles);
void roles_done(struct roles *roles);

/* An event creates the thread that it is by. Returns false if memory ran out. */
bool roles_take_creation(struct roles *roles, const struct rst_batch *batch, size_t row);

/*
 * Called when the trace has been read, with all its threads. Returns false if memory ran out.
 */
bool roles_settle(struct roles *roles, const struct subjects *threads);

/*
 * Sets keys[i] to the role of subjects->all[i]; two subjects with one key have one role. keys has room for
 * all. Returns false if memory ran out.
 */
bool roles_keys(const struct roles *roles, const struct subjects *subjects, uint64_t *keys);

/*
 * Returns words for a thing that every run has: the function of a thread, a name without its number, or the
 * kind. Returns an empty text for a thing of the whole system: its name or number will do. The text lives as
 * long as the trace.
 */
struct text roles_words(const struct roles *roles, const struct rst_entity *entity);

/* Whether the things of the trace belong to processes. */
static inline bool roles_have_processes(const struct roles *roles)
{
	return roles->processes.n_used != 0;
}

/* The role of a thread. */
uint64_t roles_thread(const struct roles *roles, const struct rst_entity *thread);

#endif
