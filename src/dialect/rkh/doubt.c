/* SPDX-License-Identifier: MIT */
/*
 * A link that is joined in the middle of a stream. A file is looked at as a whole before its first row, but what comes by a
 * link is shown at once, with the usual widths, for as long as it fits them. The first right frame that does not, but would
 * if the target had senders or low marks, and what comes behind it are kept back until there is enough to guess by:
 *
 *	given out at once | the frame in doubt, and what follows | …
 *	                  |<-- kept back, then read anew ------->|
 *
 * A pause ends that, too. Few frames must do, and there are few doubts: each can hold up what is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "dialect/rkh/rkh.h"

enum { DOUBTS_MAX = 6, LOOKS_MAX = 256 };

bool rkh_doubt_arises(struct rkh *rkh, const struct rkh_frame *frame)
{
	struct rkh_doubt *doubt = &rkh->doubt;

	if (rkh->is_announced || !rkh->bound->layout.has_checksum || frame->sum != 0 ||
		frame->seq < doubt->sure_until || doubt->n_doubts == DOUBTS_MAX ||
		doubt->n_looks == LOOKS_MAX || rkh_frame_fits(rkh->bound, frame->bytes, frame->n_bytes))
		return false;
	doubt->n_looks++;
	return rkh_guess_explains(rkh, frame->bytes, frame->n_bytes);
}

bool rkh_doubt_keeps_back(const void *state)
{
	const struct rkh *rkh = state;

	return rkh->doubt.stage == RKH_DOUBTING;
}

static bool keep_back(struct rkh_doubt *doubt, const uint8_t *bytes, size_t n_bytes)
{
	size_t room = doubt->room ? doubt->room : 256;

	while (room < doubt->n_bytes + n_bytes)
		room *= 2;
	if (room > doubt->room) {
		uint8_t *grown = realloc(doubt->bytes, room);

		if (!grown)
			return false;
		doubt->bytes = grown;
		doubt->room = room;
	}
	if (n_bytes)
		memcpy(doubt->bytes + doubt->n_bytes, bytes, n_bytes);
	doubt->n_bytes += n_bytes;
	return true;
}

static bool keep_rest(struct rkh_doubt *doubt, struct chunk *chunk)
{
	bool is_kept = keep_back(doubt, chunk->bytes + chunk->n_used, chunk->n_bytes - chunk->n_used);

	chunk->n_used = chunk->n_bytes;
	return is_kept;
}

/* The flag in front of the frame is put there again: a guess looks at what is between flags. */
bool rkh_doubt_begin(struct rkh *rkh, struct chunk *chunk)
{
	static const uint8_t flag = RKH_FLAG;
	struct rkh_doubt *doubt = &rkh->doubt;
	struct rkh_held *held = &rkh->held;
	const bool is_held = held->n_all != 0;

	doubt->stage = RKH_DOUBTING;
	doubt->n_doubts++;
	doubt->n_bytes = 0;
	doubt->seq = (is_held ? held->seq : rkh->base + chunk->n_used) - 1;
	doubt->chunk = (struct chunk){ .offset = (is_held ? held->offset : chunk->offset + chunk->n_used) - 1,
		.source = is_held ? held->source : chunk->source,
		.n_used = 1 };
	if (!keep_back(doubt, &flag, 1) || (is_held && !keep_back(doubt, held->bytes, held->n_bytes)))
		return false;
	held->n_bytes = held->n_all = 0;
	return keep_rest(doubt, chunk);
}

bool rkh_doubt_add(struct rkh *rkh, struct model *model, struct chunk *chunk)
{
	struct rkh_doubt *doubt = &rkh->doubt;
	bool is_all =
		chunk->is_end || chunk->is_pause || chunk->is_whole || chunk->source != doubt->chunk.source;
	const uint8_t *last_flag;
	bool is_decided;

	if (!is_all && !keep_rest(doubt, chunk))
		return false;
	if (!rkh_guess_some(rkh, model, doubt->bytes, doubt->n_bytes, is_all, &is_decided))
		return false;
	if (!is_decided)
		return true;
	doubt->stage = RKH_SETTLED;
	/* A frame that is not complete yet may be the next one in doubt. */
	last_flag = memrchr(doubt->bytes, RKH_FLAG, doubt->n_bytes);
	doubt->sure_until = doubt->seq + (uint64_t)(last_flag - doubt->bytes) + 1;
	doubt->chunk.bytes = doubt->bytes;
	doubt->chunk.n_bytes = doubt->n_bytes;
	rkh->base = doubt->seq;
	return true;
}
