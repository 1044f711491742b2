/* SPDX-License-Identifier: MIT */
#include "embed/liteos/trace_pipeline.h"

#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline_serial.h"
#include "embed/liteos/trace_tlv.h"

/* --- what a message has ------------------------------------------------------------------------------------- */

#define SIZE_OF(type, member) sizeof(((type *)0)->member)
#define ELEMENT(tag, type, member)                                                       \
	{                                                                                \
		(tag), (UINT8)LOS_OFF_SET_OF(type, member), (UINT8)SIZE_OF(type, member) \
	}
#define TABLE_END                         \
	{                                 \
		TRACE_TLV_TYPE_NULL, 0, 0 \
	}

static const TlvTable g_traceTlvTblNotify[] = {
	ELEMENT(CMD, TraceNotifyFrame, cmd),
	ELEMENT(PARAMS, TraceNotifyFrame, param),
	TABLE_END,
};

static const TlvTable g_traceTlvTblHead[] = {
	ELEMENT(ENDIAN, TraceBaseHeaderInfo, bigLittleEndian),
	ELEMENT(VERSION, TraceBaseHeaderInfo, version),
	ELEMENT(CLOCK_FREQ, TraceBaseHeaderInfo, clockFreq),
	TABLE_END,
};

static const TlvTable g_traceTlvTblObj[] = {
	ELEMENT(ADDR, ObjData, id),
	ELEMENT(PRIO, ObjData, prio),
	ELEMENT(NAME, ObjData, name),
	TABLE_END,
};

static const TlvTable g_traceTlvTblEvent[] = {
#if RASTRUM_LITEOS_HAS_CORE
	ELEMENT(CORE, TraceEventFrame, core),
#endif
	ELEMENT(EVENT_CODE, TraceEventFrame, eventType),
	ELEMENT(CUR_TIME, TraceEventFrame, curTime),
#if RASTRUM_LITEOS_HAS_COUNT
	ELEMENT(EVENT_COUNT, TraceEventFrame, eventCount),
#endif
	ELEMENT(CUR_TASK, TraceEventFrame, curTask),
	ELEMENT(IDENTITY, TraceEventFrame, identity),
#if LOSCFG_TRACE_FRAME_MAX_PARAMS
	ELEMENT(EVENT_PARAMS, TraceEventFrame, params),
#endif
#ifdef RASTRUM_LITEOS_A
	ELEMENT(CUR_PID, TraceEventFrame, curPid),
#endif
#if RASTRUM_LITEOS_HAS_LR
	ELEMENT(EVENT_LR, TraceEventFrame, linkReg),
#endif
	TABLE_END,
};

static const TlvTable *const g_traceTlvTbl[TRACE_MSG_MAX] = {
	g_traceTlvTblNotify,
	g_traceTlvTblHead,
	g_traceTlvTblObj,
	g_traceTlvTblEvent,
};

/* Sizes and places of elements have 8 bits. */
typedef char trace_event_fits_a_table[sizeof(TraceEventFrame) < 256 ? 1 : -1];

/* An element has two bytes more than its value, and an event has at most nine of them. */
#ifndef LOSCFG_TRACE_TLV_BUF_SIZE
enum {
	EVENT_MESSAGE = sizeof(TraceMsgTlvHead) + sizeof(TraceEventFrame) + 2 * 9,
	OBJ_MESSAGE = sizeof(TraceMsgTlvHead) + sizeof(ObjData) + 2 * 3,
	LONGER_MESSAGE = (int)EVENT_MESSAGE > (int)OBJ_MESSAGE ? (int)EVENT_MESSAGE : (int)OBJ_MESSAGE,
	TLV_BUF_SIZE = (int)LONGER_MESSAGE > 100 ? (int)LONGER_MESSAGE : 100
};
#else
enum { TLV_BUF_SIZE = LOSCFG_TRACE_TLV_BUF_SIZE };
#endif

/* --- operations --------------------------------------------------------------------------------------------- */

static UINT32 DefaultPipelineInit(VOID)
{
	return LOS_OK;
}

static VOID DefaultDataSend(UINT16 len, UINT8 *data)
{
	(void)len, (void)data;
}

static UINT32 DefaultDataReceive(UINT8 *data, UINT32 size, UINT32 timeout)
{
	(void)data, (void)size, (void)timeout;
	return LOS_OK;
}

static UINT32 DefaultWait(VOID)
{
	return LOS_OK;
}

static const TracePipelineOps g_defaultOps = { DefaultPipelineInit, DefaultDataSend, DefaultDataReceive,
	DefaultWait };
static const TracePipelineOps *g_tracePipelineOps = &g_defaultOps;

UINT32 g_tracePipelineDropped;

VOID OsTracePipelineReg(const TracePipelineOps *ops)
{
	g_tracePipelineOps = ops;
}

UINT32 OsTracePipelineInit(VOID)
{
#if RASTRUM_LITEOS_HAS_SERIAL
	OsTracePipelineReg(&g_serialOps);
#endif
	return g_tracePipelineOps->init();
}

VOID OsTraceDataSend(UINT8 type, UINT16 len, UINT8 *data)
{
	UINT8 message[TLV_BUF_SIZE];
	UINT32 n_bytes;
	RASTRUM_LOCK_STATE state;

	if (type >= TRACE_MSG_MAX || len > TLV_BUF_SIZE) {
		PIPE_LOCK(state);
		g_tracePipelineDropped++;
		PIPE_UNLOCK(state);
		return;
	}
	n_bytes = OsTraceDataEncode(type, g_traceTlvTbl[type], data, message, TLV_BUF_SIZE);
	PIPE_LOCK(state);
	g_tracePipelineOps->dataSend((UINT16)n_bytes, message);
	PIPE_UNLOCK(state);
}

UINT32 OsTraceDataRecv(UINT8 *data, UINT32 size, UINT32 timeout)
{
	return g_tracePipelineOps->dataRecv(data, size, timeout);
}

UINT32 OsTraceDataWait(VOID)
{
	return g_tracePipelineOps->wait();
}
