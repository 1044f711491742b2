/* SPDX-License-Identifier: MIT */
/*
 * The interface of the trace of OpenHarmony's LiteOS kernels and of Huawei LiteOS 5. README.md lists the
 * differences.
 *
 *      LOS_TraceInit(memory, sizeof(memory));
 *      LOS_TraceEventMaskSet(TRACE_TASK_FLAG | TRACE_SEM_FLAG);
 *      LOS_TRACE(SEM_PEND, sem_id, count, timeout);
 *      LOS_TraceStop();
 *      head = LOS_TraceRecordGet();                   head->totalLen bytes
 *
 * An event of the program's own module: a number with a bit outside its lowest four, and the arguments to
 * keep:
 *
 *      #define MOTOR_TURN                            0x4001
 *      #define MOTOR_TURN_PARAMS(motor, speed, load) motor, speed, load
 *
 *      LOS_TRACE(MOTOR_TURN, motor, speed, load);
 */
#ifndef EMBED_LITEOS_LOS_TRACE_H
#define EMBED_LITEOS_LOS_TRACE_H

#include "embed/liteos/los_trace_types.h"

#include "embed/core/bits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors --------------------------------------------------------------------------------------------- */

#ifndef LOS_ERRNO_OS_ERROR
#define LOS_ERRNO_OS_ERROR(MID, ERRNO) (0x02000000U | ((UINT32)(MID) << 8) | (UINT32)(ERRNO))
#define LOS_MOD_TRACE		       0x14
#endif
#define LOS_ERRNO_TRACE_ERROR_STATUS  LOS_ERRNO_OS_ERROR(LOS_MOD_TRACE, 0x00)
#define LOS_ERRNO_TRACE_NO_MEMORY     LOS_ERRNO_OS_ERROR(LOS_MOD_TRACE, 0x01)
#define LOS_ERRNO_TRACE_BUF_TOO_SMALL LOS_ERRNO_OS_ERROR(LOS_MOD_TRACE, 0x02)

#define TRACE_BIGLITTLE_WORD 0x12345678U
#define LOS_TRACE_LR_RECORD  5
#define LOS_TRACE_LR_IGNORE  0

/* --- modules and events --------------------------------------------------------------------------------- */

typedef enum {
	TRACE_SYS_FLAG = 0x10,
	TRACE_HWI_FLAG = 0x20,
	TRACE_TASK_FLAG = 0x40,
	TRACE_SWTMR_FLAG = 0x80,
	TRACE_MEM_FLAG = 0x100,
	TRACE_QUE_FLAG = 0x200,
	TRACE_EVENT_FLAG = 0x400,
	TRACE_SEM_FLAG = 0x800,
#ifdef RASTRUM_LITEOS_A
	TRACE_IPC_FLAG = 0x2000,
#endif
	TRACE_MUX_FLAG = 0x1000
} LOS_TRACE_MASK;

/* A macro, because ISO C does not allow such a large enumerator. */
#define TRACE_MAX_FLAG		0x80000000U
#define TRACE_USER_DEFAULT_FLAG 0xFFFFFFF0U

#define TRACE_GET_MODE_FLAG(type) ((type)&0xFFFFFFF0U)

