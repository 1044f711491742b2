/* SPDX-License-Identifier: MIT */
/*
 * Kernel numbers identify threads, which are contexts, and processes, which are objects. A thread without a
 * name is called "pid/tid", a process "pid". The kernel uses numbers again: if the process differs, the same
 * number stands for another thread.
 *
 * Names repeat, too: a thread begins with the name of the thread that made it, and a server's processes all
 * have the server's name. The first process with a name is shown by the name alone, or the first thread if no
 * process has it; others are "name/tid".
 */
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "dialect/posix/posix.h"

enum { CLEAN_ROOM = 4 * sizeof(((struct log_task *)NULL)->name) + 1 };
struct posix_name {
	char name[sizeof(((struct log_task *)NULL)->name)]; /* as in the log */
	uint32_t pid, tid;
	int16_t priority; /* or RST_NO_PRIORITY */
	size_t n_clean;
	char text[CLEAN_ROOM + TEXT_DEC_MAX + 1]; /* as it is shown */
};

/* The thread that has this number now. */
struct posix_thread {
	uint32_t pid;
	const struct rst_object *object;
	const struct rst_context *first; /* its first context; each new name makes another one */
};

struct posix_process {
	const struct rst_object *object;
	const struct rst_context *unknown; /* for events whose thread is not known, or not kept */
};

static uint64_t name_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

/* Makes a named object of the model. TEXT_SHORT bytes behind names must be readable. */
static struct rst_object *object_new(struct posix *posix, struct model *model, uint32_t id,
	enum rst_object_kind kind, const char *name, bool is_first)
{
	struct rst_object *object =
		objects_add(&model->objects, &model->arena, 0, id, kind, is_first ? 0 : posix->seq);

	return object && objects_name_printable(&model->objects, &model->arena, object, name, strlen(name))
		       ? object
		       : NULL;
}

/* Enough for two numbers and the character between them. */
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

static bool tasks_is_called(const struct rst_object *object, const char *name)
{
	return object && object->name_bytes == strlen(name) &&
	       memcmp(object->name, name, object->name_bytes) == 0;
}

/*
 * The process with this number; made if it is new, renamed if its name has changed. Returns NULL with
 * *ret_has_memory if pid is 0, or if too many processes are kept.
 */
static struct posix_process *process_reach(
	struct posix *posix, struct model *model, uint32_t pid, bool *ret_has_memory)
{
	struct posix_process *process = map_find(&posix->processes, pid);
	const bool is_first = !process;
	char number[NUMBERS_ROOM];
	const char *name = process_name(posix, pid, number);

	*ret_has_memory = true;
	if (!pid || (process && tasks_is_called(process->object, name)) ||
		(is_first && posix->processes.n_used == POSIX_THREADS_MAX))
		return process;
	*ret_has_memory = false;
	if (is_first)
		process = arena_alloc(&model->arena, sizeof(*process));
	if (!process || (is_first && !map_set(&posix->processes, pid, process)))
		return NULL;
	process->object = object_new(posix, model, pid, RST_OBJECT_PROCESS, name, is_first);
	*ret_has_memory = process->object != NULL;
	return process;
}

/* The context for events of the process whose thread is not known, or not kept. NULL when memory ran out. */
static const struct rst_context *process_unknown(struct model *model, struct posix_process *process)
{
	struct context *context;

	if (!process)
		return model->unknown;
	if (process->unknown)
		return process->unknown;
	context = contexts_add(&model->contexts, &model->arena, RST_CONTEXT_UNKNOWN, 0);
	if (!context)
		return NULL;
	context->public.is_number = model->unknown->is_number;
	context->public.process = process->object->id;
	context->public.has_name = true;
	context->public.name = model->unknown->name;
	context->public.name_bytes = model->unknown->name_bytes;
	return process->unknown = &context->public;
}

/* NULL when memory ran out. */
static struct posix_thread *thread_reach(struct posix *posix, struct model *model, uint32_t pid, uint32_t tid)
{
	struct posix_thread *thread = map_find(&posix->threads, tid);
	char numbers[NUMBERS_ROOM];
	const char *name = thread_name(posix, pid, tid, numbers);
	bool is_first = !thread;

	if (thread && thread->pid == pid && tasks_is_called(thread->object, name))
		return thread;
	if (!thread)
		thread = arena_alloc(&model->arena, sizeof(*thread));
	if (!thread || (is_first && !map_set(&posix->threads, tid, thread)))
		return NULL;
	if (is_first || thread->pid != pid)
		thread->first = NULL;
	thread->pid = pid;
	thread->object = object_new(posix, model, tid, RST_OBJECT_THREAD, name, is_first);
	posix->n_threads++;
	return thread->object ? thread : NULL;
}

