/* SPDX-License-Identifier: MIT */
#include "model/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rastrum/effect.h>

#include "base/array.h"
#include "base/check.h"
#include "model/row.h"

bool model_init(struct model *model)
{
	static const struct rst_type loss = {
		.marker = RST_LOSS, .name = "LOST", .label = "events were lost here"
	};
	static const struct rst_type damage = {
		.marker = RST_DAMAGE, .name = "DAMAGE", .label = "unreadable bytes"
	};

	*model = (struct model){ .arena.n_max = MODEL_BYTES_MAX };
	model->loss = model_add_layout(model, &loss, &(struct rst_layout){ .n_fields = 0 });
	model->damage = model_add_layout(model, &damage, &(struct rst_layout){ .n_fields = 0 });
	model->run_type = (struct rst_type){
		.marker = RST_RUN, .name = "RUN", .label = "a new run begins", .name_bytes = 3
	};
	model->run = (struct rst_layout){ .type = &model->run_type };
	if (model->loss) {
		model->run_type.index = model->loss->type->index;
		model->run.index = model->loss->index;
	}
	model->unknown = contexts_special(&model->contexts, &model->arena, RST_CONTEXT_UNKNOWN, 0);
	return model->loss && model->damage && model->unknown;
}

void model_count_ids(struct model *model, uint64_t kinds)
{
	model->objects.counted_kinds = kinds;
	model->contexts.is_counted = kinds >> RST_OBJECT_THREAD & 1;
}

void model_done(struct model *model)
{
	map_done(&model->type_names);
	free(model->types);
	free(model->layouts);
	free(model->plans);
	free(model->pairs);
	free(model->details);
	free(model->warnings);
	free(model->gaps);
	contexts_done(&model->contexts);
	objects_done(&model->objects);
	origins_done(&model->origins);
	arena_done(&model->arena);
}

/*
 * Finds the type with this name and marker. An event of the recording may have the name of a marker, but is
 * no marker.
 */
static struct rst_type *type_find(const struct model *model, uint64_t key, const struct rst_type *like)
{
	struct model_type *type = map_find(&model->type_names, key);

	while (type && (type->public.marker != like->marker || strcmp(type->public.name, like->name) != 0))
		type = type->next;
	return type ? &type->public : NULL;
}

static struct rst_type *type_add(struct model *model, uint64_t key, const struct rst_type *type)
{
	struct model_type *own = arena_alloc(&model->arena, sizeof(*own));
	struct rst_type **types =
		array_room(model->types, model->n_types, &model->types_room, sizeof(struct rst_type *));

	if (types)
		model->types = types;
	if (!own || !types)
		return NULL;
	own->public = *type;
	own->public.index = (uint32_t)model->n_types;
	own->public.name_bytes = strlen(type->name);
	own->next = map_find(&model->type_names, key);
	if (!map_set(&model->type_names, key, own))
		return NULL;
	return model->types[model->n_types++] = &own->public;
}

const struct rst_type *model_find_type(const struct model *model, const char *name)
{
	return type_find(model, map_text_key(name, strlen(name)), &(struct rst_type){ .name = name });
}

bool model_give_effects(struct model *model, struct rst_layout *layout)
{
	if (model->give_effects && !model->give_effects(model->effects_context, layout))
		return false;
	for (unsigned i = 0; i < layout->n_effects; i++)
		model->has_switches |= layout->effects[i].kind == RST_EFFECT_SWITCH ||
				       layout->effects[i].kind == RST_EFFECT_SCHEDULE;
	return true;
}

struct rst_layout model_layout_added(const struct rst_layout *layout)
{
	const struct model_layout *added = (const struct model_layout *)layout;
	struct rst_layout copy = *layout;

	copy.effects = added->own_effects;
	copy.n_effects = added->n_own_effects;
	return copy;
}

const struct rst_layout *model_add_layout(
	struct model *model, const struct rst_type *type, const struct rst_layout *layout)
{
	const uint64_t key = map_text_key(type->name, strlen(type->name));
	struct model_layout *added = arena_alloc(&model->arena, sizeof(*added));
	struct rst_layout *own = added ? &added->public : NULL;
	struct rst_layout **layouts = array_room(
		model->layouts, model->n_layouts, &model->layouts_room, sizeof(struct rst_layout *));
	struct rst_type *known = type_find(model, key, type);

	if (layouts)
		model->layouts = layouts;
	if (!known)
		known = type_add(model, key, type);
	if (!own || !layouts || !known)
		return NULL;
	*own = *layout;
	own->type = known;
	own->id = type->id;
	own->index = (uint32_t)model->n_layouts;
	added->own_effects = own->effects;
	added->n_own_effects = own->n_effects;
	if (!model_give_effects(model, own))
		return NULL;
	return model->layouts[model->n_layouts++] = own;
}

bool model_detail(struct model *model, const struct rst_detail *detail)
{
	struct rst_detail *details =
		array_room(model->details, model->n_details, &model->details_room, sizeof(struct rst_detail));

	if (!details)
		return false;
	model->details = details;
	details[model->n_details] = *detail;
	if (detail->text) {
		char *copy = arena_copy(&model->arena, detail->text, strlen(detail->text));

		if (!copy)
			return false;
		details[model->n_details].text = copy;
	}
	model->n_details++;
	return true;
}

bool model_detail_number(struct model *model, const char *name, uint64_t number)
{
	return model_detail(
		model, &(struct rst_detail){ .name = name, .type = RST_DETAIL_NUMBER, .number = number });
}

bool model_detail_hex(struct model *model, const char *name, uint64_t number)
{
	return model_detail(
		model, &(struct rst_detail){ .name = name, .type = RST_DETAIL_HEX, .number = number });
}

