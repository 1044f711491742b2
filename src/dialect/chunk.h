/* SPDX-License-Identifier: MIT */
/*
 * The bytes that a dialect reads at a time. A dialect uses as many bytes as it can decode, and counts them in
 * n_used. It gets the rest again, together with the bytes behind it, so it need not keep any byte itself.
 *
 *	first chunk	|=== used ===|~~ left ~~|
 *	next chunk	             |~~ tail ~~|=== run ===================|
 *
 * src/trace/carrier.h carries the tail from one chunk to the next.
 */
#ifndef DIALECT_CHUNK_H
#define DIALECT_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

/* The state of the input behind the bytes of a chunk. */
enum chunk_behind {
	CHUNK_GOES_ON,
	CHUNK_PAUSES,	  /* links only: nothing, for as long as people wait for output */
	CHUNK_INPUT_ENDS, /* nothing in this input; a record may go on in the next file of a cut one */
	CHUNK_ENDS,	  /* nothing at all: what is left of the last input, or nothing */
};

struct chunk {
	const uint8_t *bytes;
	size_t n_bytes;
	size_t n_used;	    /* 0 in a new chunk; then only the dialect changes it */
	uint64_t offset;    /* of bytes[0] in its input */
	const char *source; /* name of the input, for messages */
	uint64_t place;	    /* of bytes[0] in all inputs, one behind the other */
	enum chunk_behind behind;

	/* The first n_tail bytes are a tail. Behind them a run of the same or of the next input begins. */
	size_t n_tail;
	uint64_t run_offset;
	const char *run_source;
};

/* Finds where the byte at chunk->bytes + at is: returns its offset, and its input's name in *ret_source. */
static inline uint64_t chunk_offset(const struct chunk *chunk, size_t at, const char **ret_source)
{
	bool is_in_run = at >= chunk->n_tail;

	check(at <= chunk->n_bytes);
	*ret_source = is_in_run ? chunk->run_source : chunk->source;
	return is_in_run ? chunk->run_offset + (at - chunk->n_tail) : chunk->offset + at;
}

#endif
