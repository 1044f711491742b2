/* SPDX-License-Identifier: MIT */
/* rastrum-bench, which does the work of `rastrum bench` and takes the words behind it. */
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

/* A row's name makes only that row run, so that its instructions can be counted. */
static int verb_record(const struct bench_args *args, char *const *files)
{
	const struct record_options options = {
		.n_events = args->n_events, .n_runs = (unsigned)args->n_runs, .has_peers = args->has_peers
	};
	struct rst_error err;
	enum rst_status status = files[0]	     ? record_once(files[0], args->n_events, &err)
				 : args->is_counting ? record_count(stdout, &err)
						     : record_bench(&options, stdout, &err);

	return status < 0 ? common_fail(&err) : EXIT_GOOD;
}

static const struct {
	int (*run)(const struct bench_args *args, char *const *files); /* ended by a NULL */
	unsigned n_runs;					       /* default */
} verbs[N_BENCHES] = {
	[BENCH_READ] = { verb_read, 7 },
	[BENCH_RECORD] = { verb_record, 21 },
	[BENCH_TEMPLATE] = { verb_template, 7 },
	[BENCH_LIMIT] = { verb_limit, 7 },
	[BENCH_VIEW] = { verb_view, 1 },
	[BENCH_GEN] = { verb_gen, 7 },
};

static int verb_run(void *arguments, int n_operands, char **operands)
{
	const int verb = command_subcommand(&command_bench, operands[0]);
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
	if (args->n_runs == RUNS_DEFAULT)
		args->n_runs = verbs[verb].n_runs;
	return verbs[verb].run(args, files);
}

int main(int argc, char **argv)
{
	return command_main(&command_bench, bench_defaults, verb_run, argc, argv);
}
