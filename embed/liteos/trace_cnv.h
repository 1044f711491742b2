/* SPDX-License-Identifier: MIT */
/*
 * A kernel's hooks. The function that registers them, and what each hook records with LOS_TRACE(), stay the
 * kernel's own file; with RASTRUM_LITEOS_HAS_KERNEL_HOOKS LOS_TraceInit() calls it at the place where the
 * kernel's recorder does.
 */
#ifndef EMBED_LITEOS_TRACE_CNV_H
#define EMBED_LITEOS_TRACE_CNV_H

#include "embed/liteos/los_trace_types.h"

#ifdef __cplusplus
extern "C" {
#endif

VOID OsTraceCnvInit(VOID);

#ifdef __cplusplus
}
#endif

#endif
