/* SPDX-License-Identifier: MIT */
#include "model/contexts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

static const char *const kind_names[] = {
	[RST_CONTEXT_UNKNOWN] = "unknown",
	[RST_CONTEXT_THREAD] = "thread",
	[RST_CONTEXT_ISR] = "isr",
	[RST_CONTEXT_INIT] = "init",
	[RST_CONTEXT_IDLE] = "idle",
};

const char *rst_context_kind_name(enum rst_context_kind kind)
{
	return kind_names[(unsigned)kind <= RST_CONTEXT_IDLE ? kind : RST_CONTEXT_UNKNOWN];
}

struct context *contexts_add(
	struct contexts *contexts, struct arena *arena, enum rst_context_kind kind, uint64_t id)
{
	struct context *context = arena_alloc(arena, sizeof(*context));
	struct context **all =
		array_room(contexts->all, contexts->n_all, &contexts->room, sizeof(struct context *));

	if (all)
		contexts->all = all;
	if (!context || !all)
		return NULL;
	context->noun = contexts->noun;
	context->naming = &contexts->naming;
	context->public = (struct rst_context){
		.kind = kind, .id = id, .is_number = contexts->is_counted, .index = (uint32_t)contexts->n_all
	};
	context->public.thread = &context->public;
	contexts->all[contexts->n_all++] = context;
	return context;
}

void contexts_place(struct context *context, const struct origin *origin)
{
	struct rst_context *public = &context->public;

	if (!origin)
		return;
	public->origin = origin->number;
	public->is_number = origin->is_counted;
	public->process = origin->public.process;
	context->noun = origin->noun;
}

/* The thread to look up. */
struct sought {
	uint64_t id;
	const struct objects *objects;
	const struct origin *origin; /* of the thread in a merged trace; else NULL */
};

/* Adds a context of a thread, which may have other contexts already. */
static struct context *thread_add(struct contexts *contexts, struct arena *arena, const struct sought *sought)
{
	const uint64_t mask = sought->origin ? sought->origin->thread_mask : contexts->thread_mask;
	const uint64_t key = contexts_key(sought->id & mask, sought->objects, sought->origin);
	const struct context *first = mask ? map_find(&contexts->threads, key) : NULL;
	struct context *context = contexts_add(contexts, arena, RST_CONTEXT_THREAD, sought->id);

	if (!context || (mask && !first && !map_set(&contexts->threads, key, context)))
		return NULL;
	contexts_place(context, sought->origin);
	if (first)
		context->public.thread = &first->public;
	return context;
}

/* Returns false if the object has no name so far. */
static bool context_take_name(struct context *context)
{
	struct rst_context *public = &context->public;
	const struct rst_object *object = public->object;

	if (!object || !object->name || !object->name_bytes)
		return false;
	public->has_name = true;
	public->name = object->name;
	public->name_bytes = object->name_bytes;
	return true;
}

/* Takes the name from a program's symbols. */
static bool context_take_symbol(struct context *context)
{
	struct rst_context *public = &context->public;
	const struct naming *naming = context->naming;
	const struct rst_object *symbol = NULL;

	if (naming->find && public->kind == RST_CONTEXT_THREAD && !public->is_number)
		symbol = naming->find(naming->state, public->id, naming->kind);
	if (!symbol)
		return false;
	public->name = symbol->name;
	public->name_bytes = symbol->name_bytes;
	public->has_name = true;
	return true;
}

bool context_name(struct context *context, struct arena *arena)
{
	struct rst_context *public = &context->public;

	if (context_take_name(context) || public->name || context_take_symbol(context))
		return true;
	const char *noun = public->kind == RST_CONTEXT_THREAD ? context->noun : NULL;
	const size_t n_noun = noun ? strlen(noun) : 0;
	char *name = arena_alloc(arena, n_noun + 1 + TEXT_HEX_MAX + 1), *end = name;

	if (!name)
		return false;
	if (noun) {
		end = text_put(end, noun, n_noun);
		*end++ = ' ';
	}
	end = public->is_number || (noun && public->id <= UINT16_MAX) ? text_put_dec(end, public->id)
								      : text_put_hex(end, public->id);
	public->name_bytes = (size_t)(end - name);
	public->name = name;
	return true;
}

