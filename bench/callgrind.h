/* SPDX-License-Identifier: MIT */
/* Instructions of this program with other arguments, as valgrind's callgrind counts them. */
#ifndef BENCH_CALLGRIND_H
#define BENCH_CALLGRIND_H

#include <stdbool.h>

enum { CALLGRIND_ARGUMENTS_MAX = 12 };

/*
 * The arguments behind the program's name; NULL ends them. false: valgrind is not there, or the run failed.
 */
bool callgrind_count(const char *const *arguments, double *ret_count);

#endif
