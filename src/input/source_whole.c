/* SPDX-License-Identifier: MIT */
/* All the bytes of a source in one run: the mapping, or gathered in memory as far as that may be. */
#include <stdlib.h>
#include <string.h>

#include "input/source_parts.h"

enum { SOURCE_GATHER_FIRST = 4 * SOURCE_CHUNK_BYTES };

/* Room for n_more bytes behind what was gathered. */
static bool source_grow(struct source *source, size_t n_more)
{
	size_t n_room = source->n_room ? source->n_room : SOURCE_GATHER_FIRST;

	while (n_room - source->n_whole < n_more)
		n_room *= 2;
	if (n_room == source->n_room)
		return true;
	uint8_t *gathered = realloc(source->gathered, n_room);

	if (!gathered)
		return false;
	source->gathered = gathered;
	source->n_room = n_room;
	return true;
}

/* RST_MORE: it is as much as may be, and there is more. */
static enum rst_status source_gather(struct source *source, struct rst_error *err)
{
	struct layer *top = source_top(source);

	for (;;) {
		const size_t n_max = source->n_max - source->n_whole;

		error_try(layer_fill(top, 1, err));
		if (!top->n_ready)
			return RST_OK;
		if (!n_max)
			return RST_MORE;
		/* Before taking: a failure loses nothing. */
		if (!source_grow(source, top->n_ready < n_max ? top->n_ready : n_max))
			return error_nomem(err);
		const uint8_t *bytes;
		const size_t n = layer_take(top, n_max, &bytes);

		memcpy(source->gathered + source->n_whole, bytes, n);
		source->n_whole += n;
	}
}

/* What there was memory for, or what it may have, is better than nothing. */
static void source_note_cut(struct source *source, enum rst_status status)
{
	struct wrapping_io io = { .faults = &source->faults };
	const char *advice = source->n_layers > 1 ? "unpack it to a file and read that"
						  : "save it to a file and read that";

	if (status == RST_MORE)
		wrapping_fault(&io, source_position(source), 0,
			"%s %zu MiB are read, the rest is left out; %s",
			source->n_layers > 1 ? "of what was unpacked only" : "of the input only",
			source->n_max >> 20, advice);
	else
		wrapping_fault(&io, source_position(source), 0, "memory for %s ran out after %zu bytes; %s",
			source->n_layers > 1 ? "what was unpacked" : "the input", source->n_whole, advice);
}

static enum rst_status source_gather_most(struct source *source, bool may_go_on, struct rst_error *err)
{
	struct rst_error failure = { 0 };
	enum rst_status status = source_gather(source, &failure);

	source->has_more = status == RST_MORE && may_go_on;
	if ((status == RST_E_NOMEM && source->n_whole) || (status == RST_MORE && !may_go_on))
		source_note_cut(source, status);
	if ((status == RST_E_NOMEM && source->n_whole) || status == RST_MORE)
		status = RST_OK;
	if (status < 0 && err)
		*err = failure;
	source->whole = source->gathered;
	return status;
}

void source_set_max(struct source *source, size_t n_bytes)
{
	source->n_max = n_bytes;
}

static enum rst_status source_make_whole(struct source *source, bool may_go_on, struct rst_error *err)
{
	struct layer *top;

	error_try(source_settle(source, err));
	top = source_top(source);
	if (top->buffer)
		error_try(source_gather_most(source, may_go_on, err));
	else
		source->n_whole = layer_take(top, SIZE_MAX, &source->whole);
	source->is_whole = true;
	return RST_OK;
}

static enum rst_status source_give_whole(struct source *source, const uint8_t **ret_bytes,
	size_t *ret_n_bytes, bool may_go_on, struct rst_error *err)
{
	if (!source->is_whole) {
		enum rst_status status = source_make_whole(source, may_go_on, err);

		if (status < 0)
			return source_fail(source, status, err);
	}
	*ret_bytes = source->whole;
	*ret_n_bytes = source->n_whole;
	return RST_OK;
}

enum rst_status source_whole(
	struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err)
{
	return source_give_whole(source, ret_bytes, ret_n_bytes, false, err);
}

enum rst_status source_most(struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes,
	bool *ret_is_all, struct rst_error *err)
{
	enum rst_status status = source_give_whole(source, ret_bytes, ret_n_bytes, true, err);

	*ret_is_all = !source->has_more;
	return status;
}
