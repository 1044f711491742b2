/* SPDX-License-Identifier: MIT */
/*
 * Records of the kernel, made by hand as perf_event_open(2) has them, and rings of them that no kernel would
 * write.
 */
#include "record/kernel/rings.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum {
	RING_BYTES = 4096,
	UNPUBLISHED =
		1024, /* of a full ring: what rings.c leaves out, because the kernel may be writing there */
};

/* A record with its sample id: thread 8 of process 7, at time 1000, on processor 3. Returns its bytes. */
static size_t record_make(unsigned char *to, uint32_t type, uint16_t misc, const void *body, size_t n_body)
{
	const struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
	} id = { 7, 8, 1000, 3, 0 };
	const struct perf_event_header head = { type, misc, (uint16_t)(sizeof head + n_body + sizeof id) };

	memcpy(to, &head, sizeof head);
	if (n_body)
		memcpy(to + sizeof head, body, n_body);
	memcpy(to + sizeof head + n_body, &id, sizeof id);
	return head.size;
}

static struct perf_record record_parsed(uint32_t type, uint16_t misc, const void *body, size_t n_body)
{
	unsigned char bytes[PERF_RECORD_MOST];
	struct perf_record record;

	perf_parse(bytes, record_make(bytes, type, misc, body, n_body), &record);
	return record;
}

