/* SPDX-License-Identifier: MIT */
/*
 * The predefined records: one row for each, with its arguments in the order of the frame. Each row has the
 * switch that includes it and the filters that it passes: G is group and event, A also the active object, F
 * also the signal. A row with LOCKED takes the lock; else the caller has it. A record that is switched off is
 * (void)0.
 */
#ifndef EMBED_RKH_RKHTRC_EVENTS_H
#define EMBED_RKH_RKHTRC_EVENTS_H

#include "embed/rkh/rkhtrc_record.h"

/* RKH_WHEN_(switch, statement): the statement, or nothing. */
#define RKH_WHEN_0(...)	     (void)0
#define RKH_WHEN_0u(...)     (void)0
#define RKH_WHEN_0U(...)     (void)0
#define RKH_WHEN_1(...)	     __VA_ARGS__
#define RKH_WHEN_1u(...)     __VA_ARGS__
#define RKH_WHEN_1U(...)     __VA_ARGS__
#define RKH_WHEN_JOINED_(en) RKH_WHEN_##en
#define RKH_WHEN_(en, ...)   RKH_WHEN_JOINED_(en)(__VA_ARGS__)

#if RKH_CFG_TRC_EN && (RKH_CFG_TRC_ALL_EN || RKH_CFG_TRC_MP_EN)
#define RKH_HAS_MP_ 1
#else
#define RKH_HAS_MP_ 0
#endif
#if RKH_CFG_TRC_EN && (RKH_CFG_TRC_ALL_EN || RKH_CFG_TRC_QUE_EN)
#define RKH_HAS_QUE_ 1
#else
#define RKH_HAS_QUE_ 0
#endif
#if RKH_CFG_TRC_EN && (RKH_CFG_TRC_ALL_EN || RKH_CFG_TRC_SMA_EN)
#define RKH_HAS_SMA_ 1
#else
#define RKH_HAS_SMA_ 0
#endif
#if RKH_CFG_TRC_EN && (RKH_CFG_TRC_ALL_EN || RKH_CFG_TRC_SM_EN)
#define RKH_HAS_SM_ 1
#else
#define RKH_HAS_SM_ 0
#endif
#if RKH_CFG_TRC_EN && (RKH_CFG_TRC_ALL_EN || RKH_CFG_TRC_TMR_EN)
#define RKH_HAS_TMR_ 1
#else
#define RKH_HAS_TMR_ 0
#endif
#if RKH_CFG_TRC_EN && (RKH_CFG_TRC_ALL_EN || RKH_CFG_TRC_FWK_EN)
#define RKH_HAS_FWK_ 1
#else
#define RKH_HAS_FWK_ 0
#endif

/* The filters that a record must pass. */
#define RKH_PASSES_G_(eid)	    RKH_TRC_ISOFF_(eid)
#define RKH_PASSES_A_(eid, ao)	    RKH_TRC_ISOFF_(eid) RKH_TRC_AO_ISOFF(RKH_SMA_ACCESS_CONST(ao, prio))
#define RKH_PASSES_F_(eid, ao, sig) RKH_PASSES_A_(eid, ao) RKH_TRC_SIG_ISOFF(sig)

#define RKH_IF_HELD_(condition, ...) \
	do {                         \
		if (condition) {     \
			__VA_ARGS__; \
		}                    \
	} while (0)
#define RKH_IF_LOCKED_(condition, ...)         \
	do {                                   \
		if (condition) {               \
			RKH_ENTER_CRITICAL_(); \
			__VA_ARGS__;           \
			RKH_EXIT_CRITICAL_();  \
		}                              \
	} while (0)
#define RKH_UNFILTERED_(...)                \
	do {                                \
		RKH_SR_ALLOC_(own_sr);      \
		RKH_ENTER_CRITICAL(own_sr); \
		__VA_ARGS__;                \
		RKH_EXIT_CRITICAL(own_sr);  \
	} while (0)

/* Frames: without arguments, of one address, of two, of an address and more, of anything. */
#define RKH_ADDRESS_(a) ((uintptr_t)(a))
#define RKH_FRAME_0_(eid)   \
	rkh_trc_begin(eid); \
	rkh_trc_end()
