/* SPDX-License-Identifier: MIT */
/* Opens a trace: its inputs, the dialect that reads them, and the dialect's settings. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/similar.h"
#include "trace/live.h"
#include "trace/recognise.h"
#include "trace/trace_parts.h"

static enum rst_status trace_check_settings(
	const struct dialect *dialect, const struct rst_open *how, struct rst_error *err)
{
	for (size_t i = 0; i < how->n_settings; i++) {
		const struct dialect_option *option = dialect->options;
		const char *key = how->settings[i].key;
		struct similar similar = similar_to(key);
		char near[SIMILAR_TEXT_MAX];

		for (; option->key && strcmp(option->key, key) != 0; option++)
			similar_offer(&similar, option->key);
		if (option->key)
			continue;
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the dialect %s has no setting '%s'",
			dialect->name, key);
		error_advise(err, "%s",
			similar_text(&similar, near) ? near : "`rastrum info --dialects` lists the settings");
		return RST_E_USAGE;
	}
	return RST_OK;
}

/* A part of a dump cannot be read, and a link is never known to be complete. */
static enum rst_status trace_check_live(const struct rst_trace *trace, struct rst_error *err)
{
	if (!source_about(trace->sources[0]).is_endless || trace->dialect->chunks != CHUNKS_WHOLE)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"recordings of the dialect %s can only be read as a whole, not live", trace->dialect->name);
	error_advise(err, "save the recording to a file and report that");
	return RST_E_USAGE;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hash_byte(hash, (uint8_t)*text);
	return hash_byte(hash, 0);
}

/* Returns 0 if rows depend on more than the input. */
static uint64_t hash_of(const struct rst_trace *trace, const struct rst_open *how)
{
	uint64_t hash = hash_text(HASH_EMPTY, trace->dialect->name);

	if (trace->set || trace->n_sources != 1 || how->n_symbols)
		return 0;
	for (unsigned i = 0; i < 64; i += 8)
		hash = hash_byte(hash, (uint8_t)(how->clock_hz >> i));
	hash = hash_byte(hash, how->in_file_order);
	for (size_t i = 0; i < how->n_settings; i++) {
		const struct dialect_option *option = trace->dialect->options;

		for (; option->key && strcmp(option->key, how->settings[i].key) != 0; option++)
			continue;
		if (!option->key || strstr(option->values, "FILE"))
			return 0;
		hash = hash_text(hash_text(hash, option->key), how->settings[i].value);
	}
	return hash | 1;
}

/* Returns NULL if the dialect is no container, or if the container names no dialect that we have. */
static const char *name_in_container(const struct dialect *container, const struct source_front *front)
{
	char name[DIALECT_NAME_ROOM];
	const struct dialect *dialect;

	if (!dialect_rare(container)->recorded_as)
		return NULL;
	dialect_rare(container)->recorded_as(front->bytes, front->n_bytes, name);
	dialect = dialect_find(name);
	return dialect ? dialect->name : NULL;
}

static enum rst_status trace_start(struct rst_trace *trace, const struct rst_open *how, struct rst_error *err)
{
	struct recognised known = { 0 };

	if (trace->set)
		error_try(recognise_set(trace->set, trace->sources[0], how->dialect, &trace->dialect, err));
	else if (trace->dialect)
		recognise_judge(trace->sources[0], trace->dialect);
	else
		error_try(recognise(trace->sources[0], how, &known, err));
	if (known.dialect)
		trace->dialect = known.dialect;
	if (known.note && !model_warn(&trace->model, "%s", known.note))
		return error_nomem(err);
	for (size_t i = 1; i < trace->n_sources; i++)
		recognise_judge(trace->sources[i], trace->dialect);
	error_try(trace_check_live(trace, err));
	error_try(trace_check_settings(trace->dialect, how, err));
	trace->how_hash = hash_of(trace, how);
	trace->state = calloc(1, trace->dialect->state_bytes);
	if (!trace->state)
		return error_nomem(err);
	trace->model.clock_hz = how->clock_hz;
	trace->model.recorded_as = name_in_container(trace->dialect, &known.front);
	if (!batch_init(&trace->batch, trace->dialect->columns, trace->dialect->scratch_bytes))
		return error_nomem(err);
	error_try(trace_symbols_open(trace, how, err));
	return trace->dialect->open(trace->state, &trace->model, how, err);
}

