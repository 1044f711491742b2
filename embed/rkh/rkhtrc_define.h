/* SPDX-License-Identifier: MIT */
/* Types, groups and events of the RKH trace: what the numbers in a frame are. */
#ifndef EMBED_RKH_RKHTRC_DEFINE_H
#define EMBED_RKH_RKHTRC_DEFINE_H

#include <stddef.h>
#include <stdint.h>

#include "embed/rkh/rkhtrc_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#if RKH_CFG_TRC_STANDALONE_EN
typedef int8_t ri8_t;
typedef int16_t ri16_t;
typedef int32_t ri32_t;
typedef uint8_t rui8_t;
typedef uint16_t rui16_t;
typedef uint32_t rui32_t; /* in RKH's port for Linux of 64 bits it has 8 bytes, of which 4 are recorded */
typedef unsigned int ruint;
typedef int rInt;
typedef unsigned int rbool_t;

#if RKH_CFG_FWK_SIZEOF_EVT == 32
typedef rui32_t RKH_SIG_T;
#elif RKH_CFG_FWK_SIZEOF_EVT == 16
typedef rui16_t RKH_SIG_T;
#else
typedef rui8_t RKH_SIG_T;
#endif

#if RKH_CFG_FWK_SIZEOF_EVT_SIZE == 32
typedef rui32_t RKH_ES_T;
#elif RKH_CFG_FWK_SIZEOF_EVT_SIZE == 16
typedef rui16_t RKH_ES_T;
#else
typedef rui8_t RKH_ES_T;
#endif
#endif

typedef rui8_t RKH_TG_T;

#if RKH_CFG_TRC_SIZEOF_TE_ID == 32
typedef rui32_t RKH_TE_ID_T;
typedef rui32_t RKH_GM_OFFSET_T;
typedef rui32_t RKH_GM_RANGE_T;
#elif RKH_CFG_TRC_SIZEOF_TE_ID == 16
typedef rui16_t RKH_TE_ID_T;
typedef rui16_t RKH_GM_OFFSET_T;
typedef rui8_t RKH_GM_RANGE_T;
#else
typedef rui8_t RKH_TE_ID_T;
typedef rui8_t RKH_GM_OFFSET_T;
typedef rui8_t RKH_GM_RANGE_T;
#endif

#if !RKH_CFG_TRC_TSTAMP_EN || RKH_CFGPORT_TRC_SIZEOF_TSTAMP == 16
typedef rui16_t RKH_TS_T;
#elif RKH_CFGPORT_TRC_SIZEOF_TSTAMP == 32
typedef rui32_t RKH_TS_T;
#else
typedef rui8_t RKH_TS_T;
#endif

#if RKH_CFG_TRC_SIZEOF_STREAM < 255
typedef rui8_t TRCQTY_T;
#else
typedef rui16_t TRCQTY_T;
#endif

/* Bytes of the two tables of bits, and the type of a bit's number. */
#define RKH_TRC_MAX_SMA	    ((RKH_CFG_FWK_MAX_SMA + 7) / 8)
#define RKH_TRC_MAX_SIGNALS ((RKH_CFG_FWK_MAX_SIGNALS + 7) / 8)
#if RKH_CFG_FWK_MAX_SMA > 65528 || RKH_CFG_FWK_MAX_SIGNALS > 65528
typedef rui32_t RKH_TRC_FSLOT; /* one number more than there are bits: for an item without a bit */
#elif RKH_CFG_FWK_MAX_SMA > 248 || RKH_CFG_FWK_MAX_SIGNALS > 248
typedef rui16_t RKH_TRC_FSLOT;
#else
typedef rui8_t RKH_TRC_FSLOT;
#endif

/* An integer as wide as recorded addresses. */
#if RKH_CFGPORT_TRC_SIZEOF_PTR == 64
typedef uint64_t rkh_trc_address_t;
#elif RKH_CFGPORT_TRC_SIZEOF_PTR == 16
typedef rui16_t rkh_trc_address_t;
#else
typedef rui32_t rkh_trc_address_t;
#endif

