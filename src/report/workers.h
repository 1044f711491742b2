/* SPDX-License-Identifier: MIT */
/*
 * Several threads that make the lines of one trace, with a model, templates and a report each: they share nothing that is read or written for
 * an event. A batch is formatted by one of them. Its lines wait in a block until the caller's thread writes them, in the order of batches.
 *
 * A trace without places all threads read, so that at each event names are what they are when one thread reads. The thread that comes to a batch
 * first formats it; the others pass over it, and only see what lines behind it depend on (standing.h). Two threads take the time of decoding and half
 * the time of formatting:
 *
 *      batch      16      17      18      19      20      21 …
 *      caller    [lines]  pass   [lines]  pass    pass   [lines]      writes 16, 17, 18 …
 *      worker     pass   [lines]  pass   [lines] [lines]  pass
 *
 * In a trace with places (dialect/place.h) a thread need not read what others format. They take turns (turns.c): the thread whose turn
 * it is goes behind the batch before, reads the next one and passes over it, hands on where it stands, and then formats. What the first thread
 * has to know, too, because messages about the trace depend on it, it is left to read itself: loss, damage, warnings, types that are new.
 *
 *      caller    16 [lines     ] 18 [lines     ] 20 [lines     ]
 *      worker       17 [lines     ] 19 [lines     ] 21 [lines     ]
 */
#ifndef REPORT_WORKERS_H
#define REPORT_WORKERS_H

#include "report/report.h"

enum share {
	SHARE_OWN,  /* this thread formats the batch; workers_give() is due behind it */
	SHARE_PASS, /* another one does */
};

/*
 * Sets report->worker where the report may be made by several threads, and starts them.
 * RST_E_NOMEM.
 */
enum rst_status workers_init(struct report_input *input, struct rst_error *err);

/* The next batch that this thread has to see, in place of rst_trace_next(). May wait for other threads. Also RST_E_NOMEM, RST_E_DAMAGED. */
enum rst_status workers_next(
	struct report_input *input, const struct rst_batch **ret_batch, struct rst_error *err);

/* For each batch of a trace whose time and selection are bound, first of all: from now on lines go to where they can wait. */
void workers_enter(struct report_input *input);

/*
 * For each of these batches, when the widths of columns are known, before its first line. May wait for other
 * threads. RST_E_NOMEM; RST_E_DAMAGED if the threads have not read the same.
 */
enum rst_status workers_share(struct report_input *input, const struct rst_batch *batch, const uint16_t *rows,
	size_t n_rows, enum share *ret_share, struct rst_error *err);

/*
 * With SHARE_OWN, before the first line: lets another thread go on behind the batch. Returns false if memory
 * ran out.
 */
bool workers_hand_on(
	struct report_input *input, const struct rst_batch *batch, const uint16_t *rows, size_t n_rows);

/* Behind the last line of a batch that was this thread's. */
void workers_give(struct report *report);

/*
 * Behind the last batch, or when reading has failed: writes what is left, ends the threads and frees all. Returns the status, or what
 * went wrong in another thread.
 */
enum rst_status workers_done(struct report_input *input, enum rst_status status, struct rst_error *err);

#endif