#if RKH_CFG_TRC_SMALL_EN
#define RKH_STAMPED_(function, ...) function(__VA_ARGS__)
#elif RKH_CFG_TRC_TSTAMP_EN
#define RKH_STAMPED_(function, ...) function(__VA_ARGS__, rkh_trc_getts())
#else
#define RKH_STAMPED_(function, ...) function(__VA_ARGS__, 0)
#endif
#define RKH_FRAME_1_(eid, a)	RKH_STAMPED_(rkh_trc_address_, eid, RKH_ADDRESS_(a))
#define RKH_FRAME_2_(eid, a, b) RKH_STAMPED_(rkh_trc_address2_, eid, RKH_ADDRESS_(a), RKH_ADDRESS_(b))
#define RKH_FRAME_A_(eid, a, ...)                                   \
	RKH_STAMPED_(rkh_trc_begin_address_, eid, RKH_ADDRESS_(a)); \
	__VA_ARGS__;                                                \
	rkh_trc_end()
#define RKH_FRAME_(eid, ...) \
	rkh_trc_begin(eid);  \
	__VA_ARGS__;         \
	rkh_trc_end()

/*
 * By group, and by whether the record takes the lock or the caller has it; of SM all take it, and have
 * switches.
 */
#define RKH_MP_LOCKED_(passes, ...)  RKH_WHEN_(RKH_HAS_MP_, RKH_IF_LOCKED_(passes, __VA_ARGS__))
#define RKH_MP_HELD_(passes, ...)    RKH_WHEN_(RKH_HAS_MP_, RKH_IF_HELD_(passes, __VA_ARGS__))
#define RKH_QUE_LOCKED_(passes, ...) RKH_WHEN_(RKH_HAS_QUE_, RKH_IF_LOCKED_(passes, __VA_ARGS__))
#define RKH_QUE_HELD_(passes, ...)   RKH_WHEN_(RKH_HAS_QUE_, RKH_IF_HELD_(passes, __VA_ARGS__))
#define RKH_SMA_LOCKED_(passes, ...) RKH_WHEN_(RKH_HAS_SMA_, RKH_IF_LOCKED_(passes, __VA_ARGS__))
#define RKH_SMA_HELD_(passes, ...)   RKH_WHEN_(RKH_HAS_SMA_, RKH_IF_HELD_(passes, __VA_ARGS__))
#define RKH_SM_LOCKED_(en, passes, ...) \
	RKH_WHEN_(RKH_HAS_SM_, RKH_WHEN_(en, RKH_IF_LOCKED_(passes, __VA_ARGS__)))
#define RKH_TMR_HELD_(passes, ...)   RKH_WHEN_(RKH_HAS_TMR_, RKH_IF_HELD_(passes, __VA_ARGS__))
#define RKH_FWK_LOCKED_(passes, ...) RKH_WHEN_(RKH_HAS_FWK_, RKH_IF_LOCKED_(passes, __VA_ARGS__))
#define RKH_FWK_HELD_(passes, ...)   RKH_WHEN_(RKH_HAS_FWK_, RKH_IF_HELD_(passes, __VA_ARGS__))
#define RKH_FWK_UNFILTERED_(...)     RKH_WHEN_(RKH_HAS_FWK_, RKH_UNFILTERED_(__VA_ARGS__))

/* Memory pools, and queues. */
#define RKH_TR_MP_INIT(memPool_, nBlocks_, blockSize_) \
	RKH_MP_LOCKED_(RKH_PASSES_G_(RKH_TE_MP_INIT),  \
		RKH_FRAME_A_(RKH_TE_MP_INIT, memPool_, RKH_TRC_NBLK(nBlocks_); RKH_TRC_BSIZE(blockSize_)))
#define RKH_TR_MP_GET(memPool_, nFree_, nMin_)     \
	RKH_MP_HELD_(RKH_PASSES_G_(RKH_TE_MP_GET), \
		RKH_FRAME_A_(RKH_TE_MP_GET, memPool_, RKH_TRC_NBLK(nFree_); RKH_TRC_MP_NMIN(nMin_)))
