/* SPDX-License-Identifier: MIT */
/* The dialect reads the recording back: every event, every stamp, every loss. */
#include <rastrum/rastrum.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static uint32_t test_now;
#define RASTRUM_STAMP() (test_now)

#include "embed/compact/compact.c"
#include "embed/compact/events.h"
#include "embed/compact/take.c"

enum { N_WORDS = 2048, EVENTS_MAX = 20000, STREAM_MAX = 1 << 20, STREAM = 0, FLIGHT_RECORDER = 1 };

struct event {
	uint32_t id, stamp, values[3];
};

/* The recording, the bytes that were taken, and the events that were read from them. */
static struct {
	uint32_t memory[N_WORDS];
	struct rastrum_compact trace;
	struct event made[EVENTS_MAX + 1], read[EVENTS_MAX + 1];
	uint8_t stream[STREAM_MAX];
	size_t n_made, n_read, n_stream, n_damages;
	uint64_t n_lost;
	uint32_t seed;
} world;

static uint32_t any(void)
{
	world.seed = world.seed * 1664525 + 1013904223;
	return world.seed >> 8;
}

/* Numbers of all lengths, small ones mostly. */
static uint32_t any_value(void)
{
	uint32_t value = any() << 8 ^ any();

	return value >> (any() % 32);
}

static void begin(uint32_t n_words, int keeps_newest)
{
	world.n_made = world.n_read = world.n_stream = world.n_damages = 0;
	world.n_lost = 0;
	rastrum_compact_init(&world.trace, world.memory, n_words, keeps_newest);
	rastrum_bits_set(world.trace.bits, 0, RASTRUM_COMPACT_IDS, 1);
}

static void record(uint32_t id, uint32_t a, uint32_t b, uint32_t c)
{
	world.made[world.n_made++] = (struct event){ id, test_now, { a, b, c } };
	switch (id & 3) {
	case 0:
		rastrum_compact_0(&world.trace, id);
		return;
	case 1:
		rastrum_compact_1(&world.trace, id, a);
		return;
	case 2:
		rastrum_compact_2(&world.trace, id, a, b);
		return;
	default:
		rastrum_compact_3(&world.trace, id, a, b, c);
	}
}

/* Ids but the four that are no events. */
static void record_any(void)
{
	uint32_t id = 4 + any() % 252, n = id & 3, values[3] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		values[i] = any_value();
	test_now += any_value() >> 4;
	record(id, values[0], values[1], values[2]);
}

static size_t take(int wants_all)
{
	size_t n = rastrum_compact_take(&world.trace, world.stream + world.n_stream, wants_all);

	world.n_stream += n;
	return n;
}

static void read_row(const struct rst_batch *batch, size_t row)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	struct event *event = &world.read[world.n_read];

	if (gap) {
		world.n_damages += gap->marker == RST_DAMAGE;
		world.n_lost += gap->n_events;
		return;
	}
	*event = (struct event){ .id = batch->layout[row]->id, .stamp = (uint32_t)batch->stamp[row] };
	for (unsigned i = 0; i < batch->layout[row]->n_fields; i++)
		event->values[i] = (uint32_t)rst_field_number(
			&batch->layout[row]->fields[i], batch->payload[row], batch->payload_bytes[row]);
	world.n_read++;
}

static bool read_back(const void *bytes, size_t n_bytes)
{
	const struct rst_open how = { .dialect = "compact" };
	const struct rst_batch *batch;
	struct rst_trace *trace;
	enum rst_status status;

	world.n_read = world.n_damages = 0;
	world.n_lost = 0;
	if (rst_trace_open_bytes(&trace, bytes, n_bytes, "test", &how, NULL) < 0)
		return false;
	while ((status = rst_trace_next(trace, &batch, NULL)) == RST_OK)
		for (size_t i = 0; i < batch->n_events; i++)
			read_row(batch, i);
	rst_trace_free(trace);
	return status == RST_END;
}

static bool is_same(const struct event *made, const struct event *read)
{
	return memcmp(made, read, sizeof(*made)) == 0;
}

/* Whether the events read are those made from `from` on, n of them. */
static bool are_same(size_t from_made, size_t from_read, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_same(&world.made[from_made + i], &world.read[from_read + i]))
			return false;
	return true;
}

static void round_trip(void)
{
	begin(N_WORDS, STREAM);
	for (unsigned i = 0; i < EVENTS_MAX; i++) {
		record_any();
		take(0);
	}
	while (take(1))
		continue;
	ok(read_back(world.stream, world.n_stream) && world.n_read == EVENTS_MAX &&
			are_same(0, 0, EVENTS_MAX) && !world.n_lost && !world.n_damages,
		"%u events of all ids, numbers of all lengths and any time between them come back",
		EVENTS_MAX);
	is_number(rastrum_compact_lost(&world.trace), 0, "and none was lost");
}

static void unwanted(void)
{
	begin(N_WORDS, STREAM);
	rastrum_bits_set(world.trace.bits, RASTRUM_COMPACT_ID(RASTRUM_MUTEX_LOCK, 1), 1, 0);
	rastrum_mutex_lock(&world.trace, 5);
	rastrum_mutex_unlock(&world.trace, 5);
	take(1);
	ok(read_back(world.stream, world.n_stream) && world.n_read == 1 && world.read[0].id == (15 << 2 | 1),
		"an event that is not wanted is not recorded");
	is_number(take(1), 0, "when all is taken there is nothing more");
}

