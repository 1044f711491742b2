/* SPDX-License-Identifier: MIT */
/*
 * Which events a report shows. A filter_spec is what the user wrote; a selection is that specification bound
 * to one trace. Decisions about a layout or a context are made once and kept.
 */
#ifndef SELECT_SELECT_H
#define SELECT_SELECT_H

#include <rastrum/rastrum.h>

#include "base/map.h"
#include "model/hook.h"

/*
 * Lists hold what was given, in any number; an event must match one member of every list that is not empty.
 */
struct select_list {
	const char **items;
	size_t n_items;
};

struct filter_spec {
	const char *from, *to;	      /* moments, or NULL */
	struct select_list types;     /* constant names with * and ?, service names, or numbers; all with ! */
	struct select_list processes; /* numbers, or names of programs and threads with * and ? */
	struct select_list threads;   /* numbers of threads alone */
	struct select_list contexts;  /* names with * and ?, kinds (isr, init, …), or ids; all with ! */
	struct select_list
		objects; /* names with * and ?, or ids in hexadecimal: some field means that object */
	struct select_list cores;	    /* numbers */
	const int64_t *from_wall, *to_wall; /* moments of the time of day, ns since 1970; or NULL */
	const uint64_t *seqs;		    /* only these events, by number from 0 on, smallest first */
	size_t n_seqs;			    /* 0 if events of all numbers are taken */
	/*
	 * The hook that events of a layout are shown as, whose id is their number then; or NULL. As
	 * report_input has it.
	 */
	const struct hook *(*hook)(struct rst_trace *trace, const struct rst_layout *layout);
};

struct select {
	const struct filter_spec *spec;
	struct rst_trace *trace;
	bool takes_all;
	uint64_t n_events; /* that were looked at: the number of the next one */
	uint64_t from, to;
	struct rst_clock clock; /* for the time of day */
	uint64_t cores[(UINT16_MAX + 1) / 64];
	uint8_t *layouts, *contexts; /* by index: 0 not decided, 1 yes, 2 no */
	size_t layouts_room, contexts_room;
	uint64_t *ids; /* words for objects that are numbers */
	size_t n_ids;
	struct map objects; /* address of a struct rst_object to select_taken or select_left */
};

/* RST_E_USAGE for a moment or core that cannot be read; only after RST_OK is select_done() due. */
enum rst_status select_init(struct select *select, const struct filter_spec *spec, struct rst_trace *trace,
	struct rst_error *err);
void select_done(struct select *select);

/*
 * A member of the list means it; one that begins with ! leaves it out, and a list of such alone takes
 * everything else.
 */
bool select_takes_layout(const struct select_list *list, const struct rst_layout *layout);
bool select_takes_context(const struct select_list *list, const struct rst_context *context);
bool select_takes_name(const struct select_list *list, const char *name);

/* Whether the list means this thing: by name, by kind or by id, as it means contexts. */
bool select_takes_entity(const struct select_list *list, const struct rst_entity *entity);

/* Whether the interval reaches into the selected time, and is about a selected core, context and object. */
bool select_takes_interval(const struct select *select, const struct rst_interval *interval);

/* The same for an interval of which only the beginning is known. */
bool select_takes_beginning(const struct select *select, const struct rst_beginning *beginning);

/* Writes the numbers of the rows taken to rows (room for RST_BATCH_EVENTS); returns how many. */
size_t select_rows(struct select *select, const struct rst_batch *batch, uint16_t *rows);

#endif
