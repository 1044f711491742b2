/* SPDX-License-Identifier: MIT */
/* Plain events, sent as compact blocks, are read back: every value, every loss. */
#include <rastrum/rastrum.h>

#include <string.h>

#include "tests/tap.h"

static uint32_t test_stamp, test_core;
#define RASTRUM_STAMP() (test_stamp)
#define RASTRUM_CORE()	(test_core)

#include "embed/compact/compact.c"
#include "embed/compact/events.h"
#include "embed/compact/plain.c"
#include "embed/compact/take.c"
#include "embed/core/event.c"

enum { N_WORDS = 128, N_EVENTS = 3000, STREAM_MAX = 1 << 18, STREAM = 0, FLIGHT_RECORDER = 1 };

static struct {
	struct rastrum_events events;
	struct rastrum_plain sender;
	uint32_t memory[N_WORDS];
	uint8_t stream[STREAM_MAX];
	size_t n_stream;
	uint64_t n_read, n_lost, n_wrong, n_before;
} world;

static void begin(int keeps_newest)
{
	memset(&world, 0, sizeof(world));
	rastrum_events_init(&world.events, world.memory, N_WORDS, keeps_newest);
	rastrum_bits_set(world.events.bits, 0, RASTRUM_EVENT_IDS, 1);
}

/* Event i: all of it follows from i. */
static uint32_t id_of(uint32_t i)
{
	return RASTRUM_COMPACT_USER(i % 32, i % 3);
}

static void record(uint32_t i)
{
	test_stamp = i * 1000;
	test_core = i / 7 % 3;
	rastrum_event(&world.events, id_of(i), i, ~i);
}

static void take_all(int wants_all)
{
	uint32_t n;

	while ((n = rastrum_plain_take(
			&world.sender, &world.events, world.stream + world.n_stream, wants_all)) != 0)
		world.n_stream += n;
}

static void read_row(const struct rst_batch *batch, size_t row)
{
	const struct rst_layout *layout = batch->layout[row];
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	uint32_t i = (uint32_t)batch->stamp[row] / 1000;
	bool is_right;

	if (gap) {
		world.n_lost += gap->n_events;
		world.n_wrong += gap->marker == RST_DAMAGE;
		return;
	}
	is_right = layout->id == id_of(i) && layout->n_fields == i % 3 && batch->core[row] == i / 7 % 3;
	for (unsigned f = 0; f < layout->n_fields; f++)
		is_right &= rst_field_number(&layout->fields[f], batch->payload[row],
				    batch->payload_bytes[row]) == (f ? ~i : i);
	world.n_wrong += !is_right;
	world.n_read++;
}

static bool read_back(void)
{
	const struct rst_open how = { .dialect = "compact" };
	const struct rst_batch *batch;
	struct rst_trace *trace;
	enum rst_status status;

	if (rst_trace_open_bytes(&trace, world.stream, world.n_stream, "test", &how, NULL) < 0)
		return false;
	while ((status = rst_trace_next(trace, &batch, NULL)) == RST_OK)
		for (size_t i = 0; i < batch->n_events; i++)
			read_row(batch, i);
	rst_trace_free(trace);
	return status == RST_END && world.n_wrong == 0;
}

int main(void)
{
	begin(STREAM);
	for (uint32_t i = 0; i < N_EVENTS; i++) {
		record(i);
		if (i % 20 == 0)
			take_all(0);
	}
	take_all(1);
	ok(read_back() && world.n_read == N_EVENTS && world.n_lost == 0,
		"events that are taken in time come back, with their values, times and cores");
	for (int keeps_newest = STREAM; keeps_newest <= FLIGHT_RECORDER; keeps_newest++) {
		begin(keeps_newest);
		for (uint32_t i = 0; i < N_EVENTS; i++) {
			record(i);
			if (i % 100 == 99 && i / 100 % 2 == 0)
				take_all(0);
		}
		take_all(1);
		ok(read_back() && world.n_lost > 0, "what is taken too late is whole all the same");
		is_number(world.n_read + world.n_lost + (keeps_newest ? 100 - N_WORDS / 4 : 0), N_EVENTS,
			"events read and reported as lost are all but those before the first");
		is_number(rastrum_cells_lost(&world.events.cells), N_EVENTS - world.n_read,
			"the recorder has counted as many");
	}
	return tap_done();
}
