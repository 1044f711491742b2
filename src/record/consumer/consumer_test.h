/* SPDX-License-Identifier: MIT */
/* Shared by tests of the consumer: a stream with a log, and the contents of the log afterwards. */
#ifndef CONSUMER_CONSUMER_TEST_H
#define CONSUMER_CONSUMER_TEST_H

#include "log/scan.h"
#include "record/buffer/rseq.h"
#include "record/consumer/consumer.h"
#include "record/kernel/clock.h"
#include "record/process/process.h"
#include "tests/tap.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEST_EVENT POSIX_TRACE_UNNAMED_USEREVENT

struct traced {
	struct pool pool;
	struct stream_ctl *ctl;
	int descriptors[CONSUMER_N_FDS];
	struct names *names;
	char path[64];
	uint32_t n_put;
};

/* The test program is its own consumer: true in the process that shall be one. */
static inline bool traced_is_consumer(char **arguments)
{
	return strcmp(arguments[0], "posix-trace-consumer") == 0;
}

static inline void traced_set_consumer(const char *path)
{
	static char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n > 0)
		setenv("POSIX_TRACE_CONSUMER", path ? path : self, 1);
}

static inline trace_attr_t traced_attr(int stream_policy, int log_policy, size_t stream_size, size_t log_size)
{
	return (trace_attr_t){ .posix_trace_stream_policy = stream_policy,
		.posix_trace_log_policy = log_policy,
		.posix_trace_stream_size = stream_size,
		.posix_trace_log_size = log_size,
		.posix_trace_data_size = 64 };
}

/* A stream that runs, and the file of a log that has no consumer yet. */
static inline bool traced_make(struct traced *traced, const trace_attr_t *attr)
{
	struct pool_config config = { .attr = attr,
		.target = getpid(),
		.clock = clock_choose(),
		.has_rseq = rseq_find() != NULL,
		.map = process_memory };

	memset(traced, 0, sizeof *traced);
	strcpy(traced->path, "/tmp/consumer_test.XXXXXX");
	traced->descriptors[CONSUMER_FD_LOG] = mkstemp(traced->path);
	traced->descriptors[CONSUMER_FD_NAMES] = names_memory();
	traced->names = names_create(traced->descriptors[CONSUMER_FD_NAMES]);
	if (traced->descriptors[CONSUMER_FD_LOG] < 0 || !traced->names ||
		pool_create(&traced->pool, &config, &traced->descriptors[CONSUMER_FD_POOL]) != 0 ||
		stream_ctl_make(
			&traced->ctl, &traced->pool, &config, &traced->descriptors[CONSUMER_FD_CTL]) != 0)
		return false;
	return pool_change(&traced->pool, POOL_SUSPENDED, POOL_RUNNING);
}

static inline int traced_launch(struct traced *traced)
{
	return consumer_launch(traced->ctl, traced->descriptors);
}

/* A numbered event, as a trace point puts it. */
static inline bool traced_put(struct traced *traced)
{
	const struct log_event event = { .type = TEST_EVENT,
		.length = sizeof traced->n_put,
		.cpu = LOG_NO_CPU,
		.address = (uint64_t)(uintptr_t)&consumer_launch,
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)gettid() };

	return atomic_load(&traced->pool.shared->state) == POOL_RUNNING &&
	       pool_put(&traced->pool, &event, &traced->n_put) && ++traced->n_put;
}

static inline void traced_free(struct traced *traced)
{
	pool_unmap(&traced->pool);
	names_unmap(traced->names);
	stream_ctl_unmap(traced->ctl);
	for (int i = 0; i < CONSUMER_N_FDS; i++)
		close(traced->descriptors[i]);
	unlink(traced->path);
}

static inline void sleep_ms(unsigned int milliseconds)
{
	usleep(1000 * milliseconds);
}

#define FOUND_MAX 65536
/* The contents of a log. */
struct found {
	bool is_log, is_damaged, is_complete;
	uint32_t n_blocks[10]; /* of each kind */
	uint32_t n_events;
	uint16_t type[FOUND_MAX];
	uint32_t value[FOUND_MAX]; /* of our events */
	uint64_t n_lost;
	bool is_ordered;
	uint64_t last_ticks;
	struct log_end end;
	struct log_task task;	      /* the last one */
	struct log_priority priority; /* its own; 0 if the log has no priority */
	size_t size;
};

