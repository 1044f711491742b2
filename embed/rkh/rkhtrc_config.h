/* SPDX-License-Identifier: MIT */
/*
 * The settings of the recorder: the switches of RKH 3.4 under their names. Each has a default, so that a
 * program sets only those that it wants to change. They come from the file that RKH_CONFIG_H names
 * (-DRKH_CONFIG_H='"my_config.h"'), or else from an rkhcfg.h that the compiler finds, as in RKH.
 *
 * Each is a number that the preprocessor can compute, because the configuration frame is a sum of them.
 * Switches are 0 or 1, written so, or as RKH_DISABLED and RKH_ENABLED.
 */
#ifndef EMBED_RKH_RKHTRC_CONFIG_H
#define EMBED_RKH_RKHTRC_CONFIG_H

/* Ours, of the command line: 0 where RKH gives its types and objects. Its configuration comes with them. */
#if defined(RKH_CFG_TRC_STANDALONE_EN) && RKH_CFG_TRC_STANDALONE_EN == 0
#include "rkhitl.h"
#endif

#ifndef RKH_ENABLED
#define RKH_ENABLED  1u
#define RKH_DISABLED 0u
#endif

#if defined(RKH_CONFIG_H)
#include RKH_CONFIG_H
#elif defined(__has_include)
#if __has_include("rkhcfg.h")
#include "rkhcfg.h"
#endif
#endif

#ifndef RKH_CFG_TRC_STANDALONE_EN
#define RKH_CFG_TRC_STANDALONE_EN 1
#endif

/* Ours: 1 writes byte by byte in the least flash, 0 word by word in the fewest instructions. */
#ifndef RKH_CFG_TRC_SMALL_EN
#if defined(__OPTIMIZE_SIZE__) || !defined(__GNUC__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#define RKH_CFG_TRC_SMALL_EN 1
#else
#define RKH_CFG_TRC_SMALL_EN 0
#endif
#endif

#if !RKH_CFG_TRC_SMALL_EN && (!defined(__GNUC__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
#error "RKH_CFG_TRC_SMALL_EN must be 1: words are written by gcc and clang for little-endian targets only"
#endif

/* The recorder, its filters at run time, user events. */
#ifndef RKH_CFG_TRC_EN
#define RKH_CFG_TRC_EN 1
#endif
#ifndef RKH_CFG_TRC_RTFIL_EN
#define RKH_CFG_TRC_RTFIL_EN 1
#endif
#ifndef RKH_CFG_TRC_RTFIL_SMA_EN
#define RKH_CFG_TRC_RTFIL_SMA_EN 1
#endif
#ifndef RKH_CFG_TRC_RTFIL_SIGNAL_EN
#define RKH_CFG_TRC_RTFIL_SIGNAL_EN 1
#endif
#ifndef RKH_CFG_TRC_USER_TRACE_EN
#define RKH_CFG_TRC_USER_TRACE_EN 1
#endif

/* Groups of records. ALL switches every group on, whatever its own switch says. */
#ifndef RKH_CFG_TRC_ALL_EN
#define RKH_CFG_TRC_ALL_EN 1
#endif
#ifndef RKH_CFG_TRC_MP_EN
#define RKH_CFG_TRC_MP_EN 0
#endif
#ifndef RKH_CFG_TRC_QUE_EN
#define RKH_CFG_TRC_QUE_EN 0
#endif
#ifndef RKH_CFG_TRC_SMA_EN
#define RKH_CFG_TRC_SMA_EN 0
#endif
#ifndef RKH_CFG_TRC_SM_EN
#define RKH_CFG_TRC_SM_EN 0
#endif
#ifndef RKH_CFG_TRC_TMR_EN
#define RKH_CFG_TRC_TMR_EN 0
#endif
#ifndef RKH_CFG_TRC_FWK_EN
#define RKH_CFG_TRC_FWK_EN 0
#endif

/* Single records within their group: also where ALL is on. */
#ifndef RKH_CFG_TRC_ASSERT_EN
#define RKH_CFG_TRC_ASSERT_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_INIT_EN
#define RKH_CFG_TRC_SM_INIT_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_DCH_EN
#define RKH_CFG_TRC_SM_DCH_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_CLRH_EN
#define RKH_CFG_TRC_SM_CLRH_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_TRN_EN
#define RKH_CFG_TRC_SM_TRN_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_STATE_EN
#define RKH_CFG_TRC_SM_STATE_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_ENSTATE_EN
#define RKH_CFG_TRC_SM_ENSTATE_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_EXSTATE_EN
#define RKH_CFG_TRC_SM_EXSTATE_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_NENEX_EN
#define RKH_CFG_TRC_SM_NENEX_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_NTRNACT_EN
#define RKH_CFG_TRC_SM_NTRNACT_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_TS_STATE_EN
#define RKH_CFG_TRC_SM_TS_STATE_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_PROCESS_EN
#define RKH_CFG_TRC_SM_PROCESS_EN 1
#endif
#ifndef RKH_CFG_TRC_SM_EXE_ACT_EN
#define RKH_CFG_TRC_SM_EXE_ACT_EN 0
#endif

