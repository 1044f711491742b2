/* SPDX-License-Identifier: MIT */
#include "embed/rkh/rkhtrc_stream.h"

#include "embed/rkh/rkhtrc_state.h"

struct rkh_trc_state_ rkh_trc_state_;

void rkh_trcStream_init(void)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;

	rastrum_memset(state, 0, offsetof(struct rkh_trc_state_, ring));
	state->ring[0] = RKH_FLG;
	state->head = state->at = 1;
}

void rkh_trc_frame_put_(ruint b, ruint is_end)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	size_t at = state->at, next = at + 1;

	if (next == RKH_RING_BYTES_) {
		next = 0;
		RKH_LIMIT_FORGET_(state);
	}
	if (next == rkh_trc_peek_(&state->tail)) {
		state->is_dropped = 1;
		RKH_LIMIT_FORGET_(state);
	} else {
		state->ring[at] = (rui8_t)b;
		state->at = (rkh_trc_place_t_)next;
	}
	if (!is_end)
		return;
	if (state->is_dropped) {
		state->is_dropped = 0;
		state->at = state->head;
		state->n_lost++;
	} else {
		rkh_trc_release_(&state->head, state->at);
	}
}

rui8_t *rkh_trc_get_block(TRCQTY_T *nget)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	rkh_trc_place_t_ from = state->reader;
	size_t n_bytes = *nget, head;

	rkh_trc_release_(&state->tail, from);
	head = rkh_trc_acquire_(&state->head);
	head = (head < from ? RKH_RING_BYTES_ : head) - from;
	if (n_bytes > head)
		n_bytes = head;
	*nget = (TRCQTY_T)n_bytes;
	if (!n_bytes)
		return NULL;
	head = from + n_bytes;
	state->reader = (rkh_trc_place_t_)(head == RKH_RING_BYTES_ ? 0 : head);
	return state->ring + from;
}

rui8_t *rkh_trc_get(void)
{
	TRCQTY_T one = 1;

	return rkh_trc_get_block(&one);
}

TRCQTY_T rkh_trc_getWholeBlock(rui8_t *destBlock, TRCQTY_T nElem)
{
	TRCQTY_T n_copied = 0, n_bytes;
	const rui8_t *block;

	for (;;) {
		n_bytes = (TRCQTY_T)(nElem - n_copied);
		block = rkh_trc_get_block(&n_bytes);
		if (!block) /* and with this call all that was copied has been taken out */
			return n_copied;
		rastrum_memcpy(destBlock + n_copied, block, n_bytes);
		n_copied = (TRCQTY_T)(n_copied + n_bytes);
	}
}

rui32_t rkh_trc_lost(void)
{
	return rkh_trc_state_.n_lost;
}
