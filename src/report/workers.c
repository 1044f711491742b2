/* SPDX-License-Identifier: MIT */
#include "report/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "report/format.h"

enum {
	THREADS_MAX = 64,
	AHEAD = 4, /* batches for each thread that may be formatted before they can be written */
};

/* The lines of a batch, from the thread that takes it to the one that writes. */
struct block {
	struct outbuf out;
	uint64_t n_lines;
	bool is_ready;
	uint64_t first_seq, n_events; /* of the batch: the same for all threads that read the same */
};

struct worker {
	struct workers *workers;
	uint64_t n_batches; /* that have come by */
	bool is_single;	    /* from now on no batch is shared */
	bool has_batch;	    /* taken and not given yet */
	uint64_t n_lines;   /* of the report when it was taken */
	struct outbuf out;  /* of the batch that is being formatted */

	/* But for the first worker, which is the caller's thread. */
	pthread_t thread;
	bool is_running; /* to be joined */
	struct report report;
	struct report_input input;
	struct outbuf heading; /* that the first worker writes */
};

/* Until it ends, the first worker alone uses what has no mutex. */
struct workers {
	struct outbuf *out;  /* where lines go */
	uint64_t first_seq;  /* of the trace, in the report */
	bool is_begun;	     /* threads may be running */
	uint64_t next_write; /* batches below it are written */

	pthread_mutex_t mutex; /* for all below, and for blocks that are not ready */
	pthread_cond_t changed;
	bool is_over;	  /* threads are to end */
	bool has_failed;  /* one could not format a batch that it had taken */
	uint64_t n_taken; /* batches below it have a thread */
	uint64_t n_open;  /* batches below it may be taken */
	size_t n_blocks;
	struct block *blocks; /* by the number of the batch */
	size_t n_workers;
	struct worker workers[];
};

static bool is_first(const struct worker *worker)
{
	return worker == worker->workers->workers;
}

static struct block *block_of(struct workers *workers, uint64_t batch)
{
	return &workers->blocks[batch % workers->n_blocks];
}

/* --- the caller's thread writes --------------------------------------------------------------------------------- */

/* With the mutex. Whether the next block to be written is there; a batch is written when the writer, too, has come to it. */
static bool is_next_ready(struct workers *workers)
{
	return workers->next_write < workers->workers[0].n_batches &&
	       block_of(workers, workers->next_write)->is_ready;
}

/* With the mutex, which is free while it writes. */
static void blocks_write(struct workers *workers, struct report *report)
{
	while (is_next_ready(workers)) {
		struct block *block = block_of(workers, workers->next_write);

		pthread_mutex_unlock(&workers->mutex);
		outbuf_pass(workers->out, &block->out);
		report->n_lines += block->n_lines;
		workers->next_write++;
		pthread_mutex_lock(&workers->mutex);
		block->is_ready = false;
		workers->n_open++;
		pthread_cond_broadcast(&workers->changed);
	}
	/* Its own lines need not be made any more either. */
	if (workers->out->error)
		report->out->error = workers->out->error;
}

/* With the mutex: waits for a change, and writes what there is. */
static void worker_wait(struct worker *worker, struct report *report)
{
	struct workers *workers = worker->workers;

	if (!is_first(worker) || !is_next_ready(workers))
		pthread_cond_wait(&workers->changed, &workers->mutex);
	if (is_first(worker))
		blocks_write(workers, report);
}

/* All batches in front of the given one are written, unless that is no more possible. */
static void blocks_drain(struct workers *workers, struct report *report, uint64_t end)
{
	pthread_mutex_lock(&workers->mutex);
	blocks_write(workers, report);
	while (workers->next_write < end && !workers->has_failed && !workers->out->error)
		worker_wait(&workers->workers[0], report);
	pthread_mutex_unlock(&workers->mutex);
}

/* --- the other threads ------------------------------------------------------------------------------------------ */

static void worker_read(struct worker *worker)
{
	struct report_input *input = &worker->input;
	const struct report_opener *opener = worker->report.opener;
	void *owned = NULL;
	struct rst_error err;

	/* What is wrong with the trace, the first thread finds, too. */
	if (opener->open(opener->context, input, &owned))
		report_trace(&worker->report, input, &err);
	opener->close(opener->context, input, owned);
}

static void *worker_run(void *context)
{
	struct worker *worker = context;
	struct workers *workers = worker->workers;

	if (outbuf_init(&worker->heading, OUTBUF_MEMORY))
		worker_read(worker);
	pthread_mutex_lock(&workers->mutex);
	workers->has_failed |= worker->has_batch;
	pthread_cond_broadcast(&workers->changed);
	pthread_mutex_unlock(&workers->mutex);
	return NULL;
}

