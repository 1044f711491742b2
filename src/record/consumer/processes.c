/* SPDX-License-Identifier: MIT */
#include "record/consumer/processes.h"
#include "record/process/tasks.h"
#include "record/rendezvous/proc.h"
#include <string.h>

#define LOOK_NS	      100000000u /* between two looks at one process's memory */
#define THREAD_PROBES 8
#define REFRESH_MAX   64
#define NAMED_MAX     65536 /* names in one log: threads are claims, too */

void processes_begin(
	struct processes *processes, struct log_writer *log, const struct pool *pool, uint64_t work)
{
	processes->log = log;
	processes->pool = pool;
	procinfo_reader_begin(&processes->procinfo, pool);
	processes->work_left = work;
}

static bool work_spend(struct processes *processes, uint64_t work)
{
	if (processes->work_left < work)
		return false;
	processes->work_left -= work;
	return true;
}

static struct processes_thread *thread_slot(struct processes *processes, uint32_t pid, uint32_t tid)
{
	uint32_t hash = (pid * 0x9e3779b1u ^ tid) * 0x85ebca6bu >> 16;
	struct processes_thread *first = &processes->threads[hash % PROCESSES_THREADS];

	for (uint32_t i = 0; i < THREAD_PROBES; i++) {
		struct processes_thread *thread = &processes->threads[(hash + i) % PROCESSES_THREADS];

		if ((thread->pid == pid && thread->tid == tid) || thread->pid == 0)
			return thread;
	}
	return first; /* is replaced */
}

/* The present name of a thread that runs, or the one that it has published. */
static bool name_find(
	const struct processes *processes, uint32_t pid, uint32_t tid, char ret_name[TASK_NAME_BYTES])
{
	return proc_name(pid, tid, ret_name) ||
	       (processes->pool && task_find(processes->pool, pid, tid, ret_name) && ret_name[0]);
}

static int32_t priority_find(const struct processes_thread *thread)
{
	int32_t priority;

	return proc_priority(thread->pid, thread->tid, &priority) ? priority : PROCESSES_NO_PRIORITY;
}

/* And the priority that the thread has now. */
static int name_write(struct processes *processes, struct processes_thread *thread, const char *name)
{
	const struct log_priority priority = { .priority = priority_find(thread) };
	struct log_task task = { .pid = thread->pid, .tid = thread->tid };
	int error;

	if (processes->n_named >= NAMED_MAX)
		return 0;
	memcpy(task.name, name, sizeof task.name);
	error = log_task(
		processes->log, &task, priority.priority == PROCESSES_NO_PRIORITY ? NULL : &priority);
	if (error)
		return error;
	thread->priority = priority.priority;
	memcpy(thread->name, name, sizeof thread->name);
	processes->n_named++;
	return 0;
}

static int thread_meet(struct processes *processes, uint32_t pid, uint32_t tid)
{
	struct processes_thread *thread = thread_slot(processes, pid, tid);
	struct processes_thread met = { .pid = pid, .tid = tid };
	char name[16];
	int error = 0;

	if ((thread->pid == pid && thread->tid == tid) || !work_spend(processes, 1))
		return 0;
	if (name_find(processes, pid, tid, name))
		error = name_write(processes, &met, name);
	if (error == 0)
		*thread = met;
	return error;
}

int processes_named(struct processes *processes, uint32_t pid, uint32_t tid, const char *name)
{
	struct processes_thread *thread = thread_slot(processes, pid, tid);
	struct processes_thread met = { .pid = pid, .tid = tid };
	int error;

	if (thread->pid == pid && thread->tid == tid && memcmp(thread->name, name, sizeof thread->name) == 0)
		return 0;
	error = name_write(processes, &met, name);
	if (error == 0)
		*thread = met;
	return error;
}

int processes_forked(struct processes *processes, const struct perf_record *fork)
{
	const struct processes_thread *parent = thread_slot(processes, fork->parent_pid, fork->parent_tid);
	char name[sizeof parent->name];

	if (parent->pid != fork->parent_pid || parent->tid != fork->parent_tid || !parent->name[0])
		return 0;
	memcpy(name, parent->name, sizeof name);
	return processes_named(processes, fork->pid, fork->tid, name);
}

static struct processes_look *look_of(struct processes *processes, uint32_t pid)
{
	struct processes_look *look = &processes->looks[pid % PROCESSES_LOOKS];

	if (look->pid != pid)
		*look = (struct processes_look){ .pid = pid };
	return look;
}

static int look_now(struct processes *processes, struct processes_look *look, uint64_t now)
{
	const struct pool *pool = processes->pool;
	const struct modules_proof proof = { pool ? &pool->memory : NULL, look->pool };
	int error = modules_write(&processes->modules, look->pid, pool ? &proof : NULL, processes->log);

	processes->last_range = NULL;
	look->is_due = error != 0;
	look->looked_at = now;
	return error;
}

