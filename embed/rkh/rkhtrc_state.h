/* SPDX-License-Identifier: MIT */
/*
 * The recorder's own: the ring, and the frame that is being written into it.
 *
 *      | ... read ... | frames ... | the frame so far | free ... |
 *                     tail         head               at
 *
 * A frame is written behind head, where no reader looks; its end moves head over it, or puts `at` back when
 * there was no room for all of it. One byte of the ring stays empty, so that head == tail says that nothing
 * is in it. All zero is a right state: an empty ring.
 */
#ifndef EMBED_RKH_RKHTRC_STATE_H
#define EMBED_RKH_RKHTRC_STATE_H

#include "embed/core/memory.h"
#include "embed/rkh/rkhtrc_define.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RKH_RING_BYTES_ (RKH_CFG_TRC_SIZEOF_STREAM + 1u)

#if RKH_CFG_TRC_SMALL_EN
typedef rui16_t rkh_trc_place_t_;
#else
typedef size_t rkh_trc_place_t_;
#endif

struct rkh_trc_state_ {
	rui32_t n_lost;
	rkh_trc_place_t_ head;
	rkh_trc_place_t_ tail;
	rkh_trc_place_t_
		reader; /* what is between tail and here has been handed out, and is still being looked at */
	rkh_trc_place_t_ at;
#if !RKH_CFG_TRC_SMALL_EN
	rkh_trc_place_t_
		limit; /* before it, the end of a frame has room behind `at`; 0 if nothing is known */
#endif
	rui8_t is_dropped; /* the frame, as there was no room for a byte of it */
	rui8_t sum;
	rui8_t seq;
	rui8_t ring[RKH_RING_BYTES_];
};

#if RKH_CFG_TRC_SMALL_EN
#define RKH_LIMIT_FORGET_(state) (void)0
#else
#define RKH_LIMIT_FORGET_(state) ((state)->limit = 0)
#endif

extern struct rkh_trc_state_ rkh_trc_state_;

/* A byte of the frame that is being written. With its last one it is in the ring whole, or counted lost. */
void rkh_trc_frame_put_(ruint b, ruint is_end);

/*
 * The drain runs beside the recording code, maybe on another core: what is in the ring is read only behind
 * the head, and overwritten only where the tail was seen to have gone on. In a small recorder fences do the
 * first, as gcc puts the address of every atomic object into flash, and the second hangs on a condition,
 * which processors keep to.
 */
#if defined(__GNUC__) && (!RKH_CFG_TRC_SMALL_EN || defined(__SANITIZE_THREAD__))
static inline rkh_trc_place_t_ rkh_trc_acquire_(const rkh_trc_place_t_ *place)
{
	return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

static inline rkh_trc_place_t_ rkh_trc_peek_(const rkh_trc_place_t_ *place)
{
	return rkh_trc_acquire_(place);
}

static inline void rkh_trc_release_(rkh_trc_place_t_ *place, rkh_trc_place_t_ value)
{
	__atomic_store_n(place, value, __ATOMIC_RELEASE);
}
#else
#ifdef __GNUC__
#define RKH_FENCE_(order) __atomic_thread_fence(order)
#else
#define RKH_FENCE_(order) (void)0
#endif
static inline rkh_trc_place_t_ rkh_trc_peek_(const rkh_trc_place_t_ *place)
{
	return *(const volatile rkh_trc_place_t_ *)place;
}

static inline rkh_trc_place_t_ rkh_trc_acquire_(const rkh_trc_place_t_ *place)
{
	rkh_trc_place_t_ value = *(const volatile rkh_trc_place_t_ *)place;

	RKH_FENCE_(__ATOMIC_ACQUIRE);
	return value;
}

static inline void rkh_trc_release_(rkh_trc_place_t_ *place, rkh_trc_place_t_ value)
{
	RKH_FENCE_(__ATOMIC_RELEASE);
	*(volatile rkh_trc_place_t_ *)place = value;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
