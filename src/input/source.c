/* SPDX-License-Identifier: MIT */
/* Takes the wrappings off (wrapping/layer.h) and hands the bytes out by chunks. */
#include <stdio.h>

#include "input/source_parts.h"

uint64_t source_position(const struct source *source)
{
	return source->n_layers > 1 ? source->layers[1].io.offset : source->layers[0].n_read;
}

static void source_fault(struct source *source, const char *what)
{
	struct wrapping_io io = { .faults = &source->faults };

	wrapping_fault(&io, source_position(source), 0, "%s", what);
}

static const struct wrapping *source_probe(const struct layer *layer)
{
	const bool is_whole = layer->is_over && layer->n_ready <= SOURCE_CHUNK_BYTES;
	const size_t n = layer->n_ready < SOURCE_CHUNK_BYTES ? layer->n_ready : SOURCE_CHUNK_BYTES;

	return n ? wrapping_find(layer->at, n, is_whole) : NULL;
}

static enum rst_status source_unwrap(
	struct source *source, const struct wrapping *wrapping, struct rst_error *err)
{
	struct layer *top = source_top(source);

	error_try(layer_open_wrapping(top + 1, top, wrapping, &source->faults, &source->judge, err));
	source->n_layers++;
	return RST_OK;
}

static void source_name_wrappings(struct source *source)
{
	const size_t room = sizeof(source->wrappings);

	for (size_t i = 1, n = 0; i < source->n_layers && n < room; i++) {
		const struct layer *layer = &source->layers[i];
		const char *name = layer->wrapping->describe ? layer->wrapping->describe(layer->state)
							     : layer->wrapping->name;

		n += (size_t)snprintf(source->wrappings + n, room - n, "%s%s", i > 1 ? ", " : "", name);
	}
}

void source_set_judge(struct source *source, const struct source_judge *judge)
{
	source->judge = *judge;
}

enum rst_status source_settle(struct source *source, struct rst_error *err)
{
	while (!source->is_settled) {
		if (!source->is_live || source->n_layers > 1)
			error_try(layer_fill(source_top(source), LAYER_BYTES, err));
		const struct wrapping *wrapping = source_probe(source_top(source));

		if (wrapping && source->n_layers <= SOURCE_WRAPPINGS_MAX) {
			error_try(source_unwrap(source, wrapping, err));
			continue;
		}
		if (wrapping)
			source_fault(source, "wrapped more than four times; the inner wrappings are left on");
		source_name_wrappings(source);
		source->is_settled = true;
	}
	return RST_OK;
}

enum rst_status source_peek(struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes,
	bool *ret_is_whole, struct rst_error *err)
{
	enum rst_status status = source_settle(source, err);

	if (status >= 0 && !(source->is_live && source->n_layers == 1))
		status = layer_fill(source_top(source), LAYER_BYTES, err);
	if (status < 0)
		return source_fail(source, status, err);
	source_front(source, ret_bytes, ret_n_bytes, ret_is_whole);
	return RST_OK;
}

void source_front(
	const struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, bool *ret_is_whole)
{
	const struct layer *top = &source->layers[source->n_layers - 1];

	*ret_bytes = top->at;
	*ret_is_whole = top->is_over && top->n_ready <= SOURCE_CHUNK_BYTES;
	*ret_n_bytes = top->n_ready < SOURCE_CHUNK_BYTES ? top->n_ready : SOURCE_CHUNK_BYTES;
}

bool source_is_wrapped(const struct source *source)
{
	return !source->is_settled && source_probe(&source->layers[source->n_layers - 1]);
}

enum rst_status source_next(
	struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err)
{
	enum rst_status status = source->is_whole && !source->has_more ? RST_END : source_settle(source, err);

	if (status == RST_OK && source->is_missing) {
		source->is_missing = false;
		return RST_MORE;
	}
	if (status == RST_OK)
		status = layer_fill(source_top(source), 1, err);
	if (status == RST_MORE) {
		source_note_missing(source);
		source->is_missing = false;
	}
	if (status != RST_OK)
		return source_fail(source, status, err);
	struct layer *top = source_top(source);

	*ret_n_bytes = layer_take(top, top->buffer ? SOURCE_CHUNK_BYTES : SIZE_MAX, ret_bytes);
	return *ret_n_bytes ? RST_OK : RST_END;
}

bool source_is_file(const struct source *source)
{
	return source->n_file > 0;
}

const char *source_name(const struct source *source)
{
	return source->name;
}

const char *source_wrappings(const struct source *source)
{
	return source->wrappings;
}

uint64_t source_file_bytes(const struct source *source)
{
	return source->n_file;
}

const struct source_fault *source_faults(const struct source *source, size_t *ret_n_kept, uint64_t *ret_n_all)
{
	*ret_n_kept = source->faults.n_kept;
	*ret_n_all = source->faults.n_all;
	return source->faults.kept;
}
