/* SPDX-License-Identifier: MIT */
/* Finds a word of the user in a list of names. */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H

#include <stddef.h>

#include <rastrum/error.h>

/* A list of names from which the user chooses. */
struct choice {
	const char *kind;	       /* the word for its items: "format" */
	const char *(*name)(size_t i); /* of the i-th item; NULL after the last one */
	const char *see;	       /* advice if no name is near; NULL to show all names instead */
};

/*
 * Finds the number of the item with this name. Returns RST_E_USAGE if no item has it; err then has the names
 * that were probably meant.
 */
enum rst_status choice_find(
	const struct choice *choice, const char *word, size_t *ret_index, struct rst_error *err);

#endif
