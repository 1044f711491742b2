/* SPDX-License-Identifier: MIT */
/*
 * The map of event names and identifiers of a process and its descendants, in memory that they share. It only
 * grows. A name is added by claiming the next entry with compare-and-swap, and is visible when complete; a
 * process that dies in between costs one entry. Only names_copy() and names_limit() are async-signal-safe.
 */
#ifndef PROCESS_NAMES_H
#define PROCESS_NAMES_H

#include "log/format.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <trace.h>

#define NAMES_FIRST_USER (POSIX_TRACE_UNNAMED_USEREVENT + 1) /* the first identifier that a name gets */
#define NAMES_END	 (64 + TRACE_USER_EVENT_MAX)	     /* identifiers are smaller */

/* The head of the map, which trace points load; the entries behind it belong to names.c. */
struct names {
	uint32_t magic;
	uint32_t bytes; /* of the whole map: another size is that of another version */
	_Atomic uint32_t limit, version;
	_Atomic uint32_t n_refused; /* names and descriptions for which there was no room */
};

/* The bytes of a whole map. */
size_t names_bytes(void);
/* A descriptor of memory for a map, which no process can truncate; close-on-exec; -1. */
int names_memory(void);

/*
 * Makes an empty map, which knows the predefined names, in names_bytes() zero bytes of a descriptor's memory,
 * which may be sparse; -1: in memory shared only with children. NULL: no memory. The descriptor stays the
 * caller's.
 */
struct names *names_create(int fd);
/* Maps the map of another process. Returns NULL if the descriptor is not of a map. */
struct names *names_map(int fd);
/* A map for a child that is not traced with its parent: the same names, no longer shared with the parent. */
struct names *names_copy(const struct names *names, int fd);
/* Copies a map into one that has no name yet; false if it has names, or there is no room. */
bool names_carry(struct names *to, const struct names *from);
void names_unmap(struct names *names);

/* The name of a predefined type; NULL for others. */
const char *names_predefined(trace_event_id_t id);

/*
 * Context switches are system types of the streams that have them, and of no others: a program may have
 * events of its own with these names. The names are in switches.c.
 */
#define NAMES_FIRST_SWITCH POSIX_TRACE_SCHED_IN_NP
#define NAMES_END_SWITCH   (POSIX_TRACE_PAGE_FAULT_NP + 1)
const char *names_switch(trace_event_id_t id); /* NULL for other types */
/* How many fields the data of such an event has: 0 or 1. */
uint32_t names_switch_fields(trace_event_id_t id, struct log_field *ret_field);
/* The type of a switch with this name. Returns 0 if there is no such type. */
trace_event_id_t names_find_switch(const char *name);

/*
 * 0; ENAMETOOLONG. Gives the unnamed user event, and counts it, when the map is full, or is sparse and there
 * is no room for more pages. A predefined name gives its predefined type.
 */
int names_open(struct names *names, const char *name, trace_event_id_t *ret_id);
/* Copies the name (TRACE_EVENT_NAME_MAX + 1 bytes). Returns false if id has no name. Works for predefined
 * types, too. */
bool names_get(const struct names *names, trace_event_id_t id, char *ret_name);
/* The identifier after `after`, or the first one if `after` is 0. Returns 0 after the last. Predefined types
 * come first. */
trace_event_id_t names_next(const struct names *names, trace_event_id_t after);
/*
 * 0; EINVAL, EEXIST (described with other fields), ENOMEM (no room). Only types with names of their own can
 * be described.
 */
int names_describe(
	struct names *names, trace_event_id_t id, const struct posix_trace_field_np *fields, size_t n_fields);
/* The number of known fields, and the fields, LOG_FIELDS_MAX at most. */
uint32_t names_fields(const struct names *names, trace_event_id_t id, struct log_field *ret_fields);

/*
 * One more than the largest identifier in use. Relaxed: posix_trace_event() only compares; names are read
 * with acquire.
 */
static inline trace_event_id_t names_limit(const struct names *names)
{
	uint32_t limit = atomic_load_explicit(&names->limit, memory_order_relaxed);

	return limit < NAMES_END ? limit : NAMES_END;
}

/* Names and descriptions that the map could not take. */
static inline uint32_t names_refused(const struct names *names)
{
	return atomic_load_explicit(&names->n_refused, memory_order_relaxed);
}

/*
 * Changes when a name or a description is added; the consumer compares it. The acquire pairs with
 * names_count_change().
 */
static inline uint32_t names_version(const struct names *names)
{
	return atomic_load_explicit(&names->version, memory_order_acquire);
}

#endif
