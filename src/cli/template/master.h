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
 * The user's own file of templates for AIX's hooks; RST_E_USAGE if neither $XDG_CONFIG_HOME nor $HOME says
 * where.
 */
enum rst_status master_default(char path[PATH_MAX], struct rst_error *err);

/*
 * Waits until no other program changes the file, and reads it. may_be_new: when it is not there it is one without stanzas, and its
 * folders are made. RST_E_IO, RST_E_NOMEM; master_done() is due whatever comes.
 */
enum rst_status master_open(struct master *master, const char *path, bool may_be_new,
	struct template_file **ret_file, struct rst_error *err);
void master_done(struct master *master);

/*
 * Writes bytes to a new file beside path, which takes its place when all is on the disk: with its mode and owner where st has
 * those. is_packed: compressed by gzip. RST_E_IO, RST_E_NOMEM; the file is as before then.
 */
enum rst_status master_replace(
	const char *path, const struct stat *st, bool is_packed, struct text bytes, struct rst_error *err);

#endif
