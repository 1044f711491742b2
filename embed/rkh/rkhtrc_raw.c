/* SPDX-License-Identifier: MIT */
/* In a file of its own, so that only programs that put raw bytes link it. */
#include "embed/rkh/rkhtrc_state.h"
#include "embed/rkh/rkhtrc_stream.h"

/* Outside of a frame the byte is one by itself. */
void rkh_trc_put(rui8_t b)
{
	const struct rkh_trc_state_ *state = &rkh_trc_state_;

	rkh_trc_frame_put_(b, state->at == state->head && !state->is_dropped);
}
