/* SPDX-License-Identifier: MIT */
/*
 * Makes the chunks of a dialect (dialect/chunk.h) out of runs of bytes. Only the carrier carries the tail
 * that a dialect leaves. It copies the tail and as much of the next run as is needed; a dialect reads the
 * rest of a run in place:
 *
 *	joint		             |~~ tail ~~|====|
 *	run		                              |=====================|
 */
#ifndef TRACE_CARRIER_H
#define TRACE_CARRIER_H

#include "base/error.h"
#include "dialect/chunk.h"

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
