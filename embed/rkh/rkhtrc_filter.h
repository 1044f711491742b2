/* SPDX-License-Identifier: MIT */
/*
 * Filters at run time, by group, event, active object and signal. A bit that is set lets through; all are
 * clear at the start, so nothing that can be filtered is recorded until the program opens filters. OFF opens,
 * ON closes.
 */
#ifndef EMBED_RKH_RKHTRC_FILTER_H
#define EMBED_RKH_RKHTRC_FILTER_H

#include "embed/rkh/rkhtrc_object.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RKH_GMTBL_T {
	RKH_GM_OFFSET_T offset; /* bytes in the table of events */
	RKH_GM_RANGE_T range;
} RKH_GMTBL_T;

typedef struct RKH_TRC_FIL_T {
	RKH_TRC_FSLOT size; /* bytes */
	rui8_t *const tbl;
} RKH_TRC_FIL_T;

typedef struct RKH_FilterTbl {
	const RKH_TRC_FIL_T *signal;
	const RKH_TRC_FIL_T *ao;
	rui8_t *event;
	rui8_t *group;
	const RKH_GMTBL_T *grpFilMap;
} RKH_FilterTbl;

#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN

/*
 * ctrl is FILTER_ON or FILTER_OFF; mode ECHANGE sets all events of the group, too. RKH_TRC_ALL_GROUPS: no
 * events.
 */
void rkh_trc_filter_group_(rui8_t ctrl, RKH_TG_T grp, rui8_t mode);

/* FILTER_OFF opens the event's group, too. RKH_TRC_ALL_EVENTS sets all events and all groups. */
void rkh_trc_filter_event_(rui8_t ctrl, RKH_TE_ID_T evt);

/* mode is FILTER_ON or FILTER_OFF, or RKH_TRC_SET_ALL() of it for the whole table. */
void rkh_trc_symFil(RKHFilter filter, RKH_TRC_FSLOT slot, rui8_t mode);

/* Return 1 if the record must be written. A number without a bit in the tables is not recorded. */
rbool_t rkh_trc_isoff_(RKH_TE_ID_T e);
rbool_t rkh_trc_symFil_isoff(RKHFilter filter, RKH_TRC_FSLOT slot);

/* The number of a bit; one that the type cannot hold becomes one that no table has. */
static inline RKH_TRC_FSLOT rkh_trc_slot_(rui32_t slot)
{
	const RKH_TRC_FSLOT none = (RKH_TRC_FSLOT)-1;

	return slot < none ? (RKH_TRC_FSLOT)slot : none;
}

/* Where the tables are, for a program that receives filters from outside. */
void rkh_trc_filter_get(RKH_FilterTbl *out);

#define RKH_FILTER_ON_GROUP(grp)	     rkh_trc_filter_group_(FILTER_ON, (RKH_TG_T)(grp), EUNCHANGE)
#define RKH_FILTER_OFF_GROUP(grp)	     rkh_trc_filter_group_(FILTER_OFF, (RKH_TG_T)(grp), EUNCHANGE)
#define RKH_FILTER_ON_GROUP_ALL_EVENTS(grp)  rkh_trc_filter_group_(FILTER_ON, (RKH_TG_T)(grp), ECHANGE)
#define RKH_FILTER_OFF_GROUP_ALL_EVENTS(grp) rkh_trc_filter_group_(FILTER_OFF, (RKH_TG_T)(grp), ECHANGE)
#define RKH_FILTER_ON_EVENT(evt)	     rkh_trc_filter_event_(FILTER_ON, (RKH_TE_ID_T)(evt))
#define RKH_FILTER_OFF_EVENT(evt)	     rkh_trc_filter_event_(FILTER_OFF, (RKH_TE_ID_T)(evt))
#else
#define RKH_FILTER_ON_GROUP(grp)	     (void)0
#define RKH_FILTER_OFF_GROUP(grp)	     (void)0
#define RKH_FILTER_ON_GROUP_ALL_EVENTS(grp)  (void)0
#define RKH_FILTER_OFF_GROUP_ALL_EVENTS(grp) (void)0
#define RKH_FILTER_ON_EVENT(evt)	     (void)0
#define RKH_FILTER_OFF_EVENT(evt)	     (void)0
#endif

#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN && RKH_CFG_TRC_RTFIL_SMA_EN
#define RKH_TRC_SET_SMA_(sma, mode) \
	rkh_trc_symFil(RKHFilterSma, rkh_trc_slot_(RKH_SMA_ACCESS_CONST(sma, prio)), mode)
