/* SPDX-License-Identifier: MIT */
/*
 * Counts each request of a thread to an object once. Some recordings have one event for a call, with the
 * phase RST_ASKS if the call may have to wait. Others have one event when the call begins and another one
 * when it is done. So an event of a type that never asks completes the thread's request; any other event is a
 * call of its own.
 */
#ifndef ANALYSIS_STATS_REQUESTS_H
#define ANALYSIS_STATS_REQUESTS_H

#include "analysis/scan.h"
#include "analysis/subjects.h"

struct requests {
	struct subjects threads;
	const struct rst_type *type; /* completes, gives up: of the event that asked … */
	uint64_t at;		     /* … and when that was */
};

enum request_event {
	REQUEST_NO_MEMORY = -1,
	REQUEST_BEGINS,	   /* a call that may have to wait: it succeeds unless a failure follows */
	REQUEST_SUCCEEDS,  /* a call that was done at once */
	REQUEST_COMPLETES, /* an earlier call is done */
	REQUEST_FAILS,	   /* a call that failed at once */
	REQUEST_GIVES_UP,  /* an earlier call has failed */
};

/* Decides what an effect of acquire, receive, send or allocate means. */
enum request_event request_take(struct requests *requests, const struct occurrence *occurrence);

/*
 * The same for a call without an object, such as poll(): it begins with the thread's request to wait, and
 * ends when that thread wakes itself. For effects of wait and wake, with requests of their own. *ret_ends is
 * true if the call of requests->type, which began at requests->at, ends here. Returns false if memory ran
 * out.
 */
bool request_wait(struct requests *requests, const struct occurrence *occurrence, bool *ret_ends);

void requests_done(struct requests *requests);

#endif
