/* SPDX-License-Identifier: MIT */
/* `rastrum cut`: a part of a trace, or all of it, as a store that needs its source no more. */
#include <unistd.h>

#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/cut_part.h"
#include "cli/store_output.h"
#include "container/write.h"
#include "job/run_window.h"
#include "select/select.h"

struct cut_args {
	struct open_spec common; /* first */
	const char *from, *to, *run, *output;
	struct text_list types, contexts, objects, cores;
	bool is_quiet;
};

static const struct opt select_opts[] = {
	{ OPT_LIST, 't', "type", "LIST", offsetof(struct cut_args, types),
		.help = "only events of these names (* and ? match) or numbers; !NAME leaves out",
		.complete = complete_types },
	{ OPT_LIST, 'c', "context", "LIST", offsetof(struct cut_args, contexts),
		.help = "only events of these threads, or of isr, init, idle; !NAME leaves out",
		.complete = complete_contexts },
	{ OPT_LIST, 0, "object", "LIST", offsetof(struct cut_args, objects),
		.help = "only events about these objects, by name or address", .complete = complete_objects },
	{ OPT_LIST, 0, "core", "LIST", offsetof(struct cut_args, cores),
		.help = "only events on these cores" },
	{ OPT_TEXT, 0, "from", "TIME", offsetof(struct cut_args, from),
		.help = "first moment to keep: ticks, +ticks since the first event, or 250us, 1.5s" },
	{ OPT_TEXT, 0, "to", "TIME", offsetof(struct cut_args, to), .help = "last moment to keep" },
	{ OPT_TEXT, 0, "run", "N", offsetof(struct cut_args, run),
		.help = "only the N-th run of a recording that begins anew in one input" },
	{ .kind = OPT_END },
};

static const struct opt output_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct cut_args, output),
		.help = "the store to write, say part.rsx; - is standard output",
		.complete = complete_files },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct cut_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

