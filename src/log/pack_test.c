/* SPDX-License-Identifier: MIT */
/* Packed events: what is written is read, in blocks of all kinds of events, and bytes that lie are refused. */
#include <stdlib.h>
#include <string.h>

#include "log/events.h"
#include "tests/tap.h"

enum { N_EVENTS = 4000, DATA_MAX = 300 };

static uint64_t state = 7;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Any value, and more often small ones and the largest. */
static uint64_t any(uint64_t max)
{
	const uint64_t n = next_random();

	return n % 4 == 0   ? max
	       : n % 4 == 1 ? next_random() % 4
			    : next_random() & (max >> next_random() % 48);
}

static struct log_event random_event(void)
{
	return (struct log_event){ .type = (uint16_t)any(UINT16_MAX),
		.flags = (uint16_t)any(1),
		.length = (uint16_t)any(DATA_MAX),
		.cpu = (uint16_t)any(UINT16_MAX),
		.ticks = any(UINT64_MAX),
		.address = any(UINT64_MAX),
		.pid = (uint32_t)any(UINT32_MAX),
		.tid = (uint32_t)any(UINT32_MAX),
		.thread = any(UINT64_MAX) };
}

/* Of a program with some sites and threads, as they are. */
static struct log_event usual_event(uint64_t n)
{
	const uint32_t site = (uint32_t)(next_random() % 12), thread = (uint32_t)(next_random() % 4);

	return (struct log_event){ .type = (uint16_t)(65 + site),
		.length = 4,
		.cpu = (uint16_t)(thread / 2),
		.ticks = 5000000000000ull + 700 * n,
		.address = 0x555555555000 + 24 * site,
		.pid = 4242,
		.tid = 4242 + thread,
		.thread = 0x7ffff7c00740 - 0x801000ull * thread };
}

struct block {
	struct log_event events[N_EVENTS];
	unsigned char data[N_EVENTS][DATA_MAX];
	unsigned char bytes[N_EVENTS * (LOG_PACKED_HEAD_MAX + DATA_MAX)];
	size_t n, longest;
};

static void block_fill(struct block *block, bool is_usual)
{
	struct log_tables tables;

	block->n = block->longest = 0;
	for (int i = 0; i < N_EVENTS; i++) {
		struct log_event *event = &block->events[i];
		size_t n;

		*event = is_usual ? usual_event((uint64_t)i) : random_event();
		for (int at = 0; at < event->length; at++)
			block->data[i][at] = (unsigned char)next_random();
		if (i == 0)
			log_tables_begin(&tables, event->ticks);
		n = log_pack(&tables, block->bytes + block->n, event, block->data[i]);
		if (n - event->length > block->longest)
			block->longest = n - event->length;
		block->n += n;
	}
}

/* How many events come back as they were. */
static int block_read(const struct block *block)
{
	struct log_events_cursor cursor;
	struct log_event event;
	const unsigned char *data;
	int n = 0;

	log_events_start(
		&cursor, block->bytes, block->bytes + block->n, N_EVENTS, block->events[0].ticks, true);
	while (log_events_next(&cursor, &event, &data) &&
		memcmp(&event, &block->events[n], sizeof(event)) == 0 &&
		memcmp(data, block->data[n], event.length) == 0)
		n++;
	return cursor.at == cursor.end ? n : -1;
}

static void test_round_trip(struct block *block)
{
	block_fill(block, false);
	ok(block_read(block) == N_EVENTS, "events of all kinds come back as they were");
	ok(block->longest <= LOG_PACKED_HEAD_MAX, "the longest head has %zu bytes", block->longest);
	block_fill(block, true);
	ok(block_read(block) == N_EVENTS, "events of a program come back as they were");
	ok(block->n <= 8 * N_EVENTS,
		"those with 4 bytes of data have 8 bytes each at most, on the average (%zu)", block->n);
}

