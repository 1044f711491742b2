/* SPDX-License-Identifier: MIT */
/*
 * Files that are installed with the program `rastrum`. In a build folder they are beside it; where it is
 * installed they are found from its folder, so that an installation may be moved, or else at the paths of
 * this build.
 */
#ifndef CLI_INSTALLED_H
#define CLI_INSTALLED_H

#include <limits.h>

#include "base/error.h"

enum installed_kind {
	INSTALLED_LIBRARY, /* for programs that are recorded */
	INSTALLED_PROGRAM, /* that does the work of a command */
};

/*
 * Finds the whole path of a file, without links and dots, since a program may change its directory. Returns
 * RST_E_UNSUPPORTED if the file does not exist, or other users can change it (trust.h); err then says that
 * `needed_by` needs it. Returns RST_E_IO.
 */
enum rst_status installed_find(enum installed_kind kind, const char *name, const char *needed_by,
	char ret_path[PATH_MAX], struct rst_error *err);

#endif
