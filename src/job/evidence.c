/* SPDX-License-Identifier: MIT */
#include "job/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "lines/format.h"

static void take_line(void *context, uint64_t seq, size_t start)
{
	struct evidence *evidence = context;
	struct evidence_line *lines =
		array_room(evidence->lines, evidence->n_lines, &evidence->room, sizeof(*lines));

	if (!lines) {
		evidence->has_no_memory = true;
		return;
	}
	evidence->lines = lines;
	lines[evidence->n_lines++] = (struct evidence_line){
		.seq = seq, .start = start, .end = (size_t)(evidence->text.at - evidence->text.start)
	};
}

static int line_compare(const void *a, const void *b)
{
	const uint64_t one = ((const struct evidence_line *)a)->seq,
		       other = ((const struct evidence_line *)b)->seq;

	return one < other ? -1 : one > other;
}

enum rst_status evidence_read(struct job *job, size_t n, const uint64_t *seqs, size_t n_seqs,
	unsigned n_columns, bool has_color, struct evidence *evidence, struct rst_error *err)
{
	const struct filter_spec filter = { .seqs = seqs, .n_seqs = n_seqs };
	struct report report = { .options = { .format = &report_format_text,
					 .filter = &filter,
					 .columns = { .hidden = 1U << COLUMN_DELTA },
					 .n_columns = n_columns,
					 .has_color = has_color },
		.out = &evidence->text,
		.n_left = UINT64_MAX,
		.written = take_line,
		.written_context = evidence };
	struct report_input input = { 0 };
	struct dialect_templates *templates = NULL;
	enum rst_status status;

	evidence->has_text = outbuf_init(&evidence->text, OUTBUF_MEMORY);
	if (!evidence->has_text)
		return error_nomem(err);
	error_try(job_open(job, n, &input.trace, err));
	status = job_templates(job, input.trace, &templates, err);
	if (status == RST_OK) {
		input.templates = templates->set;
		input.diags = &templates->diags;
		status = report_trace(&report, &input, err);
	}
	rst_trace_free(input.trace);
	if (evidence->has_no_memory || evidence->text.error)
		return error_nomem(err);
	if (evidence->n_lines)
		qsort(evidence->lines, evidence->n_lines, sizeof(*evidence->lines), line_compare);
	/* A trace that ends badly has ended so before. */
	return status == RST_E_NOMEM ? status : RST_OK;
}

struct text evidence_find(const struct evidence *evidence, uint64_t seq)
{
	const struct evidence_line wanted = { .seq = seq };
	const struct evidence_line *line =
		evidence->n_lines
			? bsearch(&wanted, evidence->lines, evidence->n_lines, sizeof(wanted), line_compare)
			: NULL;

	if (!line)
		return (struct text){ NULL, 0 };
	return (struct text){ evidence->text.start + line->start, line->end - line->start };
}

void evidence_done(struct evidence *evidence)
{
	if (evidence->has_text)
		outbuf_done(&evidence->text);
	free(evidence->lines);
}
