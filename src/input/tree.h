/* SPDX-License-Identifier: MIT */
/* The folders with a file `metadata` below a folder, as one input. */
#ifndef INPUT_TREE_H
#define INPUT_TREE_H

#include "input/set.h"

/*
 * Fills a set, of which only `path` is set, with the files of all folders that have a file `metadata`: that
 * folder itself, or any below it. Each folder's metadata comes before its other files. Hidden names, empty
 * files and folders named index are left out. Without such a folder, the set stays empty, and is_tree false.
 * Returns RST_OK, RST_E_NOMEM, or RST_E_UNKNOWN if there are too many files.
 */
enum rst_status input_tree_list(struct input_set *set, struct rst_error *err);

#endif
