/* SPDX-License-Identifier: MIT */
/*
 * States, and what each call does in them. Errors are printed after the lock is left, so that printing may
 * take long.
 */
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_cnv.h"
#include "embed/liteos/trace_pipeline.h"
#include "embed/liteos/trace_tlv.h"

static enum TraceState g_traceState;
static BOOL g_enableTrace;
static UINT32 g_traceMask = TRACE_DEFAULT_MASK;

/* The caller has the lock. */
static VOID trace_enable(enum TraceState state, BOOL is_enabled)
{
	g_traceState = state;
	g_enableTrace = is_enabled;
	rastrum_word_store(&g_traceWanted, is_enabled ? g_traceMask : 0);
}

BOOL OsTraceIsEnable(VOID)
{
	return g_enableTrace;
}

static enum TraceState trace_state(VOID)
{
	enum TraceState found;
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	found = g_traceState;
	RASTRUM_UNLOCK(state);
	return found;
}

/* --- init ----------------------------------------------------------------------------------------------- */

static UINT32 OsCreateTraceAgentTask(VOID)
{
	UINT32 ret = LOS_OK;

#ifdef RASTRUM_LITEOS_AGENT_CREATE
	ret = RASTRUM_LITEOS_AGENT_CREATE();
	if (ret != LOS_OK)
		OsTraceErrorHex("trace init create agentTask error :", ret);
#endif
	return ret;
}

static UINT32 parts_init(VOID *buf, UINT32 size)
{
	UINT32 ret = LOS_OK;

#if RASTRUM_LITEOS_HAS_CLIENT
	ret = OsTracePipelineInit();
	if (ret != LOS_OK)
		return ret;
#endif
	ret = OsCreateTraceAgentTask();
	if (ret != LOS_OK)
		return ret;
	ret = OsTraceBufGive(buf, size);
#ifdef RASTRUM_LITEOS_AGENT_DELETE
	if (ret != LOS_OK)
		RASTRUM_LITEOS_AGENT_DELETE();
#endif
	return ret;
}

static VOID OsTraceHookInstall(VOID)
{
	g_traceEventHook = OsTraceHook;
#ifdef RASTRUM_LITEOS_HAS_KERNEL_HOOKS
	OsTraceCnvInit();
#endif
}

UINT32 LOS_TraceInit(VOID *buf, UINT32 size)
{
	enum TraceState before = trace_state();
	RASTRUM_LOCK_STATE state;
	UINT32 ret;

	if (before != TRACE_UNINIT) {
		OsTraceErrorDec("trace has been initialized already, the current state is :", before);
		return LOS_ERRNO_TRACE_ERROR_STATUS;
	}
	ret = parts_init(buf, size);
	if (ret != LOS_OK)
		return ret;
	OsTraceHookInstall();
	RASTRUM_LOCK(state);
	g_traceEventCount = 0;
	if (RASTRUM_LITEOS_IS_ONLINE)
		trace_enable(TRACE_INITED, FALSE);
	else
		trace_enable(TRACE_STARTED, TRUE);
	RASTRUM_UNLOCK(state);
	return LOS_OK;
}

UINT32 OsTraceInit(VOID)
{
	return LOS_TraceInit(NULL, LOSCFG_TRACE_BUFFER_SIZE);
}

/* --- control -------------------------------------------------------------------------------------------- */

UINT32 LOS_TraceStart(VOID)
{
	enum TraceState before;
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	before = g_traceState;
	if (before == TRACE_INITED || before == TRACE_STOPED) {
		OsTraceNotifyStart();
		trace_enable(TRACE_STARTED, TRUE);
	}
	RASTRUM_UNLOCK(state);
	if (before == TRACE_UNINIT) {
		OsTraceError("trace not inited, be sure LOS_TraceInit excute success");
		return LOS_ERRNO_TRACE_ERROR_STATUS;
	}
#ifdef RASTRUM_LITEOS_HEAP
	if (before != TRACE_STARTED)
		LOS_TRACE(MEM_INFO_REQ, RASTRUM_LITEOS_HEAP);
#endif
	return LOS_OK;
}

VOID LOS_TraceStop(VOID)
{
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	if (g_traceState == TRACE_STARTED) {
		trace_enable(TRACE_STOPED, FALSE);
		OsTraceNotifyStop();
	}
	RASTRUM_UNLOCK(state);
}

VOID LOS_TraceEventMaskSet(UINT32 mask)
{
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
#if defined(RASTRUM_LITEOS_H5) && defined(RASTRUM_LITEOS_KEEP_LOW_MASK)
	g_traceMask = mask;
#else
	g_traceMask = mask & EVENT_MASK;
#endif
	trace_enable(g_traceState, g_enableTrace);
	RASTRUM_UNLOCK(state);
}

VOID LOS_TraceHwiFilterHookReg(TRACE_HWI_FILTER_HOOK hook)
{
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	g_traceHwiFilterHook = hook;
	RASTRUM_UNLOCK(state);
}

/* --- what was recorded ---------------------------------------------------------------------------------- */

VOID LOS_TraceReset(VOID)
{
	if (trace_state() == TRACE_UNINIT)
		OsTraceError("trace not inited, be sure LOS_TraceInit excute success");
	else
		OsTraceReset();
}

/* Not set by LOS_TraceInit(), which would make dumps part of every program that records. */
TRACE_DUMP_HOOK g_traceDumpHook = LOS_TraceRecordDump;

VOID LOS_TraceRecordDump(BOOL toClient)
{
	enum TraceState now = trace_state();

	if (now != TRACE_STOPED)
		OsTraceErrorDec("trace dump must after trace stopped , the current state is : ", now);
	else
		OsTraceRecordDump(toClient);
}

OfflineHead *LOS_TraceRecordGet(VOID)
{
	return OsTraceRecordGet();
}

UINT32 rastrum_liteos_lost(VOID)
{
	RASTRUM_LOCK_STATE state;
	UINT32 n_lost;

	RASTRUM_LOCK(state);
#if RASTRUM_LITEOS_IS_ONLINE
	n_lost = g_traceTlvCut + g_tracePipelineDropped;
#else
	n_lost = g_traceRecoder.ctrl.n_laps == 0
			 ? 0
			 : (g_traceRecoder.ctrl.n_laps - 1) * g_traceRecoder.ctrl.maxRecordCount +
				   g_traceRecoder.ctrl.curIndex;
#endif
	RASTRUM_UNLOCK(state);
	return n_lost;
}
