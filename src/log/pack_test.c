/* SPDX-License-Identifier: MIT */
/* Packed events: all kinds of events can be written and read again, and false bytes are refused. */
#include <stdio.h>
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

/* Any value; small ones and the largest are more frequent. */
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

/* An event of a usual program with some sites and threads. */
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

/* The number of events that come back unchanged. */
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

/* Cuts at every byte, in memory that ends there, so that the sanitizers find reads beyond the end. */
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

/* The block's events one behind the other; release with free(). */
static unsigned char *run_make(const struct block *block, struct log_run *ret_run)
{
	unsigned char *run = calloc(N_EVENTS, sizeof(struct log_event) + DATA_MAX + 8), *at = run;

	for (int i = 0; i < N_EVENTS; i++) {
		memcpy(at, &block->events[i], sizeof(struct log_event));
		memcpy(at + sizeof(struct log_event), block->data[i], block->events[i].length);
		at += log_event_bytes(block->events[i].length);
	}
	*ret_run = (struct log_run){ .events = run,
		.n_bytes = (uint32_t)(at - run),
		.n_events = N_EVENTS,
		.cpu = LOG_NO_CPU,
		.n_cpus = LOG_NO_CPU,
		.until = UINT64_MAX };
	return run;
}

/* Packs the events of a run one by one. Returns the number of bytes. */
static size_t pack_each(struct log_run run, uint64_t first_ticks, unsigned char *packed)
{
	struct log_tables tables;
	struct log_event event;
	size_t n = 0;

	log_tables_begin(&tables, first_ticks);
	for (; log_run_next(&run, &event); log_run_pass(&run, &event))
		n += log_pack(&tables, packed + n, &event, run.events + sizeof(event));
	return n;
}

/* Packs a block's events as a run, in pieces with random room. */
static bool run_is_same(const struct block *block)
{
	unsigned char *each = malloc(sizeof(block->bytes));
	unsigned char *packed = malloc(sizeof(block->bytes) + LOG_PACKED_HEAD_MAX), *to = packed;
	struct log_tables tables;
	struct log_run run;
	unsigned char *events = run_make(block, &run);
	const size_t n_each = pack_each(run, block->events[0].ticks, each);
	bool is_same, is_limited = true;

	log_tables_begin(&tables, block->events[0].ticks);
	while (run.n_events > 0 && is_limited) {
		const uint64_t room = next_random() % 3000;
		const size_t n = log_pack_run(&tables, &run, to, room);

		is_limited = n <= room;
		to += n;
	}
	is_same =
		is_limited && run.n_bytes == 0 && to == packed + n_each && memcmp(packed, each, n_each) == 0;
	free(each);
	free(events);
	free(packed);
	return is_same;
}

/* A log_run_test that lets `left` events pass. */
struct patience {
	int left, n_asked;
	struct log_event asked;
};
static bool is_patient(void *owner, const struct log_event *event)
{
	struct patience *patience = owner;

	patience->n_asked++;
	patience->asked = *event;
	return patience->left-- > 0;
}

/* Takes events of a run. Returns how many were taken. */
static uint32_t take_some(unsigned char *events, const struct log_event *shown, uint32_t n,
	struct log_run *run, bool one_by_one)
{
	unsigned char packed[2000];
	struct log_tables tables;
	struct log_event event;

	for (uint32_t i = 0; i < n; i++)
		memcpy(events + i * sizeof(*shown), &shown[i], sizeof(*shown));
	run->events = events;
	run->n_bytes = n * (uint32_t)sizeof(*shown);
	run->n_events = n;
	log_tables_begin(&tables, shown[0].ticks);
	while (one_by_one && log_run_next(run, &event))
		log_run_pass(run, &event);
	if (!one_by_one)
		log_pack_run(&tables, run, packed, sizeof(packed));
	return n - run->n_events;
}

