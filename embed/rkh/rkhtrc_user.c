/* SPDX-License-Identifier: MIT */
/* Elements of user events: a byte with the kind (low) and the width for display (high), and the value. */
#include "embed/rkh/rkhtrc_record.h"

#if RKH_CFG_TRC_EN && RKH_CFG_TRC_USER_TRACE_EN

void rkh_trc_fmt_u8(rui8_t fmt, rui8_t d)
{
	rkh_trc_u8(fmt);
	rkh_trc_u8(d);
}

void rkh_trc_fmt_u16(rui8_t fmt, rui16_t d)
{
	rkh_trc_u8(fmt);
	rkh_trc_u16(d);
}

void rkh_trc_fmt_u32(rui8_t fmt, rui32_t d)
{
	rkh_trc_u8(fmt);
	rkh_trc_u32(d);
}

void rkh_trc_fmt_str(const char *s)
{
	rkh_trc_u8(RKH_STR_T);
	rkh_trc_str(s);
}

void rkh_trc_fmt_mem(rui8_t const *mem, rui8_t size)
{
	rkh_trc_fmt_u8(RKH_MEM_T, size);
	while (size--)
		rkh_trc_u8(*mem++);
}

#endif
