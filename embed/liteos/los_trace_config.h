/* SPDX-License-Identifier: MIT */
/*
 * The settings of the recorder. A program changes the values below with -D, or in a header of its own:
 * -DRASTRUM_LITEOS_CONFIG_H='"my_trace_config.h"'. All files of a program must see the same. The port is not
 * one of these settings: -D chooses it, or the header that RASTRUM_CONFIG_H names, which all files of the
 * recorder include (port.h).
 *
 * Names with LOSCFG_, and the few beside them, are the kernels'. A switch is on when it is defined as nothing
 * or as a number that is not 0, and off when it is 0 or not defined: so #ifdef of liteos_a, 1 of liteos_m and
 * YES of Huawei LiteOS mean the same here. Names with RASTRUM_LITEOS_ are ours: what a kernel, or a program
 * without one, gives.
 */
#ifndef EMBED_LITEOS_LOS_TRACE_CONFIG_H
#define EMBED_LITEOS_LOS_TRACE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

/* The result of RASTRUM_LITEOS_TASK_CB() (los_trace_types.h), for functions that the program's header
 * declares. */
struct rastrum_liteos_task;

#ifdef RASTRUM_CONFIG_H
#include RASTRUM_CONFIG_H
#endif

/*
 * Files of core/ and port/ do not see the header below: a lock that it chose would be missing in them,
 * without a word.
 */
#if defined(RASTRUM_PORT_H) || defined(RASTRUM_PORT_CORTEX_M) || defined(RASTRUM_PORT_CORTEX_M_BASEPRI) || \
	defined(RASTRUM_PORT_RISCV) || defined(RASTRUM_PORT_PTHREAD) || defined(RASTRUM_PORT_C11)
#define RASTRUM_LITEOS_HAS_PORT
#endif
#if defined(RASTRUM_CORE) || defined(RASTRUM_N_CORES)
#define RASTRUM_LITEOS_HAS_CORES
#endif
#ifdef RASTRUM_LITEOS_CONFIG_H
#include RASTRUM_LITEOS_CONFIG_H
#endif
#if !defined(RASTRUM_LITEOS_HAS_PORT) &&                                                 \
	(defined(RASTRUM_PORT_H) || defined(RASTRUM_PORT_CORTEX_M) ||                    \
		defined(RASTRUM_PORT_CORTEX_M_BASEPRI) || defined(RASTRUM_PORT_RISCV) || \
		defined(RASTRUM_PORT_PTHREAD) || defined(RASTRUM_PORT_C11))
#error "RASTRUM_LITEOS_CONFIG_H chooses the port, and core/ does not see it: use -D, or the header of RASTRUM_CONFIG_H"
#endif
#if !defined(RASTRUM_LITEOS_HAS_CORES) && (defined(RASTRUM_CORE) || defined(RASTRUM_N_CORES))
#error "RASTRUM_LITEOS_CONFIG_H says how cores are told apart, and core/ does not see it: use -D, or RASTRUM_CONFIG_H"
#endif

/* --- whose recorder ------------------------------------------------------------------------------------- */

/*
 * One of RASTRUM_LITEOS_A (liteos_a, the default), RASTRUM_LITEOS_M (liteos_m), RASTRUM_LITEOS_H5 (Huawei
 * LiteOS 5).
 */
#if !defined(RASTRUM_LITEOS_A) && !defined(RASTRUM_LITEOS_M) && !defined(RASTRUM_LITEOS_H5)
#define RASTRUM_LITEOS_A
#endif

/* Bytes of UINTPTR, in frames and arguments. */
#ifndef RASTRUM_LITEOS_POINTER_BYTES
#if defined(RASTRUM_LITEOS_M) || UINTPTR_MAX <= 0xffffffff
#define RASTRUM_LITEOS_POINTER_BYTES 4
#else
#define RASTRUM_LITEOS_POINTER_BYTES 8
#endif
#endif

/*
 * Faults of the originals that show in what is recorded. Each is put right unless it is asked for:
 *
 *      RASTRUM_LITEOS_KEEP_GENERATIONS    a change of priority, too, gives a task a new id
 *      RASTRUM_LITEOS_KEEP_LOCK_COUNT     on several cores the trace's own lock is counted, and taken off in the text
 *      RASTRUM_LITEOS_KEEP_LOW_MASK       Huawei LiteOS: the low four bits of a mask choose events, too
 *      RASTRUM_LITEOS_KEEP_SHIFTED_TEXT   liteos_m: times of 32 bits shift the columns of the text, as on ARM
 *      RASTRUM_LITEOS_KEEP_ALL            all of them
 */
#ifdef RASTRUM_LITEOS_KEEP_ALL
#define RASTRUM_LITEOS_KEEP_GENERATIONS
#define RASTRUM_LITEOS_KEEP_LOCK_COUNT
#define RASTRUM_LITEOS_KEEP_LOW_MASK
#define RASTRUM_LITEOS_KEEP_SHIFTED_TEXT
#endif

