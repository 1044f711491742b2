/* SPDX-License-Identifier: MIT */
/* What only sources over a link do: wait, note what is missing, give up what no dialect recognises. */
#include "input/source_parts.h"

const struct live_input *source_live(const struct source *source)
{
	return source->is_live ? &source->live : NULL;
}

void source_note_missing(struct source *source)
{
	source->missing = source->live.missing ? source->live.missing(source->live.context) : NULL;
	source->is_missing = true;
}

const char *source_missing(const struct source *source)
{
	return source->missing ? source->missing : "the link was lost here";
}

enum rst_status source_await(struct source *source, int wait_ms, struct rst_error *err)
{
	enum rst_status status = layer_await(&source->layers[0], wait_ms, err);

	if (status == RST_MORE)
		source_note_missing(source);
	return status < 0 ? source_fail(source, status, err) : RST_OK;
}

enum rst_status source_pause(struct source *source, int wait_ms, bool *ret_is_pause, struct rst_error *err)
{
	const struct layer *layer = &source->layers[0];

	*ret_is_pause = false;
	if (!source->is_live || source->n_layers > 1 || layer->n_ready || source->is_missing)
		return RST_OK;
	error_try(source_await(source, wait_ms, err));
	*ret_is_pause = !layer->n_ready && !layer->is_over && !source->is_missing;
	return RST_OK;
}

void source_drop(struct source *source, size_t n_bytes)
{
	layer_drop(&source->layers[0], n_bytes);
	source->n_dropped += n_bytes;
}

uint64_t source_dropped(const struct source *source)
{
	return source->n_dropped;
}

void source_note_dropped(struct source *source)
{
	struct wrapping_io io = { .faults = &source->faults };

	if (source->n_dropped)
		wrapping_fault(&io, 0, source->n_dropped, "no dialect recognises these bytes");
}