#define RKH_TR_MP_PUT(memPool_, nFree_) \
	RKH_MP_HELD_(                   \
		RKH_PASSES_G_(RKH_TE_MP_PUT), RKH_FRAME_A_(RKH_TE_MP_PUT, memPool_, RKH_TRC_NBLK(nFree_)))
#define RKH_TR_QUE_INIT(queue_, actObj_, nElem_)        \
	RKH_QUE_LOCKED_(RKH_PASSES_G_(RKH_TE_QUE_INIT), \
		RKH_FRAME_A_(RKH_TE_QUE_INIT, queue_, RKH_TRC_SYM(actObj_); RKH_TRC_NE(nElem_)))
#define RKH_TR_QUE_GET(queue_, nElem_) \
	RKH_QUE_HELD_(RKH_PASSES_G_(RKH_TE_QUE_GET), RKH_FRAME_A_(RKH_TE_QUE_GET, queue_, RKH_TRC_NE(nElem_)))
#define RKH_TR_QUE_FIFO(queue_, nElem_, nMin_)          \
	RKH_QUE_LOCKED_(RKH_PASSES_G_(RKH_TE_QUE_FIFO), \
		RKH_FRAME_A_(RKH_TE_QUE_FIFO, queue_, RKH_TRC_NE(nElem_); RKH_TRC_QUE_NMIN(nMin_)))
#define RKH_TR_QUE_LIFO(queue_, nElem_, nMin_)          \
	RKH_QUE_LOCKED_(RKH_PASSES_G_(RKH_TE_QUE_LIFO), \
		RKH_FRAME_A_(RKH_TE_QUE_LIFO, queue_, RKH_TRC_NE(nElem_); RKH_TRC_QUE_NMIN(nMin_)))
#define RKH_TR_QUE_FULL(queue_) \
	RKH_QUE_HELD_(RKH_PASSES_G_(RKH_TE_QUE_FULL), RKH_FRAME_1_(RKH_TE_QUE_FULL, queue_))
#define RKH_TR_QUE_DPT(queue_) \
	RKH_QUE_HELD_(RKH_PASSES_G_(RKH_TE_QUE_DPT), RKH_FRAME_1_(RKH_TE_QUE_DPT, queue_))
#define RKH_TR_QUE_GET_LAST(queue_) \
	RKH_QUE_HELD_(RKH_PASSES_G_(RKH_TE_QUE_GET_LAST), RKH_FRAME_1_(RKH_TE_QUE_GET_LAST, queue_))

/* Active objects. */
#define RKH_TR_SMA_ACT(actObj_, actObjPrio_, actObjQueSize_)                    \
	RKH_SMA_LOCKED_(RKH_PASSES_A_(RKH_TE_SMA_ACT, actObj_),                 \
		RKH_FRAME_A_(RKH_TE_SMA_ACT, actObj_, RKH_TRC_UI8(actObjPrio_); \
			     RKH_TRC_UI8(actObjQueSize_)))
#define RKH_TR_SMA_TERM(actObj_, actObjPrio_)                    \
	RKH_SMA_LOCKED_(RKH_PASSES_A_(RKH_TE_SMA_TERM, actObj_), \
		RKH_FRAME_A_(RKH_TE_SMA_TERM, actObj_, RKH_TRC_UI8(actObjPrio_)))
#define RKH_TR_SMA_GET(actObj_, evt_, poolID_, refCntr_, nElem_, nMin_)                             \
	RKH_SMA_LOCKED_(RKH_PASSES_F_(RKH_TE_SMA_GET, actObj_, (evt_)->e),                          \
		RKH_FRAME_A_(RKH_TE_SMA_GET, actObj_, RKH_TRC_SIG((evt_)->e); RKH_TRC_UI8(poolID_); \
			     RKH_TRC_UI8(refCntr_); RKH_TRC_NE(nElem_); RKH_TRC_QUE_NMIN(nMin_)))
