/* SPDX-License-Identifier: MIT */
/*
 * Where a conversion goes: standard output; or a file or folder that has another name until it is whole, so that what a broken
 * conversion leaves is not taken for a result.
 */
#ifndef CLI_CONVERT_DESTINATION_H
#define CLI_CONVERT_DESTINATION_H

#include "cli/cli.h"

struct destination {
	const char *path; /* that it is to have; NULL: standard output, or what is no regular file */
	char *part;	  /* the name until then */
	bool is_folder;
	int fd; /* of a file or standard output */
};

/*
 * A file (path NULL: standard output), or a folder. The inputs, a recording, and a folder with something in it are refused.
 * RST_E_USAGE, RST_E_IO, RST_E_NOMEM.
 */
enum rst_status destination_open(struct destination *destination, const char *path, bool is_folder,
	int n_operands, char **operands, struct rst_error *err);

/* It is whole: it gets its name. RST_E_IO. */
enum rst_status destination_commit(struct destination *destination, struct rst_error *err);

/* Closes; what is not whole is removed. */
void destination_done(struct destination *destination);

#endif
