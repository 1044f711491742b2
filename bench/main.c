/* SPDX-License-Identifier: MIT */
/* rastrum-bench, which does the work of `rastrum bench` and takes the words behind it. */
#include <string.h>

#include "bench/bench.h"
#include "bench/gen.h"
#include "bench/record/record.h"
#include "bench/verbs.h"

/* No --runs: the default of the verb. */
#define RUNS_DEFAULT UINT64_MAX

static void bench_defaults(void *arguments)
{
	const struct gen_threadx how = gen_threadx_default();

	*(struct bench_args *)arguments = (struct bench_args){
		.n_events = 1000000,
		.n_runs = RUNS_DEFAULT,
		.word = how.word_bytes,
		.n_wrapped = how.n_wrapped,
		.seed = how.seed,
		.n_threads = how.n_threads,
		.n_cores = how.n_cores,
		.name_bytes = how.name_bytes,
		.timer_mask = how.timer_mask,
	};
}

/* With a row's name only that row runs, so that its instructions can be counted. */
static int verb_record(const struct bench_args *args, char *const *files)
{
	const struct record_wish wish = {
		.n_events = args->n_events, .n_runs = (unsigned)args->n_runs, .has_peers = args->has_peers
	};
	struct rst_error err;
	enum rst_status status = files[0]	     ? record_once(files[0], args->n_events, &err)
				 : args->is_counting ? record_count(stdout, &err)
						     : record_bench(&wish, stdout, &err);

	return status < 0 ? common_fail(&err) : EXIT_GOOD;
}

static const struct {
	const char *name;
	int (*run)(const struct bench_args *args, char *const *files); /* ended by a NULL */
	int n_files_min, n_files_max;
	unsigned n_runs; /* default */
} verbs[] = {
	{ "read", verb_read, 0, 1, 7 },
	{ "record", verb_record, 0, 1, 21 },
	{ "template", verb_template, 2, 2, 7 },
	{ "limit", verb_limit, 0, 0, 7 },
	{ "gen", verb_gen, 0, 0, 7 },
};

static int verb_run(void *arguments, int n_operands, char **operands)
{
	struct bench_args *args = arguments;
	char *files[3] = { NULL };
	struct rst_error err;

	if (args->n_runs == 0 || (args->n_runs > BENCH_RUNS_MAX && args->n_runs != RUNS_DEFAULT) ||
		args->n_events == 0) {
		error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "there must be 1 to %d runs and an event or more",
			BENCH_RUNS_MAX);
		return common_fail(&err);
	}
	for (int i = 1; i < n_operands && i < 3; i++)
		files[i - 1] = operands[i];
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, operands[0]) != 0)
			continue;
		if (args->n_runs == RUNS_DEFAULT)
			args->n_runs = verbs[i].n_runs;
		if (n_operands - 1 >= verbs[i].n_files_min && n_operands - 1 <= verbs[i].n_files_max)
			return verbs[i].run(args, files);
		error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "bench %s takes %d to %d files, not %d",
			operands[0], verbs[i].n_files_min, verbs[i].n_files_max, n_operands - 1);
		return common_fail(&err);
	}
	error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "there is no measurement '%s'", operands[0]);
	error_advise(&err, "use record, read, template, limit or gen");
	return common_fail(&err);
}

int main(int argc, char **argv)
{
	struct command command = command_bench;
	int exit_status;

	command_begin();
	command.program = NULL;
	command.defaults = bench_defaults;
	command.run = verb_run;
	exit_status = command_run(&command, argc > 0 ? argc - 1 : 0, argv + 1);
	return common_worse(exit_status, common_finish_stdout());
}
