/* SPDX-License-Identifier: MIT */
#include "input/wrapping/layer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/live.h"

void layer_open_bytes(struct layer *layer, const uint8_t *bytes, size_t n_bytes)
{
	*layer = (struct layer){ .at = bytes, .n_ready = n_bytes, .is_over = true };
}

static enum rst_status layer_new_buffer(struct layer *layer, struct rst_error *err)
{
	layer->buffer = malloc(LAYER_BYTES);
	layer->at = layer->buffer;
	return layer->buffer ? RST_OK : error_nomem(err);
}

enum rst_status layer_open_file(struct layer *layer, int fd, struct rst_error *err)
{
	*layer = (struct layer){ .fd = fd };
	return layer_new_buffer(layer, err);
}

enum rst_status layer_open_live(struct layer *layer, const struct live_input *live, struct rst_error *err)
{
	*layer = (struct layer){ .fd = -1, .live = live };
	return layer_new_buffer(layer, err);
}

static enum rst_status layer_new_state(struct layer *layer, struct rst_error *err)
{
	const struct wrapping *wrapping = layer->wrapping;

	error_try(layer_new_buffer(layer, err));
	layer->state = calloc(1, wrapping->state_size);
	if (!layer->state)
		return error_nomem(err);
	return wrapping->open ? wrapping->open(layer->state, err) : RST_OK;
}

enum rst_status layer_open_wrapping(struct layer *layer, struct layer *below, const struct wrapping *wrapping,
	struct wrapping_faults *faults, const struct source_judge *judge, struct rst_error *err)
{
	*layer = (struct layer){ .below = below, .wrapping = wrapping };
	layer->io.faults = faults;
	layer->io.judge = judge;
	layer->io.is_nested = below->below != NULL;
	enum rst_status status = layer_new_state(layer, err);

	if (status < 0)
		layer_done(layer);
	return status;
}

void layer_done(struct layer *layer)
{
	if (layer->state && layer->wrapping->close)
		layer->wrapping->close(layer->state);
	free(layer->state);
	free(layer->buffer);
	*layer = (struct layer){ 0 };
}

static enum rst_status layer_read_live(
	struct layer *layer, uint8_t *room, size_t n_room, int wait_ms, struct rst_error *err)
{
	size_t n = 0;
	enum rst_status status = layer->live->read(layer->live->context, room, n_room, wait_ms, &n, err);

	layer->is_over = status == RST_END;
	layer->n_read += n;
	layer->n_ready += n;
	return status == RST_END ? RST_OK : status;
}

/*
 * Moves the bytes left over to the start. That is one byte at most, the one that a look at the front read
 * ahead.
 */
static void layer_settle(struct layer *layer)
{
	if (layer->at != layer->buffer)
		memmove(layer->buffer, layer->at, layer->n_ready);
	layer->at = layer->buffer;
}

enum rst_status layer_await(struct layer *layer, int wait_ms, struct rst_error *err)
{
	if (layer->is_over || layer->n_ready == LAYER_BYTES)
		return RST_OK;
	layer_settle(layer);
	return layer_read_live(
		layer, layer->buffer + layer->n_ready, LAYER_BYTES - layer->n_ready, wait_ms, err);
}

void layer_drop(struct layer *layer, size_t n_bytes)
{
	layer->n_ready -= n_bytes;
	memmove(layer->buffer, layer->buffer + n_bytes, layer->n_ready);
}

/* Reads once, and again if a signal interrupts it. */
static enum rst_status layer_read(struct layer *layer, uint8_t *room, size_t n_room, struct rst_error *err)
{
	ssize_t n;

	if (layer->live)
		return layer_read_live(layer, room, n_room, LIVE_FOREVER, err);
	do
		n = read(layer->fd, room, n_room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set(err, RST_E_IO, layer->n_read, "cannot read on: %s", strerror(errno));
	layer->is_over = n == 0;
	layer->n_read += (uint64_t)n;
	layer->n_ready += (size_t)n;
	return RST_OK;
}

static enum rst_status layer_decode(struct layer *layer, uint8_t *room, size_t n_room, struct rst_error *err)
{
	struct wrapping_io *io = &layer->io;

	if (!io->n_in && !io->is_last) {
		error_try(layer_fill(layer->below, 1, err));
		io->n_in = layer_take(layer->below, SIZE_MAX, &io->in);
		io->is_last = layer->below->is_over;
	}
	io->out = room;
	io->n_out = n_room;
	enum rst_status status = layer->wrapping->decode(layer->state, io, err);

	layer->n_ready += n_room - io->n_out;
	layer->is_over = status == RST_END;
	return status;
}

enum rst_status layer_fill(struct layer *layer, size_t n_wanted, struct rst_error *err)
{
	if (layer->is_over || layer->n_ready >= n_wanted)
		return RST_OK;
	layer_settle(layer);
	while (!layer->is_over && layer->n_ready < n_wanted) {
		uint8_t *room = layer->buffer + layer->n_ready;
		size_t n_room = LAYER_BYTES - layer->n_ready;

		enum rst_status status = layer->below ? layer_decode(layer, room, n_room, err)
						      : layer_read(layer, room, n_room, err);

		if (status < 0 || status == RST_MORE)
			return status;
	}
	return RST_OK;
}

size_t layer_take(struct layer *layer, size_t n_max, const uint8_t **ret_bytes)
{
	const size_t n = layer->n_ready < n_max ? layer->n_ready : n_max;

	*ret_bytes = layer->at;
	if (n)
		layer->at += n;
	layer->n_ready -= n;
	return n;
}
