/* SPDX-License-Identifier: MIT */
/*
 * Makes the same bytes as rkhtrc_record.c, several at a time. The code first stores the bytes, then checks
 * them: if a byte needs stuffing, or there is no room in one piece, the store has no effect, and the caller
 * writes byte by byte. For little-endian targets and gcc's language. Counts of instructions decide what is
 * here.
 */
#ifndef EMBED_RKH_RKHTRC_QUICK_H
#define EMBED_RKH_RKHTRC_QUICK_H

#include "embed/rkh/rkhtrc_record.h"
#include "embed/rkh/rkhtrc_state.h"

/* All of it becomes one function for each kind of frame, with what is constant there folded. */
#define RKH_QUICK_ static inline __attribute__((always_inline))

enum {
	RKH_QUICK_ID_BYTES = RKH_CFG_TRC_SIZEOF_TE_ID / 8,
	RKH_QUICK_SEQ_BYTES = RKH_CFG_TRC_NSEQ_EN,
	RKH_QUICK_STAMP_BYTES = RKH_CFG_TRC_TSTAMP_EN ? RKH_CFGPORT_TRC_SIZEOF_TSTAMP / 8 : 0,
	RKH_QUICK_ADDRESS_BYTES = RKH_CFGPORT_TRC_SIZEOF_PTR / 8,
	/* Bytes of stamp and address in one word; 0 if there is no stamp, or a word is too small for both. */
	RKH_QUICK_JOINED_BYTES =
		RKH_QUICK_STAMP_BYTES > 0 && RKH_QUICK_STAMP_BYTES + RKH_QUICK_ADDRESS_BYTES <= 8
			? RKH_QUICK_STAMP_BYTES + RKH_QUICK_ADDRESS_BYTES
			: 0,
	RKH_QUICK_HEAD_BYTES = RKH_QUICK_ID_BYTES + RKH_QUICK_SEQ_BYTES + RKH_QUICK_STAMP_BYTES,
	RKH_QUICK_END_BYTES = RKH_CFG_TRC_CHK_EN + 1
};

#define RKH_QUICK_BEGIN_BYTES(n_addresses) (RKH_QUICK_HEAD_BYTES + (n_addresses)*RKH_QUICK_ADDRESS_BYTES)

struct rkh_quick {
	rui8_t *p;
	rui32_t sum;	/* of bytes that were added alone */
	uint64_t pairs; /* four sums of 16 bits, of two bytes in each eight */
	uint64_t doubt; /* a highest bit is set where a byte may be one to stuff */
};

#define RKH_QUICK_ALL_(byte) (UINT64_C(0x0101010101010101) * (byte))
#define RKH_QUICK_EVEN_	     UINT64_C(0x00ff00ff00ff00ff)

/*
 * Adding 3 sets the highest bit of a byte of 0x7d to 0x7f, in which it was clear. Carries from lower bytes
 * can only cause a false alarm.
 */
RKH_QUICK_ void rkh_quick_word(struct rkh_quick *quick, uint64_t bytes, ruint n_bytes)
{
	rastrum_memcpy(quick->p, &bytes, n_bytes);
	quick->p += n_bytes;
	quick->pairs += (bytes & RKH_QUICK_EVEN_) + ((bytes >> 8) & RKH_QUICK_EVEN_);
	quick->doubt |= (bytes + RKH_QUICK_ALL_(3)) & ~bytes;
}

RKH_QUICK_ void rkh_quick_byte(struct rkh_quick *quick, rui32_t byte)
{
	*quick->p++ = (rui8_t)byte;
	__asm__(""
		:
		:
		/* else gcc puts bytes together to store them as one: more work than two stores */
		: "memory");
	quick->sum += byte;
}