typedef enum {
	SYS_ERROR = 0x10,
	SYS_START = 0x11,
	SYS_STOP = 0x12,

	HWI_CREATE = 0x20,
	HWI_CREATE_SHARE = 0x21,
	HWI_DELETE = 0x22,
	HWI_DELETE_SHARE = 0x23,
	HWI_RESPONSE_IN = 0x24,
	HWI_RESPONSE_OUT = 0x25,
	HWI_ENABLE = 0x26,
	HWI_DISABLE = 0x27,
	HWI_TRIGGER = 0x28,
	HWI_SETPRI = 0x29,
	HWI_CLEAR = 0x2a,
	HWI_SETAFFINITY = 0x2b,
	HWI_SENDIPI = 0x2c,

	TASK_CREATE = 0x40,
	TASK_PRIOSET = 0x41,
	TASK_DELETE = 0x42,
	TASK_SUSPEND = 0x43,
	TASK_RESUME = 0x44,
	TASK_SWITCH = 0x45,
	TASK_SIGNAL = 0x46,

	SWTMR_CREATE = 0x80,
	SWTMR_DELETE = 0x81,
	SWTMR_START = 0x82,
	SWTMR_STOP = 0x83,
	SWTMR_EXPIRED = 0x84,

	MEM_ALLOC = 0x100,
	MEM_ALLOC_ALIGN = 0x101,
	MEM_REALLOC = 0x102,
	MEM_FREE = 0x103,
	MEM_INFO_REQ = 0x104,
	MEM_INFO = 0x105,

	QUEUE_CREATE = 0x200,
	QUEUE_DELETE = 0x201,
	QUEUE_RW = 0x202,

	EVENT_CREATE = 0x400,
	EVENT_DELETE = 0x401,
	EVENT_READ = 0x402,
	EVENT_WRITE = 0x403,
	EVENT_CLEAR = 0x404,

	SEM_CREATE = 0x800,
	SEM_DELETE = 0x801,
	SEM_PEND = 0x802,
	SEM_POST = 0x803,

#ifdef RASTRUM_LITEOS_A
	IPC_WRITE_DROP = 0x2000,
	IPC_WRITE = 0x2001,
	IPC_READ_DROP = 0x2002,
	IPC_READ = 0x2003,
	IPC_TRY_READ = 0x2004,
	IPC_READ_TIMEOUT = 0x2005,
	IPC_KILL = 0x2006,
#endif

	MUX_CREATE = 0x1000,
	MUX_DELETE = 0x1001,
	MUX_PEND = 0x1002,
	MUX_POST = 0x1003
} LOS_TRACE_TYPE;

/* The arguments of LOS_TRACE() that an event keeps; the first is the identity. */
#define SYS_ERROR_PARAMS(errno) errno

#define HWI_CREATE_PARAMS(hwiNum, hwiPrio, hwiMode, hwiHandler) hwiNum, hwiPrio, hwiMode, hwiHandler
#define HWI_CREATE_SHARE_PARAMS(hwiNum, pDevId, ret)		hwiNum, pDevId, ret
#define HWI_DELETE_PARAMS(hwiNum)				hwiNum
#define HWI_DELETE_SHARE_PARAMS(hwiNum, pDevId, ret)		hwiNum, pDevId, ret
#define HWI_RESPONSE_IN_PARAMS(hwiNum)				hwiNum
#define HWI_RESPONSE_OUT_PARAMS(hwiNum)				hwiNum
#define HWI_ENABLE_PARAMS(hwiNum)				hwiNum
#define HWI_DISABLE_PARAMS(hwiNum)				hwiNum
#define HWI_TRIGGER_PARAMS(hwiNum)				hwiNum
#define HWI_SETPRI_PARAMS(hwiNum, priority)			hwiNum, priority
#define HWI_CLEAR_PARAMS(hwiNum)				hwiNum
#define HWI_SETAFFINITY_PARAMS(hwiNum, cpuMask)			hwiNum, cpuMask
#define HWI_SENDIPI_PARAMS(hwiNum, cpuMask)			hwiNum, cpuMask

#define TASK_CREATE_PARAMS(taskId, taskStatus, prio)		  taskId, taskStatus, prio
#define TASK_PRIOSET_PARAMS(taskId, taskStatus, oldPrio, newPrio) taskId, taskStatus, oldPrio, newPrio
#define TASK_DELETE_PARAMS(taskId, taskStatus, usrStack)	  taskId, taskStatus, usrStack
#define TASK_SUSPEND_PARAMS(taskId, taskStatus, runTaskId)	  taskId, taskStatus, runTaskId
#define TASK_RESUME_PARAMS(taskId, taskStatus, prio)		  taskId, taskStatus, prio
#define TASK_SWITCH_PARAMS(taskId, oldPriority, oldTaskStatus, newPriority, newTaskStatus) \
	taskId, oldPriority, oldTaskStatus, newPriority, newTaskStatus
/* Recorded as nothing; a program that wants the event defines this anew. */
#define TASK_SIGNAL_PARAMS(taskId, signal, schedFlag)

#define SWTMR_CREATE_PARAMS(swtmrId) swtmrId
#define SWTMR_DELETE_PARAMS(swtmrId) swtmrId
#ifdef RASTRUM_LITEOS_H5
#define SWTMR_START_PARAMS(swtmrId, mode, overrun, interval, expiry) swtmrId, mode, overrun, interval, expiry
#else
#define SWTMR_START_PARAMS(swtmrId, mode, interval) swtmrId, mode, interval
#endif
#define SWTMR_STOP_PARAMS(swtmrId)    swtmrId
#define SWTMR_EXPIRED_PARAMS(swtmrId) swtmrId

