/* SPDX-License-Identifier: MIT */
/*
 * A source is a pile of layers: the file itself at the bottom, one layer for each wrapping on it. Bytes are pulled
 * from the top; a layer pulls from the one below when it has nothing left to work on.
 *
 *      at                                      a layer either looks at memory that is there as a whole
 *      |==== n_ready ====|...... room ....|    (no buffer, is_over from the start) or fills its buffer
 */
#ifndef INPUT_WRAPPING_LAYER_H
#define INPUT_WRAPPING_LAYER_H

#include "input/wrapping/wrapping.h"

/* One byte more than a caller may see at once: it shows whether something comes behind the front. */
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
	const uint8_t *at; /* made and not taken yet */
	size_t n_ready;
	bool is_over; /* nothing will be made any more */
};

/* Memory that outlives the layer. */
void layer_open_bytes(struct layer *layer, const uint8_t *bytes, size_t n_bytes);

/* A descriptor, which stays the caller's. */
enum rst_status layer_open_file(struct layer *layer, int fd, struct rst_error *err);

/* A link, which stays where it is. */
enum rst_status layer_open_live(struct layer *layer, const struct live_input *live, struct rst_error *err);

/* What wrapping makes of the bytes of below. On failure the layer is as after layer_done(). */
enum rst_status layer_open_wrapping(struct layer *layer, struct layer *below, const struct wrapping *wrapping,
	struct wrapping_faults *faults, const struct source_judge *judge, struct rst_error *err);

/* An all-zero layer is fine. */
void layer_done(struct layer *layer);

/*
 * Makes until n_wanted bytes (at most LAYER_BYTES) are ready or the layer is over. Returns RST_MORE if its
 * link was lost.
 */
enum rst_status layer_fill(struct layer *layer, size_t n_wanted, struct rst_error *err);

/* Of a link: adds what comes within wait_ms to what is ready. Returns RST_MORE if it was lost. */
enum rst_status layer_await(struct layer *layer, int wait_ms, struct rst_error *err);

/* Gives up the first n_bytes of what layer_await() has added. */
void layer_drop(struct layer *layer, size_t n_bytes);

/* Takes what is ready, at most n_max bytes: borrowed until the next fill. Returns how many. */
size_t layer_take(struct layer *layer, size_t n_max, const uint8_t **ret_bytes);

#endif
