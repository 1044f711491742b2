/* SPDX-License-Identifier: MIT */
/*
 * Replays calls into the LiteOS recorder, so that what it makes of them can be compared with recordings of
 * the kernels' own recorders: tests/embed/liteos.t builds this for each layout and gives the calls, a line
 * each, as text. What comes out goes to files that the lines name. With REPLAY_BIG_ENDIAN all structures are
 * as on a big-endian target.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel, below. */
#define RASTRUM_LITEOS_CYCLES()	      kernel_now
#define RASTRUM_CORE()		      kernel_core
#define RASTRUM_LITEOS_CLOCK_HZ()     kernel_clock_hz
#define RASTRUM_LITEOS_TASK()	      kernel_task
#define RASTRUM_LITEOS_PROCESS()      kernel_process
#define RASTRUM_LITEOS_HWI_ACTIVE()   kernel_in_interrupt
#define RASTRUM_LITEOS_LOCK_COUNT()   kernel_locks
#define RASTRUM_LITEOS_N_TASKS()      N_TASKS
#define RASTRUM_LITEOS_PRINT(text, n) print(text, n)
#define RASTRUM_LITEOS_TASK_CB(id)    task_of(id)

#include "embed/liteos/los_trace_types.h"

enum { N_TASKS = 256, N_PARAMS = 16, N_MEMORY = 1 << 17, N_LINE = 1024 };

/* The state that a kernel would have. */
static unsigned long long kernel_now;
static unsigned kernel_task, kernel_process, kernel_core, kernel_in_interrupt, kernel_locks, kernel_clock_hz;
static LosTaskCB tasks[N_TASKS];
static char names[N_TASKS][64];
static bool has_task[N_TASKS];

static FILE *out;

static const LosTaskCB *task_of(unsigned id)
{
	return id < N_TASKS && has_task[id] ? &tasks[id] : NULL;
}

static void print(const char *text, unsigned n_bytes)
{
	if (out)
		fwrite(text, 1, n_bytes, out);
}

/* The recorded events. Nothing else of the recorder depends on their order. */
#include "embed/core/bits.h"
/* clang-format off */
#ifdef REPLAY_BIG_ENDIAN
#pragma scalar_storage_order big-endian
#endif
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_tlv.h"
#ifdef REPLAY_BIG_ENDIAN
#pragma scalar_storage_order default
#endif
/* clang-format on */

#include "embed/liteos/los_trace.c"
#include "embed/liteos/trace_agent.c"
#include "embed/liteos/trace_event.c"
#include "embed/liteos/trace_object.c"
#include "embed/liteos/trace_offline.c"
#include "embed/liteos/trace_online.c"
#include "embed/liteos/trace_pipeline.c"
#include "embed/liteos/trace_print.c"
#include "embed/liteos/trace_text.c"
#include "embed/liteos/trace_tlv.c"

static UINT64 memory[N_MEMORY / 8];

static UINT32 link_init(VOID)
{
	return LOS_OK;
}

static VOID link_send(UINT16 len, UINT8 *data)
{
	if (out)
		fwrite(data, 1, len, out);
}

static UINT32 link_receive(UINT8 *data, UINT32 size, UINT32 timeout)
{
	(void)data, (void)timeout;
	return size;
}

static const TracePipelineOps link_ops = { link_init, link_send, link_receive, link_init };

/* --- lines ---------------------------------------------------------------------------------------------- */

static unsigned long long number(void)
{
	const char *word = strtok(NULL, " \n");

	if (!word) {
		fprintf(stderr, "a number is missing\n");
		exit(2);
	}
	return strtoull(word, NULL, 0);
}

static void do_clock(void)
{
	kernel_clock_hz = (unsigned)number();
}

static void do_init(void)
{
	OsTracePipelineReg(&link_ops);
	LOS_TraceInit(memory, (UINT32)number());
	LOS_TraceEventMaskSet(0xfffffff0);
}

static void do_start(void)
{
	LOS_TraceStart();
}

static void do_stop(void)
{
	LOS_TraceStop();
}

static void do_reset(void)
{
	LOS_TraceReset();
}

