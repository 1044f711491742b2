/* SPDX-License-Identifier: MIT */
#include "embed/rkh/rkhtrc_filter.h"

#include "embed/core/memory.h"
#include "embed/rkh/rkhtrc_out.h"

#if !RKH_CFG_TRC_STANDALONE_EN
#include "rkhassert.h"
#endif

#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN

RKH_MODULE_NAME(rkhtrc_filter)

rui8_t rkh_trc_filters_[RKH_FILTER_BYTES_];

/* In the order of groups. */
static const RKH_GMTBL_T rkh_group_bytes[RKH_TG_NGROUP] = {
	{ RKH_MP_TTBL_OFFSET, RKH_MP_TTBL_RANGE },
	{ RKH_QUE_TTBL_OFFSET, RKH_QUE_TTBL_RANGE },
	{ RKH_SMA_TTBL_OFFSET, RKH_SMA_TTBL_RANGE },
	{ RKH_SM_TTBL_OFFSET, RKH_SM_TTBL_RANGE },
	{ RKH_TIM_TTBL_OFFSET, RKH_TIM_TTBL_RANGE },
	{ RKH_FWK_TTBL_OFFSET, RKH_FWK_TTBL_RANGE },
	{ RKH_USR_TTBL_OFFSET, RKH_USR_TTBL_RANGE },
	{ RKH_UT_TTBL_OFFSET, RKH_UT_TTBL_RANGE },
};

/* The filters of active objects, and at RKHFilterSignal those of signals. */
static const RKH_TRC_FIL_T rkh_slots[2] = {
	{ RKH_TRC_MAX_SMA, rkh_trc_filters_ + RKH_AO_BYTE_ },
	{ RKH_TRC_MAX_SIGNALS, rkh_trc_filters_ + RKH_SIGNAL_BYTE_ },
};

static const RKH_FilterTbl rkh_filters = { &rkh_slots[1], &rkh_slots[0], rkh_trc_filters_ + RKH_EVENT_BYTE_,
	rkh_trc_filters_ + RKH_GROUP_BYTE_, rkh_group_bytes };

/* ctrl is 0 or 1. */
static void rkh_bits_fill(rui8_t ctrl, rui8_t *table, ruint n_bytes)
{
	rastrum_memset(table, (int)(0u - ctrl), n_bytes);
}

/* Returns 1 if there is such a bit. */
static rbool_t rkh_bit_put(rui8_t ctrl, rui8_t *table, rui32_t bit, ruint n_bytes)
{
	ruint mask = 1u << (bit & 7);

	RKH_REQUIRE(bit >> 3 < n_bytes);
	if (bit >> 3 >= n_bytes)
		return 0;
	table += bit >> 3;
	*table = (rui8_t)(*table & ~mask);
	if (ctrl != FILTER_ON)
		*table = (rui8_t)(*table | mask);
	return 1;
}

void rkh_trc_filter_group_(rui8_t ctrl, RKH_TG_T grp, rui8_t mode)
{
	if (grp == RKH_TRC_ALL_GROUPS) {
		rkh_trc_filters_[RKH_GROUP_BYTE_] = (rui8_t)(0u - ctrl);
		return;
	}
	rkh_bit_put(ctrl, rkh_trc_filters_ + RKH_GROUP_BYTE_, grp, 1);
	if (grp < RKH_TG_NGROUP && mode == ECHANGE)
		rkh_bits_fill(ctrl, rkh_trc_filters_ + RKH_EVENT_BYTE_ + rkh_group_bytes[grp].offset,
			rkh_group_bytes[grp].range);
}

void rkh_trc_filter_event_(rui8_t ctrl, RKH_TE_ID_T evt)
{
	const RKH_GMTBL_T *bytes = &rkh_group_bytes[GETGRP(evt) & 7u];
	ruint n_bytes = evt > RKH_TRC_ALL_EVENTS ? 0 : bytes->range; /* above there is no event to filter */

	if (evt == RKH_TRC_ALL_EVENTS) {
		rkh_bits_fill(ctrl, rkh_trc_filters_ + RKH_GROUP_BYTE_, 1 + RKH_TRC_MAX_EVENTS_IN_BYTES);
		return;
	}
	if (rkh_bit_put(ctrl, rkh_trc_filters_ + RKH_EVENT_BYTE_ + bytes->offset, GETEVT(evt), n_bytes) &
		ctrl)
		rkh_bit_put(ctrl, rkh_trc_filters_ + RKH_GROUP_BYTE_, GETGRP(evt), 1);
}

rbool_t rkh_trc_isoff_(RKH_TE_ID_T e)
{
	const rui8_t *events = rkh_trc_filters_ + RKH_EVENT_BYTE_ + rkh_group_bytes[GETGRP(e) & 7u].offset;

	return ((ruint)rkh_trc_filters_[RKH_GROUP_BYTE_] >> (GETGRP(e) & 7u)) &
	       ((ruint)events[(GETEVT(e) >> 3) & 3u] >> (GETEVT(e) & 7u)) & 1u;
}

void rkh_trc_symFil(RKHFilter filter, RKH_TRC_FSLOT slot, rui8_t mode)
{
	const RKH_TRC_FIL_T *table = &rkh_slots[filter & RKHFilterSignal];
	rui8_t ctrl = mode & RKH_FILTER_MODE_MASK;

	if (ctrl != mode)
		rkh_bits_fill(ctrl, table->tbl, table->size);
	else
		rkh_bit_put(ctrl, table->tbl, slot, table->size);
}

rbool_t rkh_trc_symFil_isoff(RKHFilter filter, RKH_TRC_FSLOT slot)
{
	const RKH_TRC_FIL_T *table = &rkh_slots[filter & RKHFilterSignal];

	RKH_ASSERT(slot >> 3 < table->size);
	return slot >> 3 < table->size && (rbool_t)(table->tbl[slot >> 3] >> (slot & 7)) & 1u;
}

void rkh_trc_filter_get(RKH_FilterTbl *out)
{
	if (out)
		*out = rkh_filters;
}

#endif
