/* SPDX-License-Identifier: MIT */
/* Objects and contexts: they have names of their own, which may come late. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "dialect/store/definitions_parts.h"
#include "dialect/store/records.h"

/* Bits for the ways to find a context again. */
enum route {
	ROUTE_ID = 1 << 0,	  /* by its id, while no object with it is known */
	ROUTE_OBJECT = 1 << 1,	  /* by its object */
	ROUTE_INTERRUPT = 1 << 2, /* by the number of the interrupt */
	ROUTE_KIND = 1 << 3,	  /* the only one of its kind */
	ROUTE_THREAD = 1 << 4,	  /* the first of its thread, by the thread's part of the id */
	ROUTE_SUBJECT = 1 << 5,	  /* flags, which are not routes */
	ROUTE_NAMED = 1 << 6,
	ROUTE_COUNTED = 1 << 7,
	N_ROUTES = 8
};

/* --- objects -------------------------------------------------------------------------------------------- */

static void record_object(struct codec *codec, struct rst_object *object)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_object, id, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_object, is_number, CODEC_NUMBER, 2),
		CODEC_ROW(struct rst_object, kind, CODEC_NUMBER, RST_N_OBJECT_KINDS),
		CODEC_ROW(struct rst_object, process, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_object, from_seq, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_object, capacity, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), object);
	codec_bytes(codec, &object->name, &object->name_bytes);
	record_details(codec, &object->details, &object->n_details);
}

static bool object_is_same(const struct rst_object *a, const struct rst_object *b)
{
	return a->name == b->name && a->name_bytes == b->name_bytes && a->capacity == b->capacity &&
	       a->details == b->details && a->n_details == b->n_details && a->kind == b->kind &&
	       a->from_seq == b->from_seq && a->is_number == b->is_number && a->same == b->same;
}

/* Only details that are numbers are kept. */
static bool object_disguise(struct disguise *disguise, struct rst_object *object)
{
	struct rst_detail *kept =
		arena_alloc(&disguise->arena, object->n_details * sizeof(struct rst_detail) + 1);
	size_t n_kept = 0;

	if (!kept)
		return false;
	for (size_t i = 0; i < object->n_details; i++)
		if (object->details[i].type != RST_DETAIL_TEXT && object->details[i].type != RST_DETAIL_GROUP)
			kept[n_kept++] = object->details[i];
	object->details = kept;
	object->n_details = n_kept;
	return name_disguise(disguise, object->kind, &object->name, &object->name_bytes);
}

/* Few objects are shared, so that the object that an object is has an item of its own. */
static bool same_put(
	struct definitions *definitions, const struct rst_object *same, uint64_t number, struct bytes *to)
{
	struct codec codec = { .to = to };
	uint64_t item = ITEM_SAME, same_number;

	if (!same || !object_is_kept(&definitions->model->objects, same))
		return true;
	if (!definitions_number(definitions, NUMBERED_OBJECTS, same->index, &same_number))
		return false;
	if (same_number == NUMBERED_NONE)
		return true;
	codec_number(&codec, &item, 0);
	codec_number(&codec, &number, 0);
	codec_number(&codec, &same_number, 0);
	return codec_is_good(&codec);
}

bool same_take(struct definitions *definitions, struct codec *codec)
{
	const struct objects *objects = &definitions->model->objects;
	uint64_t number = 0, same = 0;

	codec_number(codec, &number, objects->n_all);
	codec_number(codec, &same, objects->n_all);
	codec->is_bad |= number <= same; /* so that no object is itself */
	if (!codec_is_good(codec))
		return true;
	objects->all[number]->same = objects->all[same];
	return true;
}

bool object_put(struct definitions *definitions, size_t index, struct bytes *to)
{
	struct rst_object object = *definitions->model->objects.all[index];
	struct codec codec = { .to = to };
	uint64_t item = ITEM_OBJECT, number;

	definitions->objects[index] = object;
	if (definitions->disguise && !object_disguise(definitions->disguise, &object))
		return false;
	if (!definitions_number(definitions, NUMBERED_OBJECTS, index, &number))
		return false;
	if (number == NUMBERED_NONE)
		return true;
	if (definitions->origin) {
		object.from_seq = object.from_seq * definitions->seq_factor + definitions->seq_add;
		if (!process_number(definitions, object.process, to, &object.process))
			return false;
	}
	codec_number(&codec, &item, 0);
	codec_number(&codec, &number, 0);
	record_object(&codec, &object);
	return codec_is_good(&codec) && same_put(definitions, object.same, number, to);
}