bool model_detail_bool(struct model *model, const char *name, bool is_true)
{
	return model_detail(
		model, &(struct rst_detail){ .name = name, .type = RST_DETAIL_BOOL, .number = is_true });
}

bool model_detail_text(struct model *model, const char *name, const char *text)
{
	return model_detail(
		model, &(struct rst_detail){ .name = name, .type = RST_DETAIL_TEXT, .text = text });
}

bool model_warn(struct model *model, const char *format, ...)
{
	char text[256] = "there were more such notes";
	va_list args;

	if (model->n_warnings == MODEL_WARNINGS_MAX)
		return true;
	const char **warnings =
		array_room(model->warnings, model->n_warnings, &model->warnings_room, sizeof(const char *));

	if (!warnings)
		return false;
	model->warnings = warnings;
	if (model->n_warnings < MODEL_WARNINGS_MAX - 1) {
		va_start(args, format);
		vsnprintf(text, sizeof(text), format, args);
		va_end(args);
	}
	warnings[model->n_warnings] = arena_copy(&model->arena, text, strlen(text));
	return warnings[model->n_warnings] && ++model->n_warnings;
}

bool model_warn_limits(struct model *model)
{
	const bool has_objects = model->objects.n_passed && !model->has_noted_objects;
	const bool has_contexts = model->contexts.n_passed && !model->has_noted_contexts;

	model->has_noted_objects |= has_objects;
	model->has_noted_contexts |= has_contexts;
	return (!has_objects || model_warn(model, "only the first %d objects are kept", OBJECTS_MAX)) &&
	       (!has_contexts || model_warn(model,
					 "only the first %d threads are distinguished; events of later ones "
					 "are of an unknown context",
					 CONTEXTS_MAX));
}

bool model_keeps_thread(struct model *model, uint64_t id, bool *ret_has_memory)
{
	const bool is_kept = map_find(&model->contexts.unknown, id) ||
			     objects_latest(&model->objects, 0, id, RST_OBJECT_THREAD);

	*ret_has_memory =
		is_kept || model->has_noted_threads ||
		model_warn(model,
			"there are so many tasks that later ones without a name are not distinguished");
	model->has_noted_threads |= !is_kept;
	return is_kept;
}

static bool gap_remember(struct model *model, const struct rst_gap *gap)
{
	if (gap->marker == RST_RUN)
		return true;
	model->n_gaps_all++;
	model->n_damages += gap->marker == RST_DAMAGE;
	if (model->n_gaps == MODEL_GAPS_MAX)
		return true;
	struct rst_gap *gaps =
		array_room(model->gaps, model->n_gaps, &model->gaps_room, sizeof(struct rst_gap));

	if (!gaps)
		return false;
	model->gaps = gaps;
	gaps[model->n_gaps++] = *gap;
	return true;
}

static const struct rst_layout *marker_layout(const struct model *model, enum rst_marker marker)
{
	return marker == RST_RUN ? &model->run : marker == RST_DAMAGE ? model->damage : model->loss;
}

bool model_put_gap(struct model *model, struct batch *batch, const struct rst_gap *gap)
{
	check(!batch_is_full(batch));
	check(gap->what && gap->marker != RST_EVENT);
	if (!gap_remember(model, gap))
		return false;
	if (batch_is_full(batch)) /* an error of the dialect: no row is better than one that overwrites */
		return true;
	const size_t n = batch->n_events;
	struct rst_gap *own = &batch->gap[batch->n_gaps];

	*own = *gap;
	batch_row(batch, batch->columns,
		&(struct batch_row){
			.ticks = n ? batch->ticks[n - 1] : model->last_ticks,
			.seq = n ? batch->seq[n - 1] : model->last_seq,
			.layout = marker_layout(model, gap->marker),
			.context = model->unknown,
			.payload = (const uint8_t *)own,
			.n_payload = sizeof(*own),
		});
	batch->n_gaps++;
	return true;
}

static uint64_t greatest_of(const uint64_t *ticks, size_t n, uint64_t greatest)
{
	for (size_t i = 0; i < n; i++)
		greatest = ticks[i] > greatest ? ticks[i] : greatest;
	return greatest;
}

/* The greatest ticks of all rows so far. */
static uint64_t model_latest(const struct model *model, const struct batch *batch)
{
	return greatest_of(batch->ticks, batch->n_events, model->greatest_ticks);
}

uint64_t model_run_begin(const struct model *model, const struct batch *batch)
{
	const uint64_t latest = model_latest(model, batch);

	const bool has_rows = latest || model->has_first_ticks || batch->n_events;

	return latest + (has_rows && latest < UINT64_MAX);
}

bool model_put_run(
	struct model *model, struct batch *batch, const char *source, uint64_t offset, const char *what)
{
	const size_t row = batch->n_events;
	const uint64_t latest = model_latest(model, batch);

	if (!model_put_gap(model, batch,
		    &(struct rst_gap){ .marker = RST_RUN,
			    .n_events = ++model->n_runs + 1,
			    .offset = offset,
			    .what = what,
			    .source = source }))
		return false;
	batch->ticks[row] = latest;
	return true;
}

void model_take_rows(struct model *model, const struct batch *batch)
{
	const size_t n = batch->n_events;

	for (size_t row = 0; row < n && !model->has_first_ticks; row++)
		if (batch->type[row]->marker == RST_EVENT) {
			model->has_first_ticks = true;
			model->first_ticks = batch->ticks[row];
		}
	if (n) {
		model->greatest_ticks = greatest_of(batch->ticks, n, model->greatest_ticks);
		model->last_ticks = batch->ticks[n - 1];
		model->last_seq = batch->seq[n - 1];
	}
}
