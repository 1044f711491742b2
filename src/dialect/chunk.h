/* SPDX-License-Identifier: MIT */
/*
 * The bytes that a dialect reads at a time. A dialect takes as many as it can make sense of, and counts them in n_used;
 * what it leaves is shown again with the bytes behind it. It need not keep any byte itself.
 *
 *	first chunk	|=== used ===|~~ left ~~|
 *	next chunk	             |~~ tail ~~|=== run ===================|
 *
 * chunk_carrier is the one place that carries the tail. Only the tail and as much of the run as is needed are copied; the rest
 * of a run is read where it lies:
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

/* What comes behind the bytes of a chunk. */
enum chunk_behind {
	CHUNK_GOES_ON,
	CHUNK_PAUSES, /* nothing, for as long as people wait for what they see. Of a link only */
	CHUNK_INPUT_ENDS, /* nothing in this input. A record may go on in the next one, where it was cut into files */
	CHUNK_ENDS, /* nothing at all: what is left of the last input, or nothing */
};

struct chunk {
	const uint8_t *bytes;
	size_t n_bytes;
	size_t n_used;	    /* the dialect's own: 0 for a new chunk, then as the dialect leaves it */
	uint64_t offset;    /* of bytes[0] in its input */
	const char *source; /* name of the input, for messages */
	uint64_t place;	    /* of bytes[0] in all inputs, one behind the other */
	enum chunk_behind behind;

	/* So many bytes at the front are a tail. Behind them a run begins, of the same input or of the next one. */
	size_t n_tail;
	uint64_t run_offset;
	const char *run_source;
};

/* Where the byte at chunk->bytes + at is: its input's name in *ret_source, and its offset there. */
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

/* The most that may be left: more than any dialect asks for. */
size_t chunk_tail_max(void);

void chunk_carrier_done(struct chunk_carrier *carrier);

/*
 * The chunk is what was left, and the run behind it. Pointers into earlier chunks are no longer good, but for runs that
 * stay. RST_E_NOMEM; RST_E_DAMAGED: more is left than may be.
 */
enum rst_status chunk_carrier_add(
	struct chunk_carrier *carrier, const struct chunk_run *run, struct rst_error *err);

/*
 * The dialect cannot go on with the chunk (it has returned RST_MORE, and its rows have been used): shows more
 * of the run behind what is left. RST_OK; RST_END if the dialect has seen all of it, and a further run is
 * due; RST_E_NOMEM.
 *
 * Pointers into the joint stay good while the run lasts, unless the dialect leaves more than
 * CHUNK_JOINT_BYTES.
 */
enum { CHUNK_JOINT_BYTES = 4096 };
enum rst_status chunk_carrier_go_on(struct chunk_carrier *carrier, struct rst_error *err);

/* Copies what is left where its run does not stay, which may go away then. RST_E_NOMEM. */
enum rst_status chunk_carrier_keep(struct chunk_carrier *carrier, struct rst_error *err);

/* Shows what is left once more, with no bytes behind it, but the news of what comes in place of them. */
void chunk_carrier_set_behind(struct chunk_carrier *carrier, enum chunk_behind behind);

/* How much of the present run has been used. */
size_t chunk_carrier_used(const struct chunk_carrier *carrier);

#endif
