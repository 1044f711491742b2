/* SPDX-License-Identifier: MIT */
#include "input/live/holder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { COMM_BYTES = 15 }; /* the length of the name that the kernel keeps */

static bool has_open(long pid, const struct stat *wanted)
{
	char path[64];
	const struct dirent *entry;
	DIR *folder;
	bool is_found = false;

	snprintf(path, sizeof(path), "/proc/%ld/fd", pid);
	folder = opendir(path);
	if (!folder)
		return false;
	while (!is_found && (entry = readdir(folder)) != NULL) {
		struct stat st;

		is_found = fstatat(dirfd(folder), entry->d_name, &st, 0) == 0 &&
			   st.st_dev == wanted->st_dev && st.st_ino == wanted->st_ino;
	}
	closedir(folder);
	return is_found;
}

static void take_name(struct holder *holder)
{
	_Static_assert(sizeof(holder->name) > 4 * COMM_BYTES, "a name of control bytes fits");
	char path[64];
	uint8_t raw[COMM_BYTES];
	FILE *file;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%ld/comm", holder->pid);
	file = fopen(path, "re");
	if (file) {
		n = fread(raw, 1, sizeof(raw), file);
		fclose(file);
	}
	while (n && raw[n - 1] == '\n')
		n--;
	*text_clean(holder->name, raw, n) = '\0';
}

bool holder_find(const char *path, struct holder *ret_holder)
{
	struct stat wanted;
	const struct dirent *entry;
	DIR *processes = stat(path, &wanted) == 0 ? opendir("/proc") : NULL;
	bool is_found = false;

	while (!is_found && processes && (entry = readdir(processes)) != NULL) {
		ret_holder->pid = strtol(entry->d_name, NULL, 10);
		is_found = ret_holder->pid > 0 && ret_holder->pid != (long)getpid() &&
			   has_open(ret_holder->pid, &wanted);
	}
	if (processes)
		closedir(processes);
	if (is_found)
		take_name(ret_holder);
	return is_found;
}
