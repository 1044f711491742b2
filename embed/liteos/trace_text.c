/* SPDX-License-Identifier: MIT */
/*
 * The text of LOS_TraceRecordDump(FALSE): the objects, then a row for each slot in the order of memory, even
 * if it was never written. Numbers are at the left of their columns. Columns touch if a number is as wide as
 * its column.
 */
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_print.h"

#if !RASTRUM_LITEOS_IS_ONLINE

#if defined(RASTRUM_LITEOS_M) && defined(RASTRUM_LITEOS_KEEP_SHIFTED_TEXT)
#define HAS_SHIFTED_TEXT 1
/* Stands for the word that happens to lie on the stack where the identity is taken from. */
#ifndef RASTRUM_LITEOS_SHIFTED_IN
#define RASTRUM_LITEOS_SHIFTED_IN 0
#endif
#else
#define HAS_SHIFTED_TEXT 0
#endif

static VOID line_end(struct text *text)
{
	text_words(text, "\n");
	text_flush(text);
}

static VOID number_line(struct text *text, const CHAR *words, UINT32 number)
{
	text_words(text, words);
	text_dec(text, number, 0);
	line_end(text);
}

static VOID blank(struct text *text)
{
	text_words(text, " ");
}

static VOID OsTraceInfoObj(struct text *text)
{
	const struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;

	if (ctrl->maxObjCount == 0)
		return;
	number_line(text, "CurObjIndex = ", ctrl->curObjIndex);
	text_words(text, "Index   TaskID   TaskPrio   TaskName ");
	line_end(text);
	for (UINT32 i = 0; i < ctrl->maxObjCount; i++) {
		const ObjData *obj = &ctrl->objBuf[i];

		text_dec(text, i, 7);
		blank(text);
		text_hex(text, obj->id, 6);
		blank(text);
		text_dec(text, obj->prio, 10);
		blank(text);
		text_words(text, obj->name);
		line_end(text);
	}
	line_end(text);
}

static VOID OsTraceInfoEventTitle(struct text *text)
{
	number_line(text, "CurEvtIndex = ", g_traceRecoder.ctrl.curIndex);
	text_words(text, "Index   Time(cycles)      EventType      ");
#ifdef RASTRUM_LITEOS_A
	text_words(text, "CurPid   ");
#endif
	text_words(text, "CurTask   Identity      ");
#if RASTRUM_LITEOS_HAS_CORE
#ifdef RASTRUM_LITEOS_A
	text_words(text, "cpuid    ");
#else
	text_words(text, "cpuId    ");
#endif
	text_words(text, "hwiActive    taskLockCnt    ");
#endif
#if RASTRUM_LITEOS_HAS_COUNT
	text_words(text, "eventCount    ");
#endif
#if RASTRUM_LITEOS_HAS_LR
	text_words(text, "backtrace ");
	for (unsigned i = 0; i < LOS_TRACE_LR_RECORD; i++)
		text_words(text, "           ");
#endif
#if LOSCFG_TRACE_FRAME_MAX_PARAMS
	text_words(text, "params    ");
#endif
	line_end(text);
}

/*
 * Time to identity. As printed by liteos_m on ARM: the type where the time's upper half was, all others one
 * further.
 */
static VOID frame_begin(struct text *text, const TraceEventFrame *frame)
{
#if HAS_SHIFTED_TEXT
	text_hex(text, (UINT64)frame->eventType << 32 | (UINT32)frame->curTime, 15);
	blank(text);
	text_hex(text, frame->curTask, 12);
	blank(text);
	text_hex(text, (UINT32)frame->identity, 7);
	blank(text);
	text_hex(text, RASTRUM_LITEOS_SHIFTED_IN, 11);
#else
	text_hex(text, frame->curTime, 15);
	blank(text);
	text_hex(text, frame->eventType, 12);
	blank(text);
#ifdef RASTRUM_LITEOS_A
	text_hex(text, frame->curPid, 7);
	blank(text);
#endif
	text_hex(text, frame->curTask, 7);
	blank(text);
	text_hex(text, (UINT32)frame->identity, 11);
#endif
	blank(text);
}

#if RASTRUM_LITEOS_HAS_CORE
static VOID frame_core(struct text *text, const struct CoreStatus *core)
{
	UINT32 n_locks = core->taskLockCnt;

#if RASTRUM_LITEOS_IS_SMP && defined(RASTRUM_LITEOS_KEEP_LOCK_COUNT)
	n_locks--;
#endif
#ifdef RASTRUM_LITEOS_A
	text_dec(text, core->cpuid, 11);
#else
	text_dec(text, core->cpuId, 11);
#endif
	blank(text);
	text_dec(text, core->hwiActive, 11);
	blank(text);
	text_dec(text, n_locks, 11);
}
#endif

static VOID OsTraceInfoEventData(struct text *text)
{
	const struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;

	for (UINT32 i = 0; i < ctrl->maxRecordCount; i++) {
		const TraceEventFrame *frame = &ctrl->frameBuf[i];

		text_dec(text, i, 7);
		blank(text);
		frame_begin(text, frame);
#if RASTRUM_LITEOS_HAS_CORE
		frame_core(text, &frame->core);
#endif
#if RASTRUM_LITEOS_HAS_COUNT
		text_dec(text, frame->eventCount, 11);
#endif
#if RASTRUM_LITEOS_HAS_LR
		for (unsigned n = 0; n < LOS_TRACE_LR_RECORD; n++)
			text_hex(text, (UINT32)frame->linkReg[n], 11);
#endif
#if LOSCFG_TRACE_FRAME_MAX_PARAMS
		for (unsigned n = 0; n < LOSCFG_TRACE_FRAME_MAX_PARAMS; n++)
			text_hex(text, (UINT32)frame->params[n], 11);
#endif
		line_end(text);
	}
}

VOID OsTraceInfoDisplay(VOID)
{
	struct text text;

	text.n_bytes = 0;
	text_words(&text, "*******TraceInfo begin*******\n");
	number_line(&text, "clockFreq = ", g_traceRecoder.head->baseInfo.clockFreq);
	OsTraceInfoObj(&text);
	OsTraceInfoEventTitle(&text);
	OsTraceInfoEventData(&text);
	text_words(&text, "*******TraceInfo end*******");
	line_end(&text);
}

#endif
