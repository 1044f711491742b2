/* SPDX-License-Identifier: MIT */
/*
 * A file that gets its name when it is whole. Until then it has none, if the file system knows such files (O_TMPFILE): then
 * nothing is left of it, however the program ends. Elsewhere it has another name beside its own.
 */
#ifndef BASE_NEW_FILE_H
#define BASE_NEW_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct new_file {
	int fd;	    /* for reading and writing; -1 if there is no file */
	char *part; /* PATH.part.XXXXXX; NULL if it has no name */
};

/*
 * Makes the file in the folder of path, with this mode less the mask of the process. is_named: it has a name in any case, for a
 * writer that needs one. 0 or an error number; then nothing is there, and new_file_drop() is not needed.
 */
int new_file_open(struct new_file *file, const char *path, mode_t mode, bool is_named);

/*
 * Gives it its name, in one step. An older file of that name is replaced, or the name is refused (EEXIST). 0 or an error
 * number, also of an earlier write that the file system reports only now; then the file is as before. The descriptor stays open.
 */
int new_file_keep(struct new_file *file, const char *path, bool replaces);

/* Closes it; unless it was kept, it is gone. */
void new_file_drop(struct new_file *file);

#endif
