/* SPDX-License-Identifier: MIT */
/* Shared by tests of pools: a pool that runs, numbered events for any CPU buffer, and a reader. */
#ifndef BUFFER_POOL_TEST_H
#define BUFFER_POOL_TEST_H

#include "record/buffer/put.h"
#include "record/buffer/read.h"
#include "record/buffer/subbuf.h"
#include "tests/tap.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_EVENT POSIX_TRACE_UNNAMED_USEREVENT

struct tested {
	struct pool pool;
	struct pool_reader *reader;
	struct writer writer; /* the thread that made it */
	uint32_t n_put;
};

/*
 * With stamps of CLOCK_MONOTONIC a pool has shared buffers only. The smallest pool there is when size is 1.
 */
static inline void tested_make(struct tested *tested, enum log_clock clock, int policy, size_t size)
{
	const trace_attr_t attr = { .posix_trace_stream_policy = policy,
		.posix_trace_stream_size = size,
		.posix_trace_data_size = 64 };
	const struct pool_config config = {
		.attr = &attr, .target = getpid(), .clock = clock, .has_rseq = rseq_find() != NULL
	};
	int fd;

	*tested = (struct tested){
		.writer = { .pid = (uint32_t)getpid(), .tid = (uint32_t)gettid(), .rseq = rseq_find() }
	};
	if (pool_create(&tested->pool, &config, &fd) != 0) {
		printf("Bail out! no memory for a pool\n");
		exit(1);
	}
	close(fd);
	tested->reader = pool_reader_begin(
		malloc(pool_reader_bytes(&tested->pool)), &tested->pool, true, POOL_READER_RUNS);
	pool_change(&tested->pool, POOL_SUSPENDED, POOL_RUNNING);
}

static inline void tested_free(struct tested *tested)
{
	free(tested->reader);
	pool_unmap(&tested->pool);
}

/* The shared buffer that this thread writes into from now on. */
static inline struct cpu_buffer *tested_buffer(struct tested *tested, uint32_t number)
{
	tested->writer.hint = number;
	return &tested->pool.buffers[tested->pool.n_per_cpu + number];
}

/* By a shared buffer. */
static inline bool tested_put(struct tested *tested)
{
	const struct writer writer = {
		.pid = (uint32_t)getpid(), .tid = (uint32_t)gettid(), .hint = tested->writer.hint
	};
	const struct put put = { .type = TEST_EVENT,
		.origin = &writer.pid,
		.data = &tested->n_put,
		.length = sizeof tested->n_put };

	return put_slowly(&tested->pool, &writer, &put) && ++tested->n_put;
}

/* Takes the next event. Returns its type, or 0 if there is no event; sets its number, if it is one of ours.
 * */
static inline uint32_t tested_get(struct tested *tested, uint32_t *ret_number)
{
	const struct log_event *event;
	const void *data;

	if (!pool_reader_peek(tested->reader, &event, &data))
		return 0;
	*ret_number = UINT32_MAX;
	if (event->type == TEST_EVENT)
		memcpy(ret_number, data, sizeof *ret_number);
	uint32_t type = event->type;
	pool_reader_take(tested->reader);
	return type;
}

#endif
