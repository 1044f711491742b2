/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/trust.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_trusted(const char *path, const struct stat *code)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	if (st.st_uid != 0 && st.st_uid != geteuid() && st.st_uid != code->st_uid)
		return false;
	return !(st.st_mode & S_IWOTH) &&
	       (!(st.st_mode & S_IWGRP) || st.st_gid == 0 || st.st_gid == getegid());
}

bool trust_file(const char *path, const char *code)
{
	struct stat st = { .st_uid = geteuid() };
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	int kept = errno;
	bool is;

	if (!slash || n >= sizeof folder)
		return false;
	memcpy(folder, path, n);
	strcpy(folder + n, n ? "" : "/");
	if (code && stat(code, &st) < 0) /* the file was replaced while the program runs */
		st.st_uid = geteuid();
	is = is_trusted(path, &st) && is_trusted(folder, &st);
	errno = kept;
	return is;
}
