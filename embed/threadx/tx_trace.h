/* SPDX-License-Identifier: MIT */
/*
 * The event trace of ThreadX under its names: into memory that the program gives, an image that TraceX opens
 * (TXTB).
 *
 *	ULONG memory[2048];
 *
 *	tx_trace_enable(memory, sizeof(memory), 20);                    20 objects can have names
 *	tx_trace_user_event_insert(4096, 1, 2, 3, 4);
 *	tx_trace_disable();                                             the memory, as it is, is the file
 *
 * Events are recorded only if all files are compiled with TX_ENABLE_EVENT_TRACE. tx_trace_alone.h is for a
 * program without ThreadX; tx_trace_kernel.h is the recorder inside ThreadX. Names that end in an underscore
 * are not for programs.
 */
#ifndef TX_TRACE_H
#define TX_TRACE_H

#if defined(TX_TRACE_KERNEL) || defined(TX_API_H)
#include "embed/threadx/tx_trace_kernel.h"
#else
#include "embed/threadx/tx_trace_alone.h"
#endif

#ifndef TX_TRACE_OBJECT_REGISTRY_NAME
#define TX_TRACE_OBJECT_REGISTRY_NAME 32
#endif
#ifndef TX_TRACE_TIME_MASK
#define TX_TRACE_TIME_MASK 0xFFFFFFFFUL
#endif
#ifndef TX_TRACE_PORT_EXTENSION
#define TX_TRACE_PORT_EXTENSION
#endif

/*
 * Ours. If it is 1, slots of the registry leak as they do in ThreadX. An object that is registered again
 * while it lives takes another slot. An object that is unregistered again counts as free twice. If an address
 * has two slots, the first one is unregistered, though the object in the second one may be the living one.
 */
#ifndef TX_TRACE_ORIGINAL_COUNTS
#define TX_TRACE_ORIGINAL_COUNTS 0
#endif

#include "embed/threadx/tx_trace_events.h"

#define TX_TRACE_VALID	       0x54585442UL
#define TX_TRACE_INVALID_EVENT 0xFFFFFFFFUL

typedef struct TX_TRACE_HEADER_STRUCT {
	ULONG tx_trace_header_id;
	ULONG tx_trace_header_timer_valid_mask;
	ULONG tx_trace_header_trace_base_address;
	ULONG tx_trace_header_registry_start_pointer;
	USHORT tx_trace_header_reserved1;
	USHORT tx_trace_header_object_name_size;
	ULONG tx_trace_header_registry_end_pointer;
	ULONG tx_trace_header_buffer_start_pointer;
	ULONG tx_trace_header_buffer_end_pointer;
	ULONG tx_trace_header_buffer_current_pointer;
	ULONG tx_trace_header_reserved2;
	ULONG tx_trace_header_reserved3;
	ULONG tx_trace_header_reserved4;
} TX_TRACE_HEADER;

/*
 * thread_pointer is the address of any object. Bit 7 of reserved1 is set where a thread's priority follows.
 */
typedef struct TX_TRACE_OBJECT_ENTRY_STRUCT {
	UCHAR tx_trace_object_entry_available;
	UCHAR tx_trace_object_entry_type;
	UCHAR tx_trace_object_entry_reserved1;
	UCHAR tx_trace_object_entry_reserved2;
	ULONG tx_trace_object_entry_thread_pointer;
	ULONG tx_trace_object_entry_param_1;
	ULONG tx_trace_object_entry_param_2;
	UCHAR tx_trace_object_entry_name[TX_TRACE_OBJECT_REGISTRY_NAME];
} TX_TRACE_OBJECT_ENTRY;

/* Never written where thread_pointer is 0. */
typedef struct TX_TRACE_BUFFER_ENTRY_STRUCT {
	ULONG tx_trace_buffer_entry_thread_pointer;
	ULONG tx_trace_buffer_entry_thread_priority;
	ULONG tx_trace_buffer_entry_event_id;
	ULONG tx_trace_buffer_entry_time_stamp;
#ifdef TX_MISRA_ENABLE
	ULONG tx_trace_buffer_entry_info_1;
	ULONG tx_trace_buffer_entry_info_2;
	ULONG tx_trace_buffer_entry_info_3;
	ULONG tx_trace_buffer_entry_info_4;
#else
	ULONG tx_trace_buffer_entry_information_field_1;
	ULONG tx_trace_buffer_entry_information_field_2;
	ULONG tx_trace_buffer_entry_information_field_3;
	ULONG tx_trace_buffer_entry_information_field_4;
#endif
} TX_TRACE_BUFFER_ENTRY;

