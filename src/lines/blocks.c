/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "lines/worker.h"

struct block *block_of(struct workers *workers, uint64_t batch)
{
	return &workers->blocks[batch % workers->n_blocks];
}

/* --- where lines are made ------------------------------------------------------------------------------- */

/* With the mutex. */
static void lines_free(struct lines *lines)
{
	lines->next = lines->owner->free;
	lines->owner->free = lines;
}

/*
 * With the mutex: the thread's own, or another one's; as there are as many as blocks and threads, one is
 * free.
 */
static struct lines *lines_take(struct worker *worker)
{
	struct worker *owner = worker->free ? worker : worker->workers->workers;
	struct lines *lines;

	while (!owner->free)
		owner++;
	lines = owner->free;
	owner->free = lines->next;
	return lines;
}

void block_give(struct worker *worker, struct report *report)
{
	struct block *block = block_of(worker->workers, worker->n_batches - 1);

	block->lines = worker->lines;
	worker->lines = lines_take(worker);
	report->out = &worker->lines->out;
	block->n_lines = report->n_lines - worker->n_lines;
	report->n_lines = worker->n_lines;
	block->is_ready = true;
	worker->has_batch = false;
	pthread_cond_broadcast(&worker->workers->changed);
}

bool blocks_init(struct workers *workers)
{
	bool is_good;

	workers->blocks = calloc(workers->n_blocks, sizeof(struct block));
	workers->lines = calloc(workers->n_blocks + workers->n_workers, sizeof(struct lines));
	is_good = workers->blocks && workers->lines;

	for (size_t i = 0; is_good && i < workers->n_blocks + workers->n_workers; i++) {
		struct lines *lines = &workers->lines[i];

		lines->owner = &workers->workers[i % workers->n_workers];
		is_good = outbuf_init(&lines->out, OUTBUF_MEMORY);
		lines_free(lines);
	}
	for (size_t i = 0; is_good && i < workers->n_workers; i++)
		workers->workers[i].lines = lines_take(&workers->workers[i]);
	return is_good;
}

void blocks_done(struct workers *workers)
{
	for (size_t i = 0; workers->lines && i < workers->n_blocks + workers->n_workers; i++)
		outbuf_done(&workers->lines[i].out);
	free(workers->lines);
	free(workers->blocks);
}

/* --- the caller's thread writes ------------------------------------------------------------------------- */

/* With the mutex. A batch is written when the writer, too, has come to it. */
static bool is_next_ready(struct workers *workers)
{
	return workers->next_write < workers->workers[0].n_batches &&
	       block_of(workers, workers->next_write)->is_ready;
}

void blocks_write(struct workers *workers, struct report *report)
{
	while (is_next_ready(workers)) {
		struct block *block = block_of(workers, workers->next_write);

		pthread_mutex_unlock(&workers->mutex);
		outbuf_pass(workers->out, &block->lines->out);
		report->n_lines += block->n_lines;
		workers->next_write++;
		pthread_mutex_lock(&workers->mutex);
		lines_free(block->lines);
		block->lines = NULL;
		block->is_ready = false;
		workers->n_open++;
		pthread_cond_broadcast(&workers->changed);
	}
	/* The thread need not make its own lines any more either. */
	if (workers->out->error)
		report->out->error = workers->out->error;
}

void worker_wait(struct worker *worker, struct report *report)
{
	struct workers *workers = worker->workers;

	if (!is_first(worker) || !is_next_ready(workers))
		pthread_cond_wait(&workers->changed, &workers->mutex);
	if (is_first(worker))
		blocks_write(workers, report);
}

void blocks_drain(struct workers *workers, struct report *report, uint64_t end)
{
	pthread_mutex_lock(&workers->mutex);
	blocks_write(workers, report);
	while (workers->next_write < end && !workers->has_failed && !workers->out->error)
		worker_wait(&workers->workers[0], report);
	pthread_mutex_unlock(&workers->mutex);
}
