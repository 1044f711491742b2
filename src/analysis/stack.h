/* SPDX-License-Identifier: MIT */
/*
 * Stacks in a recording: the place of a thread's stack, and the field of an event that is an address in it.
 */
#ifndef ANALYSIS_STACK_H
#define ANALYSIS_STACK_H

#include <rastrum/rastrum.h>

struct stack_place {
	uint64_t begin, size; /* size 0: not known */
};

/* The stack of a thread. thread is its object in the recording, or NULL if it is not known. */
struct stack_place stack_place_of(const struct rst_object *thread);

/* The number of the field with an address in the stack, + 1; below 0 without such a field. */
int16_t stack_field_of(const struct rst_layout *layout);

#endif
