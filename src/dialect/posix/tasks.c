/* SPDX-License-Identifier: MIT */
/*
 * Threads are contexts by their kernel numbers, processes are objects by theirs. A thread without a name is called
 * "pid/tid", a process "pid". Numbers are used again: another process's thread of the same number is another thread.
 */
#include <string.h>

#include "base/text.h"
#include "dialect/posix/posix.h"

struct posix_name {
	char text[4 * sizeof(((struct log_task *)NULL)->name) + 1];
};

/* Who has this number now. */
struct posix_thread {
	uint32_t pid;
	const struct rst_object *object;
};

static uint64_t name_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

/* An object of the model, named. TEXT_SHORT bytes behind names must be readable. */
static struct rst_object *object_new(struct posix *posix, struct model *model, uint32_t id,
	enum rst_object_kind kind, const char *name, bool is_first)
{
	struct rst_object *object =
		objects_add(&model->objects, &model->arena, id, kind, is_first ? 0 : posix->place);

	return object && objects_name(
				 &model->objects, &model->arena, object, (const uint8_t *)name, strlen(name))
		       ? object
		       : NULL;
}

/* Enough for two numbers and what is between them. */
enum { NUMBERS_ROOM = 2 * TEXT_DEC_MAX + 2 };

static const char *thread_name(const struct posix *posix, uint32_t pid, uint32_t tid, char *numbers)
{
	const struct posix_name *name = map_find(&posix->names, name_key(pid, tid));
	char *p = numbers;

	if (name && name->text[0])
		return name->text;
	p = text_put_dec(p, pid);
	*p++ = '/';
	p = text_put_dec(p, tid);
	*p = '\0';
	return numbers;
}

static const char *process_name(const struct posix *posix, uint32_t pid, char *number)
{
	const struct posix_name *name = map_find(&posix->names, name_key(pid, pid));

	if (name && name->text[0])
		return name->text;
	*text_put_dec(number, pid) = '\0';
	return number;
}

static bool is_called(const struct rst_object *object, const char *name)
{
	return object && object->name_bytes == strlen(name) &&
	       memcmp(object->name, name, object->name_bytes) == 0;
}

/* The process is known by its number, or its name has changed. */
static bool process_reach(struct posix *posix, struct model *model, uint32_t pid)
{
	const struct rst_object *object = map_find(&posix->processes, pid);
	char number[NUMBERS_ROOM];
	const char *name = process_name(posix, pid, number);

	if (!pid || is_called(object, name))
		return true;
	if (!object && posix->processes.n_used == POSIX_THREADS_MAX)
		return true;
	object = object_new(posix, model, pid, RST_OBJECT_PROCESS, name, !object);
	return object && map_set(&posix->processes, pid, (void *)(uintptr_t)object);
}

static bool thread_reach(struct posix *posix, struct model *model, uint32_t pid, uint32_t tid)
{
	struct posix_thread *thread = map_find(&posix->threads, tid);
	char numbers[NUMBERS_ROOM];
	const char *name = thread_name(posix, pid, tid, numbers);
	bool is_first = !thread;

	if (thread && thread->pid == pid && is_called(thread->object, name))
		return true;
	if (!thread)
		thread = arena_alloc(&model->arena, sizeof(*thread));
	if (!thread || (is_first && !map_set(&posix->threads, tid, thread)))
		return false;
	thread->pid = pid;
	thread->object = object_new(posix, model, tid, RST_OBJECT_THREAD, name, is_first);
	posix->n_threads++;
	return thread->object != NULL;
}

const struct rst_context *posix_context_slow(
	struct posix *posix, struct model *model, uint32_t pid, uint32_t tid)
{
	const struct rst_context *context = model->unknown;

	if (!process_reach(posix, model, pid))
		return NULL;
	if (tid && posix->n_threads < POSIX_THREADS_MAX) {
		if (!thread_reach(posix, model, pid, tid))
			return NULL;
		context =
			contexts_thread(&model->contexts, &model->objects, &model->arena, tid, posix->place);
	}
	posix->last_pid = pid;
	posix->last_tid = tid;
	posix->last_context = context;
	return context;
}

/* Memory for a name, unless there are too many: NULL with *ret_is_full. */
static struct posix_name *name_new(struct posix *posix, struct model *model, uint64_t key, bool *ret_is_full)
{
	struct posix_name *name;

	*ret_is_full = posix->n_names == POSIX_NAMES_MAX;
	if (*ret_is_full)
		return NULL;
	name = arena_alloc(&model->arena, sizeof(*name));
	if (!name || !map_set(&posix->names, key, name))
		return NULL;
	posix->n_names++;
	return name;
}

/* A process has the name of its first thread; that is also what is said of no thread at all. */
bool posix_task(struct posix *posix, struct model *model, const struct log_task *task, bool is_look)
{
	uint64_t key = name_key(task->pid, task->tid ? task->tid : task->pid);
	struct posix_name *name = map_find(&posix->names, key);
	bool is_full = false;

	if (is_look && name)
		return true;
	if (!name)
		name = name_new(posix, model, key, &is_full);
	if (!name)
		return is_full;
	*text_clean(name->text, (const uint8_t *)task->name, strnlen(task->name, sizeof(task->name))) = '\0';
	posix->last_context = NULL;
	return true;
}
