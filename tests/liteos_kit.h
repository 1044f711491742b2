/* SPDX-License-Identifier: MIT */
/*
 * The LiteOS voice within a test: all of it is compiled into the file that includes this and has chosen its
 * configuration. The kernel around it is here: a clock that counts on, a few tasks, what is printed and sent.
 */
#ifndef TESTS_LITEOS_KIT_H
#define TESTS_LITEOS_KIT_H

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { KIT_TASKS = 8, KIT_ROOM = 1 << 16 };

#define RASTRUM_LITEOS_PRINT(text, n_bytes)	  kit_append(&kit_printed, text, n_bytes)
#define RASTRUM_LITEOS_TASK_NAME()		  "IdleCore000"
#define RASTRUM_LITEOS_TASK()			  kit_task
#define RASTRUM_LITEOS_TASK_CB(id)		  kit_task_cb(id)
#define RASTRUM_LITEOS_N_TASKS()		  KIT_TASKS
#define RASTRUM_LITEOS_ALLOC(n_bytes)		  kit_alloc(n_bytes)
#define RASTRUM_LITEOS_MEM_INFO(pool, used, free) kit_mem_info(pool, used, free)
#define RASTRUM_LITEOS_HEAP			  0x1000
#define NUM_HAL_INTERRUPT_UART			  33
#define OS_SYS_CLOCK				  1000000

#include "embed/liteos/los_trace_types.h"

struct kit_bytes {
	unsigned char bytes[KIT_ROOM];
	size_t n_bytes;
};

static struct kit_bytes kit_printed, kit_sent;
static UINT32 kit_task;
static LosTaskCB kit_tasks[KIT_TASKS];

static inline void kit_append(struct kit_bytes *to, const void *bytes, size_t n_bytes)
{
	if (n_bytes > sizeof(to->bytes) - to->n_bytes)
		exit(2);
	memcpy(to->bytes + to->n_bytes, bytes, n_bytes);
	to->n_bytes += n_bytes;
}

static inline const LosTaskCB *kit_task_cb(UINT32 id)
{
	return id < KIT_TASKS && kit_tasks[id].taskName ? &kit_tasks[id] : NULL;
}

static inline void *kit_alloc(size_t n_bytes)
{
	static UINT64 memory[KIT_ROOM / 8];

	return n_bytes <= sizeof(memory) ? memory : NULL;
}

static inline void kit_mem_info(UINTPTR pool, UINT32 *ret_used, UINT32 *ret_free)
{
	*ret_used = (UINT32)pool + 1;
	*ret_free = (UINT32)pool + 2;
}

#include "embed/liteos/los_dev_trace.c"
#include "embed/liteos/los_trace.c"
#include "embed/liteos/trace_agent.c"
#include "embed/liteos/trace_event.c"
#include "embed/liteos/trace_object.c"
#include "embed/liteos/trace_offline.c"
#include "embed/liteos/trace_online.c"
#include "embed/liteos/trace_pipeline.c"
#include "embed/liteos/trace_print.c"
#include "embed/liteos/trace_shell.c"
#include "embed/liteos/trace_text.c"
#include "embed/liteos/trace_tlv.c"

static inline bool kit_prints(const char *expected, const char *sentence)
{
	bool is_right;

	kit_printed.bytes[kit_printed.n_bytes] = 0;
	is_right = is_text((const char *)kit_printed.bytes, expected, sentence);
	kit_printed.n_bytes = 0;
	return is_right;
}

#define KIT_NOT_INITED "[ERR][KProcess:IdleCore000]trace not inited, be sure LOS_TraceInit excute success\n"
#define KIT_NOT_STOPPED(state) \
	"[ERR][KProcess:IdleCore000]trace dump must after trace stopped , the current state is : " state "\n"
#define KIT_INITED(state) \
	"[ERR][KProcess:IdleCore000]trace has been initialized already, the current state is :" state "\n"

/* Before LOS_TraceInit(), in either mode. */
static inline void kit_check_uninit(void)
{
	is_number(LOS_TraceStart(), 0x02001400, "before init, a start is refused");
	kit_prints(KIT_NOT_INITED, "and says why");
	LOS_TraceStop();
	kit_prints("", "a stop says nothing");
	LOS_TraceReset();
	kit_prints(KIT_NOT_INITED, "a reset says why it does nothing");
	LOS_TraceRecordDump(FALSE);
	kit_prints(KIT_NOT_STOPPED("0"), "a dump says why it does nothing");
	ok(!LOS_TraceRecordGet(), "there is no ring");
	LOS_TRACE(TASK_CREATE, 1, 2, 3);
	LOS_TRACE(SEM_PEND, 1, 2, 3);
	ok(!kit_sent.n_bytes, "events do no harm");
}

#endif
