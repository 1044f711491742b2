/* SPDX-License-Identifier: MIT */
/*
 * Makes random templates that mostly parse, and random event types to bind them to. Each choice is one byte
 * of the input, so that a small change of the input is a small change of the template.
 */
#ifndef FUZZ_TEMPLATE_MAKER_H
#define FUZZ_TEMPLATE_MAKER_H

#include <rastrum/type.h>

enum {
	MAKER_TEXT_MAX = 1 << 16,
	MAKER_FIELDS_MAX = 8,
};

struct maker {
	const uint8_t *at,
		/*
		 * bytes that choices are made of; behind the end all are 0. Effects take theirs from the end
		 */
		*end;
	bool is_aix;
	unsigned n_levels;
	char text[MAKER_TEXT_MAX];
	size_t n_text;
	struct rst_type type;
	struct rst_layout layout;
	struct rst_field fields[MAKER_FIELDS_MAX];
};

/* A choice: less than n. */
unsigned maker_pick(struct maker *maker, unsigned n);

/* maker->layout, with fields of all types anywhere. */
void maker_make_type(struct maker *maker);

/* maker->text: the stanza of 010, or of EVENT, and some that it may call. */
void maker_make_file(struct maker *maker);

#endif