bool objects_put(struct definitions *definitions, struct bytes *to)
{
	const struct objects *objects = &definitions->model->objects;

	for (size_t i = 0; i < objects->n_all; i++) {
		if (i < definitions->n_objects &&
			(definitions->generation == objects->generation ||
				object_is_same(&definitions->objects[i], objects->all[i])))
			continue;
		struct rst_object *copies = array_reach(
			definitions->objects, &definitions->objects_room, i, sizeof(struct rst_object));

		if (!copies)
			return false;
		definitions->objects = copies;
		if (!object_put(definitions, i, to))
			return false;
	}
	definitions->n_objects = objects->n_all;
	definitions->generation = objects->generation;
	return true;
}

bool object_take(struct definitions *definitions, struct codec *codec)
{
	struct model *model = definitions->model;
	struct rst_object read = { 0 }, *object;
	uint64_t index = 0;

	codec_number(codec, &index, model->objects.n_all + 1);
	record_object(codec, &read);
	codec->is_bad |= index == OBJECTS_MAX;
	if (!codec_is_good(codec))
		return true;
	if (index == model->objects.n_all)
		object = objects_add(
			&model->objects, codec->arena, read.process, read.id, read.kind, read.from_seq);
	else
		object = model->objects.all[index];
	if (!object)
		return false;
	/*
	 * The members that a table depends on stay: id, process, and the number from which the object is
	 * valid.
	 */
	object->is_number = read.is_number;
	object->name = read.name;
	object->name_bytes = read.name_bytes;
	object->capacity = read.capacity;
	object->details = read.details;
	object->n_details = read.n_details;
	model->objects.generation++;
	return true;
}

/* --- contexts ------------------------------------------------------------------------------------------- */

/* A context as it is stored. */
struct context_record {
	uint64_t kind, id, routes, process, object, thread;
	const char *name;
	size_t name_bytes;
};

static void record_context(struct codec *codec, struct context_record *record)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct context_record, kind, CODEC_NUMBER, RST_CONTEXT_IDLE + 1),
		CODEC_ROW(struct context_record, id, CODEC_NUMBER, 0),
		CODEC_ROW(struct context_record, routes, CODEC_NUMBER, 1 << N_ROUTES),
		CODEC_ROW(struct context_record, process, CODEC_NUMBER, 0),
		CODEC_ROW(struct context_record, object, CODEC_NUMBER, 0),
		CODEC_ROW(struct context_record, thread, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), record);
	codec_bytes(codec, &record->name, &record->name_bytes);
}

static struct context **slot_of(const struct rst_object *object)
{
	return &((struct object *)(uintptr_t)object)->context;
}

static uint64_t routes_in_trace(const struct contexts *contexts, const struct context *context)
{
	const struct rst_context *public = &context->public;
	uint64_t routes = (public->is_subject ? ROUTE_SUBJECT : 0) | (public->has_name ? ROUTE_NAMED : 0) |
			  (public->is_number ? ROUTE_COUNTED : 0);

	if (map_find(&contexts->unknown, public->id) == context)
		routes |= ROUTE_ID;
	if (public->object && *slot_of(public->object) == context)
		routes |= ROUTE_OBJECT;
	if (map_find(&contexts->interrupts, public->id) == context)
		routes |= ROUTE_INTERRUPT;
	if (contexts->special[public->kind] == public)
		routes |= ROUTE_KIND;
	if (contexts->thread_mask &&
		map_find(&contexts->threads, public->id & contexts->thread_mask) == context)
		routes |= ROUTE_THREAD;
	return routes;
}

/*
 * In a merged trace, special contexts and interrupts of different origins are kept apart; dialects do not
 * look for them there.
 */