#define MEM_ALLOC_PARAMS(pool, ptr, size)		  pool, ptr, size
#define MEM_ALLOC_ALIGN_PARAMS(pool, ptr, size, boundary) pool, ptr, size, boundary
#define MEM_REALLOC_PARAMS(pool, ptr, size)		  pool, ptr, size
#define MEM_FREE_PARAMS(pool, ptr)			  pool, ptr
#define MEM_INFO_REQ_PARAMS(pool)			  pool
#define MEM_INFO_PARAMS(pool, usedSize, freeSize)	  pool, usedSize, freeSize

#define QUEUE_CREATE_PARAMS(queueId, queueSz, itemSz, queueAddr, memType) \
	queueId, queueSz, itemSz, queueAddr, memType
#define QUEUE_DELETE_PARAMS(queueId, state, readable) queueId, state, readable
#define QUEUE_RW_PARAMS(queueId, queueSize, bufSize, operateType, readable, writable, timeout) \
	queueId, queueSize, bufSize, operateType, readable, writable, timeout

#define EVENT_CREATE_PARAMS(eventCB)				 eventCB
#define EVENT_DELETE_PARAMS(eventCB, delRetCode)		 eventCB, delRetCode
#define EVENT_READ_PARAMS(eventCB, eventId, mask, mode, timeout) eventCB, eventId, mask, mode, timeout
#define EVENT_WRITE_PARAMS(eventCB, eventId, events)		 eventCB, eventId, events
#define EVENT_CLEAR_PARAMS(eventCB, eventId, events)		 eventCB, eventId, events

#define SEM_CREATE_PARAMS(semId, type, count)  semId, type, count
#define SEM_DELETE_PARAMS(semId, delRetCode)   semId, delRetCode
#define SEM_PEND_PARAMS(semId, count, timeout) semId, count, timeout
#define SEM_POST_PARAMS(semId, type, count)    semId, type, count

#define MUX_CREATE_PARAMS(muxId)		      muxId
#define MUX_DELETE_PARAMS(muxId, state, count, owner) muxId, state, count, owner
#define MUX_PEND_PARAMS(muxId, count, owner, timeout) muxId, count, owner, timeout
#define MUX_POST_PARAMS(muxId, count, owner)	      muxId, count, owner

#ifdef RASTRUM_LITEOS_A
#define IPC_WRITE_DROP_PARAMS(dstTid, dstPid, msgType, code, ipcStatus) \
	dstTid, dstPid, msgType, code, ipcStatus
#define IPC_WRITE_PARAMS(dstTid, dstPid, msgType, code, ipcStatus) dstTid, dstPid, msgType, code, ipcStatus
#define IPC_READ_DROP_PARAMS(srcTid, srcPid, msgType, code, ipcStatus) \
	srcTid, srcPid, msgType, code, ipcStatus
#define IPC_READ_PARAMS(srcTid, srcPid, msgType, code, ipcStatus) srcTid, srcPid, msgType, code, ipcStatus
#define IPC_TRY_READ_PARAMS(msgType, ipcStatus)			  msgType, ipcStatus
#define IPC_READ_TIMEOUT_PARAMS(msgType, ipcStatus)		  msgType, ipcStatus
#define IPC_KILL_PARAMS(msgType, ipcStatus)			  msgType, ipcStatus
#endif

/* --- what is recorded ----------------------------------------------------------------------------------- */

typedef struct {
	UINT32 bigLittleEndian; /* TRACE_BIGLITTLE_WORD, in the target's byte order */
	UINT32 clockFreq;	/* Hz */
	UINT32 version;		/* in truth the mode: 0 ring, 1 messages */
} TraceBaseHeaderInfo;

struct CoreStatus {
#ifdef RASTRUM_LITEOS_A
	UINT32 cpuid : 8, hwiActive : 4, taskLockCnt : 4, paramCount : 4, reserves : 12;
#else
	UINT32 cpuId : 8, hwiActive : 4, taskLockCnt : 4, paramCount : 4, reserves : 12;
#endif
};

