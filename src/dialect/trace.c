/* SPDX-License-Identifier: MIT */
/*
 * One open trace: a source gives pieces, a dialect turns them into batches, the model holds what is known. All of
 * <rastrum/trace.h> is here. Begin reading at rst_trace_next().
 */
#include <rastrum/trace.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dialect/live.h"
#include "dialect/recognise.h"

enum { PAUSE_MS = 200 };

struct rst_trace {
	struct model model;
	struct batch batch;
	const struct dialect *dialect;
	void *state;
	struct source **sources; /* one, and the joined ones */
	size_t n_sources;
	size_t n_read;	    /* sources whose bytes have all been given to the dialect */
	struct piece piece; /* what the dialect has not used up yet */
	bool has_piece;
	bool goes_on;	      /* the source was given as a whole up to what may be, and goes on by pieces */
	size_t n_faults_seen; /* of the source being read */
	struct rst_gap *due;  /* faults of wrappings whose rows are still to come */
	size_t n_due, due_room, n_put;
	struct rst_facts facts;
	enum rst_status answer; /* of the dialect, once rows that came before it are out; RST_OK: none yet */
	enum rst_status ended;	/* RST_OK while there may be more */
	struct rst_error error; /* why it ended, for every later call */
};

/* --- opening ------------------------------------------------------------------------------------------------ */

static enum rst_status trace_check_settings(
	const struct dialect *dialect, const struct rst_open *how, struct rst_error *err)
{
	for (size_t i = 0; i < how->n_settings; i++) {
		const struct dialect_option *option = dialect->options;

		while (option->key && strcmp(option->key, how->settings[i].key) != 0)
			option++;
		if (option->key)
			continue;
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the dialect %s has no setting '%s'",
			dialect->name, how->settings[i].key);
		error_advise(err, "`rastrum info --dialects` lists the settings");
		return RST_E_USAGE;
	}
	return RST_OK;
}

/* Remembers it; its row is due. */
static enum rst_status trace_owe(struct rst_trace *trace, const struct rst_gap *gap, struct rst_error *err)
{
	struct rst_gap *due = array_room(trace->due, trace->n_due, &trace->due_room, sizeof(*gap));

	if (due)
		trace->due = due;
	if (!due || !model_gap(&trace->model, gap))
		return error_nomem(err);
	due[trace->n_due++] = *gap;
	return RST_OK;
}

/*
 * What was wrong with the wrapping, remembered once. Its rows are due at once in a stream; a dialect of whole inputs has
 * no sequence yet, so they come at its end.
 */
static enum rst_status trace_take_faults(
	struct rst_trace *trace, const struct source *source, struct rst_error *err)
{
	size_t n_kept;
	uint64_t n_all;
	const struct source_fault *faults = source_faults(source, &n_kept, &n_all);

	for (; trace->n_faults_seen < n_kept; trace->n_faults_seen++) {
		const struct source_fault *fault = &faults[trace->n_faults_seen];
		const struct rst_gap gap = { .marker = RST_DAMAGE,
			.offset = fault->offset,
			.n_bytes = fault->n_bytes,
			.what = fault->what,
			.source = source_name(source) };

		error_try(trace_owe(trace, &gap, err));
	}
	return RST_OK;
}

/* Rows for what is due, as far as the batch has room. */
static void trace_put_due(struct rst_trace *trace)
{
	while (trace->n_put < trace->n_due && !batch_is_full(&trace->batch))
		model_add_gap_row(&trace->model, &trace->batch, &trace->due[trace->n_put++]);
	if (trace->n_put == trace->n_due)
		trace->n_put = trace->n_due = 0;
}

/* The row is due at once; how many events were in what is missing of a link nobody can know. */
static enum rst_status trace_note_loss(
	struct rst_trace *trace, const struct source *source, struct rst_error *err)
{
	const struct rst_gap gap = { .marker = RST_LOSS,
		.offset = trace->piece.offset + trace->piece.n_bytes,
		.what = source_missing(source),
		.source = source_name(source) };

	return trace_owe(trace, &gap, err);
}

/* A dump has no part that means anything, and a link never says that it is complete. */
static enum rst_status trace_check_live(
	const struct rst_trace *trace, const struct live_input *live, struct rst_error *err)
{
	if (!live || live->is_pipe || trace->dialect->pieces != PIECES_WHOLE)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"recordings of the dialect %s can only be read as a whole, not live", trace->dialect->name);
	error_advise(err, "save the recording to a file and report that");
	return RST_E_USAGE;
}

