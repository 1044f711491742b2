/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/trust.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_trusted(const char *path, const struct stat *code)
{
	struct stat facts;

	if (stat(path, &facts) < 0)
		return false;
	if (facts.st_uid != 0 && facts.st_uid != geteuid() && facts.st_uid != code->st_uid)
		return false;
	return !(facts.st_mode & S_IWOTH) &&
	       (!(facts.st_mode & S_IWGRP) || facts.st_gid == 0 || facts.st_gid == getegid());
}

bool trust_file(const char *path, const char *code)
{
	struct stat facts = { .st_uid = geteuid() };
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	int kept = errno;
	bool is;

	if (!slash || n >= sizeof folder)
		return false;
	memcpy(folder, path, n);
	strcpy(folder + n, n ? "" : "/");
	if (code && stat(code, &facts) < 0) /* it was replaced since it runs */
		facts.st_uid = geteuid();
	is = is_trusted(path, &facts) && is_trusted(folder, &facts);
	errno = kept;
	return is;
}
