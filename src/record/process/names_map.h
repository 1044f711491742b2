/* SPDX-License-Identifier: MIT */
/* The map of names in shared memory; for names*.c and their test only. */
#ifndef PROCESS_NAMES_MAP_H
#define PROCESS_NAMES_MAP_H

#include "record/process/names.h"

#define NAMES_MAGIC   0x454d414eu
#define NAMES_ENTRIES (NAMES_END - NAMES_FIRST_USER)
#define NAMES_TRIES   1000 /* of a compare-and-swap, before another process must be hostile */

/* The arena counts words of 8 bytes; offset 0 means none. */
#define DESCRIPTION_WORDS(n_fields) (1 + (n_fields) * sizeof(struct log_field) / 8)
#define ARENA_WORDS		    (1 + NAMES_ENTRIES * DESCRIPTION_WORDS(LOG_FIELDS_MAX))

enum entry_state {
	ENTRY_EMPTY = 0,
	ENTRY_CLAIMED = 1,
	ENTRY_READY = 2,
	ENTRY_DEAD = 3,
};
#define ENTRY_STATES  3u /* the bits of the state */
#define ENTRY_CLAIMER 2	 /* bits below the claimer's thread */

struct names_entry {
	_Atomic uint32_t state;
	_Atomic uint32_t description; /* offset in the arena */
	char name[64];
};

struct names_description {
	_Atomic uint32_t n_fields;
	uint32_t reserved;
	struct log_field fields[];
};

struct names_map {
	struct names head;
	_Atomic uint32_t arena_used;
	struct names_entry entries[NAMES_ENTRIES];
	uint64_t arena[ARENA_WORDS];
};

_Static_assert(TRACE_EVENT_NAME_MAX < sizeof(((struct names_entry *)0)->name), "every name fits its entry");
_Static_assert(sizeof(struct log_field) % 8 == 0, "descriptions are whole words");

/* Types that every map has from the start. */
struct names_predefined {
	trace_event_id_t id;
	const char *name;
	uint32_t n_fields;
	struct log_field fields[2];
};
/* Returns NULL if the identifier is not a predefined one. */
const struct names_predefined *names_find_predefined(trace_event_id_t id);
/* Returns NULL if the identifier has no name of its own. */
const struct names_entry *names_find_entry(const struct names *names, trace_event_id_t id);
void names_count_change(struct names *names);
/* Counts a name or description that found no room. */
void names_refuse(struct names *names);

/* The head is the map's first member. */
static inline struct names_map *names_whole(struct names *names)
{
	return (struct names_map *)(void *)names;
}

static inline const struct names_map *names_whole_const(const struct names *names)
{
	return (const struct names_map *)(const void *)names;
}

#endif