static enum rst_status trace_start(struct rst_trace *trace, const struct rst_open *how, struct rst_error *err)
{
	if (!trace->dialect)
		error_try(recognise(trace->sources[0], how->dialect, &trace->dialect, err));
	error_try(trace_check_live(trace, source_live(trace->sources[0]), err));
	error_try(trace_check_settings(trace->dialect, how, err));
	trace->state = calloc(1, trace->dialect->state_bytes);
	if (!trace->state)
		return error_nomem(err);
	trace->model.clock_hz = how->clock_hz;
	if (!batch_init(&trace->batch, trace->dialect->scratch_bytes))
		return error_nomem(err);
	return trace->dialect->open(trace->state, &trace->model, how, err);
}

/*
 * Takes over the first source, opens the joined ones; on failure everything is freed. dialect: NULL for the one that is
 * recognised.
 */
static enum rst_status trace_open_over(struct rst_trace **ret_trace, struct source *first,
	const struct dialect *dialect, const struct rst_open *how, struct rst_error *err)
{
	struct rst_trace *trace = calloc(1, sizeof(*trace));
	enum rst_status status = RST_OK;

	if (!trace) {
		source_free(first);
		return error_nomem(err);
	}
	trace->dialect = dialect;
	trace->sources = calloc(1 + how->n_joined, sizeof(struct source *));
	if (!trace->sources || !model_init(&trace->model))
		status = error_nomem(err);
	if (trace->sources)
		trace->sources[trace->n_sources++] = first;
	else
		source_free(first);
	for (size_t i = 0; status >= 0 && i < how->n_joined; i++) {
		status = source_open(&trace->sources[trace->n_sources], how->joined[i], err);
		trace->n_sources += status >= 0;
	}
	if (status >= 0)
		status = trace_start(trace, how, err);
	if (status < 0) {
		/* What was asked for is no fault of the file. */
		if (status != RST_E_USAGE)
			error_name(err, trace->n_sources ? source_name(trace->sources[0]) : NULL);
		rst_trace_free(trace);
		return status;
	}
	*ret_trace = trace;
	return RST_OK;
}

enum rst_status rst_trace_open(
	struct rst_trace **ret_trace, const char *path, const struct rst_open *how, struct rst_error *err)
{
	static const struct rst_open usual;
	struct source *source;

	error_try(source_open(&source, path, err));
	return trace_open_over(ret_trace, source, NULL, how ? how : &usual, err);
}

enum rst_status rst_trace_open_bytes(struct rst_trace **ret_trace, const void *bytes, size_t n_bytes,
	const char *name, const struct rst_open *how, struct rst_error *err)
{
	static const struct rst_open usual;
	struct source *source;

	error_try(source_open_bytes(&source, bytes, n_bytes, name, err));
	return trace_open_over(ret_trace, source, NULL, how ? how : &usual, err);
}

enum rst_status trace_open_as(struct rst_trace **ret_trace, const struct dialect *dialect, const void *bytes,
	size_t n_bytes, const struct rst_open *how, struct rst_error *err)
{
	struct source *source;

	error_try(source_open_bytes(&source, bytes, n_bytes, "input", err));
	return trace_open_over(ret_trace, source, dialect, how, err);
}

enum rst_status trace_open_live(struct rst_trace **ret_trace, const struct live_input *live,
	const struct rst_open *how, struct rst_error *err)
{
	struct source *source;

	error_try(source_open_live(&source, live, err));
	return trace_open_over(ret_trace, source, NULL, how, err);
}

struct rst_trace *rst_trace_free(struct rst_trace *trace)
{
	if (!trace)
		return NULL;
	if (trace->state && trace->dialect->close)
		trace->dialect->close(trace->state);
	free(trace->state);
	for (size_t i = 0; i < trace->n_sources; i++)
		source_free(trace->sources[i]);
	free(trace->sources);
	free(trace->due);
	batch_done(&trace->batch);
	model_done(&trace->model);
	free(trace);
	return NULL;
}

/* --- reading ------------------------------------------------------------------------------------------------ */

static bool trace_wants_whole(const struct rst_trace *trace, const struct source *source)
{
	enum dialect_pieces pieces = trace->dialect->pieces;

	return pieces == PIECES_WHOLE || (pieces == PIECES_WHOLE_FILES && source_is_file(source));
}

static bool trace_keeps_back(const struct rst_trace *trace)
{
	return trace->dialect->keeps_back && trace->dialect->keeps_back(trace->state);
}

/* Of a file that grows; what follows in it, such as a second recording, is read as long as it comes without a pause. */
static bool trace_is_finished(const struct rst_trace *trace, const struct source *source)
{
	const struct live_input *live = source_live(source);

	return live && live->is_file && trace->dialect->is_finished &&
	       trace->dialect->is_finished(trace->state);
}

