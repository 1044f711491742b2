/* SPDX-License-Identifier: MIT */
/* `rastrum convert`: traces in formats of other tools. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"
#include "cli/destination.h"
#include "cli/layout.h"
#include "cli/message.h"
#include "export/export.h"
#include "lines/intervals.h"

struct convert_args {
	struct analysis_args analysis; /* first, with the common ones in it; its output is not used */
	const char *format, *output;
	uint64_t n_threads;
};

static void complete_formats(struct completion *completion)
{
	for (size_t i = 0; export_formats[i]; i++)
		completion_offer(completion, export_formats[i]->name, export_formats[i]->about);
	completion_offer(completion, "list", "what each format keeps");
}

static const struct opt convert_opts[] = {
	{ OPT_TEXT, 't', "format", "NAME", offsetof(struct convert_args, format),
		.help = "the format; list: what each keeps (default: by the extension of -o)",
		.complete = complete_formats },
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct convert_args, output),
		.help = "file or folder to write, which has its name once it is whole; a folder for several "
			"FILEs",
		.complete = complete_files },
	{ OPT_NUMBER, 0, "threads", "N", offsetof(struct convert_args, n_threads),
		.help = THREADS_HELP "; of jsonl and csv" },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct analysis_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

static const struct opt_group convert_groups[] = {
	{ .title = "The output", .opts = convert_opts },
	{ .title = "What is converted", .opts = analysis_select_long_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example convert_examples[] = {
	{ "rastrum convert dump.trx -o dump.db", "an SQLite database, for sqlite3 and scripts" },
	{ "rastrum convert --clock-hz 1G dump.trx -t chrome -o dump.json",
		"for Perfetto's page, chrome://tracing, speedscope" },
	{ "rastrum convert -t jsonl --opt what=intervals dump.trx | head -n 2",
		"what threads and locks did, as JSON Lines" },
	{ NULL, NULL },
};

/* Everything of one run. */
struct session {
	const struct convert_args *args;
	struct survey survey;
	struct export export;
	struct destination destination;
	struct outbuf out;
	bool has_out;
	uint64_t n_seq; /* of reports */
	unsigned n_begun;
	bool has_trace;	 /* one could be opened, so that there is something to be written */
	bool has_folder; /* of outputs: one for each trace */
};

static void convert_list_print(struct outbuf *out)
{
	for (size_t i = 0; export_formats[i]; i++) {
		const struct export_format *format = export_formats[i];

		layout_row(out, format->name, 14, format->about);
		layout_row(out, "  keeps", 14, format->keeps);
		layout_row(out, "  leaves out", 14, format->leaves);
		for (const struct export_option *option = format->options; option && option->key; option++) {
			char key[64];

			snprintf(key, sizeof(key), "  --opt %s=", option->key);
			layout_row(out, key, 24, option->about);
		}
	}
}

/* --- one trace ------------------------------------------------------------------------------------------ */

static void explain_print(void *context, const char *sentence)
{
	message_print("%s: note: %s", (const char *)context, sentence);
}

/* Formats that the report writes. */
static int trace_report(struct session *session, struct rst_trace *trace, struct dialect_templates *templates)
{
	struct survey *survey = &session->survey;
	const char *name = session->export.format->report;
	char *path = session->survey.job.paths[session->export.source];
	struct report report = { .options = { .filter = &survey->job.filter,
					 .has_head = true,
					 .has_sources = survey->job.has_several },
		.out = &session->out,
		.n_left = UINT64_MAX,
		.seq = session->n_seq,
		.n_begun = session->n_begun,
		.progress = progress_update,
		.progress_context = &survey->progress };
	struct threads threads = { .common = &survey->job.spec->open,
		.templates = &survey->job.spec->templates,
		.n_operands = survey->job.n_paths,
		.operands = survey->job.paths };
	struct report_input input = { .trace = trace,
		.source = session->export.source,
		.templates = templates->set,
		.diags = &templates->diags,
		.explain = survey->args->is_quiet ? NULL : explain_print,
		.explain_context = path };
	struct rst_error err;
	enum rst_status status = report_format_find(name, &report.options.format, &err);
	int exit_status;

	if (status == RST_OK && session->export.choices[0])
		status = interval_format_find(name, &report.options.intervals, &err);
	threads_set_up(&threads, &report, session->args->n_threads);
	progress_trace(&survey->progress, trace);
	if (status == RST_OK)
		status = report_trace(&report, &input, &err);
	progress_end(&survey->progress);
	session->n_seq = report.seq;
	session->n_begun = report.n_begun;
	exit_status = common_print_notes(trace, survey->args->is_quiet, NOTES_SUMMED_UP);
	return status < 0 ? outcome_worse(exit_status, common_fail(&err)) : exit_status;
}

static void clock_note(const struct session *session, struct rst_trace *trace)
{
	const struct rst_metadata *metadata = rst_trace_metadata(trace);

	if (session->export.format->wants_clock && !metadata->clock.rate_ticks &&
		!session->survey.args->is_quiet)
		message_print(
			"%s: note: the frequency of the clock is not known, so times are ticks; give it with "
			"--clock-hz",
			metadata->path);
}

static int trace_scan(struct session *session, struct rst_trace *trace, struct dialect_templates *templates)
{
	struct scan scan = { 0 };
	struct export *export = &session->export;
	struct rst_error err;
	enum rst_status status;
	int exit_status = EXIT_GOOD;

	export->trace = trace;
	export->templates = templates->set;
	export->diags = &templates->diags;
	status = export_begin(export, &scan, &err);
	if (status == RST_OK) {
		exit_status = survey_scan(&session->survey, trace, &scan);
		clock_note(session, trace);
		export->fault = job_fault(&session->survey.job);
	}
	if (export_end(export, status == RST_OK && exit_status != EXIT_USAGE, status < 0 ? NULL : &err) < 0 ||
		status < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	else if (export->format->explain && !session->survey.args->is_quiet)
		export->format->explain(
			export, explain_print, session->survey.job.paths[session->export.source]);
	scan_done(&scan);
	return exit_status;
}

static int trace_convert(struct session *session, size_t n)
{
	struct survey *survey = &session->survey;
	struct dialect_templates *templates = NULL;
	struct rst_trace *trace = NULL;
	struct rst_error err;
	int exit_status;

	session->export.source = (unsigned)n;
	if (survey_open(survey, n, &trace, &err) < 0 ||
		job_templates(&survey->job, trace, &templates, &err) < 0)
		return rst_trace_free(trace), common_fail(&err);
	session->has_trace = true;
	if (session->export.format->report)
		exit_status = trace_report(session, trace, templates);
	else
		exit_status = trace_scan(session, trace, templates);
	rst_trace_free(trace);
	return exit_status;
}

/* --- one output ----------------------------------------------------------------------------------------- */

/*
 * A conversion of damaged input is complete: it contains the damage. It is not complete if the output could
 * not be written, or the input is not a trace.
 */
static int session_finish(struct session *session, int exit_status)
{
	struct rst_error err;

	if (!session->has_trace || exit_status == EXIT_USAGE || exit_status > EXIT_DAMAGED)
		return exit_status;
	if (export_finish(&session->export, &err) < 0)
		return common_fail(&err);
	/* Before it has its name, all of it must be there. */
	export_done(&session->export);
	if (session->has_out) {
		const int written = common_finish_as(&session->out, session->destination.path);

		if (written != EXIT_GOOD)
			return written;
	}
	if (destination_commit(&session->destination, &err) < 0)
		return common_fail(&err);
	return exit_status;
}

static enum rst_status target_begin(struct session *session, const char *path, struct rst_error *err)
{
	const struct export_format *format = session->export.format;
	static const enum destination_kind kinds[] = {
		[EXPORT_STREAM] = DESTINATION_FILE,
		[EXPORT_FILE] = DESTINATION_NAMED,
		[EXPORT_FOLDER] = DESTINATION_FOLDER,
	};
	const struct survey *survey = &session->survey;
	const char *part;

	if (path && strcmp(path, "-") == 0)
		path = NULL;
	if (!path && format->output != EXPORT_STREAM)
		return common_refuse(err, "give its name with -o",
			format->output == EXPORT_FILE ? "%s needs a file" : "%s needs a folder",
			format->name);
	error_try(destination_open(&session->destination, path, kinds[format->output], survey->job.n_paths,
		survey->job.paths, err));
	part = destination_part(&session->destination);
	session->export.path = part ? part : path;
	if (format->output != EXPORT_STREAM)
		return RST_OK;
	session->has_out = outbuf_init(&session->out, session->destination.fd);
	session->export.out = &session->out;
	return session->has_out ? RST_OK : error_nomem(err);
}

/* Some of the traces in one output. */
static int traces_convert(struct session *session, size_t first, size_t end, const char *path)
{
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	session->has_trace = false;
	if (target_begin(session, path, &err) < 0 || export_init(&session->export, &err) < 0)
		exit_status = common_fail(&err);
	for (size_t i = first; i < end && exit_status != EXIT_USAGE && session->export.state; i++)
		exit_status = outcome_worse(exit_status, trace_convert(session, i));
	if (session->export.state)
		exit_status = session_finish(session, exit_status);
	export_done(&session->export);
	if (session->has_out)
		outbuf_done(&session->out);
	session->has_out = false;
	destination_done(&session->destination);
	return exit_status;
}

/* --- an output for each trace --------------------------------------------------------------------------- */

/*
 * FOLDER/NAME.EXTENSION, with the name of the input but for its own extension. Returns NULL if memory ran
 * out.
 */
static char *output_name(const struct session *session, const char *input)
{
	const char *name = text_file_name(input);
	const char *dot = strrchr(name, '.');
	const int n_name = dot && dot != name ? (int)(dot - name) : (int)strcspn(name, "/");
	char *path;

	return asprintf(&path, "%s/%.*s%s", session->args->output, n_name, name,
		       session->export.format->extension) < 0
		       ? NULL
		       : path;
}

/* Two inputs of one name would be one output. */
static enum rst_status names_check(const struct session *session, struct rst_error *err)
{
	const struct survey *survey = &session->survey;
	enum rst_status status = RST_OK;

	for (int i = 1; i < survey->job.n_paths && status == RST_OK; i++) {
		char *one = output_name(session, survey->job.paths[i]);

		for (int k = 0; one && k < i && status == RST_OK; k++) {
			char *other = output_name(session, survey->job.paths[k]);

			if (!other)
				status = error_nomem(err);
			else if (strcmp(one, other) == 0)
				status = common_refuse(err, "convert them one by one",
					"%s and %s would be one output: %s", survey->job.paths[k],
					survey->job.paths[i], one);
			free(other);
		}
		status = one ? status : error_nomem(err);
		free(one);
	}
	return status;
}

static int each_convert(struct session *session)
{
	const struct survey *survey = &session->survey;
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	if (names_check(session, &err) < 0)
		return common_fail(&err);
	if (mkdir(session->args->output, 0777) != 0 && errno != EEXIST) {
		error_set(&err, RST_E_IO, RST_NO_OFFSET, "cannot make the folder: %s", strerror(errno));
		error_name(&err, session->args->output);
		return common_fail(&err);
	}
	for (int i = 0; i < survey->job.n_paths; i++) {
		struct export *export = &session->export;
		struct export fresh = { .format = export->format };
		char *path = output_name(session, survey->job.paths[i]);

		memcpy(fresh.choices, export->choices, sizeof(fresh.choices));
		*export = fresh;
		if (!path)
			return common_fail((error_nomem(&err), &err));
		exit_status =
			outcome_worse(exit_status, traces_convert(session, (size_t)i, (size_t)i + 1, path));
		free(path);
	}
	return exit_status;
}

/* --- the command ---------------------------------------------------------------------------------------- */

static enum rst_status format_choose(struct session *session, struct rst_error *err)
{
	const struct convert_args *args = session->args;
	const struct survey *survey = &session->survey;

	if (args->format)
		error_try(export_format_find(args->format, &session->export.format, err));
	else if (args->output)
		session->export.format = export_format_of(args->output);
	if (!session->export.format)
		return common_refuse(
			err, "give it with -t; `rastrum convert -t list` shows all", "no format is given");
	session->has_folder = !session->export.format->takes_several &&
			      open_n_traces(&args->analysis.job.open, survey->job.n_paths) > 1;
	if (session->has_folder && (!args->output || strcmp(args->output, "-") == 0))
		return common_refuse(err,
			"name a folder with -o, or with --join the files are parts of one trace",
			"a file of format %s has one trace", session->export.format->name);
	return RST_OK;
}

/* Options of the format leave the list; the others are settings of the dialect. */
static enum rst_status options_take(
	struct session *session, struct text_list *settings, struct rst_error *err)
{
	size_t n_left = 0;

	for (size_t i = 0; i < settings->n_items; i++) {
		const char *item = settings->items[i];
		const size_t n_key = strcspn(item, "=");

		if (!export_has_option(session->export.format, item, n_key))
			settings->items[n_left++] = item;
		else
			error_try(export_choose(&session->export, item, item + n_key + 1, err));
	}
	settings->n_items = n_left;
	return RST_OK;
}

static int convert_list_all(struct session *session)
{
	struct rst_error err;

	if (survey_begin(&session->survey, &err) < 0)
		return common_fail(&err);
	convert_list_print(&session->survey.out);
	return survey_done(&session->survey);
}

static int convert_session_run(struct session *session)
{
	const struct survey *survey = &session->survey;
	struct rst_error err;
	int exit_status;

	if (survey_begin(&session->survey, &err) < 0)
		return common_fail(&err);
	if (session->has_folder)
		exit_status = each_convert(session);
	else
		exit_status = traces_convert(session, 0,
			open_n_traces(&survey->job.spec->open, survey->job.n_paths), session->args->output);
	return outcome_worse(exit_status, survey_done(&session->survey));
}

static int convert_run(void *arguments, int n_operands, char **operands)
{
	struct convert_args *args = arguments;
	struct session session = { .args = args,
		.survey = { .args = &args->analysis,
			.job = { .spec = &args->analysis.job, .n_paths = n_operands, .paths = operands } } };
	struct rst_error err;

	args->analysis.has_no_pager = true;
	if (args->format && strcmp(args->format, "list") == 0)
		return convert_list_all(&session);
	if ((!n_operands && common_lacks(&command_convert, &err) < 0) || format_choose(&session, &err) < 0 ||
		options_take(&session, &args->analysis.job.open.settings, &err) < 0)
		return common_fail(&err);
	return convert_session_run(&session);
}

static void convert_defaults(void *arguments)
{
	struct convert_args *args = arguments;

	args->n_threads = 1;
}

const struct command command_convert = {
	.name = "convert",
	.usages = { "[options] FILE... -o OUTPUT", "-t list" },
	.summary = "write traces in formats of other tools",
	.needs = "a file",
	.groups = convert_groups,
	.complete = complete_files,
	.examples = convert_examples,
	.args_bytes = sizeof(struct convert_args),
	.defaults = convert_defaults,
	.run = convert_run,
};
