/* SPDX-License-Identifier: MIT */
#include "view/server/server.h"

#include "base/error.h"

/* Rows that come while others ask: the lock is held for a batch, and given away between two of them. */
static void reader_pause(void *context, uint64_t n_events)
{
	struct session *session = context;

	(void)n_events;
	pthread_mutex_unlock(&session->lock);
	/* One that waits gets it: a mutex alone would mostly come back here. */
	sched_yield();
	pthread_mutex_lock(&session->lock);
}

static bool gather_piece(void *context, const struct piece *piece)
{
	struct session *session = context;

	return tracks_add(&session->tracks, piece->interval, 0);
}

static bool gather_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct session *session = context;
	const enum rst_marker marker = batch->type[row]->marker;

	if (marker == RST_EVENT)
		return true;
	if (session->n_losses < SESSION_LOSSES_MAX)
		session->losses[session->n_losses] = (struct session_loss){ at, marker == RST_DAMAGE };
	session->n_losses++;
	return true;
}

static bool gather_step(void *context, const struct scan *scan)
{
	const struct session *session = context;

	(void)scan;
	return !session->is_stopping;
}

static void *session_read(void *context)
{
	struct session *session = context;
	const struct observer *const observers[] = { &session->stats.observer, &session->observer };
	struct rst_error err;

	pthread_mutex_lock(&session->lock);
	session->scan = (struct scan){ .trace = session->trace,
		.filter = &session->survey->filter,
		.observers = observers,
		.n_observers = 2,
		.progress = reader_pause,
		.progress_context = session };
	if (scan_run(&session->scan, &err) < 0 && !session->is_stopping)
		session->exit_status = common_fail(&err);
	session->is_done = true;
	pthread_mutex_unlock(&session->lock);
	return NULL;
}

enum rst_status session_begin(struct session *session, struct survey *survey, struct rst_error *err)
{
	error_try(survey_open(survey, 0, &session->trace, err));
	session->survey = survey;
	session->exit_status = EXIT_GOOD;
	for (size_t i = 0; analyses[i]; i++)
		session->stats.analyses[session->stats.n_analyses++] = analyses[i];
	stats_init(&session->stats, &session->scan);
	session->observer = (struct observer){
		.context = session,
		.intervals = UINT32_MAX,
		.row = gather_row,
		.piece = gather_piece,
		.step = gather_step,
	};
	pthread_mutex_init(&session->lock, NULL);
	if (pthread_create(&session->reader, NULL, session_read, session) == 0)
		return RST_OK;
	session->trace = rst_trace_free(session->trace);
	return error_nomem(err);
}

int session_end(struct session *session)
{
	pthread_mutex_lock(&session->lock);
	session->is_stopping = true;
	pthread_mutex_unlock(&session->lock);
	pthread_join(session->reader, NULL);
	session->exit_status =
		common_worse(session->exit_status, common_print_notes(session->trace, true, NOTES_SUMMED_UP));
	stats_done(&session->stats);
	scan_done(&session->scan);
	tracks_done(&session->tracks);
	rst_trace_free(session->trace);
	pthread_mutex_destroy(&session->lock);
	return session->exit_status;
}
