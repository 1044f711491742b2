/* SPDX-License-Identifier: MIT */
#include "record/consumer/consumer_test.h"
#include "record/process/tasks.h"
#include <sys/prctl.h>

#define SOMEBODY 0x10000001u

static void pool_make(struct pool *ret_pool)
{
	trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);
	struct pool_config config = { .attr = &attr,
		.target = getpid(),
		.clock = clock_choose(),
		.has_rseq = rseq_find() != NULL,
		.map = process_memory };
	int fd;

	ok(pool_create(ret_pool, &config, &fd) == 0, "a pool is made");
	close(fd);
}

static void test_find(const struct pool *pool)
{
	char name[TASK_NAME_BYTES] = "";

	ok(!task_find(pool, SOMEBODY, 5, name), "a thread without a record has no name");
	task_put(pool, SOMEBODY, 5, (char[TASK_NAME_BYTES]){ "worker" });
	ok(task_find(pool, SOMEBODY, 5, name), "one with a record is found");
	is_text(name, "worker", "by its name");
	ok(!task_find(pool, SOMEBODY + 1, 5, name) && !task_find(pool, SOMEBODY, 5 + POOL_TASKS, name),
		"another process's, or another thread with its slot, is not");
	task_put(pool, SOMEBODY, 5 + POOL_TASKS, (char[TASK_NAME_BYTES]){ "later" });
	ok(!task_find(pool, SOMEBODY, 5, name) && task_find(pool, SOMEBODY, 5 + POOL_TASKS, name),
		"it gives way to a thread with the same slot");
}

static void test_lies(const struct pool *pool)
{
	char name[TASK_NAME_BYTES] = "";

	task_put(pool, SOMEBODY, 6, "sixteen letters.");
	ok(task_find(pool, SOMEBODY, 6, name) && strlen(name) == TASK_NAME_BYTES - 1,
		"a name without NUL is cut");
	atomic_fetch_add(&pool->tasks[6].words[1], 1);
	ok(!task_find(pool, SOMEBODY, 6, name), "a slot that two threads have written is invalid");
}

static void test_refresh(const struct pool *pool)
{
	const uint32_t pid = (uint32_t)getpid();
	char name[TASK_NAME_BYTES] = "", now[TASK_NAME_BYTES] = "";

	prctl(PR_GET_NAME, now);
	task_put(pool, pid, pid, (char[TASK_NAME_BYTES]){ "before" });
	task_put(pool, SOMEBODY, 7, (char[TASK_NAME_BYTES]){ "other" });
	task_refresh(pool, pid);
	ok(task_find(pool, pid, pid, name) && strcmp(name, now) == 0,
		"the present name of a thread replaces it");
	ok(task_find(pool, SOMEBODY, 7, name) && strcmp(name, "other") == 0,
		"threads of other processes are left alone");
}

int main(void)
{
	struct pool pool;

	pool_make(&pool);
	test_find(&pool);
	test_lies(&pool);
	test_refresh(&pool);
	return tap_done();
}
