/* SPDX-License-Identifier: MIT */
/*
 * Everything that is known of one trace besides its events: the one vocabulary that every dialect is turned into.
 * A dialect fills it while it reads; consumers see it through <rastrum/trace.h>.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <rastrum/effect.h>
#include <rastrum/trace.h>

#include "base/error.h"
#include "model/batch.h"
#include "model/clock.h"
#include "model/contexts.h"
#include "model/objects.h"

enum { MODEL_GAPS_MAX = 1000, MODEL_WARNINGS_MAX = 50, MODEL_PAIRS_MAX = LIMIT(65536, 16) };

/* Most bytes of types, objects, contexts and names together; a trace with more is read no further. */
#define MODEL_BYTES_MAX ((size_t)LIMIT(256, 64) << 20)

/* A type, and the next one whose name has the same key. */
struct model_type {
	struct rst_type public;
	struct model_type *next;
};

/* A layout, and its effects as the dialect has them. */
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
	struct layout_plan **plans; /* by index of a layout: how its effects are read, effect_read() */
	size_t plans_room;
	rst_effects_fn *give_effects; /* effects of templates, say, which new layouts get; NULL: none */
	void *effects_context;
	const struct rst_layout
		*other[2];   /* a dialect's: of events whose own type is not kept; whole and cut ones */
	size_t n_type_bytes; /* that descriptions of types take, where a dialect counts them */
	const struct rst_layout *loss, *damage; /* the two markers … */
	struct rst_layout
		run; /* … and that of a new run, which is not among the layouts, but counts as a loss in them … */
	struct rst_type run_type;
	const struct rst_context *unknown; /* … and the context of their rows */

	const char *
		recorded_as; /* a container's: the dialect that the trace was of; NULL: the one that reads it */
	const char *target; /* a dialect's: the name of the device or host; NULL if the recording has none */

	uint64_t clock_hz;
	uint64_t rate_ticks, rate_ns; /* the same without rounding, where it was measured; 0 if it was not */
	struct rst_clock_pair *pairs; /* the first MODEL_PAIRS_MAX */
	size_t n_pairs, pairs_room;
	unsigned clock_bits;
	bool clock_is_down;
	bool has_switches; /* by the first layout that switches or schedules; earlier where a dialect knows it */
	bool has_first_ticks;
	uint64_t first_ticks;
	uint64_t last_ticks,
		last_seq; /* of the last row given out: where a marker at the front of a batch stands */
	uint64_t greatest_ticks; /* of the rows given out */
	uint64_t n_runs;	 /* new runs so far: 0 in the first one */

	struct rst_detail *details;
	size_t n_details, details_room;
	bool has_noted_objects, has_noted_contexts; /* that there are more than are kept */
	const char **warnings;
	size_t n_warnings, warnings_room;
	struct rst_gap *gaps; /* the first MODEL_GAPS_MAX */
	size_t n_gaps, gaps_room;
	uint64_t n_gaps_all;
	uint64_t n_damages;
};

/* false when memory ran out; model_done() is due all the same. */
bool model_init(struct model *model);
void model_done(struct model *model);

/* The ids of objects of these kinds (bit k: kind k) are numbers that the system counts, and so are those of contexts of threads. */
void model_count_ids(struct model *model, uint64_t kinds);

/*
 * A new layout of the type of this name, which is made unless there is one already; then it stays as it is. Filled in here:
 * index and name_bytes of the type; type, index and id of the layout, whose id is that of `type` as it is given. Fields, effects
 * and names are borrowed: static or from the model's arena. NULL when memory ran out.
 */
const struct rst_layout *model_add_layout(
	struct model *model, const struct rst_type *type, const struct rst_layout *layout);

/* The layout as it was added, whatever effects it has been given since. */
struct rst_layout model_layout_added(const struct rst_layout *layout);

/* The type of this name, if one has been added; NULL: none. */
const struct rst_type *model_find_type(const struct model *model, const char *name);

/* Gives a layout of the model what model->give_effects has for it. Returns false if memory ran out. */
bool model_give_effects(struct model *model, struct rst_layout *layout);

/* Keeps what the clocks showed at one instant, unless it steps back behind the pair before. false when memory ran out. */
bool model_add_pair(struct model *model, const struct rst_clock_pair *pair);

/* What ticks are worth, as far as is known. */
struct rst_clock model_clock(const struct model *model);

/* Details of the format's header, in the order in which they are to be shown. Names are static, texts copied. */
bool model_detail(struct model *model, const struct rst_detail *detail);
bool model_detail_number(struct model *model, const char *name, uint64_t number);
bool model_detail_hex(struct model *model, const char *name, uint64_t number);
bool model_detail_bool(struct model *model, const char *name, bool is_true);
bool model_detail_text(struct model *model, const char *name, const char *text);

/* Adds what was guessed or passed over: one sentence without a full stop. The last of too many replaces the rest. */
bool model_warn(struct model *model, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a warning, once for each, that there were more objects or contexts than are kept. false when memory ran out. */
bool model_warn_limits(struct model *model);

/*
 * Adds a loss or damage: its marker row, at the time and place of what came before it, and what summaries have of it. The
 * batch must not be full. Texts of the gap must live as long as the model. false when memory ran out.
 */
bool model_put_gap(struct model *model, struct batch *batch, const struct rst_gap *gap);

/*
 * Where a new run begins: one tick behind all rows so far, those of the batch included, so that no moment is of two runs. 0 if there
 * is no row.
 */
uint64_t model_run_begin(const struct model *model, const struct batch *batch);

/*
 * The recording begins anew here: adds the marker row of a new run, at the greatest ticks so far. It is neither loss nor damage.
 * The dialect then has its clock go on at model_run_begin() (clock_begin_run(), run_clock_begin()), and forgets what was
 * open. `what` is one clause that says what shows it. The batch must not be full; texts must live as long as the model. false
 * when memory ran out.
 */
bool model_put_run(
	struct model *model, struct batch *batch, const char *source, uint64_t offset, const char *what);

/*
 * Sees the rows of a batch before they are given out: the first event has the first ticks, unless the dialect knew them
 * sooner, and the last row is where a marker at the front of the next batch stands.
 */
void model_take_rows(struct model *model, const struct batch *batch);

#endif
