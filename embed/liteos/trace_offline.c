/* SPDX-License-Identifier: MIT */
/*
 * The ring, in memory that the caller gives:
 *
 *      OfflineHead | ObjData, LOSCFG_TRACE_OBJ_MAX_NUM of them | frames, oldest at curIndex once it has gone round | rest
 *
 * curIndex and the like are not in it: readers find the oldest frame by count and time.
 */
#include "embed/core/memory.h"
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"

TraceOfflineHeaderInfo g_traceRecoder;

#if !RASTRUM_LITEOS_IS_ONLINE

enum {
	OBJ_OFFSET = sizeof(OfflineHead),
	FRAME_OFFSET = OBJ_OFFSET + sizeof(ObjData) * LOSCFG_TRACE_OBJ_MAX_NUM,
	ALIGNMENT = 8
};

/* Readers rely on these facts of the layout. */
typedef char trace_head_has_24_bytes[sizeof(OfflineHead) == 24 ? 1 : -1];
typedef char trace_frames_have_whole_words[sizeof(TraceEventFrame) % 8 == 0 ? 1 : -1];
#ifdef RASTRUM_LITEOS_A
typedef char trace_time_is_at_16[LOS_OFF_SET_OF(TraceEventFrame, curTime) == 16 ? 1 : -1];
#else
typedef char trace_time_is_at_8[LOS_OFF_SET_OF(TraceEventFrame, curTime) == 8 ? 1 : -1];
#endif
typedef char trace_frames_are_aligned[FRAME_OFFSET % ALIGNMENT == 0 ? 1 : -1];

/* Works by powers of two: it avoids a 64-bit division, and any division on processors that cannot divide. */
static UINT32 frames_in(UINT32 n_bytes)
{
	UINT32 n = 0, n_left = n_bytes;

	for (UINT32 bit = 31; bit-- > 0;)
		if ((n_left >> bit) >= sizeof(TraceEventFrame)) {
			n_left -= (UINT32)sizeof(TraceEventFrame) << bit;
			n |= (UINT32)1 << bit;
		}
	return n;
}

static UINT32 buffer_lay_out(VOID *buf, UINT32 size)
{
	const UINT32 n_skipped = (UINT32)(0 - (uintptr_t)buf) & (ALIGNMENT - 1);
	UINT8 *bytes = (UINT8 *)buf + n_skipped;
	struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;
	OfflineHead *head = (OfflineHead *)(VOID *)bytes;

	if (size < n_skipped ||
		frames_in(size - n_skipped < FRAME_OFFSET ? 0 : size - n_skipped - FRAME_OFFSET) == 0)
		return LOS_ERRNO_TRACE_BUF_TOO_SMALL;
	size -= n_skipped;
	rastrum_memset(bytes, 0, size);
	head->baseInfo.bigLittleEndian = TRACE_BIGLITTLE_WORD;
	head->baseInfo.clockFreq = (UINT32)RASTRUM_LITEOS_CLOCK_HZ();
	head->baseInfo.version = TRACE_VERSION(TRACE_MODE_OFFLINE);
	head->totalLen = (UINT16)size;
	head->objSize = sizeof(ObjData);
	head->frameSize = sizeof(TraceEventFrame);
	head->objOffset = OBJ_OFFSET;
	head->frameOffset = FRAME_OFFSET;

	ctrl->curIndex = ctrl->curObjIndex = ctrl->n_laps = 0;
	ctrl->n_bytes = size;
	ctrl->maxRecordCount = frames_in(size - FRAME_OFFSET);
	ctrl->maxObjCount = LOSCFG_TRACE_OBJ_MAX_NUM;
	ctrl->objBuf = (ObjData *)(VOID *)(bytes + OBJ_OFFSET);
	ctrl->frameBuf = (TraceEventFrame *)(VOID *)(bytes + FRAME_OFFSET);
	g_traceRecoder.head = head;
	return LOS_OK;
}

UINT32 OsTraceBufGive(VOID *buf, UINT32 size)
{
	UINT32 ret = LOS_ERRNO_TRACE_BUF_TOO_SMALL;

	if (size > FRAME_OFFSET) {
		if (buf == NULL)
			buf = RASTRUM_LITEOS_ALLOC(size);
		if (buf == NULL)
			return LOS_ERRNO_TRACE_NO_MEMORY;
		ret = buffer_lay_out(buf, size);
	}
	if (ret == LOS_ERRNO_TRACE_BUF_TOO_SMALL)
		OsTraceErrorHex("trace buf size not enough than ", FRAME_OFFSET);
	return ret;
}

OfflineHead *OsTraceRecordGet(VOID)
{
	return g_traceRecoder.head;
}

VOID OsTraceReset(VOID)
{
	struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	rastrum_memset(ctrl->frameBuf, 0, sizeof(TraceEventFrame) * ctrl->maxRecordCount);
	ctrl->curIndex = ctrl->n_laps = 0;
	RASTRUM_UNLOCK(state);
}

/* All slots as they lie, also those that were never written. */
static VOID OsTraceSendInfo(VOID)
{
#if RASTRUM_LITEOS_HAS_CLIENT
	const struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;

	OsTraceSendHead();
	for (UINT32 i = 0; i < ctrl->maxObjCount; i++)
		OsTraceDataSend(OBJ, sizeof(ObjData), (UINT8 *)&ctrl->objBuf[i]);
	for (UINT32 i = 0; i < ctrl->maxRecordCount; i++)
		OsTraceDataSend(EVENT, sizeof(TraceEventFrame), (UINT8 *)&ctrl->frameBuf[i]);
#endif
}

VOID OsTraceRecordDump(BOOL toClient)
{
	if (toClient)
		OsTraceSendInfo();
	else
		OsTraceInfoDisplay();
}

#else

UINT32 OsTraceBufGive(VOID *buf, UINT32 size)
{
	(void)buf, (void)size;
	return LOS_OK;
}

OfflineHead *OsTraceRecordGet(VOID)
{
	return NULL;
}

#endif

#ifdef RASTRUM_LITEOS_H5
UINT32 OsTraceBufInit(VOID *buf, UINT32 size)
{
	return OsTraceBufGive(buf, size);
}
#else
UINT32 OsTraceBufInit(UINT32 size)
{
	return OsTraceBufGive(NULL, size);
}
#endif
