/* SPDX-License-Identifier: MIT */
/*
 * Stacks in a recording. Two kinds of events show how much of a thread's stack is free: those with a field
 * that is an address in it, and levels that count the free bytes. The table of stacks, the finding about
 * stacks nearly full and the rule stack_free() all ask here, so that they have one answer.
 */
#ifndef ANALYSIS_STACK_H
#define ANALYSIS_STACK_H

#include <rastrum/rastrum.h>

struct stack_place {
	uint64_t begin, size; /* size 0: not known */
};

/* The stack of a thread. thread is its object in the recording, or NULL if it is not known. */
struct stack_place stack_place_of(const struct rst_object *thread);

/*
 * The bytes that are free below an address. An address a little below the stack has overflowed it: 0 bytes
 * are free. Returns false if the address is elsewhere, or if the place is not known.
 */
bool stack_free_at(const struct stack_place *place, uint64_t address, uint64_t *ret_n_free);

/* The bytes that are free by a level of a thread. Returns false if the effect is about something else. */
bool stack_free_of(const struct rst_effect_facts *facts, uint64_t *ret_n_free);

/* Which fields of layouts are addresses in a stack, looked up once for each layout. Begins with zeros. */
struct stack_fields {
	int16_t *numbers; /* by the layout's index: of the field, + 1; -1: no such field; 0: not looked up */
	size_t room;
};

enum stack_look { STACK_LOOK_NOTHING, STACK_LOOK_ADDRESS, STACK_LOOK_NO_MEMORY };

/* Looks whether an event of a thread has an address in a stack; few layouts have one. */
enum stack_look stack_fields_look(
	struct stack_fields *fields, const struct rst_batch *batch, size_t row, uint64_t *ret_address);
void stack_fields_done(struct stack_fields *fields);

#endif
