/* SPDX-License-Identifier: MIT */
/*
 * The process tells of itself. All memory is static, for a trace point in a handler on a small stack may be what makes it
 * tell; so all is done under the process's lock. What it told is kept: a child that was forked has the same in its
 * memory, and tells it without a look.
 */
#include "record/process/mapped.h"
#include "record/process/note.h"
#include "record/process/process_own.h"
#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	struct mapped mapped;
	struct note modules[RING_NOTES / 8]; /* told: a fair part of the places */
	_Atomic uint32_t n;
	uint64_t n_loaded; /* programs and libraries, when the recorder began */
} own;

static bool was_told(const struct note *note)
{
	for (uint32_t i = 0; i < own.n; i++)
		if (own.modules[i].mark == note->mark &&
			own.modules[i].module.address == note->module.address)
			return true;
	return false;
}

/* Adds what is in memory and was not told yet. */
static void memory_look(uint32_t pid)
{
	const uint32_t room = sizeof own.modules / sizeof own.modules[0];
	struct note note = { .kind = NOTE_MODULE };
	const char *path;

	if (!mapped_open(&own.mapped, pid))
		return;
	while (own.n < room && mapped_next(&own.mapped, pid, &note.module, &note.mark)) {
		if (note.module.length >= sizeof note.path || own.mapped.mapping.path[0] != '/' ||
			was_told(&note))
			continue;
		path = mapped_identify(&own.mapped, &note.module);
		own.modules[own.n] = note;
		memcpy(own.modules[own.n].path, path, note.module.length);
		atomic_store(&own.n, own.n + 1); /* last: another thread may fork here */
	}
	mapped_close(&own.mapped);
}

static void modules_put(const struct ring *ring, uint32_t pid, uint32_t first)
{
	struct note note;

	for (uint32_t i = first; i < own.n; i++) {
		note = own.modules[i];
		note.module.pid = pid;
		note_put(ring, &note);
	}
}

static void name_take(uint32_t pid, char *ret_name)
{
	if ((uint32_t)syscall(SYS_gettid) != pid || prctl(PR_GET_NAME, ret_name) != 0)
		proc_name(pid, 0, ret_name);
}

void note_process(const struct ring *ring, bool is_child)
{
	const uint32_t pid = (uint32_t)getpid();
	struct note note = { .kind = NOTE_PROGRAM,
		.ring = (uint64_t)(uintptr_t)ring->shared,
		.task = { .pid = pid, .tid = pid } };

	if (!ring->notes)
		return;
	name_take(pid, note.task.name);
	note_put(ring, &note);
	if (!is_child || own.n == 0)
		memory_look(pid);
	modules_put(ring, pid, 0);
}

static int take_count(struct dl_phdr_info *info, size_t size, void *argument)
{
	*(uint64_t *)argument = info->dlpi_adds;
	(void)size;
	return 1;
}

static uint64_t n_loaded(void)
{
	uint64_t n = 0;

	dl_iterate_phdr(take_count, &n);
	return n;
}

void note_begin(void)
{
	own.n_loaded = n_loaded();
}

void note_end(void)
{
	uint64_t gate = atomic_load(&process_gate);
	uint32_t told = own.n;
	const struct ring *ring;

	if (!gate || n_loaded() == own.n_loaded)
		return;
	memory_look((uint32_t)getpid());
	for (; gate; gate &= gate - 1) {
		ring = process_ring(__builtin_ctzll(gate));
		if (ring->notes)
			modules_put(ring, (uint32_t)getpid(), told);
	}
}
