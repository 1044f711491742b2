/* SPDX-License-Identifier: MIT */
/*
 * An effect prepared for the events of a layout: the facts that all of them share are filled in once, and what differs from
 * event to event is a list of steps, each bound to a load of the payload. To read an effect is to run its steps.
 */
#ifndef MODEL_EFFECT_PLAN_H
#define MODEL_EFFECT_PLAN_H

#include <rastrum/effect.h>

#include "base/arena.h"

/* How a number comes from an event. */
enum load {
	LOAD_NONE, /* there is no such number */
	LOAD_U32,  /* the word of nearly every target … */
	LOAD_U32_SWAPPED,
	LOAD_UINT,  /* a number of 1 to 8 bytes without a sign */
	LOAD_FIELD, /* any other one */
	LOAD_SELF,  /* the id of the event's context */
	LOAD_CONSTANT,
};

struct plan_number {
	enum load load;
	uint32_t offset, end; /* in the payload, which must have the bytes to the end */
	uint64_t add;
	const struct rst_field *field; /* NULL: it is from no field */
};

/* What is asked of a number. */
enum plan_test {
	PLAN_MASKED, /* number & mask is value, or (where !is_wanted) is not */
	PLAN_BELOW,  /* it is below value, or is not */
	PLAN_IS_SELF,
	PLAN_IS_OTHER,
};

struct plan_condition {
	struct plan_number number;
	enum plan_test test;
	bool is_wanted;
	bool zero_is_thread; /* 0 names a thread like others */
	uint64_t mask, value;
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
	struct plan_number number;
	enum plan_act act;
	bool zero_is_none; /* 0 names no thread or object */
	bool is_strict;	   /* the kind is the field's: objects of other kinds are not meant */
	enum rst_object_kind kind;
	uint16_t at,
		has_at; /* of a number: where its fact is in struct rst_effect_facts, and what shows that it is there */
};

enum { PLAN_STEPS_MAX = 11 };

struct effect_plan {
	struct rst_effect_facts facts; /* of the last event that it was read for */
	unsigned n_conditions, n_steps;
	struct plan_condition conditions[RST_CONDITIONS_MAX];
	struct plan_step steps[PLAN_STEPS_MAX]; /* plans that are kept end with the last step in use */
};

/* All effects of a layout. */
struct layout_plan {
	const struct rst_effect_facts **held; /* room for those that hold for an event */
	struct effect_plan *effects[];
};

/* Of any effect whose operands name fields of the layout. Both are borrowed. */
void effect_plan_make(
	struct effect_plan *ret, const struct rst_effect *effect, const struct rst_layout *layout);

/* NULL when memory ran out. */
struct layout_plan *layout_plan_make(struct arena *arena, const struct rst_layout *layout);

#endif