/* --- switches ------------------------------------------------------------------------------------------- */

/* 2 for nothing, minus the number else. */
#define RASTRUM_LITEOS_IS_SET(value) (1 - value - 1 != 0)

/* Without it LOS_TRACE and LOS_TRACE_EASY are nothing. */
#if !defined(LOSCFG_KERNEL_TRACE) || RASTRUM_LITEOS_IS_SET(LOSCFG_KERNEL_TRACE)
#define RASTRUM_LITEOS_HAS_TRACE 1
#else
#define RASTRUM_LITEOS_HAS_TRACE 0
#endif

/* Messages through the pipeline, or else a ring in memory. */
#if defined(LOSCFG_RECORDER_MODE_ONLINE) && RASTRUM_LITEOS_IS_SET(LOSCFG_RECORDER_MODE_ONLINE)
#define RASTRUM_LITEOS_IS_ONLINE 1
#else
#define RASTRUM_LITEOS_IS_ONLINE 0
#endif

#if defined(LOSCFG_TRACE_FRAME_CORE_MSG) && RASTRUM_LITEOS_IS_SET(LOSCFG_TRACE_FRAME_CORE_MSG)
#define RASTRUM_LITEOS_HAS_CORE 1
#else
#define RASTRUM_LITEOS_HAS_CORE 0
#endif

#if defined(LOSCFG_TRACE_FRAME_EVENT_COUNT) && RASTRUM_LITEOS_IS_SET(LOSCFG_TRACE_FRAME_EVENT_COUNT)
#define RASTRUM_LITEOS_HAS_COUNT 1
#else
#define RASTRUM_LITEOS_HAS_COUNT 0
#endif

#if defined(RASTRUM_LITEOS_A) && defined(LOS_TRACE_FRAME_LR) && RASTRUM_LITEOS_IS_SET(LOS_TRACE_FRAME_LR)
#define RASTRUM_LITEOS_HAS_LR 1
#else
#define RASTRUM_LITEOS_HAS_LR 0
#endif

#if defined(LOSCFG_KERNEL_SMP) && RASTRUM_LITEOS_IS_SET(LOSCFG_KERNEL_SMP)
#define RASTRUM_LITEOS_IS_SMP 1
#else
#define RASTRUM_LITEOS_IS_SMP 0
#endif

/* A ring's dump can go through the pipeline, too; 0 leaves that out. */
#if RASTRUM_LITEOS_IS_ONLINE || !defined(LOSCFG_TRACE_CLIENT_INTERACT) || \
	RASTRUM_LITEOS_IS_SET(LOSCFG_TRACE_CLIENT_INTERACT)
#define RASTRUM_LITEOS_HAS_CLIENT 1
#else
#define RASTRUM_LITEOS_HAS_CLIENT 0
#endif

/*
 * OsTracePipelineInit() registers the serial line's operations (trace_pipeline_serial.h), which need the
 * board's UART.
 */
#if defined(LOSCFG_TRACE_PIPELINE_SERIAL) && RASTRUM_LITEOS_IS_SET(LOSCFG_TRACE_PIPELINE_SERIAL)
#define RASTRUM_LITEOS_HAS_SERIAL 1
#else
#define RASTRUM_LITEOS_HAS_SERIAL 0
#endif

/* --- sizes ---------------------------------------------------------------------------------------------- */

/* The bytes that OsTraceInit() requests from RASTRUM_LITEOS_ALLOC(). */
#ifndef LOSCFG_TRACE_BUFFER_SIZE
#ifdef RASTRUM_LITEOS_A
#define LOSCFG_TRACE_BUFFER_SIZE 10000
#else
#define LOSCFG_TRACE_BUFFER_SIZE 2048
#endif
#endif

#ifndef LOSCFG_TRACE_FRAME_MAX_PARAMS
#define LOSCFG_TRACE_FRAME_MAX_PARAMS 3
#endif
#ifndef LOSCFG_TRACE_OBJ_MAX_NUM
#define LOSCFG_TRACE_OBJ_MAX_NUM 0
#endif
#ifndef LOS_TASK_NAMELEN
#define LOS_TASK_NAMELEN 32
#endif
#ifndef LOSCFG_TRACE_OBJ_MAX_NAME_SIZE
#define LOSCFG_TRACE_OBJ_MAX_NAME_SIZE LOS_TASK_NAMELEN
#endif
#ifndef LOSCFG_TRACE_TASK_PRIORITY
#define LOSCFG_TRACE_TASK_PRIORITY 2
#endif

/* Tasks whose generations are kept, ids from 0 on. */
#ifndef LOSCFG_BASE_CORE_TSK_LIMIT
#ifdef RASTRUM_LITEOS_M
#define LOSCFG_BASE_CORE_TSK_LIMIT 5
#else
#define LOSCFG_BASE_CORE_TSK_LIMIT 128
#endif
#endif