/* task ID PRIORITY NAME: the task is there from now on. notask ID: it is not. */
static void do_task(void)
{
	unsigned id = (unsigned)number() % N_TASKS, priority = (unsigned)number();
	const char *name = strtok(NULL, "\n");

	snprintf(names[id], sizeof(names[id]), "%s", name ? name : "");
	tasks[id].taskId = id;
	tasks[id].priority = priority;
	tasks[id].taskName = names[id];
	has_task[id] = true;
}

static void do_notask(void)
{
	has_task[number() % N_TASKS] = false;
}

static void do_object(void)
{
	UINT32 type = (UINT32)number();

	OsTraceObjAdd(type, (UINT32)number());
}

/* generation TASK N, object_index N: as if so much had gone before. */
static void do_generation(void)
{
	unsigned id = (unsigned)number(), generation = (unsigned)number();

#if !RASTRUM_LITEOS_IS_ONLINE && LOSCFG_TRACE_OBJ_MAX_NUM > 0
	if (id < LOSCFG_BASE_CORE_TSK_LIMIT)
		g_tidMask[id] = (UINT16)generation;
#else
	(void)id, (void)generation;
#endif
}

static void do_object_index(void)
{
	g_traceRecoder.ctrl.curObjIndex = (UINT32)number();
}

/* event TYPE TASK PROCESS TIME IDENTITY CORE IN-INTERRUPT LOCKS COUNT N PARAMS... */
static void do_event(void)
{
	UINT32 type = (UINT32)number(), n_params;
	UINTPTR identity, params[N_PARAMS];

	kernel_task = (unsigned)number();
	kernel_process = (unsigned)number();
	kernel_now = number();
	identity = (UINTPTR)number();
	kernel_core = (unsigned)number();
	kernel_in_interrupt = (unsigned)number();
	kernel_locks = (unsigned)number();
	g_traceEventCount = (UINT32)number();
	n_params = (UINT32)number();
	for (UINT32 i = 0; i < n_params && i < N_PARAMS; i++)
		params[i] = (UINTPTR)number();
	OsTraceHook(type, identity, params, (UINT16)n_params);
}

static void file_open(void)
{
	const char *path = strtok(NULL, " \n");

	if (out)
		fclose(out);
	out = path ? fopen(path, "wb") : NULL;
	if (path && !out) {
		perror(path);
		exit(2);
	}
}

static void do_dump(void)
{
	BOOL to_client = (BOOL)number();

	file_open();
	LOS_TraceRecordDump(to_client);
}

static void do_ring(void)
{
	size_t n_bytes = (size_t)number();

	const void *bytes = LOS_TraceRecordGet();

	file_open();
	if (bytes && out)
		fwrite(bytes, 1, n_bytes, out);
}

static void do_lost(void)
{
	printf("%u\n", rastrum_liteos_lost());
}

/* crc TIMES HEX: of the bytes so many times over; no HEX: of none. */
static void do_crc(void)
{
	static UINT8 bytes[4096];
	size_t n_times = (size_t)number(), n_bytes = 0;
	const char *hex = strtok(NULL, " \n");

	while (n_times--)
		for (const char *at = hex; at && at[0] && at[1] && n_bytes < sizeof(bytes); at += 2) {
			const char digits[] = { at[0], at[1], 0 };

			bytes[n_bytes++] = (UINT8)strtoul(digits, NULL, 16);
		}
	printf("%u\n", CalcCrc16(bytes, (UINT32)n_bytes));
}

static const struct {
	const char *name;
	void (*run)(void);
} lines[] = { { "clock", do_clock }, { "init", do_init }, { "start", do_start }, { "stop", do_stop },
	{ "reset", do_reset }, { "task", do_task }, { "notask", do_notask }, { "object", do_object },
	{ "generation", do_generation }, { "object_index", do_object_index }, { "event", do_event },
	{ "out", file_open }, { "dump", do_dump }, { "ring", do_ring }, { "lost", do_lost },
	{ "crc", do_crc } };

int main(void)
{
	char line[N_LINE];

	while (fgets(line, sizeof(line), stdin)) {
		const char *word = strtok(line, " \n");
		size_t i = 0;

		while (word && i < sizeof(lines) / sizeof(lines[0]) && strcmp(lines[i].name, word) != 0)
			i++;
		if (!word || i == sizeof(lines) / sizeof(lines[0])) {
			fprintf(stderr, "no such line: %s\n", line);
			return 2;
		}
		lines[i].run();
	}
	if (out)
		fclose(out);
	return 0;
}