/*
 * The next run of bytes of the current source: all of it, or as it comes. RST_END when the source is used up; RST_MORE,
 * and the piece is as it was, when something is missing there.
 */
static enum rst_status trace_pull(struct rst_trace *trace, struct source *source, struct rst_error *err)
{
	struct piece *piece = &trace->piece;
	bool is_first = piece->source != source_name(source);
	bool is_whole = trace_wants_whole(trace, source) && (is_first || !trace->goes_on);
	bool is_finished = trace_is_finished(trace, source);
	struct piece next = { .offset = is_first ? source_dropped(source) : piece->offset + piece->n_bytes,
		.source = source_name(source),
		.is_whole = is_whole };
	enum rst_status status = RST_OK;

	if (is_whole && !is_first)
		return RST_END;
	if (!is_whole && (is_finished || trace_keeps_back(trace)))
		error_try(source_pause(source, PAUSE_MS, &next.is_pause, err));
	if (is_finished && next.is_pause)
		return RST_END;
	if (is_whole && trace->dialect->pieces == PIECES_WHOLE_FILES) {
		status = source_most(source, &next.bytes, &next.n_bytes, &next.is_whole, err);
		trace->goes_on = !next.is_whole;
	} else if (!next.is_pause) {
		status = is_whole ? source_whole(source, &next.bytes, &next.n_bytes, err)
				  : source_next(source, &next.bytes, &next.n_bytes, err);
	}
	if (status != RST_MORE)
		*piece = next;
	return status;
}

/*
 * Sees to it that there is a piece: the next one of this source, of the next source, or the end. RST_MORE: there is none
 * yet, but rows are due, which must not wait for it.
 */
static enum rst_status trace_supply(struct rst_trace *trace, struct rst_error *err)
{
	while (!trace->has_piece && trace->n_read < trace->n_sources) {
		struct source *source = trace->sources[trace->n_read];
		enum rst_status status = trace_pull(trace, source, err);
		size_t n_kept;
		uint64_t n_all;

		if (status == RST_MORE)
			error_try(trace_note_loss(trace, source, err));
		if (status < 0 || status == RST_MORE)
			return status;
		error_try(trace_take_faults(trace, source, err));
		trace->has_piece = status == RST_OK;
		if (trace->has_piece)
			return RST_OK;
		/* Faults that the source did not keep can only be counted. */
		source_faults(source, &n_kept, &n_all);
		trace->model.n_gaps_all += n_all - n_kept;
		trace->model.n_damages += n_all - n_kept;
		trace->n_faults_seen = 0;
		trace->n_read++;
	}
	if (!trace->has_piece)
		trace->piece = (struct piece){ .source = trace->piece.source, .is_end = true };
	trace->has_piece = true;
	return RST_OK;
}

/* RST_OK promises rows: without one there is no last row, and the dialect would be asked the same for ever. */
static enum rst_status trace_halt(const struct rst_trace *trace, struct rst_error *err)
{
	error_set(err, RST_E_DAMAGED, trace->piece.offset + trace->piece.n_used,
		"the reader of the dialect %s does not go on here", trace->dialect->name);
	error_advise(err, "please report it: this is a fault of the reader");
	return RST_E_DAMAGED;
}

/* The input says so much of names, types and threads that no recorder can have written it. */
static enum rst_status trace_spent(const struct rst_trace *trace, struct rst_error *err)
{
	error_set(err, RST_E_DAMAGED, trace->piece.offset + trace->piece.n_used,
		"names, types and threads up to here take %zu MiB, which is all that they may",
		MODEL_BYTES_MAX >> 20);
	error_advise(err, "no recorder writes so many; what comes before is given");
	return RST_E_DAMAGED;
}

/* Fills the batch. Rows that come before the end or a failure go out first; that answer waits for the next call. */
static enum rst_status trace_read(struct rst_trace *trace, struct rst_error *err)
{
	batch_clear(&trace->batch);
	if (trace->answer != RST_OK)
		return trace->answer;
	for (;;) {
		enum rst_status status;

		status = trace_supply(trace, err);
		if (status < 0)
			return status;
		if (trace->dialect->pieces != PIECES_WHOLE)
			trace_put_due(trace);
		if (status == RST_MORE && trace->batch.n_events)
			return RST_OK;
		if (status == RST_MORE)
			continue;
		if (batch_is_full(&trace->batch))
			return RST_OK;
		status = trace->dialect->read(trace->state, &trace->model, &trace->piece, &trace->batch, err);
		if (status >= 0 && !model_note_limits(&trace->model))
			status = error_nomem(err);
		if (status == RST_E_NOMEM && trace->model.arena.is_spent)
			status = trace_spent(trace, err);
		if (status == RST_MORE && !trace->piece.is_end) {
			trace->has_piece = false;
			if (trace->batch.n_events) /* rows may point into the piece */
				return RST_OK;
			continue;
		}
		if (status == RST_OK)
			return trace->batch.n_events ? RST_OK : trace_halt(trace, err);
		trace_put_due(trace);
		if (trace->n_put)
			return RST_OK; /* more faults than one batch holds */
		trace->answer = status == RST_MORE ? RST_END : status;
		return trace->batch.n_events ? RST_OK : trace->answer;
	}
}

