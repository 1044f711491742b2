/* SPDX-License-Identifier: MIT */
/*
 * How messages leave, and commands come in: four operations that a program registers, before LOS_TraceInit(),
 * which calls `init`. Until then they do nothing.
 */
#ifndef EMBED_LITEOS_TRACE_PIPELINE_H
#define EMBED_LITEOS_TRACE_PIPELINE_H

#include "embed/liteos/los_trace_types.h"

/* These names are short. Only files that speak of messages include this header. */
enum TraceMsgType { NOTIFY, HEAD, OBJ, EVENT, TRACE_MSG_MAX };

enum TraceNotifySubType { CMD = 1, PARAMS };

enum TraceHeadSubType {
	ENDIAN = 1,
	VERSION,
	OBJ_SIZE,
	OBJ_COUNT,
	CUR_INDEX,
	MAX_RECODE,
	CUR_OBJ_INDEX,
	CLOCK_FREQ
};

enum TraceObjSubType { ADDR = 1, PRIO, NAME };

enum TraceEvtSubType {
	CORE = 1,
	EVENT_CODE,
	CUR_TIME,
	EVENT_COUNT,
	CUR_TASK,
	IDENTITY,
	EVENT_PARAMS,
	CUR_PID, /* liteos_a only, as the next */
	EVENT_LR
};

typedef struct {
	UINT32 (*init)(VOID);
	/* A whole message, and the pipe lock is held: no interrupt that records comes while this runs. */
	VOID (*dataSend)(UINT16 len, UINT8 *data);
	/* Puts what has come, at most size bytes; what it returns is not looked at. */
	UINT32 (*dataRecv)(UINT8 *data, UINT32 size, UINT32 timeout);
	/* Returns when something may have come. */
	UINT32 (*wait)(VOID);
} TracePipelineOps;

/* As TRACE_LOCK(), which is the same lock (los_trace_pri.h). */
#define PIPE_LOCK(state)   TRACE_LOCK(state)
#define PIPE_UNLOCK(state) TRACE_UNLOCK(state)

#ifdef __cplusplus
extern "C" {
#endif

/* Both calls do no more than that: no check, no lock. */
VOID OsTracePipelineReg(const TracePipelineOps *ops);
UINT32 OsTracePipelineInit(VOID);

/*
 * The message of a structure, encoded and sent. `type` is of enum TraceMsgType; others, and structures longer
 * than LOSCFG_TRACE_TLV_BUF_SIZE, are dropped and counted in g_tracePipelineDropped.
 */
VOID OsTraceDataSend(UINT8 type, UINT16 len, UINT8 *data);

UINT32 OsTraceDataRecv(UINT8 *data, UINT32 size, UINT32 timeout);
UINT32 OsTraceDataWait(VOID);

extern UINT32 g_tracePipelineDropped;

#ifdef __cplusplus
}
#endif

#endif
