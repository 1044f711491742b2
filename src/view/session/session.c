/* SPDX-License-Identifier: MIT */
#include "view/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/steady.h"
#include "trace/live.h"

enum { LIVE_SLICE_MS = 100 }; /* so often a reader that waits looks whether it is to stop */

static bool is_stopping(const struct session *session)
{
	return __atomic_load_n(&session->is_stopping, __ATOMIC_RELAXED);
}

static bool was_cut(const struct session *session)
{
	return __atomic_load_n(&session->was_cut, __ATOMIC_RELAXED);
}

bool session_is_ending(const struct session *session)
{
	return is_stopping(session) || was_cut(session);
}

/* --- what is gathered ----------------------------------------------------------------------------------- */

static void reader_pause(void *context, uint64_t n_events)
{
	struct session *session = context;

	(void)n_events;
	places_add(session->places, session->trace, session->scan.now, session->scan.n_events);
	session_pause(session);
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

	if (marker == RST_RUN && session->spec.has_relations)
		messages_forget(&session->messages);
	if (marker == RST_EVENT || marker == RST_RUN)
		return true;
	if (session->n_losses < SESSION_LOSSES_MAX)
		session->losses[session->n_losses] = (struct session_loss){ at, marker == RST_DAMAGE };
	session->n_losses++;
	if (session->spec.has_relations)
		messages_forget(&session->messages);
	return true;
}

static bool gather_step(void *context, const struct scan *scan)
{
	(void)scan;
	return !session_is_ending(context);
}

/* --- the reader ----------------------------------------------------------------------------------------- */

/* Bytes of a live input, which others need not wait for. */
static enum rst_status live_read(
	void *context, uint8_t *room, size_t n_room, int wait_ms, size_t *ret_n_bytes, struct rst_error *err)
{
	struct session *session = context;
	const struct live_input *input = &session->link_input;
	const uint64_t end_ms = wait_ms < 0 ? UINT64_MAX : steady_ms() + (uint64_t)wait_ms;
	enum rst_status status;
	uint64_t now_ms;

	do {
		now_ms = steady_ms();
		judge_unlock(session);
		session_unlock(session);
		status = input->read(input->context, room, n_room,
			now_ms + LIVE_SLICE_MS < end_ms ? LIVE_SLICE_MS
			: now_ms < end_ms		? (int)(end_ms - now_ms)
							: 0,
			ret_n_bytes, err);
		session_lock(session);
		judge_lock(session);
		if (is_stopping(session))
			return RST_END;
	} while (status == RST_OK && !*ret_n_bytes && steady_ms() < end_ms);
	return status;
}

static const char *live_missing(void *context)
{
	const struct session *session = context;

	return session->link_input.missing(session->link_input.context);
}

static void live_unknown(void *context, uint64_t n_bytes)
{
	const struct session *session = context;

	session->link_input.unknown(session->link_input.context, n_bytes);
}

static void session_observe(struct session *session)
{
	static const struct observer_kind kind = {
		.intervals = UINT32_MAX,
		.rows_wanted = ROWS_GAPS,
		.row = gather_row,
		.piece = gather_piece,
		.step = gather_step,
	};

	observers_add(&session->scan.observers, &kind, session);
	if (session->spec.has_relations)
		messages_init(&session->messages, &session->scan, &session->tracks);
}

static enum rst_status session_open(struct session *session, struct rst_error *err)
{
	const struct session_listener *listener = session->spec.listener;
	struct dialect_templates *templates;
	const struct diag *diag;

	error_try(job_select_run(&session->job, session->number, err));
	error_try(job_open(&session->job, session->number, &session->trace, err));
	error_try(job_templates(&session->job, session->trace, &templates, err));
	while ((diag = templates_next_diag(templates, false)))
		listener->diagnose(listener->context, diag);
	return RST_OK;
}

static enum rst_status session_scan(struct session *session, struct rst_error *err)
{
	if (!session->trace)
		error_try(session_open(session, err));
	session->scan.trace = session->trace;
	session->scan.filter = &session->job.filter;
	session->scan.progress = reader_pause;
	session->scan.progress_context = session;
	const enum rst_status status = scan_run(&session->scan, err);

	if (was_cut(session)) {
		error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "the file became shorter while it was read");
		error_name(err, session->job.paths[session->number]);
		return RST_E_DAMAGED;
	}
	return status;
}

void session_fail(struct session *session, const struct rst_error *err)
{
	const struct session_listener *listener = session->spec.listener;
	char text[sizeof(session->failure)];

	rst_error_text(err, text, sizeof(text));
	listener->tell(listener->context, text);
	session->outcome = outcome_worse(session->outcome, outcome_of(err));
	if (!session->failure[0])
		memcpy(session->failure, text, sizeof(text));
}

