/* SPDX-License-Identifier: MIT */
/*
 * For which call a thread waits: the last one before the wait that might have to wait. Effects of a batch come before its
 * pieces, so the calls of one batch are remembered; they are forgotten as the thread's intervals pass them.
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
 * Takes each piece of a thread. *ret_type is the type of the call for which it waits there, NULL: none is
 * known, or it does not wait; *ret_is_first: it has not waited for that call before. Returns false if memory
 * ran out.
 */
bool askers_piece(struct askers *askers, const struct piece *piece, const struct rst_type **ret_type,
	bool *ret_is_first);

void askers_done(struct askers *askers);

#endif
