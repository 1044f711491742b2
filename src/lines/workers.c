/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/error.h"
#include "lines/format.h"
#include "lines/worker.h"

enum {
	THREADS_MAX = 64,
	AHEAD = 4, /* batches for each thread that may be formatted before they can be written */
};

/* --- the other threads ---------------------------------------------------------------------------------- */

static void worker_read(struct worker *worker)
{
	struct report_input *input = &worker->input;
	const struct report_opener *opener = worker->report.opener;
	void *owned = NULL;
	struct rst_error err;

	/* The error is not reported here: the first thread finds the faults of the trace, too. */
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
		.out = &worker->lines->out,
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

/* Adds the faults of the worker's runner to those of the caller's runner. */
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

/* --- all threads ---------------------------------------------------------------------------------------- */

/*
 * Whether some lines depend on how many lines were made. If memory ran out for a plan, the first thread finds
 * that again.
 */
static bool rows_count_lines(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		const struct rst_layout *layout = batch->layout[rows[i]];
		const struct plan *plan =
			layout->index < input->plans_room ? input->plans[layout->index] : NULL;

		if (__builtin_expect(!plan, 0)) {
			if (batch->type[rows[i]]->marker != RST_EVENT)
				continue;
			plan = plan_of(input, layout);
		}
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
		outbuf_pass(workers->out, &worker->lines->out); /* the heads of columns */
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
	if (rows_count_lines(input, batch, rows, n_rows)) {
		*ret_share = workers_leave(input);
		return RST_OK;
	}
	*ret_share = SHARE_PASS;
	return batch_share(input, batch, ret_share, err);
}

void workers_enter(struct report_input *input)
{
	struct report *report = input->report;
	struct worker *worker = report->worker;

	if (!worker || worker->is_single)
		return;
	worker->n_batches++;
	report->out = input->runner.out = &worker->lines->out;
	/* Markers in front of everything are lines of the caller's thread. */
	if (worker->n_batches == 1)
		report->out->at = report->out->start;
}

/* A name that is longer than those before it makes its column wider. Most names have been seen. */
static inline bool context_pass(struct report_input *input, const struct report_line *line)
{
	const struct rst_context *context = line->batch->context[line->row];
	const size_t index = 2 * (size_t)context->index;
	const bool is_plain =
		!rst_batch_interrupted(line->batch, line->row) && !rst_batch_depth(line->batch, line->row);

	if (is_plain && index < input->cells_room && input->cells[index].bytes &&
		input->cells[index].name == context->name)
		return true;
	return plan_context(input, line) != NULL;
}

bool workers_pass(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows)
{
	struct report *report = input->report;
	struct report_line line = { .report = report, .input = input, .batch = batch };
	const bool has_subjects = report->options.format->has_subjects;
	uint64_t least = UINT64_MAX, greatest = 0;
	char room[TIMES_ROOM];

	for (size_t i = 0; i < n_rows; i++) {
		line.row = rows[i];
		line.layout = batch->layout[line.row];
		if (batch->type[line.row]->marker != RST_EVENT)
			continue;
		if (has_subjects && !context_pass(input, &line))
			return false;
		if (input->counts)
			type_counts_add(input->counts, line.layout);
		least = batch->ticks[line.row] < least ? batch->ticks[line.row] : least;
		greatest = batch->ticks[line.row] > greatest ? batch->ticks[line.row] : greatest;
		report->section.last_ticks = batch->ticks[line.row];
		report->section.has_last = input->has_chosen = true;
		report->seq++;
	}
	/* The column of times is as wide as the widest. */
	if (least <= greatest) {
		times_put(&input->times, room, least);
		times_put(&input->times, room, greatest);
	}
	report->out->at = report->out->start; /* the thread that formats makes the heads of columns, too */
	return true;
}

void workers_give(struct report *report)
{
	struct worker *worker = report->worker;

	if (!worker || !worker->has_batch)
		return;
	pthread_mutex_lock(&worker->workers->mutex);
	block_give(worker, report);
	if (is_first(worker))
		blocks_write(worker->workers, report);
	pthread_mutex_unlock(&worker->workers->mutex);
}

/* --- begin and end -------------------------------------------------------------------------------------- */

/*
 * Threads can share a trace if the output does not depend on the report's progress, and it can be read again.
 */
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
	if (!workers)
		return NULL;
	blocks_done(workers);
	pthread_cond_destroy(&workers->changed);
	pthread_mutex_destroy(&workers->mutex);
	free(workers);
	return NULL;
}

static struct workers *workers_new(size_t n_workers)
{
	struct workers *workers = calloc(1, sizeof(*workers) + n_workers * sizeof(workers->workers[0]));

	if (!workers)
		return NULL;
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_cond_init(&workers->changed, NULL);
	workers->n_workers = n_workers;
	workers->n_blocks = AHEAD * n_workers;
	for (size_t i = 0; i < n_workers; i++)
		workers->workers[i].workers = workers;
	return blocks_init(workers) ? workers : workers_free(workers);
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
