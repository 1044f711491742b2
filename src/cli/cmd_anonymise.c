/* SPDX-License-Identifier: MIT */
/* `rastrum anonymise`: a trace as a store with other names. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/store_output.h"
#include "container/write.h"

struct anonymise_args {
	struct open_spec common; /* first */
	const char *output;
	struct text_list kept;
	bool hides_times, is_quiet;
};

static const struct opt what_opts[] = {
	{ OPT_LIST, 0, "keep", "LIST", offsetof(struct anonymise_args, kept), .help = "names that stay" },
	{ OPT_FLAG, 0, "hide-times", NULL, offsetof(struct anonymise_args, hides_times),
		.help = "ticks count from the first event, and there is no time of day" },
	{ .kind = OPT_END },
};

static const struct opt output_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct anonymise_args, output),
		.help = "the store to write, say public.rsx; - is standard output",
		.complete = complete_files },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct anonymise_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

static const struct opt_group anonymise_groups[] = {
	{ .title = "What is replaced", .opts = what_opts },
	{ .title = "Where it goes", .opts = output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example anonymise_examples[] = {
	{ "rastrum anonymise dump.trx -o public.rsx", "a dump without its names and texts" },
	{ "rastrum anonymise --keep high,low dump.trx -o public.rsx", "two threads keep their names" },
	{ "rastrum anonymise --hide-times dump.trx -o - | rastrum report -", "what others would see" },
	{ NULL, NULL },
};

/* One run. */
struct anonymising {
	const struct anonymise_args *args;
	struct rst_trace *trace;
	struct store_writer *writer;
	struct disguise disguise;
	bool is_written;
	struct progress progress;
	uint64_t n_events;
};

/*
 * A part of a recording stays one; what recording it was is not told. The window may grow if another part
 * follows.
 */
static void note_part(struct anonymising *anonymising)
{
	const struct rst_carried *carried = rst_trace_carried(anonymising->trace);

	if (carried)
		*store_write_part(anonymising->writer) = *carried;
}

static enum rst_status write_carried(struct anonymising *anonymising, struct rst_error *err)
{
	const struct rst_carried *carried = rst_trace_carried(anonymising->trace);

	return carried ? store_write_carried(anonymising->writer, carried, err) : RST_OK;
}

/* *ret_end: how reading ended. Failures of writing are returned. */
static enum rst_status write_all(
	struct anonymising *anonymising, struct rst_error *ret_end, struct rst_error *err)
{
	uint16_t rows[RST_BATCH_EVENTS];
	const struct rst_batch *batch;

	for (size_t i = 0; i < RST_BATCH_EVENTS; i++)
		rows[i] = (uint16_t)i;
	while ((ret_end->status = rst_trace_next(anonymising->trace, &batch, ret_end)) == RST_OK) {
		note_part(anonymising);
		error_try(store_write_rows(
			anonymising->writer, anonymising->trace, batch, rows, batch->n_events, err));
		error_try(write_carried(anonymising, err));
		anonymising->n_events += batch->n_events;
		progress_update(&anonymising->progress, anonymising->n_events);
	}
	note_part(anonymising);
	error_try(write_carried(anonymising, err));
	return store_write_finish(anonymising->writer, anonymising->trace, ret_end, true, err);
}

/* The exit status. */
static int anonymise_trace(struct anonymising *anonymising)
{
	struct rst_error err, end = { .status = RST_OK };
	enum rst_status status;
	int exit_status;

	store_write_disguise(anonymising->writer, &anonymising->disguise);
	progress_start(&anonymising->progress, STDOUT_FILENO);
	progress_trace(&anonymising->progress, anonymising->trace);
	status = write_all(anonymising, &end, &err);
	anonymising->is_written = status == RST_OK;
	progress_end(&anonymising->progress);
	exit_status = common_print_notes(anonymising->trace, anonymising->args->is_quiet, NOTES_OF_FILE);
	if (end.status < 0)
		exit_status = outcome_worse(exit_status, common_fail(&end));
	return status < 0 ? outcome_worse(exit_status, store_output_fail(anonymising->args->output, &err))
			  : exit_status;
}

static enum rst_status anonymise_check(
	const struct anonymise_args *args, int n_operands, char **operands, struct rst_error *err)
{
	if (!n_operands)
		return common_lacks(&command_anonymise, err);
	if (open_n_traces(&args->common, n_operands) != 1)
		return common_refuse(err, "with --join the files are parts of one trace; merge them first",
			"anonymise writes a store of one trace");
	return store_output_check(&command_anonymise, args->output, n_operands, operands, err);
}

static enum rst_status anonymise_begin(
	struct anonymising *anonymising, int fd, const char *name, struct rst_error *err)
{
	const struct anonymise_args *args = anonymising->args;

	if (!disguise_init(&anonymising->disguise, args->hides_times))
		return common_refuse(err, NULL, "there are no random numbers: %s", strerror(errno));
	anonymising->disguise.kept = (const char *const *)args->kept.items;
	anonymising->disguise.n_kept = args->kept.n_items;
	return store_write_open(&anonymising->writer, fd, name, anonymising->trace, err);
}

/* The exit status. */
static int anonymise_into(struct anonymising *anonymising, int n_operands, char **operands)
{
	struct destination destination;
	struct rst_error err;
	const char *name;
	int exit_status;

	if (store_output_open(&destination, anonymising->args->output, n_operands, operands, &name, &err) <
			0 ||
		anonymise_begin(anonymising, destination.fd, name, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = anonymise_trace(anonymising);
	store_write_free(anonymising->writer);
	disguise_done(&anonymising->disguise);
	return store_output_end(&destination, anonymising->is_written, exit_status);
}

static int anonymise_run(void *arguments, int n_operands, char **operands)
{
	struct anonymising anonymising = { .args = arguments };
	struct rst_error err;
	int exit_status;

	if (anonymise_check(anonymising.args, n_operands, operands, &err) < 0 ||
		open_nth_trace(&anonymising.trace, &anonymising.args->common, n_operands, operands, 0, &err) <
			0)
		return common_fail(&err);
	exit_status = anonymise_into(&anonymising, n_operands, operands);
	rst_trace_free(anonymising.trace);
	return exit_status;
}

const struct command command_anonymise = {
	.name = "anonymise",
	.usages = { "[options] FILE -o STORE" },
	.summary = "write a trace with other names, to be given away",
	.needs = "a file",
	.groups = anonymise_groups,
	.complete = complete_files,
	.examples = anonymise_examples,
	.args_bytes = sizeof(struct anonymise_args),
	.n_operands_min = 0,
	.run = anonymise_run,
};