static int address_meet(struct processes *processes, uint32_t pid, uint64_t address, uint64_t now)
{
	const struct modules_range *range = processes->last_range;
	struct processes_look *look;

	if (range && range->pid == pid && address >= range->start && address < range->end)
		return 0;
	processes->last_range = modules_find(&processes->modules, pid, address);
	if (processes->last_range)
		return 0;
	look = look_of(processes, pid);
	if (look->looked_at && now - look->looked_at < LOOK_NS) {
		look->is_due = true;
		return 0;
	}
	return work_spend(processes, PROCESSES_LOOK_WORK) ? look_now(processes, look, now) : 0;
}

/* Published by processes. */

static int program_begins(struct processes *processes, const struct procinfo *info)
{
	const uint32_t pid = info->task.pid;
	struct processes_thread *thread = thread_slot(processes, pid, pid);
	bool is_known = thread->pid == pid && thread->tid == pid;
	struct processes_thread met = { .pid = pid, .tid = pid };
	int error = is_known ? log_flush(processes->log)
			     : 0; /* what follows does not hold for the events before */

	if (error)
		return error;
	if (!is_known || memcmp(thread->name, info->task.name, sizeof thread->name) != 0) {
		error = name_write(processes, &met, info->task.name);
		if (error)
			return error;
		*thread = met;
	}
	modules_forget(&processes->modules, pid);
	processes->last_range = NULL;
	*look_of(processes, pid) = (struct processes_look){ .pid = pid, .pool = info->pool };
	return 0;
}

static int module_comes(struct processes *processes, const struct procinfo *info)
{
	processes->last_range = NULL;
	return modules_add(&processes->modules, &info->module, info->path, info->mark, processes->log);
}

static int procinfo_follow(struct processes *processes, uint32_t pid, uint64_t ticks)
{
	struct procinfo info;
	int error;

	for (uint32_t n = 0;
		n < POOL_PROCINFOS && procinfo_reader_peek(&processes->procinfo, pid, ticks, &info); n++) {
		error = info.kind == PROCINFO_PROGRAM ? program_begins(processes, &info)
						      : module_comes(processes, &info);
		if (error)
			return error;
		procinfo_reader_take(&processes->procinfo);
	}
	return 0;
}

int processes_expect(struct processes *processes, uint32_t pid, uint64_t now)
{
	int error = look_now(processes, look_of(processes, pid), now);

	return error ? error : thread_meet(processes, pid, pid);
}

int processes_meet(struct processes *processes, const struct log_event *event, uint64_t now)
{
	int error;

	if (event->pid == 0)
		return 0;
	error = procinfo_follow(processes, event->pid, event->ticks);
	if (error)
		return error;
	if (event->pid != processes->last_pid || event->tid != processes->last_tid) {
		error = thread_meet(processes, event->pid, event->pid);
		if (error == 0 && event->tid != 0 && event->tid != event->pid)
			error = thread_meet(processes, event->pid, event->tid);
		if (error)
			return error;
		processes->last_pid = event->pid;
		processes->last_tid = event->tid;
	}
	return event->address ? address_meet(processes, event->pid, event->address, now) : 0;
}

int processes_follow(struct processes *processes, uint64_t ticks)
{
	int error = 0;

	for (uint32_t i = 0; i < PROCESSES_LOOKS && error == 0; i++)
		if (processes->looks[i].pid)
			error = procinfo_follow(processes, processes->looks[i].pid, ticks);
	return error;
}

int processes_catch_up(struct processes *processes, uint64_t now, bool at_once)
{
	int error = 0;

	for (uint32_t i = 0; i < PROCESSES_LOOKS && error == 0; i++) {
		struct processes_look *look = &processes->looks[i];

		if (look->is_due && (at_once || now - look->looked_at >= LOOK_NS))
			error = look_now(processes, look, now);
	}
	return error;
}

/* One that has ended keeps what it had. */
static bool has_other_priority(const struct processes_thread *thread)
{
	const int32_t priority = priority_find(thread);

	return priority != PROCESSES_NO_PRIORITY && priority != thread->priority;
}

int processes_refresh(struct processes *processes)
{
	char name[16];
	int error = 0;

	for (uint32_t looked = 0, met = 0; looked < PROCESSES_THREADS && met < REFRESH_MAX && error == 0;
		looked++) {
		struct processes_thread *thread =
			&processes->threads[processes->refreshed++ % PROCESSES_THREADS];

		if (thread->pid == 0)
			continue;
		met++;
		if (name_find(processes, thread->pid, thread->tid, name) &&
			(memcmp(name, thread->name, sizeof name) != 0 || has_other_priority(thread)))
			error = name_write(processes, thread, name);
	}
	return error;
}

void processes_forget(struct processes *processes)
{
	struct log_writer *log = processes->log;
	const struct pool *pool = processes->pool;
	uint64_t work = processes->work_left;

	memset(processes, 0, sizeof *processes);
	processes_begin(processes, log, pool, work);
}
