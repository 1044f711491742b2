/* SPDX-License-Identifier: MIT */
/* The functions that the application supplies (the channel, the clock), and the lock. */
#ifndef EMBED_RKH_RKHTRC_OUT_H
#define EMBED_RKH_RKHTRC_OUT_H

#include "embed/rkh/rkhtrc_define.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls rkh_trc_init(), opens the channel, then RKH_TRC_SEND_CFG(Hz of the clock). */
void rkh_trc_open(void);
void rkh_trc_close(void);

/* Drains the ring into the channel; called outside the lock, but by RKH_TR_FWK_ASSERT within it. */
void rkh_trc_flush(void);

/* The time stamp; called within the lock. */
RKH_TS_T rkh_trc_getts(void);

/* Called within the lock at the end of every frame, where RKH_CFG_HOOK_PUT_TRCEVT_EN asks for it. */
void rkh_hook_putTrcEvt(void);

#if RKH_CFG_TRC_STANDALONE_EN
/*
 * Called when a filter is asked for what there is not, where RKH_CFG_FWK_ASSERT_EN asks for it. RKH has it in
 * rkhassert.h.
 */
void rkh_assert(const char *const file, int line);
#endif

#ifdef __cplusplus
}
#endif

#if RKH_CFG_TRC_EN
#define RKH_TRC_OPEN()	rkh_trc_open()
#define RKH_TRC_CLOSE() rkh_trc_close()
#define RKH_TRC_FLUSH() rkh_trc_flush()
#else
#define RKH_TRC_OPEN()	(void)0
#define RKH_TRC_CLOSE() (void)0
#define RKH_TRC_FLUSH() (void)0
#endif
#define RKH_TRC_SEND_CFG(ts_hz) RKH_TR_FWK_TCFG(ts_hz)

#if RKH_CFG_TRC_STANDALONE_EN
#if RKH_CFG_HOOK_PUT_TRCEVT_EN
#define RKH_HOOK_PUT_TRCEVT() rkh_hook_putTrcEvt()
#else
#define RKH_HOOK_PUT_TRCEVT() (void)0
#endif
#endif

/*
 * The lock. A port of RKH brings RKH_ENTER_CRITICAL and RKH_EXIT_CRITICAL, and RKH_CPUSR_TYPE where they save
 * something; a program without one gets the lock of embed/port/. Records nest in it when the caller has it
 * already.
 */
#ifndef RKH_ENTER_CRITICAL
#include "embed/port/port.h"
#define RKH_CPUSR_TYPE	      rastrum_lock_t
#define RKH_ENTER_CRITICAL(x) RASTRUM_LOCK(x)
#define RKH_EXIT_CRITICAL(x)  RASTRUM_UNLOCK(x)
#endif

/* A function that records with a lock has RKH_SR_ALLOC(); among its declarations. */
#ifdef RKH_CPUSR_TYPE
#define RKH_SR_ALLOC_(name)  \
	RKH_CPUSR_TYPE name; \
	(void)name
#else
#define RKH_SR_ALLOC_(name) (void)0
#endif
#ifndef RKH_ENTER_CRITICAL_
#define RKH_SR_ALLOC()	      RKH_SR_ALLOC_(sr)
#define RKH_ENTER_CRITICAL_() RKH_ENTER_CRITICAL(sr)
#define RKH_EXIT_CRITICAL_()  RKH_EXIT_CRITICAL(sr)
#endif

#if RKH_CFG_TRC_STANDALONE_EN
#if RKH_CFG_FWK_ASSERT_EN
#ifndef RKH_MODULE_NAME
#define RKH_MODULE_NAME(name) static const char *const module_name = #name;
#endif
#ifndef RKH_REQUIRE
#define RKH_ASSERT(exp)	 ((exp) ? (void)0 : rkh_assert(module_name, __LINE__))
#define RKH_REQUIRE(exp) RKH_ASSERT(exp)
#endif
#else
#ifndef RKH_MODULE_NAME
#define RKH_MODULE_NAME(name)
#endif
#ifndef RKH_REQUIRE
#define RKH_ASSERT(exp)	 (void)0
#define RKH_REQUIRE(exp) (void)0
#endif
#endif
#endif

#endif
