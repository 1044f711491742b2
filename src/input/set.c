/* SPDX-License-Identifier: MIT */
#include "input/set.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"
#include "input/tree.h"

/* --- names ---------------------------------------------------------------------------------------------- */

static size_t number_bytes(const char *at)
{
	size_t n = 0;

	while (text_is_digit(at[n]))
		n++;
	return n;
}

/* Compares numbers of any length: without leading zeros, the longer one is greater. */
static int compare_numbers(const char *a, const char *b)
{
	size_t n_a = number_bytes(a), n_b = number_bytes(b);

	for (; n_a && *a == '0'; n_a--)
		a++;
	for (; n_b && *b == '0'; n_b--)
		b++;
	if (n_a != n_b)
		return n_a < n_b ? -1 : 1;
	return memcmp(a, b, n_a);
}

int input_set_compare(const char *a, const char *b)
{
	const char *whole_a = a, *whole_b = b;

	while (*a && *b) {
		bool are_numbers = text_is_digit(*a) && text_is_digit(*b);
		int order =
			are_numbers ? compare_numbers(a, b) : (int)(unsigned char)*a - (int)(unsigned char)*b;

		if (order)
			return order;
		a += are_numbers ? number_bytes(a) : 1;
		b += are_numbers ? number_bytes(b) : 1;
	}
	return *a || *b ? (*a ? 1 : -1) : strcmp(whole_a, whole_b);
}

static int compare_files(const void *a, const void *b)
{
	const struct input_set_file *first = a, *second = b;

	return input_set_compare(first->name, second->name);
}

/* Whether two names are the same except for their numbers. */
static bool differ_in_numbers(const char *a, const char *b)
{
	while (*a && *b) {
		if (text_is_digit(*a) != text_is_digit(*b) || (!text_is_digit(*a) && *a != *b))
			return false;
		if (text_is_digit(*a)) {
			a += number_bytes(a);
			b += number_bytes(b);
		} else {
			a++;
			b++;
		}
	}
	return !*a && !*b;
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Whether the last letters of b come next after those of a: xab after xaa, xba after xaz. */
static bool are_next_letters(const char *a, const char *b)
{
	enum { LETTERS_MIN = 2 };
	size_t n = strlen(a), at = n;

	if (n < LETTERS_MIN || strlen(b) != n || !is_letter(a[n - LETTERS_MIN]))
		return false;
	while (at && a[at - 1] == 'z' && b[at - 1] == 'a')
		at--;
	return at && is_letter(a[at - 1]) && b[at - 1] == a[at - 1] + 1 && memcmp(a, b, at - 1) == 0;
}

bool input_set_is_sequence(const struct input_set *set, size_t *ret_other)
{
	for (size_t i = 1; i < set->n_files; i++) {
		const char *before = set->files[i - 1].name, *name = set->files[i].name;

		*ret_other = i;
		if (!differ_in_numbers(before, name) && !are_next_letters(before, name))
			return false;
	}
	return true;
}

/* --- the directory -------------------------------------------------------------------------------------- */

struct input_set *input_set_free(struct input_set *set)
{
	if (!set)
		return NULL;
	for (size_t i = 0; i < set->n_files; i++)
		free(set->files[i].path);
	free(set->files);
	free(set->path);
	free(set);
	return NULL;
}

char *input_set_join(const char *folder, const char *name)
{
	const size_t n_folder = strlen(folder), n_name = strlen(name) + 1;
	const bool has_slash = n_folder && folder[n_folder - 1] == '/';
	char *path = malloc(n_folder + !has_slash + n_name);

	if (!path)
		return NULL;
	memcpy(path, folder, n_folder);
	path[n_folder] = '/';
	memcpy(path + n_folder + !has_slash, name, n_name);
	return path;
}

static bool is_regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Whether it is a template of the recording's project, which may lie beside the recording. */
static bool is_template(const char *name)
{
	static const char end[] = ".trcfmt";
	const size_t n = strlen(name), n_end = sizeof(end) - 1;

	return n > n_end && strcmp(name + n - n_end, end) == 0;
}

/* Adds the file to the set if it counts. */
static enum rst_status add_file(struct input_set *set, size_t *room, const char *name, struct rst_error *err)
{
	char *path;

	if (name[0] == '.' || is_template(name))
		return RST_OK;
	path = input_set_join(set->path, name);
	if (!path)
		return error_nomem(err);
	if (!is_regular(path)) {
		free(path);
		return RST_OK;
	}
	struct input_set_file *files = set->n_files == INPUT_SET_MAX
					       ? NULL
					       : array_room(set->files, set->n_files, room, sizeof(*files));

	if (!files) {
		free(path);
		if (set->n_files < INPUT_SET_MAX)
			return error_nomem(err);
		error_set(err, RST_E_UNKNOWN, RST_NO_OFFSET, "this directory has more than %d files",
			INPUT_SET_MAX);
		error_advise(
			err, "name the files of one recording, or put them into a directory of their own");
		return RST_E_UNKNOWN;
	}
	set->files = files;
	files[set->n_files++] = (struct input_set_file){ .path = path, .name = text_file_name(path) };
	return RST_OK;
}

static enum rst_status list_files(struct input_set *set, DIR *directory, struct rst_error *err)
{
	const struct dirent *entry;
	size_t room = 0;

	for (errno = 0; (entry = readdir(directory)) != NULL; errno = 0)
		error_try(add_file(set, &room, entry->d_name, err));
	if (errno)
		return error_set(
			err, RST_E_IO, RST_NO_OFFSET, "cannot list the directory: %s", strerror(errno));
	if (!set->n_files) {
		error_set(err, RST_E_UNKNOWN, RST_NO_OFFSET, "there is no file in this directory");
		error_advise(err, "name a file, or the directory that has the files of one recording");
		return RST_E_UNKNOWN;
	}
	qsort(set->files, set->n_files, sizeof(*set->files), compare_files);
	return RST_OK;
}

enum rst_status input_set_open(struct input_set **ret_set, const char *path, struct rst_error *err)
{
	struct input_set *set;
	enum rst_status status;
	struct stat st;
	DIR *directory;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return RST_END;
	directory = opendir(path);
	if (!directory) {
		error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot open: %s", strerror(errno));
		error_name(err, path);
		return RST_E_IO;
	}
	set = calloc(1, sizeof(*set));
	if (set)
		set->path = strdup(path);
	status = set && set->path ? input_tree_list(set, err) : error_nomem(err);
	if (status == RST_OK && !set->is_tree)
		status = list_files(set, directory, err);
	closedir(directory);
	if (status < 0) {
		error_name(err, path);
		input_set_free(set);
		return status;
	}
	*ret_set = set;
	return RST_OK;
}
