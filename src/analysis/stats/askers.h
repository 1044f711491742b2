/* SPDX-License-Identifier: MIT */
/*
 * Finds the call for which a thread waits: the last call before the wait that may have to wait. Effects of a
 * batch come before its pieces, so the calls of one batch are kept until the thread's intervals pass them.
 */
#ifndef ANALYSIS_STATS_ASKERS_H
#define ANALYSIS_STATS_ASKERS_H

#include "analysis/scan.h"
#include "analysis/subjects.h"

struct askers {
	struct subjects threads;
};

/* A call of this effect's thread, which asks. Returns false if memory ran out. */
bool askers_ask(struct askers *askers, const struct occurrence *occurrence);

/*
 * Takes each piece of a thread. *ret_type is the type of the call for which it waits there. It is NULL if the
 * call is unknown or the thread does not wait. *ret_is_first is true if it has not waited for that call
 * before. Returns false if memory ran out.
 */
bool askers_piece(struct askers *askers, const struct piece *piece, const struct rst_type **ret_type,
	bool *ret_is_first);

void askers_done(struct askers *askers);

#endif
