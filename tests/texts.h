/* SPDX-License-Identifier: MIT */
/*
 * Texts of a trace twice: as plan_put_text() gives them, which has kept those that came before, and as their
 * templates make them. Both must be the same, with what else a line depends on.
 */
#ifndef TESTS_TEXTS_H
#define TESTS_TEXTS_H

#include <stdio.h>
#include <string.h>

#include "lines/format.h"
#include "template/set/search.h"

enum { TEXTS_LEAD = 8, TEXTS_MAX = 4096 };

struct texts {
	struct rst_trace *trace;
	struct template_set *templates;
	struct diags diags;
	struct outbuf out;
	struct report report;
	struct report_input input;
	const struct rst_batch *batch;
};

/* With templates of its own, or with those that are built in. */
static inline bool texts_start(struct texts *texts, const char *templates)
{
	static const struct filter_spec all;

	texts->templates = template_set_new(rst_trace_metadata(texts->trace)->dialect);
	texts->diags = (struct diags){ 0 };
	texts->report = (struct report){ .options = { .format = &report_format_jsonl, .filter = &all },
		.out = &texts->out,
		.n_left = UINT64_MAX };
	texts->input = (struct report_input){
		.trace = texts->trace, .templates = texts->templates, .diags = &texts->diags
	};
	return texts->templates &&
	       (templates ? template_set_add(texts->templates,
				    template_file_of("test", templates, strlen(templates)), &texts->diags)
			  : template_search(texts->templates, NULL, 0, NULL, &texts->diags, NULL)) ==
		       RST_OK &&
	       outbuf_init(&texts->out, OUTBUF_MEMORY) &&
	       input_prepare(&texts->input, &texts->report, NULL) == RST_OK &&
	       rst_trace_next(texts->trace, &texts->batch, NULL) == RST_OK &&
	       input_start(&texts->input, texts->batch, NULL) == RST_OK;
}

static inline void texts_stop(struct texts *texts)
{
	input_release(&texts->input);
	outbuf_done(&texts->out);
	diags_done(&texts->diags);
	template_set_free(texts->templates);
	rst_trace_free(texts->trace);
}

/*
 * A text behind blanks, as it stands behind the columns of a line: from the cache where it may be, or as the
 * template makes it.
 */
static inline struct text texts_make(struct texts *texts, size_t row, bool is_cached, char bytes[TEXTS_MAX])
{
	struct report_line line = { .report = &texts->report,
		.input = &texts->input,
		.batch = texts->batch,
		.row = row,
		.layout = texts->batch->layout[row],
		.plan = plan_of(&texts->input, texts->batch->layout[row]),
		.values = { .out = &texts->out, .trace = texts->trace } };
	struct text text = { bytes, 0 };
	char *p;

	texts->out.at = texts->out.start;
	if (!line.plan || !outbuf_reserve(&texts->out, line.plan->room + TEXTS_LEAD))
		return text;
	texts->input.runner.outcome = RUN_DONE;
	p = text_put_fill(texts->out.at, ' ', TEXTS_LEAD);
	p = is_cached ? plan_put_text(&line, p) : plan_run_text(&line, p);
	/* A report of the line depends on these, too. */
	p = text_put_dec(p, texts->input.runner.outcome);
	p = text_put_dec(text_put_literal(p, " "), texts->input.runner.start);
	p = text_put_dec(text_put_literal(p, " "), texts->input.runner.line);
	text.n_bytes =
		(size_t)(p - texts->out.start) < TEXTS_MAX ? (size_t)(p - texts->out.start) : TEXTS_MAX;
	memcpy(bytes, texts->out.start, text.n_bytes);
	return text;
}

static inline bool texts_are_same(struct texts *texts, size_t row)
{
	char cached[TEXTS_MAX], made[TEXTS_MAX];
	const struct text a = texts_make(texts, row, true, cached), b = texts_make(texts, row, false, made);

	if (a.n_bytes && text_is_same(a, b))
		return true;
	printf("# event %llu: \"%.*s\", not \"%.*s\"\n", (unsigned long long)texts->batch->seq[row],
		(int)a.n_bytes, a.bytes, (int)b.n_bytes, b.bytes);
	return false;
}

/* Each event twice: as it comes, and again when the batch is there, when most texts are kept. */
static inline bool texts_are_all_same(struct texts *texts)
{
	bool is_good = true;

	do {
		input_refresh(&texts->input);
		for (size_t i = 0; i < 2 * texts->batch->n_events && is_good; i++) {
			const size_t row = i % texts->batch->n_events;

			if (texts->batch->type[row]->marker == RST_EVENT)
				is_good = texts_are_same(texts, row);
		}
	} while (is_good && rst_trace_next(texts->trace, &texts->batch, NULL) == RST_OK);
	return is_good;
}

#endif
