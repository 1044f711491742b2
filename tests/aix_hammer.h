/* SPDX-License-Identifier: MIT */
/*
 * Threads and signal handlers record with hooks into the system trace while another thread takes it: each entry is there
 * whole, in its source's order, or told as lost.
 *
 * The file that includes this has chosen the port and the word, and says with hammer_source() who records.
 */
#ifndef TESTS_AIX_HAMMER_H
#define TESTS_AIX_HAMMER_H

#include <rastrum/rastrum.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

#define RASTRUM_AIX_THREAD() (hammer_source + 1)

enum { N_WORKERS = 2, N_SOURCES = 2 * N_WORKERS, N_STEPS = 15000, N_STEPS_MAX = 150000, N_HANDLED = 60 };

/* The worker, and behind them its handler; the others of the program are none. */
static _Thread_local uint32_t hammer_source;
static _Thread_local bool hammer_works;

#include "embed/aix/channel.c"
#include "embed/aix/record.c"
#include "embed/aix/sys/trcmacros.h"

static struct {
	struct rastrum_aix trace;
	rastrum_aix_word_t memory[256];
	uint8_t stream[32 << 20];
	size_t n_stream;
	atomic_uint n_made[N_SOURCES], n_running;
	uint32_t last[N_SOURCES];
	uint64_t n_read, n_lost;
	bool is_whole;
} hammer;

static uint32_t proof(uint32_t source, uint32_t number)
{
	return (number * 2654435761U) ^ source;
}

/* Every third with a buffer of changing length, all of it made of its number. */
static void hammer_record(void)
{
	uint32_t source = hammer_source, number = atomic_fetch_add(&hammer.n_made[source], 1) + 1;
	uint8_t bytes[64];

	if (number % 3) {
		TRCHKL5(HKWD_USER1 | source, number, proof(source, number), 3, 4, 5);
		return;
	}
	memset(bytes, (uint8_t)proof(source, number), sizeof(bytes));
	TRCGEN(0, HKWD_USER1, number, 1 + number % sizeof(bytes), bytes);
}

static void on_signal(int signal)
{
	(void)signal;
	if (!hammer_works)
		return; /* its thread has not begun */
	hammer_source += N_WORKERS;
	hammer_record();
	hammer_source -= N_WORKERS;
}

static void *work(void *source)
{
	unsigned i = 0;

	hammer_source = (uint32_t)(uintptr_t)source;
	hammer_works = true;
	while (i < N_STEPS ||
		(i < N_STEPS_MAX && atomic_load(&hammer.n_made[hammer_source + N_WORKERS]) < N_HANDLED)) {
		hammer_record();
		if (i++ % 16 == 0)
			sched_yield(); /* so that not nearly all are lost */
	}
	atomic_fetch_sub(&hammer.n_running, 1);
	/* Signals may come until all have ended; they find this thread here. */
	while (atomic_load(&hammer.n_running))
		sched_yield();
	return NULL;
}

static void *interrupt(void *threads)
{
	const pthread_t *workers = threads;

	while (atomic_load(&hammer.n_running)) {
		for (unsigned i = 0; i < N_WORKERS; i++)
			pthread_kill(workers[i], SIGUSR1);
		sched_yield();
	}
	return NULL;
}

static void take_bytes(void)
{
	while (sizeof(hammer.stream) - hammer.n_stream > 4096) {
		uint32_t n = rastrum_aix_take(
			0, hammer.stream + hammer.n_stream, 100 + (uint32_t)hammer.n_stream % 300);

		if (n == 0)
			break;
		hammer.n_stream += n;
	}
}

static bool is_whole_buffer(const uint8_t *bytes, size_t n_bytes, uint32_t source, uint32_t number)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i] != (uint8_t)proof(source, number))
			return false;
	return n_bytes == 1 + number % 64;
}

