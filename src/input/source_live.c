/* SPDX-License-Identifier: MIT */
/*
 * The part of a source that only links need: it waits, shows a front that grows, gives up bytes that no
 * dialect recognises, and notes missing bytes.
 *
 *	bytes come …  … a pause, or half a second is over, or 64 KiB are there, or the end
 *	                └─ a look at the front. If there is another one, then because no dialect has recognised it:
 *	                   wait for more, and where 64 KiB are full give up the oldest
 */
#include "base/steady.h"
#include "input/source_parts.h"

enum {
	PATIENCE_MS = 500,		   /* the longest wait for bytes that never pause */
	GIVEN_UP = SOURCE_CHUNK_BYTES / 8, /* bytes given up at a time if no dialect recognises the front */
};

void source_note_loss(struct source *source)
{
	const char *loss = source->live.missing ? source->live.missing(source->live.context) : NULL;

	source->loss = loss ? loss : "the link was lost here";
	source->has_loss = true;
}

/* Adds the bytes that come within wait_ms to the front, which has room for 64 KiB. */
static enum rst_status source_await(struct source *source, int wait_ms, struct rst_error *err)
{
	enum rst_status status = layer_await(&source->layers[0], wait_ms, err);

	if (status == RST_MORE)
		source_note_loss(source);
	return status < 0 ? status : RST_OK;
}

bool source_may_pause(const struct source *source)
{
	const struct layer *layer = &source->layers[0];

	return source->is_live && source->n_layers == 1 && !layer->n_ready && !layer->is_over &&
	       !source->has_loss && !source->has_paused;
}

enum rst_status source_wait(struct source *source, bool *ret_is_pause, struct rst_error *err)
{
	const struct layer *layer = &source->layers[0];

	error_try(source_await(source, SOURCE_PAUSE_MS, err));
	source->has_paused = !layer->n_ready && !layer->is_over && !source->has_loss;
	*ret_is_pause = source->has_paused;
	return RST_OK;
}

/* --- the front ------------------------------------------------------------------------------------------ */

static bool is_full(const struct source_front *front)
{
	return front->is_whole || front->n_bytes == SOURCE_CHUNK_BYTES;
}

/*
 * Waits until it is worth looking: at a pause or at the end. If bytes never pause, it waits until the front
 * has grown by an eighth, so that the cost of all looks stays in proportion to the front.
 */
static enum rst_status front_await(struct source *source, struct source_front *front, struct rst_error *err)
{
	struct source_look *look = &source->look;
	size_t n_enough = look->n_bytes + look->n_bytes / 8 + 1, n_before = look->n_bytes;
	int wait_ms = LIVE_FOREVER; /* the bytes that are there have been looked at */

	for (;;) {
		error_try(source_await(source, wait_ms, err));
		source_front(source, front);
		if (is_full(front) || (front->n_bytes == n_before && wait_ms != LIVE_FOREVER))
			return RST_OK;
		if (!look->start_ms && front->n_bytes)
			look->start_ms = steady_ms();
		if (front->n_bytes >= n_enough && steady_ms() - look->start_ms >= PATIENCE_MS)
			return RST_OK;
		if (front->n_bytes > n_before)
			wait_ms = SOURCE_PAUSE_MS;
		n_before = front->n_bytes;
	}
}

/*
 * Slides the front when it is full and no dialect has recognised it. A pipe is judged by its front, as a file
 * is. A link goes on, and a dialect may recognise later bytes. Returns false if there is no further front.
 */
static bool front_slide(struct source *source, const struct source_front *front)
{
	if (source->live.is_pipe || front->is_whole)
		return false;
	if (source->live.unknown && !source->n_dropped)
		source->live.unknown(source->live.context, front->n_bytes);
	layer_drop(&source->layers[0], GIVEN_UP);
	source->n_dropped += GIVEN_UP;
	source->look.n_bytes -= GIVEN_UP;
	return true;
}

/* Takes off the wrapping that claims the front, and shows the bytes inside it as those of a file. */
static enum rst_status front_unwrap(struct source *source, struct source_front *ret, struct rst_error *err)
{
	error_try(source_settle(source, err));
	error_try(layer_fill(source_top(source), LAYER_BYTES, err));
	source->look.is_last = true;
	source_front(source, ret);
	return RST_OK;
}

enum rst_status source_look_live(struct source *source, struct source_front *ret, struct rst_error *err)
{
	struct source_look *look = &source->look;
	struct source_front front;

	source_front(source, &front);
	if (look->has_looked && is_full(&front) && !front_slide(source, &front)) {
		look->is_last = true;
		return RST_END;
	}
	error_try(front_await(source, &front, err));
	look->has_looked = true;
	look->n_bytes = front.n_bytes;
	if (source_is_wrapped(source))
		return front_unwrap(source, ret, err);
	*ret = front;
	return RST_OK;
}
