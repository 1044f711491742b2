/* SPDX-License-Identifier: MIT */
/*
 * Two cores and nested interrupts, on the host: threads record while signals interrupt them, and signals
 * these signals. When a ring is full, the test checks its memory and switches to other memory: no event may
 * be missing, torn or out of its source's order. A second part does not switch the memory: there events are
 * overwritten and counted.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/tap.h"

struct TX_TRACE_CONTEXT_STRUCT;
static void stress_context(struct TX_TRACE_CONTEXT_STRUCT *context);
static _Thread_local unsigned stress_core, stress_level;

#define TX_ENABLE_EVENT_TRACE
#define TX_TRACE_CONTEXT_GET(context) stress_context(context)
#define RASTRUM_PORT_PTHREAD
#define RASTRUM_N_CORES 2
#define RASTRUM_CORE()	stress_core

#include "embed/threadx/tx_trace_enable.c"
#include "embed/threadx/tx_trace_insert.c"
#include "embed/threadx/tx_trace_registry.c"

enum { N_CORES = 2, N_LEVELS = 3, N_SOURCES = N_CORES * N_LEVELS, N_STEPS = 20000, N_STEPS_MAX = 4000000 };
enum { N_INTERRUPTS_MIN = 50, N_SLOTS = 61, ID = 5000 };

struct memory {
	TX_TRACE_HEADER header;
	TX_TRACE_BUFFER_ENTRY ring[N_SLOTS];
};

/* A source is a core and how deep in interrupts: each numbers its events. */
static struct {
	struct memory memory[2];
	atomic_uint n_made[N_SOURCES];
	atomic_uint n_running;
	unsigned n_seen[N_SOURCES]; /* under the lock */
	unsigned n_wrong, n_memories;
} stress;

static void stress_context(struct TX_TRACE_CONTEXT_STRUCT *context)
{
	context->system_state = stress_level;
	context->thread = (void *)(uintptr_t)(stress_core + 1);
}

static ULONG proof(ULONG source, ULONG number)
{
	return number * 2654435761U ^ source;
}

static void stress_record(void)
{
	unsigned source = stress_core * N_LEVELS + stress_level;
	unsigned number = atomic_fetch_add(&stress.n_made[source], 1);

	tx_trace_user_event_insert(ID + source, number, proof(source, number), ~number, source);
}

/* All of an event follows from its source and its number. */
static bool is_whole(const TX_TRACE_BUFFER_ENTRY *entry, unsigned source)
{
	unsigned core = source / N_LEVELS, number = entry->tx_trace_buffer_entry_information_field_1;
	bool is_interrupt = source % N_LEVELS != 0;

	return entry->tx_trace_buffer_entry_event_id == (core << 24 | (ID + source)) &&
	       entry->tx_trace_buffer_entry_thread_pointer == (is_interrupt ? 0xffffffff : core + 1) &&
	       entry->tx_trace_buffer_entry_thread_priority == (is_interrupt ? core + 1 : 0x80000000) &&
	       entry->tx_trace_buffer_entry_information_field_2 == proof(source, number) &&
	       entry->tx_trace_buffer_entry_information_field_3 == ~number;
}

/* In order from the slot `first`; those that enabling makes are not counted. */
static void judge(const struct memory *memory, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const TX_TRACE_BUFFER_ENTRY *entry = &memory->ring[(first + i) % N_SLOTS];
		unsigned source = entry->tx_trace_buffer_entry_information_field_4 % N_SOURCES;
		unsigned number = entry->tx_trace_buffer_entry_information_field_1;

		if ((entry->tx_trace_buffer_entry_event_id & 0xffffff) == TX_TRACE_RUNNING)
			continue;
		stress.n_wrong += !is_whole(entry, source) || number != stress.n_seen[source];
		stress.n_seen[source] = number + 1;
	}
}

static unsigned n_used(const struct memory *memory)
{
	return (memory->header.tx_trace_header_buffer_current_pointer -
		       memory->header.tx_trace_header_buffer_start_pointer) /
	       (unsigned)sizeof(TX_TRACE_BUFFER_ENTRY);
}