static inline void found_events(struct found *found, const struct log_item *item)
{
	struct log_events_cursor cursor;
	struct log_events head;
	struct log_event event;
	const unsigned char *data;

	if (!log_events_begin(&cursor, item->body, item->block.length, item->block.flags, &head)) {
		found->is_damaged = true;
		return;
	}
	while (log_events_next(&cursor, &event, &data) && found->n_events < FOUND_MAX) {
		found->is_ordered = found->is_ordered && event.ticks >= found->last_ticks;
		found->last_ticks = event.ticks;
		found->type[found->n_events] = event.type;
		if (event.length >= 4)
			memcpy(&found->value[found->n_events], data, 4);
		found->n_events++;
	}
	found->is_damaged = found->is_damaged || cursor.n_left > 0;
}

static inline void found_item(struct found *found, const struct log_item *item)
{
	struct log_loss loss;

	if (item->block.kind < 10)
		found->n_blocks[item->block.kind]++;
	found->is_complete = item->block.kind == LOG_END || (found->is_complete && item->in_area);
	if (item->block.kind == LOG_EVENTS)
		found_events(found, item);
	if (item->block.kind == LOG_END)
		memcpy(&found->end, item->body, sizeof found->end);
	if (item->block.kind == LOG_TASK) {
		found->priority = (struct log_priority){ 0 };
		memcpy(&found->task, item->body, sizeof found->task);
		if (item->block.length == sizeof found->task + sizeof found->priority)
			memcpy(&found->priority, item->body + sizeof found->task, sizeof found->priority);
	}
	if (item->block.kind == LOG_LOSS) {
		memcpy(&loss, item->body, sizeof loss);
		found->n_lost += loss.n_events;
	}
}

static inline int found_order(const void *left, const void *right)
{
	const struct log_item *a = left, *b = right;

	return (a->block.sequence > b->block.sequence) - (a->block.sequence < b->block.sequence);
}

/* Blocks are looked at in the order written; free() what comes. */
static inline struct found *log_find(const char *path)
{
	struct found *found = calloc(1, sizeof *found);
	struct log_item *items = calloc(FOUND_MAX, sizeof *items);
	unsigned char *bytes = tap_slurp(path, &found->size);
	struct log_scan scan;
	const char *what;
	enum log_found kind;
	size_t n = 0;

	found->is_ordered = true;
	found->is_log = log_scan_begin(&scan, bytes, found->size, &what) == 0;
	while (found->is_log && n < FOUND_MAX &&
		((kind = log_scan_next(&scan, bytes, found->size, 0, true, &items[n])) == LOG_FOUND_BLOCK ||
			kind == LOG_FOUND_DAMAGE)) {
		found->is_damaged = found->is_damaged || kind == LOG_FOUND_DAMAGE;
		n += kind == LOG_FOUND_BLOCK;
	}
	qsort(items, n, sizeof *items, found_order);
	for (size_t i = 0; i < n; i++)
		found_item(found, &items[i]);
	free(items);
	free(bytes);
	return found;
}

/* How many of our events there are, and whether their numbers go up one by one from the first. */
static inline uint32_t found_run(const struct found *found, uint32_t *ret_first, bool *ret_is_run)
{
	uint32_t n = 0, last = 0;

	*ret_is_run = true;
	*ret_first = 0;
	for (uint32_t i = 0; i < found->n_events; i++) {
		if (found->type[i] != TEST_EVENT)
			continue;
		if (n++ == 0)
			*ret_first = found->value[i];
		else if (found->value[i] != last + 1)
			*ret_is_run = false;
		last = found->value[i];
	}
	return n;
}

/* Returns the index of the first event of a type, or 0 if there is no such event. */
static inline uint32_t found_at(const struct found *found, uint16_t type)
{
	for (uint32_t i = 0; i < found->n_events; i++)
		if (found->type[i] == type)
			return i;
	return 0;
}

static inline uint32_t found_type(const struct found *found, uint16_t type)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < found->n_events; i++)
		n += found->type[i] == type;
	return n;
}

#endif