typedef struct {
	UINT32 eventType;
	UINT32 curTask;
#ifdef RASTRUM_LITEOS_A
	UINT32 curPid;
#endif
	RASTRUM_LITEOS_ALIGNED_8 UINT64 curTime; /* cycles */
	UINTPTR identity;
#if RASTRUM_LITEOS_HAS_CORE
	struct CoreStatus core;
#endif
#if RASTRUM_LITEOS_HAS_COUNT
	UINT32 eventCount;
#endif
#if RASTRUM_LITEOS_HAS_LR
	UINTPTR linkReg[LOS_TRACE_LR_RECORD];
#endif
#if LOSCFG_TRACE_FRAME_MAX_PARAMS
	UINTPTR params[LOSCFG_TRACE_FRAME_MAX_PARAMS];
#endif
} TraceEventFrame;

/* A user event as /dev/trace takes it. */
typedef struct {
	UINT32 eventType; /* the low four bits count */
	UINTPTR identity;
	UINTPTR params[3];
} UsrEventInfo;

typedef struct {
	UINT32 id;
	UINT32 prio;
	CHAR name[LOSCFG_TRACE_OBJ_MAX_NAME_SIZE];
} ObjData;

/* The ring's memory begins so; then objects, then frames. Lengths are modulo 2^16, whatever the ring has. */
typedef struct {
	TraceBaseHeaderInfo baseInfo;
	UINT16 totalLen;
	UINT16 objSize;
	UINT16 frameSize;
	UINT16 objOffset;
	UINT16 frameOffset;
} OfflineHead;

enum TraceState { TRACE_UNINIT, TRACE_INITED, TRACE_STARTED, TRACE_STOPED };

/* --- the functions -------------------------------------------------------------------------------------- */

/* TRUE: this interrupt is not to be recorded. Called without the lock, from the interrupt itself. */
typedef BOOL (*TRACE_HWI_FILTER_HOOK)(UINT32 hwiNum);
typedef VOID (*TRACE_EVENT_HOOK)(
	UINT32 eventType, UINTPTR identity, const UINTPTR *params, UINT16 paramCount);
typedef VOID (*TRACE_DUMP_HOOK)(BOOL toClient);

/*
 * Takes the memory of a ring (NULL: RASTRUM_LITEOS_ALLOC() gives it); online neither is looked at. A ring
 * records from here on, online after LOS_TraceStart(). Outcomes: LOS_OK, or LOS_ERRNO_TRACE_ERROR_STATUS (it
 * was called already), _BUF_TOO_SMALL (no room for one frame), _NO_MEMORY, or what the pipeline or the
 * agent's task gave.
 */
UINT32 LOS_TraceInit(VOID *buf, UINT32 size);

/*
 * LOS_OK, or LOS_ERRNO_TRACE_ERROR_STATUS before LOS_TraceInit(). Goes on where it stopped; the ring is not
 * cleared.
 */
UINT32 LOS_TraceStart(VOID);
VOID LOS_TraceStop(VOID);

/* Clears the frames of a ring, while it records, too. Objects, generations and the count of events go on. */
VOID LOS_TraceReset(VOID);

/* Modules wanted, also before LOS_TraceInit(). TRACE_HWI_FLAG | TRACE_TASK_FLAG at first. */
VOID LOS_TraceEventMaskSet(UINT32 mask);

/* Dumps the events of a stopped ring: as messages through the pipeline if toClient is TRUE, else as text. */
VOID LOS_TraceRecordDump(BOOL toClient);

/* The ring's memory. Returns NULL if there is no ring, or the recorder is online. */
OfflineHead *LOS_TraceRecordGet(VOID);

/* NULL removes the hook. */
VOID LOS_TraceHwiFilterHookReg(TRACE_HWI_FILTER_HOOK hook);

/*
 * Ours. Counts the events that no dump and no message has. For a ring: those written over since
 * LOS_TraceReset(). Online: those whose message was too long for LOSCFG_TRACE_TLV_BUF_SIZE, or had to leave
 * elements out. A link counts its own losses.
 */
UINT32 rastrum_liteos_lost(VOID);

/* --- recording ------------------------------------------------------------------------------------------ */

/* Set by LOS_TraceInit(). */
extern TRACE_EVENT_HOOK g_traceEventHook;

/* LOS_TraceRecordDump(), from the beginning on; for programs, nothing here calls it. */
extern TRACE_DUMP_HOOK g_traceDumpHook;

VOID OsTraceHook(UINT32 eventType, UINTPTR identity, const UINTPTR *params, UINT16 paramCount);

/* The mask while recording, else 0. Ours. */
extern uint32_t g_traceWanted;

/*
 * Before anything else, so that what is not wanted costs a load and a branch. Tasks' names are kept whatever
 * the mask.
 */
