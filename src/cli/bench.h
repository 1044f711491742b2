/* SPDX-License-Identifier: MIT */
/*
 * `rastrum bench` measures the product itself, which takes generators, recorders and other products: that is
 * the program rastrum-bench (bench/main.c). This file declares its command line, which help, completion and
 * both programs share.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "cli/cli.h"

enum { BENCH_READ, BENCH_RECORD, BENCH_TEMPLATE, BENCH_LIMIT, BENCH_VIEW, BENCH_GEN, N_BENCHES };

struct bench_args {
	uint64_t n_events, n_runs;
	uint64_t word, n_wrapped, seed, n_threads, n_cores, name_bytes, timer_mask;
	unsigned endian;
	const char *output;
	bool has_peers, is_counting, is_once;
	struct text_list sinks;
};

#endif