/* Frames. */
#ifndef RKH_CFG_TRC_NSEQ_EN
#define RKH_CFG_TRC_NSEQ_EN 1
#endif
#ifndef RKH_CFG_TRC_TSTAMP_EN
#define RKH_CFG_TRC_TSTAMP_EN 1
#endif
#ifndef RKH_CFG_TRC_CHK_EN
#define RKH_CFG_TRC_CHK_EN 1
#endif
#ifndef RKH_CFG_SMA_TRC_SNDR_EN
#define RKH_CFG_SMA_TRC_SNDR_EN 1
#endif
#ifndef RKH_CFG_HOOK_PUT_TRCEVT_EN
#define RKH_CFG_HOOK_PUT_TRCEVT_EN 0
#endif
#ifndef RKH_CFG_MP_GET_LWM_EN
#define RKH_CFG_MP_GET_LWM_EN 1
#endif
#ifndef RKH_CFG_QUE_GET_LWMARK_EN
#define RKH_CFG_QUE_GET_LWMARK_EN 1
#endif

/* The checks of the filters, and the place where RKH keeps the priority and the name of an active object. */
#ifndef RKH_CFG_FWK_ASSERT_EN
#define RKH_CFG_FWK_ASSERT_EN 0
#endif
#ifndef RKH_CFG_SMA_SM_CONST_EN
#define RKH_CFG_SMA_SM_CONST_EN 1
#endif

/* Bytes of the ring: all of them can be used. A frame of one address takes 12 bytes, at worst 23. */
#ifndef RKH_CFG_TRC_SIZEOF_STREAM
#define RKH_CFG_TRC_SIZEOF_STREAM 512
#endif

/* How many there are. */
#ifndef RKH_CFG_FWK_MAX_SMA
#define RKH_CFG_FWK_MAX_SMA 8
#endif
#ifndef RKH_CFG_FWK_MAX_SIGNALS
#define RKH_CFG_FWK_MAX_SIGNALS 16
#endif
#ifndef RKH_CFG_FWK_MAX_EVT_POOL
#define RKH_CFG_FWK_MAX_EVT_POOL 4
#endif

/* Bits of what is recorded. Addresses may have 64, which is our extension. */
#ifndef RKH_CFG_TRC_SIZEOF_TE_ID
#define RKH_CFG_TRC_SIZEOF_TE_ID 8
#endif
#ifndef RKH_CFG_FWK_SIZEOF_EVT
#define RKH_CFG_FWK_SIZEOF_EVT 8
#endif
#ifndef RKH_CFG_FWK_SIZEOF_EVT_SIZE
#define RKH_CFG_FWK_SIZEOF_EVT_SIZE 16
#endif
#ifndef RKH_CFG_TMR_SIZEOF_NTIMER
#define RKH_CFG_TMR_SIZEOF_NTIMER 16
#endif
#ifndef RKH_CFG_MP_SIZEOF_NBLOCK
#define RKH_CFG_MP_SIZEOF_NBLOCK 8
#endif
#ifndef RKH_CFG_MP_SIZEOF_BSIZE
#define RKH_CFG_MP_SIZEOF_BSIZE 8
#endif
#ifndef RKH_CFG_QUE_SIZEOF_NELEM
#define RKH_CFG_QUE_SIZEOF_NELEM 8
#endif
#ifndef RKH_CFGPORT_TRC_SIZEOF_PTR
#define RKH_CFGPORT_TRC_SIZEOF_PTR 32
#endif
#ifndef RKH_CFGPORT_TRC_SIZEOF_FUN_PTR
#define RKH_CFGPORT_TRC_SIZEOF_FUN_PTR 32
#endif
#ifndef RKH_CFGPORT_TRC_SIZEOF_TSTAMP
#define RKH_CFGPORT_TRC_SIZEOF_TSTAMP 32
#endif

#ifndef RKHROM
#define RKHROM const
#endif

#ifndef RKH_VERSION
#define RKH_VERSION(a, b, c) ((((a) << 12) | ((b) << 8) | (c)) & 0xffffu)
#endif
#ifndef RKH_VERSION_CODE
#define RKH_VERSION_CODE 0x3400u
#endif