#ifdef __GNUC__
__attribute__((always_inline))
#endif
static inline int
rastrum_liteos_wants(UINT32 type)
{
	return (rastrum_word_load(&g_traceWanted) & type) != 0 ||
	       (RASTRUM_LITEOS_HAS_OBJECTS && (type == TASK_CREATE || type == TASK_PRIOSET));
}

/*
 * The array begins with a word of no use, so that it has one also where a _PARAMS macro is empty: then
 * nothing is kept.
 */
static inline VOID rastrum_liteos_record(UINT32 type, const UINTPTR *words, UINT32 n_words)
{
#ifdef RASTRUM_LITEOS_H5
	if (n_words > 1)
		OsTraceHook(type, words[1], n_words > 2 ? words + 2 : NULL, (UINT16)(n_words - 2));
#else
	TRACE_EVENT_HOOK hook = g_traceEventHook;

	if (n_words > 1 && hook != NULL)
		hook(type, words[1], n_words > 2 ? words + 2 : NULL, (UINT16)(n_words - 2));
#endif
}

#ifdef __cplusplus
}

/* rastrum_liteos_kept{ type }(words...): the words may be pointers and signed numbers, and the list may be
 * empty. */
struct rastrum_liteos_kept {
	UINT32 type;

	template <typename... Words> void operator()(Words... words) const
	{
		const UINTPTR list[] = { 0, (UINTPTR)words... };

		rastrum_liteos_record(type, list, sizeof(list) / sizeof(list[0]));
	}
};
#endif

/* Huawei LiteOS records its performance counters, too. */
#ifdef RASTRUM_LITEOS_H5
#ifndef LOS_PERF
#define LOS_PERF(TYPE) ((void)0)
#endif
#define RASTRUM_LITEOS_PERF(TYPE) LOS_PERF(TYPE)
#else
#define RASTRUM_LITEOS_PERF(TYPE) ((void)0)
#endif

#if RASTRUM_LITEOS_HAS_TRACE
/*
 * LOS_TRACE(TYPE, IDENTITY, ...) and LOS_TRACE_EASY(TYPE, IDENTITY, ...): arguments are evaluated only if
 * they are kept.
 */
#ifdef __cplusplus
#define LOS_TRACE(TYPE, ...)                                                                         \
	do {                                                                                         \
		RASTRUM_LITEOS_PERF(TYPE);                                                           \
		if (rastrum_liteos_wants(TYPE))                                                      \
			rastrum_liteos_kept{ TYPE }(TYPE##_PARAMS((UINTPTR)(uintptr_t)__VA_ARGS__)); \
	} while (0)
#define LOS_TRACE_EASY(TYPE, ...)                                                        \
	do {                                                                             \
		if (rastrum_liteos_wants(TRACE_USER_DEFAULT_FLAG))                       \
			rastrum_liteos_kept{ TRACE_USER_DEFAULT_FLAG | (UINT32)(TYPE) }( \
				(UINTPTR)(uintptr_t)__VA_ARGS__);                        \
	} while (0)
#else
#define LOS_TRACE(TYPE, ...)                                                                       \
	do {                                                                                       \
		RASTRUM_LITEOS_PERF(TYPE);                                                         \
		if (rastrum_liteos_wants(TYPE)) {                                                  \
			const UINTPTR los_trace_words[] = { 0,                                     \
				TYPE##_PARAMS((UINTPTR)(uintptr_t)__VA_ARGS__) };                  \
			rastrum_liteos_record(                                                     \
				TYPE, los_trace_words, sizeof(los_trace_words) / sizeof(UINTPTR)); \
		}                                                                                  \
	} while (0)
#define LOS_TRACE_EASY(TYPE, ...)                                                                        \
	do {                                                                                             \
		if (rastrum_liteos_wants(TRACE_USER_DEFAULT_FLAG)) {                                     \
			const UINTPTR los_trace_words[] = { 0, (UINTPTR)(uintptr_t)__VA_ARGS__ };        \
			rastrum_liteos_record(TRACE_USER_DEFAULT_FLAG | (UINT32)(TYPE), los_trace_words, \
				sizeof(los_trace_words) / sizeof(UINTPTR));                              \
		}                                                                                        \
	} while (0)
#endif
#else
#define LOS_TRACE(TYPE, ...)	  RASTRUM_LITEOS_PERF(TYPE)
#define LOS_TRACE_EASY(TYPE, ...) ((void)0)
#endif

#endif
