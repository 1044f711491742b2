/* SPDX-License-Identifier: MIT */
/* `rastrum report`: traces in, one after the other, and one output. cli/report/report.h names the parts. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/completion.h"
#include "cli/message.h"
#include "cli/report/report.h"
#include "cli/terminal.h"
#include "job/run_window.h"
#include "lines/format.h"
#include "lines/intervals.h"
#include "template/set/search.h"

struct report_args {
	struct live_args live; /* first, with the common ones in it */
	const char *format;
	unsigned time;
	unsigned color;
	const char *from, *to, *run;
	struct text_list columns, types, contexts, objects, cores, templates;
	unsigned head;
	uint64_t limit, last, n_threads;
	bool wants_intervals;
	bool is_quiet, has_no_pager;
	const char *output;
};

static const struct opt show_opts[] = {
	{ OPT_FLAG, 0, "intervals", NULL, offsetof(struct report_args, wants_intervals),
		.help = "what threads, cores, locks, queues and spans did from when to when, not events" },
	{ OPT_LIST, 't', "type", "LIST", offsetof(struct report_args, types),
		.help = "only events of these names (* and ? match) or numbers; !NAME leaves out",
		.complete = complete_types },
	{ OPT_LIST, 'c', "context", "LIST", offsetof(struct report_args, contexts),
		.help = "only events of these threads, or of isr, init, idle; !NAME leaves out",
		.complete = complete_contexts },
	{ OPT_LIST, 0, "object", "LIST", offsetof(struct report_args, objects),
		.help = "only events about these objects, by name or address", .complete = complete_objects },
	{ OPT_LIST, 0, "core", "LIST", offsetof(struct report_args, cores),
		.help = "only events on these cores" },
	{ OPT_TEXT, 0, "from", "TIME", offsetof(struct report_args, from),
		.help = "first moment to show: ticks, +ticks since the first event, or 250us, 1.5s" },
	{ OPT_TEXT, 0, "to", "TIME", offsetof(struct report_args, to), .help = "last moment to show" },
	{ OPT_TEXT, 0, "run", "N", offsetof(struct report_args, run),
		.help = "only the N-th run of a recording that begins anew in one input" },
	{ OPT_NUMBER, 'n', "limit", "N", offsetof(struct report_args, limit), .help = "stop after N events" },
	{ OPT_NUMBER, 0, "last", "N", offsetof(struct report_args, last),
		.help = "only the last N lines of the report" },
	{ .kind = OPT_END },
};

static const struct opt look_opts[] = {
	{ OPT_TEXT, 'f', "format", "text|aix|jsonl|csv", offsetof(struct report_args, format),
		.help = "text for people (default), the layout of AIX, JSON Lines, or CSV" },
	{ OPT_CHOICE, 0, "time", "ticks|ns|rel|clock|utc", offsetof(struct report_args, time),
		.help = "how text shows time (default: rel with a known clock, else ticks)",
		.choices = time_form_names, .n_choices = N_TIME_FORMS },
	{ OPT_LIST, 0, "columns", "LIST", offsetof(struct report_args, columns),
		.help = "columns of text: time, delta, core, thread, priority, event, text; +NAME and -NAME "
			"change what is there",
		.complete = complete_columns },
	{ OPT_FILES, 0, "templates", "FILE|DIR", offsetof(struct report_args, templates),
		.help = "how events read, over the templates that are there; may be repeated",
		.complete = complete_files },
	{ OPT_CHOICE, 0, "head", "auto|always|never", offsetof(struct report_args, head),
		.help = "file and columns above text, counts below (default: on a terminal, and for several "
			"files)",
		.choices = common_color_names, .n_choices = 3 },
	{ OPT_CHOICE, 0, "color", "auto|always|never", offsetof(struct report_args, color),
		.help = "colours in text (default: on a terminal, unless NO_COLOR is set)",
		.choices = common_color_names, .n_choices = 3 },
	{ .kind = OPT_END },
};

static const struct opt output_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct report_args, output),
		.help = "write to FILE, not to standard output", .complete = complete_files },
	{ OPT_FLAG, 0, "no-pager", NULL, offsetof(struct report_args, has_no_pager),
		.help = "no pager on a terminal (default: PAGER, or less; none for a live input)" },
	{ OPT_NUMBER, 0, "threads", "N", offsetof(struct report_args, n_threads), .help = THREADS_HELP },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct report_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

