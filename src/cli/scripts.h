/* SPDX-License-Identifier: MIT */
/* The files of completion/, which the program carries (tools/embed.sh). */
#ifndef CLI_SCRIPTS_H
#define CLI_SCRIPTS_H

#include <stddef.h>

struct completion_script {
	const char *name; /* of the file; NULL ends the list */
	const char *text;
	size_t n_text;
};

extern const struct completion_script completion_scripts[];

#endif