#define RKH_FLG 0x7eu
#define RKH_ESC 0x7du
#define RKH_XOR 0x20u

#ifndef RKH_ANY
#define RKH_ANY ((RKH_SIG_T)-1)
#endif
#ifndef RKH_COMPLETION_EVENT
#define RKH_COMPLETION_EVENT (RKH_ANY - 1)
#endif

enum { ECHANGE = 0, EUNCHANGE = 1 };

#define RKH_TRC_ALL_FILTERS   0x80u
#define RKH_TRC_SET_ALL(mode) ((rui8_t)((mode) | RKH_TRC_ALL_FILTERS))
#define RKH_FILTER_MODE_MASK  ((rui8_t)~RKH_TRC_ALL_FILTERS)

typedef enum RKH_TRC_FOPT {
	FILTER_ON = 0,	/* suppress */
	FILTER_OFF = 1, /* let through */
} RKH_TRC_FOPT;

typedef enum RKHFilter { RKHFilterTrcEvt, RKHFilterSignal, RKHFilterSma, RKHFilterNums } RKHFilter;

/* Elements of user events. */
enum RKH_TRC_FMT {
	RKH_I8_T,
	RKH_UI8_T,
	RKH_I16_T,
	RKH_UI16_T,
	RKH_I32_T,
	RKH_UI32_T,
	RKH_X32_T,
	RKH_STR_T,
	RKH_MEM_T,
	RKH_OBJ_T,
	RKH_FUN_T,
	RKH_ESIG_T
};

typedef enum RKH_SUBTE_SM_EXE_ACT {
	RKH_SUBTE_SM_EXE_ACT_EFF,
	RKH_SUBTE_SM_EXE_ACT_EN,
	RKH_SUBTE_SM_EXE_ACT_EX,
	RKH_SUBTE_SM_EXE_ACT_INI,
	RKH_SUBTE_SM_EXE_ACT_PP,
	RKH_SUBTE_SM_EXE_ACT_GRD
} RKH_SUBTE_SM_EXE_ACT;

/* Groups. */
#define RKH_TG_MP	   0
#define RKH_TG_QUE	   1
#define RKH_TG_SMA	   2
#define RKH_TG_SM	   3
#define RKH_TG_TMR	   4
#define RKH_TG_FWK	   5
#define RKH_TG_USR	   6
#define RKH_TG_UT	   7
#define RKH_TG_NGROUP	   8
#define RKH_TRC_ALL_GROUPS RKH_TG_NGROUP

/* An id is the group in the highest bits, and the event in it. */
#if RKH_CFG_TRC_SIZEOF_TE_ID == 8
#define RKH_NBITS_GROUP 3
#else
#define RKH_NBITS_GROUP 8
#endif
#define RKH_NBIT_EVENT_PER_GROUP (RKH_CFG_TRC_SIZEOF_TE_ID - RKH_NBITS_GROUP)
#define RKH_TRC_MAX_GROUPS	 (UINT32_C(1) << RKH_NBITS_GROUP)
#define RKH_MAX_NUM_TE_PER_GROUP (UINT32_C(1) << RKH_NBIT_EVENT_PER_GROUP)
#define RKH_TRC_MAX_EVENTS	 ((uint64_t)RKH_TRC_MAX_GROUPS * RKH_MAX_NUM_TE_PER_GROUP)
#define RKH_GRP_MASK		 (RKH_TRC_MAX_GROUPS - 1)
#define RKH_TE_MASK		 (RKH_MAX_NUM_TE_PER_GROUP - 1)
#define NGSH			 RKH_NBIT_EVENT_PER_GROUP
#define GRPLSH(grp)		 ((grp) << NGSH)
#define EXTE(te, grp)		 ((RKH_TE_ID_T)((te)-GRPLSH(grp)))
#define GETGRP(e)		 ((RKH_TG_T)(((rui32_t)(e) >> NGSH) & RKH_GRP_MASK))
#define GETEVT(e)		 ((rui32_t)(e)&RKH_TE_MASK)

