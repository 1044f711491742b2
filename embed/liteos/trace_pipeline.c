/* SPDX-License-Identifier: MIT */
#include "embed/liteos/trace_pipeline.h"

#include "embed/core/memory.h"
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline_serial.h"
#include "embed/liteos/trace_tlv.h"

/* --- what a message has --------------------------------------------------------------------------------- */

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

/* An event's elements in the order of sending: tag and member. */
#if RASTRUM_LITEOS_HAS_CORE
#define EVENT_CORE(X) X(CORE, core)
#else
#define EVENT_CORE(X)
#endif
#if RASTRUM_LITEOS_HAS_COUNT
#define EVENT_COUNTER(X) X(EVENT_COUNT, eventCount)
#else
#define EVENT_COUNTER(X)
#endif
#if LOSCFG_TRACE_FRAME_MAX_PARAMS
#define EVENT_PARAMETERS(X) X(EVENT_PARAMS, params)
#else
#define EVENT_PARAMETERS(X)
#endif
#ifdef RASTRUM_LITEOS_A
#define EVENT_PROCESS(X) X(CUR_PID, curPid)
#else
#define EVENT_PROCESS(X)
#endif
#if RASTRUM_LITEOS_HAS_LR
#define EVENT_LINKS(X) X(EVENT_LR, linkReg)
#else
#define EVENT_LINKS(X)
#endif
#define EVENT_ELEMENTS(X)        \
	EVENT_CORE(X)            \
	X(EVENT_CODE, eventType) \
	X(CUR_TIME, curTime)     \
	EVENT_COUNTER(X)         \
	X(CUR_TASK, curTask) X(IDENTITY, identity) EVENT_PARAMETERS(X) EVENT_PROCESS(X) EVENT_LINKS(X)

#define EVENT_ROW(tag, member) ELEMENT(tag, TraceEventFrame, member),
static const TlvTable g_traceTlvTblEvent[] = { EVENT_ELEMENTS(EVENT_ROW) TABLE_END };

static const TlvTable *const g_traceTlvTbl[TRACE_MSG_MAX] = {
	g_traceTlvTblNotify,
	g_traceTlvTblHead,
	g_traceTlvTblObj,
	g_traceTlvTblEvent,
};

/* Sizes and places of elements have 8 bits. */
typedef char trace_event_fits_a_table[sizeof(TraceEventFrame) < 256 ? 1 : -1];

#define EVENT_SIZE(tag, member) +2 + (int)SIZE_OF(TraceEventFrame, member)
enum {
	EVENT_MESSAGE = TRACE_MSG_HEAD_BYTES EVENT_ELEMENTS(EVENT_SIZE),
	OBJ_MESSAGE = TRACE_MSG_HEAD_BYTES + 3 * 2 + (int)sizeof(ObjData),
#ifdef LOSCFG_TRACE_TLV_BUF_SIZE
	TLV_BUF_SIZE = LOSCFG_TRACE_TLV_BUF_SIZE
#else
	LONGER = (int)EVENT_MESSAGE > (int)OBJ_MESSAGE ? (int)EVENT_MESSAGE : (int)OBJ_MESSAGE,
	TLV_BUF_SIZE = (int)LONGER > 100 ? (int)LONGER : 100
#endif
};

/*
 * As OsTraceDataEncode() with the event's table, where there is room for all: no loop, and a third of the
 * instructions.
 */
static UINT32 event_encode(const UINT8 *frame, UINT8 *message)
{
	UINT8 *at = message + TRACE_MSG_HEAD_BYTES;

#define EVENT_PUT(tag, member)                                                                              \
	at[0] = (tag);                                                                                      \
	at[1] = (UINT8)SIZE_OF(TraceEventFrame, member);                                                    \
	rastrum_memcpy(                                                                                     \
		at + 2, frame + LOS_OFF_SET_OF(TraceEventFrame, member), SIZE_OF(TraceEventFrame, member)); \
	at += 2 + SIZE_OF(TraceEventFrame, member);
	EVENT_ELEMENTS(EVENT_PUT)
	return OsTraceMessageEnd(EVENT, message, (UINT32)EVENT_MESSAGE - TRACE_MSG_HEAD_BYTES);
}

static UINT32 message_encode(UINT8 type, UINT8 *data, UINT8 *message)
{
	if (type == EVENT && (int)TLV_BUF_SIZE >= (int)EVENT_MESSAGE)
		return event_encode(data, message);
	return OsTraceDataEncode(type, g_traceTlvTbl[type], data, message, TLV_BUF_SIZE);
}

/* --- operations ----------------------------------------------------------------------------------------- */

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
		RASTRUM_LOCK(state);
		g_tracePipelineDropped++;
		RASTRUM_UNLOCK(state);
		return;
	}
	n_bytes = message_encode(type, data, message);
	RASTRUM_LOCK(state);
	g_tracePipelineOps->dataSend((UINT16)n_bytes, message);
	RASTRUM_UNLOCK(state);
}

UINT32 OsTraceDataRecv(UINT8 *data, UINT32 size, UINT32 timeout)
{
	return g_tracePipelineOps->dataRecv(data, size, timeout);
}

UINT32 OsTraceDataWait(VOID)
{
	return g_tracePipelineOps->wait();
}