/* Modulo 256. The constant is hidden, as gcc would make six shifts and additions of one multiplication. */
RKH_QUICK_ rui32_t rkh_quick_sum(const struct rkh_quick *quick)
{
	uint64_t ones = UINT64_C(0x0001000100010001);

	if (sizeof(size_t) < 8) {
		rui32_t pairs = (rui32_t)quick->pairs + (rui32_t)(quick->pairs >> 32);

		return quick->sum + pairs + (pairs >> 16);
	}
	__asm__("" : "+r"(ones));
	return quick->sum + (rui32_t)((quick->pairs * ones) >> 48);
}

RKH_QUICK_ int rkh_quick_is_sure(const struct rkh_quick *quick)
{
	return (quick->doubt & RKH_QUICK_ALL_(0x80)) == 0;
}

RKH_QUICK_ int rkh_quick_is_plain(rui32_t byte)
{
	return ((byte - RKH_ESC) & 0xff) > RKH_FLG - RKH_ESC;
}

/*
 * Looks how far `at` may go: to the reader, or to the end of the ring's memory, and the end of a frame still
 * has room. 1: far enough.
 */
static __attribute__((noinline)) int rkh_quick_look(ruint n_bytes)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	rkh_trc_place_t_ tail = rkh_trc_peek_(&state->tail);
	rkh_trc_place_t_ end = (tail > state->at ? tail : RKH_RING_BYTES_) - 1;

	state->limit = end < RKH_QUICK_END_BYTES ? 0 : end - RKH_QUICK_END_BYTES + 1;
	return state->at + n_bytes < state->limit;
}

/* An argument. */
RKH_QUICK_ int rkh_quick_put(rui32_t d, ruint n_bytes)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	struct rkh_quick quick = { state->ring + state->at, state->sum, 0, 0 };

	if (state->at + n_bytes >= state->limit)
		return 0;
	if (n_bytes == 1) {
		if (!rkh_quick_is_plain(d))
			return 0;
		rkh_quick_byte(&quick, d);
		state->sum = (rui8_t)quick.sum;
	} else {
		rkh_quick_word(&quick, d, n_bytes);
		if (!rkh_quick_is_sure(&quick))
			return 0;
		state->sum = (rui8_t)rkh_quick_sum(&quick);
	}
	state->at += n_bytes;
	return 1;
}

/* The head, and up to two addresses. So far nothing but the ring has changed. */
RKH_QUICK_ void rkh_quick_begin(struct rkh_quick *quick, rkh_trc_place_t_ at, ruint eid, rui32_t seq,
	RKH_TS_T stamp, ruint n_addresses, uintptr_t a, uintptr_t b)
{
	quick->p = rkh_trc_state_.ring + at;
	if (RKH_QUICK_ID_BYTES == 1 && n_addresses) /* a predefined id needs no stuffing */
		rkh_quick_byte(quick, eid);
	else
		rkh_quick_word(quick, eid, RKH_QUICK_ID_BYTES);
	if (RKH_QUICK_SEQ_BYTES)
		rkh_quick_byte(quick, seq);
	if (n_addresses && RKH_QUICK_JOINED_BYTES > 0) {
		rkh_quick_word(quick,
			stamp | (uint64_t)(rkh_trc_address_t)a << (8 * RKH_QUICK_STAMP_BYTES % 64),
			RKH_QUICK_JOINED_BYTES);
	} else {
		if (RKH_QUICK_STAMP_BYTES > 0)
			rkh_quick_word(quick, stamp, RKH_QUICK_STAMP_BYTES);
		if (n_addresses)
			rkh_quick_word(quick, (rkh_trc_address_t)a, RKH_QUICK_ADDRESS_BYTES);
	}
	if (n_addresses > 1)
		rkh_quick_word(quick, (rkh_trc_address_t)b, RKH_QUICK_ADDRESS_BYTES);
}