/* Threads that there cannot be leave the work to the others. */
static void worker_start(struct worker *worker, const struct report_input *first)
{
	const struct report *report = first->report;

	worker->report = (struct report){
		.options = report->options,
		.out = &worker->out,
		.heading = &worker->heading,
		.n_left = UINT64_MAX,
		.opener = report->opener,
		.worker = worker,
		.seq = worker->workers->first_seq,
	};
	worker->input = (struct report_input){
		.source = first->source, .filter = first->filter, .hook = first->hook
	};
	worker->is_running = pthread_create(&worker->thread, NULL, worker_run, worker) == 0;
}

static void workers_begin(struct workers *workers, struct report_input *input)
{
	workers->is_begun = true;
	workers->n_open = workers->n_blocks;
	for (size_t i = 1; i < workers->n_workers; i++)
		worker_start(&workers->workers[i], input);
}

/* What they had to note counts with what the caller's has. */
static void worker_end(struct worker *worker, struct runner *runner)
{
	const struct runner *own = &worker->input.runner;

	if (worker->is_running)
		pthread_join(worker->thread, NULL);
	runner->n_truncated += own->n_truncated;
	runner->n_nesting += own->n_nesting;
	runner->n_limit += own->n_limit;
	runner->n_div0 += own->n_div0;
	outbuf_done(&worker->heading);
}

static void workers_end(struct workers *workers, struct report_input *input)
{
	pthread_mutex_lock(&workers->mutex);
	workers->is_over = true;
	pthread_cond_broadcast(&workers->changed);
	pthread_mutex_unlock(&workers->mutex);
	for (size_t i = 1; i < workers->n_workers; i++)
		worker_end(&workers->workers[i], &input->runner);
	workers->is_begun = false;
	input->report->out = input->runner.out = workers->out;
}

/* --- all threads ------------------------------------------------------------------------------------------------ */

/* Memory that ran out for a plan is found again by the thread that formats. */
static bool has_counting(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		const struct rst_layout *layout = batch->layout[rows[i]];
		const struct plan *plan =
			layout->index < input->plans_room ? input->plans[layout->index] : NULL;

		if (__builtin_expect(plan != NULL, 1) ? !plan->counts
						      : batch->type[rows[i]]->marker != RST_EVENT)
			continue;
		plan = plan_of(input, layout);
		if (!plan || plan->counts)
			return true;
	}
	return false;
}

/* With the mutex: the batch is nobody's yet. */
static void batch_take(struct worker *worker, const struct rst_batch *batch, uint64_t n_lines)
{
	struct workers *workers = worker->workers;
	struct block *block = block_of(workers, workers->n_taken++);

	block->n_events = batch->n_events;
	block->first_seq = batch->n_events ? batch->seq[0] : 0;
	worker->has_batch = true;
	worker->n_lines = n_lines;
}

/* A file that changes is not the same for all. */
static enum rst_status batch_compare(
	const struct block *block, const struct rst_batch *batch, struct rst_error *err)
{
	if (block->n_events == batch->n_events && (!batch->n_events || block->first_seq == batch->seq[0]))
		return RST_OK;
	error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "the file changed while it was read");
	error_advise(err, "read it again, or with --threads 1");
	return RST_E_DAMAGED;
}

static enum rst_status batch_share(struct report_input *input, const struct rst_batch *batch,
	enum share *ret_share, struct rst_error *err)
{
	struct report *report = input->report;
	struct worker *worker = report->worker;
	struct workers *workers = worker->workers;
	const uint64_t number = worker->n_batches - 1;
	enum rst_status status = RST_OK;

	pthread_mutex_lock(&workers->mutex);
	while (workers->n_taken == number && number >= workers->n_open && !workers->is_over &&
		!workers->has_failed)
		worker_wait(worker, report);
	if (workers->has_failed && is_first(worker))
		status = error_nomem(err);
	else if (workers->is_over || workers->has_failed)
		report->n_left = 0;
	else if (workers->n_taken > number) {
		if (is_first(worker))
			status = batch_compare(block_of(workers, number), batch, err);
	} else {
		batch_take(worker, batch, report->n_lines);
		*ret_share = SHARE_OWN;
	}
	pthread_mutex_unlock(&workers->mutex);
	return status;
}

/* From an event on that counts lines, the first thread makes all of them. */
static enum share workers_leave(struct report_input *input)
{
	struct report *report = input->report;
	struct worker *worker = report->worker;
	struct workers *workers = worker->workers;

	worker->is_single = true;
	if (!is_first(worker)) {
		report->n_left = 0;
		return SHARE_PASS;
	}
	if (workers->is_begun) {
		blocks_drain(workers, report, worker->n_batches - 1);
		outbuf_pass(workers->out, &worker->out); /* the heads of columns */
		workers_end(workers, input);
	}
	return SHARE_OWN;
}