/*
 * A reader that comes too seldom: what is there is whole and in order, and what is not is reported, each at
 * its place.
 */
static void loss_of_stream(void)
{
	bool is_right = true;
	size_t at = 0;
	uint32_t n_refused;

	begin(256, STREAM);
	for (unsigned i = 0; i < 9000; i++) {
		record_any();
		if (any() % 100 == 0)
			take(any() & 1);
	}
	while (take(1))
		continue;
	n_refused = rastrum_compact_lost(&world.trace);
	is_right = read_back(world.stream, world.n_stream);
	for (size_t i = 0; i < world.n_read && is_right; i++, at++) {
		while (at < world.n_made && !is_same(&world.made[at], &world.read[i]))
			at++;
		is_right = at < world.n_made;
	}
	ok(is_right && world.n_lost > 1000,
		"a stream that is read too seldom keeps whole events in their order");
	is_number(world.n_read + world.n_lost, 9000, "events read and events reported as lost are all");
	is_number(world.n_lost, n_refused, "and that is what the recorder has counted");
}

static void overwriting(void)
{
	begin(256, FLIGHT_RECORDER);
	for (unsigned i = 0; i < 5000; i++)
		record_any();
	while (take(1))
		continue;
	ok(read_back(world.stream, world.n_stream) && world.n_read > 40 && !world.n_lost &&
			are_same(5000 - world.n_read, 0, world.n_read),
		"a flight recorder has the newest events");
	is_number(rastrum_compact_lost(&world.trace), 0, "which is no loss to the recorder");
}

/* The memory itself, as a debugger dumps it, after any number of events. */
static void dumped_memory(void)
{
	bool is_right = true, was_long = true;

	for (unsigned n = 1; n < 700 && is_right; n += 1 + n / 9) {
		memset(world.memory, 0, sizeof(world.memory));
		begin(256, FLIGHT_RECORDER);
		for (unsigned i = 0; i < n; i++)
			record_any();
		is_right = read_back(world.memory, 1024) && !world.n_damages && !world.n_lost &&
			   world.n_read <= n && are_same(n - world.n_read, 0, world.n_read);
		was_long &= world.n_read == n || world.n_read > 40;
	}
	ok(is_right && was_long, "memory is read as it lies, to the last event");
}

/* One byte less: at most the events of one block are missing, and exactly these are reported. */
static void lost_byte(void)
{
	static uint8_t cut[STREAM_MAX];
	size_t worst = 0, first_block;
	bool is_right = true;

	begin(N_WORDS, STREAM);
	for (unsigned i = 0; i < 600; i++) {
		uint32_t n_values = any() & 1;

		test_now += any() & 63;
		record(RASTRUM_COMPACT_USER(any() & 31, n_values), n_values ? any() & 100 : 0, 0, 0);
		take(0);
	}
	take(1);
	first_block = RASTRUM_COMPACT_HEAD + (size_t)world.stream[2] + 2;
	for (size_t at = first_block; at < world.n_stream && is_right; at++) {
		size_t before = 0;

		memcpy(cut, world.stream, at);
		memcpy(cut + at, world.stream + at + 1, world.n_stream - at - 1);
		is_right = read_back(cut, world.n_stream - 1) && world.n_damages >= 1;
		while (before < world.n_read && is_same(&world.made[before], &world.read[before]))
			before++;
		if (600 - world.n_read > worst)
			worst = 600 - world.n_read;
		is_right &= are_same(600 - (world.n_read - before), before, world.n_read - before);
		/* No block follows the last one, from which its number of events would follow. */
		is_right &= world.n_read + world.n_lost == 600 || before == world.n_read;
	}
	ok(is_right, "whichever byte is lost, the events around it are reported exactly");
	ok(worst <= 64, "a lost byte costs at most 64 events (%zu)", worst);
}

static void names(void)
{
	static const struct rastrum_name table[] = { { RASTRUM_NAME_CLOCK, 1000000, NULL },
		{ RASTRUM_NAME_TASK, 1, "a name of more than forty bytes is cut off at the fortieth" },
		{ RASTRUM_NAME_TASK, 300, "" }, { RASTRUM_NAME_USER, 7, "MOTOR" },
		{ RASTRUM_NAME_QUEUE, 1, "q" }, { RASTRUM_NAME_QUEUE, 0xffffffff, "the last one of all" },
		{ RASTRUM_NAME_QUEUE, 2, "a name of more than forty bytes is cut off at the fortieth" } };
	uint32_t next = 0, n_blocks = 0, n;

	begin(N_WORDS, STREAM);
	while ((n = rastrum_compact_names(table, 7, &next, world.stream + world.n_stream)) != 0) {
		ok(n <= RASTRUM_COMPACT_WIRE, "a block of names is no longer than other blocks");
		world.n_stream += n;
		n_blocks++;
	}
	ok(n_blocks == 2 && next == 7, "names take as many blocks as they need");
	rastrum_user_1(&world.trace, 7, 5);
	take(1);
	ok(read_back(world.stream, world.n_stream) && world.n_read == 1 && !world.n_damages,
		"events behind names are read");
}

int main(void)
{
	world.seed = 1;
	is_number(rastrum_compact_init(&world.trace, world.memory, 63, STREAM), 0,
		"one block makes no recorder");
	round_trip();
	unwanted();
	loss_of_stream();
	overwriting();
	dumped_memory();
	lost_byte();
	names();
	return tap_done();
}
