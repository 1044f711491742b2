/* SPDX-License-Identifier: MIT */
/*
 * A link that is joined in the middle of a stream. A file is read as a whole before its first row, but frames
 * of a link are shown at once, with the usual widths, as long as they fit them. The first right frame that
 * does not fit, but would fit if the target had senders or low marks, waits with all bytes behind it until
 * they are enough for a guess:
 *
 *	given out at once | the frame in doubt, and what follows | …
 *	                  |<-- left for the next chunk --------->|
 *
 * A pause ends the wait, too. A guess uses few frames, and the number of doubts is limited, because each
 * doubt can delay the output.
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