#define RKH_FILTER_ON_SMA(sma)	 RKH_TRC_SET_SMA_(sma, FILTER_ON)
#define RKH_FILTER_OFF_SMA(sma)	 RKH_TRC_SET_SMA_(sma, FILTER_OFF)
#define RKH_FILTER_ON_ALL_SMA()	 rkh_trc_symFil(RKHFilterSma, 0, RKH_TRC_SET_ALL(FILTER_ON))
#define RKH_FILTER_OFF_ALL_SMA() rkh_trc_symFil(RKHFilterSma, 0, RKH_TRC_SET_ALL(FILTER_OFF))
#else
#define RKH_FILTER_ON_SMA(sma)	 (void)0
#define RKH_FILTER_OFF_SMA(sma)	 (void)0
#define RKH_FILTER_ON_ALL_SMA()	 (void)0
#define RKH_FILTER_OFF_ALL_SMA() (void)0
#endif

#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN && RKH_CFG_TRC_RTFIL_SIGNAL_EN
#define RKH_TRC_SET_SIGNAL_(sig, mode) rkh_trc_symFil(RKHFilterSignal, rkh_trc_slot_(sig), mode)
#define RKH_FILTER_ON_SIGNAL(sig)      RKH_TRC_SET_SIGNAL_(sig, FILTER_ON)
#define RKH_FILTER_OFF_SIGNAL(sig)     RKH_TRC_SET_SIGNAL_(sig, FILTER_OFF)
#define RKH_FILTER_ON_ALL_SIGNALS()    rkh_trc_symFil(RKHFilterSignal, 0, RKH_TRC_SET_ALL(FILTER_ON))
#define RKH_FILTER_OFF_ALL_SIGNALS()   rkh_trc_symFil(RKHFilterSignal, 0, RKH_TRC_SET_ALL(FILTER_OFF))
#else
#define RKH_FILTER_ON_SIGNAL(sig)    (void)0
#define RKH_FILTER_OFF_SIGNAL(sig)   (void)0
#define RKH_FILTER_ON_ALL_SIGNALS()  (void)0
#define RKH_FILTER_OFF_ALL_SIGNALS() (void)0
#endif

#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN
/* The tables, one behind the other; a program changes them by the functions above. */
#define RKH_GROUP_BYTE_	  0
#define RKH_EVENT_BYTE_	  1
#define RKH_AO_BYTE_	  (RKH_EVENT_BYTE_ + RKH_TRC_MAX_EVENTS_IN_BYTES)
#define RKH_SIGNAL_BYTE_  (RKH_AO_BYTE_ + RKH_TRC_MAX_SMA)
#define RKH_FILTER_BYTES_ (RKH_SIGNAL_BYTE_ + RKH_TRC_MAX_SIGNALS)
extern rui8_t rkh_trc_filters_[RKH_FILTER_BYTES_];

/*
 * Another thread or an interrupt may turn filters while this one goes round a loop, so the tables are looked
 * at each time; what is volatile would be loaded before it is tested.
 */
static inline rbool_t rkh_trc_bit_quick_(rui32_t first_byte, rui32_t bit)
{
#ifdef __GNUC__
	__asm__ volatile("" : "+m"(rkh_trc_filters_));
	return (rbool_t)(rkh_trc_filters_[first_byte + (bit >> 3)] >> (bit & 7)) & 1u;
#else
	return (rbool_t)(((const volatile rui8_t *)rkh_trc_filters_)[first_byte + (bit >> 3)] >> (bit & 7)) &
	       1u;
#endif
}

/*
 * Where a group's bytes begin, a digit each: of a constant event remain two tests of constant bits. Whatever
 * the number is, a byte of the tables is looked at.
 */
#define RKH_TRC_OFFSETS_ UINT32_C(0xfb874210)
static inline rbool_t rkh_trc_event_quick_(RKH_TE_ID_T e)
{
	rui32_t group = GETGRP(e) & 7u, byte = (RKH_TRC_OFFSETS_ >> (4 * group)) & 15u;

	return rkh_trc_bit_quick_(RKH_GROUP_BYTE_, group) &&
	       rkh_trc_bit_quick_(RKH_EVENT_BYTE_ + byte, GETEVT(e) & 31u);
}

static inline rbool_t rkh_trc_ao_quick_(ruint prio)
{
	return prio < 8u * RKH_TRC_MAX_SMA && rkh_trc_bit_quick_(RKH_AO_BYTE_, prio);
}

static inline rbool_t rkh_trc_signal_quick_(rui32_t sig)
{
	return sig < 8u * RKH_TRC_MAX_SIGNALS && rkh_trc_bit_quick_(RKH_SIGNAL_BYTE_, sig);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
