/* SPDX-License-Identifier: MIT */
#include "container/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "container/write_parts.h"
#include "dialect/store/records.h"
#include "trace/trace_parts.h"

/* An input. */
struct part {
	const struct store_merge_input *input;
	struct definitions definitions;
	const struct origin **origins; /* if the trace was merged itself: for its origins, by number - 1 */
	size_t n_origins, origins_room;
	uint16_t *cores; /* numbers of its cores in the store + 1; 0: not yet given */
	size_t cores_room;
	uint64_t last_ticks; /* of its last event */
	bool is_due;	     /* its definitions may have changed */
	struct bytes facts;  /* its facts in the merged trace, for comparison */
};

struct store_merge {
	struct store_writer *writer;
	struct model model; /* of the merged trace as a whole */
	struct numbering numbering;
	struct part *parts;
	size_t n_parts;
	bool shares_cores;
	bool is_due;	/* an input has ended */
	bool has_begun; /* every input has an origin */
	bool has_facts; /* the merged trace has the facts of all inputs */
	struct bytes scratch;
	uint64_t taken_cores[(RST_NO_CORE + 1) / 64];
	size_t n_rows, n_gaps; /* of the batch that is being filled */
	size_t clock;	       /* the input whose clock counts; SIZE_MAX: no input's */
};

/* --- origins -------------------------------------------------------------------------------------------- */

static const char *trace_dialect(const struct rst_trace *trace)
{
	return trace->model.recorded_as ? trace->model.recorded_as : trace->dialect->name;
}

static const char *dialect_of(const struct part *part)
{
	return part->definitions.manner.dialect;
}

/*
 * Adds an origin. The process that stands for it is also an object, which holds its name. Returns NULL if
 * memory ran out, or there are too many.
 */
static const struct origin *origin_add(struct store_merge *merge, struct origin origin)
{
	struct model *model = &merge->model;
	const uint64_t number = model->origins.n_all + 1;
	struct rst_object *process;

	origin.public.process = number;
	if (!origins_add(&model->origins, &model->arena, &origin))
		return NULL;
	process = objects_add(&model->objects, &model->arena, 0, number, RST_OBJECT_PROCESS, 0);
	if (!process || !objects_name(&model->objects, &model->arena, process,
				(const uint8_t *)origin.public.name, strlen(origin.public.name)))
		return NULL;
	process->is_number = true;
	return model->origins.all[number - 1];
}

static bool origin_add_plain(struct store_merge *merge, struct part *part)
{
	const struct model *model = &part->input->trace->model;

	const struct origin origin = {
		.public = { .name = part->input->name, .dialect = dialect_of(part) },
		.noun = model->contexts.noun,
		.scoped_kinds = model->objects.scoped_kinds,
		.thread_mask = model->contexts.thread_mask,
		.is_by_kind = model->objects.is_by_kind,
		.is_counted = model->contexts.is_counted,
	};

	part->definitions.origin = origin_add(merge, origin);
	return part->definitions.origin != NULL;
}

/*
 * Origins of a trace that was merged itself become origins of this one. In a damaged trace they may come
 * late.
 */
static bool origins_add_again(struct store_merge *merge, struct part *part)
{
	const struct origins *own = &part->input->trace->model.origins;

	for (; part->n_origins < own->n_all; part->n_origins++) {
		const struct origin **origins = array_room(
			part->origins, part->n_origins, &part->origins_room, sizeof(struct origin *));

		if (!origins)
			return false;
		part->origins = origins;
		origins[part->n_origins] = origin_add(merge, *own->all[part->n_origins]);
		if (!origins[part->n_origins])
			return false;
		if (!part->definitions.origin)
			part->definitions.origin = origins[part->n_origins];
	}
	part->definitions.inner = part->origins;
	return true;
}

static bool part_begin(struct store_merge *merge, struct part *part)
{
	if (part->input->trace->model.origins.n_all)
		return origins_add_again(merge, part);
	return part->definitions.origin || origin_add_plain(merge, part);
}

/*
 * Gives every input its origin. Origins are known when the first batches were read, because a store has its
 * own in front. Later, only the input whose batch has come can have more.
 */
static bool parts_begin(struct store_merge *merge, struct part *part)
{
	bool is_good = true;

	if (merge->has_begun)
		return part_begin(merge, part);
	for (size_t i = 0; i < merge->n_parts && is_good; i++)
		is_good = part_begin(merge, &merge->parts[i]);
	merge->has_begun = is_good;
	return is_good;
}

/*
 * Ends the input's origin or, in a trace that was merged itself, the origins that have ended there. Returns
 * false if memory ran out.
 */
