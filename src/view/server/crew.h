/* SPDX-License-Identifier: MIT */
/*
 * The threads that make answers: some for quick answers, others for answers that read the trace again, so
 * that no picture waits for a long search. A thread takes a work item, and calls done() when its answer is
 * complete.
 */
#ifndef VIEW_SERVER_CREW_H
#define VIEW_SERVER_CREW_H

#include "view/server/server.h"

struct work {
	struct work *next;
	struct request request;
	struct answer answer;
	bool is_slow;  /* it reads the trace */
	bool is_made;  /* the answer is complete: its thread sets it before done() */
	bool has_body; /* the answer's body must be freed */
	bool is_good;  /* false if memory ran out, or the crew was stopped first */
};

struct crew;

/* Returns RST_E_NOMEM if it cannot start threads. It calls done once for each work item. */
enum rst_status crew_start(struct crew **ret_crew, void (*done)(struct work *work), struct rst_error *err);
void crew_give(struct crew *crew, struct work *work);
/*
 * Waits for its threads: work items that have not begun, and those that come later, are done without an
 * answer.
 */
void crew_stop(struct crew *crew);
/* Call it after crew_stop(). */
struct crew *crew_free(struct crew *crew);

#endif