/* Takes over the source, also on failure. */
static enum rst_status trace_add(struct rst_trace *trace, struct source *source, struct rst_error *err)
{
	struct source **sources =
		array_room(trace->sources, trace->n_sources, &trace->sources_room, sizeof(struct source *));

	if (!sources) {
		source_free(source);
		return error_nomem(err);
	}
	trace->sources = sources;
	sources[trace->n_sources++] = source;
	return RST_OK;
}

static enum rst_status trace_add_path(struct rst_trace *trace, const char *path, struct rst_error *err)
{
	struct source *source;

	error_try(source_open(&source, path, err));
	return trace_add(trace, source, err);
}

/* Adds the source, or the files of the set in its place; then the joined ones. */
static enum rst_status trace_add_all(
	struct rst_trace *trace, struct source *source, const struct rst_open *how, struct rst_error *err)
{
	if (source)
		error_try(trace_add(trace, source, err));
	for (size_t i = 0; trace->set && i < trace->set->n_files; i++)
		error_try(trace_add_path(trace, trace->set->files[i].path, err));
	for (size_t i = 0; trace->set && trace->set->is_tree && i < trace->n_sources; i++)
		source_take_bare(trace->sources[i]);
	for (size_t i = 0; i < how->n_joined; i++)
		error_try(trace_add_path(trace, how->joined[i], err));
	return model_init(&trace->model) ? RST_OK : error_nomem(err);
}

static const char *trace_path(const struct rst_trace *trace)
{
	if (trace->set)
		return trace->set->path;
	return trace->n_sources ? source_about(trace->sources[0]).name : NULL;
}

/*
 * Takes over the source or the set, and opens the joined ones; frees everything on failure. If dialect is
 * NULL, the input is recognised.
 */
static enum rst_status trace_open_over(struct rst_trace **ret_trace, struct source *source,
	struct input_set *set, const struct dialect *dialect, const struct rst_open *how,
	struct rst_error *err)
{
	static const struct rst_open usual;
	struct rst_trace *trace = calloc(1, sizeof(*trace));
	enum rst_status status;

	if (!trace) {
		source_free(source);
		input_set_free(set);
		return error_nomem(err);
	}
	how = how ? how : &usual;
	trace->dialect = dialect;
	trace->set = set;
	status = trace_add_all(trace, source, how, err);
	if (status >= 0)
		status = trace_start(trace, how, err);
	if (status < 0) {
		/* A wrong option is no fault of the file. */
		if (status != RST_E_USAGE)
			error_name(err, trace_path(trace));
		rst_trace_free(trace);
		return status;
	}
	*ret_trace = trace;
	return RST_OK;
}

enum rst_status rst_trace_open(
	struct rst_trace **ret_trace, const char *path, const struct rst_open *how, struct rst_error *err)
{
	struct source *source = NULL;
	struct input_set *set = NULL;
	enum rst_status status = strcmp(path, "-") == 0 ? RST_END : input_set_open(&set, path, err);

	if (status == RST_END)
		status = source_open(&source, path, err);
	return status < 0 ? status : trace_open_over(ret_trace, source, set, NULL, how, err);
}

enum rst_status rst_trace_open_bytes(struct rst_trace **ret_trace, const void *bytes, size_t n_bytes,
	const char *name, const struct rst_open *how, struct rst_error *err)
{
	struct source *source;

	error_try(source_open_bytes(&source, bytes, n_bytes, name, err));
	return trace_open_over(ret_trace, source, NULL, NULL, how, err);
}

enum rst_status trace_open_as(struct rst_trace **ret_trace, const struct dialect *dialect, const void *bytes,
	size_t n_bytes, const struct rst_open *how, struct rst_error *err)
{
	struct source *source;

	error_try(source_open_bytes(&source, bytes, n_bytes, "input", err));
	return trace_open_over(ret_trace, source, NULL, dialect, how, err);
}

enum rst_status trace_open_live(struct rst_trace **ret_trace, const struct live_input *live,
	const struct rst_open *how, struct rst_error *err)
{
	struct source *source;

	error_try(source_open_live(&source, live, err));
	return trace_open_over(ret_trace, source, NULL, NULL, how, err);
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
	input_set_free(trace->set);
	chunk_carrier_done(&trace->carrier);
	free(trace->due);
	batch_done(&trace->batch);
	model_done(&trace->model);
	symbol_names_free(trace->names);
	outbuf_done(&trace->text);
	if (trace->tap.done)
		trace->tap.done(trace->tap.context);
	free(trace);
	return NULL;
}