/* Gives the context an object. The context takes the object's name now or later. */
static bool context_take_object(struct contexts *contexts, struct arena *arena, struct context *context,
	const struct rst_object *object)
{
	struct context **nameless;

	context->public.object = object;
	if (!context_name(context, arena))
		return false;
	if (!object || object->name_bytes)
		return true;
	nameless = array_room(
		contexts->nameless, contexts->n_nameless, &contexts->nameless_room, sizeof(struct context *));
	if (!nameless)
		return false;
	contexts->nameless = nameless;
	nameless[contexts->n_nameless++] = context;
	return true;
}

/*
 * Whether an older object may have got a name. Each definition and each name adds a generation. If the new
 * objects account for all new generations, no older object has changed.
 */
static bool has_late_name(const struct contexts *contexts, const struct objects *objects)
{
	unsigned n_changes = objects->generation - contexts->generation;

	for (size_t i = contexts->n_objects_seen; i < objects->n_all; i++)
		n_changes -= objects->all[i]->name ? 2 : 1;
	return n_changes != 0;
}

/*
 * Takes names that came after a context was made. Looks only at new objects and at contexts without a name.
 */
static void contexts_refresh(struct contexts *contexts, const struct objects *objects)
{
	size_t n_left = 0;

	if (has_late_name(contexts, objects)) {
		for (size_t i = 0; i < contexts->n_nameless; i++) {
			struct context *context = contexts->nameless[i];

			contexts->nameless[n_left] = context;
			n_left += !context_take_name(context);
		}
		contexts->n_nameless = n_left;
	}
	contexts->generation = objects->generation;
	contexts->n_objects_seen = objects->n_all;
}

static struct context **context_slot(const struct rst_object *object)
{
	return &((struct object *)(uintptr_t)object)->context;
}

/*
 * Makes the context of a thread. If an id was used before its first definition, its context takes that name.
 * The function is not inlined, because nearly every look-up finds a context.
 */
static __attribute__((noinline)) struct context *context_make(struct contexts *contexts, struct arena *arena,
	const struct sought *sought, const struct rst_object *object, bool is_first)
{
	const uint64_t key = contexts_key(sought->id, sought->objects, sought->origin);
	struct context *context = is_first ? map_find(&contexts->unknown, key) : NULL;

	if (contexts->n_all >= CONTEXTS_MAX && (!context || context->public.object))
		return NULL;
	if (!context || context->public.object)
		context = thread_add(contexts, arena, sought);
	if (!context)
		return NULL;
	if (!context_take_object(contexts, arena, context, object))
		return NULL;
	if (object)
		return *context_slot(object) = context;
	return map_set(&contexts->unknown, key, context) ? context : NULL;
}

/* The context of this thread, which is made on first use. */
static inline struct context *context_of(struct contexts *contexts, struct arena *arena,
	const struct sought *sought, const struct rst_object *object, bool is_first)
{
	struct context *context = object ? *context_slot(object)
					 : map_find(&contexts->unknown,
						   contexts_key(sought->id, sought->objects, sought->origin));

	return context ? context : context_make(contexts, arena, sought, object, is_first);
}

static inline struct context *context_at(struct contexts *contexts, struct arena *arena,
	const struct object_chain *chain, const struct sought *sought, const struct rst_object *object)
{
	if (contexts->generation != sought->objects->generation)
		contexts_refresh(contexts, sought->objects);
	return context_of(contexts, arena, sought, object, object && object == chain->first);
}

