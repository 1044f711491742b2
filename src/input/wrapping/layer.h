/* SPDX-License-Identifier: MIT */
/*
 * A source is a stack of layers: the file itself at the bottom, one layer for each wrapping on it. The source
 * pulls bytes from the top; a layer pulls from the one below when it has no input left.
 *
 *      at                                      a layer either looks at memory that is there as a whole
 *      |==== n_ready ====|...... room ....|    (no buffer, is_over from the start) or fills its buffer
 */
#ifndef INPUT_WRAPPING_LAYER_H
#define INPUT_WRAPPING_LAYER_H

#include "input/wrapping/wrapping.h"

/* One byte more than a caller may see at once: it shows whether bytes follow the front. */
enum { LAYER_BYTES = SOURCE_CHUNK_BYTES + 1 };

struct layer {
	struct layer *below; /* NULL if this is the file */
	const struct wrapping *wrapping;
	void *state;
	struct wrapping_io io;
	int fd;
	const struct live_input *live; /* in place of fd, or NULL */
	uint64_t n_read;
	uint8_t *buffer;
	const uint8_t *at; /* the bytes that were made and not taken yet */
	size_t n_ready;
	bool is_over; /* the layer makes no more bytes */
};

/* Opens a layer over memory, which must outlive the layer. */
void layer_open_bytes(struct layer *layer, const uint8_t *bytes, size_t n_bytes);

/* Opens a layer over a descriptor, which stays the caller's. */
enum rst_status layer_open_file(struct layer *layer, int fd, struct rst_error *err);

/* Opens a layer over a link, which must not move in memory. */
enum rst_status layer_open_live(struct layer *layer, const struct live_input *live, struct rst_error *err);

/* Opens a layer that unwraps the bytes of below. On failure the layer is as after layer_done(). */
enum rst_status layer_open_wrapping(struct layer *layer, struct layer *below, const struct wrapping *wrapping,
	struct wrapping_faults *faults, const struct source_judge *judge, struct rst_error *err);

/* Frees the contents of the layer. Accepts an all-zero layer. */
void layer_done(struct layer *layer);

/*
 * Makes bytes until n_wanted (at most LAYER_BYTES) are ready or the layer is over. Returns RST_MORE if its
 * link was lost.
 */
enum rst_status layer_fill(struct layer *layer, size_t n_wanted, struct rst_error *err);

/*
 * For a link, adds the bytes that come within wait_ms to the ready ones. Returns RST_MORE if the link was
 * lost.
 */
enum rst_status layer_await(struct layer *layer, int wait_ms, struct rst_error *err);

/* Gives up the first n_bytes of those that layer_await() has added. */
void layer_drop(struct layer *layer, size_t n_bytes);

/* Takes at most n_max ready bytes, borrowed until the next fill. Returns their number. */
size_t layer_take(struct layer *layer, size_t n_max, const uint8_t **ret_bytes);

#endif
