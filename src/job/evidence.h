/* SPDX-License-Identifier: MIT */
/* The lines of single events, as a report has them: a trace is read once more for them. */
#ifndef JOB_EVIDENCE_H
#define JOB_EVIDENCE_H

#include "base/outbuf.h"
#include "base/text.h"
#include "job/job.h"

struct evidence_line {
	uint64_t seq;
	size_t start, end; /* in the text */
};

struct evidence {
	struct outbuf text; /* OUTBUF_MEMORY */
	bool has_text;
	struct evidence_line *lines; /* in the order of seq, once they are read */
	size_t n_lines, room;
	bool has_no_memory;
};

/*
 * Reads the lines of these events of the n-th trace, smallest sequence number first. Lines are broken for a
 * terminal of n_columns, unless that is 0. The faults of the trace were printed when it was read before.
 * Returns RST_E_NOMEM or RST_E_IO; evidence_done() is due in any case.
 */
enum rst_status evidence_read(struct job *job, size_t n, const uint64_t *seqs, size_t n_seqs,
	unsigned n_columns, bool has_color, struct evidence *evidence, struct rst_error *err);

/* The line or lines of an event, with the end of the last one. The text is empty if the event has no line. */
struct text evidence_find(const struct evidence *evidence, uint64_t seq);

void evidence_done(struct evidence *evidence);

#endif