#define RKH_TR_SMA_FIFO(actObj_, evt_, sender_, poolID_, refCntr_, nElem_, nMin_)                     \
	RKH_SMA_HELD_(RKH_PASSES_F_(RKH_TE_SMA_FIFO, actObj_, (evt_)->e),                             \
		RKH_FRAME_A_(RKH_TE_SMA_FIFO, actObj_, RKH_TRC_SIG((evt_)->e); RKH_TRC_SNDR(sender_); \
			     RKH_TRC_UI8(poolID_); RKH_TRC_UI8(refCntr_); RKH_TRC_NE(nElem_);         \
			     RKH_TRC_QUE_NMIN(nMin_)))
#define RKH_TR_SMA_LIFO(actObj_, evt_, sender_, poolID_, refCntr_, nElem_, nMin_)                     \
	RKH_SMA_HELD_(RKH_PASSES_F_(RKH_TE_SMA_LIFO, actObj_, (evt_)->e),                             \
		RKH_FRAME_A_(RKH_TE_SMA_LIFO, actObj_, RKH_TRC_SIG((evt_)->e); RKH_TRC_SNDR(sender_); \
			     RKH_TRC_UI8(poolID_); RKH_TRC_UI8(refCntr_); RKH_TRC_NE(nElem_);         \
			     RKH_TRC_QUE_NMIN(nMin_)))
#define RKH_TR_SMA_REG(actObj_, actObjPrio_)                  \
	RKH_SMA_HELD_(RKH_PASSES_A_(RKH_TE_SMA_REG, actObj_), \
		RKH_FRAME_A_(RKH_TE_SMA_REG, actObj_, RKH_TRC_UI8(actObjPrio_)))
#define RKH_TR_SMA_UNREG(actObj_, actObjPrio_)                  \
	RKH_SMA_HELD_(RKH_PASSES_A_(RKH_TE_SMA_UNREG, actObj_), \
		RKH_FRAME_A_(RKH_TE_SMA_UNREG, actObj_, RKH_TRC_UI8(actObjPrio_)))
#define RKH_TR_SMA_DEFER(queue_, evt_)                 \
	RKH_SMA_HELD_(RKH_PASSES_G_(RKH_TE_SMA_DEFER), \
		RKH_FRAME_A_(RKH_TE_SMA_DEFER, queue_, RKH_TRC_SIG((evt_)->e)))
#define RKH_TR_SMA_RCALL(actObj_, evt_)                \
	RKH_SMA_HELD_(RKH_PASSES_G_(RKH_TE_SMA_RCALL), \
		RKH_FRAME_A_(RKH_TE_SMA_RCALL, actObj_, RKH_TRC_SIG((evt_)->e)))

/* State machines. */
#define RKH_TR_SM_INIT(actObj_, initState_)                                            \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_INIT_EN, RKH_PASSES_A_(RKH_TE_SM_INIT, actObj_), \
		RKH_FRAME_2_(RKH_TE_SM_INIT, actObj_, initState_))
#define RKH_TR_SM_CLRH(actObj_, history_)                                              \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_CLRH_EN, RKH_PASSES_A_(RKH_TE_SM_CLRH, actObj_), \
		RKH_FRAME_2_(RKH_TE_SM_CLRH, actObj_, history_))
#define RKH_TR_SM_TRN(actObj_, sourceState_, targetState_)                           \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_TRN_EN, RKH_PASSES_A_(RKH_TE_SM_TRN, actObj_), \
		RKH_FRAME_A_(RKH_TE_SM_TRN, actObj_, RKH_TRC_SYM(sourceState_); RKH_TRC_SYM(targetState_)))
#define RKH_TR_SM_STATE(actObj_, state_)                                                 \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_STATE_EN, RKH_PASSES_A_(RKH_TE_SM_STATE, actObj_), \
		RKH_FRAME_2_(RKH_TE_SM_STATE, actObj_, state_))
#define RKH_TR_SM_ENSTATE(actObj_, state_)                                                   \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_ENSTATE_EN, RKH_PASSES_A_(RKH_TE_SM_ENSTATE, actObj_), \
		RKH_FRAME_2_(RKH_TE_SM_ENSTATE, actObj_, state_))
