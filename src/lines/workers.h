/* SPDX-License-Identifier: MIT */
/*
 * Several threads make the lines of one trace. Each has its own model, templates and report: they share no
 * data that an event reads or writes. Each reads the whole trace, so that names at each event are the same as
 * with one thread. The thread that comes to a batch first formats it; the others pass over it, and only keep
 * the state that later lines depend on. The lines of a batch wait in a block until the caller's thread writes
 * them, in the order of batches. Two threads take the time of reading and half the time of formatting:
 *
 *      batch      16      17      18      19      20      21 …
 *      caller    [lines]  pass   [lines]  pass    pass   [lines]      writes 16, 17, 18 …
 *      worker     pass   [lines]  pass   [lines] [lines]  pass
 *
 * So the time of reading is the least that a report takes. Threads that read in turns, and hand on what the
 * model knows, would take less, but each dialect would have to say what that is.
 */
#ifndef LINES_WORKERS_H
#define LINES_WORKERS_H

#include "lines/report.h"

enum share {
	SHARE_OWN,  /* this thread formats the batch; workers_give() is due behind it */
	SHARE_PASS, /* another thread formats it; workers_pass() is due instead of lines */
};

/*
 * If several threads may make the report, sets report->worker and starts the threads. Returns RST_E_NOMEM if
 * memory ran out.
 */
enum rst_status workers_init(struct report_input *input, struct rst_error *err);

/*
 * Must be called first for each batch of a trace, once its time and selection are bound. From then on lines
 * go to memory in which they can wait.
 */
void workers_enter(struct report_input *input);

/*
 * Must be called for each of these batches before its first line, when the widths of columns are known. It
 * may wait for other threads. Returns RST_E_NOMEM; RST_E_DAMAGED if the threads have read different data.
 */
enum rst_status workers_share(struct report_input *input, const struct rst_batch *batch, const uint16_t *rows,
	size_t n_rows, enum share *ret_share, struct rst_error *err);

/*
 * Keeps what the rows leave behind for later lines: columns and their widths, numbers, the time before.
 * Returns false if memory ran out.
 */
bool workers_pass(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows);

/* Must be called behind the last line of a batch that this thread has formatted. */
void workers_give(struct report *report);

/*
 * Must be called behind the last batch, or when reading has failed. It writes the remaining lines, ends the
 * threads and frees everything. Returns the status, or the error of another thread.
 */
enum rst_status workers_done(struct report_input *input, enum rst_status status, struct rst_error *err);

#endif