/* The conditions that end a run or change its events. */
static void test_run_ends(bool one_by_one)
{
	_Alignas(8) unsigned char events[8 * sizeof(struct log_event)];
	struct log_event shown[8], event;
	struct patience patience = { .left = 100 };
	struct log_run run = { .cpu = 3, .until = UINT64_MAX };

	printf("# %s\n", one_by_one ? "events one by one" : "events as a run");
	for (uint32_t i = 0; i < 8; i++)
		shown[i] = (struct log_event){
			.type = 70, .cpu = 1, .ticks = 100 + i, .address = 9, .pid = 5, .tid = 5 + i / 4
		};
	ok(take_some(events, shown, 8, &run, one_by_one) == 8 && run.from == 107,
		"a run of a processor is taken");
	run = (struct log_run){ .cpu = LOG_NO_CPU, .from = 103, .until = 105 };
	ok(take_some(events, shown, 8, &run, one_by_one) == 6 && run.from == 105, "up to some ticks");
	ok(run.events == events + 6 * sizeof(*shown) && run.n_bytes == 2 * sizeof(*shown),
		"and the others are left");
	run.from = run.until = 200;
	ok(log_run_next(&run, &event) && event.ticks == 200,
		"an event that is too late gets the ticks of the one before");
	ok(event.cpu == LOG_NO_CPU, "a processor that there is not is not known");
	run = (struct log_run){ .cpu = LOG_NO_CPU,
		.n_cpus = 2,
		.until = UINT64_MAX,
		.may_take = is_patient,
		.owner = &patience };
	ok(take_some(events, shown, 8, &run, one_by_one) == 8 && patience.asked.cpu == 1,
		"its owner is asked");
	ok(one_by_one ? patience.n_asked == 8 : patience.n_asked == 2, "at least once for a thread (%d)",
		patience.n_asked);
	patience.left = 1;
	ok(take_some(events, shown, 8, &run, one_by_one) == (one_by_one ? 1 : 4), "and ends it");
	run.may_take = NULL;
	shown[2].length = 8 * sizeof(*shown);
	ok(take_some(events, shown, 8, &run, one_by_one) == 2,
		"so does an event that would be longer than the rest");
	shown[2].length = LOG_DATA_MAX + 1;
	ok(take_some(events, shown, 8, &run, one_by_one) == 2, "or than any event");
}

/* A log_run_test that refuses one thread at one site. */
static bool is_not_that(void *owner, const struct log_event *event)
{
	const struct log_event *that = owner;

	return event->tid != that->tid || event->address != that->address;
}

/*
 * If a site may be taken in one thread, may_take is still called for another thread, and for another site in
 * the same slot.
 */
static void test_run_asks(void)
{
	_Alignas(8) unsigned char events[4 * sizeof(struct log_event)];
	struct log_event shown[4];
	struct log_run run = { .cpu = 3, .until = UINT64_MAX, .may_take = is_not_that, .owner = &shown[3] };
	unsigned char packed[300];
	struct log_tables tables;
	uint64_t other = 0x1001;

	for (uint32_t i = 0; i < 4; i++)
		shown[i] = (struct log_event){
			.type = 70, .ticks = 100, .address = 9 + i % 2, .tid = 5 + i / 2
		};
	ok(take_some(events, shown, 4, &run, false) == 3, "a site is asked for again in another thread");
	while (log_pack_hash(other + 70) % LOG_SITES != log_pack_hash(0x1000 + 70) % LOG_SITES)
		other++;
	shown[0] = (struct log_event){ .type = 70, .cpu = 3, .ticks = 100, .address = 0x1000, .tid = 5 };
	shown[1] = shown[3] = shown[0];
	shown[1].address = other;
	log_tables_begin(&tables, 100);
	log_pack(&tables, packed, &shown[0], NULL);
	memcpy(events, &shown[1], sizeof(shown[1]));
	memcpy(events + sizeof(shown[1]), &shown[3], sizeof(shown[3]));
	run.events = events;
	run.n_bytes = 2 * sizeof(shown[0]);
	run.n_events = 2;
	log_pack_run(&tables, &run, packed, sizeof(packed));
	is_number(run.n_events, 1, "and one whose place another looks for first");
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
	test_run_ends(false);
	test_run_ends(true);
	test_run_asks();
	test_cut();
	test_lies();
	free(block);
	return tap_done();
}
