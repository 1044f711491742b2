/* SPDX-License-Identifier: MIT */
/* Messages that are no events: what a stream begins and ends with. The caller has the lock. */
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"

VOID OsTraceSendNotify(UINT32 type, UINT32 value)
{
	TraceNotifyFrame frame;

	frame.cmd = type;
	frame.param = value;
	OsTraceDataSend(NOTIFY, sizeof(frame), (UINT8 *)&frame);
}

VOID OsTraceSendHead(VOID)
{
	TraceBaseHeaderInfo head;

	head.bigLittleEndian = TRACE_BIGLITTLE_WORD;
	head.version = TRACE_VERSION(RASTRUM_LITEOS_IS_ONLINE ? TRACE_MODE_ONLINE : TRACE_MODE_OFFLINE);
	head.clockFreq = (UINT32)RASTRUM_LITEOS_CLOCK_HZ();
	OsTraceDataSend(HEAD, sizeof(head), (UINT8 *)&head);
}

VOID OsTraceSendObjTable(VOID)
{
	const UINT32 n_tasks = (UINT32)RASTRUM_LITEOS_N_TASKS();
	ObjData obj;

	for (UINT32 i = 0; i < n_tasks; i++) {
		const LosTaskCB *tcb = RASTRUM_LITEOS_TASK_CB(i);

		if (tcb == NULL)
			continue;
		OsTraceSetObj(&obj, tcb);
		OsTraceDataSend(OBJ, sizeof(obj), (UINT8 *)&obj);
	}
}
