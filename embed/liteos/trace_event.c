/* SPDX-License-Identifier: MIT */
/*
 * The way of an event: what it is decides whether it is kept, and one lock covers stamp, count and slot, so
 * that rings and links have events in the order of both.
 */
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"

uint32_t g_traceWanted;
TRACE_EVENT_HOOK g_traceEventHook;
TRACE_HWI_FILTER_HOOK g_traceHwiFilterHook;
UINT32 g_traceEventCount;

/* --- frames --------------------------------------------------------------------------------------------- */

#ifdef __GNUC__
#define TRACE_SELDOM __attribute__((noinline))
#else
#define TRACE_SELDOM
#endif

#ifndef RASTRUM_LITEOS_CYCLES
/* The port's counter has 32 bits: what it moved since the last event is added. The caller has the lock. */
static inline UINT64 trace_cycles(VOID)
{
	static UINT64 cycles;

	cycles += (uint32_t)(RASTRUM_STAMP() - (uint32_t)cycles);
	return cycles;
}
#define RASTRUM_LITEOS_CYCLES() trace_cycles()
#endif

#if RASTRUM_LITEOS_HAS_CORE
static inline struct CoreStatus core_status(UINT32 n_params)
{
	struct CoreStatus core;
	UINT32 n_locks = RASTRUM_LITEOS_LOCK_COUNT();

#if RASTRUM_LITEOS_IS_SMP && defined(RASTRUM_LITEOS_KEEP_LOCK_COUNT)
	n_locks++;
#endif
#ifdef RASTRUM_LITEOS_A
	core.cpuid = (uint8_t)RASTRUM_CORE();
#else
	core.cpuId = (uint8_t)RASTRUM_CORE();
#endif
	core.hwiActive = RASTRUM_LITEOS_HWI_ACTIVE() ? 1 : 0;
	core.taskLockCnt = (n_locks < 15 ? n_locks : 15) & 15;
	core.paramCount = n_params & 15;
	core.reserves = 0;
	return core;
}
#endif

/* Every member, but none of the padding. The caller has the lock. */
static inline VOID OsTraceSetFrame(
	TraceEventFrame *frame, UINT32 eventType, UINTPTR identity, const UINTPTR *params, UINT16 paramCount)
{
	const UINT32 n_params =
		paramCount > LOSCFG_TRACE_FRAME_MAX_PARAMS ? LOSCFG_TRACE_FRAME_MAX_PARAMS : paramCount;

	frame->eventType = eventType;
	frame->curTask = OsTraceGetMaskTid((UINT32)RASTRUM_LITEOS_TASK());
#ifdef RASTRUM_LITEOS_A
	frame->curPid = (UINT32)RASTRUM_LITEOS_PROCESS();
#endif
	frame->curTime = RASTRUM_LITEOS_CYCLES();
	frame->identity = identity;
#if RASTRUM_LITEOS_HAS_CORE
	frame->core = core_status(n_params);
#endif
#if RASTRUM_LITEOS_HAS_COUNT
	frame->eventCount = g_traceEventCount++;
#endif
#if RASTRUM_LITEOS_HAS_LR
	RASTRUM_LITEOS_RECORD_LR(frame->linkReg, LOS_TRACE_LR_RECORD, LOS_TRACE_LR_IGNORE);
#endif
#if LOSCFG_TRACE_FRAME_MAX_PARAMS
	for (UINT32 i = 0; i < LOSCFG_TRACE_FRAME_MAX_PARAMS; i++)
		frame->params[i] = i < n_params ? params[i] : 0;
#else
	(void)params, (void)n_params;
#endif
}

/* Asked again inside the lock: after LOS_TraceStop() nothing comes, whatever was on the way. */
static inline VOID event_record(UINT32 eventType, UINTPTR identity, const UINTPTR *params, UINT16 paramCount)
{
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	if (g_traceWanted & eventType) {
#if RASTRUM_LITEOS_IS_ONLINE
		TraceEventFrame frame;

		OsTraceSetFrame(&frame, eventType, identity, params, paramCount);
		OsTraceDataSend(EVENT, sizeof(frame), (UINT8 *)&frame);
#else
		OsTraceSetFrame(OsTraceNextFrame(), eventType, identity, params, paramCount);
#endif
	}
	RASTRUM_UNLOCK(state);
}

VOID OsTraceWriteOrSendEvent(const TraceEventFrame *frame)
{
#if RASTRUM_LITEOS_IS_ONLINE
	TraceEventFrame copy = *frame;

	OsTraceDataSend(EVENT, sizeof(copy), (UINT8 *)&copy);
#else
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	if (g_traceRecoder.head)
		*OsTraceNextFrame() = *frame;
	RASTRUM_UNLOCK(state);
#endif
}

/* --- events --------------------------------------------------------------------------------------------- */

/* Whether an interrupt is not to be recorded. The hook hears of all. */
static BOOL OsTraceHwiFilter(UINT32 hwiNum)
{
	TRACE_HWI_FILTER_HOOK hook = g_traceHwiFilterHook;
	BOOL is_unwanted = hwiNum == NUM_HAL_INTERRUPT_UART || hwiNum == OS_TICK_INT_NUM;

#if RASTRUM_LITEOS_IS_SMP
	is_unwanted |= hwiNum == LOS_MP_IPI_SCHEDULE;
#endif
	if (hook != NULL)
		is_unwanted |= hook(hwiNum);
	return is_unwanted;
}

static VOID memory_info(UINTPTR pool)
{
#ifdef RASTRUM_LITEOS_MEM_INFO
	UINT32 n_used = 0, n_free = 0;

	RASTRUM_LITEOS_MEM_INFO(pool, &n_used, &n_free);
	LOS_TRACE(MEM_INFO, pool, n_used, n_free);
#else
	(void)pool;
#endif
}

/* Handles events that need more than a frame. It is separate so that the common path saves no registers for
 * its calls. */
static TRACE_SELDOM VOID event_special(
	UINT32 eventType, UINTPTR identity, const UINTPTR *params, UINT16 paramCount)
{
	const UINT32 module = TRACE_GET_MODE_FLAG(eventType);

	if (RASTRUM_LITEOS_HAS_OBJECTS && (eventType == TASK_CREATE || eventType == TASK_PRIOSET))
		OsTraceObjAdd(eventType, (UINT32)identity);
	if (!(rastrum_word_load(&g_traceWanted) & eventType))
		return;
	if (module == TRACE_HWI_FLAG && OsTraceHwiFilter((UINT32)identity))
		return;
	if (module == TRACE_TASK_FLAG)
		identity = OsTraceGetMaskTid((UINT32)identity);
	if (eventType == MEM_INFO_REQ)
		memory_info(identity);
	else
		event_record(eventType, identity, params, paramCount);
}

VOID OsTraceHook(UINT32 eventType, UINTPTR identity, const UINTPTR *params, UINT16 paramCount)
{
	const UINT32 special = (UINT32)TRACE_HWI_FLAG | (UINT32)TRACE_TASK_FLAG;

	/* The first comparison settles it for most events. */
	if (eventType <= MEM_INFO_REQ && ((eventType & special) || eventType == MEM_INFO_REQ))
		event_special(eventType, identity, params, paramCount);
	else
		event_record(eventType, identity, params, paramCount);
}
