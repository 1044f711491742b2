/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/aix/trcrpt.h"
#include "cli/message.h"
#include "lines/merge.h"

/* Everything of one report. */
struct session {
	const struct trcrpt_args *args;
	const struct trcrpt_settings *settings;
	int n_operands;
	char **operands;
	struct dialect_templates *templates;
	struct report report;
	struct output output;
	struct arena arena;
};

/* One trace of it. */
struct part {
	struct dialect_templates *templates;
	struct trcrpt_choice choice;
	struct type_counts counts;
};

static void print_files(const struct template_set *set)
{
	for (size_t i = 0; i < set->n_files; i++)
		message_print("reading templates: %s", set->files[i]->name);
}

/* The templates of the trace's dialect; with -v their files when they are read. */
static enum rst_status load_templates(
	struct session *session, struct part *part, struct report_input *input, struct rst_error *err)
{
	const struct dialect_templates *known = session->templates;
	const char *dialect = rst_trace_metadata(input->trace)->dialect;

	error_try(templates_load(&session->templates, dialect, rst_trace_metadata(input->trace)->path,
		&session->args->templates, &part->templates, err));
	if (session->args->is_verbose && session->templates != known)
		print_files(part->templates->set);
	error_try(templates_give_effects(part->templates, input->trace, err));
	input->templates = part->templates->set;
	input->diags = &part->templates->diags;
	return RST_OK;
}

/* Opens a trace, and chooses from it. */
static enum rst_status part_open(struct session *session, struct part *part, struct report_input *input,
	size_t n, struct rst_error *err)
{
	const struct trcrpt_args *args = session->args;

	input->source = (unsigned)n;
	if (args->is_verbose)
		message_print("reading %s", session->operands[n]);
	error_try(
		open_nth_trace(&input->trace, &args->common, session->n_operands, session->operands, n, err));
	error_try(load_templates(session, part, input, err));
	error_try(trcrpt_choice_make(
		&part->choice, args, rst_trace_metadata(input->trace)->dialect, &session->arena, err));
	input->filter = &part->choice.filter;
	input->hook = trcrpt_hook;
	input->counts = session->settings->has_counts ? &part->counts : NULL;
	return RST_OK;
}

/* A session's own entries: recording goes on, pauses, a hook has become common. */
static bool trcrpt_session_is_own(const struct rst_type *type)
{
	static const char *const own[] = { "001", "002", "003" };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(type->name, own[i]) == 0)
			return true;
	return false;
}

static bool is_of_session(const struct rst_metadata *metadata)
{
	for (size_t i = 0; i < metadata->n_details; i++)
		if (metadata->details[i].type == RST_DETAIL_GROUP &&
			strcmp(metadata->details[i].name, "session") == 0)
			return true;
	return false;
}

/* A session records hooks of programs, and none of the kernel as on AIX. */
static void note_no_hooks(struct rst_trace *trace)
{
	const struct rst_layout *layout;

	if (!is_of_session(rst_trace_metadata(trace)))
		return;
	for (size_t i = 0; (layout = rst_trace_layout(trace, i)) != NULL; i++)
		if (layout->hook_bytes && !trcrpt_session_is_own(layout->type))
			return;
	message_print(
		"%s: note: no program with libaixtrace recorded a hook; `rastrum record --sched --system` "
		"records what the kernel and other programs do",
		rst_trace_metadata(trace)->path);
}

/* Prints the text behind the lines of a trace. */
static int part_close(struct session *session, struct part *part, struct report_input *input, bool is_read)
{
	const bool is_quiet = session->args->is_quiet;
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	if (is_read && input->counts && !trcrpt_counts_put(&session->output.out, &part->counts, input)) {
		error_nomem(&err);
		exit_status = common_fail(&err);
	}
	if (part->templates)
		templates_print_diags(part->templates, is_quiet);
	if (input->trace) {
		const char *path = rst_trace_metadata(input->trace)->path;

		if (!is_quiet)
			templates_note_texts(&input->runner, path);
		if (!is_quiet && is_read && input->n_events && !input->has_chosen)
			message_print("%s: note: no entry is among those asked for", path);
		if (!is_quiet && is_read)
			note_no_hooks(input->trace);
		exit_status =
			outcome_worse(exit_status, common_print_notes(input->trace, is_quiet, NOTES_OF_FILE));
	}
	type_counts_done(&part->counts);
	input->trace = rst_trace_free(input->trace);
	return exit_status;
}

/*
 * Prints the error in the words of this command. If a trace gave no data, its damage is not reported as well.
 */
