/* SPDX-License-Identifier: MIT */
/*
 * One open trace: a source gives pieces, a dialect turns them into batches, the model holds what is known. All of
 * <rastrum/trace.h> is here. Begin reading at rst_trace_next().
 */
#include <rastrum/trace.h>

#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "dialect/source.h"

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
	bool is_source_done;	/* the source being read has no more, its faults may still be due */
	size_t n_faults_seen;	/* of the source being read */
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

/* The dialect that is surest of the first bytes; the user's word overrides all. */
static enum rst_status trace_find_dialect(
	struct rst_trace *trace, const struct rst_open *how, struct rst_error *err)
{
	const uint8_t *bytes;
	size_t n_bytes;
	bool is_whole;
	unsigned best = 0;

	if (how->dialect) {
		trace->dialect = dialect_find(how->dialect);
		if (trace->dialect)
			return RST_OK;
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no dialect '%s'", how->dialect);
		error_advise(err, "`rastrum info --dialects` lists them");
		return RST_E_USAGE;
	}
	error_try(source_peek(trace->sources[0], &bytes, &n_bytes, &is_whole, err));
	for (size_t i = 0; dialects[i]; i++) {
		unsigned score = dialects[i]->probe(bytes, n_bytes, is_whole);

		if (score > best) {
			best = score;
			trace->dialect = dialects[i];
		}
	}
	if (trace->dialect)
		return RST_OK;
	error_set(err, RST_E_UNKNOWN, 0, n_bytes ? "no dialect recognises this input" : "the input is empty");
	if (n_bytes)
		error_advise(err, "name one with --dialect to see what it misses");
	return RST_E_UNKNOWN;
}

/* What was wrong with the wrapping goes into the sequence as damage, each once, while the batch has room. */
static enum rst_status trace_take_faults(
	struct rst_trace *trace, const struct source *source, struct rst_error *err)
{
	struct model *model = &trace->model;
	const struct rst_context *unknown =
		contexts_special(&model->contexts, &model->arena, RST_CONTEXT_UNKNOWN, 0);
	size_t n_kept;
	uint64_t n_all;
	const struct source_fault *faults = source_faults(source, &n_kept, &n_all);

	/* Also where there is no fault: from here on no marker row can lack its context. */
	if (!unknown)
		return error_nomem(err);
	for (; trace->n_faults_seen < n_kept && !batch_is_full(&trace->batch); trace->n_faults_seen++) {
		const struct source_fault *fault = &faults[trace->n_faults_seen];
		struct rst_gap gap = { .offset = fault->offset,
			.n_bytes = fault->n_bytes ? fault->n_bytes : 1,
			.what = fault->what };

		if (!model_gap(model, &gap))
			return error_nomem(err);
		batch_add_gap(&trace->batch, model->damage, unknown, &gap, model->first_ticks, 0);
	}
	/* Those that the source did not keep can only be counted. */
	if (trace->is_source_done && trace->n_faults_seen == n_kept) {
		model->n_gaps_all += n_all - n_kept;
		model->n_damages += n_all - n_kept;
	}
	return RST_OK;
}

static enum rst_status trace_start(struct rst_trace *trace, const struct rst_open *how, struct rst_error *err)
{
	error_try(trace_find_dialect(trace, how, err));
	error_try(trace_check_settings(trace->dialect, how, err));
	trace->state = calloc(1, trace->dialect->state_bytes);
	if (!trace->state)
		return error_nomem(err);
	trace->model.clock_hz = how->clock_hz;
	return trace->dialect->open(trace->state, &trace->model, how, err);
}

/* Takes over the first source, opens the joined ones; on failure everything is freed. */
static enum rst_status trace_open_over(
	struct rst_trace **ret_trace, struct source *first, const struct rst_open *how, struct rst_error *err)
{
	struct rst_trace *trace = calloc(1, sizeof(*trace));
	enum rst_status status = RST_OK;

	if (!trace) {
		source_free(first);
		return error_nomem(err);
	}
	batch_init(&trace->batch);
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
	return trace_open_over(ret_trace, source, how ? how : &usual, err);
}

enum rst_status rst_trace_open_bytes(struct rst_trace **ret_trace, const void *bytes, size_t n_bytes,
	const char *name, const struct rst_open *how, struct rst_error *err)
{
	static const struct rst_open usual;
	struct source *source;

	error_try(source_open_bytes(&source, bytes, n_bytes, name, err));
	return trace_open_over(ret_trace, source, how ? how : &usual, err);
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
	model_done(&trace->model);
	free(trace);
	return NULL;
}

/* --- reading ------------------------------------------------------------------------------------------------ */

/* The next run of bytes of the current source: all of it, or as it comes. RST_END when the source is used up. */
static enum rst_status trace_pull(struct rst_trace *trace, struct source *source, struct rst_error *err)
{
	struct piece *piece = &trace->piece;
	bool is_first = piece->source != source_name(source), is_whole = trace->dialect->wants_whole;
	uint64_t offset = is_first ? 0 : piece->offset + piece->n_bytes;

	if (is_whole && !is_first)
		return RST_END;
	piece->source = source_name(source);
	piece->offset = offset;
	piece->n_used = 0;
	return is_whole ? source_whole(source, &piece->bytes, &piece->n_bytes, err)
			: source_next(source, &piece->bytes, &piece->n_bytes, err);
}

/* Sees to it that there is a piece, and rows for the faults met on the way. RST_OK, or RST_MORE for another round. */
static enum rst_status trace_supply(struct rst_trace *trace, struct rst_error *err)
{
	struct source *source = trace->n_read < trace->n_sources ? trace->sources[trace->n_read] : NULL;

	if (!source) {
		trace->piece.is_end = trace->has_piece = true;
		return RST_OK;
	}
	if (!trace->has_piece && !trace->is_source_done) {
		enum rst_status status = trace_pull(trace, source, err);

		error_try(status);
		trace->is_source_done = status == RST_END;
		trace->has_piece = status == RST_OK;
	}
	error_try(trace_take_faults(trace, source, err));
	if (batch_is_full(&trace->batch) || trace->has_piece)
		return RST_OK;
	trace->is_source_done = false;
	trace->n_faults_seen = 0;
	if (++trace->n_read == trace->n_sources)
		trace->piece = (struct piece){ .source = trace->piece.source };
	return RST_MORE;
}

static enum rst_status trace_read(struct rst_trace *trace, struct rst_error *err)
{
	batch_clear(&trace->batch);
	for (;;) {
		enum rst_status status = trace_supply(trace, err);

		error_try(status);
		if (batch_is_full(&trace->batch))
			return RST_OK;
		if (status == RST_MORE)
			continue;
		status = trace->dialect->read(trace->state, &trace->model, &trace->piece, &trace->batch, err);
		if (status != RST_MORE)
			return status;
		if (trace->piece.is_end)
			return RST_END;
		trace->has_piece = false;
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
	return RST_OK;
}

/* --- what is known ------------------------------------------------------------------------------------------ */

void rst_trace_facts(const struct rst_trace *trace, struct rst_facts *ret_facts)
{
	const struct model *model = &trace->model;

	*ret_facts = (struct rst_facts){
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
}

uint64_t rst_trace_gaps(const struct rst_trace *trace, const struct rst_gap **ret_gaps, size_t *ret_n_kept)
{
	*ret_gaps = trace->model.gaps;
	*ret_n_kept = trace->model.n_gaps;
	return trace->model.n_gaps_all;
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
	const struct rst_trace *trace, uint64_t id, enum rst_object_kind kind, uint64_t place)
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
