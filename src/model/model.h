/* SPDX-License-Identifier: MIT */
/*
 * Everything that is known of one trace besides its events, in one vocabulary for all dialects. A dialect
 * fills the model while it reads; consumers see it through <rastrum/trace.h>.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <rastrum/effect.h>
#include <rastrum/state.h>
#include <rastrum/trace.h>

#include "base/error.h"
#include "model/batch.h"
#include "model/clock.h"
#include "model/contexts.h"
#include "model/objects.h"

enum { MODEL_GAPS_MAX = 1000, MODEL_WARNINGS_MAX = 50, MODEL_PAIRS_MAX = LIMIT(65536, 16) };

/* The most bytes of types, objects, contexts and names together. Reading stops if a trace has more. */
#define MODEL_BYTES_MAX ((size_t)LIMIT(256, 64) << 20)

/* A type, and the next one whose name has the same key. */
struct model_type {
	struct rst_type public;
	struct model_type *next;
};

/* A layout, and its effects from the dialect. */
struct model_layout {
	struct rst_layout public;
	const struct rst_effect *own_effects;
	unsigned n_own_effects;
};

struct model {
	struct arena arena;
	struct objects objects;
	struct contexts contexts;
	struct origins origins; /* of a merged trace */

	struct rst_type **types; /* by index */
	size_t n_types, types_room;
	struct map type_names;	     /* map_text_key() of a name to struct model_type */
	struct rst_layout **layouts; /* by index */
	size_t n_layouts, layouts_room;
	struct layout_plan **plans; /* by index of a layout: the plans of its effects, for effect_read() */
	size_t plans_room;
	rst_effects_fn *give_effects; /* gives effects, for example of templates, to new layouts; or NULL */
	void *effects_context;
	/* A dialect sets these: the layouts of events whose own type is not kept, whole and cut ones. */
	const struct rst_layout *other[2];
	size_t n_type_bytes; /* bytes of the descriptions of types, if a dialect counts them */
	const struct rst_layout *loss, *damage; /* the two markers … */
	/* … and the marker of a new run, which is not among the layouts, but counts as a loss in them … */
	struct rst_layout run;
	struct rst_type run_type;
	const struct rst_context *unknown; /* … and the context of their rows */

	/* A container sets this: the original dialect of the trace; NULL if it is the one that reads it. */
	const char *recorded_as;
	const char *target; /* a dialect sets this: the name of the device or host, or NULL */

	uint64_t clock_hz;
	uint64_t rate_ticks, rate_ns; /* the measured rate without rounding; 0 if it was not measured */
	struct rst_clock_pair *pairs; /* the first MODEL_PAIRS_MAX */
	size_t n_pairs, pairs_room;
	unsigned clock_bits;
	bool clock_is_down;
	/*
	 * Set by the first layout that switches or schedules, or earlier by a dialect that can find it out.
	 */
	bool has_switches;
	bool has_first_ticks;
	uint64_t first_ticks;
	/* A marker at the front of a batch takes these numbers of the last row before it. */
	uint64_t last_ticks, last_seq;
	uint64_t greatest_ticks; /* of the rows of earlier batches */
	uint64_t n_runs;	 /* new runs so far: 0 in the first one */

	bool is_part; /* a container sets this: the trace is a part of a recording, and carries intervals */
	struct rst_carried carried;

	struct rst_detail *details;
	size_t n_details, details_room;
	bool has_noted_objects, has_noted_contexts,
		has_noted_threads; /* it has warned that not all are kept */
	const char **warnings;
	size_t n_warnings, warnings_room;
	struct rst_gap *gaps; /* the first MODEL_GAPS_MAX */
	size_t n_gaps, gaps_room;
	uint64_t n_gaps_all;
	uint64_t n_damages;
};

/* Returns false if memory ran out; the caller must call model_done() even then. */
bool model_init(struct model *model);
void model_done(struct model *model);

/*
 * Declares that ids of objects of these kinds (bit k: kind k), and of threads' contexts, are numbers and not
 * addresses.
 */
void model_count_ids(struct model *model, uint64_t kinds);

/*
 * Adds a layout for the type of this name. If there is no such type yet, makes it; an existing type stays as
 * it is. The function fills in index and name_bytes of the type, and type, index and id of the layout; its id
 * is the id of the argument `type`. Fields, effects and names are borrowed: static or from the model's arena.
 * Returns NULL if memory ran out.
 */
const struct rst_layout *model_add_layout(
	struct model *model, const struct rst_type *type, const struct rst_layout *layout);

/* The layout as it was added, without effects that it got later. */
struct rst_layout model_layout_added(const struct rst_layout *layout);

/* The type of this name. Returns NULL if no such type was added. */
const struct rst_type *model_find_type(const struct model *model, const char *name);

/* Gives a layout of the model its effects from model->give_effects. Returns false if memory ran out. */
bool model_give_effects(struct model *model, struct rst_layout *layout);

/*
 * Keeps a pair of clock readings, unless its ticks step back from the previous pair. Returns false if memory
 * ran out.
 */
bool model_add_pair(struct model *model, const struct rst_clock_pair *pair);

/* The clock: the known relation of ticks to time. */
struct rst_clock model_clock(const struct model *model);

/*
 * These functions add details of the format's header, in the order of display. Names are static; texts are
 * copied.
 */
bool model_detail(struct model *model, const struct rst_detail *detail);
bool model_detail_number(struct model *model, const char *name, uint64_t number);
bool model_detail_hex(struct model *model, const char *name, uint64_t number);
bool model_detail_bool(struct model *model, const char *name, bool is_true);
bool model_detail_text(struct model *model, const char *name, const char *text);

/*
 * Adds a warning about something that was guessed or skipped: one sentence without a full stop. If there are
 * too many, the last warning stands for all others.
 */
bool model_warn(struct model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Warns once if not all objects are kept, and once if not all contexts are kept. Returns false if memory ran
 * out.
 */
bool model_warn_limits(struct model *model);

/*
 * For a dialect that has as many contexts as it keeps: whether the thread of this id has a context or a name.
 * Warns once if it has neither; *ret_has_memory is false if memory ran out.
 */
bool model_keeps_thread(struct model *model, uint64_t id, bool *ret_has_memory);

/*
 * Adds a loss or damage: its marker row, at the time and place of the previous row, and its entry for
 * summaries. The batch must not be full. Texts of the gap must live as long as the model. Returns false if
 * memory ran out.
 */
bool model_put_gap(struct model *model, struct batch *batch, const struct rst_gap *gap);

/*
 * The begin of a new run: one tick after all rows so far, including those of the batch, so that each moment
 * belongs to only one run. Returns 0 if there is no row.
 */
uint64_t model_run_begin(const struct model *model, const struct batch *batch);

/*
 * Adds the marker row of a new run, at the greatest ticks so far. It is neither loss nor damage. The dialect
 * then continues its clock at model_run_begin() (clock_begin_run(), run_clock_begin()), and forgets its open
 * state. `what` is one clause with the evidence for the new run. The batch must not be full; texts must live
 * as long as the model. Returns false if memory ran out.
 */
bool model_put_run(
	struct model *model, struct batch *batch, const char *source, uint64_t offset, const char *what);

/*
 * Takes numbers from the rows of a batch before the consumer gets them. The ticks of the first event become
 * first_ticks, unless the dialect has set them. A marker at the front of the next batch takes the ticks of
 * the last row.
 */
void model_take_rows(struct model *model, const struct batch *batch);

#endif