static bool is_whole_row(const struct rst_batch *batch, size_t row, uint32_t source, uint32_t number)
{
	const struct rst_field *fields = batch->type[row]->fields;
	const uint8_t *payload = batch->payload[row];
	uint32_t n = batch->payload_bytes[row];
	const struct rst_field *last = &fields[batch->type[row]->n_fields - 1];

	if (last->type == RST_BYTES)
		return is_whole_buffer(payload + last->offset, n - last->offset, source, number);
	return (RASTRUM_N_CORES == 1 || batch->core[row] == source % N_WORKERS) &&
	       rst_field_number(&fields[0], payload, n) == source &&
	       rst_field_number(&fields[2], payload, n) == proof(source, number) &&
	       rst_field_number(&fields[5], payload, n) == 5;
}

static void read_row(const struct rst_batch *batch, size_t row)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	const struct rst_type *type = batch->type[row];
	uint32_t source = (uint32_t)batch->context[row]->id - 1, number = 0;

	if (gap) {
		hammer.is_whole &= gap->marker == RST_LOSS;
		hammer.n_lost += gap->n_events;
		return;
	}
	hammer.n_read++;
	if (type->id < 0x10)
		return; /* on and off */
	for (unsigned i = 0; i < type->n_fields; i++)
		if (strcmp(type->fields[i].name, "d1") == 0)
			number = (uint32_t)rst_field_number(
				&type->fields[i], batch->payload[row], batch->payload_bytes[row]);
	if (source >= N_SOURCES || number <= hammer.last[source] || !is_whole_row(batch, row, source, number))
		hammer.is_whole = false;
	else
		hammer.last[source] = number;
}

static void read_stream(void)
{
	const struct rst_batch *batch;
	struct rst_trace *trace;

	hammer.is_whole =
		rst_trace_open_bytes(&trace, hammer.stream, hammer.n_stream, "stream", NULL, NULL) >= 0;
	while (hammer.is_whole && rst_trace_next(trace, &batch, NULL) == RST_OK)
		for (size_t row = 0; row < batch->n_events; row++)
			read_row(batch, row);
	rst_trace_free(trace);
}

static void hammer_run(int keeps_newest)
{
	pthread_t workers[N_WORKERS], interrupter;

	memset(&hammer, 0, sizeof(hammer));
	atomic_store(&hammer.n_running, N_WORKERS);
	rastrum_aix_open(0, &hammer.trace, hammer.memory, 256, keeps_newest);
	trcon(0);
	for (unsigned i = 0; i < N_WORKERS; i++)
		pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)i);
	pthread_create(&interrupter, NULL, interrupt, workers);
	while (atomic_load(&hammer.n_running)) {
		take_bytes();
		sched_yield();
	}
	pthread_join(interrupter, NULL);
	for (unsigned i = 0; i < N_WORKERS; i++)
		pthread_join(workers[i], NULL);
	trcoff(0);
	take_bytes();
}

static void hammer_check(int keeps_newest)
{
	const char *mode = keeps_newest ? "overwriting" : "refusing";
	unsigned n_made = 2, n_handled = 0;

	hammer_run(keeps_newest);
	read_stream();
	for (unsigned i = 0; i < N_SOURCES; i++) {
		n_made += atomic_load(&hammer.n_made[i]);
		n_handled += i < N_WORKERS ? 0 : atomic_load(&hammer.n_made[i]);
	}
	ok(hammer.is_whole, "%s: every entry that was taken is whole and in its source's order", mode);
	is_number(hammer.n_read + hammer.n_lost, n_made, "recorded = read + told as lost");
	is_number(hammer.n_lost, rastrum_aix_lost(0), "which is what the recorder has counted");
	ok(n_handled >= N_WORKERS * N_HANDLED && hammer.n_read > 200,
		"handlers recorded %u times; %u of %u entries are there", n_handled, (unsigned)hammer.n_read,
		n_made);
}

static int hammer_main(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	hammer_check(0);
	hammer_check(1);
	return tap_done();
}

#endif