#define RKH_MP_START  GRPLSH(RKH_TG_MP)
#define RKH_QUE_START GRPLSH(RKH_TG_QUE)
#define RKH_SMA_START GRPLSH(RKH_TG_SMA)
#define RKH_SM_START  GRPLSH(RKH_TG_SM)
#define RKH_TMR_START GRPLSH(RKH_TG_TMR)
#define RKH_FWK_START GRPLSH(RKH_TG_FWK)
#define RKH_USR_START GRPLSH(RKH_TG_USR)
#define RKH_UT_START  GRPLSH(RKH_TG_UT)

enum {
	RKH_TE_MP_INIT = RKH_MP_START,
	RKH_TE_MP_GET,
	RKH_TE_MP_PUT,
	RKH_MP_END = RKH_TE_MP_PUT,

	RKH_TE_QUE_INIT = RKH_QUE_START,
	RKH_TE_QUE_GET,
	RKH_TE_QUE_FIFO,
	RKH_TE_QUE_LIFO,
	RKH_TE_QUE_FULL,
	RKH_TE_QUE_DPT,
	RKH_TE_QUE_GET_LAST,
	RKH_QUE_END = RKH_TE_QUE_GET_LAST,

	RKH_TE_SMA_ACT = RKH_SMA_START,
	RKH_TE_SMA_TERM,
	RKH_TE_SMA_GET,
	RKH_TE_SMA_FIFO,
	RKH_TE_SMA_LIFO,
	RKH_TE_SMA_REG,
	RKH_TE_SMA_UNREG,
	RKH_TE_SMA_DEFER,
	RKH_TE_SMA_RCALL,
	RKH_SMA_END = RKH_TE_SMA_RCALL,

	RKH_TE_SM_INIT = RKH_SM_START,
	RKH_TE_SM_CLRH,
	RKH_TE_SM_TRN,
	RKH_TE_SM_STATE,
	RKH_TE_SM_ENSTATE,
	RKH_TE_SM_EXSTATE,
	RKH_TE_SM_NENEX,
	RKH_TE_SM_NTRNACT,
	RKH_TE_SM_TS_STATE,
	RKH_TE_SM_EVT_PROC,
	RKH_TE_SM_EVT_NFOUND,
	RKH_TE_SM_GRD_FALSE,
	RKH_TE_SM_CND_NFOUND,
	RKH_TE_SM_UNKN_STATE,
	RKH_TE_SM_EX_HLEVEL,
	RKH_TE_SM_EX_TSEG,
	RKH_TE_SM_EXE_ACT,
	RKH_TE_SM_DCH,
	RKH_SM_END = RKH_TE_SM_DCH,

	RKH_TE_TMR_INIT = RKH_TMR_START,
	RKH_TE_TMR_START,
	RKH_TE_TMR_STOP,
	RKH_TE_TMR_TOUT,
	RKH_TE_TMR_REM,
	RKH_TMR_END = RKH_TE_TMR_REM,

	RKH_TE_FWK_EN = RKH_FWK_START,
	RKH_TE_FWK_EX,
	RKH_TE_FWK_EPREG,
	RKH_TE_FWK_AE,
	RKH_TE_FWK_GC,
	RKH_TE_FWK_GCR,
	RKH_TE_FWK_OBJ,
	RKH_TE_FWK_SIG,
	RKH_TE_FWK_FUN,
	RKH_TE_FWK_EXE_FUN,
	RKH_TE_FWK_SYNC_EVT,
	RKH_TE_FWK_TUSR,
	RKH_TE_FWK_TCFG,
	RKH_TE_FWK_ASSERT,
	RKH_TE_FWK_AO,
	RKH_TE_FWK_STATE,
	RKH_TE_FWK_PSTATE,
	RKH_TE_FWK_TIMER,
	RKH_TE_FWK_EPOOL,
	RKH_TE_FWK_QUEUE,
	RKH_TE_FWK_ACTOR,
	RKH_FWK_END = RKH_TE_FWK_ACTOR,

