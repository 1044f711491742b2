/* SPDX-License-Identifier: MIT */
/*
 * The bytes that a dialect reads at a time. A dialect uses as many bytes as it can decode, and counts them in
 * n_used. It gets the rest again, together with the bytes behind it, so it need not keep any byte itself.
 *
 *	first chunk	|=== used ===|~~ left ~~|
 *	next chunk	             |~~ tail ~~|=== run ===================|
 *
 * Only chunk_carrier carries the tail. It copies the tail and as much of the run as is needed; a dialect
 * reads the rest of a run in place:
 *
 *	joint		             |~~ tail ~~|====|
 *	run		                              |=====================|
 */
#ifndef DIALECT_CHUNK_H
#define DIALECT_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/error.h"

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

/* Bytes that lie together in one input. */
struct chunk_run {
	const uint8_t *bytes;
	size_t n_bytes;
	uint64_t offset;
	const char *source;
	bool stays;   /* until the trace is closed; else until chunk_carrier_keep() */
	bool is_last; /* nothing comes behind it in its input */
};

/* All of it is its own. */
struct chunk_carrier {
	struct chunk chunk; /* what the dialect is to read */
	struct chunk_run run;
	bool is_joint;	/* the chunk is in joint[] */
	uint8_t *joint; /* the tail, and n_joined bytes of the run */
	size_t room, n_joined;
	size_t n_before; /* bytes of joint[] in front of the chunk */
};

/* The most bytes that a dialect may leave; no dialect needs so many. */
size_t chunk_tail_max(void);

void chunk_carrier_done(struct chunk_carrier *carrier);

/*
 * The chunk is what was left, and the run behind it. Pointers into earlier chunks become invalid, except
 * those into runs that stay. Returns RST_E_NOMEM, or RST_E_DAMAGED if more than chunk_tail_max() bytes are
 * left.
 */
enum rst_status chunk_carrier_add(
	struct chunk_carrier *carrier, const struct chunk_run *run, struct rst_error *err);

/*
 * The dialect cannot go on with the chunk (it has returned RST_MORE, and its rows have been used): shows more
 * of the run behind what is left. Returns RST_OK, RST_E_NOMEM, or RST_END if the dialect has seen the whole
 * run and needs another one.
 *
 * Pointers into joint[] stay valid while the run lasts, unless the dialect leaves more than
 * CHUNK_JOINT_BYTES.
 */
enum { CHUNK_JOINT_BYTES = 4096 };
enum rst_status chunk_carrier_go_on(struct chunk_carrier *carrier, struct rst_error *err);

/*
 * Copies the bytes that are left if their run does not stay; then the run may go away. May return
 * RST_E_NOMEM.
 */
enum rst_status chunk_carrier_keep(struct chunk_carrier *carrier, struct rst_error *err);

/* Shows the bytes that are left once more, without new bytes; `behind` says what follows them. */
void chunk_carrier_set_behind(struct chunk_carrier *carrier, enum chunk_behind behind);

/* How many bytes of the present run have been used. */
size_t chunk_carrier_used(const struct chunk_carrier *carrier);

#endif
