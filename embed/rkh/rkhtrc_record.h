/* SPDX-License-Identifier: MIT */
/*
 * Writing frames:
 *
 *      RKH_TRC_BEGIN_WOAO(RKH_TE_USER + 1, signal)    test, lock, id, sequence number, time stamp
 *              RKH_TRC_SIG(signal);                   arguments
 *              RKH_TRC_UI16(level);
 *      RKH_TRC_END();                                 checksum, flag, unlock
 *
 *      | begin, of            | group, event | active object | signal | locks | declares sr | end            |
 *      | ---------------------|--------------|---------------|--------|-------|-------------|--------------- |
 *      | BEGIN                | x            | x             | x      | x     |             | END            |
 *      | BEGIN_WOAO           | x            |               | x      | x     |             | END            |
 *      | BEGIN_WOSIG          | x            | x             |        | x     |             | END            |
 *      | BEGIN_WOAOSIG        | x            |               |        | x     |             | END            |
 *      | ..._NOCRIT           | as above     | as above      | as ..  |       |             | END_NOCRIT     |
 *      | BEGIN_WOFIL          |              |               |        | x     | x           | END_WOFIL      |
 *      | BEGIN_WOFIL_NOCRIT   |              |               |        |       |             | ..._NOCRIT     |
 *      | BEGIN_DFT            |              |               |        | x     | x           | END_DFT        |
 *      | USR_BEGIN            | x            |               |        | x     | x           | USR_END        |
 *      | USR_BEGIN_NOCRIT     | x            |               |        |       |             | USR_END_NOCRIT |
 *
 * DFT writes neither sequence number nor time stamp. Those that lock without declaring sr need
 * RKH_SR_ALLOC(); in the function. The filtered ones open a block that their end closes, where there are
 * filters.
 */
#ifndef EMBED_RKH_RKHTRC_RECORD_H
#define EMBED_RKH_RKHTRC_RECORD_H

#include "embed/rkh/rkhtrc_filter.h"
#include "embed/rkh/rkhtrc_out.h"
#include "embed/rkh/rkhtrc_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Empties the ring and puts a flag; sequence number and checksum are 0 again. Filters stay as they are. */
void rkh_trc_init(void);

void rkh_trc_begin(RKH_TE_ID_T eid);
void rkh_trc_end(void);
void rkh_trc_clear_chk(void);

/* Arguments: added to the checksum, stuffed, low byte first. A text ends with its zero. */
void rkh_trc_u8(rui8_t d);
void rkh_trc_u16(rui16_t d);
void rkh_trc_u32(rui32_t d);
void rkh_trc_u64(uint64_t d); /* ours */
void rkh_trc_str(const char *s);

/* Whole frames that name something, and a flush. */
void rkh_trc_obj(RKH_TE_ID_T tre, rui8_t *obj, const char *obj_name);
void rkh_trc_sig(RKH_SIG_T sig, const char *sig_name);
void rkh_trc_ao(void *ao);
void rkh_trc_state(void *ao, rui8_t *state);

/* Elements of user events: a byte with the kind and the width for display, and the value. */
void rkh_trc_fmt_u8(rui8_t fmt, rui8_t d);
void rkh_trc_fmt_u16(rui8_t fmt, rui16_t d);
void rkh_trc_fmt_u32(rui8_t fmt, rui32_t d);
void rkh_trc_fmt_str(const char *s);
void rkh_trc_fmt_mem(rui8_t const *mem, rui8_t size);

/*
 * For the predefined records: begin and an address; whole frames of one address and of two. Where it is to be
 * quick, the caller takes the stamp: then these call nothing.
 */
#if RKH_CFG_TRC_SMALL_EN
void rkh_trc_begin_address_(ruint eid, uintptr_t a);
void rkh_trc_address_(ruint eid, uintptr_t a);
void rkh_trc_address2_(ruint eid, uintptr_t a, uintptr_t b);
#else
void rkh_trc_begin_address_(ruint eid, uintptr_t a, RKH_TS_T stamp);
void rkh_trc_address_(ruint eid, uintptr_t a, RKH_TS_T stamp);
void rkh_trc_address2_(ruint eid, uintptr_t a, uintptr_t b, RKH_TS_T stamp);
#endif

#ifdef __cplusplus
}
#endif

