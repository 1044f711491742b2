/* SPDX-License-Identifier: MIT */
/*
 * The recorder in a program without ThreadX: types, results and marks as in ThreadX, and lock and time of
 * embed/port. In place of a kernel, the program describes its state (TX_TRACE_PROGRAM, or the macros, which
 * are faster).
 */
#ifndef EMBED_THREADX_TX_TRACE_ALONE_H
#define EMBED_THREADX_TX_TRACE_ALONE_H

#include "embed/port/port.h"

/* Bits of the words of a recording, 32 or 64; TraceX reads 32 only. Pointers are cut to them. */
#ifndef TX_TRACE_WORD_BITS
#define TX_TRACE_WORD_BITS 32
#endif

#define VOID void
typedef char CHAR;
typedef unsigned char UCHAR;
typedef unsigned short USHORT;
typedef unsigned int UINT;
#if TX_TRACE_WORD_BITS == 32
typedef uint32_t ULONG;
#elif TX_TRACE_WORD_BITS == 64
typedef uint64_t ULONG;
#else
#error "TX_TRACE_WORD_BITS is neither 32 nor 64"
#endif

#define TX_NULL		       NULL
#define TX_TRUE		       1u
#define TX_FALSE	       0u
#define TX_SUCCESS	       0x00u
#define TX_SIZE_ERROR	       0x05u
#define TX_NOT_DONE	       0x20u
#define TX_FEATURE_NOT_ENABLED 0xffu

#define TX_INITIALIZE_IN_PROGRESS 0xf0f0f0f0u
#define TX_INITIALIZE_ALMOST_DONE 0xf0f0f0f1u
#define TX_INITIALIZE_IS_FINISHED 0u

/* Written without a semicolon, as ThreadX does. */
#define TX_INTERRUPT_SAVE_AREA rastrum_lock_t interrupt_save;
#define TX_DISABLE	       RASTRUM_LOCK(interrupt_save);
#define TX_RESTORE	       RASTRUM_UNLOCK(interrupt_save);

/* Where an event happens. 0 throughout, as at the start, stands for initialization. */
typedef struct TX_TRACE_CONTEXT_STRUCT {
	/* 0 while a thread runs, else how many interrupts; or TX_INITIALIZE_IN_PROGRESS and more */
	ULONG system_state;
	/* which runs, or was interrupted: any address or number but 0, by which it is registered */
	VOID *thread;
	UINT priority;		/* 0 to 1023, of the thread */
	UINT preempt_threshold; /* 0 to 1023; equals the priority if the thread has no threshold */
	UINT preempt_disable;	/* recorded with interrupts */
} TX_TRACE_CONTEXT;

/* Called under the lock. Each may be NULL. */
typedef struct TX_TRACE_PROGRAM_STRUCT {
	VOID (*context_get)(TX_TRACE_CONTEXT *context); /* before each event; what it does not set stays */
	UINT(*thread_priority_get)
	(VOID *thread); /* when it is registered; TX_TRACE_NO_PRIORITY: not known */
	VOID(*objects_register)
	(VOID); /* tracing begins: registers what exists already. Not under the lock */
} TX_TRACE_PROGRAM;

#define TX_TRACE_NO_PRIORITY 0xffffu

#ifdef __cplusplus
extern "C" {
#endif

/* A program that knows when threads and interrupts take over writes it here, and need not be asked. */
extern TX_TRACE_CONTEXT _tx_trace_context;
extern const TX_TRACE_PROGRAM *_tx_trace_program_ptr;

/* The base of tx_interrupt_control(): the program defines it, if it calls that one. */
UINT _tx_thread_interrupt_control(UINT new_posture);

#ifdef __cplusplus
}
#endif

/* For as long as it traces, the program keeps what this points to. */
#define tx_trace_program_set(program) ((VOID)(_tx_trace_program_ptr = (program)))

/* The program's callback, if it has one. */
static inline VOID (*tx_trace_context_callback(VOID))(TX_TRACE_CONTEXT *context)
{
	return _tx_trace_program_ptr ? _tx_trace_program_ptr->context_get : NULL;
}

/* TX_TRACE_CONTEXT_GET(context): statement that sets what it knows; all is 0 before. */
static inline const TX_TRACE_CONTEXT *tx_trace_context_get(TX_TRACE_CONTEXT *room)
{
#ifdef TX_TRACE_CONTEXT_GET
	const TX_TRACE_CONTEXT nothing = { 0, NULL, 0, 0, 0 };

	*room = nothing;
	TX_TRACE_CONTEXT_GET(room);
	return room;
#else
	(VOID) room;
	return &_tx_trace_context;
#endif
}

#ifndef TX_TRACE_THREAD_PRIORITY_GET
static inline UINT tx_trace_thread_priority_get(VOID *thread)
{
	const TX_TRACE_PROGRAM *program = _tx_trace_program_ptr;

	return program && program->thread_priority_get ? program->thread_priority_get(thread)
						       : TX_TRACE_NO_PRIORITY;
}
#define TX_TRACE_THREAD_PRIORITY_GET(thread) tx_trace_thread_priority_get(thread)
#endif

#ifndef TX_TRACE_OBJECTS_REGISTER
static inline VOID tx_trace_objects_register(VOID)
{
	const TX_TRACE_PROGRAM *program = _tx_trace_program_ptr;

	if (program && program->objects_register)
		program->objects_register();
}
#define TX_TRACE_OBJECTS_REGISTER() tx_trace_objects_register()
#endif

/* The port's clock, or a number for each event if the port has no clock. */
#ifndef TX_TRACE_TIME_SOURCE
#ifdef RASTRUM_NO_CLOCK
#define TX_TRACE_TIME_SOURCE ++_tx_trace_simulated_time
#else
#define TX_TRACE_TIME_SOURCE RASTRUM_STAMP()
#endif
#endif

#if RASTRUM_N_CORES > 1
#define TX_TRACE_CORE() RASTRUM_CORE()
#endif

#endif