static bool part_ends(struct store_merge *merge, struct part *part, bool has_ended)
{
	const struct origins *own = &part->input->trace->model.origins;
	struct origins *origins = &merge->model.origins;
	bool is_good = true;

	if (!part->definitions.origin)
		return true;
	if (!part->origins)
		return !has_ended || origins_end(origins, part->definitions.origin->number, part->last_ticks);
	for (size_t i = 0; i < part->n_origins && is_good; i++)
		if (has_ended || own->all[i]->public.has_ended)
			is_good = origins_end(origins, part->origins[i]->number, part->last_ticks);
	return is_good;
}

/* --- the merged trace as a whole ------------------------------------------------------------------------ */

static const char *dialect_of_all(const struct part *parts, size_t n_parts)
{
	for (size_t i = 1; i < n_parts; i++)
		if (strcmp(dialect_of(&parts[i]), dialect_of(&parts[0])) != 0)
			return dialect_store.name;
	return dialect_of(&parts[0]);
}

static const char *target_of_all(const struct store_merge *merge)
{
	const char *target = merge->parts[0].input->trace->model.target;

	for (size_t i = 1; i < merge->n_parts; i++) {
		const char *other = merge->parts[i].input->trace->model.target;

		if (!target || !other || strcmp(target, other) != 0)
			return NULL;
	}
	return target;
}

static void take_clock(struct store_merge *merge)
{
	struct model *model = &merge->model;
	const struct model *of;

	if (merge->clock == SIZE_MAX)
		return;
	of = &merge->parts[merge->clock].input->trace->model;
	model->clock_hz = of->clock_hz;
	model->rate_ticks = of->rate_ticks;
	model->rate_ns = of->rate_ns;
	model->clock_bits = of->clock_bits;
	model->clock_is_down = of->clock_is_down;
	for (; model->n_pairs < of->n_pairs;)
		if (!model_add_pair(model, &of->pairs[model->n_pairs]))
			return;
}

/*
 * Finds whether the facts of an input have changed since the last look, and remembers them. Returns false if
 * memory ran out.
 */
static bool part_look(struct store_merge *merge, struct part *part, bool *ret_is_changed)
{
	const struct rst_trace *trace = part->input->trace;
	const struct rst_detail *details = trace->model.details;
	struct bytes *scratch = &merge->scratch;
	struct codec codec = { .to = scratch };
	uint64_t columns = trace->batch.columns, has_switches = trace->model.has_switches;
	const char *target = trace->model.target;
	size_t n_details = trace->model.n_details;

	scratch->n = 0;
	codec_number(&codec, &columns, 0);
	codec_number(&codec, &has_switches, 0);
	codec_text(&codec, &target);
	record_details(&codec, &details, &n_details);
	*ret_is_changed = scratch->n != part->facts.n ||
			  (scratch->n && memcmp(scratch->at, part->facts.at, scratch->n) != 0);
	if (*ret_is_changed) {
		part->facts.n = 0;
		bytes_put(&part->facts, scratch->at, scratch->n);
	}
	return codec_is_good(&codec) && part->facts.n == scratch->n;
}

/* Takes the facts that the inputs have now. Returns false if memory ran out. */
static bool take_facts(struct store_merge *merge)
{
	struct store_manner *manner = &merge->writer->definitions.manner;
	struct model *model = &merge->model;

	manner->columns = 0;
	model->target = target_of_all(merge);
	model->n_details = 0;
	take_clock(merge);
	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct rst_trace *trace = merge->parts[i].input->trace;
		const struct rst_detail group = { .name = merge->parts[i].input->name,
			.type = RST_DETAIL_GROUP,
			.items = trace->model.details,
			.n_items = trace->model.n_details };
		bool is_changed;

		manner->columns |= trace->batch.columns | (trace->model.has_switches ? BATCH_CORE : 0);
		model->has_switches |= trace->model.has_switches;
		if (!model_detail(model, &group) || !part_look(merge, &merge->parts[i], &is_changed))
			return false;
	}
	merge->has_facts = true;
	return true;
}

/*
 * Takes the facts again if those of this input have changed. With a thousand inputs, looking at all of them
 * at every new batch would be most of the work of a merge. Clock pairs and the clock's rate may come with
 * each batch of the clock's input.
 */
