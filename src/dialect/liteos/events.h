/* SPDX-License-Identifier: MIT */
/* Rows of the table of events (events.def), for lookups and for binding types. */
#ifndef LITEOS_EVENTS_H
#define LITEOS_EVENTS_H

#include "dialect/liteos/liteos.h"

enum { LITEOS_WORDS_MAX = 7 }; /* the identity and six params */

/* The constants of a field. Those of a task's status depend on the kernel. */
enum liteos_list { LIST_NONE, LIST_STATE, LIST_QUEUE_WAY, LIST_TIMEOUT };

struct event_field {
	const char *name; /* NULL if there are no more */
	enum rst_field_type type;
	enum rst_object_kind kind;
	enum liteos_list list;
};

/* The kernels that a row is for, if several rows have one number. */
enum event_case { CASE_ALL, CASE_ONLY_A, CASE_ON_A, CASE_HUAWEI };

struct event {
	uint32_t type;
	enum event_case only;
	const char *constant;
	const char *label;
	struct event_field fields[LITEOS_WORDS_MAX]; /* if empty: as many as there are params */
	const struct rst_effect *effects;	     /* arguments are words by number, the identity is 1 */
};

/* All rows, in the order of numbers. */
const struct event *liteos_events(size_t *ret_n_rows);

/* Returns the row of a number, or NULL if this kernel has no event with that number. */
const struct event *liteos_event_find(uint32_t type, enum liteos_variant variant);

static inline bool liteos_event_varies(const struct event *event)
{
	return !event || !event->fields[0].name;
}

/* Returns "USER_0" to "USER_F", or NULL if the number is not that of a user event. */
const char *liteos_user_name(uint32_t type);

/*
 * Whether ids of the field's kind of object are addresses, and not numbers. For mutexes that is so only in
 * liteos_a.
 */
bool liteos_is_address(const struct event_field *field, enum liteos_variant variant);

const struct rst_constants *liteos_constants(enum liteos_list list, const struct rst_constants *states);

#endif