/* Stuffs the n_bytes that were stored. */
static __attribute__((noinline)) void rkh_quick_stuff(ruint n_bytes)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	rui8_t bytes[RKH_QUICK_BEGIN_BYTES(2)], *p = state->ring + state->at;
	const rui8_t *end = bytes + n_bytes;
	int has_room = state->at + 2 * n_bytes < state->limit;
	rui32_t sum = 0;

	rastrum_memcpy(bytes, p, n_bytes);
	rkh_trc_clear_chk();
	for (const rui8_t *byte = bytes; byte < end && !has_room; byte++)
		rkh_trc_u8(*byte);
	if (!has_room)
		return;
	for (const rui8_t *byte = bytes; byte < end; byte++) {
		rui32_t d = *byte;

		sum += d;
		if (!rkh_quick_is_plain(d)) {
			*p++ = RKH_ESC;
			d ^= RKH_XOR;
		}
		*p++ = (rui8_t)d;
	}
	state->at = (rkh_trc_place_t_)(p - state->ring);
	state->sum = (rui8_t)sum;
}

static __attribute__((noinline)) void rkh_quick_stuff_frame(ruint n_bytes)
{
	rkh_quick_stuff(n_bytes);
	rkh_trc_end();
}

RKH_QUICK_ int rkh_quick_end_at(rui8_t *p, rkh_trc_place_t_ at, rui32_t sum)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;

	if (RKH_CFG_TRC_CHK_EN) {
		if (((sum + RKH_FLG) & 0xff) <= RKH_FLG - RKH_ESC) /* its negative is one to stuff */
			return 0;
		*p++ = (rui8_t)(0u - sum);
	}
	*p = RKH_FLG;
	state->at = at + RKH_QUICK_END_BYTES;
	rkh_trc_release_(&state->head, at + RKH_QUICK_END_BYTES);
	RKH_HOOK_PUT_TRCEVT();
	return 1;
}

RKH_QUICK_ int rkh_quick_end(void)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;

	return state->at < state->limit && rkh_quick_end_at(state->ring + state->at, state->at, state->sum);
}

/* A frame that goes on. */
RKH_QUICK_ int rkh_quick_open(ruint eid, RKH_TS_T stamp, ruint n_addresses, uintptr_t a)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	rkh_trc_place_t_ at = state->at;
	struct rkh_quick quick = { 0, 0, 0, 0 };
	rui32_t seq = state->seq;

	if (at + RKH_QUICK_BEGIN_BYTES(n_addresses) >= state->limit)
		return 0;
	rkh_quick_begin(&quick, at, eid, seq, stamp, n_addresses, a, 0);
	state->seq = (rui8_t)(seq + 1);
	if ((RKH_QUICK_SEQ_BYTES && !rkh_quick_is_plain(seq)) || !rkh_quick_is_sure(&quick)) {
		rkh_quick_stuff(RKH_QUICK_BEGIN_BYTES(n_addresses));
		return 1;
	}
	state->at = at + RKH_QUICK_BEGIN_BYTES(n_addresses);
	state->sum = (rui8_t)rkh_quick_sum(&quick);
	return 1;
}

/* A whole frame. */
RKH_QUICK_ int rkh_quick_frame(ruint eid, RKH_TS_T stamp, ruint n_addresses, uintptr_t a, uintptr_t b)
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	rkh_trc_place_t_ at = state->at;
	struct rkh_quick quick = { 0, 0, 0, 0 };
	rui32_t seq = state->seq;

	if (at + RKH_QUICK_BEGIN_BYTES(n_addresses) >= state->limit)
		return 0;
	rkh_quick_begin(&quick, at, eid, seq, stamp, n_addresses, a, b);
	state->seq = (rui8_t)(seq + 1);
	if ((RKH_QUICK_SEQ_BYTES && !rkh_quick_is_plain(seq)) || !rkh_quick_is_sure(&quick) ||
		!rkh_quick_end_at(quick.p, at + RKH_QUICK_BEGIN_BYTES(n_addresses), rkh_quick_sum(&quick)))
		rkh_quick_stuff_frame(RKH_QUICK_BEGIN_BYTES(n_addresses));
	return 1;
}

#endif
