/* SPDX-License-Identifier: MIT */
/*
 * Several threads make the lines of one trace. Each has its own model, templates and report: they share no
 * data that an event reads or writes. One of them formats a batch. Its lines wait in a block until the
 * caller's thread writes them, in the order of batches.
 *
 * If a trace has no places, all threads read all of it, so that names at each event are the same as with one
 * thread. The thread that comes to a batch first formats it; the others pass over it, and only keep the state
 * that later lines depend on (standing.h). Two threads take the time of decoding and half the time of
 * formatting:
 *
 *      batch      16      17      18      19      20      21 …
 *      caller    [lines]  pass   [lines]  pass    pass   [lines]      writes 16, 17, 18 …
 *      worker     pass   [lines]  pass   [lines] [lines]  pass
 *
 * If a trace has places (dialect/place.h), a thread need not read the batches that others format. The threads
 * take turns (turns.c): the thread whose turn it is goes to the place behind the batch before, reads the next
 * batch and passes over it, hands on its place, and then formats. Messages about the trace depend on loss,
 * damage, warnings and new types. The first thread reads these rows itself.
 *
 *      caller    16 [lines     ] 18 [lines     ] 20 [lines     ]
 *      worker       17 [lines     ] 19 [lines     ] 21 [lines     ]
 */
#ifndef REPORT_WORKERS_H
#define REPORT_WORKERS_H

#include "report/report.h"

enum share {
	SHARE_OWN,  /* this thread formats the batch; workers_give() is due behind it */
	SHARE_PASS, /* another thread formats it */
};

/*
 * If several threads may make the report, sets report->worker and starts the threads. Returns RST_E_NOMEM if
 * memory ran out.
 */
enum rst_status workers_init(struct report_input *input, struct rst_error *err);

/*
 * Reads the next batch that this thread has to see, in place of rst_trace_next(). It may wait for other
 * threads. It also returns RST_E_NOMEM and RST_E_DAMAGED.
 */
enum rst_status workers_next(
	struct report_input *input, const struct rst_batch **ret_batch, struct rst_error *err);

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
 * With SHARE_OWN, before the first line: lets another thread go on behind the batch. Returns false if memory
 * ran out.
 */
bool workers_hand_on(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows);

/* Must be called behind the last line of a batch that this thread has formatted. */
void workers_give(struct report *report);

/*
 * Must be called behind the last batch, or when reading has failed. It writes the remaining lines, ends the
 * threads and frees everything. Returns the status, or the error of another thread.
 */
enum rst_status workers_done(struct report_input *input, enum rst_status status, struct rst_error *err);

#endif
