/* SPDX-License-Identifier: MIT */
#ifndef CLI_BENCH_TEMPLATE_H
#define CLI_BENCH_TEMPLATE_H

#include <stdint.h>

/* Measures how fast AIX entries become text; returns the exit status. */
int bench_template(uint64_t n_entries, uint64_t n_runs, const char *templates, const char *path);

#endif
