/* SPDX-License-Identifier: MIT */
#include "view/server/crew.h"

#include <stdlib.h>

#include "base/error.h"

enum { N_GANGS = 2, GANG_THREADS = 2 };

/* Threads with one queue. */
struct gang {
	struct crew *crew;
	struct work *first, **last;
	pthread_cond_t has_work;
	pthread_t threads[GANG_THREADS];
	size_t n_threads;
};

struct crew {
	struct gang gangs[N_GANGS]; /* the second is for slow work items */
	void (*done)(struct work *work);
	pthread_mutex_t lock;
	bool is_stopping;
};

static void work_make(struct work *work)
{
	if (!outbuf_init(&work->answer.body, OUTBUF_MEMORY))
		return;
	work->has_body = true;
	work->is_good = route(&work->request, &work->answer) && !work->answer.body.error;
}

static void work_end(struct crew *crew, struct work *work)
{
	__atomic_store_n(&work->is_made, true, __ATOMIC_RELEASE);
	crew->done(work);
}

static void *gang_work(void *context)
{
	struct gang *gang = context;
	struct crew *crew = gang->crew;

	pthread_mutex_lock(&crew->lock);
	for (;;) {
		struct work *work = gang->first;

		if (!work && crew->is_stopping)
			break;
		if (!work) {
			pthread_cond_wait(&gang->has_work, &crew->lock);
			continue;
		}
		gang->first = work->next;
		if (!gang->first)
			gang->last = &gang->first;
		const bool is_wanted = !crew->is_stopping;

		pthread_mutex_unlock(&crew->lock);
		if (is_wanted)
			work_make(work);
		work_end(crew, work);
		pthread_mutex_lock(&crew->lock);
	}
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

enum rst_status crew_start(struct crew **ret_crew, void (*done)(struct work *work), struct rst_error *err)
{
	struct crew *crew = *ret_crew = calloc(1, sizeof(*crew));

	if (!crew)
		return error_nomem(err);
	crew->done = done;
	pthread_mutex_init(&crew->lock, NULL);
	for (size_t i = 0; i < N_GANGS; i++) {
		crew->gangs[i].crew = crew;
		crew->gangs[i].last = &crew->gangs[i].first;
		pthread_cond_init(&crew->gangs[i].has_work, NULL);
	}
	for (size_t i = 0; i < N_GANGS; i++) {
		struct gang *gang = &crew->gangs[i];

		for (; gang->n_threads < GANG_THREADS; gang->n_threads++)
			if (pthread_create(&gang->threads[gang->n_threads], NULL, gang_work, gang) != 0) {
				crew_stop(crew);
				*ret_crew = crew_free(crew);
				return error_nomem(err);
			}
	}
	return RST_OK;
}

void crew_give(struct crew *crew, struct work *work)
{
	struct gang *gang = &crew->gangs[work->is_slow];

	pthread_mutex_lock(&crew->lock);
	const bool is_taken = !crew->is_stopping;

	work->next = NULL;
	if (is_taken) {
		*gang->last = work;
		gang->last = &work->next;
		pthread_cond_signal(&gang->has_work);
	}
	pthread_mutex_unlock(&crew->lock);
	if (!is_taken)
		work_end(crew, work);
}

void crew_stop(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->is_stopping = true;
	for (size_t i = 0; i < N_GANGS; i++)
		pthread_cond_broadcast(&crew->gangs[i].has_work);
	pthread_mutex_unlock(&crew->lock);
	for (size_t i = 0; i < N_GANGS; i++)
		for (size_t k = 0; k < crew->gangs[i].n_threads; k++)
			pthread_join(crew->gangs[i].threads[k], NULL);
}

struct crew *crew_free(struct crew *crew)
{
	if (!crew)
		return NULL;
	for (size_t i = 0; i < N_GANGS; i++)
		pthread_cond_destroy(&crew->gangs[i].has_work);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
	return NULL;
}
