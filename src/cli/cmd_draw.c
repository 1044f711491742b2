/* SPDX-License-Identifier: MIT */
/* `rastrum draw`: a window of the timeline as a picture. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/analysis/analysis.h"
#include "cli/completion.h"
#include "picture/picture.h"

struct draw_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	struct text_list tracks;
	uint64_t width;
};

static const struct opt draw_opts[] = {
	{ OPT_LIST, 0, "tracks", "LIST", offsetof(struct draw_args, tracks),
		.help = "only threads, cores, locks, queues … of these names (* and ? match)",
		.complete = complete_contexts },
	{ OPT_NUMBER, 'w', "width", "PIXELS", offsetof(struct draw_args, width),
		.help = "width of the picture (default 960)" },
	{ .kind = OPT_END },
};

static const struct opt_group draw_groups[] = {
	{ .title = "The picture", .opts = draw_opts },
	{ .title = "What is in it", .opts = analysis_select_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = common_opts },
	{ .opts = NULL },
};

static const struct example draw_examples[] = {
	{ "rastrum draw dump.trx -o timeline.svg", "the whole of a dump" },
	{ "rastrum draw --from +2949240 --to +9740000 dump.trx -o inversion.svg",
		"a window of it, for a document" },
	{ "rastrum draw --tracks high,low,'resource*' --width 640 dump.trx -o small.svg", "only these rows" },
	{ NULL, NULL },
};

enum { WIDTH_USUAL = 960, LOSSES_MAX = 1000 };

/* The data of a trace that its picture needs. */
struct gathering {
	struct tracks tracks;
	struct picture_loss losses[LOSSES_MAX];
	size_t n_losses;
};

static bool gather_piece(void *context, const struct piece *piece)
{
	struct gathering *gathering = context;

	return tracks_add(&gathering->tracks, piece->interval, 0);
}

static bool gather_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct gathering *gathering = context;
	const enum rst_marker marker = batch->type[row]->marker;

	if ((marker == RST_LOSS || marker == RST_DAMAGE) && gathering->n_losses < LOSSES_MAX)
		gathering->losses[gathering->n_losses++].at = at;
	return true;
}

static const struct observer_kind gathering_observer = {
	.intervals = UINT32_MAX,
	.rows_wanted = ROWS_GAPS,
	.row = gather_row,
	.piece = gather_piece,
};

static enum rst_status picture_make(const struct draw_args *args, struct gathering *gathering,
	const struct scan *scan, struct outbuf *out, struct rst_error *err)
{
	const struct select_list names = { .items = args->tracks.items, .n_items = args->tracks.n_items };
	struct rows rows;
	struct picture picture = { .tracks = &gathering->tracks,
		.rows = &rows,
		.axis = { .from = scan->from,
			.to = scan->to,
			.first = scan->times.first,
			.hz = scan->times.hz },
		.width = (unsigned)args->width,
		.title = text_file_name(rst_trace_metadata(scan->trace)->path),
		.losses = gathering->losses,
		.n_losses = gathering->n_losses,
		.runs = scan->runs,
		.n_runs = scan->n_runs };

	if (!scan->is_started || scan->from >= scan->to)
		return common_refuse(
			err, "see `rastrum info`", "the window has no time: there is nothing to draw");
	if (!rows_make(&rows, &gathering->tracks, &names, scan->from, scan->to))
		return error_nomem(err);
	if (names.n_items && !rows.n) {
		rows_done(&rows);
		return common_refuse(err, "see `rastrum info` for names", "no track has such a name");
	}
	picture_put(&picture, out);
	rows_done(&rows);
	return RST_OK;
}

static int draw_trace(const struct draw_args *args, struct survey *survey, struct rst_trace *trace)
{
	struct gathering *gathering = calloc(1, sizeof(*gathering));
	struct scan scan = { 0 };
	struct rst_error err;
	int exit_status;

	if (!gathering) {
		error_nomem(&err);
		return common_fail(&err);
	}
	observers_add(&scan.observers, &gathering_observer, gathering);
	exit_status = survey_scan(survey, trace, &scan);
	if (!survey->job.is_over && picture_make(args, gathering, &scan, &survey->out, &err) < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	scan_done(&scan);
	tracks_done(&gathering->tracks);
	free(gathering);
	return exit_status;
}

static int draw_run(void *arguments, int n_operands, char **operands)
{
	const struct draw_args *args = arguments;
	struct survey survey = { .args = &args->analysis,
		.job = { .spec = &args->analysis.job, .n_paths = n_operands, .paths = operands } };
	struct rst_trace *trace = NULL;
	struct rst_error err;
	int exit_status;

	if ((!n_operands && common_lacks(&command_draw, &err) < 0) ||
		(open_n_traces(&args->analysis.job.open, n_operands) != 1 &&
			common_refuse(&err, "with --join the files are parts of one trace",
				"draw makes a picture of one trace") < 0) ||
		((args->width < PICTURE_WIDTH_MIN || args->width > PICTURE_WIDTH_MAX) &&
			common_refuse(&err, "use 320 to 16384", "--width cannot be %llu",
				(unsigned long long)args->width) < 0) ||
		survey_begin(&survey, &err) < 0)
		return common_fail(&err);
	exit_status = survey_open(&survey, 0, &trace, &err) < 0 ? common_fail(&err)
								: draw_trace(args, &survey, trace);
	rst_trace_free(trace);
	return outcome_worse(exit_status, survey_done(&survey));
}

static void draw_defaults(void *arguments)
{
	struct draw_args *args = arguments;

	args->width = WIDTH_USUAL;
}

const struct command command_draw = {
	.name = "draw",
	.usages = { "[options] FILE" },
	.summary = "draw a window of the timeline as an SVG picture",
	.needs = "a file",
	.groups = draw_groups,
	.complete = complete_files,
	.examples = draw_examples,
	.args_bytes = sizeof(struct draw_args),
	.defaults = draw_defaults,
	.run = draw_run,
};
