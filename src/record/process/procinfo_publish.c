/* SPDX-License-Identifier: MIT */
/*
 * The process publishes its procinfo records. All memory is static, because a trace point in a signal
 * handler, on a small stack, may cause it; hence the process's lock. The published records are kept: a forked
 * child has the same files in its memory, and publishes them without reading its map.
 */
#include "record/process/mapped.h"
#include "record/process/process_own.h"
#include "record/process/procinfo.h"
#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	struct mapped mapped;
	struct procinfo modules[POOL_PROCINFOS / 8]; /* published: a fair part of the slots */
	_Atomic uint32_t n;
	uint64_t n_loaded; /* programs and libraries, when the recorder began */
} own;

static bool is_published(const struct procinfo *info)
{
	for (uint32_t i = 0; i < own.n; i++)
		if (own.modules[i].mark == info->mark &&
			own.modules[i].module.address == info->module.address)
			return true;
	return false;
}

/* Adds files that were mapped since the last time. */
static void memory_look(uint32_t pid)
{
	const uint32_t room = sizeof own.modules / sizeof own.modules[0];
	struct procinfo info = { .kind = PROCINFO_MODULE };
	const char *path;

	if (!mapped_open(&own.mapped, pid))
		return;
	while (own.n < room && mapped_next(&own.mapped, pid, &info.module, &info.mark)) {
		if (info.module.length >= sizeof info.path || own.mapped.mapping.path[0] != '/' ||
			is_published(&info))
			continue;
		path = mapped_identify(&own.mapped, &info.module);
		own.modules[own.n] = info;
		memcpy(own.modules[own.n].path, path, info.module.length);
		atomic_store(&own.n, own.n + 1); /* last: another thread may fork here */
	}
	mapped_close(&own.mapped);
}

static void modules_put(const struct pool *pool, uint32_t pid, uint32_t first)
{
	struct procinfo info;

	for (uint32_t i = first; i < own.n; i++) {
		info = own.modules[i];
		info.module.pid = pid;
		procinfo_put(pool, &info);
	}
}

static void name_take(uint32_t pid, char *ret_name)
{
	if ((uint32_t)syscall(SYS_gettid) != pid || prctl(PR_GET_NAME, ret_name) != 0)
		proc_name(pid, 0, ret_name);
}

void procinfo_publish(const struct pool *pool, bool is_child)
{
	const uint32_t pid = (uint32_t)getpid();
	struct procinfo info = { .kind = PROCINFO_PROGRAM,
		.pool = (uint64_t)(uintptr_t)pool->shared,
		.task = { .pid = pid, .tid = pid } };

	if (!pool->procinfo)
		return;
	name_take(pid, info.task.name);
	procinfo_put(pool, &info);
	if (!is_child || own.n == 0)
		memory_look(pid);
	modules_put(pool, pid, 0);
}

static int adds_take(struct dl_phdr_info *info, size_t size, void *argument)
{
	*(uint64_t *)argument = info->dlpi_adds;
	(void)size;
	return 1;
}

static uint64_t n_loaded(void)
{
	uint64_t n = 0;

	dl_iterate_phdr(adds_take, &n);
	return n;
}

void procinfo_begin(void)
{
	own.n_loaded = n_loaded();
}

void procinfo_end(void)
{
	uint64_t attached = atomic_load(&process_attached);
	uint32_t first = own.n;
	const struct pool *pool;

	if (!attached || n_loaded() == own.n_loaded)
		return;
	memory_look((uint32_t)getpid());
	for (; attached; attached &= attached - 1) {
		pool = process_pool(__builtin_ctzll(attached));
		if (pool->procinfo)
			modules_put(pool, (uint32_t)getpid(), first);
	}
}
