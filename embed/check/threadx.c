/* SPDX-License-Identifier: MIT */
/*
 * The ThreadX encoder: two threads pass a semaphore, interrupts record what they do. The dump is the memory
 * as it is, as a debugger would take it. Each source numbers its user events.
 */
#include "embed/check/check.h"
#include "embed/threadx/tx_trace.h"

enum { N_WORDS = 2048, N_REGISTRY = 8, EVENT_STEP = 4096, EVENT_TICK, EVENT_TIMER, N_THREADS = 2 };

static ULONG memory[N_WORDS];
static volatile uint32_t n_steps, n_ticks, n_timers;

/* Only the addresses of these stand for the kernel's objects. */
static ULONG threads[N_THREADS], items;

static UINT program_priority(VOID *thread)
{
	return thread == &threads[0] ? 10 : 11;
}

static VOID program_objects(VOID)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_THREAD, &threads[0], "producer", 0, 256)
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_THREAD, &threads[1], "consumer", 0, 256)
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_SEMAPHORE, &items, "items", 0, 0)
	TX_RESTORE
}

static const TX_TRACE_PROGRAM program = { NULL, program_priority, program_objects };

/* The switch to another thread, as a kernel would record it. */
static void run(uint32_t thread)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_context.thread = &threads[thread];
	_tx_trace_context.priority = 10 + thread;
	_tx_trace_context.preempt_threshold = 10;
	TX_RESTORE
}

void check_start(void)
{
	tx_trace_program_set(&program);
	run(0);
	tx_trace_enable(memory, sizeof(memory), N_REGISTRY);
}

void check_step(uint32_t i)
{
	TX_INTERRUPT_SAVE_AREA

	run(i % N_THREADS);
	TX_DISABLE
	if (i % N_THREADS == 0)
		TX_TRACE_IN_LINE_INSERT(TX_TRACE_SEMAPHORE_PUT, &items, 1, 0, 0, TX_TRACE_SEMAPHORE_EVENTS)
	else
		TX_TRACE_IN_LINE_INSERT(TX_TRACE_SEMAPHORE_GET, &items, 0, 1, 0, TX_TRACE_SEMAPHORE_EVENTS)
	TX_RESTORE
	for (uint32_t n = 0; n < 3; n++) {
		tx_trace_user_event_insert(EVENT_STEP, n_steps, ~n_steps, n_steps * 3, i);
		n_steps++;
	}
}

/* An interrupt that comes upon another leaves the depth as it was. */
void check_interrupt(uint32_t number)
{
	volatile uint32_t *count = number == 15 ? &n_ticks : &n_timers;

	_tx_trace_context.system_state++;
	tx_trace_isr_enter_insert(number);
	tx_trace_user_event_insert(
		number == 15 ? EVENT_TICK : EVENT_TIMER, *count, ~*count, *count * 3, number);
	(*count)++;
	tx_trace_isr_exit_insert(number);
	_tx_trace_context.system_state--;
}

void check_dump(void)
{
	check_write(memory, sizeof(memory));
	check_report("steps", n_steps);
	check_report("ticks", n_ticks);
	check_report("timers", n_timers);
	check_report("recorded", 2 + n_steps / 3 + n_steps + 3 * (n_ticks + n_timers));
	check_report("overwritten", tx_trace_overwritten_get());
}

static void count_user(uint32_t i)
{
	tx_trace_user_event_insert(EVENT_STEP, i, 2, 3, 4);
}

static void base_user(uint32_t i)
{
	check_nothing_5(EVENT_STEP, i, 2, 3, 4);
}

/* The same where the recorder calls a function for the running thread. */
static VOID program_context(TX_TRACE_CONTEXT *context)
{
	context->system_state = 0;
	context->thread = &threads[0];
	context->priority = 10;
	context->preempt_threshold = 10;
}

static const TX_TRACE_PROGRAM asked = { program_context, program_priority, program_objects };

static void count_asked(uint32_t i)
{
	tx_trace_program_set(&asked);
	tx_trace_user_event_insert(EVENT_STEP, i, 2, 3, 4);
}

static void count_off(uint32_t i)
{
	TX_TRACE_IN_LINE_INSERT(TX_TRACE_TIME_GET, i, 2, 3, 4, 0)
}

static void base_off(uint32_t i)
{
	check_nothing_6(TX_TRACE_TIME_GET, i, 2, 3, 4, 0);
}

static void count_in_line(uint32_t i)
{
	TX_TRACE_IN_LINE_INSERT(TX_TRACE_TIME_GET, i, 2, 3, 4, TX_TRACE_TIME_EVENTS)
}

static void base_in_line(uint32_t i)
{
	check_nothing_6(TX_TRACE_TIME_GET, i, 2, 3, 4, TX_TRACE_TIME_EVENTS);
}

const struct check_count check_counts[] = {
	{ "user event", count_user, base_user },
	{ "built-in event", count_in_line, base_in_line },
	{ "not wanted", count_off, base_off },
	{ "user event, thread by a call", count_asked, base_user },
	{ NULL, NULL, NULL },
};