/* The filters that a frame must pass: always the first one, and the others if they are built in. */
#define RKH_TRC_IS_RESERVED_SIG(sig) ((rui32_t)(sig) == (rui32_t)RKH_COMPLETION_EVENT)
#if !RKH_CFG_TRC_EN
#define RKH_TRC_ISOFF_(eid) 0
#elif !RKH_CFG_TRC_RTFIL_EN
#define RKH_TRC_ISOFF_(eid) 1
#elif RKH_CFG_TRC_SMALL_EN
#define RKH_TRC_ISOFF_(eid)	   rkh_trc_isoff_((RKH_TE_ID_T)(eid))
#define RKH_TRC_AO_ISOFF_(prio)	   rkh_trc_symFil_isoff(RKHFilterSma, (rui32_t)(prio))
#define RKH_TRC_SIGNAL_ISOFF_(sig) rkh_trc_symFil_isoff(RKHFilterSignal, (rui32_t)(sig))
#else
#define RKH_TRC_ISOFF_(eid)	   rkh_trc_event_quick_((RKH_TE_ID_T)(eid))
#define RKH_TRC_AO_ISOFF_(prio)	   rkh_trc_ao_quick_((ruint)(prio))
#define RKH_TRC_SIGNAL_ISOFF_(sig) rkh_trc_signal_quick_((rui32_t)(sig))
#endif
#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN && RKH_CFG_TRC_RTFIL_SMA_EN
#define RKH_TRC_AO_ISOFF(prio) &&RKH_TRC_AO_ISOFF_(prio)
#else
#define RKH_TRC_AO_ISOFF(prio)
#endif
#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN && RKH_CFG_TRC_RTFIL_SIGNAL_EN
#define RKH_TRC_SIG_ISOFF(sig) &&(RKH_TRC_IS_RESERVED_SIG(sig) || RKH_TRC_SIGNAL_ISOFF_(sig))
#else
#define RKH_TRC_SIG_ISOFF(sig)
#endif

/* Without filters a begin opens no block; without the recorder it opens one that is never entered. */
#if RKH_CFG_TRC_EN && !RKH_CFG_TRC_RTFIL_EN
#define RKH_TRC_IF_(condition)
#define RKH_TRC_FI_
#else
#define RKH_TRC_IF_(condition) if (condition) {
#define RKH_TRC_FI_	       }
#endif
#if RKH_CFG_TRC_EN
#define RKH_TRC_ALWAYS_
#define RKH_TRC_SYAWLA_
#else
#define RKH_TRC_ALWAYS_ if (0) {
#define RKH_TRC_SYAWLA_ }
#endif

#define RKH_TRC_LOCKED_BEGIN_(eid) \
	RKH_ENTER_CRITICAL_();     \
	rkh_trc_begin((RKH_TE_ID_T)(eid));
#define RKH_TRC_LOCKED_END_() \
	rkh_trc_end();        \
	RKH_EXIT_CRITICAL_();

#define RKH_TRC_BEGIN(eid, prio, sig)                                                  \
	RKH_TRC_IF_(RKH_TRC_ISOFF_(eid) RKH_TRC_AO_ISOFF(prio) RKH_TRC_SIG_ISOFF(sig)) \
	RKH_TRC_LOCKED_BEGIN_(eid)
#define RKH_TRC_BEGIN_WOAO(eid, sig)                            \
	RKH_TRC_IF_(RKH_TRC_ISOFF_(eid) RKH_TRC_SIG_ISOFF(sig)) \
	RKH_TRC_LOCKED_BEGIN_(eid)
#define RKH_TRC_BEGIN_WOSIG(eid, prio)                          \
	RKH_TRC_IF_(RKH_TRC_ISOFF_(eid) RKH_TRC_AO_ISOFF(prio)) \
	RKH_TRC_LOCKED_BEGIN_(eid)
#define RKH_TRC_BEGIN_WOAOSIG(eid) RKH_TRC_IF_(RKH_TRC_ISOFF_(eid)) RKH_TRC_LOCKED_BEGIN_(eid)
#define RKH_TRC_END()		   RKH_TRC_LOCKED_END_() RKH_TRC_FI_

#define RKH_TRC_BEGIN_NOCRIT(eid, prio, sig)                                           \
	RKH_TRC_IF_(RKH_TRC_ISOFF_(eid) RKH_TRC_AO_ISOFF(prio) RKH_TRC_SIG_ISOFF(sig)) \
	rkh_trc_begin((RKH_TE_ID_T)(eid));
#define RKH_TRC_BEGIN_WOAO_NOCRIT(eid, sig)                     \
	RKH_TRC_IF_(RKH_TRC_ISOFF_(eid) RKH_TRC_SIG_ISOFF(sig)) \
	rkh_trc_begin((RKH_TE_ID_T)(eid));