static bool take_new_facts(struct store_merge *merge, struct part *part)
{
	bool is_changed;

	if (!part_look(merge, part, &is_changed))
		return false;
	if (merge->clock != SIZE_MAX && part == &merge->parts[merge->clock])
		is_changed = true;
	merge->writer->definitions.has_same_facts = merge->has_facts && !is_changed;
	return merge->writer->definitions.has_same_facts || take_facts(merge);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static bool is_taken(const struct store_merge *merge, size_t core)
{
	return merge->taken_cores[core / 64] >> core % 64 & 1;
}

/* The core's own number if no other input has it, else the first free one. */
static uint16_t core_choose(struct store_merge *merge, size_t core)
{
	if (core >= RST_NO_CORE || (is_taken(merge, core) && !merge->shares_cores))
		for (core = 0; core < RST_NO_CORE && is_taken(merge, core);)
			core++;
	if (core < RST_NO_CORE)
		merge->taken_cores[core / 64] |= (uint64_t)1 << core % 64;
	return (uint16_t)core;
}

/* A recording of switches without core numbers counts as one core. Returns false if memory ran out. */
static bool core_number(struct store_merge *merge, struct part *part, uint64_t *core)
{
	const size_t place = *core == RST_NO_CORE ? 0 : (size_t)*core + 1;
	uint16_t *cores;

	if (place == 0 && !part->input->trace->model.has_switches)
		return true;
	cores = array_reach(part->cores, &part->cores_room, place, sizeof(*cores));
	if (!cores)
		return false;
	part->cores = cores;
	if (!cores[place])
		cores[place] = (uint16_t)(core_choose(merge, (size_t)*core) + 1);
	*core = (uint16_t)(cores[place] - 1);
	return true;
}

/* Translates the row that was added last, which still has the numbers of its own trace. */
static bool translate_row(struct store_merge *merge, struct part *part, uint64_t ticks)
{
	struct segment *segment = &merge->writer->segment;
	const size_t n = segment->n_rows - 1;
	struct definitions *definitions = &part->definitions;
	uint64_t *layout = &segment->columns[SEGMENT_LAYOUT][n],
		 *context = &segment->columns[SEGMENT_CONTEXT][n],
		 *interrupted = &segment->columns[SEGMENT_INTERRUPTED][n],
		 *seq = &segment->columns[SEGMENT_SEQ][n];
	const bool is_event = *layout >= 2;

	segment->columns[SEGMENT_TICKS][n] = ticks;
	*seq = *seq * definitions->seq_factor + definitions->seq_add;
	if (!definitions_number(definitions, NUMBERED_LAYOUTS, (size_t)*layout, layout) ||
		!definitions_number(definitions, NUMBERED_CONTEXTS, (size_t)*context, context))
		return false;
	if (*interrupted) {
		if (!definitions_number(
			    definitions, NUMBERED_CONTEXTS, (size_t)*interrupted - 1, interrupted))
			return false;
		++*interrupted;
	}
	return !is_event || core_number(merge, part, &segment->columns[SEGMENT_CORE][n]);
}

/* Makes the rows since the last end a batch of the store. */
static bool end_batch(struct store_merge *merge)
{
	const size_t n_rows = merge->n_rows;

	merge->n_rows = merge->n_gaps = 0;
	return segment_end_batch(&merge->writer->segment, n_rows);
}

/*
 * Puts the definitions of the merged trace, then those of the input. Rows in front of them become a batch of
 * their own.
 */
static enum rst_status put_due(struct store_merge *merge, struct part *part, struct rst_error *err)
{
	struct store_writer *writer = merge->writer;
	const size_t n_before = writer->due.n;

	part->is_due = merge->is_due = false;
	if (!parts_begin(merge, part) || !part_ends(merge, part, false) || !take_new_facts(merge, part))
		return error_nomem(err);
	error_try(writer_put_definitions(writer, &writer->definitions, err));
	error_try(writer_put_definitions(writer, &part->definitions, err));
	writer->definitions.has_late_names |= part->definitions.has_late_names;
	directory_start(&writer->directory, &merge->model);
	if (writer->due.n != n_before && !end_batch(merge))
		return error_nomem(err);
	return RST_OK;
}

enum rst_status store_merge_row(struct store_merge *merge, size_t n, const struct rst_batch *batch,
	size_t row, uint64_t ticks, struct rst_error *err)
{
	struct store_writer *writer = merge->writer;
	struct part *part = &merge->parts[n];
	const bool is_event = batch->type[row]->marker == RST_EVENT;

	if (!writer_has_room(writer, 1)) {
		if (!end_batch(merge))
			return error_nomem(err);
		error_try(writer_flush(writer, err));
	}
	if (part->is_due || merge->is_due)
		error_try(put_due(merge, part, err));
	if (!writer_add_row(writer, batch, row) || !translate_row(merge, part, ticks))
		return error_nomem(err);
	if (is_event && ticks > part->last_ticks)
		part->last_ticks = ticks;
	merge->n_rows++;
	merge->n_gaps += !is_event;
	if ((merge->n_rows == RST_BATCH_EVENTS || merge->n_gaps == BATCH_GAPS) && !end_batch(merge))
		return error_nomem(err);
	return RST_OK;
}

void store_merge_batch(struct store_merge *merge, size_t n)
{
	merge->parts[n].is_due = true;
}

void store_merge_share_cores(struct store_merge *merge)
{
	merge->shares_cores = true;
}

void store_merge_first(struct store_merge *merge, uint64_t ticks)
{
	merge->model.has_first_ticks = true;
	merge->model.first_ticks = ticks;
	merge->has_facts = false;
}

bool store_merge_end(struct store_merge *merge, size_t n)
{
	merge->parts[n].is_due = merge->is_due = true;
	return part_ends(merge, &merge->parts[n], true);
}

void store_merge_clock(struct store_merge *merge, size_t n)
{
	merge->clock = n;
	merge->has_facts = false;
}

bool store_merge_warn(struct store_merge *merge, const char *sentence)
{
	return model_warn(&merge->model, "%s", sentence);
}

/* --- begin and end -------------------------------------------------------------------------------------- */

static void part_init(struct store_merge *merge, size_t n, const struct store_merge_input *input)
{
	merge->parts[n] = (struct part){ .input = input,
		.is_due = true,
		.definitions = { .model = &input->trace->model,
			.manner = { .dialect = trace_dialect(input->trace) },
			.numbering = &merge->numbering,
			.seq_factor = merge->n_parts,
			.seq_add = n } };
}

enum rst_status store_merge_open(struct store_merge **ret, int fd, const char *name,
	const struct store_merge_input *inputs, size_t n_inputs, struct rst_error *err)
{
	struct store_merge *merge = calloc(1, sizeof(*merge));
	struct store_manner manner = { 0 };
	enum rst_status status = RST_OK;

	if (!merge)
		return error_nomem(err);
	merge->n_parts = n_inputs;
	merge->clock = SIZE_MAX;
	merge->parts = calloc(n_inputs, sizeof(*merge->parts));
	if (!model_init(&merge->model) || !merge->parts)
		status = error_nomem(err);
	if (status == RST_OK) {
		for (size_t i = 0; i < n_inputs; i++)
			part_init(merge, i, &inputs[i]);
		manner.dialect = dialect_of_all(merge->parts, n_inputs);
		status = writer_open(&merge->writer, fd, name, &merge->model, &manner, err);
	}
	if (status < 0) {
		store_merge_free(merge);
		return status;
	}
	merge->numbering.whole = &merge->writer->definitions;
	merge->numbering.is_mixed = manner.dialect == dialect_store.name;
	merge->writer->definitions.numbering = &merge->numbering;
	*ret = merge;
	return RST_OK;
}

/* Adds the inputs' warnings, and their counts beyond the rows. */
static bool sum_up(struct store_merge *merge)
{
	struct model *model = &merge->model;

	for (size_t i = 0; i < merge->n_parts; i++) {
		const struct model *of = &merge->parts[i].input->trace->model;

		model->n_gaps_all += of->n_gaps_all;
		model->n_damages += of->n_damages;
		for (size_t k = 0; k < of->n_warnings; k++)
			if (!model_warn(model, "%s: %s", merge->parts[i].input->name, of->warnings[k]))
				return false;
	}
	return true;
}

enum rst_status store_merge_finish(
	struct store_merge *merge, const struct rst_error *end, struct rst_error *err)
{
	if (!end_batch(merge) || !sum_up(merge))
		return error_nomem(err);
	for (size_t i = 0; i < merge->n_parts; i++)
		error_try(put_due(merge, &merge->parts[i], err));
	return writer_finish(merge->writer, end, true, err);
}

struct store_merge *store_merge_free(struct store_merge *merge)
{
	if (!merge)
		return NULL;
	store_write_free(merge->writer);
	for (size_t i = 0; merge->parts && i < merge->n_parts; i++) {
		definitions_done(&merge->parts[i].definitions);
		free(merge->parts[i].origins);
		free(merge->parts[i].cores);
		bytes_done(&merge->parts[i].facts);
	}
	free(merge->parts);
	numbering_done(&merge->numbering);
	bytes_done(&merge->scratch);
	model_done(&merge->model);
	free(merge);
	return NULL;
}
