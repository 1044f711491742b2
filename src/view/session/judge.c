/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "base/error.h"
#include "view/session/session.h"

enum { JUDGE_BEHIND = 1 << 20, LOOK_MS = 20 };

/* The first picture has priority: waits until the session is done or has read JUDGE_BEHIND events. */
static void judge_wait(struct session *session)
{
	const struct timespec moment = { .tv_nsec = LOOK_MS * 1000000L };
	bool may_begin = false;

	while (!may_begin && !session_is_ending(session)) {
		nanosleep(&moment, NULL);
		session_lock(session);
		may_begin = session->is_done || session->scan.n_events >= JUDGE_BEHIND;
		session_unlock(session);
	}
}

static bool judge_step(void *context, const struct scan *scan)
{
	(void)scan;
	return !session_is_ending(context);
}

static const struct observer_kind judge_observer = { .step = judge_step };

static void judge_progress(void *context, uint64_t n_events)
{
	(void)n_events;
	judge_pause(context);
}

enum rst_status judge_begin(struct session *session, struct rst_error *err)
{
	struct judge *judge = &session->judge;

	turnstile_init(&judge->turnstile);
	judge->is_apart =
		session->can_read_again && !session->spec.is_followed && session->n_bytes >= SESSION_LARGE;
	judge->scan = judge->is_apart ? &judge->own_scan : &session->scan;
	if (judge->is_apart)
		observers_add(&judge->own_scan.observers, &judge_observer, session);
	if (!findings_init(&judge->findings, judge->scan))
		return error_nomem(err);
	for (size_t i = 0; session->spec.has_relations && analyses[i]; i++)
		judge->stats.analyses[judge->stats.n_analyses++] = analyses[i];
	if (session->spec.has_relations)
		stats_init(&judge->stats, judge->scan);
	return RST_OK;
}

bool judge_finish(struct session *session)
{
	struct judge *judge = &session->judge;
	const bool is_good = findings_finish(&judge->findings);

	judge->is_done = true;
	return is_good;
}

static enum rst_status judge_scan(struct session *session, struct rst_error *err)
{
	struct judge *judge = &session->judge;

	judge->job = session_job(session);
	error_try(job_open(&judge->job, session->number, &judge->trace, err));
	judge->own_scan.trace = judge->trace;
	judge->own_scan.filter = &session->job.filter;
	judge->own_scan.progress = judge_progress;
	judge->own_scan.progress_context = session;
	const enum rst_status status = scan_run(&judge->own_scan, err);

	judge->own_scan.states = rst_states_free(judge->own_scan.states);
	return status;
}

/* The reader of the tracks has already reported damage. */
static void *judge_read(void *context)
{
	struct session *session = context;
	const struct judge *judge = &session->judge;
	struct rst_error err;
	enum rst_status status;

	pthread_setname_np(pthread_self(), "findings");
	judge_wait(session);
	judge_lock(session);
	status = judge_scan(session, &err);
	if (!judge_finish(session) && status >= 0)
		status = error_nomem(&err);
	judge_unlock(session);
	if (status < 0 && status != RST_E_DAMAGED && !session_is_ending(session)) {
		session_lock(session);
		session_fail(session, &err);
		session_unlock(session);
	}
	session_lock(session);
	const bool has_places = session->places->n > 0;

	session_unlock(session);
	if (status >= 0 && has_places && !session_is_ending(session))
		places_prepare(session->places, &judge->job, session->number);
	return NULL;
}

enum rst_status judge_start(struct session *session, struct rst_error *err)
{
	struct judge *judge = &session->judge;

	if (judge->is_apart)
		judge->is_reading = pthread_create(&judge->reader, NULL, judge_read, session) == 0;
	return judge->is_apart && !judge->is_reading ? error_nomem(err) : RST_OK;
}

void judge_end(struct session *session)
{
	if (session->judge.is_reading)
		pthread_join(session->judge.reader, NULL);
	session->judge.is_reading = false;
}

void judge_done(struct session *session)
{
	struct judge *judge = &session->judge;

	if (session->spec.has_relations)
		stats_done(&judge->stats);
	findings_done(&judge->findings);
	scan_done(&judge->own_scan);
	rst_trace_free(judge->trace);
	job_done(&judge->job);
	turnstile_done(&judge->turnstile);
}
