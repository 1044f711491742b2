/* SPDX-License-Identifier: MIT */
/*
 * Events. Each is written under the lock, and in an order that keeps the image valid at any instruction for a
 * debugger that stops the target there, or looks at the memory of one that crashed:
 *
 *	the oldest entry becomes one that was never written; the current pointer moves on; fields; at last the thread, which
 *	makes an event of it
 *
 * ThreadX writes the thread first and moves on last: such a dump then begins with half an event.
 */
#include "embed/threadx/tx_trace.h"

#ifdef TX_ENABLE_EVENT_TRACE

/* These variables, which every record needs, lie side by side. */
TX_TRACE_BUFFER_ENTRY *_tx_trace_buffer_current_ptr;
ULONG _tx_trace_event_enable_bits;
TX_TRACE_BUFFER_ENTRY *_tx_trace_buffer_end_ptr;
TX_TRACE_BUFFER_ENTRY *_tx_trace_buffer_start_ptr;
TX_TRACE_HEADER *_tx_trace_header_ptr;
ULONG _tx_trace_simulated_time;
ULONG _tx_trace_wrap_count;
VOID (*_tx_trace_full_notify_function)(VOID *buffer);
#ifndef TX_TRACE_KERNEL
const TX_TRACE_PROGRAM *_tx_trace_program_ptr;
TX_TRACE_CONTEXT _tx_trace_context;
#endif

/* The early exit, where nothing is wanted, must not have saved registers for the rest. */
#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif

#define THREAD_INTERRUPT 0xffffffffu
#define THREAD_INIT	 TX_INITIALIZE_IN_PROGRESS
#define HAS_THRESHOLD	 0x80000000u

/* Above them is the core. */
#ifdef TX_TRACE_CORE
#define CORE_WORD ((ULONG)TX_TRACE_CORE() << 24)
#define ID_BITS	  0xffffffu
#else
#define CORE_WORD 0
#define ID_BITS	  0xffffffffu
#endif

#ifdef TX_MISRA_ENABLE
#define INFO(n) tx_trace_buffer_entry_info_##n
#else
#define INFO(n) tx_trace_buffer_entry_information_field_##n
#endif

static inline UINT is_wanted(ULONG filter)
{
	return _tx_trace_buffer_current_ptr != NULL && (_tx_trace_event_enable_bits & filter) != 0;
}

/* An entry with thread 0 counts as unwritten, so before there are threads, the word is that of
 * initialization. */
static inline ULONG thread_word(const TX_TRACE_CONTEXT *context, ULONG *ret_priority)
{
	ULONG thread = TX_TRACE_WORD_(context->thread);

	if (context->system_state == 0 && thread != 0) {
		*ret_priority = HAS_THRESHOLD | (ULONG)context->preempt_threshold << 16 | context->priority;
		return thread;
	}
	if (context->system_state - 1 < TX_INITIALIZE_IN_PROGRESS - 1) {
		*ret_priority = thread;
		return THREAD_INTERRUPT;
	}
	*ret_priority = 0;
	return THREAD_INIT;
}

/* The last thing that is done to a ring: afterwards it may be another. */
static APART TX_TRACE_BUFFER_ENTRY *ring_full(TX_TRACE_BUFFER_ENTRY *entry)
{
	VOID (*notify)(VOID * buffer) = _tx_trace_full_notify_function;

	_tx_trace_wrap_count++;
	if (notify)
		notify(_tx_trace_header_ptr);
	return entry;
}

/* Volatile, so that no store passes another. */
static APART TX_TRACE_BUFFER_ENTRY *entry_store(
	ULONG event_id, ULONG info_1, ULONG info_2, ULONG info_3, ULONG info_4, ULONG stamp)
{
	TX_TRACE_BUFFER_ENTRY *entry = _tx_trace_buffer_current_ptr, *next = entry + 1;
	volatile TX_TRACE_BUFFER_ENTRY *at = entry;
	volatile TX_TRACE_HEADER *header = _tx_trace_header_ptr;
	TX_TRACE_CONTEXT room;
	ULONG thread, priority;

	if (next == _tx_trace_buffer_end_ptr)
		next = _tx_trace_buffer_start_ptr;
	at->tx_trace_buffer_entry_thread_pointer = 0;
	header->tx_trace_header_buffer_current_pointer = TX_TRACE_WORD_(next);
	_tx_trace_buffer_current_ptr = next;
	at->tx_trace_buffer_entry_event_id = CORE_WORD | event_id;
	at->tx_trace_buffer_entry_time_stamp = stamp;
	at->INFO(1) = info_1;
	at->INFO(2) = info_2;
	at->INFO(3) = info_3;
	at->INFO(4) = info_4;
	thread = thread_word(tx_trace_context_get(&room), &priority);
	at->tx_trace_buffer_entry_thread_priority = priority;
	at->tx_trace_buffer_entry_thread_pointer = thread;
	return next == _tx_trace_buffer_start_ptr ? ring_full(entry) : entry;
}

#if defined(TX_TRACE_KERNEL) || defined(TX_TRACE_CONTEXT_GET)
#define entry_put entry_store
static inline VOID context_ask(VOID)
{
}
#else
static VOID context_ask(VOID)
{
	VOID (*context_get)(TX_TRACE_CONTEXT * context) = tx_trace_context_callback();

	if (context_get)
		context_get(&_tx_trace_context);
}

