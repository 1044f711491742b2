/* SPDX-License-Identifier: MIT */
/*
 * The files of a directory as one input. This room chooses the files and their order; a dialect decides
 * whether they are one recording.
 *
 * A file counts if it is a regular file, lies in the directory itself, and its name neither begins with a dot
 * nor ends in .trcfmt. The files are sorted by name, and a run of digits compares as a number: trace.2 comes
 * before trace.10.
 *
 * A directory that has a file `metadata`, or a directory with one somewhere below it, is a tree (tree.h).
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
	char *path;   /* as given */
	bool is_tree; /* folders with metadata: files of several folders, each one's metadata first */
	size_t n_files;
	struct input_set_file *files;
};

/*
 * Lists a directory. Returns RST_END if the path is not a directory; *ret_set is untouched then. Returns
 * RST_E_IO with the system's reason, RST_E_UNKNOWN if the directory has no file or too many, or RST_E_NOMEM.
 */
enum rst_status input_set_open(struct input_set **ret_set, const char *path, struct rst_error *err);

/* "FOLDER/NAME", which the caller frees. Returns NULL if memory ran out. */
char *input_set_join(const char *folder, const char *name);

/* Accepts NULL. Returns NULL. */
struct input_set *input_set_free(struct input_set *set);

/*
 * Whether the names form one sequence. Each name differs from the one before it in numbers only (core0.bin …
 * core11.bin), or its last letters come next, as in the names of split(1) (xaa, xab …). Returns true for a
 * single file. On false,
 * *ret_other is the index of the first file whose name does not follow the one before it.
 */
bool input_set_is_sequence(const struct input_set *set, size_t *ret_other);

/* Compares as strcmp() does, but compares runs of digits as numbers. */
int input_set_compare(const char *a, const char *b);

#endif