/*
 * The reader's thread. The part that it has read stays visible after any error, also while it makes the last
 * findings.
 */
static void *session_read(void *context)
{
	struct session *session = context;
	const bool judges = !session->judge.is_apart;
	struct rst_error err;
	enum rst_status status;

	pthread_setname_np(pthread_self(), "tracks");
	session_lock(session);
	if (judges)
		judge_lock(session);
	status = session_scan(session, &err);
	session_unlock(session);
	if (judges && !judge_finish(session) && status >= 0)
		status = error_nomem(&err);
	if (judges)
		judge_unlock(session);
	session_lock(session);
	if (status < 0 && !is_stopping(session))
		session_fail(session, &err);
	session->is_done = true;
	/* With a million threads, what the engine knows of them is large. */
	session->scan.states = rst_states_free(session->scan.states);
	session_unlock(session);
	return NULL;
}

/* --- begin and end -------------------------------------------------------------------------------------- */

/* A wrong name is reported at once; later the file may come and go. */
static enum rst_status followed_check(const char *path, struct rst_error *err)
{
	struct stat st;

	if (access(path, R_OK) == 0 && stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return RST_OK;
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot open: %s",
		strerror(access(path, R_OK) == 0 ? EISDIR : errno));
	error_name(err, path);
	return RST_E_IO;
}

/* A file that is followed, or a pipe; others are not live. */
static enum rst_status live_begin(struct session *session, struct rst_error *err)
{
	struct link *link = session->spec.link;

	session->is_live = link != NULL;
	if (!link)
		return RST_OK;
	session->has_link = true;
	error_try(link_start(link, err));
	if (session->spec.is_followed)
		error_try(followed_check(session->job.paths[0], err));
	session->link_input = link_input(link);
	session->input = session->link_input;
	session->input.context = session;
	session->input.read = live_read;
	session->input.missing = live_missing;
	session->input.unknown = live_unknown;
	session->job_spec.open.live = &session->input;
	return RST_OK;
}

static off_t file_bytes(const struct session *session)
{
	struct stat st;

	return stat(session->job.paths[session->number], &st) == 0 ? st.st_size : -1;
}

void session_check_file(struct session *session)
{
	if (!session->is_live && file_bytes(session) < session->n_bytes)
		__atomic_store_n(&session->was_cut, true, __ATOMIC_RELAXED);
}

enum rst_status session_begin(
	struct session *session, const struct session_spec *spec, size_t number, struct rst_error *err)
{
	turnstile_init(&session->turnstile);
	session->number = number;
	session->spec = *spec;
	session->job_spec = *spec->job;
	session->job =
		(struct job){ .spec = &session->job_spec, .n_paths = spec->n_paths, .paths = spec->paths };
	job_begin(&session->job);
	session->can_read_again = job_can_read_again(&session->job, number);
	session->places = calloc(1, sizeof(*session->places));
	if (!session->places)
		return error_nomem(err);
	places_init(session->places);
	session->n_bytes = file_bytes(session);
	session_observe(session);
	error_try(judge_begin(session, err));
	error_try(live_begin(session, err));
	if (!session->is_live)
		error_try(session_open(session, err));
	session->n_bytes = file_bytes(session);
	if (pthread_create(&session->reader, NULL, session_read, session) != 0)
		return error_nomem(err);
	session->is_reading = true;
	return judge_start(session, err);
}

int session_percent(const struct session *session)
{
	if (session->is_done)
		return 100;
	return session->trace && !session->is_live ? trace_percent(session->trace) : -1;
}

void session_stop(struct session *session)
{
	__atomic_store_n(&session->is_stopping, true, __ATOMIC_RELAXED);
}

struct job session_job(const struct session *session)
{
	return (struct job){
		.spec = session->spec.job, .n_paths = session->spec.n_paths, .paths = session->spec.paths
	};
}

int session_end(struct session *session)
{
	const struct session_listener *listener = session->spec.listener;
	int outcome;

	session_stop(session);
	if (session->is_reading)
		pthread_join(session->reader, NULL);
	judge_end(session);
	outcome = session->outcome;
	if (session->trace)
		outcome = outcome_worse(outcome,
			notes_tell(session->trace, true, NOTES_SUMMED_UP, listener->tell, listener->context));
	judge_done(session);
	scan_done(&session->scan);
	if (session->spec.has_relations)
		messages_done(&session->messages);
	tracks_done(&session->tracks);
	if (session->places)
		places_done(session->places);
	free(session->places);
	rst_trace_free(session->trace);
	if (session->has_link)
		link_done(session->spec.link);
	job_done(&session->job);
	turnstile_done(&session->turnstile);
	return outcome;
}
