/* SPDX-License-Identifier: MIT */
/* The sentence of an event and its fields as JSON, outside of a report. */
#ifndef LINES_SENTENCE_H
#define LINES_SENTENCE_H

#include "lines/report.h"

struct sentences {
	struct outbuf out;
	struct report report;
	struct report_input input;
	bool has_out;
};

/*
 * Templates (with diags) may be NULL: sentences are made of fields then. sentences_done() is due in any case.
 * RST_E_NOMEM.
 */
enum rst_status sentences_init(struct sentences *sentences, struct rst_trace *trace,
	struct template_set *templates, struct diags *diags, struct rst_error *err);

/* The first batch with an event is there. RST_E_NOMEM. */
enum rst_status sentences_start(
	struct sentences *sentences, const struct rst_batch *first, struct rst_error *err);

/*
 * Makes the text of an event's template, and {"its":"fields"}. Both are valid until the next call. Rows come
 * in their order. Returns false if memory ran out.
 */
bool sentence_make(struct sentences *sentences, const struct rst_batch *batch, size_t row,
	struct text *ret_args, struct text *ret_text);

/* Behind the last of its rows. Returns false if memory ran out. */
bool sentences_end_batch(struct sentences *sentences, const struct rst_batch *batch);
void sentences_done(struct sentences *sentences);

#endif