static uint64_t routes_of(const struct definitions *definitions, const struct context *context)
{
	const uint64_t routes = routes_in_trace(&definitions->model->contexts, context);

	return definitions->origin ? routes & ~(uint64_t)(ROUTE_KIND | ROUTE_INTERRUPT) : routes;
}

static bool context_is_same(const struct rst_context *a, const struct rst_context *b)
{
	return a->kind == b->kind && a->id == b->id && a->is_subject == b->is_subject &&
	       a->has_name == b->has_name && a->process == b->process && a->object == b->object &&
	       a->name == b->name && a->name_bytes == b->name_bytes && a->thread == b->thread;
}

/* Translates the context's references to the numbers of the store. Returns false if memory ran out. */
static bool context_translate(
	struct definitions *definitions, struct context_record *record, struct bytes *to)
{
	if (definitions->origin && !process_number(definitions, record->process, to, &record->process))
		return false;
	if (!definitions_number(definitions, NUMBERED_CONTEXTS, record->thread, &record->thread))
		return false;
	if (record->object != NUMBERED_NONE &&
		!definitions_number(definitions, NUMBERED_OBJECTS, (size_t)record->object, &record->object))
		return false;
	record->object++; /* NUMBERED_NONE becomes 0, none */
	return true;
}

/* Whether Rastrum made the name: that of a special context, or the number of an interrupt. */
static bool is_our_name(const struct rst_context *public)
{
	char number[32];

	snprintf(number, sizeof(number), "isr %llu", (unsigned long long)public->id);
	return !public->has_name || strcmp(public->name, rst_context_kind_name(public->kind)) == 0 ||
	       (public->kind == RST_CONTEXT_ISR && strcmp(public->name, number) == 0);
}

bool context_put(struct definitions *definitions, size_t index, struct bytes *to)
{
	const struct contexts *contexts = &definitions->model->contexts;
	const struct rst_context *public = &contexts->all[index]->public;
	struct codec codec = { .to = to };
	uint64_t item = ITEM_CONTEXT, number;
	struct context_record record = {
		.kind = public->kind,
		.id = public->id,
		.routes = routes_of(definitions, contexts->all[index]),
		.process = public->process,
		.object = public->object ? (uint64_t) public->object->index : NUMBERED_NONE,
		.thread = public->thread->index,
		.name = public->name,
		.name_bytes = public->name_bytes,
	};

	definitions->context_copies[index] = *public;
	if (definitions->disguise && !is_our_name(public) &&
		!name_disguise(definitions->disguise, RST_OBJECT_THREAD, &record.name, &record.name_bytes))
		return false;
	if (!context_translate(definitions, &record, to) ||
		!definitions_number(definitions, NUMBERED_CONTEXTS, index, &number))
		return false;
	if (number == NUMBERED_NONE)
		return true;
	codec_number(&codec, &item, 0);
	codec_number(&codec, &number, 0);
	record_context(&codec, &record);
	return codec_is_good(&codec);
}

bool contexts_put(struct definitions *definitions, struct bytes *to)
{
	const struct contexts *contexts = &definitions->model->contexts;

	for (size_t i = 0; i < contexts->n_all; i++) {
		if (i < definitions->n_copies &&
			context_is_same(&definitions->context_copies[i], &contexts->all[i]->public))
			continue;
		struct rst_context *copies = array_reach(definitions->context_copies,
			&definitions->copies_room, i, sizeof(struct rst_context));

		if (!copies)
			return false;
		definitions->context_copies = copies;
		definitions->has_late_names |= i < definitions->n_copies;
		if (!context_put(definitions, i, to))
			return false;
	}
	definitions->n_copies = contexts->n_all;
	return true;
}

/* The origin of the process in a merged trace; NULL if the trace is not merged. */
static const struct origin *origin_of(const struct definitions *definitions, uint64_t process)
{
	const struct origin_process *of = origins_process(&definitions->model->origins, process);

	return of ? of->origin : NULL;
}

/*
 * Finds a context that exists already: an earlier item made it, or a caller looked for the thread before its
 * first event.
 */