#include "embed/threadx/tx_trace_guide.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Under their own names, for debuggers and for the kernel. */
extern TX_TRACE_HEADER *_tx_trace_header_ptr;
extern TX_TRACE_OBJECT_ENTRY *_tx_trace_registry_start_ptr; /* NULL if no object is registered */
extern TX_TRACE_OBJECT_ENTRY *_tx_trace_registry_end_ptr;
extern TX_TRACE_BUFFER_ENTRY *_tx_trace_buffer_start_ptr;
extern TX_TRACE_BUFFER_ENTRY *_tx_trace_buffer_end_ptr;
extern TX_TRACE_BUFFER_ENTRY *_tx_trace_buffer_current_ptr; /* NULL if tracing is off */
extern ULONG _tx_trace_event_enable_bits;
extern ULONG _tx_trace_simulated_time;
extern VOID (*_tx_trace_full_notify_function)(VOID *buffer);
extern ULONG _tx_trace_total_registry_entries;
extern ULONG _tx_trace_available_registry_entries;
extern ULONG _tx_trace_registry_search_start;

/* Ours: since it was enabled, how often the ring was full, and objects that found no slot. */
extern ULONG _tx_trace_wrap_count;
extern ULONG _tx_trace_objects_refused;

/*
 * TX_SIZE_ERROR: the memory does not hold the header, the registry and an event, or does not begin at a word.
 * TX_NOT_DONE: tracing is on. The event filter is opened; the first two events are TX_TRACE_RUNNING.
 */
UINT _tx_trace_enable(VOID *trace_buffer_start, ULONG trace_buffer_size, ULONG registry_entries);
/* TX_NOT_DONE: tracing is off. The memory is the program's again, and an image. */
UINT _tx_trace_disable(VOID);
/* Events of these groups are no longer recorded, or are again. */
UINT _tx_trace_event_filter(ULONG event_filter_bits);
UINT _tx_trace_event_unfilter(ULONG event_unfilter_bits);
/*
 * Sets a function that is called each time the ring is full, under the lock and with the image's address; the
 * ring is in order then. The function may record, disable tracing, and enable it with other memory. NULL
 * removes it.
 */
UINT _tx_trace_buffer_full_notify(VOID (*full_buffer_callback)(VOID *buffer));
VOID _tx_trace_isr_enter_insert(ULONG isr_id);
VOID _tx_trace_isr_exit_insert(ULONG isr_id);
/* TX_NOT_DONE: tracing is off. Success also where the filter holds it back. */
UINT _tx_trace_user_event_insert(
	ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3, ULONG info_field_4);
/* Recorded, then done by _tx_thread_interrupt_control(), which the program gives. */
UINT _tx_trace_interrupt_control(UINT new_posture);

/* Ours: how many events were overwritten by later ones since tracing was enabled. */
ULONG tx_trace_overwritten_get(VOID);

/* The functions that the macros below call. The caller of the first four has the lock. */
VOID _tx_trace_initialize(VOID);
VOID _tx_trace_object_register(
	UCHAR object_type, VOID *object_ptr, CHAR *object_name, ULONG parameter_1, ULONG parameter_2);
VOID _tx_trace_object_unregister(VOID *object_ptr);
/* The entry, or NULL where nothing was recorded. */
TX_TRACE_BUFFER_ENTRY *_tx_trace_in_line_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2,
	ULONG info_field_3, ULONG info_field_4, ULONG filter);
/* These take the lock. */
VOID _tx_trace_event_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, TX_TRACE_BUFFER_ENTRY **current_event, ULONG *current_timestamp);
VOID _tx_trace_event_update(TX_TRACE_BUFFER_ENTRY *event, ULONG timestamp, ULONG event_id, ULONG info_field_1,
	ULONG info_field_2, ULONG info_field_3, ULONG info_field_4);
VOID _tx_misra_trace_event_insert(ULONG event_id, VOID *info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, ULONG time_stamp);

#ifdef __cplusplus
}
#endif

#ifndef tx_trace_enable
#define tx_trace_enable		    _tx_trace_enable
#define tx_trace_disable	    _tx_trace_disable
#define tx_trace_event_filter	    _tx_trace_event_filter
#define tx_trace_event_unfilter	    _tx_trace_event_unfilter
#define tx_trace_buffer_full_notify _tx_trace_buffer_full_notify
#define tx_trace_isr_enter_insert   _tx_trace_isr_enter_insert
#define tx_trace_isr_exit_insert    _tx_trace_isr_exit_insert
#define tx_trace_user_event_insert  _tx_trace_user_event_insert
#endif
#ifndef tx_interrupt_control
#ifdef TX_ENABLE_EVENT_TRACE
#define tx_interrupt_control _tx_trace_interrupt_control
#else
#define tx_interrupt_control _tx_thread_interrupt_control
#endif
#endif

