/* SPDX-License-Identifier: MIT */
/*
 * Some recorders write a folder for each part of a recording, whose file `metadata` describes the others.
 * This finds all of them below a folder. It follows no links to folders, so it comes to an end.
 */
#include "input/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"

static const char metadata[] = "metadata";

enum { TREE_DEPTH_MAX = 16, TREE_ENTRIES_MAX = LIMIT(1 << 18, 256) };

struct walk {
	struct input_set *set;
	size_t room, n_entries;
	bool has_no_memory;
};

static bool add_path(struct walk *walk, char *path)
{
	struct input_set *set = walk->set;
	struct input_set_file *files =
		path ? array_room(set->files, set->n_files, &walk->room, sizeof(*files)) : NULL;

	if (!files) {
		free(path);
		walk->has_no_memory = true;
		return false;
	}
	set->files = files;
	files[set->n_files++] = (struct input_set_file){ .path = path, .name = text_file_name(path) };
	return true;
}

static bool walk_folder(struct walk *walk, const char *folder, unsigned depth);

/* Goes into a folder, or adds a file. Empty files hold nothing, and are left out. */
static bool take_entry(struct walk *walk, const char *folder, const char *name, bool is_trace, unsigned depth)
{
	char *path = input_set_join(folder, name);
	struct stat st;
	bool is_good = path != NULL;

	walk->has_no_memory |= !path;
	if (path && lstat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode) && depth < TREE_DEPTH_MAX && strcmp(name, "index") != 0)
			is_good = walk_folder(walk, path, depth + 1);
		else if (is_trace && strcmp(name, metadata) != 0 && stat(path, &st) == 0 &&
			 S_ISREG(st.st_mode) && st.st_size)
			return add_path(walk, path);
	}
	free(path);
	return is_good;
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
	return input_set_compare((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds metadata of a folder, if it has some. */
static bool add_metadata(struct walk *walk, const char *folder, bool *ret_is_trace)
{
	char *path = input_set_join(folder, metadata);
	struct stat st;

	*ret_is_trace = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
	if (*ret_is_trace)
		return add_path(walk, path);
	walk->has_no_memory |= !path;
	free(path);
	return !walk->has_no_memory;
}

static bool walk_folder(struct walk *walk, const char *folder, unsigned depth)
{
	struct dirent **entries = NULL;
	const int n = scandir(folder, &entries, is_shown, compare_entries);
	bool is_trace = false, is_good = true;

	if (n < 0)
		return errno != ENOMEM; /* a folder that cannot be read */
	walk->n_entries += (size_t)n;
	if (walk->n_entries > TREE_ENTRIES_MAX)
		is_good = false;
	is_good = is_good && add_metadata(walk, folder, &is_trace);
	for (int i = 0; i < n; i++) {
		is_good = is_good && take_entry(walk, folder, entries[i]->d_name, is_trace, depth);
		free(entries[i]);
	}
	free(entries);
	return is_good;
}

enum rst_status input_tree_list(struct input_set *set, struct rst_error *err)
{
	struct walk walk = { .set = set };
	const bool is_good = walk_folder(&walk, set->path, 0);

	set->is_tree = set->n_files != 0;
	if (walk.has_no_memory)
		return error_nomem(err);
	if (is_good || !set->is_tree)
		return RST_OK;
	error_set(err, RST_E_UNKNOWN, RST_NO_OFFSET, "there are more than %d files below this directory",
		TREE_ENTRIES_MAX);
	error_advise(err, "name a directory further down");
	return RST_E_UNKNOWN;
}
