/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/catalogue.h"
#include "cli/live.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "cli/terminal.h"
#include "report/report.h"
#include "template/search.h"

struct report_args {
	struct live_args live; /* first, with the common ones in it */
	const char *format;
	unsigned time;
	unsigned color;
	const char *from, *to;
	struct opt_list columns, types, contexts, objects, cores, templates;
	unsigned head;
	uint64_t limit, last;
	bool is_quiet, has_no_pager;
	const char *output;
};

static const struct opt report_opts[] = {
	{ OPT_TEXT, 'f', "format", "text|aix|jsonl|csv", offsetof(struct report_args, format),
		"text for people (default), the layout of AIX, JSON Lines, or CSV", NULL, 0 },
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct report_args, output),
		"write to FILE, not to standard output", NULL, 0 },
	{ OPT_TEXT, 0, "from", "TIME", offsetof(struct report_args, from),
		"first moment to show: ticks, +ticks since the first event, or 250us, 1.5s", NULL, 0 },
	{ OPT_TEXT, 0, "to", "TIME", offsetof(struct report_args, to), "last moment to show", NULL, 0 },
	{ OPT_LIST, 't', "type", "LIST", offsetof(struct report_args, types),
		"only events of these names (* and ? match) or numbers; !NAME leaves out", NULL, 0 },
	{ OPT_LIST, 'c', "context", "LIST", offsetof(struct report_args, contexts),
		"only events of these threads, or of isr, init, idle; !NAME leaves out", NULL, 0 },
	{ OPT_LIST, 0, "object", "LIST", offsetof(struct report_args, objects),
		"only events about these objects, by name or address", NULL, 0 },
	{ OPT_LIST, 0, "core", "LIST", offsetof(struct report_args, cores), "only events on these cores",
		NULL, 0 },
	{ OPT_FILES, 0, "templates", "FILE|DIR", offsetof(struct report_args, templates),
		"how events read, over the templates that are there; may be repeated", NULL, 0 },
	{ OPT_NUMBER, 'n', "limit", "N", offsetof(struct report_args, limit), "stop after N events", NULL,
		0 },
	{ OPT_NUMBER, 0, "last", "N", offsetof(struct report_args, last),
		"only the last N lines of the report", NULL, 0 },
	{ OPT_CHOICE, 0, "time", "ticks|ns|rel|clock", offsetof(struct report_args, time),
		"how text shows time (default: rel with a known clock, else ticks)", time_form_names,
		N_TIME_FORMS },
	{ OPT_LIST, 0, "columns", "LIST", offsetof(struct report_args, columns),
		"columns of text, of time,delta,core,thread,priority,event,text; +NAME and -NAME change what "
		"is there",
		NULL, 0 },
	{ OPT_CHOICE, 0, "head", "auto|always|never", offsetof(struct report_args, head),
		"file and columns above text, counts below (default: on a terminal, and for several files)",
		common_color_names, 3 },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct report_args, color),
		"colours in text (default: on a terminal, unless NO_COLOR is set)", common_color_names, 3 },
	{ OPT_FLAG, 0, "no-pager", NULL, offsetof(struct report_args, has_no_pager),
		"no pager on a terminal (default: PAGER, or less; none while a live input is read)", NULL,
		0 },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct report_args, is_quiet),
		"no notes about what was guessed", NULL, 0 },
	{ .kind = OPT_END },
};

static const struct opt *const report_tables[] = { report_opts, live_opts, common_opts, NULL };

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
	struct report *report;
	struct outbuf *out;
	struct link *link; /* NULL: files are read */
	struct loaded *loaded;
};

/* Rows are events and markers; the link is to know whether its bytes mean something. */
static void note_events(struct pipeline *pipeline, uint64_t n_rows)
{
	const struct rst_gap *gaps;
	size_t n_kept;
	uint64_t n_bad = rst_trace_gaps(pipeline->report->trace, &gaps, &n_kept);

	link_gave(pipeline->link, n_rows > n_bad ? n_rows - n_bad : 0, n_bad);
}