enum rst_status rst_trace_next(
	struct rst_trace *trace, const struct rst_batch **ret_batch, struct rst_error *err)
{
	if (trace->ended == RST_OK) {
		enum rst_status status = trace_read(trace, &trace->error);

		if (status != RST_OK) {
			trace->ended = status;
			error_name(&trace->error,
				trace->piece.source ? trace->piece.source : source_name(trace->sources[0]));
		}
	}
	if (trace->ended != RST_OK) {
		if (trace->ended < 0 && err)
			*err = trace->error;
		return trace->ended;
	}
	*ret_batch = batch_close(&trace->batch);
	trace->model.last_ticks = trace->batch.ticks[trace->batch.n_events - 1];
	trace->model.last_place = trace->batch.place[trace->batch.n_events - 1];
	return RST_OK;
}

/* --- what is known ------------------------------------------------------------------------------------------ */

const struct rst_facts *rst_trace_facts(struct rst_trace *trace)
{
	const struct model *model = &trace->model;

	trace->facts = (struct rst_facts){
		.path = source_name(trace->sources[0]),
		.dialect = trace->dialect->name,
		.wrapping = source_wrappings(trace->sources[0]),
		.clock_hz = model->clock_hz,
		.clock_bits = model->clock_bits,
		.clock_direction = model->clock_is_down ? RST_CLOCK_DOWN : RST_CLOCK_UP,
		.has_first_ticks = model->has_first_ticks,
		.first_ticks = model->first_ticks,
		.n_details = model->n_details,
		.details = model->details,
		.n_notes = model->n_notes,
		.notes = model->notes,
	};
	return &trace->facts;
}

uint64_t rst_trace_gaps(const struct rst_trace *trace, const struct rst_gap **ret_gaps, size_t *ret_n_kept)
{
	*ret_gaps = trace->model.gaps;
	*ret_n_kept = trace->model.n_gaps;
	return trace->model.n_gaps_all;
}

/* Of the bytes of the present input, which are n_all as given. */
static double bytes_done(const struct rst_trace *trace, const struct source *source, uint64_t n_all)
{
	const struct piece *piece = &trace->piece;

	if (!piece->is_whole)
		return (double)source_position(source);
	if (!trace->has_piece)
		return (double)n_all;
	if (trace->dialect->share)
		return (double)n_all * trace->dialect->share(trace->state, piece);
	return piece->n_bytes ? (double)n_all * (double)piece->n_used / (double)piece->n_bytes : 0;
}

int trace_percent(const struct rst_trace *trace)
{
	double done = 0, all = 0;

	for (size_t i = 0; i < trace->n_sources; i++) {
		const uint64_t n = source_file_bytes(trace->sources[i]);

		if (!n)
			return -1;
		all += (double)n;
		if (i < trace->n_read)
			done += (double)n;
		else if (i == trace->n_read)
			done += bytes_done(trace, trace->sources[i], n);
	}
	if (trace->piece.is_end && trace->dialect->pieces == PIECES_WHOLE && trace->dialect->share)
		done = all * trace->dialect->share(trace->state, &trace->piece);
	return done < all ? (int)(done * 100 / all) : 100;
}

bool rst_trace_is_damaged(const struct rst_trace *trace)
{
	return trace->model.n_damages != 0;
}

const struct rst_object *rst_trace_object(const struct rst_trace *trace, size_t n)
{
	return n < trace->model.objects.n_all ? trace->model.objects.all[n] : NULL;
}

const struct rst_object *rst_trace_find_object(
	struct rst_trace *trace, uint64_t id, enum rst_object_kind kind, uint64_t place)
{
	return objects_at(&trace->model.objects, id, kind, place);
}

const struct rst_type *rst_trace_type(const struct rst_trace *trace, size_t n)
{
	return n < trace->model.n_types ? trace->model.types[n] : NULL;
}

const struct rst_context *rst_trace_context(const struct rst_trace *trace, size_t n)
{
	return n < trace->model.contexts.n_all ? &trace->model.contexts.all[n]->public : NULL;
}
