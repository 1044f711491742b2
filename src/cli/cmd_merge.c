/* SPDX-License-Identifier: MIT */
/* `rastrum merge`: several traces as one store, in the order of time where they share an axis. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/cut_part.h"
#include "cli/message.h"
#include "cli/store_output.h"
#include "container/merge.h"
#include "select/clocks.h"

struct merge_args {
	struct open_spec common; /* first */
	const char *output;
	bool is_quiet;
};

static const struct opt output_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct merge_args, output),
		.help = "the store to write, say all.rsx; - is standard output", .complete = complete_files },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct merge_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

static const struct opt_group merge_groups[] = {
	{ .title = "Where it goes", .opts = output_opts },
	{ .title = "How the inputs are read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example merge_examples[] = {
	{ "rastrum merge before.trx after.trx -o both.rsx", "two dumps as one trace" },
	{ "rastrum merge -q *.trx -o - | rastrum report -", "all dumps of a folder in one report" },
	{ "rastrum merge dump.trx after.trx -o all.rsx && rastrum info all.rsx", "what is in it" },
	{ NULL, NULL },
};

/* A trace that is being read. */
struct source {
	const struct rst_batch *batch; /* NULL if the trace has ended */
	size_t at;		       /* its next row */
	uint64_t ticks;		       /* of that row, on the axis of all */
	bool has_begun;		       /* its first event was seen: rows in front of it have no time */
	struct rst_error end;	       /* how reading it ended */
};

/* One run. */
struct merging {
	const struct merge_args *args;
	size_t n_traces;
	struct rst_trace **traces;
	struct source *sources;
	size_t *order; /* the traces that have not ended, as a heap */
	size_t n_order;
	struct map names; /* names_count() */
	struct store_merge_input *inputs;
	struct store_merge *merge;
	bool is_written;
	struct shared_axis axis;
	struct progress progress;
	uint64_t n_events;
	bool has_no_memory;
};

/* --- names of the traces -------------------------------------------------------------------------------- */

/*
 * By a key of the file's name: the name if one trace has it, an empty text if several have. Keys may meet,
 * which does no harm.
 */
static bool names_count(struct map *names, char **operands, size_t n_traces)
{
	bool is_good = true;

	for (size_t i = 0; i < n_traces && is_good; i++) {
		const char *name = text_file_name(operands[i]);
		const uint64_t key = map_text_key(name, strlen(name));

		is_good = map_set(names, key, (void *)(uintptr_t)(map_find(names, key) ? "" : name));
	}
	return is_good;
}

/* The name of the file; if another trace is called so, its path as it was given. */
static const char *name_of(const struct map *names, const char *path)
{
	const char *name = text_file_name(path), *only = map_find(names, map_text_key(name, strlen(name)));

	return only && *only ? name : path;
}

/* --- reading -------------------------------------------------------------------------------------------- */

/* The next row of a trace, whose batch may end. Only failures of writing are returned. */
static void source_see(struct merging *merging, size_t n)
{
	struct source *source = &merging->sources[n];

	if (!source->batch || source->at < source->batch->n_events)
		return;
	source->end.status = rst_trace_next(merging->traces[n], &source->batch, &source->end);
	source->at = 0;
	store_merge_batch(merging->merge, n);
	if (source->end.status == RST_OK)
		return;
	source->batch = NULL;
	merging->has_no_memory |= !store_merge_end(merging->merge, n);
}

/* Rows in front of the first event of a trace come at once: they have no time. */
static bool source_time(struct merging *merging, size_t n)
{
	struct source *source = &merging->sources[n];
	const struct rst_batch *batch = source->batch;

	if (!batch)
		return false;
	source->has_begun |= batch->type[source->at]->marker == RST_EVENT;
	source->ticks =
		source->has_begun ? shared_axis_ticks(&merging->axis, n, batch->ticks[source->at]) : 0;
	return true;
}

/*
 * Whether the next row of one trace comes before that of another. Equal times keep the order of the traces.
 */
static bool source_precedes(const struct merging *merging, size_t n, size_t other)
{
	const uint64_t ticks = merging->sources[n].ticks, other_ticks = merging->sources[other].ticks;

	if (merging->axis.kind == SHARED_NOTHING || ticks == other_ticks)
		return n < other;
	return ticks < other_ticks;
}

/* --- the order of the traces: a heap, whose first one has the earliest row ------------------------------ */

static void order_sift(struct merging *merging, size_t place)
{
	size_t *order = merging->order;

	for (size_t child; (child = 2 * place + 1) < merging->n_order; place = child) {
		const size_t n = order[place];

		if (child + 1 < merging->n_order && source_precedes(merging, order[child + 1], order[child]))
			child++;
		if (!source_precedes(merging, order[child], n))
			return;
		order[place] = order[child];
		order[child] = n;
	}
}

static void order_begin(struct merging *merging)
{
	for (size_t i = 0; i < merging->n_traces; i++)
		if (merging->sources[i].batch)
			merging->order[merging->n_order++] = i;
	for (size_t i = merging->n_order / 2; i-- > 0;)
		order_sift(merging, i);
}

/* The trace that comes next after the first one; returns n_traces if there is no other. */
static size_t order_second(const struct merging *merging)
{
	const size_t *order = merging->order;

	if (merging->n_order < 2)
		return merging->n_traces;
	if (merging->n_order > 2 && source_precedes(merging, order[2], order[1]))
		return order[2];
	return order[1];
}

/* The first trace has another next row, or has ended. */
static void order_update(struct merging *merging)
{
	if (!merging->sources[merging->order[0]].batch)
		merging->order[0] = merging->order[--merging->n_order];
	order_sift(merging, 0);
}

/* --- merging -------------------------------------------------------------------------------------------- */

/* Rows of one trace up to the next row of another one. */
static enum rst_status merge_run(struct merging *merging, size_t n, struct rst_error *err)
{
	struct source *source = &merging->sources[n];
	const size_t other = order_second(merging);

	do {
		error_try(store_merge_row(merging->merge, n, source->batch, source->at, source->ticks, err));
		source->at++;
		merging->n_events++;
		source_see(merging, n);
		if (merging->has_no_memory)
			return error_nomem(err);
		if (!source_time(merging, n))
			break;
	} while (other == merging->n_traces || source_precedes(merging, n, other));
	progress_update(&merging->progress, merging->n_events);
	return RST_OK;
}

static const char *axis_sentence(const struct shared_axis *axis, size_t n_traces)
{
	if (n_traces == 1 || axis->is_shown)
		return NULL;
	switch (axis->kind) {
	case SHARED_CLOCK:
		return "nothing shows that the merged traces have one clock: their ticks are taken as those "
		       "of "
		       "one";
	case SHARED_DAY:
		return "the merged traces have several clocks: ticks are those of one of them, by the time "
		       "of day";
	case SHARED_NOTHING:
		break;
	}
	return "the merged traces share no clock: they stand one behind the other, and each has ticks of its "
	       "own";
}

/* The first event of all, or of the first trace where they share nothing. */
static void merge_first(const struct merging *merging)
{
	bool has_first = false;
	uint64_t first = 0;

	for (size_t i = 0; i < merging->n_traces; i++) {
		const struct rst_metadata *metadata = rst_trace_metadata(merging->traces[i]);
		const uint64_t ticks = shared_axis_ticks(&merging->axis, i, metadata->first_ticks);

		if (!metadata->has_first_ticks ||
			(has_first && (merging->axis.kind == SHARED_NOTHING || ticks >= first)))
			continue;
		first = ticks;
		has_first = true;
	}
	if (has_first)
		store_merge_first(merging->merge, first);
}

/* Reads up to the first event of each trace, by which the axis is known. */
static enum rst_status merge_begin(struct merging *merging, struct rst_error *err)
{
	static const struct rst_batch nothing = { .n_events = 0 };
	const char *sentence;

	for (size_t i = 0; i < merging->n_traces; i++) {
		merging->sources[i].batch = &nothing;
		source_see(merging, i);
	}
	/* Losses and damages may fill batches in front of the first event. */
	for (size_t i = 0; i < merging->n_traces; i++) {
		struct source *source = &merging->sources[i];

		while (source->batch && !rst_trace_metadata(merging->traces[i])->has_first_ticks) {
			for (; source->at < source->batch->n_events; source->at++)
				error_try(store_merge_row(
					merging->merge, i, source->batch, source->at, 0, err));
			source_see(merging, i);
		}
	}
	shared_axis_choose(&merging->axis, merging->traces, merging->n_traces);
	store_merge_clock(merging->merge, merging->axis.reference);
	if (merging->axis.is_shown)
		store_merge_share_cores(merging->merge);
	sentence = axis_sentence(&merging->axis, merging->n_traces);
	if (sentence && !store_merge_warn(merging->merge, sentence))
		return error_nomem(err);
	if (sentence && !merging->args->is_quiet)
		message_print("note: %s", sentence);
	for (size_t i = 0; i < merging->n_traces; i++)
		source_time(merging, i);
	merge_first(merging);
	return RST_OK;
}

static enum rst_status merge_rows(struct merging *merging, struct rst_error *err)
{
	error_try(merge_begin(merging, err));
	order_begin(merging);
	while (merging->n_order) {
		error_try(merge_run(merging, merging->order[0], err));
		order_update(merging);
	}
	return RST_OK;
}

/* The first failure of a trace is that of the whole. */
static const struct rst_error *first_failure(const struct merging *merging)
{
	for (size_t i = 0; i < merging->n_traces; i++)
		if (merging->sources[i].end.status < 0)
			return &merging->sources[i].end;
	return NULL;
}

/* The exit status. */
static int merge_traces(struct merging *merging)
{
	int exit_status = EXIT_GOOD;
	enum rst_status status;
	struct rst_error err;

	progress_start(&merging->progress, STDOUT_FILENO);
	status = merge_rows(merging, &err);
	progress_end(&merging->progress);
	if (status == RST_OK)
		status = store_merge_finish(merging->merge, first_failure(merging), &err);
	merging->is_written = status == RST_OK;
	for (size_t i = 0; i < merging->n_traces; i++) {
		exit_status = outcome_worse(exit_status,
			common_print_notes(merging->traces[i], merging->args->is_quiet, NOTES_OF_FILE));
		if (merging->sources[i].end.status < 0)
			exit_status = outcome_worse(exit_status, common_fail(&merging->sources[i].end));
	}
	return status < 0 ? outcome_worse(exit_status, store_output_fail(merging->args->output, &err))
			  : exit_status;
}

static enum rst_status merge_open(
	struct merging *merging, int n_operands, char **operands, struct rst_error *err)
{
	const size_t n_traces = merging->n_traces;

	merging->traces = calloc(n_traces, sizeof(*merging->traces));
	merging->sources = calloc(n_traces, sizeof(*merging->sources));
	merging->inputs = calloc(n_traces, sizeof(*merging->inputs));
	merging->order = calloc(n_traces, sizeof(*merging->order));
	if (!merging->traces || !merging->sources || !merging->inputs || !merging->order ||
		!names_count(&merging->names, operands, n_traces))
		return error_nomem(err);
	for (size_t i = 0; i < n_traces; i++) {
		error_try(open_nth_trace(
			&merging->traces[i], &merging->args->common, n_operands, operands, i, err));
		merging->inputs[i] = (struct store_merge_input){ merging->traces[i],
			name_of(&merging->names, operands[i]) };
	}
	return RST_OK;
}

/* The exit status. */
static int merge_into(struct merging *merging, int n_operands, char **operands)
{
	struct destination destination;
	struct rst_error err;
	const char *name;
	int exit_status;

	if (store_output_open(&destination, merging->args->output, n_operands, operands, &name, &err) < 0 ||
		store_merge_open(
			&merging->merge, destination.fd, name, merging->inputs, merging->n_traces, &err) < 0)
		exit_status = common_fail(&err);
	else
		exit_status = merge_traces(merging);
	store_merge_free(merging->merge);
	return store_output_end(&destination, merging->is_written, exit_status);
}

static enum rst_status merge_check(
	const struct merge_args *args, int n_operands, char **operands, struct rst_error *err)
{
	if (!n_operands)
		return common_lacks(&command_merge, err);
	error_try(store_output_check(&command_merge, args->output, n_operands, operands, err));
	return common_check_input(&(struct text_list){ .n_items = 0 }, n_operands, operands, err);
}

/* --- parts of one recording ----------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

struct merge_part {
	struct rst_carried about;
	char *path;
};

/*
 * Returns false if the trace is not a part of a recording with all events of its window, or cannot be read.
 */
static bool part_look(const struct open_spec *common, char **operands, size_t n, struct merge_part *ret)
{
	const struct rst_carried *carried;
	const struct rst_batch *batch;
	struct rst_trace *trace;
	bool is_part;

	if (open_nth_trace(&trace, common, (int)n + 1, operands, n, NULL) < 0)
		return false;
	is_part = rst_trace_next(trace, &batch, NULL) >= 0 && (carried = rst_trace_carried(trace)) != NULL &&
		  !carried->is_selection && carried->recording;
	if (is_part)
		*ret = (struct merge_part){ *carried, operands[n] };
	rst_trace_free(trace);
	return is_part;
}

static int part_compare(const void *a, const void *b)
{
	const struct rst_carried *one = &((const struct merge_part *)a)->about,
				 *other = &((const struct merge_part *)b)->about;

	if (one->first_event != other->first_event)
		return one->first_event < other->first_event ? -1 : 1;
	return one->from < other->from ? -1 : one->from > other->from;
}

/*
 * Finds out whether the inputs are parts of one recording, and sorts them. A link or a pipe is read only
 * once, and no part.
 */
static bool parts_look(
	const struct open_spec *common, size_t n_parts, char **operands, struct merge_part *parts)
{
	if (common->live || common->is_joined || n_parts < 2)
		return false;
	for (size_t i = 0; i < n_parts; i++)
		if (!is_file(operands[i]))
			return false;
	for (size_t i = 0; i < n_parts; i++)
		if (!part_look(common, operands, i, &parts[i]) ||
			parts[i].about.recording != parts[0].about.recording ||
			parts[i].about.n_events != parts[0].about.n_events)
			return false;
	qsort(parts, n_parts, sizeof(*parts), part_compare);
	return true;
}

/* Whether the sorted parts have all events of their recording. */
static bool parts_are_whole(const struct merge_part *parts, size_t n_parts)
{
	uint64_t end = 0;

	for (size_t i = 0; i < n_parts; i++) {
		if (parts[i].about.first_event > end)
			return false;
		if (parts[i].about.end_event > end)
			end = parts[i].about.end_event;
	}
	return end == parts[0].about.n_events;
}

/*
 * Parts of one recording become that recording again, and not several traces. Returns false if the inputs are
 * other traces.
 */
static bool merge_parts(const struct merge_args *args, int n_operands, char **operands, int *ret_exit_status)
{
	const size_t n_parts = (size_t)n_operands;
	struct merge_part *parts = calloc(n_parts, sizeof(*parts));
	char **paths = calloc(n_parts, sizeof(*paths));
	const bool are_parts = parts && paths && parts_look(&args->common, n_parts, operands, parts);

	for (size_t i = 0; are_parts && i < n_parts; i++)
		paths[i] = parts[i].path;
	if (are_parts)
		*ret_exit_status = cut_join(&args->common, args->output, args->is_quiet,
			parts_are_whole(parts, n_parts), n_operands, paths);
	free(parts);
	free(paths);
	return are_parts;
}

static int merge_run_command(void *arguments, int n_operands, char **operands)
{
	const struct merge_args *args = arguments;
	struct merging merging = { .args = args, .n_traces = open_n_traces(&args->common, n_operands) };
	struct rst_error err;
	int exit_status;

	if (merge_check(args, n_operands, operands, &err) < 0)
		return common_fail(&err);
	if (merge_parts(args, n_operands, operands, &exit_status))
		return exit_status;
	exit_status = merge_open(&merging, n_operands, operands, &err) < 0
			      ? common_fail(&err)
			      : merge_into(&merging, n_operands, operands);
	for (size_t i = 0; merging.traces && i < merging.n_traces; i++)
		rst_trace_free(merging.traces[i]);
	free(merging.traces);
	free(merging.sources);
	free(merging.inputs);
	free(merging.order);
	map_done(&merging.names);
	return exit_status;
}

const struct command command_merge = {
	.name = "merge",
	.usages = { "[options] FILE... -o STORE" },
	.summary = "put several traces into one file, in the order of time",
	.needs = "a file",
	.groups = merge_groups,
	.complete = complete_files,
	.examples = merge_examples,
	.args_bytes = sizeof(struct merge_args),
	.n_operands_min = 0,
	.run = merge_run_command,
};
