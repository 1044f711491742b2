/* SPDX-License-Identifier: MIT */
#include "lines/sentence.h"

#include "base/error.h"
#include "lines/format.h"

enum rst_status sentences_init(struct sentences *sentences, struct rst_trace *trace,
	struct template_set *templates, struct diags *diags, struct rst_error *err)
{
	static const struct filter_spec all;

	*sentences = (struct sentences){
		.report = { .options = { .format = &report_format_jsonl, .filter = &all },
			.out = &sentences->out,
			.n_left = UINT64_MAX },
		.input = { .trace = trace, .templates = templates, .diags = templates ? diags : NULL }
	};
	sentences->has_out = outbuf_init(&sentences->out, OUTBUF_MEMORY);
	if (!sentences->has_out)
		return error_nomem(err);
	return input_prepare(&sentences->input, &sentences->report, err);
}

enum rst_status sentences_start(
	struct sentences *sentences, const struct rst_batch *first, struct rst_error *err)
{
	return input_start(&sentences->input, first, err);
}

bool sentence_make(struct sentences *sentences, const struct rst_batch *batch, size_t row,
	struct text *ret_args, struct text *ret_text)
{
	struct outbuf *out = &sentences->out;
	struct report_line line = { .report = &sentences->report,
		.input = &sentences->input,
		.batch = batch,
		.row = row,
		.layout = batch->layout[row],
		.plan = plan_of(&sentences->input, batch->layout[row]),
		.values = { .out = out,
			.trace = sentences->input.trace,
			.payload = batch->payload[row],
			.payload_bytes = batch->payload_bytes[row],
			.seq = batch->seq[row],
			.process = batch->context[row]->process } };
	size_t n_args = 0, n_text = 0;

	out->at = out->start;
	if (!line.plan || !outbuf_reserve(out, line.plan->room))
		return false;
	line.values.room_after = line.plan->room;
	if (ret_args) {
		out->at = jsonl_put_fields(&line.values, out->at, line.plan);
		n_args = (size_t)(out->at - out->start);
	}
	if (ret_text) {
		text_cache_refresh(sentences->input.texts, sentences->input.trace);
		sentences->input.runner.outcome = RUN_DONE;
		out->at = plan_put_text(&line, out->at);
		n_text = (size_t)(out->at - out->start) - n_args;
	}
	if (ret_args)
		*ret_args = (struct text){ out->start, n_args };
	if (ret_text)
		*ret_text = (struct text){ out->start + n_args, n_text };
	sentences->report.n_lines++;
	return !out->error;
}

bool sentences_end_batch(struct sentences *sentences, const struct rst_batch *batch)
{
	struct report_input *input = &sentences->input;

	return !input->spans.is_wanted || open_spans_end_batch(&input->spans, input->trace, batch);
}

void sentences_done(struct sentences *sentences)
{
	if (!sentences->has_out)
		return;
	input_release(&sentences->input);
	outbuf_done(&sentences->out);
	sentences->has_out = false;
}
