/* SPDX-License-Identifier: MIT */
/*
 * The effects of a layout, prepared for its events. Each field that an effect needs is a number, which is loaded once for an event;
 * conditions and steps point to it. What all events share is in the facts from the beginning.
 *
 *	numbers     I1, I2, I4, self        loaded from the payload
 *	effects[0]  facts   conditions: I4 is 0      steps: thread is I1, limit is I2
 *	effects[1]  facts   …
 */
#ifndef MODEL_EFFECT_PLAN_H
#define MODEL_EFFECT_PLAN_H

#include <rastrum/effect.h>

#include "base/arena.h"

/* How a number comes from an event. */
enum load {
	LOAD_U32, /* the word of nearly every target */
	LOAD_U32_SWAPPED,
	LOAD_UINT,  /* a number of 1 to 8 bytes without a sign */
	LOAD_FIELD, /* any other one */
	LOAD_SELF,  /* the id of the event's context */
};

struct plan_number {
	uint64_t value; /* of the present event */
	bool is_there;	/* its payload is long enough */
	enum load load;
	uint32_t offset, end;
	const struct rst_field *field; /* NULL: self */
};

/* A number and what is added to it. */
struct plan_use {
	const struct plan_number *number;
	uint64_t add;
};

/* What is asked of a number. */
enum plan_test {
	PLAN_MASKED, /* number & mask is value, or (where !is_wanted) is not */
	PLAN_BELOW,  /* it is below value, or is not */
	PLAN_IS_SELF,
	PLAN_IS_OTHER,
};

struct plan_condition {
	struct plan_use use;
	enum plan_test test;
	bool is_wanted;
	bool zero_is_thread; /* 0 names a thread like others */
	uint64_t mask, value;
	struct plan_use with;	 /* where it has a number, mask and value come of it: */
	bool is_of_bits, is_all; /* mask: it, or all bits. value: it, or 0 */
};

/* What a step does. Threads are counted as they are met, so their order matters. */
enum plan_act {
	PLAN_THREAD,
	PLAN_SELF, /* the thread is the event's context */
	PLAN_OBJECT,
	PLAN_OTHER,
	PLAN_CODE,
	PLAN_OTHER_THREAD,
	PLAN_OBJECT_THREAD, /* the thread is the object, where that is one */
	PLAN_REAL,	    /* the value, as a double */
	PLAN_NUMBER,	    /* value, amount, limit, capacity, key */
};

struct plan_step {
	struct plan_use use;
	enum plan_act act;
	bool zero_is_none; /* 0 names no thread or object */
	bool is_strict;	   /* the kind is the field's: objects of other kinds are not meant */
	enum rst_object_kind kind;
	uint16_t at,
		has_at; /* of a number: where its fact is in struct rst_effect_facts, and what shows that it is there */
};

enum { PLAN_STEPS_MAX = 11, PLAN_NUMBERS_MAX = 2 * RST_CONDITIONS_MAX + PLAN_STEPS_MAX };

struct effect_plan {
	struct rst_effect_facts facts; /* of the last event that it was read for */
	unsigned n_conditions, n_steps;
	struct plan_condition conditions[RST_CONDITIONS_MAX];
	struct plan_step steps[PLAN_STEPS_MAX]; /* plans that are kept end with the last step in use */
};

struct layout_plan {
	unsigned n_numbers, n_effects;
	struct plan_number *numbers;
	struct effect_plan *const *effects;
	const struct rst_effect_facts **held; /* room for those that hold for an event */
};

/* One effect of the layout, whatever it is. Numbers that are not there yet are added: there must be room for PLAN_NUMBERS_MAX. */
void effect_plan_make(struct effect_plan *ret, const struct rst_effect *effect,
	const struct rst_layout *layout, struct plan_number *numbers, unsigned *n_numbers);

/* All effects of a layout. NULL when memory ran out. */
struct layout_plan *layout_plan_make(struct arena *arena, const struct rst_layout *layout);

#endif
