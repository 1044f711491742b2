/* SPDX-License-Identifier: MIT */
#include "record/process/procinfo.h"
#include "record/kernel/clock.h"
#include <string.h>

#define PROCINFO_NO_PID UINT64_MAX

static uint64_t procinfo_check_of(uint64_t number, const uint64_t *words)
{
	uint64_t check = number + 1;

	for (unsigned int i = 0; i < POOL_PROCINFO_WORDS; i++)
		check = ((check ^ words[i]) * 0x9e3779b97f4a7c15u) ^ check >> 29;
	return check;
}

void procinfo_put(const struct pool *pool, struct procinfo *info)
{
	const uint64_t number = atomic_fetch_add(&pool->shared->n_procinfos, 1);
	struct pool_procinfo *slot = &pool->procinfo[number % POOL_PROCINFOS];
	uint64_t words[POOL_PROCINFO_WORDS];

	info->ticks = clock_ticks((enum log_clock)pool->clock);
	memcpy(words, info, sizeof words);
	for (unsigned int i = 0; i < POOL_PROCINFO_WORDS; i++)
		atomic_store(&slot->words[i], words[i]);
	atomic_store(&slot->check, procinfo_check_of(number, words));
	atomic_fetch_add(&pool->shared->n_procinfos_whole, 1);
}

static bool procinfo_get(const struct pool *pool, uint64_t number, struct procinfo *ret_info)
{
	const struct pool_procinfo *slot = &pool->procinfo[number % POOL_PROCINFOS];
	const uint64_t check = atomic_load(&slot->check);
	uint64_t words[POOL_PROCINFO_WORDS];

	for (unsigned int i = 0; i < POOL_PROCINFO_WORDS; i++)
		words[i] = atomic_load(&slot->words[i]);
	memcpy(ret_info, words, sizeof words);
	return procinfo_check_of(number, words) == check;
}

/* Other processes can write anything there. */
static bool procinfo_is_sane(const struct procinfo *info)
{
	const struct log_module *module = &info->module;

	if (info->kind == PROCINFO_PROGRAM)
		return info->task.pid != 0;
	return info->kind == PROCINFO_MODULE && module->pid != 0 && info->path[0] &&
	       memchr(info->path, '\0', sizeof info->path) && module->n_build_id <= sizeof module->build_id &&
	       module->address + module->size > module->address;
}

void procinfo_reader_begin(struct procinfo_reader *reader, const struct pool *pool)
{
	memset(reader, 0, sizeof *reader);
	reader->pool = pool && pool->procinfo ? pool : NULL;
	reader->idle_pid = PROCINFO_NO_PID;
}

static void reader_drop_overwritten(struct procinfo_reader *reader, uint64_t first, uint64_t end)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < reader->n; i++)
		if (reader->waiting[i].number >= first && reader->waiting[i].number < end)
			reader->waiting[n++] = reader->waiting[i];
	reader->n = n;
}

/* An incomplete record is looked at again when more records are complete. */
static void reader_look(struct procinfo_reader *reader, uint64_t n_whole)
{
	const uint64_t end = atomic_load(&reader->pool->shared->n_procinfos);
	const uint64_t first = end > POOL_PROCINFOS ? end - POOL_PROCINFOS : 0;
	struct procinfo info;

	reader->n_whole = n_whole;
	reader->idle_pid = PROCINFO_NO_PID;
	reader_drop_overwritten(reader, first, end);
	for (uint64_t number = first; number < end && reader->n < POOL_PROCINFOS; number++) {
		if (reader->known[number % POOL_PROCINFOS] == number + 1 ||
			!procinfo_get(reader->pool, number, &info))
			continue;
		reader->known[number % POOL_PROCINFOS] = number + 1;
		if (procinfo_is_sane(&info))
			reader->waiting[reader->n++] =
				(struct procinfo_waiting){ number, info.ticks, info.task.pid };
	}
}

static void reader_remove_at(struct procinfo_reader *reader, uint32_t at)
{
	reader->n--;
	memmove(&reader->waiting[at], &reader->waiting[at + 1], (reader->n - at) * sizeof reader->waiting[0]);
}

bool procinfo_reader_peek(
	struct procinfo_reader *reader, uint32_t pid, uint64_t ticks, struct procinfo *ret_info)
{
	uint64_t n_whole;

	if (!reader->pool)
		return false;
	n_whole = atomic_load_explicit(&reader->pool->shared->n_procinfos_whole, memory_order_acquire);
	if (n_whole != reader->n_whole)
		reader_look(reader, n_whole);
	if (reader->n == 0 || pid == reader->idle_pid)
		return false;
	for (uint32_t i = 0; i < reader->n; i++) {
		const struct procinfo_waiting *waiting = &reader->waiting[i];

		if (waiting->pid != pid)
			continue;
		if (waiting->ticks > ticks)
			return false;
		reader->found = i;
		if (procinfo_get(reader->pool, waiting->number, ret_info))
			return true;
		reader_remove_at(reader, i--);
	}
	reader->idle_pid = pid;
	return false;
}

void procinfo_reader_take(struct procinfo_reader *reader)
{
	reader_remove_at(reader, reader->found);
}