/* Lines of a live input are shown as they come. */
static void pipeline_update(void *context, uint64_t n_events)
{
	struct pipeline *pipeline = context;

	if (pipeline->has_tail)
		tail_update(&pipeline->tail);
	progress_update(&pipeline->progress, n_events);
	if (!pipeline->link)
		return;
	outbuf_flush(pipeline->out);
	note_events(pipeline, n_events);
	/* A dump that came by a pipe is not read any more when it is shown; other links see signals where they read. */
	if (pipeline->link->kind->ends && !pipeline->link->is_stopped && !link_goes_on(pipeline->link))
		pipeline->report->n_left = 0;
}

/* --- templates ---------------------------------------------------------------------------------------------- */

/* The templates of a dialect, loaded once, however many traces there are of it. */
struct loaded {
	struct loaded *next;
	struct template_set *set;
	struct diags diags;
	bool is_complete;
};

static struct loaded *loaded_free(struct loaded *loaded)
{
	while (loaded) {
		struct loaded *next = loaded->next;

		template_set_free(loaded->set);
		diags_done(&loaded->diags);
		free(loaded);
		loaded = next;
	}
	return NULL;
}

/* NULL when memory ran out. */
static struct loaded *loaded_of(struct loaded **list, const char *dialect)
{
	struct loaded *loaded = *list;

	while (loaded && strcmp(loaded->set->dialect, dialect) != 0)
		loaded = loaded->next;
	if (loaded)
		return loaded;
	loaded = calloc(1, sizeof(*loaded));
	if (!loaded)
		return NULL;
	loaded->set = template_set_new(dialect);
	if (!loaded->set)
		return loaded_free(loaded);
	loaded->next = *list;
	*list = loaded;
	return loaded;
}

/*
 * Our own templates name fields that only some targets record, and rely on 0 for the others; whoever checks them knows of
 * all fields.
 */
static bool is_worth_telling(const struct diag *diag, bool is_quiet)
{
	bool is_ours = diag->file && diag->file->is_builtin;

	return diag->kind == DIAG_ERROR || (diag->kind == DIAG_WARNING && !is_quiet && !is_ours);
}

/* A bad stanza never stops a report: its events read as if it were not there. */
static void loaded_tell(struct loaded *loaded, bool is_quiet)
{
	for (size_t i = 0; i < loaded->diags.n_items; i++) {
		struct diag *diag = &loaded->diags.items[i];

		if (diag->is_told || !is_worth_telling(diag, is_quiet) || diag_is_repeated(&loaded->diags, i))
			continue;
		diag->is_told = true;
		fputs("rastrum: ", stderr);
		diag_tell(diag, stderr);
	}
}

/* No `# dialect:` line, an empty folder, a trace in place of a template: nothing else would be said of it. */
static void tell_useless(const struct loaded *list, const struct opt_list *paths)
{
	for (size_t i = 0; i < paths->n_items && list; i++) {
		const char *path = paths->items[i];
		bool is_useful = false;

		for (const struct loaded *loaded = list; loaded; loaded = loaded->next)
			is_useful |= !loaded->is_complete || template_search_gave(loaded->set, path);
		if (!is_useful)
			say("%s: note: no template for these traces is in it; a file says whose "
			    "events it is for in its first line: # dialect: %s",
				strcmp(path, "-") == 0 ? template_input_name : path, list->set->dialect);
	}
}

