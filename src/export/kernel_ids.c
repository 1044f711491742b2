/* SPDX-License-Identifier: MIT */
/*
 * Thread ids as readers accept them: from 1 to 2^30 - 1, each of one thread; 0 is the idle thread of a core.
 * Threads keep their numbers if these are in the range. The others, which are known by addresses, get free
 * ids in the order of their first use.
 */
#include <stdlib.h>

#include "export/kernel.h"

enum { TID_END = 1 << 30 };

static bool has_own(const struct kernel_thread *thread)
{
	const struct rst_entity *entity = &thread->subject.entity;

	return entity->form == RST_ENTITY_THING && entity->is_number && entity->id > 0 &&
	       entity->id < TID_END;
}

static int tids_compare(const void *a, const void *b)
{
	const int32_t one = *(const int32_t *)a, other = *(const int32_t *)b;

	return (one > other) - (one < other);
}

/* Finds the next id that no thread of the recording has. */
int32_t kernel_id_next(struct kernel *kernel)
{
	int32_t tid;

	do
		tid = ++kernel->next_tid;
	while (kernel->n_tids && bsearch(&tid, kernel->tids, kernel->n_tids, sizeof(tid), tids_compare));
	return tid;
}

bool kernel_ids(struct kernel *kernel)
{
	const size_t n = kernel->threads.n;

	kernel->tids = malloc((n + 1) * sizeof(*kernel->tids));
	if (!kernel->tids)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (has_own(kernel_thread(kernel, i)))
			kernel->tids[kernel->n_tids++] = (int32_t)kernel_thread(kernel, i)->subject.entity.id;
	if (kernel->n_tids)
		qsort(kernel->tids, kernel->n_tids, sizeof(*kernel->tids), tids_compare);
	for (uint32_t i = 0; i < n; i++) {
		struct kernel_thread *thread = kernel_thread(kernel, i);

		/* Numbers that several processes have are those of threads of the system, or none. */
		thread->tid = has_own(thread) ? (int32_t)thread->subject.entity.id : kernel_id_next(kernel);
	}
	return true;
}
