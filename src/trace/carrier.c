/* SPDX-License-Identifier: MIT */
#include "trace/carrier.h"

#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "input/source.h"

size_t chunk_tail_max(void)
{
	return SOURCE_WHOLE_MAX + SOURCE_CHUNK_BYTES;
}

void chunk_carrier_done(struct chunk_carrier *carrier)
{
	free(carrier->joint);
	*carrier = (struct chunk_carrier){ 0 };
}

static const uint8_t nothing[1]; /* a chunk without bytes points to it */

static size_t bytes_left(const struct chunk_carrier *carrier)
{
	return carrier->chunk.n_bytes - carrier->chunk.n_used;
}

static bool joint_room(struct chunk_carrier *carrier, size_t n_bytes)
{
	size_t room = carrier->room ? carrier->room : CHUNK_JOINT_BYTES;
	uint8_t *grown;

	if (n_bytes <= carrier->room)
		return true;
	while (room < n_bytes)
		room *= 2;
	grown = realloc(carrier->joint, room);
	if (!grown)
		return false;
	carrier->joint = grown;
	carrier->room = room;
	return true;
}

/* Removes the used bytes from the front of the chunk. */
static void chunk_drop_used(struct chunk *chunk)
{
	const char *source;
	uint64_t offset = chunk_offset(chunk, chunk->n_used, &source);

	chunk->offset = offset;
	chunk->source = source;
	chunk->place += chunk->n_used;
	chunk->bytes += chunk->n_used;
	chunk->n_bytes -= chunk->n_used;
	if (chunk->n_used >= chunk->n_tail) {
		chunk->run_offset += chunk->n_used - chunk->n_tail;
		chunk->n_tail = 0;
	} else {
		chunk->n_tail -= chunk->n_used;
	}
	chunk->n_used = 0;
}

/* Makes the chunk the rest of the run, from its byte `at` on, without a copy. */
static void show_run(struct chunk_carrier *carrier, size_t at, uint64_t place)
{
	const struct chunk_run *run = &carrier->run;

	carrier->is_joint = false;
	carrier->chunk = (struct chunk){ .bytes = run->n_bytes ? run->bytes : nothing,
		.n_bytes = run->n_bytes,
		.n_used = at,
		.offset = run->offset,
		.source = run->source,
		.place = place,
		.run_offset = run->offset,
		.run_source = run->source,
		.behind = run->is_last ? CHUNK_INPUT_ENDS : CHUNK_GOES_ON };
}

/* Appends up to n_more bytes of the run to the chunk in joint[]. */
static enum rst_status join_more(struct chunk_carrier *carrier, size_t n_more, struct rst_error *err)
{
	const struct chunk_run *run = &carrier->run;
	size_t n_left = run->n_bytes - carrier->n_joined, n = n_more < n_left ? n_more : n_left;
	size_t end = carrier->n_before + carrier->chunk.n_bytes;
	struct chunk *chunk = &carrier->chunk;

	if (!joint_room(carrier, end + n))
		return error_nomem(err);
	if (n)
		memcpy(carrier->joint + end, run->bytes + carrier->n_joined, n);
	carrier->n_joined += n;
	chunk->bytes = carrier->joint + carrier->n_before;
	chunk->n_bytes += n;
	chunk->behind = run->is_last && carrier->n_joined == run->n_bytes ? CHUNK_INPUT_ENDS : CHUNK_GOES_ON;
	return RST_OK;
}

/* Copies the bytes that are left to the beginning of joint[]; they become the whole chunk. */
static enum rst_status tail_copy(struct chunk_carrier *carrier, struct rst_error *err)
{
	struct chunk *chunk = &carrier->chunk;

	chunk_drop_used(chunk);
	if (!carrier->is_joint && !joint_room(carrier, chunk->n_bytes))
		return error_nomem(err);
	/* A long tail that only grows stays where it is. */
	if (chunk->n_bytes && chunk->bytes != carrier->joint)
		memmove(carrier->joint, chunk->bytes, chunk->n_bytes);
	chunk->bytes = carrier->joint;
	carrier->is_joint = true;
	carrier->n_before = 0;
	carrier->n_joined = carrier->run.n_bytes;
	return RST_OK;
}

enum rst_status chunk_carrier_keep(struct chunk_carrier *carrier, struct rst_error *err)
{
	if (carrier->is_joint || carrier->run.stays || !bytes_left(carrier))
		return RST_OK;
	return tail_copy(carrier, err);
}

enum rst_status chunk_carrier_add(
	struct chunk_carrier *carrier, const struct chunk_run *run, struct rst_error *err)
{
	struct chunk *chunk = &carrier->chunk;
	size_t n_tail = bytes_left(carrier), n_more;

	if (!n_tail) {
		uint64_t place = chunk->place + chunk->n_bytes;

		carrier->run = *run;
		show_run(carrier, 0, place);
		return RST_OK;
	}
	if (n_tail > chunk_tail_max()) {
		error_set(err, RST_E_DAMAGED, chunk->offset + chunk->n_used,
			"one record is longer than all that may be kept of it");
		error_advise(err, "please report it: this is a fault of the reader");
		return RST_E_DAMAGED;
	}
	error_try(tail_copy(carrier, err));
	carrier->run = *run;
	carrier->n_joined = 0;
	chunk->n_tail = n_tail;
	chunk->run_offset = run->offset;
	chunk->run_source = run->source;
	n_more = n_tail < CHUNK_JOINT_BYTES ? CHUNK_JOINT_BYTES : n_tail;
	return join_more(carrier, n_more, err);
}

enum rst_status chunk_carrier_go_on(struct chunk_carrier *carrier, struct rst_error *err)
{
	struct chunk *chunk = &carrier->chunk;

	if (!carrier->is_joint || carrier->n_joined == carrier->run.n_bytes)
		return RST_END;
	if (chunk->n_used >= chunk->n_tail) {
		show_run(carrier, chunk->n_used - chunk->n_tail, chunk->place + chunk->n_tail);
		return RST_OK;
	}
	carrier->n_before += chunk->n_used;
	chunk_drop_used(chunk);
	return join_more(carrier, chunk->n_bytes, err);
}

void chunk_carrier_set_behind(struct chunk_carrier *carrier, enum chunk_behind behind)
{
	struct chunk *chunk = &carrier->chunk;

	if (!chunk->n_bytes)
		chunk->bytes = carrier->is_joint ? carrier->joint : nothing;
	chunk_drop_used(chunk);
	carrier->n_before = carrier->is_joint ? (size_t)(chunk->bytes - carrier->joint) : 0;
	if (chunk->source == chunk->run_source && chunk->offset + chunk->n_tail == chunk->run_offset) {
		chunk->run_offset = chunk->offset; /* one input: what is left is no tail of another one */
		chunk->n_tail = 0;
	}
	chunk->behind = behind;
}

size_t chunk_carrier_used(const struct chunk_carrier *carrier)
{
	const struct chunk *chunk = &carrier->chunk;

	if (!carrier->is_joint)
		return chunk->n_bytes ? (size_t)(chunk->bytes - carrier->run.bytes) + chunk->n_used
				      : carrier->run.n_bytes;
	return chunk->n_used > chunk->n_tail ? chunk->n_used - chunk->n_tail : 0;
}