static void change_memory(void *buffer)
{
	stress.n_memories++;
	judge(buffer, 0, N_SLOTS);
	tx_trace_disable();
	tx_trace_enable(&stress.memory[stress.n_memories % 2], sizeof(struct memory), 0);
}

static void on_signal(int signal)
{
	(void)signal;
	if (stress_level == N_LEVELS - 1)
		return;
	stress_level++;
	stress_record();
	stress_level--;
}

/* A machine at work on other things may let few signals come in the usual time. */
static bool has_few_interrupts(void)
{
	return atomic_load(&stress.n_made[stress_core * N_LEVELS + 1]) < N_INTERRUPTS_MIN;
}

/* Signals wait until the thread has its core's number: two threads of one core would be one source that
 * numbers twice. */
static void signals_hold(int how)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	pthread_sigmask(how, &signals, NULL);
}

static void *work(void *core)
{
	stress_core = (unsigned)(uintptr_t)core;
	signals_hold(SIG_UNBLOCK);
	for (unsigned i = 0; i < N_STEPS_MAX && (i < N_STEPS || has_few_interrupts()); i++)
		stress_record();
	atomic_fetch_sub(&stress.n_running, 1);
	while (atomic_load(&stress.n_running)) /* signals may come until all have ended */
		sched_yield();
	return NULL;
}

static void stress_run(void)
{
	pthread_t workers[N_CORES];

	memset(&stress, 0, sizeof(stress));
	atomic_store(&stress.n_running, N_CORES);
	tx_trace_enable(&stress.memory[0], sizeof(struct memory), 0);
	signals_hold(SIG_BLOCK);
	for (unsigned i = 0; i < N_CORES; i++)
		pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)i);
	while (atomic_load(&stress.n_running)) {
		for (unsigned i = 0; i < N_CORES; i++) {
			pthread_kill(workers[i], SIGUSR1);
			pthread_kill(workers[i], SIGUSR2);
		}
		sched_yield();
	}
	for (unsigned i = 0; i < N_CORES; i++)
		pthread_join(workers[i], NULL);
	tx_trace_disable();
}

static unsigned n_made(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_SOURCES; i++)
		n += atomic_load(&stress.n_made[i]);
	return n;
}

static void check_changes(void)
{
	const struct memory *last;
	bool is_complete = true;

	tx_trace_buffer_full_notify(change_memory);
	stress_run();
	last = &stress.memory[stress.n_memories % 2];
	judge(last, 0, n_used(last));
	for (unsigned i = 0; i < N_SOURCES; i++)
		is_complete &= stress.n_seen[i] == atomic_load(&stress.n_made[i]);
	is_number(stress.n_wrong, 0, "every event is whole and follows the one before of its source");
	ok(is_complete, "none of %u is missing, in %u memories", n_made(), stress.n_memories);
	ok(stress.n_seen[1] >= N_INTERRUPTS_MIN && stress.n_seen[N_LEVELS + 1] >= N_INTERRUPTS_MIN,
		"interrupts recorded, %u times, %u in interrupts of interrupts",
		stress.n_seen[1] + stress.n_seen[4], stress.n_seen[2] + stress.n_seen[5]);
}

static void check_overwriting(void)
{
	const struct memory *memory = &stress.memory[0];
	unsigned n_events;

	tx_trace_buffer_full_notify(NULL);
	stress_run();
	n_events = n_made() + 2;
	is_number(tx_trace_overwritten_get(), n_events - N_SLOTS, "what was overwritten is counted");
	for (unsigned i = N_SLOTS;
		i-- > 0;) { /* the first of each source here need not be its first at all */
		const TX_TRACE_BUFFER_ENTRY *entry = &memory->ring[(n_used(memory) + i) % N_SLOTS];

		stress.n_seen[entry->tx_trace_buffer_entry_information_field_4 % N_SOURCES] =
			entry->tx_trace_buffer_entry_information_field_1;
	}
	judge(memory, n_used(memory), N_SLOTS);
	is_number(stress.n_wrong, 0, "what was not is whole and in order");
}

int main(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	check_changes();
	check_overwriting();
	return tap_done();
}
