/* SPDX-License-Identifier: MIT */
#include "cli/installed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/rendezvous/trust.h"

#ifndef RASTRUM_LIBDIR
#define RASTRUM_LIBDIR "/usr/local/lib"
#endif
#ifndef RASTRUM_LIBEXECDIR
#define RASTRUM_LIBEXECDIR "/usr/local/libexec"
#endif

#define OWN_FILE "/proc/self/exe"

enum { N_FOLDERS = 5 };

static const struct {
	const char
		*folders[N_FOLDERS]; /* absolute, or from the folder of this program; tried in this order */
	const char *words;
} kinds[] = {
	[INSTALLED_LIBRARY] = { { ".", "../lib/rastrum", "../lib", RASTRUM_LIBDIR "/rastrum",
					RASTRUM_LIBDIR },
		"../lib/rastrum nor in " RASTRUM_LIBDIR },
	[INSTALLED_PROGRAM] = { { ".", "../libexec/rastrum", RASTRUM_LIBEXECDIR "/rastrum" },
		"../libexec/rastrum nor in " RASTRUM_LIBEXECDIR "/rastrum" },
};

static bool find_own_folder(char ret_path[PATH_MAX])
{
	ssize_t n = readlink(OWN_FILE, ret_path, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return false;
	ret_path[n] = '\0';
	slash = strrchr(ret_path, '/');
	if (slash)
		*slash = '\0';
	return slash != NULL;
}

enum rst_status installed_find(enum installed_kind kind, const char *name, const char *needed_by,
	char ret_path[PATH_MAX], struct rst_error *err)
{
	char own[PATH_MAX], path[2 * PATH_MAX];

	if (!find_own_folder(own))
		return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot find this program's own file: %s",
			strerror(errno));
	for (size_t i = 0; i < N_FOLDERS && kinds[kind].folders[i]; i++) {
		const char *folder = kinds[kind].folders[i];

		if (folder[0] == '/')
			snprintf(path, sizeof(path), "%s/%s", folder, name);
		else
			snprintf(path, sizeof(path), "%s/%s/%s", own, folder, name);
		if (realpath(path, ret_path) && trust_file(ret_path, OWN_FILE))
			return RST_OK;
	}
	error_set(err, RST_E_UNSUPPORTED, RST_NO_OFFSET,
		"%s needs %s, which is neither beside rastrum nor in %s, or which others can change there",
		needed_by, name, kinds[kind].words);
	error_advise(err, "build and install all of Rastrum");
	return RST_E_UNSUPPORTED;
}
