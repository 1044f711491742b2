/* SPDX-License-Identifier: MIT */
/* The file that `template update` changes: held while it is, and written whole or not at all (D37). */
#ifndef CLI_TEMPLATE_MASTER_H
#define CLI_TEMPLATE_MASTER_H

#include <limits.h>
#include <sys/stat.h>

#include "template/set/set.h"

struct master {
	char path[PATH_MAX]; /* without links: these stay */
	int lock;	     /* the file, which is locked; -1 if it does not exist yet */
	struct stat st;
};

/*
 * Finds the path of the user's own file of templates for AIX's hooks. Returns RST_E_USAGE if both
 * $XDG_CONFIG_HOME and $HOME lack a path.
 */
enum rst_status master_default(char path[PATH_MAX], struct rst_error *err);

/*
 * Waits while another program changes the file, and then reads it. If the file does not exist and may_be_new
 * is set, it counts as a file without stanzas, and its folders are made. Returns RST_E_IO or RST_E_NOMEM;
 * master_done() is due in any case.
 */
enum rst_status master_open(struct master *master, const char *path, bool may_be_new,
	struct template_file **ret_file, struct rst_error *err);
void master_done(struct master *master);

/*
 * Writes bytes to a new file beside path. The new file replaces path when all of it is on the disk. It has
 * the mode and owner of path if st contains them. is_packed: compressed by gzip. Returns RST_E_IO or
 * RST_E_NOMEM; the file does not change then.
 */
enum rst_status master_replace(
	const char *path, const struct stat *st, bool is_packed, struct text bytes, struct rst_error *err);

#endif