/*
 * A context belongs to one object, and the object to one process. With a new name it is still the same
 * thread.
 */
static void thread_own(struct posix_thread *thread, const struct rst_context *context, uint32_t pid)
{
	contexts_own(context, pid);
	if (!thread->first)
		thread->first = context;
	contexts_join(context, thread->first);
}

static int16_t priority_of(const struct posix *posix, uint32_t pid, uint32_t tid)
{
	const struct posix_name *name = map_find(&posix->names, name_key(pid, tid));

	return name ? name->priority : RST_NO_PRIORITY;
}

const struct rst_context *posix_context_slow(
	struct posix *posix, struct model *model, uint32_t pid, uint32_t tid)
{
	const struct rst_context *context = model->unknown;
	struct posix_process *process;
	struct posix_thread *thread = NULL;
	bool has_memory;

	process = process_reach(posix, model, pid, &has_memory);
	if (!has_memory)
		return NULL;
	if (tid && posix->n_threads < POSIX_THREADS_MAX) {
		thread = thread_reach(posix, model, pid, tid);
		if (!thread)
			return NULL;
		context = contexts_thread(&model->contexts, &model->objects, &model->arena, tid, posix->seq);
	}
	if (context == model->unknown)
		context = process_unknown(model, process);
	else if (context && thread)
		thread_own(thread, context, pid);
	if (!context)
		return NULL;
	posix->last_pid = pid;
	posix->last_tid = tid;
	posix->last_context = context;
	posix->last_priority = priority_of(posix, pid, tid);
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

/* FNV-1a. If two names have the same hash, the second is shown with its number. */
static uint64_t name_hash(const char *name)
{
	uint64_t hash = HASH_EMPTY;

	for (; *name; name++)
		hash = hash_byte(hash, (uint8_t)*name);
	return hash;
}

static void add_number(struct posix_name *name)
{
	name->text[name->n_clean] = '/';
	*text_put_dec(name->text + name->n_clean + 1, name->tid) = '\0';
}

/* Decides whether the number is shown with the name. If a thread was first, a process takes the name over. */
static bool name_claim(struct posix *posix, struct posix_name *name, bool *ret_needs_number)
{
	uint64_t hash = name_hash(name->text);
	struct posix_name *first = map_find(&posix->called, hash);
	bool is_process = name->tid == name->pid, gives_way = first && is_process && first->tid != first->pid;

	*ret_needs_number = first && first != name && !gives_way;
	if (*ret_needs_number || first == name)
		return true;
	if (gives_way && strncmp(first->text, name->text, name->n_clean + 1) == 0)
		add_number(first);
	*ret_needs_number = posix->called.n_used == POSIX_NAMES_MAX && !first;
	return *ret_needs_number || map_set(&posix->called, hash, name);
}

static bool name_set(struct posix *posix, struct posix_name *name, const char *said)
{
	bool has_memory = true, needs_number = false;
	char *end = text_keep(name->text, (const uint8_t *)said, strnlen(said, sizeof(name->name)));

	memcpy(name->name, said, sizeof(name->name));
	*end = '\0';
	name->n_clean = (size_t)(end - name->text);
	if (name->n_clean)
		has_memory = name_claim(posix, name, &needs_number);
	if (needs_number)
		add_number(name);
	posix->last_context = NULL;
	return has_memory;
}

static int16_t sane_priority(const struct log_priority *said)
{
	return said && said->priority > RST_NO_PRIORITY && said->priority <= INT16_MAX
		       ? (int16_t)said->priority
		       : RST_NO_PRIORITY;
}

/* A process has the name of its first thread, also if the block gives no thread. */
bool posix_task(struct posix *posix, struct model *model, const struct log_task *task,
	const struct log_priority *priority, bool is_look)
{
	uint32_t tid = task->tid ? task->tid : task->pid;
	uint64_t key = name_key(task->pid, tid);
	struct posix_name *name = map_find(&posix->names, key);
	bool is_full = false;

	if (is_look && name)
		return true;
	if (!name)
		name = name_new(posix, model, key, &is_full);
	if (!name)
		return is_full;
	name->pid = task->pid;
	name->tid = tid;
	if (priority || !name->n_clean)
		name->priority = sane_priority(priority); /* a block without a priority does not change it */
	return name_set(posix, name, task->name);
}

bool posix_task_made(
	struct posix *posix, struct model *model, const struct log_event *event, uint32_t pid, uint32_t tid)
{
	const struct posix_name *maker = map_find(&posix->names, name_key(pid, tid));
	struct log_task task = { .pid = event->pid, .tid = event->tid };

	if (!maker)
		return true;
	memcpy(task.name, maker->name, sizeof(task.name));
	return posix_task(posix, model, &task, NULL, true);
}
