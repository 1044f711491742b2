/* SPDX-License-Identifier: MIT */
#include "job/job.h"

#include "base/error.h"

static struct select_list as_list(const struct text_list *list)
{
	return (struct select_list){ .items = list->items, .n_items = list->n_items };
}

void job_begin(struct job *job)
{
	const struct job_spec *spec = job->spec;

	job->has_several = open_n_traces(&spec->open, job->n_paths) > 1;
	job->filter = (struct filter_spec){
		.from = spec->from,
		.to = spec->to,
		.types = as_list(&spec->types),
		.contexts = as_list(&spec->contexts),
		.objects = as_list(&spec->objects),
		.cores = as_list(&spec->cores),
	};
}

enum rst_status job_select_run(struct job *job, size_t n, struct rst_error *err)
{
	const struct job_spec *spec = job->spec;

	job->window = (struct run_window){ .open = &spec->open,
		.n_paths = job->n_paths,
		.paths = job->paths,
		.run = spec->run,
		.from = spec->from,
		.to = spec->to };
	return run_window_set(&job->window, n, &job->filter, err);
}

enum rst_status job_templates(struct job *job, struct rst_trace *trace,
	struct dialect_templates **ret_templates, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(trace);

	return templates_load(&job->templates, metadata->dialect, metadata->path, &job->spec->templates,
		ret_templates, err);
}

enum rst_status job_open(struct job *job, size_t n, struct rst_trace **ret_trace, struct rst_error *err)
{
	struct dialect_templates *templates;
	struct rst_trace *trace = NULL;
	enum rst_status status = open_nth_trace(&trace, &job->spec->open, job->n_paths, job->paths, n, err);

	if (status == RST_OK)
		status = job_templates(job, trace, &templates, err);
	if (status == RST_OK)
		status = templates_give_effects(templates, trace, err);
	if (status < 0) {
		rst_trace_free(trace);
		return status;
	}
	*ret_trace = trace;
	return RST_OK;
}

enum rst_status job_scan(struct job *job, struct rst_trace *trace, struct scan *scan)
{
	scan->trace = trace;
	scan->filter = &job->filter;
	const enum rst_status status = scan_run(scan, &job->err);

	job->is_over = status == RST_E_NOMEM || status == RST_E_USAGE;
	job->fault[0] = '\0';
	if (status < 0)
		rst_error_text(&job->err, job->fault, sizeof(job->fault));
	return status;
}

bool job_can_read_again(const struct job *job, size_t n)
{
	return open_can_repeat(&job->spec->open, job->n_paths, job->paths, n);
}

void job_done(struct job *job)
{
	job->templates = templates_free(job->templates);
}
