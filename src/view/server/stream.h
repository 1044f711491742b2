/* SPDX-License-Identifier: MIT */
/*
 * /api/live: server-sent events with the progress of the trace. A stream sleeps while it has no news;
 * streams_tick() wakes it when it has some.
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

/*
 * Makes a response that goes on until the trace is done. Returns NULL if too many are open or memory ran out.
 */
struct MHD_Response *stream_open(
	struct streams *streams, struct session *session, struct MHD_Connection *connection);

/* Wakes the streams that have news. */
void streams_tick(struct streams *streams);

/* Ends all streams, and refuses new ones. */
void streams_stop(struct streams *streams);

#endif
