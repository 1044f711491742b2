/* SPDX-License-Identifier: MIT */
/*
 * liteos_m on boards; on the host liteos_a with words of 64 bits, which is what its own recorder was measured
 * as.
 */
#ifndef EMBED_CHECK_LITEOS_CONFIG_H
#define EMBED_CHECK_LITEOS_CONFIG_H

#include <stdint.h>

#if UINTPTR_MAX > 0xffffffff
#define RASTRUM_LITEOS_A
#else
#define RASTRUM_LITEOS_M
#endif
#define LOSCFG_TRACE_OBJ_MAX_NUM   4
#define OS_SYS_CLOCK		   25000000
#define RASTRUM_LITEOS_TASK()	   check_task
#define RASTRUM_LITEOS_N_TASKS()   4
#define RASTRUM_LITEOS_TASK_CB(id) check_task_cb(id)

extern volatile unsigned int check_task;

#ifdef __cplusplus
extern "C"
#endif
	const struct rastrum_liteos_task *
	check_task_cb(unsigned int task_id);

#endif
