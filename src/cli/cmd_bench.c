/* SPDX-License-Identifier: MIT */
#include "cli/bench.h"

static const char *const endian_names[] = { "little", "big" };

static const struct opt bench_opts[] = {
	{ OPT_NUMBER, 0, "events", "N", offsetof(struct bench_args, n_events),
		"events to generate (default 1M)", NULL, 0 },
	{ OPT_NUMBER, 0, "runs", "N", offsetof(struct bench_args, n_runs),
		"runs of each row (default 7; record: 21)", NULL, 0 },
	{ OPT_FLAG, 0, "peer", NULL, offsetof(struct bench_args, has_peers),
		"record: compare with other recorders", NULL, 0 },
	{ OPT_FLAG, 0, "instructions", NULL, offsetof(struct bench_args, is_counting),
		"record: count instructions of an event, with valgrind", NULL, 0 },
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct bench_args, output),
		"gen: write to FILE, not to standard output", NULL, 0 },
	{ OPT_NUMBER, 0, "word", "4|8", offsetof(struct bench_args, word), "gen: bytes of the target's ULONG",
		NULL, 0 },
	{ OPT_CHOICE, 0, "endian", "little|big", offsetof(struct bench_args, endian), "gen: byte order",
		endian_names, 2 },
	{ OPT_NUMBER, 0, "wrapped", "N", offsetof(struct bench_args, n_wrapped),
		"gen: the ring's oldest entry is in slot N", NULL, 0 },
	{ OPT_NUMBER, 0, "seed", "N", offsetof(struct bench_args, seed), "gen: another seed, another story",
		NULL, 0 },
	{ OPT_NUMBER, 0, "threads", "N", offsetof(struct bench_args, n_threads), "gen: threads of the story",
		NULL, 0 },
	{ OPT_NUMBER, 0, "cores", "N", offsetof(struct bench_args, n_cores), "gen: cores", NULL, 0 },
	{ OPT_NUMBER, 0, "mask", "N", offsetof(struct bench_args, timer_mask),
		"gen: bits of the time stamp that count", NULL, 0 },
	{ OPT_NUMBER, 0, "name-size", "N", offsetof(struct bench_args, name_bytes),
		"gen: bytes of an object's name", NULL, 0 },
	{ .kind = OPT_END },
};

static const struct opt *const bench_tables[] = { bench_opts, NULL };

const struct command command_bench = {
	.name = "bench",
	.usage = "read [FILE] | record | template TEMPLATES ENTRIES | limit | gen [options]",
	.summary = "measure the program itself, and make inputs for that",
	.needs = "read, template, limit or gen",
	.tables = bench_tables,
	.args_bytes = sizeof(struct bench_args),
	.n_operands_min = 1,
	.program = "rastrum-bench",
};