#define RKH_TR_SM_EXSTATE(actObj_, state_)                                                   \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_EXSTATE_EN, RKH_PASSES_A_(RKH_TE_SM_EXSTATE, actObj_), \
		RKH_FRAME_2_(RKH_TE_SM_EXSTATE, actObj_, state_))
#define RKH_TR_SM_NENEX(actObj_, nEnState_, nExState_)                                   \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_NENEX_EN, RKH_PASSES_A_(RKH_TE_SM_NENEX, actObj_), \
		RKH_FRAME_A_(RKH_TE_SM_NENEX, actObj_, RKH_TRC_UI8(nEnState_); RKH_TRC_UI8(nExState_)))
#define RKH_TR_SM_NTRNACT(actObj_, nta, nts)                                                 \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_NTRNACT_EN, RKH_PASSES_A_(RKH_TE_SM_NTRNACT, actObj_), \
		RKH_FRAME_A_(RKH_TE_SM_NTRNACT, actObj_, RKH_TRC_UI8(nta); RKH_TRC_UI8(nts)))
#define RKH_TR_SM_TS_STATE(actObj_, state_)                                                    \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_TS_STATE_EN, RKH_PASSES_A_(RKH_TE_SM_TS_STATE, actObj_), \
		RKH_FRAME_2_(RKH_TE_SM_TS_STATE, actObj_, state_))
#define RKH_TR_SM_EVT_PROC(actObj_)                                                           \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_PROCESS_EN, RKH_PASSES_A_(RKH_TE_SM_EVT_PROC, actObj_), \
		RKH_FRAME_1_(RKH_TE_SM_EVT_PROC, actObj_))
#define RKH_TR_SM_EVT_NFOUND(actObj_, evt_)                                                                \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_PROCESS_EN, RKH_PASSES_F_(RKH_TE_SM_EVT_NFOUND, actObj_, (evt_)->e), \
		RKH_FRAME_A_(RKH_TE_SM_EVT_NFOUND, actObj_, RKH_TRC_SIG((evt_)->e)))
#define RKH_TR_SM_GRD_FALSE(actObj_)                                                           \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_PROCESS_EN, RKH_PASSES_A_(RKH_TE_SM_GRD_FALSE, actObj_), \
		RKH_FRAME_1_(RKH_TE_SM_GRD_FALSE, actObj_))
#define RKH_TR_SM_CND_NFOUND(actObj_)                                                           \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_PROCESS_EN, RKH_PASSES_A_(RKH_TE_SM_CND_NFOUND, actObj_), \
		RKH_FRAME_1_(RKH_TE_SM_CND_NFOUND, actObj_))
#define RKH_TR_SM_UNKN_STATE(actObj_)                                                           \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_PROCESS_EN, RKH_PASSES_A_(RKH_TE_SM_UNKN_STATE, actObj_), \
		RKH_FRAME_1_(RKH_TE_SM_UNKN_STATE, actObj_))
#define RKH_TR_SM_EX_HLEVEL(actObj_)                                                           \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_PROCESS_EN, RKH_PASSES_A_(RKH_TE_SM_EX_HLEVEL, actObj_), \
		RKH_FRAME_1_(RKH_TE_SM_EX_HLEVEL, actObj_))
#define RKH_TR_SM_EX_TSEG(actObj_)                                                           \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_PROCESS_EN, RKH_PASSES_A_(RKH_TE_SM_EX_TSEG, actObj_), \
		RKH_FRAME_1_(RKH_TE_SM_EX_TSEG, actObj_))
#define RKH_TR_SM_EXE_ACT(actionType_, actObj_, state_, action_)                              \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_EXE_ACT_EN, RKH_PASSES_A_(RKH_TE_SM_EXE_ACT, actObj_),  \
		RKH_FRAME_(RKH_TE_SM_EXE_ACT, RKH_TRC_UI8(actionType_); RKH_TRC_SYM(actObj_); \
			   RKH_TRC_SYM(state_); RKH_TRC_FUN(action_)))
