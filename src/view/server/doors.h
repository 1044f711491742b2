/* SPDX-License-Identifier: MIT */
/*
 * The open connections. A connection without a whole request for DOORS_MS is closed: a client that sends a
 * byte now and then must not keep others out. If more than DOORS_MANY are open, the one that has waited
 * longest is closed.
 */
#ifndef VIEW_SERVER_DOORS_H
#define VIEW_SERVER_DOORS_H

#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { DOORS_MS = 10000, DOORS_MANY = 96 };

struct door;

struct doors {
	pthread_mutex_t lock;
	struct door *first; /* the newest */
	size_t n;
};

void doors_init(struct doors *doors);
void doors_done(struct doors *doors);

/* As MHD_OPTION_NOTIFY_CONNECTION wants it; the context is a struct doors. */
void doors_notify(void *context, struct MHD_Connection *connection, void **socket_context,
	enum MHD_ConnectionNotificationCode code);

/* A request has begun to be answered, or its answer was sent: the next one has its own time. */
void doors_enter(struct doors *doors, struct MHD_Connection *connection);
void doors_leave(struct doors *doors, struct MHD_Connection *connection);

void doors_tick(struct doors *doors);

#endif
