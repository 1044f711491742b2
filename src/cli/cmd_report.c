/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/report.h"

struct report_args {
	struct common_args common;
	const char *format;
	unsigned time;
	unsigned color;
	const char *from, *to;
	struct opt_list types, contexts, objects, cores;
	uint64_t limit, last;
	bool is_quiet;
	const char *output;
};

static const struct opt report_opts[] = {
	{ OPT_TEXT, 'f', "format", "text|jsonl|csv", offsetof(struct report_args, format),
		"text for people (default), JSON Lines, or CSV", NULL, 0 },
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct report_args, output),
		"write to FILE, not to standard output", NULL, 0 },
	{ OPT_TEXT, 0, "from", "TIME", offsetof(struct report_args, from),
		"first moment to show: ticks, +ticks since the first event, or 250us, 1.5s", NULL, 0 },
	{ OPT_TEXT, 0, "to", "TIME", offsetof(struct report_args, to), "last moment to show", NULL, 0 },
	{ OPT_LIST, 't', "type", "LIST", offsetof(struct report_args, types),
		"only events of these names (* and ? match), services or numbers", NULL, 0 },
	{ OPT_LIST, 'c', "context", "LIST", offsetof(struct report_args, contexts),
		"only events of these threads, or of isr, init, idle", NULL, 0 },
	{ OPT_LIST, 0, "object", "LIST", offsetof(struct report_args, objects),
		"only events about these objects, by name or address", NULL, 0 },
	{ OPT_LIST, 0, "core", "LIST", offsetof(struct report_args, cores), "only events on these cores",
		NULL, 0 },
	{ OPT_NUMBER, 'n', "limit", "N", offsetof(struct report_args, limit), "stop after N events", NULL,
		0 },
	{ OPT_NUMBER, 0, "last", "N", offsetof(struct report_args, last),
		"only the last N lines of the report", NULL, 0 },
	{ OPT_CHOICE, 0, "time", "ticks|ns|rel|clock", offsetof(struct report_args, time),
		"how text shows time (default: rel with a known clock, else ticks)", time_form_names,
		N_TIME_FORMS },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct report_args, color),
		"colours in text (default: on a terminal, unless NO_COLOR is set)", common_color_names, 3 },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct report_args, is_quiet),
		"no notes about what was guessed", NULL, 0 },
	{ .kind = OPT_END },
};

static const struct opt *const report_tables[] = { report_opts, common_opts, NULL };

static struct select_list as_list(const struct opt_list *list)
{
	return (struct select_list){ .items = list->items, .n_items = list->n_items };
}

/* What --last needs between the report and the output. */
struct pipeline {
	struct progress progress;
	struct tail tail;
	struct outbuf memory;
	bool has_tail;
};

static void pipeline_update(void *context, uint64_t n_events)
{
	struct pipeline *pipeline = context;

	if (pipeline->has_tail)
		tail_update(&pipeline->tail);
	progress_update(&pipeline->progress, n_events);
}

static int report_all(struct report *report, const struct report_args *args, int n_operands, char **operands,
	struct pipeline *pipeline)
{
	size_t n_traces = common_n_traces(&args->common, n_operands);
	enum rst_status status = RST_OK;
	int exit_status = EXIT_GOOD;

	for (size_t i = 0; i < n_traces && status == RST_OK; i++) {
		struct rst_error err;
		struct rst_trace *trace = NULL;

		report->source = (unsigned)i;
		status = common_open(&trace, &args->common, n_operands, operands, i, &err);
		if (status == RST_OK)
			status = report_trace(report, trace, &err);
		progress_end(&pipeline->progress);
		if (trace)
			exit_status = common_worse(exit_status, common_tell(trace, args->is_quiet));
		if (status < 0) {
			exit_status = common_worse(exit_status, common_fail(&err));
			status =
				err.status == RST_E_USAGE ? status : RST_OK; /* the other files may be good */
		}
		rst_trace_free(trace);
	}
	return exit_status;
}

static int report_to(const struct report_args *args, const struct report_format *format, int n_operands,
	char **operands, struct outbuf *out, int fd)
{
	const struct select_wish wish = {
		.from = args->from,
		.to = args->to,
		.types = as_list(&args->types),
		.contexts = as_list(&args->contexts),
		.objects = as_list(&args->objects),
		.cores = as_list(&args->cores),
	};
	struct pipeline pipeline = { .has_tail = args->last != UINT64_MAX };
	struct report report = {
		.out = out,
		.format = format,
		.wish = &wish,
		.time_form = (enum time_form)args->time,
		.has_color = common_has_color((enum common_color)args->color, fd),
		.has_sources = common_n_traces(&args->common, n_operands) > 1,
		.progress = pipeline_update,
		.progress_context = &pipeline,
		.n_left = args->limit,
	};
	struct rst_error err;

	progress_start(&pipeline.progress, fd);
	if (report.format->begin)
		report.format->begin(&report);
	if (pipeline.has_tail) {
		if (!outbuf_init(&pipeline.memory, OUTBUF_MEMORY)) {
			error_nomem(&err);
			return common_fail(&err);
		}
		tail_init(&pipeline.tail, &pipeline.memory, args->last);
		report.out = &pipeline.memory;
	}
	int exit_status = report_all(&report, args, n_operands, operands, &pipeline);

	if (pipeline.has_tail) {
		if (!tail_update(&pipeline.tail)) {
			error_nomem(&err);
			exit_status = common_fail(&err);
		}
		tail_write(&pipeline.tail, out);
		tail_done(&pipeline.tail);
		outbuf_done(&pipeline.memory);
	}
	return exit_status;
}

static int report_run(void *arguments, int n_operands, char **operands)
{
	struct report_args *args = arguments;
	const struct report_format *format;
	struct rst_error err;
	struct outbuf out;
	int fd, exit_status;

	if (report_format_find(args->format, &format, &err) < 0 ||
		common_output(args->output, n_operands, operands, &fd, &err) < 0)
		return common_fail(&err);
	if (!outbuf_init(&out, fd)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	exit_status = report_to(args, format, n_operands, operands, &out, fd);
	exit_status = common_worse(exit_status, common_finish(&out));
	outbuf_done(&out);
	return common_worse(exit_status, common_close(fd));
}

static void report_defaults(void *arguments)
{
	struct report_args *args = arguments;

	args->format = report_formats[0]->name;
	args->limit = args->last = UINT64_MAX;
}

const struct command command_report = {
	.name = "report",
	.usage = "[options] FILE...",
	.summary = "show the events of traces as text, JSON Lines or CSV",
	.tables = report_tables,
	.args_bytes = sizeof(struct report_args),
	.n_operands_min = 1,
	.defaults = report_defaults,
	.run = report_run,
};
