/* SPDX-License-Identifier: MIT */
/*
 * Two cores and nested interrupts, on the host: two threads record into the same recorders while signals interrupt them,
 * and signals these signals; a third thread takes what there is. Every record must be there whole, in its source's
 * order, or be counted lost.
 *
 * The file that includes this has chosen the port, and with it how a core holds signals off.
 */
#ifndef TESTS_HAMMER_H
#define TESTS_HAMMER_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "embed/compact/events.h"
#include "embed/core/bytes.h"
#include "embed/core/event.h"
#include "tests/tap.h"

enum {
	N_CORES = 2,
	N_LEVELS = 3,
	N_SOURCES = N_CORES * N_LEVELS,
	N_STEPS = 20000,
	N_STEPS_MAX = 200000,
	N_INTERRUPTS_MIN = 60,
	CELL_WORDS = 4
};

/* A source is a core and how deep in interrupts: each counts what it has recorded. */
struct hammer {
	struct rastrum_events events;
	struct rastrum_bytes bytes;
	struct rastrum_compact compact;
	uint32_t event_memory[256];
	uint8_t byte_memory[512];
	uint32_t compact_memory[256];
	atomic_uint n_made[N_SOURCES];
	atomic_uint n_nested, n_running;
	uint32_t last[3][N_SOURCES]; /* of each kind, what was taken last, plus one */
	uint32_t n_taken[3];
	bool is_whole;
	uint8_t stream[8 << 20];
	size_t n_stream;
};

static struct hammer hammer;
static _Thread_local uint32_t hammer_core, hammer_level;

enum { KIND_EVENTS, KIND_BYTES, KIND_COMPACT };

/* All of a record follows from its source and its number. */
static uint32_t proof(uint32_t source, uint32_t number)
{
	return (number * 2654435761U) ^ source;
}

static void hammer_record(void)
{
	uint32_t source = hammer_core * N_LEVELS + hammer_level;
	uint32_t number = atomic_fetch_add_explicit(&hammer.n_made[source], 1, memory_order_relaxed);
	const uint32_t record[3] = { source, number, proof(source, number) };

	rastrum_event(&hammer.events, source, number, record[2]);
	rastrum_bytes_put(&hammer.bytes, record, sizeof(record));
	rastrum_user_3(&hammer.compact, source, source, number, record[2]);
}

static void on_signal(int signal)
{
	(void)signal;
	if (hammer_level == N_LEVELS - 1)
		return;
	hammer_level++;
	if (hammer_level > 1)
		atomic_fetch_add_explicit(&hammer.n_nested, 1, memory_order_relaxed);
	hammer_record();
	hammer_level--;
}

/* A machine at work on other things may let few come in the usual time. */
static bool has_few_interrupts(void)
{
	uint32_t first = hammer_core * N_LEVELS;

	return atomic_load(&hammer.n_made[first + 1]) < N_INTERRUPTS_MIN;
}

static void signals_hold(int how)
{
	sigset_t both;

	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGUSR2);
	pthread_sigmask(how, &both, NULL);
}

/* Begins with signals held off: one that came before the thread knows its core would pass for another core's. */
static void *work(void *core)
{
	hammer_core = (uint32_t)(uintptr_t)core;
	signals_hold(SIG_UNBLOCK);
	for (unsigned i = 0; i < N_STEPS_MAX && (i < N_STEPS || has_few_interrupts()); i++)
		hammer_record();
	atomic_fetch_sub(&hammer.n_running, 1);
	/* Signals may come until all have ended; they find this thread here. */
	while (atomic_load(&hammer.n_running))
		sched_yield();
	return NULL;
}

static void take_record(unsigned kind, uint32_t source, uint32_t number, uint32_t value)
{
	bool is_good =
		source < N_SOURCES && value == proof(source, number) && number >= hammer.last[kind][source];

	hammer.is_whole &= is_good;
	if (is_good)
		hammer.last[kind][source] = number + 1;
	hammer.n_taken[kind]++;
}

static void take_some(int wants_all)
{
	uint32_t cell[CELL_WORDS], record[3];
	size_t room = sizeof(hammer.stream) - hammer.n_stream;

	while (rastrum_cells_take(&hammer.events.cells, cell))
		take_record(KIND_EVENTS, cell[RASTRUM_EVENT_ID] & 0xffffff, cell[RASTRUM_EVENT_A],
			cell[RASTRUM_EVENT_B]);
	while (rastrum_bytes_take(&hammer.bytes, record, sizeof(record)) == sizeof(record))
		take_record(KIND_BYTES, record[0], record[1], record[2]);
	while (room >= RASTRUM_COMPACT_WIRE) {
		uint32_t n =
			rastrum_compact_take(&hammer.compact, hammer.stream + hammer.n_stream, wants_all);

		if (n == 0)
			break;
		hammer.n_stream += n;
		room -= n;
	}
}

