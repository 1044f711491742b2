/* SPDX-License-Identifier: MIT */
/* `rastrum curt`: CPU usage in the layout of AIX's tool of this name, and with its letters. */
#include "analysis/stats/curt.h"
#include "cli/aix/letters.h"
#include "cli/completion.h"

struct curt_args {
	struct letters_args letters; /* first */
	struct curt_details details;
	bool wants_elapsed;
	/* Only to be refused. */
	const char *register_name, *kernel_names, *process_names;
};

static const struct opt curt_opts[] = {
	{ OPT_TEXT, 'f', "start", "SECONDS", offsetof(struct curt_args, letters.start),
		.help = "first moment that counts" },
	{ OPT_TEXT, 'l', "stop", "SECONDS", offsetof(struct curt_args, letters.stop),
		.help = "last moment that counts" },
	{ OPT_FLAG, 'e', "elapsed", NULL, offsetof(struct curt_args, wants_elapsed),
		.help = "taken as on AIX: times of calls are elapsed times anyway" },
	{ OPT_FLAG, 'p', "processes", NULL, offsetof(struct curt_args, details.has_processes),
		.help = "a report for each process" },
	{ OPT_FLAG, 't', "threads", NULL, offsetof(struct curt_args, details.has_threads),
		.help = "a report for each thread" },
	{ OPT_FLAG, 's', "errors", NULL, offsetof(struct curt_args, details.has_errors),
		.help = "calls that failed" },
	{ OPT_FLAG, 'P', "pthreads", NULL, offsetof(struct curt_args, details.has_pthreads),
		.help = "calls of the threads library" },
	{ .kind = OPT_END },
};

/* Named so that they can be refused with a reason. */
static const struct opt absent_opts[] = {
	{ OPT_TEXT, 'r', "register", "PURR", offsetof(struct curt_args, register_name),
		.help = "times by a register of AIX's processors" },
	{ OPT_TEXT, 'm', "kernel-names", "FILE", offsetof(struct curt_args, kernel_names),
		.help = "names of AIX's kernel, as trcnm lists them; use -n" },
	{ OPT_TEXT, 'a', "process-names", "FILE", offsetof(struct curt_args, process_names),
		.help = "names of processes, which recordings have" },
	{ .kind = OPT_END },
};

static const struct letters_refused refused[] = {
	{ 'r', false, offsetof(struct curt_args, register_name),
		"recordings here have no register that counts the processor's resources", "leave it out" },
	{ 'm', false, offsetof(struct curt_args, kernel_names),
		"names of AIX's kernel name no address of a recording here",
		"give -n the program, or a list of symbols" },
	{ 'a', false, offsetof(struct curt_args, process_names),
		"recordings here have the names of their processes", "leave it out" },
};

static const struct opt_group curt_groups[] = {
	{ .title = "As on AIX", .opts = curt_opts },
	{ .title = "What counts", .opts = analysis_select_bare_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = letters_input_opts },
	{ .title = "Of AIX, refused here", .opts = absent_opts },
	{ .opts = NULL },
};

static const struct example curt_examples[] = {
	{ "rastrum curt dump.trx", "time of processors, threads, spans and interrupts" },
	{ "rastrum curt --clock-hz 50M --from 1s --to 2s dump.trx", "one second of it, in milliseconds" },
	{ "rastrum curt -i dump.trx -o report.txt -pts",
		"with a report for each process and thread, and calls that failed" },
	{ "rastrum curt --core 0 dump.trx", "what one processor did" },
	{ NULL, NULL },
};

/* One run of the command. */
struct session {
	struct survey survey;
	const struct curt_details *details;
	struct table_output output;
};

static int curt_of(void *context, struct rst_trace *trace, size_t n)
{
	struct session *session = context;
	struct survey *survey = &session->survey;
	struct table_output *output = &session->output;
	struct stats stats = { .n_analyses = 0 };
	struct scan scan = { 0 };
	struct rst_error err;
	int exit_status;

	(void)n;
	if (curt_choose(&stats, session->details, &err) < 0)
		return common_fail(&err);
	stats_init(&stats, &scan);
	exit_status = survey_scan(survey, trace, &scan);
	output->times = scan.is_started ? &scan.times : NULL;
	if (!survey->job.is_over &&
		curt_put(&stats, rst_trace_metadata(trace), session->details, output, &err) < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	output->n_begun++;
	stats_done(&stats);
	scan_done(&scan);
	return exit_status;
}

static int curt_run(void *arguments, int n_operands, char **operands)
{
	const struct curt_args *args = arguments;
	struct arena arena = { 0 };
	struct letters letters;
	struct session session = {
		.survey = { .args = &letters.analysis, .job.spec = &letters.analysis.job },
		.details = &args->details,
		.output = { .out = &session.survey.out },
	};
	struct rst_error err;
	int exit_status;

	if (letters_refuse(args, refused, sizeof(refused) / sizeof(refused[0]), &err) < 0 ||
		letters_read(&letters, &command_curt, &args->letters, "fl", n_operands, operands, &arena,
			&err) < 0) {
		arena_done(&arena);
		return common_fail(&err);
	}
	session.survey.job.n_paths = letters.n_operands;
	session.survey.job.paths = letters.operands;
	if (survey_begin(&session.survey, &err) < 0) {
		exit_status = common_fail(&err);
	} else {
		exit_status = survey_each(&session.survey, curt_of, &session);
		exit_status = outcome_worse(exit_status, survey_done(&session.survey));
	}
	arena_done(&arena);
	return exit_status;
}

const struct command command_curt = {
	.name = "curt",
	.usages = { "[options] FILE...", "-i FILE [options]" },
	.summary = "show CPU usage in the layout of AIX's curt",
	.needs = "a file",
	.groups = curt_groups,
	.complete = complete_files,
	.examples = curt_examples,
	.args_bytes = sizeof(struct curt_args),
	.run = curt_run,
};
