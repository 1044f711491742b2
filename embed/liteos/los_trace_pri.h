/* SPDX-License-Identifier: MIT */
/* Shared by the files of the recorder, under the names in LiteOS's documentation. */
#ifndef EMBED_LITEOS_LOS_TRACE_PRI_H
#define EMBED_LITEOS_LOS_TRACE_PRI_H

#include "embed/liteos/los_trace.h"

#define TRACE_CTL_MAGIC_NUM  0xDEADBEEFU
#define TRACE_CMD_END_CHAR   0xD
#define TRACE_MODE_OFFLINE   0
#define TRACE_MODE_ONLINE    1
#define TRACE_VERSION(MODE)  (0xFFFFFFFFU & (MODE))
#define TRACE_DEFAULT_MASK   ((UINT32)TRACE_HWI_FLAG | (UINT32)TRACE_TASK_FLAG)
#define EVENT_MASK	     0xFFFFFFF0U
#define BITS_NUM_FOR_TASK_ID 16

#define TRACE_MASK_COMBINE(c1, c2, c3, c4) \
	((UINT32)(c1) << 24 | (UINT32)(c2) << 16 | (UINT32)(c3) << 8 | (UINT32)(c4))

#ifndef LOS_OFF_SET_OF
#define LOS_OFF_SET_OF(type, member) offsetof(type, member)
#endif

/*
 * `state` is a UINT32, as in the originals, whatever the port saves; the recorder's own files use the port's
 * lock itself.
 */
#define TRACE_LOCK(state)   ((void)((state) = OsTraceLock()))
#define TRACE_UNLOCK(state) OsTraceUnlock(state)

/* printf() of errors, where the program has LiteOS's; the recorder prints its own by OsTraceError(). */
#ifndef TRACE_ERROR
#ifdef PRINT_ERR
#define TRACE_ERROR PRINT_ERR
#else
#define TRACE_ERROR(...) ((void)0)
#endif
#endif

enum TraceCmd {
	TRACE_CMD_START = 1,
	TRACE_CMD_STOP,
	TRACE_CMD_SET_EVENT_MASK,
	TRACE_CMD_RECODE_DUMP,
	TRACE_CMD_MAX_CODE
};

/* As it comes from a client. */
typedef struct {
	UINT8 cmd, param1, param2, param3, param4, param5, end;
} TraceClientCmd;

typedef struct {
	UINT32 cmd;
	UINT32 param;
} TraceNotifyFrame;

/* Counts have 32 bits here, so that rings of more than 65535 frames are used. */
struct WriteCtrl {
	UINT32 curIndex; /* where the next frame goes */
	UINT32 maxRecordCount;
	UINT32 curObjIndex;
	UINT32 maxObjCount;
	ObjData *objBuf;
	TraceEventFrame *frameBuf;
	UINT32 n_laps;	/* how often curIndex came to the end */
	UINT32 n_bytes; /* from the head on; totalLen has the lower half */
};

typedef struct {
	struct WriteCtrl ctrl;
	OfflineHead *head;
} TraceOfflineHeaderInfo;