static void *interrupt(void *threads)
{
	const pthread_t *workers = threads;

	while (atomic_load(&hammer.n_running)) {
		for (unsigned i = 0; i < N_CORES; i++) {
			pthread_kill(workers[i], SIGUSR1);
			pthread_kill(workers[i], SIGUSR2);
		}
		sched_yield();
	}
	return NULL;
}

/* The compact stream, read by the dialect: events, and what it says was lost. */
static void read_stream(uint64_t *ret_n_lost)
{
	const struct rst_open how = { .dialect = "compact" };
	const struct rst_batch *batch;
	struct rst_trace *trace;
	uint64_t v[3];

	*ret_n_lost = 0;
	hammer.is_whole &=
		rst_trace_open_bytes(&trace, hammer.stream, hammer.n_stream, "stream", &how, NULL) >= 0;
	while (hammer.is_whole && rst_trace_next(trace, &batch, NULL) == RST_OK)
		for (size_t row = 0; row < batch->n_events; row++) {
			const struct rst_gap *gap = rst_batch_gap(batch, row);
			const struct rst_type *type = batch->type[row];

			if (gap) {
				hammer.is_whole &= gap->marker == RST_LOSS;
				*ret_n_lost += gap->n_events;
				continue;
			}
			for (unsigned i = 0; i < 3; i++)
				v[i] = rst_field_number(
					&type->fields[i], batch->payload[row], batch->payload_bytes[row]);
			hammer.is_whole &= v[0] / N_LEVELS == batch->core[row] || RASTRUM_N_CORES == 1;
			take_record(KIND_COMPACT, (uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]);
		}
	rst_trace_free(trace);
}

static void hammer_start(int keeps_newest)
{
	memset(&hammer, 0, sizeof(hammer));
	hammer.is_whole = true;
	atomic_store(&hammer.n_running, N_CORES);
	rastrum_events_init(&hammer.events, hammer.event_memory, 256, keeps_newest);
	rastrum_bytes_init(&hammer.bytes, hammer.byte_memory, sizeof(hammer.byte_memory));
	rastrum_compact_init(&hammer.compact, hammer.compact_memory, 256, 0);
	rastrum_bits_set(hammer.events.bits, 0, RASTRUM_EVENT_IDS, 1);
	rastrum_bits_set(hammer.compact.bits, 0, RASTRUM_COMPACT_IDS, 1);
}

static void hammer_run(void)
{
	pthread_t workers[N_CORES], interrupter;

	signals_hold(SIG_BLOCK);
	for (unsigned i = 0; i < N_CORES; i++)
		pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)i);
	pthread_create(&interrupter, NULL, interrupt, workers);
	while (atomic_load(&hammer.n_running)) {
		take_some(0);
		sched_yield();
	}
	pthread_join(interrupter, NULL);
	for (unsigned i = 0; i < N_CORES; i++)
		pthread_join(workers[i], NULL);
	take_some(1);
}

static void hammer_check(int keeps_newest)
{
	unsigned n_made = 0, n_in_interrupts = 0;
	uint64_t n_lost;

	hammer_start(keeps_newest);
	hammer_run();
	read_stream(&n_lost);
	for (unsigned i = 0; i < N_SOURCES; i++) {
		n_made += atomic_load(&hammer.n_made[i]);
		n_in_interrupts += i % N_LEVELS ? atomic_load(&hammer.n_made[i]) : 0;
	}
	ok(hammer.is_whole, "every record that was taken is whole and in its source's order");
	is_number(hammer.n_taken[KIND_EVENTS] + rastrum_cells_lost(&hammer.events.cells), n_made,
		"cells: recorded = taken + lost");
	is_number(hammer.n_taken[KIND_BYTES] + rastrum_bytes_lost(&hammer.bytes), n_made,
		"bytes: recorded = taken + lost");
	is_number(hammer.n_taken[KIND_COMPACT] + n_lost, n_made, "compact: recorded = read + told as lost");
	is_number(n_lost, rastrum_compact_lost(&hammer.compact), "which is what its recorder counted");
	ok(n_in_interrupts >= N_CORES * N_INTERRUPTS_MIN,
		"interrupts recorded, %u times, %u of them in interrupts", n_in_interrupts,
		atomic_load(&hammer.n_nested));
}

static int hammer_main(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	hammer_check(0);
	hammer_check(1);
	return tap_done();
}

#endif
