/* SPDX-License-Identifier: MIT */
/*
 * /api/live: server-sent events, which say how far the trace has come. A stream that has nothing to say sleeps, and is waked by
 * streams_tick() when there is something.
 */
#ifndef VIEW_SERVER_STREAM_H
#define VIEW_SERVER_STREAM_H

#include <microhttpd.h>

#include "view/server/server.h"

enum { STREAMS_MAX = 16 };

struct stream;

struct streams {
	pthread_mutex_t lock;
	struct stream *first;
	size_t n;
	bool is_stopping;
};

void streams_init(struct streams *streams);
void streams_done(struct streams *streams);

/* A response that goes on until the trace is done. Returns NULL if there are too many, or memory ran out. */
struct MHD_Response *stream_open(
	struct streams *streams, struct session *session, struct MHD_Connection *connection);

/* Wakes those that have something to say. */
void streams_tick(struct streams *streams);

/* All end, and no new one begins. */
void streams_stop(struct streams *streams);

#endif
