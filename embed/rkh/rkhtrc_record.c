/* SPDX-License-Identifier: MIT */
/*
 * Frames:
 *
 *      stuffed( id [sequence number] [time stamp] arguments [checksum] ) FLAG
 *
 * Byte by byte, as everything can be written; rkhtrc_quick.h has the same in words, for where there is room
 * and nothing to stuff.
 */
#include "embed/rkh/rkhtrc_record.h"

#include "embed/rkh/rkhtrc_state.h"

#if !RKH_CFG_TRC_STANDALONE_EN
#include "rkhfwk_hook.h"
#endif

#if RKH_CFG_TRC_EN

#if RKH_CFG_TRC_SMALL_EN
#define RKH_QUICKLY_(condition) 0
#else
#include "embed/rkh/rkhtrc_quick.h"
#define RKH_QUICKLY_(condition) (condition)
#endif

#if RKH_CFG_TRC_SMALL_EN
#define RKH_BYTE_PUT_	void rkh_trc_u8(rui8_t d)
#define rkh_byte_put(d) rkh_trc_u8((rui8_t)(d))
#else
#define RKH_BYTE_PUT_ static void rkh_byte_put(rui32_t d)
#endif

RKH_BYTE_PUT_
{
	struct rkh_trc_state_ *state = &rkh_trc_state_;
	ruint byte = d & 0xffu;

	state->sum = (rui8_t)(state->sum + byte);
	if (byte - RKH_ESC <= RKH_FLG - RKH_ESC) {
		rkh_trc_frame_put_(RKH_ESC, 0);
		byte ^= RKH_XOR;
	}
	rkh_trc_frame_put_(byte, 0);
}

static void rkh_bytes_put(rui32_t d, ruint n_bytes)
{
	do {
		rkh_byte_put(d);
		d >>= 8;
	} while (--n_bytes);
}

void rkh_trc_init(void)
{
	rkh_trcStream_init();
}

void rkh_trc_clear_chk(void)
{
	rkh_trc_state_.sum = 0;
}

#if !RKH_CFG_TRC_SMALL_EN
void rkh_trc_u8(rui8_t d)
{
	if (!RKH_QUICKLY_(rkh_quick_put(d, 1)))
		rkh_byte_put(d);
}
#endif

void rkh_trc_u16(rui16_t d)
{
	if (!RKH_QUICKLY_(rkh_quick_put(d, 2)))
		rkh_bytes_put(d, 2);
}

void rkh_trc_u32(rui32_t d)
{
	if (!RKH_QUICKLY_(rkh_quick_put(d, 4)))
		rkh_bytes_put(d, 4);
}

#if RKH_CFGPORT_TRC_SIZEOF_PTR == 64 || RKH_CFGPORT_TRC_SIZEOF_FUN_PTR == 64
void rkh_trc_u64(uint64_t d)
{
	rkh_trc_u32((rui32_t)d);
	rkh_trc_u32((rui32_t)(d >> 32));
}
#endif

void rkh_trc_str(const char *s)
{
	rui8_t c;

	do {
		c = (rui8_t)*s++;
		rkh_trc_u8(c);
	} while (c);
}

#if RKH_CFG_TRC_TSTAMP_EN
#define RKH_STAMP_TAKE_() rkh_trc_getts()
#else
#define RKH_STAMP_TAKE_() 0
#endif

/*
 * A sequence number is used up even by a frame that is dropped: so the gap shows that something is missing.
 */
static void rkh_head_put(RKH_TE_ID_T eid, RKH_TS_T stamp)
{
	rkh_trc_clear_chk();
	RKH_TRC_TE_ID(eid);
	if (RKH_CFG_TRC_NSEQ_EN)
		rkh_trc_u8(rkh_trc_state_.seq++);
	if (RKH_CFG_TRC_TSTAMP_EN)
		RKH_TRC_SIZED_(RKH_CFGPORT_TRC_SIZEOF_TSTAMP, stamp);
}

void rkh_trc_end(void)
{
	if (RKH_QUICKLY_(rkh_quick_end()))
		return;
#if RKH_CFG_TRC_CHK_EN
	rkh_byte_put(0u - rkh_trc_state_.sum);
#endif
	rkh_trc_frame_put_(RKH_FLG, 1);
	RKH_HOOK_PUT_TRCEVT();
}

#if RKH_CFG_TRC_SMALL_EN

void rkh_trc_begin(RKH_TE_ID_T eid)
{
	rkh_head_put(eid, RKH_STAMP_TAKE_());
}

void rkh_trc_begin_address_(ruint eid, uintptr_t a)
{
	rkh_trc_begin((RKH_TE_ID_T)eid);
	RKH_TRC_SYM(a);
}

void rkh_trc_address_(ruint eid, uintptr_t a)
{
	rkh_trc_begin_address_(eid, a);
	rkh_trc_end();
}

void rkh_trc_address2_(ruint eid, uintptr_t a, uintptr_t b)
{
	rkh_trc_begin_address_(eid, a);
	RKH_TRC_SYM(b);
	rkh_trc_end();
}

#else

/*
 * A frame, or its begin, that has no room in a row as far as was looked last. With a look there may be some
 * now; else it goes byte by byte, round the end of the ring or until there is no room at all.
 */
#define RKH_SLOWLY_ static __attribute__((noinline, cold)) void

RKH_SLOWLY_ rkh_begin_slowly(ruint eid, RKH_TS_T stamp)
{
	if (!rkh_quick_look(RKH_QUICK_BEGIN_BYTES(0)) || !rkh_quick_open(eid, stamp, 0, 0))
		rkh_head_put((RKH_TE_ID_T)eid, stamp);
}

RKH_SLOWLY_ rkh_begin_address_slowly(ruint eid, uintptr_t a, RKH_TS_T stamp)
{
	rkh_begin_slowly(eid, stamp);
	RKH_TRC_SYM(a);
}

RKH_SLOWLY_ rkh_address_slowly(ruint eid, uintptr_t a, RKH_TS_T stamp)
{
	rkh_begin_address_slowly(eid, a, stamp);
	rkh_trc_end();
}

RKH_SLOWLY_ rkh_address2_slowly(ruint eid, uintptr_t a, uintptr_t b, RKH_TS_T stamp)
{
	rkh_begin_address_slowly(eid, a, stamp);
	RKH_TRC_SYM(b);
	rkh_trc_end();
}

void rkh_trc_begin(RKH_TE_ID_T eid)
{
	RKH_TS_T stamp = RKH_STAMP_TAKE_();

	if (!rkh_quick_open(eid, stamp, 0, 0))
		rkh_begin_slowly(eid, stamp);
}

void rkh_trc_begin_address_(ruint eid, uintptr_t a, RKH_TS_T stamp)
{
	if (!rkh_quick_open(eid, stamp, 1, a))
		rkh_begin_address_slowly(eid, a, stamp);
}

void rkh_trc_address_(ruint eid, uintptr_t a, RKH_TS_T stamp)
{
	if (!rkh_quick_frame(eid, stamp, 1, a, 0))
		rkh_address_slowly(eid, a, stamp);
}

void rkh_trc_address2_(ruint eid, uintptr_t a, uintptr_t b, RKH_TS_T stamp)
{
	if (!rkh_quick_frame(eid, stamp, 2, a, b))
		rkh_address2_slowly(eid, a, b, stamp);
}

#endif

#endif