static const struct opt_group report_groups[] = {
	{ .title = "What to show", .opts = show_opts },
	{ .title = "How it looks", .opts = look_opts },
	{ .title = "Where it goes", .opts = output_opts },
	{ .title = "Live input", .opts = live_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example report_examples[] = {
	{ "rastrum report dump.trx", "every event of a dump, in words" },
	{ "rastrum report -t '*mutex*' -c high,low dump.trx", "which of two threads had which mutex" },
	{ "rastrum report -f jsonl dump.trx | jq -r .text", "one JSON object an event, for other programs" },
	{ "rastrum report --intervals -c low dump.trx",
		"when one thread ran, was ready, and waited for what" },
	{ "rastrum report --listen tcp:7777 --once --save board.bin", "live from a board, kept as it comes" },
	{ NULL, NULL },
};

static struct select_list report_as_list(const struct text_list *list)
{
	return (struct select_list){ .items = list->items, .n_items = list->n_items };
}

/* Everything of one run. */
struct session {
	const struct report_args *args;
	int n_operands;
	char **operands;
	struct live live;
	struct dialect_templates *templates;
	struct filter_spec filter;
	struct run_window window; /* the filter borrows its moments */
	struct report report;
	struct threads threads;
	struct output output;
};

static bool has_several(const struct session *session)
{
	return open_n_traces(&session->args->live.common, session->n_operands) > 1;
}

static enum rst_status report_set_up(struct session *session, int fd, struct rst_error *err)
{
	const struct report_args *args = session->args;
	struct report_options *options = &session->report.options;

	session->filter = (struct filter_spec){
		.from = args->from,
		.to = args->to,
		.types = report_as_list(&args->types),
		.contexts = report_as_list(&args->contexts),
		.objects = report_as_list(&args->objects),
		.cores = report_as_list(&args->cores),
	};
	session->window = (struct run_window){ .open = &args->live.common,
		.n_paths = session->n_operands,
		.paths = session->operands,
		.run = args->run,
		.from = args->from,
		.to = args->to };
	options->filter = &session->filter;
	if (args->wants_intervals)
		error_try(interval_format_find(args->format, &options->intervals, err));
	options->time_form = (enum time_form)args->time;
	options->has_color = common_has_color((enum common_color)args->color, fd);
	options->n_columns = terminal_columns(fd);
	options->has_sources = has_several(session);
	options->has_head = args->head == COLOR_ALWAYS ||
			    (args->head == COLOR_AUTO && (isatty(fd) || has_several(session)));
	session->report.n_left = args->limit;
	session->threads = (struct threads){ .common = &args->live.common,
		.templates = &args->templates,
		.n_operands = session->n_operands,
		.operands = session->operands };
	threads_set_up(&session->threads, &session->report, args->n_threads);
	for (size_t i = 0; i < args->columns.n_items; i++)
		error_try(columns_parse(&options->columns, args->columns.items[i], err));
	return RST_OK;
}

static void note_print(void *path, const char *sentence)
{
	message_print("%s: note: %s", (const char *)path, sentence);
}

/* Has the trace read by an index, if only some of its events are wanted. */
static enum rst_status trace_narrow(struct session *session, struct report_input *input,
	const struct template_set *set, struct rst_error *err)
{
	const struct index_wish wish =
		report_wish(&session->report, set, session->args->last, !has_several(session));

	if (index_read_ahead(input->trace, &wish)) {
		rst_trace_free(input->trace);
		input->trace = NULL;
		error_try(open_nth_trace(&input->trace, &session->args->live.common, session->n_operands,
			session->operands, input->source, err));
	}
	index_use(&input->trace, &wish);
	input->take_passed = index_take_passed;
	return RST_OK;
}

/* RST_OK, RST_END, or what is wrong with the trace; *ret_is_ready false: with the templates. */
static enum rst_status report_one(
	struct session *session, struct report_input *input, bool *ret_is_ready, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(input->trace);
	const bool is_quiet = session->args->is_quiet;
	struct dialect_templates *templates;
	enum rst_status status = templates_load(&session->templates, metadata->dialect, metadata->path,
		&session->args->templates, &templates, err);

	if (status == RST_OK)
		status = trace_narrow(session, input, templates->set, err);
	*ret_is_ready = status == RST_OK || !input->trace;
	if (status == RST_OK) {
		metadata = rst_trace_metadata(input->trace);
		status = templates_give_effects(templates, input->trace, err);
		*ret_is_ready = status == RST_OK;
	}
	if (status < 0)
		return status;
	input->templates = templates->set;
	input->diags = &templates->diags;
	if (!is_quiet) {
		input->explain = note_print;
		input->explain_context = (void *)(uintptr_t)metadata->path;
	}
	output_trace(&session->output, input->trace);
	status = report_trace(&session->report, input, err);
	output_trace(&session->output, NULL);
	templates_print_diags(templates, is_quiet);
	if (!is_quiet)
		templates_note_texts(&input->runner, metadata->path);
	return status;
}

/*
 * Prints the notes and the damage of a trace behind its lines, and the end line if the report has all its
 * events.
 */
static int end_print(
	struct session *session, const struct report_input *input, bool is_ended, uint64_t n_shown)
{
	const struct report_options *options = &session->report.options;
	const struct output *output = &session->output;
	const bool is_quiet = session->args->is_quiet;
	const bool has_end = is_ended && options->has_head && options->format->head && !is_quiet &&
			     !output->has_tail && !output->link;
	int exit_status;

	/* Behind the lines of the report, where both go to one terminal. */
	if (has_end)
		outbuf_flush(&session->output.out);
	exit_status = common_print_notes(input->trace, is_quiet,
		output->link ? NOTES_OF_LINK
		: has_end    ? NOTES_COUNTED
			     : NOTES_OF_FILE);
	if (has_end)
		end_line_print(input->trace, input->n_events, n_shown);
	return exit_status;
}

/* A link that the user ended before it gave anything is no bad input. */
static bool link_is_unused(const struct link *link)
{
	return link && link->is_stopped && link->n_bytes == 0;
}

/* Whether the next trace is still to be reported; *exit_status gets worse by what this one came to. */
static bool report_next(struct session *session, size_t n, int *exit_status)
{
	struct report *report = &session->report;
	const uint64_t n_before = report->seq;
	struct report_input input = { .source = (unsigned)n };
	bool is_ready = true;
	struct rst_error err;
	enum rst_status status;

	status = run_window_set(&session->window, n, &session->filter, &err);
	if (status == RST_OK)
		status = open_nth_trace(&input.trace, &session->args->live.common, session->n_operands,
			session->operands, n, &err);
	if (status == RST_OK)
		status = report_one(session, &input, &is_ready, &err);
	if (input.trace)
		*exit_status = outcome_worse(
			*exit_status, end_print(session, &input, status == RST_OK, report->seq - n_before));
	rst_trace_free(input.trace);
	if ((status == RST_E_DAMAGED || status == RST_E_UNKNOWN) && link_is_unused(session->output.link))
		return true;
	if (status >= 0)
		return status == RST_OK;
	*exit_status = outcome_worse(*exit_status, common_fail(&err));
	/* The other files may be good. */
	return is_ready && err.status != RST_E_USAGE;
}

static int report_all(struct session *session)
{
	const struct report_args *args = session->args;
	struct link *link = session->output.link;
	int exit_status = EXIT_GOOD;

	/* Everything is checked and taken up, but no byte is waited for. */
	if (link && args->limit == 0)
		link_stop(link);
	for (size_t i = 0; i < open_n_traces(&args->live.common, session->n_operands); i++)
		if (!report_next(session, i, &exit_status))
			break;
	if (!args->is_quiet)
		templates_note_unused(session->templates, &args->templates);
	if (session->report.n_begun == 0)
		report_begin(&session->report, NULL);
	return exit_status;
}

static int report_session(struct session *session, int fd)
{
	struct output *output = &session->output;
	struct rst_error err;
	int exit_status;

	output->fd = fd;
	output->n_last = session->args->last;
	output->link = session->live.is_on ? &session->live.link : NULL;
	output->wants_pager = !output->link && !session->args->has_no_pager;
	if (report_set_up(session, fd, &err) < 0 || output_begin(output, &session->report, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = report_all(session);
	return outcome_worse(exit_status, output_finish(output));
}

/* The output must not be a file of templates either. It is emptied only after this check. */
static enum rst_status spare_templates(const struct report_args *args, const char *path, int n_operands,
	char **operands, struct rst_error *err)
{
	struct stat output;

	if (!path || strcmp(path, "-") == 0 || stat(path, &output) != 0)
		return RST_OK;
	return template_search_spares(
		&output, (size_t)n_operands, operands, args->templates.n_items, args->templates.items, err);
}

static int report_run(void *arguments, int n_operands, char **operands)
{
	struct report_args *args = arguments;
	struct session session = {
		.args = args,
		.n_operands = n_operands,
		.operands = operands,
		.live = { .args = &args->live,
			.command = &command_report,
			.n_operands = n_operands,
			.operands = operands },
	};
	struct rst_error err;
	int fd, exit_status;

	if (report_format_find(args->format, &session.report.options.format, &err) < 0 ||
		common_check_input(&args->templates, n_operands, operands, &err) < 0 ||
		spare_templates(args, args->output, n_operands, operands, &err) < 0 ||
		spare_templates(args, args->live.save, n_operands, operands, &err) < 0 ||
		common_output(args->output, true, n_operands, operands, &fd, &err) < 0)
		return common_fail(&err);
	session.live.out_fd = fd;
	if (live_start(&session.live, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = report_session(&session, fd);
	exit_status = live_done(&session.live, exit_status);
	session.templates = templates_free(session.templates);
	output_done(&session.output);
	return outcome_worse(exit_status, common_close(fd));
}

static void report_defaults(void *arguments)
{
	struct report_args *args = arguments;

	args->format = report_formats[0]->name;
	args->limit = args->last = args->live.baud = UINT64_MAX;
	args->n_threads = 1;
}

const struct command command_report = {
	.name = "report",
	.usages = { "[options] FILE...", "[options] --serial DEVICE | --tcp HOST:PORT",
		"[options] --listen tcp:PORT|udp:PORT" },
	.summary = "show the events of traces as text, JSON Lines or CSV",
	.needs = "a file",
	.groups = report_groups,
	.complete = complete_files,
	.examples = report_examples,
	.args_bytes = sizeof(struct report_args),
	.defaults = report_defaults,
	.run = report_run,
};