static const struct opt_group cut_groups[] = {
	{ .title = "What is kept", .opts = select_opts },
	{ .title = "Where it goes", .opts = output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example cut_examples[] = {
	{ "rastrum cut --from +2949240 --to +9740000 dump.trx -o part.rsx", "a window of a dump" },
	{ "rastrum cut -c high,low -o two.rsx dump.trx", "what two threads did" },
	{ "rastrum cut dump.trx -o all.rsx", "all of it: the dump is needed no more" },
	{ NULL, NULL },
};

static struct select_list cut_as_list(const struct text_list *list)
{
	return (struct select_list){ .items = list->items, .n_items = list->n_items };
}

/* One run. */
struct cutting {
	struct rst_trace *trace;
	struct store_writer *writer;
	struct filter_spec filter;
	struct run_window window; /* the filter borrows its moments */
	struct select select;
	struct cut_part part;
	bool is_started, is_written;
	bool is_whole; /* the parts that are read are all of their recording */
	struct progress progress;
	uint64_t n_events;
};

static bool takes_all(const struct filter_spec *filter)
{
	return !filter->from && !filter->to && !filter->types.n_items && !filter->contexts.n_items &&
	       !filter->objects.n_items && !filter->cores.n_items;
}

/* Markers in front of the first event have no time yet: they are kept, as reports show them. */
static size_t cut_rows(struct cutting *cutting, const struct rst_batch *batch, uint16_t *rows)
{
	size_t n_rows = 0;

	if (cutting->is_started)
		return select_rows(&cutting->select, batch, rows);
	for (size_t i = 0; i < batch->n_events; i++)
		rows[n_rows++] = (uint16_t)i;
	return n_rows;
}

static enum rst_status cut_start(struct cutting *cutting, struct rst_error *err)
{
	if (cutting->is_started)
		return RST_OK;
	error_try(select_init(&cutting->select, &cutting->filter, cutting->trace, err));
	cutting->is_started = true;
	return RST_OK;
}

/* A store of all of a recording needs to carry nothing: its events show what they showed. */
static enum rst_status cut_begin(struct cutting *cutting, struct rst_error *err)
{
	if (takes_all(&cutting->filter) && (cutting->is_whole || !rst_trace_carried(cutting->trace)))
		return RST_OK;
	return cut_part_begin(&cutting->part, cutting->writer, cutting->trace, err);
}

static enum rst_status cut_batch(
	struct cutting *cutting, const struct rst_batch *batch, struct rst_error *err)
{
	uint16_t rows[RST_BATCH_EVENTS];
	size_t n_rows;

	if (!cutting->n_events)
		error_try(cut_begin(cutting, err));
	if (rst_trace_metadata(cutting->trace)->has_first_ticks)
		error_try(cut_start(cutting, err));
	n_rows = cut_rows(cutting, batch, rows);
	cut_part_rows(&cutting->part, cutting->trace, &cutting->select, batch, rows, n_rows);
	error_try(store_write_rows(cutting->writer, cutting->trace, batch, rows, n_rows, err));
	cutting->n_events += batch->n_events;
	return cut_part_carry(
		&cutting->part, cutting->writer, cutting->is_started ? &cutting->select : NULL, batch, err);
}

/* *ret_end: how reading ended. Failures of writing are returned. */
static enum rst_status cut_batches(struct cutting *cutting, struct rst_error *ret_end, struct rst_error *err)
{
	const struct rst_batch *batch;

	while ((ret_end->status = rst_trace_next(cutting->trace, &batch, ret_end)) == RST_OK) {
		error_try(cut_batch(cutting, batch, err));
		progress_update(&cutting->progress, cutting->n_events);
	}
	/* A selection that cannot be read is an error for a trace without events, too. */
	error_try(cut_start(cutting, err));
	return cut_part_end(&cutting->part, cutting->writer, cutting->trace, &cutting->select, err);
}

/* The exit status. */
static int cut_trace(const struct cut_args *args, struct cutting *cutting)
{
	struct rst_error err, end = { .status = RST_OK };
	enum rst_status status;
	int exit_status;

	progress_start(&cutting->progress, STDOUT_FILENO);
	progress_trace(&cutting->progress, cutting->trace);
	status = cut_batches(cutting, &end, &err);
	progress_end(&cutting->progress);
	if (status == RST_OK)
		status = store_write_finish(
			cutting->writer, cutting->trace, &end, takes_all(&cutting->filter), &err);
	cutting->is_written = status == RST_OK;
	exit_status = common_print_notes(cutting->trace, args->is_quiet, NOTES_OF_FILE);
	if (end.status < 0)
		exit_status = outcome_worse(exit_status, common_fail(&end));
	return status < 0 ? outcome_worse(exit_status, store_output_fail(args->output, &err)) : exit_status;
}

static enum rst_status cut_check(
	const struct cut_args *args, int n_operands, char **operands, struct rst_error *err)
{
	if (!n_operands)
		return common_lacks(&command_cut, err);
	if (open_n_traces(&args->common, n_operands) != 1)
		return common_refuse(err, "with --join the files are parts of one trace",
			"cut makes a store of one trace");
	return store_output_check(&command_cut, args->output, n_operands, operands, err);
}

/* The exit status. */
static int cut_into(const struct cut_args *args, struct cutting *cutting, int n_operands, char **operands)
{
	struct destination destination;
	struct rst_error err;
	const char *name;
	int exit_status;

	if (store_output_open(&destination, args->output, n_operands, operands, &name, &err) < 0 ||
		store_write_open(&cutting->writer, destination.fd, name, cutting->trace, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = cut_trace(args, cutting);
	cut_part_done(&cutting->part);
	store_write_free(cutting->writer);
	return store_output_end(&destination, cutting->is_written, exit_status);
}

/* The exit status. */
static int cut_open(const struct cut_args *args, struct cutting *cutting, int n_operands, char **operands)
{
	struct rst_error err;
	int exit_status;

	cutting->window = (struct run_window){ .open = &args->common,
		.n_paths = n_operands,
		.paths = operands,
		.run = args->run,
		.from = args->from,
		.to = args->to };
	if (run_window_set(&cutting->window, 0, &cutting->filter, &err) < 0 ||
		open_nth_trace(&cutting->trace, &args->common, n_operands, operands, 0, &err) < 0)
		return common_fail(&err);
	exit_status = cut_into(args, cutting, n_operands, operands);
	if (cutting->is_started)
		select_done(&cutting->select);
	rst_trace_free(cutting->trace);
	return exit_status;
}

static int cut_run(void *arguments, int n_operands, char **operands)
{
	const struct cut_args *args = arguments;
	struct cutting cutting = { .filter = { .from = args->from,
					   .to = args->to,
					   .types = cut_as_list(&args->types),
					   .contexts = cut_as_list(&args->contexts),
					   .objects = cut_as_list(&args->objects),
					   .cores = cut_as_list(&args->cores) } };
	struct rst_error err;

	if (cut_check(args, n_operands, operands, &err) < 0)
		return common_fail(&err);
	return cut_open(args, &cutting, n_operands, operands);
}

int cut_join(const struct open_spec *common, const char *output, bool is_quiet, bool is_whole, int n_operands,
	char **operands)
{
	struct cut_args args = { .common = *common, .output = output, .is_quiet = is_quiet };
	struct cutting cutting = { .is_whole = is_whole };

	args.common.is_joined = true;
	return cut_open(&args, &cutting, n_operands, operands);
}

const struct command command_cut = {
	.name = "cut",
	.usages = { "[options] FILE -o STORE" },
	.summary = "keep a part of a trace, or all of it, in one file of its own",
	.needs = "a file",
	.groups = cut_groups,
	.complete = complete_files,
	.examples = cut_examples,
	.args_bytes = sizeof(struct cut_args),
	.n_operands_min = 0,
	.run = cut_run,
};