#if (RKH_CFG_TRC_STANDALONE_EN | RKH_CFG_TRC_SMALL_EN | RKH_CFG_TRC_EN | RKH_CFG_TRC_RTFIL_EN |             \
	RKH_CFG_TRC_RTFIL_SMA_EN | RKH_CFG_TRC_RTFIL_SIGNAL_EN | RKH_CFG_TRC_USER_TRACE_EN |                \
	RKH_CFG_TRC_ALL_EN | RKH_CFG_TRC_MP_EN | RKH_CFG_TRC_QUE_EN | RKH_CFG_TRC_SMA_EN |                  \
	RKH_CFG_TRC_SM_EN | RKH_CFG_TRC_TMR_EN | RKH_CFG_TRC_FWK_EN | RKH_CFG_TRC_ASSERT_EN |               \
	RKH_CFG_TRC_SM_INIT_EN | RKH_CFG_TRC_SM_DCH_EN | RKH_CFG_TRC_SM_CLRH_EN | RKH_CFG_TRC_SM_TRN_EN |   \
	RKH_CFG_TRC_SM_STATE_EN | RKH_CFG_TRC_SM_ENSTATE_EN | RKH_CFG_TRC_SM_EXSTATE_EN |                   \
	RKH_CFG_TRC_SM_NENEX_EN | RKH_CFG_TRC_SM_NTRNACT_EN | RKH_CFG_TRC_SM_TS_STATE_EN |                  \
	RKH_CFG_TRC_SM_PROCESS_EN | RKH_CFG_TRC_SM_EXE_ACT_EN | RKH_CFG_TRC_NSEQ_EN |                       \
	RKH_CFG_TRC_TSTAMP_EN | RKH_CFG_TRC_CHK_EN | RKH_CFG_SMA_TRC_SNDR_EN | RKH_CFG_HOOK_PUT_TRCEVT_EN | \
	RKH_CFG_MP_GET_LWM_EN | RKH_CFG_QUE_GET_LWMARK_EN | RKH_CFG_FWK_ASSERT_EN |                         \
	RKH_CFG_SMA_SM_CONST_EN) > 1
#error "a switch of the recorder (RKH_CFG_..._EN) is neither 0 nor 1"
#endif

#define RKH_IS_WIDTH_(n_bits) ((n_bits) == 8 || (n_bits) == 16 || (n_bits) == 32)
#if !RKH_IS_WIDTH_(RKH_CFG_TRC_SIZEOF_TE_ID) || !RKH_IS_WIDTH_(RKH_CFG_FWK_SIZEOF_EVT) ||           \
	!RKH_IS_WIDTH_(RKH_CFG_FWK_SIZEOF_EVT_SIZE) || !RKH_IS_WIDTH_(RKH_CFG_TMR_SIZEOF_NTIMER) || \
	!RKH_IS_WIDTH_(RKH_CFG_MP_SIZEOF_NBLOCK) || !RKH_IS_WIDTH_(RKH_CFG_MP_SIZEOF_BSIZE) ||      \
	!RKH_IS_WIDTH_(RKH_CFG_QUE_SIZEOF_NELEM) || !RKH_IS_WIDTH_(RKH_CFGPORT_TRC_SIZEOF_TSTAMP)
#error "a width (RKH_CFG..._SIZEOF_...) is none of 8, 16 and 32 bits"
#endif
#if RKH_CFGPORT_TRC_SIZEOF_PTR != 16 && RKH_CFGPORT_TRC_SIZEOF_PTR != 32 && RKH_CFGPORT_TRC_SIZEOF_PTR != 64
#error "RKH_CFGPORT_TRC_SIZEOF_PTR is none of 16, 32 and 64 bits"
#endif
#if RKH_CFGPORT_TRC_SIZEOF_FUN_PTR != 16 && RKH_CFGPORT_TRC_SIZEOF_FUN_PTR != 32 && \
	RKH_CFGPORT_TRC_SIZEOF_FUN_PTR != 64
#error "RKH_CFGPORT_TRC_SIZEOF_FUN_PTR is none of 16, 32 and 64 bits"
#endif
#if RKH_CFG_TRC_SIZEOF_STREAM < 1 || RKH_CFG_TRC_SIZEOF_STREAM > 65000
#error "RKH_CFG_TRC_SIZEOF_STREAM is not from 1 to 65000"
#endif
#if RKH_CFG_FWK_MAX_SMA < 1 || RKH_CFG_FWK_MAX_SMA > 256 || RKH_CFG_FWK_MAX_SIGNALS < 1
#error "RKH_CFG_FWK_MAX_SMA is not from 1 to 256, or RKH_CFG_FWK_MAX_SIGNALS is less than 1"
#endif
#if RKH_CFG_FWK_MAX_EVT_POOL < 0 || RKH_CFG_FWK_MAX_EVT_POOL > 255
#error "RKH_CFG_FWK_MAX_EVT_POOL is not from 0 to 255"
#endif

#endif
