/* SPDX-License-Identifier: MIT */
/*
 * Those who make answers: some threads for what is at hand, others for what reads the trace once more, so that a long search keeps
 * no picture waiting. A job is given to them, and done() is called when its answer is there, in their thread.
 */
#ifndef VIEW_SERVER_CREW_H
#define VIEW_SERVER_CREW_H

#include "view/server/server.h"

struct job {
	struct job *next;
	struct request request;
	struct answer answer;
	bool is_slow;  /* it reads the trace */
	bool is_made;  /* the answer is there: written by its thread before done() */
	bool has_body; /* the answer's is to be freed */
	bool is_good;  /* false if memory ran out, or the crew was stopped first */
};

struct crew;

/* Returns RST_E_NOMEM if threads cannot be had. done is called once for each job. */
enum rst_status crew_start(struct crew **ret_crew, void (*done)(struct job *job), struct rst_error *err);
void crew_give(struct crew *crew, struct job *job);
/* Waits for its threads: jobs that have not begun, and those that come later, are done without an answer. */
void crew_stop(struct crew *crew);
/* Behind crew_stop(). */
struct crew *crew_free(struct crew *crew);

#endif