static int part_fail(const struct session *session, int exit_status, bool is_unusable, struct rst_error *err)
{
	if (err->status == RST_E_USAGE && session->settings->look.stamp == AIX_STAMP_CLOCK && is_unusable)
		common_refuse(err, "-O timestamp=0 shows the time since the first entry",
			"-O timestamp=4 shows the time of day, which is not recorded");
	return outcome_worse(is_unusable ? EXIT_GOOD : exit_status, trcrpt_fail(err, is_unusable));
}

/* --- one after the other -------------------------------------------------------------------------------- */

static int report_one(struct session *session, size_t n)
{
	struct report_input input = { .trace = NULL };
	struct part part = { .templates = NULL };
	struct rst_error err;
	enum rst_status status = part_open(session, &part, &input, n, &err);
	int exit_status;

	part.choice.filter.from = session->settings->from;
	part.choice.filter.to = session->settings->to;
	if (status == RST_OK) {
		output_trace(&session->output, input.trace);
		status = report_trace(&session->report, &input, &err);
		output_trace(&session->output, NULL);
	}
	const bool is_unusable = status < 0 && input.n_events == 0;

	exit_status = part_close(session, &part, &input, status >= 0);
	return status < 0 ? part_fail(session, exit_status, is_unusable, &err) : exit_status;
}

static int report_each(struct session *session)
{
	int exit_status = EXIT_GOOD;

	for (int i = 0; i < session->n_operands && session->report.n_left; i++)
		exit_status = outcome_worse(exit_status, report_one(session, (size_t)i));
	return exit_status;
}

/* --- merged --------------------------------------------------------------------------------------------- */

static enum rst_status report_together(
	struct session *session, struct part *parts, struct report_input *inputs, struct rst_error *err)
{
	const size_t n_inputs = (size_t)session->n_operands;
	struct merge merge = { .report = &session->report,
		.inputs = inputs,
		.n_inputs = n_inputs,
		.from = session->settings->from,
		.to = session->settings->to };

	session->report.n_merged = n_inputs;
	for (size_t i = 0; i < n_inputs; i++)
		error_try(part_open(session, &parts[i], &inputs[i], i, err));
	return report_merged(&merge, err);
}

static int report_merge(struct session *session)
{
	const size_t n_inputs = (size_t)session->n_operands;
	struct report_input *inputs = calloc(n_inputs, sizeof(*inputs));
	struct part *parts = calloc(n_inputs, sizeof(*parts));
	struct rst_error err;
	enum rst_status status =
		inputs && parts ? report_together(session, parts, inputs, &err) : error_nomem(&err);
	uint64_t n_events = 0;
	int exit_status = EXIT_GOOD;

	for (size_t i = 0; inputs && parts && i < n_inputs; i++) {
		n_events += inputs[i].n_events;
		exit_status =
			outcome_worse(exit_status, part_close(session, &parts[i], &inputs[i], status >= 0));
	}
	free(inputs);
	free(parts);
	return status < 0 ? part_fail(session, exit_status, n_events == 0, &err) : exit_status;
}

/* --- the report ----------------------------------------------------------------------------------------- */

static void set_up(struct session *session, int fd)
{
	const struct trcrpt_settings *settings = session->settings;
	struct report_options *options = &session->report.options;

	options->format = &report_format_aix;
	options->aix_look = &settings->look;
	options->time_form = settings->look.stamp == AIX_STAMP_CLOCK ? TIME_WALL : TIME_AUTO;
	options->has_no_heading = session->args->has_no_heading;
	options->preface = trcrpt_preface;
	options->removes_duplicates = settings->removes_duplicates;
	options->has_sources = session->n_operands > 1 && !session->args->is_merged;
	session->report.n_left = UINT64_MAX;
	session->output.fd = fd;
	session->output.n_last = UINT64_MAX;
}

static void note_all(const struct session *session)
{
	const uint64_t n = session->report.duplicates.n_removed;

	templates_note_unused(session->templates, &session->args->templates);
	if (n)
		message_print("note: %" PRIu64 " duplicate%s left out", n, n == 1 ? "" : "s");
}

int trcrpt_report(const struct trcrpt_args *args, const struct trcrpt_settings *settings, int fd,
	int n_operands, char **operands)
{
	struct session session = {
		.args = args, .settings = settings, .n_operands = n_operands, .operands = operands
	};
	struct rst_error err;
	int exit_status;

	set_up(&session, fd);
	if (output_begin(&session.output, &session.report, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = args->is_merged ? report_merge(&session) : report_each(&session);
	if (!args->is_quiet)
		note_all(&session);
	exit_status = outcome_worse(exit_status, output_finish(&session.output));
	duplicates_done(&session.report.duplicates);
	templates_free(session.templates);
	output_done(&session.output);
	arena_done(&session.arena);
	return exit_status;
}