enum rst_status workers_share(struct report_input *input, const struct rst_batch *batch, const uint16_t *rows,
	size_t n_rows, enum share *ret_share, struct rst_error *err)
{
	struct worker *worker = input->report->worker;

	*ret_share = SHARE_OWN;
	if (!worker || worker->is_single)
		return RST_OK;
	*ret_share = SHARE_PASS;
	if (has_counting(input, batch, rows, n_rows)) {
		*ret_share = workers_leave(input);
		return RST_OK;
	}
	return batch_share(input, batch, ret_share, err);
}

void workers_enter(struct report_input *input)
{
	struct report *report = input->report;
	struct worker *worker = report->worker;

	if (!worker || worker->is_single)
		return;
	worker->n_batches++;
	report->out = input->runner.out = &worker->out;
}

/* With the mutex: what the thread has written becomes the block of its batch, whose empty buffer it goes on with. */
static void batch_give(struct worker *worker, struct report *report)
{
	struct block *block = block_of(worker->workers, worker->n_batches - 1);
	const struct outbuf empty = block->out;

	block->out = *report->out;
	*report->out = empty;
	block->n_lines = report->n_lines - worker->n_lines;
	report->n_lines = worker->n_lines;
	block->is_ready = true;
	worker->has_batch = false;
	pthread_cond_broadcast(&worker->workers->changed);
}

void workers_give(struct report *report)
{
	struct worker *worker = report->worker;

	if (!worker || !worker->has_batch)
		return;
	pthread_mutex_lock(&worker->workers->mutex);
	batch_give(worker, report);
	if (is_first(worker))
		blocks_write(worker->workers, report);
	pthread_mutex_unlock(&worker->workers->mutex);
}

/* --- begin and end ---------------------------------------------------------------------------------------------- */

/* What is shown must not depend on how far a report is, nor the trace be one that cannot be read again. */
static bool can_share(const struct report_input *input)
{
	const struct report *report = input->report;
	const struct report_options *options = &report->options;
	const struct filter_spec *filter = input->filter ? input->filter : options->filter;

	return report->n_threads > 1 && report->opener && options->format != &report_format_aix &&
	       !options->removes_duplicates && !report->written && !report->n_merged &&
	       report->n_left == UINT64_MAX && !filter->from && !filter->to &&
	       report->out->fd != OUTBUF_MEMORY;
}

static struct workers *workers_free(struct workers *workers)
{
	for (size_t i = 0; workers && workers->blocks && i < workers->n_blocks; i++)
		outbuf_done(&workers->blocks[i].out);
	for (size_t i = 0; workers && i < workers->n_workers; i++)
		outbuf_done(&workers->workers[i].out);
	if (workers) {
		pthread_cond_destroy(&workers->changed);
		pthread_mutex_destroy(&workers->mutex);
		free(workers->blocks);
	}
	free(workers);
	return NULL;
}

static struct workers *workers_new(size_t n_workers)
{
	const size_t n_blocks = AHEAD * n_workers;
	struct workers *workers = calloc(1, sizeof(*workers) + n_workers * sizeof(workers->workers[0]));
	bool is_good = workers != NULL;

	if (!workers)
		return NULL;
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_cond_init(&workers->changed, NULL);
	workers->n_workers = n_workers;
	workers->n_blocks = n_blocks;
	workers->blocks = calloc(n_blocks, sizeof(struct block));
	is_good = workers->blocks != NULL;
	for (size_t i = 0; is_good && i < n_blocks; i++)
		is_good = outbuf_init(&workers->blocks[i].out, OUTBUF_MEMORY);
	for (size_t i = 0; is_good && i < n_workers; i++) {
		workers->workers[i].workers = workers;
		is_good = outbuf_init(&workers->workers[i].out, OUTBUF_MEMORY);
	}
	return is_good ? workers : workers_free(workers);
}

enum rst_status workers_init(struct report_input *input, struct rst_error *err)
{
	struct report *report = input->report;
	const size_t n_threads = report->n_threads < THREADS_MAX ? report->n_threads : THREADS_MAX;
	struct workers *workers;

	if (report->worker || !can_share(input))
		return RST_OK;
	workers = workers_new(n_threads);
	if (!workers)
		return error_nomem(err);
	workers->out = report->out;
	workers->first_seq = report->seq;
	report->worker = &workers->workers[0];
	workers_begin(workers, input);
	return RST_OK;
}

enum rst_status workers_done(struct report_input *input, enum rst_status status, struct rst_error *err)
{
	struct report *report = input->report;
	struct worker *worker = report->worker;
	struct workers *workers = worker ? worker->workers : NULL;

	if (!worker || !is_first(worker))
		return status;
	if (workers->is_begun) {
		workers_give(report); /* a batch in whose midst it failed */
		blocks_drain(workers, report, worker->n_batches);
		workers_end(workers, input);
		if (workers->has_failed && status >= 0)
			status = error_nomem(err);
	}
	report->worker = NULL;
	workers_free(workers);
	return status;
}
