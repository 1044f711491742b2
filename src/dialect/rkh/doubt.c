/* SPDX-License-Identifier: MIT */
/*
 * A link that is joined in the middle of a stream. A file is looked at as a whole before its first row, but what comes by a
 * link is shown at once, with the usual widths, for as long as it fits them. The first right frame that does not, but would
 * if the target had senders or low marks, and what comes behind it wait until there is enough to guess by:
 *
 *	given out at once | the frame in doubt, and what follows | …
 *	                  |<-- left for the next chunk --------->|
 *
 * A pause ends that, too. Few frames must do, and there are few doubts: each can hold up what is shown.
 */
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
	if (!rkh_guess_explains(rkh, frame->bytes, frame->n_bytes))
		return false;
	doubt->n_doubts++;
	doubt->is_open = true;
	return true;
}

bool rkh_doubt_settle(struct rkh *rkh, struct model *model, const struct chunk *chunk)
{
	const uint8_t *bytes = chunk->bytes + chunk->n_used, *last_flag;
	const size_t n_bytes = chunk->n_bytes - chunk->n_used;
	const bool is_all = chunk->behind != CHUNK_GOES_ON;
	bool is_decided;

	if (!rkh_guess_some(rkh, model, bytes, n_bytes, is_all, &is_decided))
		return false;
	if (!is_decided)
		return true;
	rkh->doubt.is_open = false;
	/* A frame that is not complete yet may be the next one in doubt. */
	last_flag = memrchr(bytes, RKH_FLAG, n_bytes);
	rkh->doubt.sure_until = chunk->place + (uint64_t)(last_flag - chunk->bytes) + 1;
	return true;
}
