/* SPDX-License-Identifier: MIT */
/* What recordings show of stacks: where a thread's lies, and which field of an event is an address in it. */
#ifndef ANALYSIS_STACK_H
#define ANALYSIS_STACK_H

#include <rastrum/rastrum.h>

struct stack_place {
	uint64_t begin, size; /* size 0: not known */
};

/* Of a thread as an object of the recording; NULL if none is known. */
struct stack_place stack_place_of(const struct rst_object *thread);

/* The field with an address in the stack, by its number + 1; below 0: none. */
int16_t stack_field_of(const struct rst_layout *layout);

#endif
