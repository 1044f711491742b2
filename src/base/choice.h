/* SPDX-License-Identifier: MIT */
/* A word of the user that must be a name of a list. */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H

#include <stddef.h>

#include <rastrum/error.h>

/* What may be chosen. */
struct choice {
	const char *kind;	       /* what its items are: "format" */
	const char *(*name)(size_t i); /* of the i-th item; NULL behind the last one */
	const char *see;	       /* what to try where no name is near; NULL if all names are shown */
};

/*
 * The number of the item of this name. Returns RST_E_USAGE if there is none, and err has the names that were
 * probably meant.
 */
enum rst_status choice_find(
	const struct choice *choice, const char *word, size_t *ret_index, struct rst_error *err);

#endif
