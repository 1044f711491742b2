/* SPDX-License-Identifier: MIT */
/*
 * The reader of pools over a pool that another process writes lies into, before and between looks. The first
 * byte chooses policy and kind of reader; then come orders of ten bytes: what to do, where, and a word. A
 * reader must end, give events whose data are within bounds, and not give more than the pool can hold unless
 * more is put.
 */
#include <stdlib.h>
#include <string.h>

#include "record/buffer/read.h"
#include "record/buffer/subbuf.h"
#include "record/consumer/copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	N_SUBBUFS = 6,
	N_BUFFERS = 4,
	SHIFT = 12,
	BUFFERS_AT = (sizeof(struct pool_shared) + 4095) / 4096 * 4096,
	SUBBUFS_AT = BUFFERS_AT + 4096,
	AREA_AT = SUBBUFS_AT + 4096,
	TOTAL = AREA_AT + (N_SUBBUFS << SHIFT),
	ORDER_BYTES = 10,
	ORDERS_MAX = 200,
};

static const struct pool_spec kind = {
	.geometry = { .subbuf_shift = SHIFT,
		.n_subbufs = N_SUBBUFS,
		.n_per_cpu = 2,
		.n_buffers = N_BUFFERS,
		.buffers_at = BUFFERS_AT,
		.subbufs_at = SUBBUFS_AT,
		.area_at = AREA_AT,
		.total_bytes = TOTAL },
	.clock = LOG_CLOCK_MONOTONIC,
	.data_size = 64,
};

struct bench {
	struct pool pool;
	struct pool_reader *reader;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static struct pool pool_in(unsigned char *memory, int policy)
{
	struct pool pool = {
		.shared = (void *)memory,
		.buffers = (void *)(memory + BUFFERS_AT),
		.subbufs = (void *)(memory + SUBBUFS_AT),
		.area = memory + AREA_AT,
		.area_bytes = N_SUBBUFS << SHIFT,
		.one_event = 1ull << CURSOR_OFFSET_BITS,
		.mask = (1u << SHIFT) - 1,
		.n_per_cpu = kind.geometry.n_per_cpu,
		.geometry = kind.geometry,
		.data_size = kind.data_size,
		.clock = kind.clock,
		.policy = (uint32_t)policy,
	};

	memset(memory, 0, TOTAL);
	for (uint32_t i = 0; i < N_BUFFERS; i++)
		atomic_init(&pool.buffers[i].cursor, cpu_buffer_no_cursor(&pool.geometry));
	pool_change(&pool, POOL_SUSPENDED, POOL_RUNNING);
	return pool;
}

/* Orders: a word in the head, of a CPU buffer, of a sub-buffer, among the events. */
static void lie(struct bench *bench, unsigned int order, unsigned int where, uint64_t word)
{
	static const struct {
		size_t at, n_bytes;
	} parts[] = {
		{ 0, sizeof(struct pool_shared) },
		{ BUFFERS_AT, N_BUFFERS * sizeof(struct cpu_buffer) },
		{ SUBBUFS_AT, (N_SUBBUFS + 1) * sizeof(struct subbuf) },
		{ AREA_AT, N_SUBBUFS << SHIFT },
	};
	unsigned char *part = (unsigned char *)bench->pool.shared + parts[order].at;

	memcpy(part + where * 8 % parts[order].n_bytes, &word, sizeof(word));
}

static void put(struct bench *bench, unsigned int where, uint64_t word)
{
	static const unsigned char data[64];
	const struct log_event event = { .type = POSIX_TRACE_UNNAMED_USEREVENT,
		.length = (uint16_t)(where % 65),
		.tid = (uint32_t)word,
		.cpu = LOG_NO_CPU };

	for (unsigned int i = 0; i <= where >> 8; i++)
		pool_put(&bench->pool, &event, data);
}

static void look(struct bench *bench)
{
	const struct log_event *event;
	volatile unsigned char sum = 0; /* so that the data are read */
	const void *data;
	uint64_t n = 0;

	for (; pool_reader_peek(bench->reader, &event, &data); n++) {
		require(event->length <= LOG_DATA_MAX && n < copy_bound(&bench->pool) + 8);
		for (uint32_t i = 0; i < event->length; i++)
			sum = (unsigned char)(sum + ((const unsigned char *)data)[i]);
		pool_reader_take(bench->reader);
	}
	require(pool_reader_waiting(bench->reader) <= (size_t)N_SUBBUFS << SHIFT);
}

static void obey(struct bench *bench, const uint8_t *order)
{
	unsigned int what = order[0] & 7, where = (unsigned int)order[0] >> 3 << 8 | order[1];
	uint64_t word;

	memcpy(&word, order + 2, sizeof(word));
	if (what < 4)
		lie(bench, what, where, word);
	else if (what == 4)
		put(bench, where, word);
	else if (what == 5)
		pool_reader_discard(bench->reader);
	else if (what == 6)
		pool_change(&bench->pool, (enum pool_state)(where & 3), (enum pool_state)(where >> 2 & 3));
	else
		look(bench);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH };
	unsigned char *memory = aligned_alloc(4096, TOTAL);
	struct bench bench;
	void *room;

	if (size < 1 || !memory) {
		free(memory);
		return 0;
	}
	bench.pool = pool_in(memory, policies[*data % 3]);
	room = malloc(pool_reader_bytes(&bench.pool));
	if (room) {
		bench.reader = pool_reader_begin(room, &bench.pool, *data & 0x80, POOL_READER_RUNS);
		for (size_t i = 0; i < ORDERS_MAX && 1 + (i + 1) * ORDER_BYTES <= size; i++)
			obey(&bench, data + 1 + i * ORDER_BYTES);
		look(&bench);
	}
	free(room);
	free(memory);
	return 0;
}
