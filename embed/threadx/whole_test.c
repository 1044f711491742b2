/* SPDX-License-Identifier: MIT */
/* The memory is taken in the midst of each record, as a debugger might: it never holds half an event. */
#include <rastrum/rastrum.h>

#include <string.h>

#include "tests/tap.h"

struct TX_TRACE_CONTEXT_STRUCT;
static void take_memory(struct TX_TRACE_CONTEXT_STRUCT *context);

#define TX_ENABLE_EVENT_TRACE
#define TX_TRACE_TIME_SOURCE	      whole.n_made
#define TX_TRACE_CONTEXT_GET(context) take_memory(context)

static struct {
	unsigned n_made;
	unsigned n_wrong;
} whole;

#include "embed/threadx/tx_trace_enable.c"
#include "embed/threadx/tx_trace_insert.c"
#include "embed/threadx/tx_trace_registry.c"

enum {
	N_SLOTS = 7,
	N_EVENTS = 100,
	N_BYTES = sizeof(TX_TRACE_HEADER) + N_SLOTS * sizeof(TX_TRACE_BUFFER_ENTRY)
};

static ULONG memory[N_BYTES / sizeof(ULONG)];

/* The stamps of all events that the reader finds, in its order, are first, first + 1, … and n of them. */
static bool has_events(const void *bytes, uint64_t first, uint64_t n)
{
	const struct rst_open how = { .dialect = "threadx" };
	const struct rst_batch *batch;
	struct rst_trace *trace;
	uint64_t n_seen = 0;
	bool is_right = true;

	if (rst_trace_open_bytes(&trace, bytes, N_BYTES, "taken", &how, NULL) < 0)
		return false;
	while (rst_trace_next(trace, &batch, NULL) == RST_OK)
		for (size_t i = 0; i < batch->n_events; i++)
			is_right &=
				batch->type[i]->marker == RST_EVENT && batch->stamp[i] == first + n_seen++;
	rst_trace_free(trace);
	return is_right && n_seen == n;
}

/*
 * The event being written has half its fields by now. All before it are there, but the one whose slot it
 * takes.
 */
static void take_memory(struct TX_TRACE_CONTEXT_STRUCT *context)
{
	unsigned n_before = whole.n_made, n_here = n_before < N_SLOTS ? n_before : N_SLOTS - 1;
	static ULONG taken[N_BYTES / sizeof(ULONG)];

	context->thread = memory;
	memcpy(taken, memory, N_BYTES);
	whole.n_wrong += !has_events(taken, n_before - n_here, n_here);
	whole.n_made++;
}

int main(void)
{
	memset(memory, 0xa5, sizeof(memory));
	tx_trace_enable(memory, N_BYTES, 0);
	while (whole.n_made < N_EVENTS)
		tx_trace_user_event_insert(5000, 1, 2, 3, 4);
	is_number(whole.n_wrong, 0,
		"in the midst of a record there are all events before it, and no part of it");
	ok(has_events(memory, N_EVENTS - N_SLOTS, N_SLOTS), "afterwards it is there");
	return tap_done();
}
