/* SPDX-License-Identifier: MIT */
/*
 * This file makes the tables of events into types of the model. A row's payload has a slot of eight bytes for
 * each field: a number, or the place of a text or a list behind the slots. So all fields have fixed places,
 * and ids that the recorder shrinks come back whole. A layout is made when its event first occurs. One event
 * has several layouts where its effects depend on earlier events: a task that is ready cannot be woken.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dialect/event_table.h"
#include "dialect/systemview/systemview.h"
#include "model/effect.h"

enum { SLOT_BYTES = 8, NAME_BYTES = 24, HANDLE_FIELD = 1, EFFECTS_MAX = 12 };

#define FIELD(name, type, kind) { #name, SV_##type, RST_OBJECT_##kind, NULL },
#define NUMBER(name)		FIELD(name, NUMBER, UNKNOWN)
#define SIGNED(name)		FIELD(name, SIGNED, UNKNOWN)
#define HEX(name)		FIELD(name, HEX, UNKNOWN)
#define ADDRESS(name)		FIELD(name, ADDRESS, UNKNOWN)
#define POINTER(name)		FIELD(name, POINTER, UNKNOWN)
#define SIZE(name)		FIELD(name, SIZE, UNKNOWN)
#define TEXT(name)		FIELD(name, TEXT, UNKNOWN)
#define REAL(name)		FIELD(name, REAL, UNKNOWN)
#define LOW_HIGH(name)		FIELD(name, LOW_HIGH, UNKNOWN)
#define REST(name)		FIELD(name, REST, UNKNOWN)
#define TASK(name)		FIELD(name, TASK, THREAD)
#define HANDLE(name)		FIELD(name, HANDLE, QUEUE)
#define QUEUE(name)		FIELD(name, OBJECT, QUEUE)
#define MUTEX(name)		FIELD(name, OBJECT, MUTEX)
#define SEMAPHORE(name)		FIELD(name, OBJECT, SEMAPHORE)
#define FLAGS(name)		FIELD(name, OBJECT, EVENT_FLAGS)
#define TIMER(name)		FIELD(name, OBJECT, TIMER)
#define POOL(name)		FIELD(name, OBJECT, BYTE_POOL)
#define HEAP(name)		FIELD(name, OBJECT, BYTE_POOL)
#define MEMORY(name)		FIELD(name, OBJECT, MEMORY)
#define INTERRUPT(name)		FIELD(name, INTERRUPT, INTERRUPT)
#define SPAN(name)		FIELD(name, COUNTED, FUNCTION)
#define SAMPLE(name)		FIELD(name, COUNTED, MEMORY)
#define NOTHING			{ NULL, SV_NO_FIELD, RST_OBJECT_UNKNOWN, NULL },
#define SV_FIELDS(...)		((const struct sv_field[]){ __VA_ARGS__ NOTHING })
#undef FIELDS
#define FIELDS(...) SV_FIELDS(__VA_ARGS__)

#define F1 ARGUMENT(1)
#define F2 ARGUMENT(2)
#define F3 ARGUMENT(3)
#define F4 ARGUMENT(4)

/* All systems agree on this cause of TASK_STOP_READY. Other causes only say that a task waits. */
CODES(causes, { UINT64_MAX, 27, RST_STATE_WAITING, RST_REASON_SUSPENDED, RST_DONE })

struct core_event {
	struct sv_event event;
	unsigned ex;
};