#define RKH_TR_SM_DCH(actObj_, evt_, state_)                                                    \
	RKH_SM_LOCKED_(RKH_CFG_TRC_SM_DCH_EN, RKH_PASSES_F_(RKH_TE_SM_DCH, actObj_, (evt_)->e), \
		RKH_FRAME_A_(RKH_TE_SM_DCH, actObj_, RKH_TRC_SIG((evt_)->e); RKH_TRC_SYM(state_)))

/* Timers. */
#define RKH_TR_TMR_INIT(timer_, signal_) \
	RKH_TMR_HELD_(                   \
		RKH_PASSES_G_(RKH_TE_TMR_INIT), RKH_FRAME_A_(RKH_TE_TMR_INIT, timer_, RKH_TRC_SIG(signal_)))
#define RKH_TR_TMR_START(timer_, actObj_, nTicks_, period_)                                          \
	RKH_TMR_HELD_(RKH_PASSES_G_(RKH_TE_TMR_START),                                               \
		RKH_FRAME_A_(RKH_TE_TMR_START, timer_, RKH_TRC_SYM(actObj_); RKH_TRC_NTICK(nTicks_); \
			     RKH_TRC_NTICK(period_)))
#define RKH_TR_TMR_STOP(timer_, nTicks_, period_)     \
	RKH_TMR_HELD_(RKH_PASSES_G_(RKH_TE_TMR_STOP), \
		RKH_FRAME_A_(RKH_TE_TMR_STOP, timer_, RKH_TRC_NTICK(nTicks_); RKH_TRC_NTICK(period_)))
#define RKH_TR_TMR_TOUT(timer_, signal_, actObj_)                       \
	RKH_TMR_HELD_(RKH_PASSES_F_(RKH_TE_TMR_TOUT, actObj_, signal_), \
		RKH_FRAME_A_(RKH_TE_TMR_TOUT, timer_, RKH_TRC_SIG(signal_); RKH_TRC_SYM(actObj_)))
#define RKH_TR_TMR_REM(timer_) \
	RKH_TMR_HELD_(RKH_PASSES_G_(RKH_TE_TMR_REM), RKH_FRAME_1_(RKH_TE_TMR_REM, timer_))

/* The framework. Records of events have the number of the pool, from 0 on; for a static event it is 255. */
#define RKH_TR_FWK_EN() RKH_FWK_LOCKED_(RKH_PASSES_G_(RKH_TE_FWK_EN), RKH_FRAME_0_(RKH_TE_FWK_EN))
#define RKH_TR_FWK_EX() RKH_FWK_LOCKED_(RKH_PASSES_G_(RKH_TE_FWK_EX), RKH_FRAME_0_(RKH_TE_FWK_EX))
#define RKH_TR_FWK_EPREG(evtPool_, storageSize_, evtSize_, poolSize_)                           \
	RKH_FWK_LOCKED_(RKH_PASSES_G_(RKH_TE_FWK_EPREG),                                        \
		RKH_FRAME_(RKH_TE_FWK_EPREG, RKH_TRC_UI8(evtPool_); RKH_TRC_UI32(storageSize_); \
			   RKH_TRC_ES(evtSize_); RKH_TRC_NBLK(poolSize_)))
#define RKH_TR_FWK_AE(evtSize_, evt_, nUsed_, nMin_, sender_)                                              \
	RKH_FWK_LOCKED_(RKH_PASSES_G_(RKH_TE_FWK_AE),                                                      \
		RKH_FRAME_(RKH_TE_FWK_AE, RKH_TRC_ES(evtSize_); RKH_TRC_SIG((evt_)->e);                    \
			   RKH_TRC_UI8((evt_)->pool - 1); RKH_TRC_UI8((evt_)->nref); RKH_TRC_NBLK(nUsed_); \
			   RKH_TRC_MP_NMIN(nMin_); RKH_TRC_SYM(sender_)))
#define RKH_TR_FWK_GC(evt_, poolID_, refCnt_)                                                         \
	RKH_FWK_HELD_(RKH_PASSES_G_(RKH_TE_FWK_GC), RKH_FRAME_(RKH_TE_FWK_GC, RKH_TRC_SIG((evt_)->e); \
							       RKH_TRC_UI8(poolID_); RKH_TRC_UI8(refCnt_)))