static APART TX_TRACE_BUFFER_ENTRY *entry_ask_store(
	ULONG event_id, ULONG info_1, ULONG info_2, ULONG info_3, ULONG info_4, ULONG stamp)
{
	context_ask();
	return entry_store(event_id, info_1, info_2, info_3, info_4, stamp);
}

static inline TX_TRACE_BUFFER_ENTRY *entry_put(
	ULONG event_id, ULONG info_1, ULONG info_2, ULONG info_3, ULONG info_4, ULONG stamp)
{
	return tx_trace_context_callback() ? entry_ask_store(event_id, info_1, info_2, info_3, info_4, stamp)
					   : entry_store(event_id, info_1, info_2, info_3, info_4, stamp);
}
#endif

TX_TRACE_BUFFER_ENTRY *_tx_trace_in_line_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2,
	ULONG info_field_3, ULONG info_field_4, ULONG filter)
{
	if (!is_wanted(filter))
		return NULL;
	TX_TRACE_PORT_EXTENSION
	return entry_put(event_id, info_field_1, info_field_2, info_field_3, info_field_4, tx_trace_stamp_());
}

UINT _tx_trace_user_event_insert(
	ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3, ULONG info_field_4)
{
	UINT status = TX_SUCCESS;
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	if (_tx_trace_buffer_current_ptr == NULL) {
		status = TX_NOT_DONE;
	} else if (is_wanted(TX_TRACE_USER_EVENTS)) {
		TX_TRACE_PORT_EXTENSION(VOID)
		entry_put(
			event_id, info_field_1, info_field_2, info_field_3, info_field_4, tx_trace_stamp_());
	}
	TX_RESTORE
	return status;
}

/* The address of a local variable shows where the stack is. */
static VOID isr_insert(ULONG event_id, ULONG isr_id)
{
	TX_TRACE_CONTEXT room;
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	if (is_wanted(TX_TRACE_INTERNAL_EVENTS)) {
		const TX_TRACE_CONTEXT *context = tx_trace_context_get(&room);

		context_ask();
		(VOID) _tx_trace_in_line_insert(event_id, TX_TRACE_WORD_(&room), isr_id,
			context->system_state, context->preempt_disable, TX_TRACE_INTERNAL_EVENTS);
	}
	TX_RESTORE
}

VOID _tx_trace_isr_enter_insert(ULONG isr_id)
{
	isr_insert(TX_TRACE_ISR_ENTER, isr_id);
}

VOID _tx_trace_isr_exit_insert(ULONG isr_id)
{
	isr_insert(TX_TRACE_ISR_EXIT, isr_id);
}

VOID _tx_trace_event_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, TX_TRACE_BUFFER_ENTRY **current_event, ULONG *current_timestamp)
{
	TX_TRACE_BUFFER_ENTRY *entry = NULL;
	ULONG stamp = 0;
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	if (is_wanted(filter)) {
		TX_TRACE_PORT_EXTENSION
		stamp = tx_trace_stamp_();
		entry = entry_put(event_id, info_field_1, info_field_2, info_field_3, info_field_4, stamp);
	}
	TX_RESTORE
	if (current_event)
		*current_event = entry;
	if (current_timestamp)
		*current_timestamp = stamp;
}

/*
 * An entry of the ring as it is now. ThreadX compares the stamp alone and writes to whatever is there: to
 * another event if the clock stood still, and to memory that is the program's again once tracing was
 * disabled.
 */
static UINT is_event(const TX_TRACE_BUFFER_ENTRY *event, ULONG timestamp, ULONG event_id)
{
	uintptr_t start = (uintptr_t)_tx_trace_buffer_start_ptr, offset = (uintptr_t)event - start;

	return _tx_trace_buffer_current_ptr != NULL && event != NULL &&
	       offset < (uintptr_t)_tx_trace_buffer_end_ptr - start && offset % sizeof(*event) == 0 &&
	       ((event->tx_trace_buffer_entry_event_id ^ event_id) & ID_BITS) == 0 &&
	       event->tx_trace_buffer_entry_time_stamp == timestamp;
}

VOID _tx_trace_event_update(TX_TRACE_BUFFER_ENTRY *event, ULONG timestamp, ULONG event_id, ULONG info_field_1,
	ULONG info_field_2, ULONG info_field_3, ULONG info_field_4)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	if (is_event(event, timestamp, event_id)) {
		if (info_field_1)
			event->INFO(1) = info_field_1;
		if (info_field_2)
			event->INFO(2) = info_field_2;
		if (info_field_3)
			event->INFO(3) = info_field_3;
		if (info_field_4)
			event->INFO(4) = info_field_4;
	}
	TX_RESTORE
}

/* In ThreadX, tx_misra.c has it. */
#if defined(TX_MISRA_ENABLE) && !defined(TX_TRACE_KERNEL)
VOID _tx_misra_trace_event_insert(ULONG event_id, VOID *info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, ULONG time_stamp)
{
	if (!is_wanted(filter))
		return;
	TX_TRACE_PORT_EXTENSION(VOID)
	entry_put(
		event_id, TX_TRACE_WORD_(info_field_1), info_field_2, info_field_3, info_field_4, time_stamp);
}
#endif

#endif
