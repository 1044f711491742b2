/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/layout.h"
#include "cli/pager.h"
#include "dialect/dialect.h"
#include "index/index.h"
#include "summary/summary.h"

struct info_args {
	struct open_spec common;
	bool is_json, wants_dialects, is_quiet, has_no_pager;
	const char *output;
};

static const struct opt info_opts[] = {
	{ OPT_FLAG, 0, "json", NULL, offsetof(struct info_args, is_json),
		.help = "one JSON object for each trace" },
	{ OPT_FLAG, 0, "dialects", NULL, offsetof(struct info_args, wants_dialects),
		.help = "list the dialects, which are kinds of recordings, and their settings" },
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct info_args, output),
		.help = "write to FILE, not to standard output", .complete = complete_files },
	{ OPT_FLAG, 0, "no-pager", NULL, offsetof(struct info_args, has_no_pager),
		.help = "no pager on a terminal (default: PAGER, or less)" },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct info_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

static const struct opt_group info_groups[] = {
	{ .title = "What is shown, and where", .opts = info_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example info_examples[] = {
	{ "rastrum info dump.trx", "what a dump holds" },
	{ "rastrum info --json dump.trx | jq .contexts",
		"the number of events of each thread, for programs" },
	{ "rastrum info -d threadx --opt direction=up dump.trx",
		"where the content of the dump is not enough to find these" },
	{ "rastrum info --dialects", "what can be read, and its settings" },
	{ NULL, NULL },
};

enum { INDENT_DIALECT = 10, INDENT_MOST = 36 };

static int setting_text(const struct dialect_option *option, char *text, size_t room)
{
	return snprintf(text, room, "  --opt %s=%s", option->key, option->values);
}

/* The descriptions of a dialect's settings begin in one column, unless a setting is very long. */
static void list_settings(struct outbuf *out, const struct dialect_option *options)
{
	unsigned indent = 0;
	char text[80];

	for (const struct dialect_option *option = options; option->key; option++) {
		unsigned width = (unsigned)setting_text(option, text, sizeof(text)) + 2;

		if (width > indent && width <= INDENT_MOST)
			indent = width;
	}
	for (const struct dialect_option *option = options; option->key; option++) {
		setting_text(option, text, sizeof(text));
		layout_row(out, text, indent, option->what);
	}
}

static void list_dialects_words(struct outbuf *out)
{
	for (size_t i = 0; dialects[i]; i++) {
		outbuf_puts(
			out, i && (dialects[i]->options->key || dialects[i - 1]->options->key) ? "\n" : "");
		layout_row(out, dialects[i]->name, INDENT_DIALECT, dialects[i]->summary);
		list_settings(out, dialects[i]->options);
	}
}

static void list_dialects_json(struct outbuf *out)
{
	struct json json = { .out = out };

	for (size_t i = 0; dialects[i]; i++) {
		json_object(&json, NULL);
		json_text(&json, "dialect", dialects[i]->name);
		json_text(&json, "summary", dialects[i]->summary);
		json_array(&json, "settings");
		for (const struct dialect_option *option = dialects[i]->options; option->key; option++) {
			json_object(&json, NULL);
			json_text(&json, "key", option->key);
			json_text(&json, "values", option->values);
			json_text(&json, "what", option->what);
			json_end(&json);
		}
		json_end(&json);
		json_end(&json);
		json_line_end(&json);
	}
}

static int info_of(
	const struct info_args *args, struct rst_trace *trace, struct outbuf *out, struct progress *progress)
{
	struct summary summary;
	struct rst_error err;
	enum rst_status status;
	int exit_status;

	progress_trace(progress, trace);
	status = summary_read_passing(&summary, trace, index_take_passed, progress_update, progress, &err);
	progress_end(progress);
	exit_status = common_print_notes(
		trace, args->is_quiet || !args->is_json, args->is_json ? NOTES_SUMMED_UP : NOTES_NO_DAMAGE);
	if (status < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	if (status == RST_E_NOMEM)
		; /* what there is of the summary is not whole */
	else if (args->is_json)
		summary_json(&summary, out);
	else
		summary_words(&summary, out);
	summary_done(&summary);
	return exit_status;
}

static int info_all(const struct info_args *args, int n_operands, char **operands, struct outbuf *out, int fd)
{
	size_t n_traces = open_n_traces(&args->common, n_operands);
	int exit_status = EXIT_GOOD;
	struct progress progress;

	progress_start(&progress, fd);
	for (size_t i = 0; i < n_traces; i++) {
		struct rst_error err;
		const struct index_wish wish = { .wants_counts = true, .n_last = UINT64_MAX };
		struct rst_trace *trace = NULL;

		if (i && !args->is_json)
			outbuf_puts(out, "\n");
		if (open_nth_trace(&trace, &args->common, n_operands, operands, i, &err) < 0)
			exit_status = outcome_worse(exit_status, common_fail(&err));
		else
			index_use(&trace, &wish);
		if (trace)
			exit_status = outcome_worse(exit_status, info_of(args, trace, out, &progress));
		rst_trace_free(trace);
	}
	return exit_status;
}

static int info_run(void *arguments, int n_operands, char **operands)
{
	const struct info_args *args = arguments;
	struct rst_error err;
	struct outbuf out;
	int fd, exit_status = EXIT_GOOD;
	struct pager pager = { 0 };

	if (!n_operands && !args->wants_dialects) {
		error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "info needs a file");
		error_advise(&err, "see `rastrum info --help`");
		return common_fail(&err);
	}
	if (common_output(args->output, true, n_operands, operands, &fd, &err) < 0)
		return common_fail(&err);
	if (!outbuf_init(&out, fd)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	if (!args->has_no_pager)
		pager_start(&pager, fd);
	if (args->wants_dialects && args->is_json)
		list_dialects_json(&out);
	else if (args->wants_dialects)
		list_dialects_words(&out);
	else
		exit_status = info_all(args, n_operands, operands, &out, fd);
	exit_status = outcome_worse(exit_status, common_finish(&out));
	pager_done(&pager);
	outbuf_done(&out);
	return outcome_worse(exit_status, common_close(fd));
}

const struct command command_info = {
	.name = "info",
	.usages = { "[options] FILE...", "--dialects [--json]" },
	.summary = "show what is in traces: counts, names, clock, loss, damage",
	.needs = "a file",
	.groups = info_groups,
	.complete = complete_files,
	.examples = info_examples,
	.args_bytes = sizeof(struct info_args),
	.run = info_run,
};
