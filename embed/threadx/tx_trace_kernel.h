/* SPDX-License-Identifier: MIT */
/*
 * The recorder inside ThreadX, in place of the kernel's own: types, lock, states and threads are the
 * kernel's. Where the program is compiled, -DTX_TRACE_KERNEL says so; the kernel's sources include tx_api.h
 * first, which says it, too.
 */
#if (defined(TX_TRACE_KERNEL) || defined(TX_API_H)) && !defined(EMBED_THREADX_TX_TRACE_KERNEL_H)
#define EMBED_THREADX_TX_TRACE_KERNEL_H

#ifndef TX_TRACE_KERNEL
#define TX_TRACE_KERNEL
#endif

#include <stddef.h>
#include <stdint.h>

#include "tx_api.h"
#include "tx_initialize.h"
#include "tx_thread.h"

#define TX_TRACE_NO_PRIORITY 0xffffu

typedef struct TX_TRACE_CONTEXT_STRUCT {
	ULONG system_state;
	VOID *thread;
	UINT priority, preempt_threshold, preempt_disable;
} TX_TRACE_CONTEXT;

/* An interrupt may come upon a system without a thread; a thread's context never does. */
static inline const TX_TRACE_CONTEXT *tx_trace_context_get(TX_TRACE_CONTEXT *context)
{
	TX_THREAD *thread;

	TX_THREAD_GET_CURRENT(thread);
	context->system_state = (ULONG)TX_THREAD_GET_SYSTEM_STATE();
	context->thread = thread;
	context->priority = 0;
	context->preempt_threshold = 0;
	context->preempt_disable = (UINT)_tx_thread_preempt_disable;
	if (context->system_state == 0 && thread != NULL) {
		context->priority = thread->tx_thread_priority;
		context->preempt_threshold = thread->tx_thread_preempt_threshold;
	}
	return context;
}

#ifdef __cplusplus
extern "C" {
#endif
VOID _tx_trace_created_objects_register(VOID);
#ifdef __cplusplus
}
#endif

#define TX_TRACE_THREAD_PRIORITY_GET(thread) (((TX_THREAD *)(thread))->tx_thread_priority)
#define TX_TRACE_OBJECTS_REGISTER()	     _tx_trace_created_objects_register()
#ifndef TX_TRACE_TIME_SOURCE
#define TX_TRACE_TIME_SOURCE ++_tx_trace_simulated_time
#endif
#ifdef TX_THREAD_SMP_MAX_CORES
#define TX_TRACE_CORE() _tx_thread_smp_core_get()
#endif

#endif
