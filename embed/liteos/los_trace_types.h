/* SPDX-License-Identifier: MIT */
/*
 * LiteOS's base types. In a kernel that has them, RASTRUM_LITEOS_TYPES_H names its header (los_typedef.h)
 * instead.
 */
#ifndef EMBED_LITEOS_LOS_TRACE_TYPES_H
#define EMBED_LITEOS_LOS_TRACE_TYPES_H

#include "embed/liteos/los_trace_config.h"

#ifdef RASTRUM_LITEOS_TYPES_H
#include RASTRUM_LITEOS_TYPES_H
#else

#ifndef VOID
#define VOID	      void
#define STATIC	      static
#define STATIC_INLINE static inline
#endif

typedef char CHAR;
typedef int INT32;
typedef unsigned char UINT8;
typedef unsigned short UINT16;
typedef unsigned int UINT32;
typedef unsigned long long UINT64;
typedef unsigned int BOOL;

#if RASTRUM_LITEOS_POINTER_BYTES == 4
typedef UINT32 UINTPTR;
#else
typedef UINT64 UINTPTR;
#endif

#ifndef TRUE
#define TRUE  1
#define FALSE 0
#endif
#ifndef LOS_OK
#define LOS_OK 0
#endif

/* The recorded members of a task. A kernel's own structure has more; then RASTRUM_LITEOS_TYPES_H has it, or a
 * substitute. */
typedef struct rastrum_liteos_task {
	UINT32 taskId;
	UINT32 priority;
	const CHAR *taskName;
} LosTaskCB;

#endif

/* Frames are laid out as on ARM also where 64 bits are aligned to 4 (i386). */
#if defined(__GNUC__)
#define RASTRUM_LITEOS_ALIGNED_8 __attribute__((aligned(8)))
#else
#define RASTRUM_LITEOS_ALIGNED_8
#endif

#endif
