/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/steady.h"
#include "view/terminal/screen.h"

enum {
	MOMENT_MS = 2,
	QUIET_MS = 200 /* no message before this time */,
	LOOK_MS = 100,
	ESCAPE = 27,
	KEYS_MAX = 32
};

/* A query of events that runs in its own thread. */
struct fetch {
	struct session *session;
	struct events_query *query;
	struct events *events;
	struct rst_error *err;
	enum rst_status status;
	bool is_done;
};

static void *fetch_run(void *context)
{
	struct fetch *fetch = context;

	fetch->status = events_read(fetch->session, fetch->query, fetch->events, fetch->err);
	__atomic_store_n(&fetch->is_done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Puts the keys back in front of all keys that were typed since. */
static void keys_give_back(const int *keys, size_t n_keys)
{
	while (n_keys)
		ungetch(keys[--n_keys]);
}

/*
 * Most answers arrive before it reads any key. Later it handles keys, and signals such as a resize, as usual.
 */
static void fetch_wait(struct app *app, struct fetch *fetch)
{
	const struct timespec moment = { .tv_nsec = MOMENT_MS * 1000000L };
	const uint64_t begin_ms = steady_ms();
	struct window *window = &app->windows[app->shown];
	int keys[KEYS_MAX];
	size_t n_keys = 0;

	while (!__atomic_load_n(&fetch->is_done, __ATOMIC_ACQUIRE)) {
		if (steady_ms() - begin_ms < QUIET_MS) {
			nanosleep(&moment, NULL);
			continue;
		}
		snprintf(window->message, MESSAGE_MAX, "reads events; Esc stops");
		window_draw(window);

		const int key = app_key(app, LOOK_MS);

		if (key == ESCAPE || app->is_quitting)
			__atomic_store_n(&fetch->query->is_stopped, true, __ATOMIC_RELAXED);
		else if (key != ERR && n_keys < KEYS_MAX)
			keys[n_keys++] = key;
	}
	keys_give_back(keys, n_keys);
	window->message[0] = '\0';
}

enum rst_status events_fetch(struct app *app, struct window *window, struct events_query *query,
	struct events *events, struct rst_error *err)
{
	struct fetch fetch = { .session = window->session, .query = query, .events = events, .err = err };
	pthread_t thread;

	if (pthread_create(&thread, NULL, fetch_run, &fetch) != 0)
		return events_read(window->session, query, events, err);
	fetch_wait(app, &fetch);
	pthread_join(thread, NULL);
	return fetch.status;
}
