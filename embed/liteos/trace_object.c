/* SPDX-License-Identifier: MIT */
/*
 * Tasks and their names. Ids are used again, so a ring shows id | generation << 16, and each new task has its
 * own. Online names come with the stream, and ids are plain.
 */
#include "embed/core/memory.h"
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"

#if !RASTRUM_LITEOS_IS_ONLINE && LOSCFG_TRACE_OBJ_MAX_NUM > 0
UINT16 g_tidMask[LOSCFG_BASE_CORE_TSK_LIMIT];

/* A task is new when it is created; only in the originals also when its priority changes. */
static VOID generation_begin(UINT32 eventType, UINT32 taskId)
{
#ifndef RASTRUM_LITEOS_KEEP_GENERATIONS
	if (eventType != TASK_CREATE)
		return;
#endif
	(void)eventType;
	if (taskId < LOSCFG_BASE_CORE_TSK_LIMIT)
		g_tidMask[taskId]++;
}
#endif

VOID OsTraceSetObj(ObjData *obj, const LosTaskCB *tcb)
{
	const CHAR *name = tcb->taskName;

	rastrum_memset(obj, 0, sizeof(*obj));
	obj->id = OsTraceGetMaskTid((UINT32)tcb->taskId);
	obj->prio = (UINT32)tcb->priority;
	for (unsigned i = 0; name != NULL && i < LOSCFG_TRACE_OBJ_MAX_NAME_SIZE - 1 && name[i]; i++)
		obj->name[i] = name[i];
}

#if RASTRUM_LITEOS_IS_ONLINE
VOID OsTraceObjAdd(UINT32 eventType, UINT32 taskId)
{
	const LosTaskCB *tcb = RASTRUM_LITEOS_TASK_CB(taskId);
	RASTRUM_LOCK_STATE state;
	ObjData obj;

	(void)eventType;
	if (tcb == NULL)
		return;
	RASTRUM_LOCK(state);
	if (OsTraceIsEnable()) {
		OsTraceSetObj(&obj, tcb);
		OsTraceDataSend(OBJ, sizeof(obj), (UINT8 *)&obj);
	}
	RASTRUM_UNLOCK(state);
}
#elif LOSCFG_TRACE_OBJ_MAX_NUM > 0
VOID OsTraceObjAdd(UINT32 eventType, UINT32 taskId)
{
	const LosTaskCB *tcb = RASTRUM_LITEOS_TASK_CB(taskId);
	struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;
	RASTRUM_LOCK_STATE state;

	if (tcb == NULL)
		return;
	RASTRUM_LOCK(state);
	if (g_traceRecoder.head) {
		generation_begin(eventType, taskId);
		OsTraceSetObj(&ctrl->objBuf[ctrl->curObjIndex], tcb);
		if (++ctrl->curObjIndex == ctrl->maxObjCount)
			ctrl->curObjIndex = 0;
	}
	RASTRUM_UNLOCK(state);
}
#else
VOID OsTraceObjAdd(UINT32 eventType, UINT32 taskId)
{
	(void)eventType, (void)taskId;
}
#endif
