/* SPDX-License-Identifier: MIT */
/*
 * Inside ThreadX: what was created before tracing began. The kernel knows less of it than at creation, so
 * some parameters are 0 that would not be otherwise.
 */
#include "embed/threadx/tx_trace.h"

#if defined(TX_TRACE_KERNEL) && defined(TX_ENABLE_EVENT_TRACE)

#include "tx_block_pool.h"
#include "tx_byte_pool.h"
#include "tx_event_flags.h"
#include "tx_mutex.h"
#include "tx_queue.h"
#include "tx_semaphore.h"
#ifndef TX_NO_TIMER
#include "tx_timer.h"
#endif

static VOID created_register(UCHAR type, VOID *object, CHAR *name, ULONG parameter_1, ULONG parameter_2)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_object_register(type, object, name, parameter_1, parameter_2);
	TX_RESTORE
}

static VOID threads_register(VOID)
{
	TX_THREAD *at = _tx_thread_created_ptr;

	for (ULONG i = 0; i < _tx_thread_created_count; i++, at = at->tx_thread_created_next)
		created_register(TX_TRACE_OBJECT_TYPE_THREAD, at, at->tx_thread_name,
			TX_TRACE_WORD_(at->tx_thread_stack_start), at->tx_thread_stack_size);
}

static VOID timers_register(VOID)
{
#ifndef TX_NO_TIMER
	TX_TIMER *at = _tx_timer_created_ptr;

	for (ULONG i = 0; i < _tx_timer_created_count; i++, at = at->tx_timer_created_next)
		created_register(TX_TRACE_OBJECT_TYPE_TIMER, at, at->tx_timer_name, 0,
			at->tx_timer_internal.tx_timer_internal_re_initialize_ticks);
#endif
}

static VOID event_flags_register(VOID)
{
	TX_EVENT_FLAGS_GROUP *at = _tx_event_flags_created_ptr;

	for (ULONG i = 0; i < _tx_event_flags_created_count; i++, at = at->tx_event_flags_group_created_next)
		created_register(TX_TRACE_OBJECT_TYPE_EVENT_FLAGS, at, at->tx_event_flags_group_name, 0, 0);
}

static VOID queues_register(VOID)
{
	TX_QUEUE *at = _tx_queue_created_ptr;

	for (ULONG i = 0; i < _tx_queue_created_count; i++, at = at->tx_queue_created_next)
		created_register(TX_TRACE_OBJECT_TYPE_QUEUE, at, at->tx_queue_name,
			(ULONG)(at->tx_queue_capacity * sizeof(ULONG)), 0);
}

static VOID semaphores_register(VOID)
{
	TX_SEMAPHORE *at = _tx_semaphore_created_ptr;

	for (ULONG i = 0; i < _tx_semaphore_created_count; i++, at = at->tx_semaphore_created_next)
		created_register(TX_TRACE_OBJECT_TYPE_SEMAPHORE, at, at->tx_semaphore_name, 0, 0);
}

static VOID mutexes_register(VOID)
{
	TX_MUTEX *at = _tx_mutex_created_ptr;

	for (ULONG i = 0; i < _tx_mutex_created_count; i++, at = at->tx_mutex_created_next)
		created_register(TX_TRACE_OBJECT_TYPE_MUTEX, at, at->tx_mutex_name, at->tx_mutex_inherit, 0);
}

static VOID block_pools_register(VOID)
{
	TX_BLOCK_POOL *at = _tx_block_pool_created_ptr;

	for (ULONG i = 0; i < _tx_block_pool_created_count; i++, at = at->tx_block_pool_created_next)
		created_register(TX_TRACE_OBJECT_TYPE_BLOCK_POOL, at, at->tx_block_pool_name,
			at->tx_block_pool_size, 0);
}

static VOID byte_pools_register(VOID)
{
	TX_BYTE_POOL *at = _tx_byte_pool_created_ptr;

	for (ULONG i = 0; i < _tx_byte_pool_created_count; i++, at = at->tx_byte_pool_created_next)
		created_register(
			TX_TRACE_OBJECT_TYPE_BYTE_POOL, at, at->tx_byte_pool_name, at->tx_byte_pool_size, 0);
}

static VOID preemption_disable(VOID)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_thread_preempt_disable++;
	TX_RESTORE
}

static VOID preemption_enable(VOID)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_thread_preempt_disable--;
	TX_RESTORE
	_tx_thread_system_preempt_check();
}

/* No list changes meanwhile: only threads create and delete. */
VOID _tx_trace_created_objects_register(VOID)
{
	preemption_disable();
	threads_register();
	timers_register();
	event_flags_register();
	queues_register();
	semaphores_register();
	mutexes_register();
	block_pools_register();
	byte_pools_register();
	preemption_enable();
}

#endif
