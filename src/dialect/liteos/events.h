/* SPDX-License-Identifier: MIT */
/* Rows of the table of events (events.def), for what looks them up and what binds types to them. */
#ifndef LITEOS_EVENTS_H
#define LITEOS_EVENTS_H

#include "dialect/liteos/liteos.h"

enum { LITEOS_WORDS_MAX = 7 }; /* the identity and six params */

/* Which constants a field has: those of a task's status are the kernel's. */
enum liteos_list { LIST_NONE, LIST_STATE, LIST_QUEUE_WAY, LIST_TIMEOUT };

struct event_field {
	const char *name; /* NULL if there are no more */
	enum rst_field_type type;
	enum rst_object_kind kind;
	enum liteos_list list;
};

/* Whose row it is, of several with one number. */
enum event_case { CASE_ALL, CASE_ONLY_A, CASE_ON_A, CASE_HUAWEI };

struct event {
	uint32_t type;
	enum event_case only;
	const char *constant;
	const char *label;
	struct event_field fields[LITEOS_WORDS_MAX]; /* none: as many as there are params */
	const struct rst_effect *effects;	     /* arguments are words by number, the identity is 1 */
};

/* All rows, in the order of numbers. */
const struct event *liteos_events(size_t *ret_n_rows);

/* The row of a number; NULL if this kernel has no event of it. */
const struct event *liteos_event_find(uint32_t type, enum liteos_variant variant);

static inline bool liteos_event_varies(const struct event *event)
{
	return !event || !event->fields[0].name;
}

/* "USER_0" to "USER_F", NULL: the number is none of a user event. */
const char *liteos_user_name(uint32_t type);

/* Of some kinds of objects the ids are addresses, of others numbers; mutexes have addresses in liteos_a only. */
bool liteos_is_address(const struct event_field *field, enum liteos_variant variant);

const struct rst_constants *liteos_constants(enum liteos_list list, const struct rst_constants *states);

#endif