static struct context *context_reach(
	struct definitions *definitions, const struct context_record *record, const struct rst_object *object)
{
	struct contexts *contexts = &definitions->model->contexts;
	const struct rst_context *special = contexts->special[record->kind];
	struct context *context = NULL;

	if (record->routes & ROUTE_KIND && special)
		return (struct context *)(uintptr_t)special;
	if (record->routes & ROUTE_OBJECT && object)
		context = *slot_of(object);
	if (!context && record->routes & ROUTE_ID)
		context = map_find(&contexts->unknown, contexts_key(record->id, &definitions->model->objects,
							       origin_of(definitions, record->process)));
	if (!context && record->routes & ROUTE_INTERRUPT)
		context = map_find(&contexts->interrupts, record->id);
	if (context)
		return context;
	return contexts->n_all < CONTEXTS_MAX ? contexts_add(contexts, &definitions->model->arena,
							(enum rst_context_kind)record->kind, record->id)
					      : NULL;
}

static bool context_follow_routes(
	struct definitions *definitions, struct context *context, const struct context_record *record)
{
	struct contexts *contexts = &definitions->model->contexts;
	const struct objects *objects = &definitions->model->objects;
	const struct origin *origin = origin_of(definitions, record->process);
	const uint64_t mask = origin ? origin->thread_mask : contexts->thread_mask;
	struct rst_context *public = &context->public;

	if (record->routes & ROUTE_OBJECT && public->object)
		*slot_of(public->object) = context;
	if (record->routes & ROUTE_KIND)
		contexts->special[record->kind] = public;
	return (!(record->routes & ROUTE_ID) ||
		       map_set(&contexts->unknown, contexts_key(record->id, objects, origin), context)) &&
	       (!(record->routes & ROUTE_INTERRUPT) || map_set(&contexts->interrupts, record->id, context)) &&
	       (!(record->routes & ROUTE_THREAD) ||
		       map_set(&contexts->threads, contexts_key(record->id & mask, objects, origin),
			       context));
}

/* If the recording has no name for a thread, the user's programs may have one. */
static bool context_fill(struct definitions *definitions, struct context *context,
	const struct context_record *record, const struct rst_object *object)
{
	struct rst_context *public = &context->public;

	contexts_place(context, origin_of(definitions, record->process));
	public->kind = (enum rst_context_kind)record->kind;
	public->is_number = record->routes & ROUTE_COUNTED;
	public->is_subject = record->routes & ROUTE_SUBJECT;
	public->process = record->process;
	public->object = object;
	public->thread = &definitions->contexts[record->thread]->public;
	if (!(record->routes & ROUTE_NAMED) && definitions->model->contexts.naming.find) {
		public->name = NULL;
		return context_name(context, &definitions->model->arena);
	}
	public->has_name = record->routes & ROUTE_NAMED;
	public->name = record->name;
	public->name_bytes = record->name_bytes;
	return true;
}

bool context_take(struct definitions *definitions, struct codec *codec)
{
	struct model *model = definitions->model;
	struct context_record record = { 0 };
	const struct rst_object *object;
	struct context *context, **all;
	uint64_t index = 0;

	codec_number(codec, &index, definitions->n_contexts + 1);
	record_context(codec, &record);
	codec->is_bad |= record.object > model->objects.n_all || record.thread > index || !record.name;
	if (!codec_is_good(codec))
		return true;
	object = record.object ? model->objects.all[record.object - 1] : NULL;
	all = array_room(definitions->contexts, definitions->n_contexts, &definitions->contexts_room,
		sizeof(struct context *));
	if (all)
		definitions->contexts = all;
	context = index < definitions->n_contexts ? definitions->contexts[index]
						  : context_reach(definitions, &record, object);
	if (!context && model->contexts.n_all >= CONTEXTS_MAX) {
		codec->is_bad = true;
		return true;
	}
	if (!context || !all)
		return false;
	definitions->contexts[index] = context;
	definitions->n_contexts += index == definitions->n_contexts;
	return context_fill(definitions, context, &record, object) &&
	       context_follow_routes(definitions, context, &record);
}
