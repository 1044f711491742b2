/* SPDX-License-Identifier: MIT */
/* Gives all the bytes of a source in one run: the mapping, or bytes gathered in memory up to the limit. */
#include <stdlib.h>
#include <string.h>

#include "input/source_parts.h"

enum { SOURCE_GATHER_FIRST = 4 * SOURCE_CHUNK_BYTES };

static const uint8_t nothing[1]; /* a run without bytes points here */

/* Makes room for n_more bytes behind those gathered. Returns false if memory ran out. */
static bool source_grow(struct source *source, size_t n_more)
{
	size_t n_room = source->n_room ? source->n_room : SOURCE_GATHER_FIRST;

	while (n_room - source->n_gathered < n_more)
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

/* Gathers all bytes. Returns RST_MORE if it has reached the limit and more bytes follow. */
static enum rst_status source_gather(struct source *source, struct rst_error *err)
{
	struct layer *top = source_top(source);

	for (;;) {
		const size_t n_max = source->n_max - source->n_gathered;

		error_try(layer_fill(top, 1, err));
		if (!top->n_ready)
			return RST_OK;
		if (!n_max)
			return RST_MORE;
		/* Grow before taking, so that a failure loses nothing. */
		if (!source_grow(source, top->n_ready < n_max ? top->n_ready : n_max))
			return error_nomem(err);
		const uint8_t *bytes;
		const size_t n = layer_take(top, n_max, &bytes);

		memcpy(source->gathered + source->n_gathered, bytes, n);
		source->n_gathered += n;
	}
}

/*
 * Notes that the run ends at the limit or where memory ran out. The part that was read is better than
 * nothing.
 */
static void source_note_cut(struct source *source, enum rst_status status)
{
	const bool is_packed = source->n_layers > 1;
	const char *advice =
		is_packed ? "unpack it to a file and read that" : "save it to a file and read that";
	const uint64_t position = source_about(source).n_read;

	if (status == RST_MORE)
		source_note(source, position, 0, "%s %zu MiB are read, the rest is left out; %s",
			is_packed ? "of what was unpacked only" : "of the input only", source->n_max >> 20,
			advice);
	else
		source_note(source, position, 0, "memory for %s ran out after %zu bytes; %s",
			is_packed ? "what was unpacked" : "the input", source->n_gathered, advice);
}

enum rst_status source_whole(
	struct source *source, bool may_go_on, struct input_item *ret, struct rst_error *err)
{
	struct layer *top = source_top(source);
	struct rst_error failure = { 0 };
	enum rst_status status = RST_OK;

	if (top->buffer)
		status = source_gather(source, &failure);
	ret->is_whole = !(status == RST_MORE && may_go_on);
	if ((status == RST_E_NOMEM && source->n_gathered) || (status == RST_MORE && !may_go_on))
		source_note_cut(source, status);
	if ((status == RST_E_NOMEM && source->n_gathered) || status == RST_MORE)
		status = RST_OK;
	if (status < 0) {
		if (err)
			*err = failure;
		return status;
	}
	source->has_whole = true;
	ret->bytes = source->gathered;
	ret->n_bytes = source->n_gathered;
	if (!top->buffer)
		ret->n_bytes = layer_take(top, SIZE_MAX, &ret->bytes);
	if (!ret->n_bytes)
		ret->bytes = nothing;
	return RST_OK;
}
