/* SPDX-License-Identifier: MIT */
#include "view/server/doors.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/steady.h"

struct door {
	struct door *next;
	int fd;
	uint64_t since_ms; /* of the last answer, or of its begin */
	bool is_inside;	   /* a request is being answered */
	bool is_shut;
};

static void door_shut(struct door *door)
{
	shutdown(door->fd, SHUT_RDWR);
	door->is_shut = true;
}

void doors_init(struct doors *doors)
{
	*doors = (struct doors){ .first = NULL };
	pthread_mutex_init(&doors->lock, NULL);
}

void doors_done(struct doors *doors)
{
	pthread_mutex_destroy(&doors->lock);
}

/* Closes the connection that has waited longest, to make room. */
static void door_spare(const struct doors *doors)
{
	struct door *oldest = NULL;

	for (struct door *door = doors->first; door; door = door->next)
		if (!door->is_inside && !door->is_shut)
			oldest = door;
	if (oldest)
		door_shut(oldest);
}

/* If memory runs out, the connection is not watched; the library has its own time limit between two bytes. */
static void door_open(struct doors *doors, struct MHD_Connection *connection, void **socket_context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct door *door = info ? calloc(1, sizeof(*door)) : NULL;

	*socket_context = door;
	if (!door)
		return;
	if (++doors->n > DOORS_MANY)
		door_spare(doors);
	door->fd = info->connect_fd;
	door->since_ms = steady_ms();
	door->next = doors->first;
	doors->first = door;
}

static void door_close(struct doors *doors, struct door *door)
{
	for (struct door **at = &doors->first; *at; at = &(*at)->next)
		if (*at == door) {
			*at = door->next;
			doors->n--;
			free(door);
			return;
		}
}

void doors_notify(void *context, struct MHD_Connection *connection, void **socket_context,
	enum MHD_ConnectionNotificationCode code)
{
	struct doors *doors = context;

	pthread_mutex_lock(&doors->lock);
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		door_open(doors, connection, socket_context);
	else
		door_close(doors, *socket_context);
	pthread_mutex_unlock(&doors->lock);
}

static void door_set(struct doors *doors, struct MHD_Connection *connection, bool is_inside)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct door *door = info ? info->socket_context : NULL;

	pthread_mutex_lock(&doors->lock);
	if (door) {
		door->is_inside = is_inside;
		door->since_ms = steady_ms();
	}
	pthread_mutex_unlock(&doors->lock);
}

void doors_enter(struct doors *doors, struct MHD_Connection *connection)
{
	door_set(doors, connection, true);
}

void doors_leave(struct doors *doors, struct MHD_Connection *connection)
{
	door_set(doors, connection, false);
}

void doors_tick(struct doors *doors)
{
	const uint64_t now_ms = steady_ms();

	pthread_mutex_lock(&doors->lock);
	for (struct door *door = doors->first; door; door = door->next)
		if (!door->is_inside && now_ms - door->since_ms >= DOORS_MS)
			door_shut(door);
	pthread_mutex_unlock(&doors->lock);
}
