/* SPDX-License-Identifier: MIT */
#include "cli/bench.h"
#include "cli/completion.h"

static const char *const endian_names[] = { "little", "big" };

static const struct opt bench_opts[] = {
	{ OPT_NUMBER, 0, "events", "N", offsetof(struct bench_args, n_events),
		.help = "events to generate (default 1M)" },
	{ .kind = OPT_END },
};

static const struct opt run_opts[] = {
	{ OPT_NUMBER, 0, "runs", "N", offsetof(struct bench_args, n_runs),
		.help = "runs of each row (default 7; record: 21)" },
	{ .kind = OPT_END },
};

static const struct opt read_opts[] = {
	{ OPT_LIST, 0, "sink", "LIST", offsetof(struct bench_args, sinks),
		.help = "measure writing formats of `convert` instead (all: each of them)" },
	{ OPT_FLAG, 0, "once", NULL, offsetof(struct bench_args, is_once),
		.help = "write each once, without a word: for counters of instructions" },
	{ .kind = OPT_END },
};

static const struct opt record_opts[] = {
	{ OPT_FLAG, 0, "peer", NULL, offsetof(struct bench_args, has_peers),
		.help = "compare with other recorders" },
	{ .kind = OPT_END },
};

static const struct opt count_opts[] = {
	{ OPT_FLAG, 0, "instructions", NULL, offsetof(struct bench_args, is_counting),
		.help = "count instructions of an event, with valgrind (read: of --sink)" },
	{ .kind = OPT_END },
};

static const struct opt gen_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct bench_args, output),
		.help = "write to FILE, not to standard output", .complete = complete_files },
	{ OPT_NUMBER, 0, "word", "4|8", offsetof(struct bench_args, word),
		.help = "bytes of the target's ULONG" },
	{ OPT_CHOICE, 0, "endian", "little|big", offsetof(struct bench_args, endian), .help = "byte order",
		.choices = endian_names, .n_choices = 2 },
	{ OPT_NUMBER, 0, "wrapped", "N", offsetof(struct bench_args, n_wrapped),
		.help = "the ring's oldest entry is in slot N" },
	{ OPT_NUMBER, 0, "seed", "N", offsetof(struct bench_args, seed),
		.help = "another seed, other events" },
	{ OPT_NUMBER, 0, "threads", "N", offsetof(struct bench_args, n_threads),
		.help = "threads of the made-up system" },
	{ OPT_NUMBER, 0, "cores", "N", offsetof(struct bench_args, n_cores), .help = "cores" },
	{ OPT_NUMBER, 0, "mask", "N", offsetof(struct bench_args, timer_mask),
		.help = "bits of the time stamp that count" },
	{ OPT_NUMBER, 0, "name-size", "N", offsetof(struct bench_args, name_bytes),
		.help = "bytes of an object's name" },
	{ .kind = OPT_END },
};

static const struct opt_group bench_groups[] = {
	{ .title = "Options of all", .opts = bench_opts },
	{ .title = "Options of read, record, template and limit",
		.opts = run_opts,
		.subcommands = 1 << BENCH_READ | 1 << BENCH_RECORD | 1 << BENCH_TEMPLATE | 1 << BENCH_LIMIT },
	{ .title = "Options of read and record",
		.opts = count_opts,
		.subcommands = 1 << BENCH_READ | 1 << BENCH_RECORD },
	{ .title = "Options of read", .opts = read_opts, .subcommands = 1 << BENCH_READ },
	{ .title = "Options of record", .opts = record_opts, .subcommands = 1 << BENCH_RECORD },
	{ .title = "Options of gen", .opts = gen_opts, .subcommands = 1 << BENCH_GEN },
	{ .opts = NULL },
};

static const struct subcommand bench_subcommands[] = {
	[BENCH_READ] = { "read", "[FILE]", "measure reading, of a generated dump or of FILE", 0, 1,
		complete_files },
	[BENCH_RECORD] = { "record", "[ROW]", "measure trace points", 0, 1, NULL },
	[BENCH_TEMPLATE] = { "template", "TEMPLATES ENTRIES", "measure templates: AIX entries to text", 2, 2,
		complete_files },
	[BENCH_LIMIT] = { "limit", "", "measure this machine, which others are compared with", 0, 0, NULL },
	[BENCH_VIEW] = { "view", "", "measure the server of `rastrum view`, with a generated dump", 0, 0,
		NULL },
	[BENCH_GEN] = { "gen", "", "generate a dump", 0, 0, NULL },
	{ .name = NULL },
};

static const struct example bench_examples[] = {
	{ "rastrum bench read", "nanoseconds for an event, in each format" },
	{ "rastrum bench read --sink perfetto dump.trx", "what writing formats of other tools costs" },
	{ "rastrum bench record", "what a trace point costs" },
	{ "rastrum bench gen --events 1k --cores 4 -o made.trx", "a dump to try things with" },
	{ NULL, NULL },
};

const struct command command_bench = {
	.name = "bench",
	.usages = { "SUBCOMMAND [options] [FILE...]" },
	.summary = "measure the program itself, and make inputs for that",
	.subcommands = bench_subcommands,
	.groups = bench_groups,
	.examples = bench_examples,
	.args_bytes = sizeof(struct bench_args),
	.program = "rastrum-bench",
};
