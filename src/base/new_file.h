/* SPDX-License-Identifier: MIT */
/*
 * A file that gets its name only when it is complete. If the file system supports O_TMPFILE, it has no name
 * until then, and nothing remains of it if the program ends early. Otherwise it has a temporary name in the
 * same folder.
 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct new_file {
	int fd;	    /* for reading and writing; -1 if there is no file */
	char *part; /* its temporary name PATH.part.XXXXXX, or NULL */
};

/*
 * Makes the file in the folder of path, with this mode less the umask of the process. If is_named, the file
 * always has a temporary name, for a writer that needs one. Returns 0 or an error number. After an error,
 * there is no file, and new_file_drop() is not needed.
 */
int new_file_open(struct new_file *file, const char *path, mode_t mode, bool is_named);

/*
 * Gives the file its name in one step. If `replaces`, an older file of that name is replaced; otherwise the
 * name is refused (EEXIST). Returns 0 or an error number; the error may be that of an earlier write, which
 * the file system reports only now. After an error, the file is unchanged. The descriptor stays open.
 */
int new_file_keep(struct new_file *file, const char *path, bool replaces);

/* Closes the file, and removes it unless it was kept. */
void new_file_drop(struct new_file *file);

#endif
