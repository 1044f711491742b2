/* SPDX-License-Identifier: MIT */
/*
 * The destination of a conversion or a store: standard output, a file or a folder. A file or folder gets its
 * name when it is complete, so that a run that breaks off leaves nothing that looks like a result. A
 * signal that ends the program removes the destination first, even if its cause is a page of an input that
 * cannot be read. A thread waits for these signals while a destination exists.
 */
#ifndef CLI_DESTINATION_H
#define CLI_DESTINATION_H

#include <pthread.h>
#include <signal.h>

#include "base/new_file.h"
#include "cli/cli.h"

enum destination_kind {
	DESTINATION_FILE,
	DESTINATION_NAMED, /* a file that a library opens by its name: it has one in any case */
	DESTINATION_FOLDER,
	DESTINATION_STORE, /* a file, which takes the place of a recording, but of no input */
};

struct destination {
	const char *path; /* that it is to have; NULL: standard output, or what is no regular file */
	struct new_file file;
	char *folder; /* PATH.part.XXXXXX, until the folder is whole */
	int fd;	      /* of a file or standard output */

	pthread_t watch;
	bool is_watched;
	sigset_t signals, before; /* that the watch waits for; the mask before */
	struct sigaction on_bus;  /* what a SIGBUS did before */
	pthread_mutex_t lock;	  /* of the file and the folder */
};

/*
 * A file (path NULL: standard output), or a folder. The inputs, a recording, and a folder with something in
 * it are refused. RST_E_USAGE, RST_E_IO, RST_E_NOMEM.
 */
enum rst_status destination_open(struct destination *destination, const char *path,
	enum destination_kind kind, int n_operands, char **operands, struct rst_error *err);

/* By which it can be opened until then; NULL if it has no name. Borrowed. */
const char *destination_part(const struct destination *destination);

/* It is whole: it gets its name. RST_E_IO. */
enum rst_status destination_commit(struct destination *destination, struct rst_error *err);

/* Closes; what is not whole is removed. */
void destination_done(struct destination *destination);

#endif