static void check_switches(void)
{
	static const struct {
		uint16_t misc;
		enum perf_kind kind;
		const char *what;
	} rows[] = {
		{ 0, PERF_IN, "a thread that is put on a processor runs" },
		{ PERF_RECORD_MISC_SWITCH_OUT, PERF_WAIT, "one that leaves it waits" },
		{ PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, PERF_PREEMPT,
			"one that is ready and leaves it is preempted" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct perf_record record = record_parsed(PERF_RECORD_SWITCH, rows[i].misc, NULL, 0);

		ok(record.kind == rows[i].kind && record.pid == 7 && record.tid == 8 && record.cpu == 3 &&
				record.time == 1000,
			"%s", rows[i].what);
	}
}

static void check_tasks(void)
{
	const struct {
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time;
	} body = { 20, 10, 21, 11, 1000 };
	struct perf_record record = record_parsed(PERF_RECORD_FORK, 0, &body, sizeof body);

	ok(record.kind == PERF_FORK && record.pid == 20 && record.tid == 21 && record.parent_pid == 10 &&
			record.parent_tid == 11,
		"the record of a new thread has its maker");
	record = record_parsed(PERF_RECORD_EXIT, 0, &body, sizeof body);
	ok(record.kind == PERF_EXIT && record.pid == 20 && record.tid == 21,
		"and the record of its end has its number");
	record = record_parsed(PERF_RECORD_EXIT, 0, &body, sizeof body - 8);
	ok(record.kind == PERF_OTHER, "a record too short for its type is none");
}

static void check_names(void)
{
	const struct {
		uint32_t pid, tid;
		char name[16];
	} body = { 30, 31, "motor\0junk" }, longest = { 30, 31,
		{ 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p' } };
	static const char motor[PERF_NAME_BYTES] = "motor";
	struct perf_record record = record_parsed(PERF_RECORD_COMM, 0, &body, sizeof body);

	ok(record.kind == PERF_NAME && record.pid == 30 && record.tid == 31 &&
			memcmp(record.name, motor, sizeof motor) == 0,
		"a name ends where it ends, with zeros behind it");
	record = record_parsed(PERF_RECORD_COMM, 0, &longest, sizeof longest);
	ok(record.kind == PERF_NAME && strlen(record.name) == PERF_NAME_BYTES - 1,
		"a name without an end has one all the same");
	record = record_parsed(PERF_RECORD_COMM, 0, &body, 8);
	ok(record.kind == PERF_NAME && record.name[0] == '\0', "no name is an empty one");
}

static void check_faults(void)
{
	const struct {
		struct perf_event_header head;
		uint64_t instruction;
		uint32_t pid, tid;
		uint64_t time, address;
		uint32_t cpu, reserved;
	} fault = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof fault }, 0x401000, 7, 8, 1000,
		0x7f0000001234, 3, 0 };
	struct perf_record record;

	perf_parse(&fault, sizeof fault, &record);
	ok(record.kind == PERF_FAULT && record.pid == 7 && record.tid == 8 && record.cpu == 3 &&
			record.time == 1000 && record.instruction == 0x401000 &&
			record.address == 0x7f0000001234,
		"a page fault has where it was, and what was missing");
	perf_parse(&fault, sizeof fault - 8, &record);
	ok(record.kind == PERF_OTHER, "one that is cut is none");
}

static void check_others(void)
{
	const struct {
		uint64_t id, n_lost;
	} lost = { 1, 77 };
	unsigned char bytes[PERF_RECORD_MOST];
	struct perf_record record = record_parsed(PERF_RECORD_LOST, 0, &lost, sizeof lost);
	size_t n = record_make(bytes, PERF_RECORD_SWITCH, 0, NULL, 0);

	ok(record.kind == PERF_LOST && record.n_lost == 77 && record.time == 1000,
		"records that found no room are counted");
	ok(record_parsed(PERF_RECORD_MMAP, 0, NULL, 0).kind == PERF_OTHER, "other records are PERF_OTHER");
	ok(record_parsed(4000, 0, NULL, 0).kind == PERF_OTHER, "and so are those that do not exist yet");
	perf_parse(bytes, n - 1, &record);
	ok(record.kind == PERF_OTHER, "and one without its whole sample id");
	memset(bytes + 8, 0xff, 8);
	perf_parse(bytes, n, &record);
	ok(record.kind == PERF_OTHER, "and one of a thread that has no number any more");
}

/* --- rings ---------------------------------------------------------------------------------------------- */

struct fake {
	struct perf_event_mmap_page page;
	unsigned char area[RING_BYTES], copy[RING_BYTES];
	uint32_t offsets[RING_BYTES / PERF_RECORD_LEAST];
	struct kernel_ring ring;
	struct rings rings;
};

static struct fake *fake_new(bool overwrites)
{
	struct fake *fake = calloc(1, sizeof *fake);

	fake->ring = (struct kernel_ring){ .page = &fake->page,
		.area = fake->area,
		.bytes = RING_BYTES,
		.fd = -1,
		.copy = fake->copy,
		.offsets = fake->offsets };
	fake->rings = (struct rings){ .overwrites = overwrites, .n_rings = 1, .rings = &fake->ring };
	return fake;
}

static void fake_put(struct fake *fake, uint64_t at, const unsigned char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		fake->area[(at + i) % RING_BYTES] = bytes[i];
}

/* How many records are switches, up to the first that is lost. */
static unsigned take_all(struct fake *fake, uint64_t *ret_n_lost)
{
	struct perf_record record;
	unsigned n = 0;

	*ret_n_lost = 0;
	rings_look(&fake->rings);
	while (n < 1000 && rings_take(&fake->rings, 0, &record)) {
		n += record.kind < PERF_N_SWITCHES;
		*ret_n_lost += record.n_lost;
	}
	return n;
}

static void check_filled(void)
{
	struct fake *fake = fake_new(false);
	unsigned char bytes[PERF_RECORD_MOST] = { 0 };
	size_t n = record_make(bytes, PERF_RECORD_SWITCH, 0, NULL, 0);
	struct perf_event_header head = { PERF_RECORD_SWITCH, 0, 0 };
	uint64_t n_lost, at = RING_BYTES - 16;
	bool is_any;

	fake->ring.at = fake->page.data_tail = at;
	fake_put(fake, at, bytes, n);
	fake_put(fake, at + n, bytes, n);
	fake->page.data_head = at + 2 * n;
	ok(!rings_are_filling(&fake->rings, &is_any) && is_any, "a ring with a little is not filling");
	ok(take_all(fake, &n_lost) == 2 && n_lost == 0, "records go on at the beginning of the ring");
	ok(fake->page.data_tail == at + 2 * n, "and their room is given back");
	ok(take_all(fake, &n_lost) == 0, "once they are taken there is nothing");
	at += 2 * n;
	fake_put(fake, at, (unsigned char *)&head, sizeof head);
	fake->page.data_head = at + 64;
	ok(take_all(fake, &n_lost) == 0 && n_lost == 1, "a record without a length gives up what is there");
	at += 64;
	head.size = 4000;
	fake_put(fake, at, (unsigned char *)&head, sizeof head);
	fake->page.data_head = at + 64;
	ok(take_all(fake, &n_lost) == 0 && n_lost == 1, "and so does one that is longer than that");
	at += 64;
	head.size = 512;
	fake_put(fake, at, (unsigned char *)&head, sizeof head);
	fake_put(fake, at + 512, bytes, n);
	fake->page.data_head = at + 512 + n;
	ok(take_all(fake, &n_lost) == 1 && n_lost == 0, "one that is longer than ours is passed over");
	fake->page.data_head = fake->ring.at + RING_BYTES / 2;
	ok(rings_are_filling(&fake->rings, &is_any) && is_any, "a ring with much is filling");
	free(fake);
}

static void check_overwritten(void)
{
	struct fake *fake = fake_new(true);
	unsigned char bytes[PERF_RECORD_MOST] = { 0 };
	size_t n = record_make(bytes, PERF_RECORD_SWITCH, 0, NULL, 0);
	const uint64_t n_kept = (RING_BYTES - UNPUBLISHED) / n;
	uint64_t n_lost, head = 0, time;
	struct perf_record record;

	ok(take_all(fake, &n_lost) == 0, "an empty recorder has nothing");
	for (time = 1; time <= 3; time++) {
		memcpy(bytes + n - 16, &time, sizeof time);
		head -= n;
		fake_put(fake, head, bytes, n);
	}
	fake->page.data_head = head;
	rings_look(&fake->rings);
	ok(rings_take(&fake->rings, 0, &record) && record.time == 1, "the oldest record comes first");
	ok(take_all(fake, &n_lost) == 3 && n_lost == 0, "a look begins anew");
	for (; time <= 1000; time++) {
		memcpy(bytes + n - 16, &time, sizeof time);
		head -= n;
		fake_put(fake, head, bytes, n);
	}
	fake->page.data_head = head;
	rings_look(&fake->rings);
	ok(rings_take(&fake->rings, 0, &record) && record.kind == PERF_LOST &&
			record.n_lost == 1000 - n_kept && record.time == 1001 - n_kept,
		"overwritten records are reported in front of the oldest one");
	ok(take_all(fake, &n_lost) == n_kept, "the others are all there");
	memset(fake->area, 0xff, sizeof fake->area);
	ok(take_all(fake, &n_lost) == 0, "bytes that are no records give none");
	free(fake);
}

int main(void)
{
	check_switches();
	check_tasks();
	check_names();
	check_faults();
	check_others();
	check_filled();
	check_overwritten();
	return tap_done();
}
