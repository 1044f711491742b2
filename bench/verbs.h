/* SPDX-License-Identifier: MIT */
/*
 * The verbs of `rastrum bench`. Each takes the operands behind its name, which end with NULL, and returns the
 * exit status.
 */
#ifndef BENCH_VERBS_H
#define BENCH_VERBS_H

#include "cli/bench.h"

int verb_limit(const struct bench_args *args, char *const *files);
int verb_read(const struct bench_args *args, char *const *files);
int verb_sink(const struct bench_args *args, const char *path, uint64_t n_events, uint64_t n_bytes);
int verb_template(const struct bench_args *args, char *const *files);
int verb_view(const struct bench_args *args, char *const *files);
int verb_gen(const struct bench_args *args, char *const *files);

/* Writes the recording that the arguments describe to a descriptor; returns the exit status. */
int generate_events(const struct bench_args *args, int fd);

#endif
