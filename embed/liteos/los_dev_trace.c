/* SPDX-License-Identifier: MIT */
#include "embed/liteos/los_dev_trace.h"

#include "embed/core/memory.h"
#include "embed/liteos/los_trace_pri.h"

enum { INVALID = -22, USER_TYPE_BITS = 15 };

int DevTraceRegister(void)
{
#ifdef RASTRUM_LITEOS_DEVICE_REGISTER
	return RASTRUM_LITEOS_DEVICE_REGISTER();
#else
	return -1;
#endif
}

int rastrum_liteos_device_read(VOID *bytes, UINT32 size)
{
	const OfflineHead *head = LOS_TraceRecordGet();
	const UINT32 n_bytes = size < g_traceRecoder.ctrl.n_bytes ? size : g_traceRecoder.ctrl.n_bytes;

	if (head == NULL || size % sizeof(UINT32) != 0)
		return INVALID;
	rastrum_memcpy(bytes, head, n_bytes);
	return (int)n_bytes;
}

int rastrum_liteos_device_write(const VOID *bytes, UINT32 size)
{
	UsrEventInfo info;

	if (size != sizeof(info))
		return INVALID;
	rastrum_memcpy(&info, bytes, sizeof(info));
	LOS_TRACE_EASY(info.eventType & USER_TYPE_BITS, info.identity, info.params[0], info.params[1],
		info.params[2]);
	return (int)size;
}

int rastrum_liteos_device_control(UINT32 command, UINTPTR argument)
{
	switch (command) {
	case TRACE_START:
		return LOS_TraceStart() == LOS_OK ? 0 : INVALID;
	case TRACE_STOP:
		LOS_TraceStop();
		return 0;
	case TRACE_RESET:
		LOS_TraceReset();
		return 0;
	case TRACE_DUMP:
		LOS_TraceRecordDump(argument != 0);
		return 0;
	case TRACE_SET_MASK:
		LOS_TraceEventMaskSet((UINT32)argument);
		return 0;
	default:
		return INVALID;
	}
}