#define RKH_TR_FWK_GCR(evt_, nUsed_, nMin_, sender_)                                                \
	RKH_FWK_HELD_(RKH_PASSES_G_(RKH_TE_FWK_GCR),                                                \
		RKH_FRAME_(RKH_TE_FWK_GCR, RKH_TRC_SIG((evt_)->e); RKH_TRC_UI8((evt_)->pool - 1);   \
			   RKH_TRC_UI8((evt_)->nref); RKH_TRC_NBLK(nUsed_); RKH_TRC_MP_NMIN(nMin_); \
			   RKH_TRC_SYM(sender_)))
#define RKH_TR_FWK_EXE_FUN(function_) \
	RKH_FWK_UNFILTERED_(RKH_FRAME_(RKH_TE_FWK_EXE_FUN, RKH_TRC_FUN(function_)))
#define RKH_TR_FWK_SYNC_EVT(function_, senderObj_, receiverObj_)                    \
	RKH_FWK_UNFILTERED_(RKH_FRAME_(RKH_TE_FWK_SYNC_EVT, RKH_TRC_FUN(function_); \
				       RKH_TRC_SNDR(senderObj_); RKH_TRC_SNDR(receiverObj_)))

/* Flushes also when the filter holds the record back. */
#define RKH_TR_FWK_ASSERT(mod_, ln_)                                                                     \
	RKH_WHEN_(RKH_HAS_FWK_, RKH_WHEN_(                                                               \
					RKH_CFG_TRC_ASSERT_EN, do {                                      \
						RKH_IF_HELD_(RKH_PASSES_G_(RKH_TE_FWK_ASSERT),           \
							RKH_FRAME_(RKH_TE_FWK_ASSERT, RKH_TRC_STR(mod_); \
								   RKH_TRC_UI16(ln_)));                  \
						RKH_TRC_FLUSH();                                         \
					} while (0)))

/*
 * Names. No filter holds them back, and a flush follows. Where none is given, it is the argument as it is
 * written.
 */
#define RKH_NAME_(eid, object, name) \
	RKH_WHEN_(RKH_HAS_FWK_, rkh_trc_obj(eid, (rui8_t *)(uintptr_t)(object), name))
#define RKH_TR_FWK_OBJ(obj_)		 RKH_NAME_(RKH_TE_FWK_OBJ, obj_, #obj_)
#define RKH_TR_FWK_OBJ_NAME(obj_, name_) RKH_NAME_(RKH_TE_FWK_OBJ, obj_, name_)
#define RKH_TR_FWK_FUN(function_)	 RKH_NAME_(RKH_TE_FWK_FUN, function_, #function_)
#define RKH_TR_FWK_TIMER(timerObj_)	 RKH_NAME_(RKH_TE_FWK_TIMER, timerObj_, #timerObj_)
#define RKH_TR_FWK_QUEUE(queueObj_)	 RKH_NAME_(RKH_TE_FWK_QUEUE, queueObj_, #queueObj_)
#define RKH_TR_FWK_ACTOR(actorObj_, nm_) RKH_NAME_(RKH_TE_FWK_ACTOR, actorObj_, nm_)
#define RKH_TR_FWK_SIG(sig_)		 RKH_WHEN_(RKH_HAS_FWK_, rkh_trc_sig((RKH_SIG_T)(sig_), #sig_))
#define RKH_TR_FWK_AO(actObj_)		 RKH_WHEN_(RKH_HAS_FWK_, rkh_trc_ao((void *)(uintptr_t)(actObj_)))
#define RKH_TR_FWK_STATE(actObj_, stateObj_) \
	RKH_WHEN_(RKH_HAS_FWK_, rkh_trc_state((void *)(uintptr_t)(actObj_), (rui8_t *)(uintptr_t)(stateObj_)))
#define RKH_TR_FWK_PSTATE(actObj_, pseudoStObj_) RKH_TR_FWK_STATE(actObj_, pseudoStObj_)
#define RKH_FLUSHED_(frame)                     \
	RKH_WHEN_(                              \
		RKH_HAS_FWK_, do {              \
			RKH_UNFILTERED_(frame); \
			RKH_TRC_FLUSH();        \
		} while (0))
