/* SPDX-License-Identifier: MIT */
/*
 * The effects of a layout, prepared for its events. Each field that an effect needs is a number, which is
 * loaded once for an event; conditions and steps point to it. The facts that all events share are set
 * beforehand.
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
	LOAD_U32, /* nearly every target has such words */
	LOAD_U32_SWAPPED,
	LOAD_UINT,  /* an unsigned number of 1 to 8 bytes */
	LOAD_FIELD, /* any other number */
	LOAD_SELF,  /* the id of the event's context */
};

struct plan_number {
	uint64_t value; /* of the present event */
	bool is_there;	/* the payload is long enough */
	enum load load;
	uint32_t offset, end;
	const struct rst_field *field; /* NULL: self */
};

/* A number, and the addend for it. */
struct plan_use {
	const struct plan_number *number;
	uint64_t add;
};

/* The tests of a number. */
enum plan_test {
	PLAN_MASKED, /* number & mask is value, or (where !is_wanted) is not */
	PLAN_BELOW,  /* number is below value, or (where !is_wanted) is not */
	PLAN_IS_SELF,
	PLAN_IS_OTHER,
};

struct plan_condition {
	struct plan_use use;
	enum plan_test test;
	bool is_wanted;
	bool zero_is_thread; /* 0 names a thread, as other ids do */
	uint64_t mask, value;
	struct plan_use with;	 /* if it has a number, mask and value come from that number: */
	bool is_of_bits, is_all; /* mask: the number, or all bits. value: the number, or 0 */
};

/* The action of a step. Threads get their numbers when they first appear, so the order of steps matters. */
enum plan_act {
	PLAN_THREAD,
	PLAN_SELF, /* the thread is the event's context */
	PLAN_OBJECT,
	PLAN_OTHER,
	PLAN_CODE,
	PLAN_OTHER_THREAD,
	PLAN_OBJECT_THREAD, /* the thread is the object, if the object is a thread */
	PLAN_REAL,	    /* the value, as a double */
	PLAN_NUMBER,	    /* value, amount, limit, capacity, key */
};

struct plan_step {
	struct plan_use use;
	enum plan_act act;
	bool zero_is_none; /* 0 names no thread or object */
	bool is_strict;	   /* the kind comes from the field: objects of other kinds do not match */
	enum rst_object_kind kind;
	/* For PLAN_NUMBER: the offsets of its fact and of the has_… flag in struct rst_effect_facts. */
	uint16_t at, has_at;
};

enum { PLAN_STEPS_MAX = 11, PLAN_NUMBERS_MAX = 2 * RST_CONDITIONS_MAX + PLAN_STEPS_MAX };

struct effect_plan {
	struct rst_effect_facts facts; /* of the last event for which it was read */
	unsigned n_conditions, n_steps;
	struct plan_condition conditions[RST_CONDITIONS_MAX];
	struct plan_step steps[PLAN_STEPS_MAX]; /* a stored plan ends with its last used step */
};

struct layout_plan {
	unsigned n_numbers, n_effects;
	struct plan_number *numbers;
	struct effect_plan *const *effects;
	const struct rst_effect_facts **held; /* room for the effects that hold for an event */
};

/*
 * Plans one effect for the layout. Adds its numbers unless they exist: there must be room for
 * PLAN_NUMBERS_MAX more.
 */
void effect_plan_make(struct effect_plan *ret, const struct rst_effect *effect,
	const struct rst_layout *layout, struct plan_number *numbers, unsigned *n_numbers);

/* Plans all effects of a layout. Returns NULL if memory ran out. */
struct layout_plan *layout_plan_make(struct arena *arena, const struct rst_layout *layout);

#endif