const struct rst_context *contexts_find(struct contexts *contexts, const struct objects *objects,
	struct arena *arena, uint64_t process, uint64_t id, uint64_t seq)
{
	struct object_chain *chain = objects_chain(objects, process, id, RST_OBJECT_THREAD);
	const struct rst_object *object = object_chain_find(chain, RST_OBJECT_THREAD, seq);
	const struct origin_process *of =
		objects->origins ? origins_process(objects->origins, process) : NULL;
	const struct sought sought = { id, objects, of ? of->origin : NULL };
	struct context *context = context_at(contexts, arena, chain, &sought, object);

	if (!context && contexts->n_all >= CONTEXTS_MAX)
		return contexts_special(contexts, arena, RST_CONTEXT_UNKNOWN, 0);
	return context ? &context->public : NULL;
}

static __attribute__((noinline)) const struct rst_context *thread_anew(struct contexts *contexts,
	const struct objects *objects, struct arena *arena, uint64_t id, uint64_t seq,
	struct context_recent *recent)
{
	struct object_chain *chain = objects_chain(objects, 0, id, RST_OBJECT_THREAD);
	const struct rst_object *object = object_chain_find(chain, RST_OBJECT_THREAD, seq);
	const struct sought sought = { id, objects, NULL };
	struct context *context = context_at(contexts, arena, chain, &sought, object);

	if (!context && contexts->n_all >= CONTEXTS_MAX) {
		contexts->n_passed++;
		return contexts_special(contexts, arena, RST_CONTEXT_UNKNOWN, 0);
	}
	if (!context)
		return NULL;
	contexts->last = &context->public;
	contexts->last_id = id;
	contexts->last_is_only = !chain || !chain->first->later;
	if (contexts->last_is_only)
		*recent = (struct context_recent){ id, contexts->last, objects->generation };
	return &context->public;
}

const struct rst_context *contexts_thread_slow(struct contexts *contexts, const struct objects *objects,
	struct arena *arena, uint64_t id, uint64_t seq)
{
	struct context_recent *recent =
		&contexts->recent[id * 0x9e3779b97f4a7c15U >> (64 - CONTEXTS_RECENT_BITS)];

	if (recent->id != id || recent->generation != objects->generation || !recent->context)
		return thread_anew(contexts, objects, arena, id, seq, recent);
	contexts->last = recent->context;
	contexts->last_id = id;
	contexts->last_is_only = true;
	return recent->context;
}

const struct rst_context *contexts_special(
	struct contexts *contexts, struct arena *arena, enum rst_context_kind kind, uint64_t id)
{
	if (contexts->special[kind])
		return contexts->special[kind];
	struct context *context = contexts_add(contexts, arena, kind, id);

	if (!context)
		return NULL;
	context->public.name = kind_names[kind];
	context->public.name_bytes = strlen(kind_names[kind]);
	context->public.has_name = true;
	contexts->special[kind] = &context->public;
	return &context->public;
}

const struct rst_context *contexts_isr(struct contexts *contexts, struct arena *arena, uint64_t number)
{
	struct context *context = map_find(&contexts->interrupts, number);
	char *name;

	if (context)
		return &context->public;
	context = contexts_add(contexts, arena, RST_CONTEXT_ISR, number);
	name = arena_alloc(arena, sizeof("isr ") + TEXT_DEC_MAX + TEXT_SHORT);
	if (!context || !name || !map_set(&contexts->interrupts, number, context))
		return NULL;
	context->public.is_number = true;
	context->public.name = name;
	context->public.name_bytes = (size_t)(text_put_dec(text_put_literal(name, "isr "), number) - name);
	context->public.has_name = true;
	return &context->public;
}

void contexts_done(struct contexts *contexts)
{
	map_done(&contexts->threads);
	map_done(&contexts->interrupts);
	map_done(&contexts->unknown);
	free(contexts->nameless);
	free(contexts->all);
	*contexts = (struct contexts){ 0 };
}