	RKH_TE_USER = RKH_USR_START, /* and 31 more */

	RKH_TE_UT_INIT = RKH_UT_START,
	RKH_TE_UT_CLEANUP,
	RKH_TE_UT_VERIFY,
	RKH_TE_UT_IGNORE_GROUP,
	RKH_TE_UT_EXPECT,
	RKH_TE_UT_EXPECT_ANYARGS,
	RKH_TE_UT_IGNORE,
	RKH_TE_UT_IGNORE_ARG,
	RKH_UT_END = RKH_TE_UT_IGNORE_ARG, /* two more are answers of the harness */
	RKH_TE_UT_SUCCESS,
	RKH_TE_UT_FAIL,
	RKH_TE_NEVENT = RKH_TE_UT_SUCCESS,
	RKH_TRC_ALL_EVENTS = RKH_TE_NEVENT
};

/* Bytes that a group's bits take in the table of events, and where they begin. */
#define RKH_MP_TTBL_RANGE	    1
#define RKH_QUE_TTBL_RANGE	    1
#define RKH_SMA_TTBL_RANGE	    2
#define RKH_SM_TTBL_RANGE	    3
#define RKH_TIM_TTBL_RANGE	    1
#define RKH_FWK_TTBL_RANGE	    3
#define RKH_USR_TTBL_RANGE	    4
#define RKH_UT_TTBL_RANGE	    2
#define RKH_MP_TTBL_OFFSET	    0
#define RKH_QUE_TTBL_OFFSET	    (RKH_MP_TTBL_OFFSET + RKH_MP_TTBL_RANGE)
#define RKH_SMA_TTBL_OFFSET	    (RKH_QUE_TTBL_OFFSET + RKH_QUE_TTBL_RANGE)
#define RKH_SM_TTBL_OFFSET	    (RKH_SMA_TTBL_OFFSET + RKH_SMA_TTBL_RANGE)
#define RKH_TIM_TTBL_OFFSET	    (RKH_SM_TTBL_OFFSET + RKH_SM_TTBL_RANGE)
#define RKH_FWK_TTBL_OFFSET	    (RKH_TIM_TTBL_OFFSET + RKH_TIM_TTBL_RANGE)
#define RKH_USR_TTBL_OFFSET	    (RKH_FWK_TTBL_OFFSET + RKH_FWK_TTBL_RANGE)
#define RKH_UT_TTBL_OFFSET	    (RKH_USR_TTBL_OFFSET + RKH_USR_TTBL_RANGE)
#define RKH_TOT_NUM_TRC_EVTS	    (RKH_UT_TTBL_OFFSET + RKH_UT_TTBL_RANGE)
#define RKH_TRC_MAX_EVENTS_IN_BYTES RKH_TOT_NUM_TRC_EVTS

#define RKH_GROUP_FITS_(group, range) ((RKH_##group##_END - RKH_##group##_START) < 8 * (range))
typedef char rkh_trc_groups_fit[RKH_GROUP_FITS_(MP, RKH_MP_TTBL_RANGE) &&
						RKH_GROUP_FITS_(QUE, RKH_QUE_TTBL_RANGE) &&
						RKH_GROUP_FITS_(SMA, RKH_SMA_TTBL_RANGE) &&
						RKH_GROUP_FITS_(SM, RKH_SM_TTBL_RANGE) &&
						RKH_GROUP_FITS_(TMR, RKH_TIM_TTBL_RANGE) &&
						RKH_GROUP_FITS_(FWK, RKH_FWK_TTBL_RANGE) &&
						RKH_GROUP_FITS_(UT, RKH_UT_TTBL_RANGE)
					? 1
					: -1];

#ifdef __cplusplus
}
#endif

#endif