static void tell_texts(const struct runner *runner, const char *path)
{
	const struct {
		uint64_t n;
		const char *what;
	} rows[] = {
		{ runner->n_truncated, "*TRUNC*: events hold less than their templates read" },
		{ runner->n_nesting, "<nesting>: templates call each other too deeply" },
		{ runner->n_limit, "loops of templates cut short, or <loop limit>: they go round too often" },
		{ runner->n_div0, "divisions by zero in templates, taken as 0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].n)
			say("%s: note: %" PRIu64 " x %s", path, rows[i].n, rows[i].what);
}

/* --- reports ------------------------------------------------------------------------------------------------ */

/* Of templates that were given, not of the program's own. */
static enum rst_status check_names(struct loaded *loaded, struct rst_error *err)
{
	struct catalogue catalogue;
	enum rst_status status = catalogue_init(&catalogue, loaded->set->dialect, err);

	if (status == RST_OK)
		catalogue_tell_unused(&catalogue, loaded->set, NULL, false, &loaded->diags);
	catalogue_done(&catalogue);
	return status;
}

static enum rst_status load(struct loaded *loaded, const struct opt_list *paths, struct rst_error *err)
{
	if (loaded->is_complete)
		return RST_OK;
	error_try(template_search(loaded->set, paths->n_items, paths->items, &loaded->diags, err));
	loaded->is_complete = true;
	return check_names(loaded, err);
}

static void explain(void *path, const char *sentence)
{
	say("%s: note: %s", (const char *)path, sentence);
}

/* RST_OK, RST_END, or what is wrong with the trace; *ret_is_ready false: with the templates. */
static enum rst_status report_one(struct report *report, const struct report_args *args,
	struct rst_trace *trace, struct pipeline *pipeline, bool *ret_is_ready, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(trace);
	struct loaded *loaded = loaded_of(&pipeline->loaded, metadata->dialect);
	enum rst_status status = loaded ? load(loaded, &args->templates, err) : error_nomem(err);

	*ret_is_ready = status == RST_OK;
	if (!loaded || !*ret_is_ready)
		return status;
	report->templates = loaded->set;
	report->diags = &loaded->diags;
	if (!args->is_quiet) {
		report->explain = explain;
		report->explain_context = (void *)(uintptr_t)metadata->path;
	}
	progress_trace(&pipeline->progress, trace);
	status = report_trace(report, trace, err);
	progress_end(&pipeline->progress);
	loaded_tell(loaded, args->is_quiet);
	if (!args->is_quiet)
		tell_texts(&report->runner, metadata->path);
	return status;
}

/* Its last line follows when the trace was read to its end, and the text shows all that was chosen. */
static int tell_end(const struct report *report, const struct report_args *args, struct rst_trace *trace,
	const struct pipeline *pipeline, bool is_ended, uint64_t n_shown)
{
	const bool has_end = is_ended && report->has_head && report->format->head && !args->is_quiet &&
			     !pipeline->has_tail && !pipeline->link;
	int exit_status;

	/* Behind the lines of the report, where both go to one terminal. */
	if (has_end)
		outbuf_flush(pipeline->out);
	exit_status = common_tell(trace, args->is_quiet,
		pipeline->link ? TELL_OF_LINK
		: has_end      ? TELL_COUNTED
			       : TELL_OF_FILE);
	if (has_end)
		end_line_say(trace, report->n_events, n_shown);
	return exit_status;
}

/* A link that the user ended before it gave anything is no bad input. */
static bool is_unused(const struct link *link)
{
	return link && link->is_stopped && link->n_bytes == 0;
}

static int report_all(struct report *report, const struct report_args *args, int n_operands, char **operands,
	struct pipeline *pipeline)
{
	size_t n_traces = common_n_traces(&args->live.common, n_operands);
	enum rst_status status = RST_OK;
	int exit_status = EXIT_GOOD;

	for (size_t i = 0; i < n_traces && status == RST_OK; i++) {
		struct rst_error err;
		struct rst_trace *trace = NULL;
		const uint64_t n_before = report->seq;
		bool is_ready = true;

		report->source = (unsigned)i;
		status = common_open(&trace, &args->live.common, n_operands, operands, i, &err);
		if (status == RST_OK)
			status = report_one(report, args, trace, pipeline, &is_ready, &err);
		if (trace)
			exit_status =
				common_worse(exit_status, tell_end(report, args, trace, pipeline,
								  status == RST_OK, report->seq - n_before));
		if ((status == RST_E_DAMAGED || status == RST_E_UNKNOWN) && is_unused(pipeline->link)) {
			status = RST_OK;
		} else if (status < 0) {
			exit_status = common_worse(exit_status, common_fail(&err));
			/* The other files may be good. */
			status = err.status == RST_E_USAGE || !is_ready ? status : RST_OK;
		}
		rst_trace_free(trace);
	}
	return exit_status;
}

static int report_to(const struct report_args *args, const struct report_format *format, int n_operands,
	char **operands, struct link *link, struct outbuf *out, int fd, struct pager *pager)
{
	const struct select_wish wish = {
		.from = args->from,
		.to = args->to,
		.types = as_list(&args->types),
		.contexts = as_list(&args->contexts),
		.objects = as_list(&args->objects),
		.cores = as_list(&args->cores),
	};
	struct pipeline pipeline = { .has_tail = args->last != UINT64_MAX, .out = out, .link = link };
	struct report report = {
		.out = out,
		.format = format,
		.wish = &wish,
		.time_form = (enum time_form)args->time,
		.has_color = common_has_color((enum common_color)args->color, fd),
		.n_columns = terminal_columns(fd),
		.has_sources = common_n_traces(&args->live.common, n_operands) > 1,
		.has_head = args->head == COLOR_ALWAYS ||
			    (args->head == COLOR_AUTO &&
				    (isatty(fd) || common_n_traces(&args->live.common, n_operands) > 1)),
		.progress = pipeline_update,
		.progress_context = &pipeline,
		.heading = out,
		.n_left = args->limit,
	};
	struct rst_error err;

	for (size_t i = 0; i < args->columns.n_items; i++)
		if (columns_parse(&report.columns_wish, args->columns.items[i], &err) < 0)
			return common_fail(&err);
	pipeline.report = &report;
	/* Everything is checked and taken up, but no byte is waited for. */
	if (link && args->limit == 0)
		link_stop(link);
	if (!link && !args->has_no_pager)
		pager_start(pager, fd);
	progress_start(&pipeline.progress, fd);
	if (pipeline.has_tail) {
		if (!outbuf_init(&pipeline.memory, OUTBUF_MEMORY)) {
			error_nomem(&err);
			return common_fail(&err);
		}
		tail_init(&pipeline.tail, &pipeline.memory, args->last, report.format->has_quotes);
		report.out = &pipeline.memory;
	}
	int exit_status = report_all(&report, args, n_operands, operands, &pipeline);

	if (!args->is_quiet)
		tell_useless(pipeline.loaded, &args->templates);

	if (report.n_begun == 0)
		report_begin(&report);
	pipeline.loaded = loaded_free(pipeline.loaded);
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

/* What is written must not be a file of templates either, and is only emptied when it is none. */
static enum rst_status spare_templates(
	const struct report_args *args, const char *path, struct rst_error *err)
{
	struct stat output;

	if (!path || strcmp(path, "-") == 0 || stat(path, &output) != 0)
		return RST_OK;
	return template_search_spares(&output, args->templates.n_items, args->templates.items, err);
}

static int report_run(void *arguments, int n_operands, char **operands)
{
	struct report_args *args = arguments;
	const struct report_format *format;
	struct rst_error err;
	struct pager pager = { 0 };
	struct outbuf out;
	struct live live;
	int fd, exit_status;

	if (report_format_find(args->format, &format, &err) < 0 ||
		common_check_input(&args->templates, n_operands, operands, &err) < 0 ||
		spare_templates(args, args->output, &err) < 0 ||
		spare_templates(args, args->live.save, &err) < 0 ||
		common_output(args->output, true, n_operands, operands, &fd, &err) < 0)
		return common_fail(&err);
	if (!outbuf_init(&out, fd)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	if (live_start(&live, &args->live, &command_report, n_operands, operands, fd, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = report_to(
			args, format, n_operands, operands, live.is_on ? &live.link : NULL, &out, fd, &pager);
	exit_status = live_done(&live, common_worse(exit_status, common_finish(&out)));
	pager_done(&pager);
	outbuf_done(&out);
	return common_worse(exit_status, common_close(fd));
}

static void report_defaults(void *arguments)
{
	struct report_args *args = arguments;

	args->format = report_formats[0]->name;
	args->limit = args->last = args->live.baud = UINT64_MAX;
}

const struct command command_report = {
	.name = "report",
	.usage = "[options] FILE...",
	.summary = "show the events of traces as text, JSON Lines or CSV",
	.needs = "a file",
	.tables = report_tables,
	.args_bytes = sizeof(struct report_args),
	.defaults = report_defaults,
	.run = report_run,
};