static const struct core_event core_events[] = {
#define EVENT(id_, ex_, name_, label_, fields_, effects_) \
	{ { .id = id_, .name = #name_, .label = label_, .fields = fields_, .effects = effects_ }, ex_ },
#include "dialect/systemview/core.def"
};

#define CALL(id_, name_, role_, fields_) \
	{ .id = id_, .name = #name_, .label = "", .fields = fields_, .role = SV_##role_ },
static const struct sv_event freertos10[] = {
#include "dialect/systemview/set_freertos10.def"
};
static const struct sv_event freertos11[] = {
#include "dialect/systemview/set_freertos11.def"
};
static const struct sv_event esp_idf[] = {
#include "dialect/systemview/set_esp_idf.def"
};
static const struct sv_event zephyr[] = {
#include "dialect/systemview/set_zephyr.def"
};
static const struct sv_event threadx[] = {
#include "dialect/systemview/set_threadx.def"
};
static const struct sv_event ucos2[] = {
#include "dialect/systemview/set_ucos2.def"
};
static const struct sv_event ucos3[] = {
#include "dialect/systemview/set_ucos3.def"
};
static const struct sv_event nuttx[] = {
#include "dialect/systemview/set_nuttx.def"
};

/* The names of the calls of a set, for the events that have an id as a number. */
#undef CALL
#define CALL(id_, name_, role_, fields_) { id_, #name_ },
static const struct rst_constant freertos10_ids[] = {
#include "dialect/systemview/set_freertos10.def"
};
static const struct rst_constant freertos11_ids[] = {
#include "dialect/systemview/set_freertos11.def"
};
static const struct rst_constant esp_idf_ids[] = {
#include "dialect/systemview/set_esp_idf.def"
};
static const struct rst_constant zephyr_ids[] = {
#include "dialect/systemview/set_zephyr.def"
};
static const struct rst_constant threadx_ids[] = {
#include "dialect/systemview/set_threadx.def"
};
static const struct rst_constant ucos2_ids[] = {
#include "dialect/systemview/set_ucos2.def"
};
static const struct rst_constant ucos3_ids[] = {
#include "dialect/systemview/set_ucos3.def"
};
static const struct rst_constant nuttx_ids[] = {
#include "dialect/systemview/set_nuttx.def"
};

#define SET(name_, rows_, ends_, whole_, ...)                                                       \
	{                                                                                           \
		.name = name_, .n_events = N_ROWS(rows_), .events = rows_, .has_ends = ends_,       \
		.has_whole_addresses = whole_, .ids = { "call", N_ROWS(rows_##_ids), rows_##_ids }, \
		__VA_ARGS__                                                                         \
	}

const struct sv_set sv_sets[] = {
	SET("freertos10", freertos10, false, false),
	SET("freertos11", freertos11, true, false, .all_end = true),
	SET("esp-idf", esp_idf, false, false),
	SET("zephyr", zephyr, true, true),
	SET("threadx", threadx, true, false),
	SET("ucos2", ucos2, true, false),
	SET("ucos3", ucos3, true, false),
	SET("nuttx", nuttx, false, false, .hides_waits = true),
	{ .name = NULL },
};

const struct sv_set *sv_set_find(const char *name)
{
	for (const struct sv_set *set = sv_sets; set->name; set++)
		if (strcmp(set->name, name) == 0)
			return set;
	return NULL;
}

const struct sv_event *sv_event_find(const struct sv_set *set, uint32_t id)
{
	size_t low = 0, high = set ? set->n_events : 0;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (set->events[middle].id == id)
			return &set->events[middle];
		if (set->events[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct sv_event *sv_event_core(uint32_t id, uint64_t ex)
{
	for (size_t i = 0; i < N_ROWS(core_events); i++)
		if (core_events[i].event.id == id && core_events[i].ex == ex)
			return &core_events[i].event;
	return NULL;
}

/* --- effects ------------------------------------------------------------------------------------------- */

#define ONE .amount = CONSTANT(1), .unit = RST_UNIT_COUNT

/* The effects of a call that takes from, or gives to, the handle in its first field. Its kind decides. */
struct role_effect {
	enum sv_role role;
	enum rst_object_kind kind; /* RST_OBJECT_UNKNOWN: any */
	struct rst_effect begin, done, failed;
};

#define ASKS(effect_, reason_)                                                                              \
	{                                                                                                   \
		.kind = effect_, .phase = RST_ASKS, .reason = reason_, .object = F1, ONE, .thread = BY_SELF \
	}
#define DOES(effect_, phase_)                                                          \
	{                                                                              \
		.kind = effect_, .phase = phase_, .object = F3, ONE, .thread = BY_SELF \
	}
#define WAITS_FOR(reason_)                                                                       \
	{                                                                                        \
		.kind = RST_EFFECT_WAIT, .phase = RST_ASKS, .reason = reason_, .thread = BY_SELF \
	}

static const struct role_effect role_effects[] = {
	{ SV_TAKES, RST_OBJECT_MUTEX,
		{ .kind = RST_EFFECT_ACQUIRE,
			.phase = RST_ASKS,
			.reason = RST_REASON_LOCK,
			.object = F1,
			.thread = BY_SELF },
		{ .kind = RST_EFFECT_ACQUIRE, .object = F3, .is_counted = true, .thread = BY_SELF },
		{ .kind = RST_EFFECT_ACQUIRE, .phase = RST_GAVE_UP, .object = F3, .thread = BY_SELF } },
	{ SV_TAKES, RST_OBJECT_SEMAPHORE, ASKS(RST_EFFECT_RECEIVE, RST_REASON_SEMAPHORE),
		DOES(RST_EFFECT_RECEIVE, RST_DONE), DOES(RST_EFFECT_RECEIVE, RST_GAVE_UP) },
	{ SV_TAKES, RST_OBJECT_UNKNOWN, ASKS(RST_EFFECT_RECEIVE, RST_REASON_QUEUE),
		DOES(RST_EFFECT_RECEIVE, RST_DONE), DOES(RST_EFFECT_RECEIVE, RST_GAVE_UP) },
	{ SV_GIVES, RST_OBJECT_MUTEX, { .kind = RST_EFFECT_RELEASE, .object = F1, .thread = BY_SELF }, { 0 },
		{ 0 } },
	{ SV_GIVES, RST_OBJECT_UNKNOWN, ASKS(RST_EFFECT_SEND, RST_REASON_QUEUE),
		DOES(RST_EFFECT_SEND, RST_DONE), DOES(RST_EFFECT_SEND, RST_GAVE_UP) },
	{ SV_GIVES_ISR, RST_OBJECT_UNKNOWN, { 0 }, DOES(RST_EFFECT_SEND, RST_DONE),
		DOES(RST_EFFECT_SEND, RST_GAVE_UP) },
	{ SV_TAKES_ISR, RST_OBJECT_UNKNOWN, { 0 }, DOES(RST_EFFECT_RECEIVE, RST_DONE),
		DOES(RST_EFFECT_RECEIVE, RST_GAVE_UP) },
	{ SV_SLEEPS, RST_OBJECT_UNKNOWN, WAITS_FOR(RST_REASON_SLEEP), { 0 }, { 0 } },
	{ SV_WAITS, RST_OBJECT_UNKNOWN, WAITS_FOR(RST_REASON_OTHER), { 0 }, { 0 } },
};

static const struct role_effect *role_find(enum sv_role role, enum rst_object_kind kind)
{
	for (size_t i = 0; i < N_ROWS(role_effects); i++)
		if (role_effects[i].role == role &&
			(role_effects[i].kind == kind || role_effects[i].kind == RST_OBJECT_UNKNOWN))
			return &role_effects[i];
	return NULL;
}

static size_t add_effect(struct rst_effect *effects, size_t n, const struct rst_effect *effect)
{
	if (!effect->kind)
		return n;
	effects[n] = *effect;
	return n + 1;
}

/* The effects of a call as it begins. Without END_CALL, it is a point, and may have succeeded already. */
static void begin_effects(
	struct rst_effect *effects, const struct sv_set *set, const struct sv_event *event, unsigned variant)
{
	const struct role_effect *role = role_find(event->role, variant & SV_VARIANT_KIND);
	size_t n = 0;

	if (role)
		n = add_effect(effects, n, &role->begin);
	if (event->role == SV_DELETES)
		effects[n++] = (struct rst_effect){
			.kind = RST_EFFECT_DELETE, .phase = RST_ASKS, .object = F1, WHEN(IS_NOT(F1, 0))
		};
	if (n && !(set->has_ends) && effects[0].phase == RST_ASKS && effects[0].kind != RST_EFFECT_WAIT)
		effects[0].is_partial = true;
	if (variant & SV_VARIANT_SPAN)
		effects[n++] = (struct rst_effect){
			.kind = RST_EFFECT_BEGIN, .thread = BY_SELF, .name = event->name
		};
	effects[n] = (struct rst_effect){ .kind = RST_EFFECT_NONE,
		.name = n ? NULL : "the events behind it tell what it changes" };
}

/* The effects of the end of a call: its fields are the event, the value and the handle. */
static void end_effects(struct rst_effect *effects, const struct sv_event *event, unsigned variant)
{
	const struct role_effect *role = role_find(event->role, variant & SV_VARIANT_KIND);
	size_t n = 0;

	if (role && (variant & SV_VARIANT_OBJECT)) {
		size_t from = n;

		n = add_effect(effects, n, &role->done);
		if (n > from)
			effects[n - 1].when[0] = (struct rst_condition)IS(F2, 1);
		from = n;
		n = add_effect(effects, n, &role->failed);
		if (n > from)
			effects[n - 1].when[0] = (struct rst_condition)IS(F2, 0);
	}
	if (event->role >= SV_CREATES && (variant & SV_VARIANT_OBJECT))
		effects[n++] = (struct rst_effect){ .kind = RST_EFFECT_CREATE, .object = F3 };
	if (variant & SV_VARIANT_SPAN)
		effects[n++] =
			(struct rst_effect){ .kind = RST_EFFECT_END, .thread = BY_SELF, .name = event->name };
	effects[n] = (struct rst_effect){ .kind = RST_EFFECT_NONE,
		.name = n ? NULL : "the call changed no state" };
}

/*
 * The effects of a switch. Interrupts that are open have ended. A task that leaves and waits asks for its
 * object once more, because calls inside of the one that blocks have hidden the request.
 */
static void switch_effects(
	struct rst_effect *effects, const struct sv_event *event, const struct sv_plan *plan)
{
	const unsigned n_out = plan->variant & SV_VARIANT_OUTS;
	const struct sv_awaited *awaited = plan->left ? plan->left->awaited : NULL;
	size_t n = 0;

	for (; n < n_out && n < SV_NESTING; n++)
		effects[n] = (struct rst_effect){ .kind = RST_EFFECT_INTERRUPT_OUT };
	if (awaited && !n)
		effects[n++] = (struct rst_effect){ .kind = plan->left->wants,
			.phase = RST_ASKS,
			.reason = plan->left->reason,
			.object = CONSTANT((int32_t)awaited->id),
			.object_kind = (enum rst_object_kind)awaited->kind,
			.thread = BY_SELF };
	effects[n] = event->effects[0];
	if (plan->left) {
		effects[n].state = RST_STATE_WAITING;
		effects[n].reason = plan->left->reason;
	}
	effects[n].is_partial = (plan->variant & SV_VARIANT_UNSAID) != 0;
	effects[++n] = (struct rst_effect){ .kind = RST_EFFECT_NONE };
}

/* --- layouts ------------------------------------------------------------------------------------------- */

static void field_fill(struct rst_field *to, const struct sv_field *from, unsigned at, bool counts_ids)
{
	static const enum rst_field_type types[] = { [SV_NUMBER] = RST_UNSIGNED,
		[SV_SIGNED] = RST_SIGNED,
		[SV_HEX] = RST_HEX,
		[SV_ADDRESS] = RST_ADDRESS,
		[SV_POINTER] = RST_ADDRESS,
		[SV_SIZE] = RST_UNSIGNED,
		[SV_TEXT] = RST_TEXT,
		[SV_TASK] = RST_OBJECT,
		[SV_OBJECT] = RST_OBJECT,
		[SV_COUNTED] = RST_OBJECT,
		[SV_HANDLE] = RST_OBJECT,
		[SV_INTERRUPT] = RST_OBJECT,
		[SV_REAL] = RST_REAL,
		[SV_LOW_HIGH] = RST_UNSIGNED,
		[SV_REST] = RST_SEQUENCE };

	*to = (struct rst_field){ .name = from->name,
		.type = types[from->type],
		.offset = at * SLOT_BYTES,
		.n_bytes = from->type == SV_REAL ? SLOT_BYTES / 2 : SLOT_BYTES,
		.extent = from->type == SV_TEXT || from->type == SV_REST ? RST_EXTENT_SPAN : RST_EXTENT_FIXED,
		.item_type = RST_UNSIGNED,
		.item_bytes = from->type == SV_REST ? SLOT_BYTES : 0,
		.object_kind = from->kind };
	if (from->names) {
		to->type = RST_ENUM;
		to->constants = from->names;
	}
	if (to->type == RST_OBJECT)
		to->is_number = from->type == SV_COUNTED || from->type == SV_INTERRUPT || counts_ids;
}

static unsigned count_fields(const struct sv_field *fields)
{
	unsigned n = 0;

	while (fields[n].name)
		n++;
	return n;
}

static const struct sv_shape *shape_add(struct model *model, const struct rst_type *type,
	const struct sv_field *fields, unsigned n_fields, const struct rst_effect *effects, bool counts_ids)
{
	struct sv_shape *shape = arena_alloc(&model->arena, sizeof(*shape));
	struct rst_field *made = arena_alloc(&model->arena, (n_fields + 1) * sizeof(*made));
	int8_t field_of[SV_FIELDS_MAX];

	check(n_fields <= SV_FIELDS_MAX);
	if (!shape || !made)
		return NULL;
	for (unsigned i = 0; i < n_fields; i++) {
		field_fill(&made[i], &fields[i], i, counts_ids);
		field_of[i] = (int8_t)i;
	}
	for (unsigned i = n_fields; i < SV_FIELDS_MAX; i++)
		field_of[i] = RST_NO_FIELD;
	struct rst_layout layout = { .n_fields = n_fields, .fields = made };

	if (!effects_give(&layout, model, effects, field_of))
		return NULL;
	*shape = (struct sv_shape){ model_add_layout(model, type, &layout), fields, n_fields };
	return shape->layout ? shape : NULL;
}

static const struct sv_field args_fields[] = { { "args", SV_REST, RST_OBJECT_UNKNOWN, NULL },
	{ NULL, SV_NO_FIELD, RST_OBJECT_UNKNOWN, NULL } };
static const struct sv_field bytes_fields[] = { { "bytes", SV_TEXT, RST_OBJECT_UNKNOWN, NULL },
	{ NULL, SV_NO_FIELD, RST_OBJECT_UNKNOWN, NULL } };
static const struct sv_field end_fields[] = { { "event", SV_NUMBER, RST_OBJECT_UNKNOWN, NULL },
	{ "value", SV_NUMBER, RST_OBJECT_UNKNOWN, NULL }, { "object", SV_HANDLE, RST_OBJECT_QUEUE, NULL },
	{ NULL, SV_NO_FIELD, RST_OBJECT_UNKNOWN, NULL } };

/* A copy of the fields of an event. Returns NULL if memory ran out. */
static struct sv_field *fields_copy(struct model *model, const struct sv_field *fields)
{
	const unsigned n = count_fields(fields);
	struct sv_field *own = arena_alloc(&model->arena, (n + 1) * sizeof(*own));

	return own ? memcpy(own, fields, (n + 1) * sizeof(*own)) : NULL;
}

/* Fields of an event, with another kind for its handles. */
static const struct sv_field *fields_with_kind(
	struct model *model, const struct sv_field *fields, enum rst_object_kind kind)
{
	struct sv_field *own;

	if (kind == RST_OBJECT_UNKNOWN || kind == RST_OBJECT_QUEUE)
		return fields;
	own = fields_copy(model, fields);
	for (struct sv_field *field = own; field && field->name; field++)
		if (field->type == SV_HANDLE)
			field->kind = (uint8_t)kind;
	return own;
}

/* An event that no table has: its name, or its number, and its numbers. */
static const struct sv_shape *shape_unknown(struct sv *sv, struct model *model, uint32_t id, unsigned variant)
{
	const struct sv_module_event *own = map_find(&sv->modules, id);
	const struct sv_event *event = sv_event_find(sv->set, id);
	struct rst_type type = { .id = id, .label = "" };
	char *numbered = arena_alloc(&model->arena, NAME_BYTES);
	const char *why = "what the program's own event means is not known";
	const struct rst_effect none[] = { { .kind = RST_EFFECT_NONE, .name = why } };

	if (!numbered)
		return NULL;
	snprintf(numbered, NAME_BYTES, "EVENT_%u", id);
	type.name = own ? own->name : event ? event->name : numbered;
	type.other_name = own || event ? numbered : NULL;
	if (own && !variant)
		return shape_add(model, &type, own->fields, own->n_fields, none, false);
	return shape_add(
		model, &type, variant == SV_VARIANT_BYTES ? bytes_fields : args_fields, 1, none, false);
}

static const struct sv_shape *shape_end(struct sv *sv, struct model *model, unsigned variant)
{
	static const struct rst_effect none[] = { { .kind = RST_EFFECT_NONE,
		.name = "no begin of this call is known" } };
	const struct sv_event *event = sv_event_find(sv->set, variant >> SV_VARIANT_CALL_SHIFT);
	struct sv_field *fields = fields_copy(model, end_fields);
	struct rst_effect effects[EFFECTS_MAX];

	if (!fields)
		return NULL;
	fields[0].names = sv->set ? &sv->set->ids : NULL;
	if (variant & SV_VARIANT_KIND)
		fields[2].kind = variant & SV_VARIANT_KIND;
	if (event)
		end_effects(effects, event, variant);
	return shape_add(model,
		&(struct rst_type){ .id = SV_END_CALL, .name = "END_CALL", .label = "call returns" }, fields,
		variant & SV_VARIANT_OBJECT ? 3 : 2, event ? effects : none, !sv->ram_base && !sv->shift);
}

static const struct sv_shape *shape_call(
	struct sv *sv, struct model *model, const struct sv_event *event, unsigned variant)
{
	struct rst_effect effects[EFFECTS_MAX];
	const struct sv_field *fields = fields_with_kind(model, event->fields, variant & SV_VARIANT_KIND);

	if (!fields)
		return NULL;
	begin_effects(effects, sv->set, event, variant);
	return shape_add(model,
		&(struct rst_type){ .id = event->id, .name = event->name, .label = event->label }, fields,
		count_fields(fields), effects, !sv->ram_base && !sv->shift);
}

static bool is_switch(uint32_t id)
{
	return id == SV_START_EXEC || id == SV_IDLE || id == SV_STOP_EXEC;
}

static const struct sv_shape *shape_core(
	struct sv *sv, struct model *model, const struct sv_event *event, const struct sv_plan *plan)
{
	static const struct rst_effect stops[] = {
		{ .kind = RST_EFFECT_WAIT, .phase = RST_ASKS, .thread = F1 }, { .kind = RST_EFFECT_NONE }
	};
	const unsigned variant = plan->variant;
	static const struct rst_effect no_end[] = { { .kind = RST_EFFECT_NONE,
		.name = "no interrupt is open" } };
	static const struct rst_effect no_wake[] = { { .kind = RST_EFFECT_NONE,
		.name = "the task is ready or runs already" } };
	const struct sv_field *fields = event->fields;
	const struct rst_effect *given = event->effects;
	struct rst_effect effects[EFFECTS_MAX];
	struct sv_field own[2];

	if (event->id == SV_START_READY && variant == SV_VARIANT_NO_WAKE)
		given = no_wake;
	if ((event->id == SV_ISR_EXIT || event->id == SV_ISR_TO_SCHEDULER) && variant)
		given = no_end;
	if (event->id == SV_STOP_READY && variant == SV_VARIANT_RUNS)
		given = stops;
	if (is_switch(event->id) && variant) {
		switch_effects(effects, event, plan);
		given = effects;
	}
	if (event->id == SV_DATA_SAMPLE && variant) {
		struct sv_field *kept = arena_alloc(&model->arena, 3 * sizeof(*kept));

		if (!kept)
			return NULL;
		memcpy(own, fields, sizeof(own));
		own[1].type = variant == SV_VARIANT_REAL ? SV_REAL : SV_SIGNED;
		memcpy(kept, own, sizeof(own));
		kept[2] = (struct sv_field){ 0 };
		fields = kept;
	}
	if (event->id == SV_NAME_RESOURCE) {
		fields = fields_with_kind(model, fields, variant);
		if (!fields)
			return NULL;
	}
	return shape_add(model,
		&(struct rst_type){ .id = event->id, .name = event->name, .label = event->label }, fields,
		count_fields(fields), given, !sv->ram_base && !sv->shift);
}

const struct sv_shape *sv_shape(struct sv *sv, struct model *model, uint32_t id, const struct sv_plan *plan)
{
	const unsigned ex = plan->ex, variant = plan->variant;
	const unsigned awaited = plan->left && plan->left->awaited ? plan->left->awaited->number : 0;
	const uint64_t key = (uint64_t)variant << 32 | (uint64_t)((ex ? ex : awaited) & 0xffff) << 16 | id;
	const struct sv_shape *shape = map_find(&sv->layouts, key);
	const struct sv_event *event;

	if (shape)
		return shape;
	event = sv_event_core(id, ex);
	if (id == SV_END_CALL)
		shape = shape_end(sv, model, variant);
	else if (event && variant != SV_VARIANT_ARGS && variant != SV_VARIANT_BYTES)
		shape = shape_core(sv, model, event, plan);
	else if (!event && id >= SV_ID_OWN && variant != SV_VARIANT_ARGS && variant != SV_VARIANT_BYTES &&
		 !map_find(&sv->modules, id) && sv_event_find(sv->set, id))
		shape = shape_call(sv, model, sv_event_find(sv->set, id), variant);
	else
		shape = shape_unknown(sv, model, id, variant);
	return shape && map_set(&sv->layouts, key, (void *)(uintptr_t)shape) ? shape : NULL;
}

bool sv_catalogue(struct model *model)
{
	for (size_t i = 0; i < N_ROWS(core_events); i++) {
		const struct sv_event *event = &core_events[i].event;

		if (!shape_add(model,
			    &(struct rst_type){ .id = event->id, .name = event->name, .label = event->label },
			    event->fields, count_fields(event->fields), event->effects, false))
			return false;
	}
	for (const struct sv_set *set = sv_sets; set->name; set++)
		for (size_t i = 0; i < set->n_events; i++) {
			const struct sv_event *event = &set->events[i];
			struct rst_effect effects[EFFECTS_MAX];

			begin_effects(effects, set, event, 0);
			if (!model_find_type(model, event->name) &&
				!shape_add(model,
					&(struct rst_type){
						.id = event->id, .name = event->name, .label = "" },
					event->fields, count_fields(event->fields), effects, false))
				return false;
		}
	return true;
}