/* Whether tasks are recorded: into the ring's table, or as messages. */
#define RASTRUM_LITEOS_HAS_OBJECTS (RASTRUM_LITEOS_IS_ONLINE || LOSCFG_TRACE_OBJ_MAX_NUM > 0)

/*
 * LOSCFG_TRACE_TLV_BUF_SIZE: bytes of the longest message. Not defined: 100, or as many as an event needs.
 * Where it is defined and too small, elements at the end are left out, or whole events, as in the originals;
 * both are counted.
 */

/* --- what a kernel gives -------------------------------------------------------------------------------- */

/*
 * The time as 64 bits. Not defined: RASTRUM_STAMP() of the port, whose laps are counted from event to event.
 */

#ifndef OS_SYS_CLOCK
#define OS_SYS_CLOCK 0 /* how often a second it counts */
#endif
#ifndef RASTRUM_LITEOS_CLOCK_HZ
#define RASTRUM_LITEOS_CLOCK_HZ() OS_SYS_CLOCK
#endif

/* The running task and, liteos_a, its process. */
#ifndef RASTRUM_LITEOS_TASK
#define RASTRUM_LITEOS_TASK() 0
#endif
#ifndef RASTRUM_LITEOS_PROCESS
#define RASTRUM_LITEOS_PROCESS() 0
#endif

/* For the core word, beside RASTRUM_CORE(): whether in an interrupt, how often the scheduler is locked. */
#ifndef RASTRUM_LITEOS_HWI_ACTIVE
#define RASTRUM_LITEOS_HWI_ACTIVE() 0
#endif
#ifndef RASTRUM_LITEOS_LOCK_COUNT
#define RASTRUM_LITEOS_LOCK_COUNT() 0
#endif

/* Return addresses (LOS_TRACE_FRAME_LR): statement, puts n of them, without the first `ignored`. */
#ifndef RASTRUM_LITEOS_RECORD_LR
#define RASTRUM_LITEOS_RECORD_LR(words, n, ignored) ((void)(words))
#endif

/* A const LosTaskCB * of the task with this id, NULL if there is no such task; and how many ids there are,
 * from 0 on. */
#ifndef RASTRUM_LITEOS_TASK_CB
#define RASTRUM_LITEOS_TASK_CB(task_id) ((void)(task_id), (const LosTaskCB *)NULL)
#endif
#ifndef RASTRUM_LITEOS_N_TASKS
#define RASTRUM_LITEOS_N_TASKS() 0
#endif

/* Interrupts that are never recorded; liteos_m's own default is 0xff for both. */
#ifndef NUM_HAL_INTERRUPT_UART
#define NUM_HAL_INTERRUPT_UART 0xff
#endif
#ifndef OS_TICK_INT_NUM
#define OS_TICK_INT_NUM 0xff
#endif
#ifndef LOS_MP_IPI_SCHEDULE
#define LOS_MP_IPI_SCHEDULE 1 /* on several cores only */
#endif

/*
 * RASTRUM_LITEOS_MEM_INFO(pool, ret_used, ret_free): statement, asks a pool (UINTPTR) for two UINT32. Not
 * defined: MEM_INFO_REQ records nothing. RASTRUM_LITEOS_HEAP: the pool that LOS_TraceStart() asks. Not
 * defined: none.
 */

/* Memory for LOS_TraceInit(NULL, size), aligned to 8; NULL if there is no memory. */
#ifndef RASTRUM_LITEOS_ALLOC
#define RASTRUM_LITEOS_ALLOC(n_bytes) NULL
#endif

/* Text of dumps and errors; and the names in front of errors. */
#ifdef RASTRUM_LITEOS_PRINT
#define RASTRUM_LITEOS_HAS_PRINT 1
#else
#define RASTRUM_LITEOS_HAS_PRINT	    0
#define RASTRUM_LITEOS_PRINT(text, n_bytes) ((void)(text), (void)(n_bytes))
#endif
#ifndef RASTRUM_LITEOS_PROCESS_NAME
#define RASTRUM_LITEOS_PROCESS_NAME() "KProcess"
#endif
#ifndef RASTRUM_LITEOS_TASK_NAME
#define RASTRUM_LITEOS_TASK_NAME() ""
#endif

/*
 * RASTRUM_LITEOS_AGENT_CREATE(): expression, a UINT32 error number: creates the task that runs TraceAgent(),
 * at the priority LOSCFG_TRACE_TASK_PRIORITY; RASTRUM_LITEOS_AGENT_DELETE() takes it back. Not defined: there
 * is no such task. RASTRUM_LITEOS_DEVICE_REGISTER(): expression, an int: registers /dev/trace
 * (los_dev_trace.h). RASTRUM_LITEOS_HAS_KERNEL_HOOKS: OsTraceInit() calls OsTraceCnvInit(), which stays the
 * kernel's.
 */

#endif
