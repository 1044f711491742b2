/* SPDX-License-Identifier: MIT */
/*
 * The virtual table overlap_rows(kind, state, kind, state), of which overlaps() is made. A join of intervals
 * by time compares each with each; this passes once over the intervals of both sides, in the order of their
 * begins, and keeps only those that have not ended. So its time is that of a sort, and of the rows that it
 * finds.
 */
#ifndef DATABASE_SWEEP_H
#define DATABASE_SWEEP_H

#include "database/database.h"

/* Adds it to a connection. Questions of users cannot read it. RST_E_IO, RST_E_NOMEM. */
enum rst_status sweep_add(struct database *database, struct rst_error *err);

#endif
