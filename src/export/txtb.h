/* SPDX-License-Identifier: MIT */
/*
 * TXTB, the event trace buffer of ThreadX, which TraceX opens: a header, a registry of objects, a ring of
 * events. ThreadX's own events keep their ids and words. The effects of any other event decide which events
 * of ThreadX stand for it. If no event of ThreadX corresponds, it becomes a user event with the first four of
 * its numbers. A loss becomes one slot without an event for each lost event.
 *
 *	format_txtb.c    rows; what has no place
 *	txtb_entries.c   entries of the ring, contexts
 *	txtb_effects.c   from effects to events of ThreadX
 *	txtb_things.c    addresses of threads and objects
 *	txtb_write.c     header, registry and ring, when all is known
 */
#ifndef EXPORT_TXTB_H
#define EXPORT_TXTB_H

#include "analysis/subjects.h"
#include "export/spool.h"
#include "model/model.h"

enum {
	TXTB_WORDS = 7,		/* of an entry without its stamp: thread, priority, id, information */
	TXTB_CORES = 256,	/* the id word has eight bits for it */
	TXTB_USER_FIRST = 4096, /* ids of user events … */
	TXTB_USER_END = 65536,
	TXTB_EMPTY_MAX = 4096, /* slots for one loss */
	TXTB_NAME_BYTES = 32,  /* with a NUL, as TraceX expects */
	TXTB_NESTING = 32,
	TXTB_ENTRIES_MAX = 60000000, /* the block is smaller than half of 32 bits of addresses */
};

#define TXTB_INIT     0xf0f0f0f0U
#define TXTB_ISR      0xffffffffU
#define TXTB_FOR_EVER 0xffffffffU

/* tx_trace.h: the events of the kernel that are made of effects. */
enum txtb_id {
	TXTB_RESUME = 1,
	TXTB_SUSPEND = 2,
	TXTB_ISR_ENTER = 3,
	TXTB_ISR_EXIT = 4,
	TXTB_TIME_SLICE = 5,
	TXTB_RUNNING = 6,
	TXTB_MUTEX_GET = 52,
	TXTB_MUTEX_PUT = 57,
	TXTB_QUEUE_RECEIVE = 68,
	TXTB_QUEUE_SEND = 69,
	TXTB_SEMAPHORE_GET = 83,
	TXTB_SEMAPHORE_PUT = 88,
	TXTB_THREAD_CREATE = 100,
	TXTB_THREAD_DELETE = 101,
	TXTB_PRIORITY_CHANGE = 108,
};

/* An entry of the ring; words[0] is 0 in a slot without an event. */
struct txtb_entry {
	uint64_t ticks;
	uint64_t words[TXTB_WORDS];
};

enum { TXTB_WORD_NEXT = 6 }; /* of a suspend: which thread runs next */

/* A thread or object that is not ThreadX's. */
struct txtb_thing {
	struct subject subject;
	uint32_t address;
	uint8_t type;	   /* of the registry; 0 without one */
	uint8_t waits_for; /* thread: its state while it waits, from its last request */
};

/* The events of a layout. */
struct txtb_layout {
	bool is_known, is_native;
	uint16_t id;
	uint64_t n_partial;	     /* events with more numbers than there is room for */
	const struct rst_type *type; /* of user events; NULL before the first one */
};

struct txtb_core {
	enum { TXTB_ANYTHING, TXTB_IDLE, TXTB_THREAD } runs;
	uint32_t thread;
	uint32_t unknown;   /* the thread that stands for an unknown one; 0 before its first use */
	bool has_suspended; /* the thread, by this entry, which does not have the next one yet */
	uint64_t suspend;
	unsigned depth;
	uint64_t irqs[TXTB_NESTING];
};

struct txtb {
	struct export *export;
	struct subjects things;
	struct map addresses; /* those that are taken */
	uint32_t next_address;
	struct spool entries;
	struct txtb_layout *layouts;
	size_t layouts_room;
	bool has_vocabulary;
	struct model vocabulary; /* the events of ThreadX */
	struct txtb_core cores[TXTB_CORES];
	uint32_t next_user;
	bool has_native, has_first;
	uint64_t lowest, last,
		longest; /* ticks: the lowest, the last, the longest time between two entries */
	uint64_t n_left_out, n_empty_left_out, n_names_cut;
	uint64_t divider;
	bool is_full; /* no id is left for a type, or no room for an entry */
};

/* A row whose events are made of its effects. */
struct txtb_row {
	struct export *export;
	const struct rst_batch *batch;
	size_t row;
	uint64_t at;
	uint16_t number;
	struct txtb_core *core;
	const struct rst_effect_facts *const *facts;
	size_t n_facts;
	uint64_t thread, priority; /* words of its context */
	bool has_event;
};

/* txtb_things.c. If memory ran out, txtb_thing_of() returns NULL and txtb_unknown() returns 0. */
struct txtb_thing *txtb_thing_of(struct export *export, const struct rst_entity *entity, unsigned type);
uint32_t txtb_unknown(struct export *export, uint16_t core);
unsigned txtb_type_of(enum rst_object_kind kind); /* 0 if the registry has no such objects */

/* txtb_entries.c. Returns false if memory ran out. */
bool txtb_put(struct export *export, uint16_t core, uint64_t ticks, uint64_t thread, uint64_t priority,
	uint32_t id, const uint64_t info[4]);
bool txtb_put_empty(struct export *export, uint64_t n_events);
bool txtb_row_begin(struct txtb_row *row);
bool txtb_native(struct export *export, const struct rst_batch *batch, size_t row, uint16_t id);
bool txtb_user(struct txtb_row *row, struct txtb_layout *layout);

/*
 * txtb_effects.c. Sets has_event of the row if some effect has become an event. Returns false if memory ran
 * out.
 */
bool txtb_effects(struct txtb_row *row);

/* txtb_write.c */
enum rst_status txtb_write(struct export *export, struct rst_error *err);

#endif