#ifndef TX_POINTER_TO_ULONG_CONVERT
#define TX_POINTER_TO_ULONG_CONVERT(a) ((ULONG)(uintptr_t)(a))
#define TX_ULONG_TO_POINTER_CONVERT(a) ((VOID *)(uintptr_t)(a))
#endif

/*
 * A number or an address, as a word: cut to it, and on a target of 32 bits with words of 64 a number is not.
 */
#if !defined(TX_TRACE_WORD_BITS) || TX_TRACE_WORD_BITS <= 32 || UINTPTR_MAX > 0xffffffffu
#define TX_TRACE_WORD_(a) ((ULONG)(uintptr_t)(a))
#elif defined(__GNUC__) && !defined(__cplusplus)
#define TX_TRACE_IS_POINTER_(a) (__builtin_classify_type(a) == 5)
#define TX_TRACE_WORD_(a)	((ULONG) __builtin_choose_expr(TX_TRACE_IS_POINTER_(a), (uintptr_t)(a), (a)))
#else
#define TX_TRACE_WORD_(a) ((ULONG)(a))
#endif
/* An object that is only read may be constant. */
#define TX_TRACE_OBJECT_(a) ((VOID *)(uintptr_t)(a))

/* In the middle of the program's functions, with a semicolon or without, as ThreadX has them. */
#ifdef TX_ENABLE_EVENT_TRACE
/*
 * A statement, as some ports of ThreadX end their time source in a semicolon; wide, as it may be cut only at
 * the end.
 */
static inline ULONG tx_trace_stamp_(VOID)
{
	uint64_t stamp;

	stamp = TX_TRACE_TIME_SOURCE;
	return (ULONG)stamp;
}

#define TX_TRACE_INITIALIZE _tx_trace_initialize();
#define TX_TRACE_OBJECT_REGISTER(t, p, n, a, b)                                                 \
	_tx_trace_object_register((UCHAR)(t), TX_TRACE_OBJECT_(p), (CHAR *)TX_TRACE_OBJECT_(n), \
		TX_TRACE_WORD_(a), TX_TRACE_WORD_(b));
#define TX_TRACE_OBJECT_UNREGISTER(o) _tx_trace_object_unregister(TX_TRACE_OBJECT_(o));
#ifndef TX_TRACE_IN_LINE_INSERT
#ifdef TX_MISRA_ENABLE
#define TX_TRACE_IN_LINE_INSERT(i, a, b, c, d, e)                                           \
	_tx_misra_trace_event_insert((ULONG)(i), (VOID *)(uintptr_t)(a), TX_TRACE_WORD_(b), \
		TX_TRACE_WORD_(c), TX_TRACE_WORD_(d), (ULONG)(e), tx_trace_stamp_());
#else
#define TX_TRACE_IN_LINE_INSERT(i, a, b, c, d, e)                                                            \
	(VOID) _tx_trace_in_line_insert((ULONG)(i), TX_TRACE_WORD_(a), TX_TRACE_WORD_(b), TX_TRACE_WORD_(c), \
		TX_TRACE_WORD_(d), (ULONG)(e));
#endif
#endif
/* Ours, after those of FileX: an event whose fields become known later. */
#define TX_TRACE_EVENT_INSERT(i, a, b, c, d, f, g, h)                                               \
	_tx_trace_event_insert((ULONG)(i), TX_TRACE_WORD_(a), TX_TRACE_WORD_(b), TX_TRACE_WORD_(c), \
		TX_TRACE_WORD_(d), (ULONG)(f), g, h);
#define TX_TRACE_EVENT_UPDATE(e, t, i, a, b, c, d)                                                \
	_tx_trace_event_update((e), (ULONG)(t), (ULONG)(i), TX_TRACE_WORD_(a), TX_TRACE_WORD_(b), \
		TX_TRACE_WORD_(c), TX_TRACE_WORD_(d));
#else
#define TX_TRACE_INITIALIZE
#define TX_TRACE_OBJECT_REGISTER(t, p, n, a, b)
#define TX_TRACE_OBJECT_UNREGISTER(o)
#ifndef TX_TRACE_IN_LINE_INSERT
#define TX_TRACE_IN_LINE_INSERT(i, a, b, c, d, e)
#endif
#define TX_TRACE_EVENT_INSERT(i, a, b, c, d, f, g, h)
#define TX_TRACE_EVENT_UPDATE(e, t, i, a, b, c, d)
#endif

#endif
