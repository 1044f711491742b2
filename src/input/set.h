/* SPDX-License-Identifier: MIT */
/*
 * The files of a directory as one input. Which they are, and in which order, is decided here; whether they are one recording
 * is decided by a dialect.
 *
 * A file counts that is a regular one, lies in the directory itself, and whose name neither begins with a dot nor ends in
 * .trcfmt. Their order is that of their names, where a run of digits is a number: trace.2 stands before trace.10.
 */
#ifndef INPUT_SET_H
#define INPUT_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/limit.h"

enum { INPUT_SET_MAX = LIMIT(4096, 16) }; /* files */

struct input_set_file {
	char *path;	  /* the directory as given, a slash, and … */
	const char *name; /* … the name in it */
};

struct input_set {
	char *path; /* as given */
	size_t n_files;
	struct input_set_file *files;
};

/*
 * Lists a directory. Returns RST_END if the path is none, *ret_set is untouched. RST_E_IO with the system's
 * reason, RST_E_UNKNOWN when there is no file in it, or too many, RST_E_NOMEM.
 */
enum rst_status input_set_open(struct input_set **ret_set, const char *path, struct rst_error *err);

/* NULL is fine; returns NULL. */
struct input_set *input_set_free(struct input_set *set);

/*
 * Whether the names are those of the parts of one thing: they differ in numbers only (core0.bin … core11.bin), or each has
 * the letters at its end that come after those of the name before it, as split(1) gives them (xaa, xab …). Of a single file
 * it is true. *ret_other: the first that does not follow the one before it.
 */
bool input_set_is_sequence(const struct input_set *set, size_t *ret_other);

/* As strcmp(), but runs of digits are numbers. */
int input_set_compare(const char *a, const char *b);

#endif
