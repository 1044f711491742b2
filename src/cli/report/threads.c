/* SPDX-License-Identifier: MIT */
/* The trace of a report once more, for another thread: with a model of its own, and templates of its own. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report/report.h"

static bool trace_open(void *context, struct report_input *input, void **ret_owned)
{
	const struct threads *threads = context;
	struct dialect_templates *list = NULL, *templates;
	const struct rst_metadata *metadata;
	enum rst_status status;
	struct rst_error err;

	status = open_nth_trace(
		&input->trace, threads->common, threads->n_operands, threads->operands, input->source, &err);
	if (status < 0)
		return false;
	metadata = rst_trace_metadata(input->trace);
	status = templates_load(
		&list, metadata->dialect, metadata->path, threads->templates, &templates, &err);
	*ret_owned = list;
	if (status < 0 || templates_give_effects(templates, input->trace, &err) < 0)
		return false;
	input->templates = templates->set;
	input->diags = &templates->diags;
	return true;
}

/* The layouts of a trace have effects of its templates. */
static void trace_close(void *context, struct report_input *input, void *owned)
{
	(void)context;
	rst_trace_free(input->trace);
	templates_free(owned);
}

/* Only one thread reads input that can be read only once, or that is still being written. */
static bool is_kept(const struct threads *threads)
{
	const struct text_list *templates = threads->templates;

	for (int i = 0; i < threads->n_operands; i++)
		if (strcmp(threads->operands[i], "-") == 0)
			return false;
	for (size_t i = 0; i < templates->n_items; i++)
		if (strcmp(templates->items[i], "-") == 0)
			return false;
	return !threads->common->live;
}

void threads_set_up(struct threads *threads, struct report *report, uint64_t n_threads)
{
	const long n_processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (n_threads == 0)
		n_threads = n_processors > 0 ? (uint64_t)n_processors : 1;
	threads->opener =
		(struct report_opener){ .open = trace_open, .close = trace_close, .context = threads };
	report->n_threads =
		is_kept(threads) ? (unsigned)(n_threads < UINT16_MAX ? n_threads : UINT16_MAX) : 1;
	report->opener = &threads->opener;
}