#define RKH_TRC_BEGIN_WOSIG_NOCRIT(eid, prio)                   \
	RKH_TRC_IF_(RKH_TRC_ISOFF_(eid) RKH_TRC_AO_ISOFF(prio)) \
	rkh_trc_begin((RKH_TE_ID_T)(eid));
#define RKH_TRC_BEGIN_WOAOSIG_NOCRIT(eid) RKH_TRC_IF_(RKH_TRC_ISOFF_(eid)) rkh_trc_begin((RKH_TE_ID_T)(eid));
#define RKH_TRC_END_NOCRIT() \
	rkh_trc_end();       \
	RKH_TRC_FI_

#define RKH_TRC_BEGIN_WOFIL(eid)        \
	RKH_TRC_ALWAYS_ RKH_SR_ALLOC(); \
	RKH_TRC_LOCKED_BEGIN_(eid)
#define RKH_TRC_END_WOFIL()		RKH_TRC_LOCKED_END_() RKH_TRC_SYAWLA_
#define RKH_TRC_BEGIN_WOFIL_NOCRIT(eid) RKH_TRC_ALWAYS_ rkh_trc_begin((RKH_TE_ID_T)(eid));
#define RKH_TRC_END_WOFIL_NOCRIT() \
	rkh_trc_end();             \
	RKH_TRC_SYAWLA_

#define RKH_TRC_BEGIN_DFT(eid) \
	RKH_TRC_ALWAYS_        \
	RKH_SR_ALLOC();        \
	RKH_ENTER_CRITICAL_(); \
	rkh_trc_clear_chk();   \
	RKH_TRC_TE_ID(eid);
#define RKH_TRC_END_DFT() RKH_TRC_LOCKED_END_() RKH_TRC_SYAWLA_

#if RKH_CFG_TRC_EN && RKH_CFG_TRC_USER_TRACE_EN
#define RKH_TRC_USR_BEGIN(eid) \
	RKH_SR_ALLOC();        \
	RKH_TRC_BEGIN_WOAOSIG(eid)
#define RKH_TRC_USR_END()	      RKH_TRC_END()
#define RKH_TRC_USR_BEGIN_NOCRIT(eid) RKH_TRC_BEGIN_WOAOSIG_NOCRIT(eid)
#define RKH_TRC_USR_END_NOCRIT()      RKH_TRC_END_NOCRIT()
#else
/* As where they are on, their end needs no semicolon. */
#define RKH_TRC_USR_BEGIN(eid)	      if (0) {
#define RKH_TRC_USR_END()	      }
#define RKH_TRC_USR_BEGIN_NOCRIT(eid) if (0) {
#define RKH_TRC_USR_END_NOCRIT()      }
#endif

/* Arguments, each evaluated once. The condition is constant. */
#define RKH_TRC_SIZED_(n_bits, d)                            \
	((n_bits) == 32		 ? rkh_trc_u32((rui32_t)(d)) \
		: (n_bits) == 16 ? rkh_trc_u16((rui16_t)(d)) \
				 : rkh_trc_u8((rui8_t)(d)))
#define RKH_TRC_SIZED_ADDRESS_(n_bits, d)                                \
	((n_bits) == 64		 ? rkh_trc_u64((uint64_t)(uintptr_t)(d)) \
		: (n_bits) == 16 ? rkh_trc_u16((rui16_t)(uintptr_t)(d))  \
				 : rkh_trc_u32((rui32_t)(uintptr_t)(d)))

#define RKH_TRC_U8_RAW(d) rkh_trc_put((rui8_t)(d))
#define RKH_TRC_UI8(d)	  rkh_trc_u8((rui8_t)(d))
#define RKH_TRC_UI16(d)	  rkh_trc_u16((rui16_t)(d))
#define RKH_TRC_UI32(d)	  rkh_trc_u32((rui32_t)(d))
#define RKH_TRC_STR(s)	  rkh_trc_str(s)
#define RKH_TRC_TE_ID(id) RKH_TRC_SIZED_(RKH_CFG_TRC_SIZEOF_TE_ID, id)
#define RKH_TRC_SYM(sym)  RKH_TRC_SIZED_ADDRESS_(RKH_CFGPORT_TRC_SIZEOF_PTR, sym)
#define RKH_TRC_FUN(sym)  RKH_TRC_SIZED_ADDRESS_(RKH_CFGPORT_TRC_SIZEOF_FUN_PTR, sym)
#define RKH_TRC_SIG(e)	  RKH_TRC_SIZED_(RKH_CFG_FWK_SIZEOF_EVT, e)
#define RKH_TRC_ES(es)	  RKH_TRC_SIZED_(RKH_CFG_FWK_SIZEOF_EVT_SIZE, es)
#define RKH_TRC_NTICK(nt) RKH_TRC_SIZED_(RKH_CFG_TMR_SIZEOF_NTIMER, nt)
#define RKH_TRC_NBLK(nb)  RKH_TRC_SIZED_(RKH_CFG_MP_SIZEOF_NBLOCK, nb)
#define RKH_TRC_BSIZE(bs) RKH_TRC_SIZED_(RKH_CFG_MP_SIZEOF_BSIZE, bs)
#define RKH_TRC_NE(ne)	  RKH_TRC_SIZED_(RKH_CFG_QUE_SIZEOF_NELEM, ne)

