/* SPDX-License-Identifier: MIT */
/*
 * The LiteOS encoder as liteos_m has it: a ring that is dumped as LOS_TraceRecordGet() gives it or, with
 * LOSCFG_RECORDER_MODE_ONLINE, messages through a ring of bytes. Each source counts what it records.
 */
#include "embed/check/check.h"
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"
#include "embed/liteos/trace_pipeline_ring.h"

enum { N_BYTES = 8192, N_TASKS = 4, USER_STEP = 1, USER_INTERRUPT = 2, HWI_TICK = 15, HWI_DEVICE = 24 };

static UINT64 memory[N_BYTES / 8];
static volatile UINT32 n_steps, n_ticks, n_timers;

volatile UINT32 check_task;

static const LosTaskCB tasks[N_TASKS] = {
	{ 0, 0, "Swt_Task" },
	{ 1, 31, "IdleCore000" },
	{ 2, 5, "producer" },
	{ 3, 6, "consumer" },
};

const LosTaskCB *check_task_cb(UINT32 task_id)
{
	return task_id < N_TASKS ? &tasks[task_id] : NULL;
}

#ifdef CHECK_COUNT
/* Sending is not the recorder's: what it costs is not counted. */
static UINT32 link_init(VOID)
{
	return LOS_OK;
}

static VOID link_send(UINT16 len, UINT8 *data)
{
	(void)len, (void)data;
}

static const TracePipelineOps link = { link_init, link_send, NULL, NULL };

static void pipe_start(void)
{
	OsTracePipelineReg(&link);
}
#elif RASTRUM_LITEOS_IS_ONLINE
static struct rastrum_bytes ring;

static void pipe_start(void)
{
	rastrum_bytes_init(&ring, memory, N_BYTES);
	rastrum_liteos_pipe_to(&ring);
}
#else
static void pipe_start(void)
{
}
#endif

void check_start(void)
{
	pipe_start();
	LOS_TraceInit(memory, N_BYTES);
	LOS_TraceEventMaskSet(~(UINT32)TRACE_QUE_FLAG);
	LOS_TraceStart();
	for (UINT32 id = 2; id < N_TASKS; id++)
		LOS_TRACE(TASK_CREATE, id, 2, tasks[id].priority);
}

void check_step(uint32_t i)
{
	UINT32 next = 2 + (i & 1);

	LOS_TRACE(SEM_POST, 1, 0, i & 7);
	LOS_TRACE(TASK_SWITCH, next, 5, 4, 6, 0x10);
	check_task = next;
	LOS_TRACE(SEM_PEND, 1, (i & 7) + 1, 0xffffffff);
	LOS_TRACE(QUEUE_DELETE, 1, 2, 3);
	LOS_TRACE_EASY(USER_STEP, n_steps, ~n_steps, i);
	n_steps++;
}

/* Interrupts come so fast that messages for each of them would leave no time for anything else. */
static int is_wanted(uint32_t number)
{
	static volatile uint32_t n_calls[2];

	return !RASTRUM_LITEOS_IS_ONLINE || (n_calls[number == HWI_TICK]++ & 15) == 0;
}

void check_interrupt(uint32_t number)
{
	volatile UINT32 *count = number == HWI_TICK ? &n_ticks : &n_timers;

	if (!is_wanted(number))
		return;
	LOS_TRACE(HWI_RESPONSE_IN, number);
	LOS_TRACE_EASY(USER_INTERRUPT, number, *count, ~*count);
	(*count)++;
	LOS_TRACE(HWI_RESPONSE_OUT, number);
}

static void dump_write(void)
{
#if RASTRUM_LITEOS_IS_ONLINE && !defined(CHECK_COUNT)
	const uint8_t *bytes;
	uint32_t n_bytes;

	while ((n_bytes = rastrum_bytes_peek(&ring, &bytes)) != 0) {
		check_write(bytes, n_bytes);
		rastrum_bytes_drop(&ring, n_bytes);
	}
#elif !RASTRUM_LITEOS_IS_ONLINE
	check_write(LOS_TraceRecordGet(), N_BYTES);
#endif
}

static uint32_t n_refused(void)
{
#if RASTRUM_LITEOS_IS_ONLINE && !defined(CHECK_COUNT)
	return rastrum_bytes_lost(&ring);
#else
	return 0;
#endif
}

void check_dump(void)
{
	check_report("lost", rastrum_liteos_lost() + n_refused());
	LOS_TraceStop();
	dump_write();
	check_report("steps", n_steps);
	check_report("ticks", n_ticks);
	check_report("timers", n_timers);
}

/* --- counts --------------------------------------------------------------------------------------------- */

static void count_event(uint32_t i)
{
	LOS_TRACE(SEM_PEND, i & 31, i & 1023, 5);
}

static void count_interrupt(uint32_t i)
{
	LOS_TRACE(HWI_RESPONSE_IN, i & 31);
}

static void count_switch(uint32_t i)
{
	LOS_TRACE(TASK_SWITCH, i & 3, 5, 4, 6, 0x10);
}

static void count_off(uint32_t i)
{
	LOS_TRACE(QUEUE_DELETE, i & 31, i & 1023, 5);
}

static void base_nothing(uint32_t i)
{
	(void)i;
}

const struct check_count check_counts[] = {
	{ "event", count_event, base_nothing },
	{ "interrupt", count_interrupt, base_nothing },
	{ "task switch", count_switch, base_nothing },
	{ "masked out", count_off, base_nothing },
	{ NULL, NULL, NULL },
};
