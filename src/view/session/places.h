/* SPDX-License-Identifier: MIT */
/*
 * Where reading once more may begin: the reader leaves a place every PLACES_EVENTS events, and a trace that was read for an
 * answer stays open for the next one. So an answer costs what lies in its window, and not what lies in front of it.
 */
#ifndef VIEW_SESSION_PLACES_H
#define VIEW_SESSION_PLACES_H

#include <pthread.h>
#include <sys/stat.h>

#include "cli/analysis/analysis.h"
#include "dialect/place.h"

enum { PLACES_EVENTS = LIMIT(65536, 4) };

struct place {
	uint64_t at;	   /* ticks, which never step back: no row in front of it is later */
	uint64_t n_events; /* in front of it */
	struct trace_place place;
};

/* A trace that is read for an answer, and what it was opened with. */
struct reader {
	struct rst_trace *trace;
	struct survey survey;
	struct stat file; /* with has_file: a file that is another one now is opened again */
	bool has_file;
};

struct places {
	struct place *all; /* behind the session's lock */
	size_t n, room;
	pthread_mutex_t lock; /* of what follows */
	struct reader spare;  /* without a trace: there is none */
};

void places_init(struct places *places);
void places_done(struct places *places);

/* Behind a batch of the trace: keeps the place, if it is far enough behind the last one. Without memory there are less. */
void places_add(struct places *places, const struct rst_trace *trace, uint64_t at, uint64_t n_events);

/*
 * The last place with neither an event of this moment or later, nor one of this number or later in front of
 * it; NULL if there is none.
 */
const struct place *places_find(const struct places *places, uint64_t from, uint64_t first);

/* Opens the n-th trace, or takes the one that is open still; as survey_open(). reader_give() is due in any case. */
enum rst_status reader_take(struct places *places, struct survey *survey, size_t n, struct reader *ret_reader,
	struct rst_error *err);

/* Keeps the trace for the next one, or closes it. */
void reader_give(struct places *places, struct reader *reader);

/* Opens one before it is needed: in a large file that takes a while. */
void places_prepare(struct places *places, const struct survey *like, size_t n);

#endif
