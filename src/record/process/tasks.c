/* SPDX-License-Identifier: MIT */
#include "record/process/tasks.h"
#include "record/rendezvous/proc.h"
#include <string.h>

static uint64_t tasks_check_of(const uint64_t words[POOL_TASK_WORDS])
{
	uint64_t check = 1;

	for (unsigned int i = 0; i < POOL_TASK_WORDS; i++)
		check = ((check ^ words[i]) * 0x9e3779b97f4a7c15u) ^ check >> 29;
	return check;
}

static uint64_t who_of(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

void task_put(const struct pool *pool, uint32_t pid, uint32_t tid, const char name[TASK_NAME_BYTES])
{
	struct pool_task *task = &pool->tasks[tid % POOL_TASKS];
	uint64_t words[POOL_TASK_WORDS] = { who_of(pid, tid) };

	memcpy(&words[1], name, TASK_NAME_BYTES);
	for (unsigned int i = 0; i < POOL_TASK_WORDS; i++)
		atomic_store_explicit(&task->words[i], words[i], memory_order_relaxed);
	atomic_store_explicit(&task->check, tasks_check_of(words), memory_order_release);
}

static bool task_get(const struct pool_task *task, uint64_t ret_words[POOL_TASK_WORDS])
{
	const uint64_t check = atomic_load_explicit(&task->check, memory_order_acquire);

	for (unsigned int i = 0; i < POOL_TASK_WORDS; i++)
		ret_words[i] = atomic_load_explicit(&task->words[i], memory_order_relaxed);
	return tasks_check_of(ret_words) == check;
}

bool task_find(const struct pool *pool, uint32_t pid, uint32_t tid, char ret_name[TASK_NAME_BYTES])
{
	uint64_t words[POOL_TASK_WORDS];

	if (!task_get(&pool->tasks[tid % POOL_TASKS], words) || words[0] != who_of(pid, tid))
		return false;
	memcpy(ret_name, &words[1], TASK_NAME_BYTES);
	ret_name[TASK_NAME_BYTES - 1] = '\0';
	return true;
}

void task_refresh(const struct pool *pool, uint32_t pid)
{
	uint64_t words[POOL_TASK_WORDS];
	char name[TASK_NAME_BYTES];

	for (uint32_t i = 0; i < POOL_TASKS; i++)
		if (task_get(&pool->tasks[i], words) && words[0] >> 32 == pid &&
			proc_name(pid, (uint32_t)words[0], name))
			task_put(pool, pid, (uint32_t)words[0], name);
}
