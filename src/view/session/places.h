/* SPDX-License-Identifier: MIT */
/*
 * Places where a second reading can begin: the reader keeps a place every PLACES_EVENTS events, and a trace
 * that was read for an answer stays open for the next one. So the cost of an answer depends on its window,
 * and not on the events in front of it.
 */
#ifndef VIEW_SESSION_PLACES_H
#define VIEW_SESSION_PLACES_H

#include <pthread.h>
#include <sys/stat.h>

#include "job/job.h"
#include "trace/place.h"

enum { PLACES_EVENTS = LIMIT(65536, 4) };

struct place {
	uint64_t at;	   /* ticks, which never step back: no row in front of it is later */
	uint64_t n_events; /* in front of it */
	struct trace_place place;
};

/* A trace that is read for an answer, and the job and file that it was opened with. */
struct reader {
	struct rst_trace *trace;
	struct job job;
	struct stat file; /* if has_file; a file that has changed is opened again */
	bool has_file;
};

struct places {
	struct place *all; /* behind the session's lock */
	size_t n, room;
	pthread_mutex_t lock; /* of the members below */
	struct reader spare;  /* has no trace if it is empty */
};

void places_init(struct places *places);
void places_done(struct places *places);

/*
 * Called after a batch: keeps the place if it is far enough behind the last one. If memory runs out, it skips
 * the place.
 */
void places_add(struct places *places, const struct rst_trace *trace, uint64_t at, uint64_t n_events);

/*
 * Returns the last place such that all events in front of it are before `from`, or all have numbers below
 * `first`, if `first` is not 0. Returns NULL without such a place.
 */
const struct place *places_find(const struct places *places, uint64_t from, uint64_t first);

/*
 * Opens the n-th trace as job_open() of a job like this one does, or takes the one that is still open. Call
 * reader_give() in any case.
 */
enum rst_status reader_take(struct places *places, const struct job *like, size_t n,
	struct reader *ret_reader, struct rst_error *err);

/* Keeps the trace for the next answer, or closes it. */
void reader_give(struct places *places, struct reader *reader);

/* Opens a trace before an answer needs it: in a large file that takes a while. */
void places_prepare(struct places *places, const struct job *like, size_t n);

#endif