#ifdef __cplusplus
extern "C" {
#endif

/* --- trace_lock.c --------------------------------------------------------------------------------------- */

/* The port's lock, for TRACE_LOCK() and PIPE_LOCK(). Nests. */
UINT32 OsTraceLock(VOID);
VOID OsTraceUnlock(UINT32 state);

/* --- los_trace.c ---------------------------------------------------------------------------------------- */

/* LOS_TraceInit() with LOSCFG_TRACE_BUFFER_SIZE bytes of RASTRUM_LITEOS_ALLOC(). */
UINT32 OsTraceInit(VOID);
BOOL OsTraceIsEnable(VOID);

/* --- trace_event.c -------------------------------------------------------------------------------------- */

/*
 * A frame that is made already: copied to the ring, or sent. The gap in front of curTime is copied, too: 0 is
 * best.
 */
VOID OsTraceWriteOrSendEvent(const TraceEventFrame *frame);

extern TRACE_HWI_FILTER_HOOK g_traceHwiFilterHook;
extern UINT32 g_traceEventCount; /* kept where frames have it */

/* --- trace_object.c ------------------------------------------------------------------------------------- */

VOID OsTraceSetObj(ObjData *obj, const LosTaskCB *tcb);

/*
 * Tells a task: into the next slot of the ring's table, with a new generation; online as a message, while
 * enabled.
 */
VOID OsTraceObjAdd(UINT32 eventType, UINT32 taskId);

#if !RASTRUM_LITEOS_IS_ONLINE && LOSCFG_TRACE_OBJ_MAX_NUM > 0
extern UINT16 g_tidMask[LOSCFG_BASE_CORE_TSK_LIMIT];
#endif

/* The number of a task in a ring: id | generation << 16. Online, or without a table of objects, it is the id
 * alone. */
static inline UINT32 OsTraceGetMaskTid(UINT32 taskId)
{
#if !RASTRUM_LITEOS_IS_ONLINE && LOSCFG_TRACE_OBJ_MAX_NUM > 0
	if (taskId < LOSCFG_BASE_CORE_TSK_LIMIT)
		taskId |= (UINT32)g_tidMask[taskId] << BITS_NUM_FOR_TASK_ID;
#endif
	return taskId;
}

/* --- trace_offline.c ------------------------------------------------------------------------------------ */

extern TraceOfflineHeaderInfo g_traceRecoder;

OfflineHead *OsTraceRecordGet(VOID);
#ifdef RASTRUM_LITEOS_H5
UINT32 OsTraceBufInit(VOID *buf, UINT32 size);
#else
UINT32 OsTraceBufInit(UINT32 size);
#endif
/*
 * Each kind of recorder defines it. It takes any memory, or if buf is NULL, memory of RASTRUM_LITEOS_ALLOC().
 * Returns the outcomes of LOS_TraceInit().
 */
UINT32 OsTraceBufGive(VOID *buf, UINT32 size);

#if RASTRUM_LITEOS_IS_ONLINE
#define OsTraceReset()		    ((void)0)
#define OsTraceRecordDump(toClient) ((void)(toClient))
#else
VOID OsTraceReset(VOID);
VOID OsTraceRecordDump(BOOL toClient);
VOID OsTraceInfoDisplay(VOID);

/* The slot that the next frame goes to, which is to be filled before the lock is left. The caller has it. */
static inline TraceEventFrame *OsTraceNextFrame(VOID)
{
	struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;
	TraceEventFrame *frame = &ctrl->frameBuf[ctrl->curIndex++];

	if (ctrl->curIndex == ctrl->maxRecordCount) {
		ctrl->curIndex = 0;
		ctrl->n_laps++;
	}
	return frame;
}
#endif

/* --- trace_online.c ------------------------------------------------------------------------------------- */

/* Version: the mode of this build. */
VOID OsTraceSendHead(VOID);
VOID OsTraceSendObjTable(VOID);
VOID OsTraceSendNotify(UINT32 type, UINT32 value);

#if RASTRUM_LITEOS_IS_ONLINE
#define OsTraceNotifyStart()                                       \
	do {                                                       \
		OsTraceSendNotify(SYS_START, TRACE_CTL_MAGIC_NUM); \
		OsTraceSendHead();                                 \
		OsTraceSendObjTable();                             \
	} while (0)
#define OsTraceNotifyStop() OsTraceSendNotify(SYS_STOP, TRACE_CTL_MAGIC_NUM)
#else
#define OsTraceNotifyStart() ((void)0)
#define OsTraceNotifyStop()  ((void)0)
#endif

/* --- trace_agent.c -------------------------------------------------------------------------------------- */

/* For ever: OsTraceAgentStep(). */
VOID TraceAgent(VOID);

/* Ours: waits, receives a command of seven bytes, executes it. Unknown commands have no effect. */
VOID OsTraceAgentStep(VOID);
BOOL OsTraceCmdIsValid(const TraceClientCmd *msg);
VOID OsTraceCmdHandle(const TraceClientCmd *msg);

/* --- trace_shell.c -------------------------------------------------------------------------------------- */

/* Commands of a shell: LOS_OK, or all bits set and a line of usage. */
UINT32 OsShellCmdTraceSetMask(INT32 argc, const CHAR **argv);
UINT32 OsShellCmdTraceDump(INT32 argc, const CHAR **argv);

/* --- trace_print.c -------------------------------------------------------------------------------------- */

/*
 * An error's line, in the kernel's manner: prefix, `text`, `number` as decimal or in hexadecimal ("0x%x"),
 * line end. They are empty in a build that prints nothing, so that a ring alone does not contain that code.
 */
#if RASTRUM_LITEOS_HAS_PRINT
VOID OsTraceError(const CHAR *text);
VOID OsTraceErrorDec(const CHAR *text, UINT32 number);
VOID OsTraceErrorHex(const CHAR *text, UINT32 number);
#else
#define OsTraceError(text)	      ((void)0)
#define OsTraceErrorDec(text, number) ((void)(number))
#define OsTraceErrorHex(text, number) ((void)(number))
#endif

#ifdef __cplusplus
}
#endif

#endif
