/* SPDX-License-Identifier: MIT */
/*
 * Where templates come from. A later source overrides an earlier one:
 *
 *	built into the program			 templates/NAME.trcfmt, made into C by tools/embed.sh
 *	installed				 share/rastrum/templates beside the bin of the program
 *	the user's				 rastrum/templates in $XDG_CONFIG_HOME, or else in ~/.config
 *	the project's				 the folder of the trace, or the trace where that is a folder
 *	$RASTRUM_TEMPLATES			 files and folders, ":" between them
 *	--templates FILE|DIR			 in the order given
 *
 * All files NAME.trcfmt of a folder count, in the order of their names; one that cannot be read is passed
 * over with a warning, W05. Each file belongs to one dialect. A file of a project counts only if it belongs
 * to this user, to root, or to the owner of the trace: everyone may write to a folder like /tmp.
 */
#ifndef TEMPLATE_SET_SEARCH_H
#define TEMPLATE_SET_SEARCH_H

#include <limits.h>
#include <sys/stat.h>

#include "template/set/set.h"

struct template_builtin {
	const char *name; /* "threadx.trcfmt"; NULL: behind the last */
	const char *text; /* n_bytes bytes and a terminating NUL */
	size_t n_bytes;
};

/* Made when the program is built. */
extern const struct template_builtin template_builtins[];

/*
 * Loads into set, lowest first: built in, installed, the user's, those beside the trace, $RASTRUM_TEMPLATES,
 * and paths. If trace is NULL or names no file, nothing beside it is loaded. Only files of the set's dialect
 * are parsed; bad stanzas are in diags and are no failure. Installed templates and the user's may be absent;
 * what $RASTRUM_TEMPLATES and paths name must be there. RST_OK, RST_E_IO, RST_E_NOMEM, RST_E_USAGE when
 * $RASTRUM_TEMPLATES names standard input.
 */
enum rst_status template_search(struct template_set *set, const char *trace, size_t n_paths,
	const char *const *paths, struct diags *diags, struct rst_error *err);

/* Loads one file, or the files of a folder, that belong to the set's dialect; outcomes as above. */
enum rst_status template_search_path(
	struct template_set *set, const char *path, struct diags *diags, struct rst_error *err);

/* Finds the folder of the project that a trace belongs to. Returns false if the path names no file. */
bool template_search_project(const char *trace, char folder[PATH_MAX]);

/*
 * RST_E_USAGE when a search with these paths, for these traces, would read the file that output is about to
 * overwrite; or why the search would fail.
 */
enum rst_status template_search_spares(const struct stat *output, size_t n_traces, char **traces,
	size_t n_paths, const char *const *paths, struct rst_error *err);

/* Whether the set has a template of this file, or of a file in this folder, as it was named in the search. */
bool template_search_gave(const struct template_set *set, const char *path);

#endif