/* Every end, in memory that ends there: the sanitizers find what reads on. */
static void test_cut(void)
{
	unsigned char bytes[LOG_PACKED_HEAD_MAX + DATA_MAX];
	bool is_refused = true, is_kept = true;

	for (int i = 0; i < 200; i++) {
		const struct log_event event = random_event();
		static const unsigned char data[DATA_MAX];
		struct log_tables tables, before;
		struct log_event read;
		size_t n;

		memset(&tables, 0, sizeof(tables));
		log_tables_begin(&tables, 0);
		n = log_pack(&tables, bytes, &event, data);
		memset(&tables, 0, sizeof(tables));
		log_tables_begin(&tables, 0);
		before = tables;
		for (size_t cut = 0; cut <= n; cut++) {
			unsigned char *copy = malloc(cut + !cut);

			memcpy(copy, bytes, cut);
			if (cut < n) {
				is_refused &= log_unpack(&tables, copy, cut, &read) == 0;
				is_kept &= memcmp(&tables, &before, sizeof(tables)) == 0;
			} else {
				is_refused &= log_unpack(&tables, copy, cut, &read) == n;
			}
			free(copy);
		}
	}
	ok(is_refused, "an event that is cut anywhere is refused, a whole one is not");
	ok(is_kept, "one that is refused leaves the tables as they were");
}

static void test_lies(void)
{
	static const struct {
		unsigned char bytes[24];
		size_t n;
		const char *what;
	} lies[] = {
		{ { 0x05, 0x00 }, 2, "a site that was not given" },
		{ { 0x45, 0x03, 0x41, 0x01, 0x00 }, 5, "the half of a site that was not given" },
		{ { 0x45, 0x1f, 0x41, 0x01, 0x00, 0x00, 0x00 }, 7, "a part of a site that there is not" },
		{ { 0x45, 0x0f, 0x80, 0x80, 0x04, 0x01, 0x00, 0x00, 0x00 }, 9, "a type of 17 bits" },
		{ { 0x45, 0x0f, 0x41, 0x01, 0xf9, 0xff, 0x03, 0x00, 0x00 }, 9, "more data than events have" },
		{ { 0xc5, 0x0f, 0x41, 0x01, 0x00, 0x00, 0x07, 0x00 }, 8, "a thread that was not given" },
		{ { 0xc5, 0x0f, 0x41, 0x01, 0x00, 0x00, 0x87, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 0, 1, 0 }, 16,
			"a process of 33 bits" },
		{ { 0x45, 0x0f, 0x41, 0x01, 0x00, 0x00, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 }, 16,
			"ticks of 65 bits" },
	};
	struct log_tables tables;
	struct log_event event;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		log_tables_begin(&tables, 0);
		ok(log_unpack(&tables, lies[i].bytes, lies[i].n, &event) == 0, "%s is refused", lies[i].what);
	}
}

/* Events of a block as a run, in pieces that random room and random limits end. */
static bool run_is_same(const struct block *block)
{
	unsigned char *run = calloc(N_EVENTS, sizeof(struct log_event) + DATA_MAX + 8), *at = run;
	unsigned char *packed = malloc(sizeof(block->bytes) + LOG_PACKED_HEAD_MAX);
	struct log_packing packing = { .events = run, .to = packed };
	struct log_tables tables;
	uint32_t n = 0;
	bool is_same;

	for (int i = 0; i < N_EVENTS; i++) {
		memcpy(at, &block->events[i], sizeof(struct log_event));
		memcpy(at + sizeof(struct log_event), block->data[i], block->events[i].length);
		at += log_event_bytes(block->events[i].length);
	}
	log_tables_begin(&tables, block->events[0].ticks);
	while (n < N_EVENTS) {
		const uint64_t limit = next_random() % 5000;

		packing.n_events = N_EVENTS - n;
		packing.n_bytes = limit;
		packing.room = next_random() % 3000;
		log_pack_run(&tables, &packing);
		if (packing.n_bytes > limit)
			break;
		n += packing.n_events;
		packing.events += packing.n_bytes;
	}
	is_same = n == N_EVENTS && packing.events == at && packing.to == packed + block->n &&
		  memcmp(packed, block->bytes, block->n) == 0;
	free(run);
	free(packed);
	return is_same;
}

static void test_run(struct block *block)
{
	block_fill(block, true);
	ok(run_is_same(block), "a run of usual events is packed as each of them is");
	block_fill(block, false);
	ok(run_is_same(block), "and one of random events");
}

int main(void)
{
	struct block *block = malloc(sizeof(*block));

	test_round_trip(block);
	test_run(block);
	test_cut();
	test_lies();
	free(block);
	return tap_done();
}