#define RKH_TR_FWK_TUSR(e_) \
	RKH_FLUSHED_(RKH_FRAME_(RKH_TE_FWK_TUSR, RKH_TRC_TE_ID(EXTE(e_, RKH_TG_USR)); RKH_TRC_STR(#e_)))
#define RKH_TR_FWK_EPOOL(poolId_, poolName_) \
	RKH_FLUSHED_(RKH_FRAME_(RKH_TE_FWK_EPOOL, RKH_TRC_UI8(poolId_); RKH_TRC_STR(poolName_)))

/*
 * The configuration. The rate of the clock has 16 bits only, as RKH's readers expect. The configuration
 * contains neither the width of ids nor that of function addresses.
 */
#define RKH_TCFG_OPTIONS_                                                                         \
	((rui32_t)RKH_CFG_SMA_TRC_SNDR_EN | (rui32_t)RKH_CFG_TRC_RTFIL_EN << 1 |                  \
		(rui32_t)RKH_CFG_TRC_USER_TRACE_EN << 2 | (rui32_t)RKH_CFG_TRC_ALL_EN << 3 |      \
		(rui32_t)RKH_CFG_TRC_MP_EN << 4 | (rui32_t)RKH_CFG_TRC_QUE_EN << 5 |              \
		(rui32_t)RKH_CFG_TRC_SMA_EN << 6 | (rui32_t)RKH_CFG_TRC_TMR_EN << 7 |             \
		(rui32_t)RKH_CFG_TRC_SM_EN << 8 | (rui32_t)RKH_CFG_TRC_FWK_EN << 9 |              \
		(rui32_t)RKH_CFG_TRC_ASSERT_EN << 10 | (rui32_t)RKH_CFG_QUE_GET_LWMARK_EN << 11 | \
		(rui32_t)RKH_CFG_MP_GET_LWM_EN << 12 | (rui32_t)RKH_CFG_TRC_RTFIL_SMA_EN << 13 |  \
		(rui32_t)RKH_CFG_TRC_RTFIL_SIGNAL_EN << 14 | (rui32_t)RKH_CFG_TRC_NSEQ_EN << 15 | \
		(rui32_t)RKH_CFG_TRC_TSTAMP_EN << 16 | (rui32_t)RKH_CFG_TRC_CHK_EN << 17)
#define RKH_TCFG_WIDTHS_(high, low) ((high) / 8u << 4 | (low) / 8u)
#define RKH_TR_FWK_TCFG(timeStamp_)                                                                          \
	RKH_FLUSHED_(                                                                                        \
		rkh_trc_clear_chk(); RKH_TRC_TE_ID(RKH_TE_FWK_TCFG); RKH_TRC_UI16(RKH_VERSION_CODE);         \
		RKH_TRC_UI32(RKH_TCFG_OPTIONS_);                                                             \
		RKH_TRC_UI8(RKH_TCFG_WIDTHS_(RKH_CFG_FWK_SIZEOF_EVT, RKH_CFGPORT_TRC_SIZEOF_TSTAMP));        \
		RKH_TRC_UI8(RKH_TCFG_WIDTHS_(RKH_CFGPORT_TRC_SIZEOF_PTR, RKH_CFG_TMR_SIZEOF_NTIMER));        \
		RKH_TRC_UI8(RKH_TCFG_WIDTHS_(RKH_CFG_MP_SIZEOF_NBLOCK, RKH_CFG_QUE_SIZEOF_NELEM));           \
		RKH_TRC_UI8(RKH_TCFG_WIDTHS_(0, RKH_CFG_FWK_SIZEOF_EVT_SIZE));                               \
		RKH_TRC_UI8(RKH_TCFG_WIDTHS_(RKH_CFG_MP_SIZEOF_BSIZE, 0) | (RKH_CFG_FWK_MAX_EVT_POOL & 15)); \
		RKH_TRC_UI16(timeStamp_); rkh_trc_end())

#endif