#if RKH_CFG_TRC_EN && RKH_CFG_SMA_TRC_SNDR_EN
#define RKH_USE_TRC_SENDER
#define RKH_TRC_SNDR(sym) RKH_TRC_SYM(sym)
#else
#define RKH_TRC_SNDR(sym) (void)0
#endif
#if RKH_CFG_MP_GET_LWM_EN
#define RKH_TRC_MP_NMIN(nm) RKH_TRC_NBLK(nm)
#else
#define RKH_TRC_MP_NMIN(nm) (void)0
#endif
#if RKH_CFG_QUE_GET_LWMARK_EN
#define RKH_TRC_QUE_NMIN(nm) RKH_TRC_NE(nm)
#else
#define RKH_TRC_QUE_NMIN(nm) (void)0
#endif

/* Elements of user events. */
#if RKH_CFG_TRC_EN && RKH_CFG_TRC_USER_TRACE_EN
#define RKH_TUSR_FMT_(width, kind) ((rui8_t)((width) << 4 | (kind)))
#define RKH_TUSR_I8(width, d)	   rkh_trc_fmt_u8(RKH_TUSR_FMT_(width, RKH_I8_T), (rui8_t)(d))
#define RKH_TUSR_UI8(width, d)	   rkh_trc_fmt_u8(RKH_TUSR_FMT_(width, RKH_UI8_T), (rui8_t)(d))
#define RKH_TUSR_I16(width, d)	   rkh_trc_fmt_u16(RKH_TUSR_FMT_(width, RKH_I16_T), (rui16_t)(d))
#define RKH_TUSR_UI16(width, d)	   rkh_trc_fmt_u16(RKH_TUSR_FMT_(width, RKH_UI16_T), (rui16_t)(d))
#define RKH_TUSR_I32(width, d)	   rkh_trc_fmt_u32(RKH_TUSR_FMT_(width, RKH_I32_T), (rui32_t)(d))
#define RKH_TUSR_UI32(width, d)	   rkh_trc_fmt_u32(RKH_TUSR_FMT_(width, RKH_UI32_T), (rui32_t)(d))
#define RKH_TUSR_X32(width, d)	   rkh_trc_fmt_u32(RKH_TUSR_FMT_(width, RKH_X32_T), (rui32_t)(d))
#define RKH_TUSR_STR(s)		   rkh_trc_fmt_str(s)
#define RKH_TUSR_MEM(mem, size)	   rkh_trc_fmt_mem((rui8_t const *)(mem), (rui8_t)(size))
#define RKH_TUSR_OBJ(obj)	   (rkh_trc_u8(RKH_OBJ_T), RKH_TRC_SYM(obj))
#define RKH_TUSR_FUN(fun)	   (rkh_trc_u8(RKH_FUN_T), RKH_TRC_FUN(fun))
#define RKH_TUSR_SIG(sig)	   (rkh_trc_u8(RKH_ESIG_T), RKH_TRC_SIG(sig))
#else
#define RKH_TUSR_I8(width, d)	(void)0
#define RKH_TUSR_UI8(width, d)	(void)0
#define RKH_TUSR_I16(width, d)	(void)0
#define RKH_TUSR_UI16(width, d) (void)0
#define RKH_TUSR_I32(width, d)	(void)0
#define RKH_TUSR_UI32(width, d) (void)0
#define RKH_TUSR_X32(width, d)	(void)0
#define RKH_TUSR_STR(s)		(void)0
#define RKH_TUSR_MEM(mem, size) (void)0
#define RKH_TUSR_OBJ(obj)	(void)0
#define RKH_TUSR_FUN(fun)	(void)0
#define RKH_TUSR_SIG(sig)	(void)0
#endif

/* RKH has its predefined records in this header. */
#include "embed/rkh/rkhtrc_events.h"

#endif
