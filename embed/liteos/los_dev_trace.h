/* SPDX-License-Identifier: MIT */
/*
 * liteos_a's /dev/trace: a program reads the ring, controls the recorder and writes its own events. The
 * device's operations are here; the kernel registers them by RASTRUM_LITEOS_DEVICE_REGISTER().
 */
#ifndef EMBED_LITEOS_LOS_DEV_TRACE_H
#define EMBED_LITEOS_LOS_DEV_TRACE_H

#include "embed/liteos/los_trace.h"

#define TRACE_DRIVER	  "/dev/trace"
#define TRACE_DRIVER_MODE 0666

/* As _IO('T', n). */
#define TRACE_IOC_MAGIC 'T'
#define TRACE_START	((UINT32)TRACE_IOC_MAGIC << 8 | 1)
#define TRACE_STOP	((UINT32)TRACE_IOC_MAGIC << 8 | 2)
#define TRACE_RESET	((UINT32)TRACE_IOC_MAGIC << 8 | 3)
#define TRACE_DUMP	((UINT32)TRACE_IOC_MAGIC << 8 | 4)
#define TRACE_SET_MASK	((UINT32)TRACE_IOC_MAGIC << 8 | 5)

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the result of RASTRUM_LITEOS_DEVICE_REGISTER(), or -1 if that is not defined. */
int DevTraceRegister(void);

/*
 * The operations (ours). A count of bytes, 0, or -22 (EINVAL): a read of a size that is no multiple of 4, or
 * online; a write that is not one UsrEventInfo; an unknown command. Each read begins at the ring's beginning.
 * The memory of the user is the caller's to check.
 */
int rastrum_liteos_device_read(VOID *bytes, UINT32 size);
int rastrum_liteos_device_write(const VOID *bytes, UINT32 size);
int rastrum_liteos_device_control(UINT32 command, UINTPTR argument);

#ifdef __cplusplus
}
#endif

#endif
