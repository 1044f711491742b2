/* SPDX-License-Identifier: MIT */
/* Reads the effects of one event by their plans. */
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "model/effect.h"
#include "model/effect_plan.h"
#include "model/field.h"

/* One row, while an effect of it is read. */
struct reading {
	struct model *model;
	const struct rst_context *self;
	const uint8_t *payload;
	uint32_t n_payload;
	uint64_t seq;
};

static const bool is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static __attribute__((noinline)) uint64_t number_load(
	const struct reading *reading, const struct plan_number *number)
{
	const uint8_t *payload = reading->payload;
	const struct rst_field *field = number->field;

	switch (number->load) {
	case LOAD_U32_SWAPPED:
		return load_u32(payload + number->offset, !is_big_endian);
	case LOAD_UINT:
		return load_uint(payload + number->offset, field->n_bytes, field->is_big_endian);
	case LOAD_FIELD:
		return rst_field_number(field, payload, reading->n_payload);
	case LOAD_SELF:
		return reading->self->id;
	case LOAD_U32:
		break;
	}
	return load_u32(payload + number->offset, is_big_endian);
}

static inline void numbers_load(const struct reading *reading, struct plan_number *number, unsigned n_numbers)
{
	for (; n_numbers; n_numbers--, number++) {
		number->is_there = number->end <= reading->n_payload;
		if (!number->is_there)
			continue;
		if (__builtin_expect(number->load == LOAD_U32, 1))
			number->value = load_u32(reading->payload + number->offset, is_big_endian);
		else
			number->value = number_load(reading, number);
	}
}

/* Returns false if the event has no such number, or its payload is too short for it. */
static inline bool number_read(const struct plan_use *use, uint64_t *ret)
{
	*ret = use->number->value + use->add;
	return use->number->is_there;
}

/* --- conditions ----------------------------------------------------------------------------------------- */

/* Whether the number is the id of the thread that made the event; the use counts in the ids do not matter. */
static bool is_self(const struct reading *reading, uint64_t number)
{
	const uint32_t origin = reading->self->origin;

	if (reading->self->kind != RST_CONTEXT_THREAD)
		return false;
	if (__builtin_expect(origin != 0, 0))
		return origins_is_same(&reading->model->origins, origin, number, reading->self->id);
	return contexts_is_same(&reading->model->contexts, number, reading->self->id);
}

/* Evaluates a condition that compares with another number of the event. */
__attribute__((noinline)) static bool compared_holds(const struct plan_condition *condition, uint64_t number)
{
	uint64_t with;

	if (!number_read(&condition->with, &with))
		return false;
	if (condition->test == PLAN_BELOW)
		return (number < with) == condition->is_wanted;
	return ((number & (condition->is_of_bits ? with : UINT64_MAX)) == (condition->is_all ? with : 0)) ==
	       condition->is_wanted;
}

static inline bool condition_holds(const struct reading *reading, const struct plan_condition *condition)
{
	uint64_t number;

	if (!number_read(&condition->use, &number))
		return false;
	if (condition->with.number)
		return compared_holds(condition, number);
	if (condition->test == PLAN_MASKED)
		return ((number & condition->mask) == condition->value) == condition->is_wanted;
	if (condition->test == PLAN_BELOW)
		return (number < condition->value) == condition->is_wanted;
	if (condition->test == PLAN_IS_SELF)
		return is_self(reading, number);
	return !is_self(reading, number) && (number != 0 || condition->zero_is_thread);
}

/* --- threads and objects -------------------------------------------------------------------------------- */

/* The context of the thread that an id names. Returns NULL if memory ran out. */
static const struct rst_context *thread_find(const struct reading *reading, uint64_t id)
{
	struct model *model = reading->model;

	return contexts_find(
		&model->contexts, &model->objects, &model->arena, reading->self->process, id, reading->seq);
}

/*
 * The context of an object that is a thread: created, deleted, or an owner. Returns NULL if the object is no
 * thread.
 */
static const struct rst_context *thread_of_ref(const struct reading *reading, const struct rst_ref *ref)
{
	return ref->is_there && !ref->is_unknown && ref->kind == RST_OBJECT_THREAD
		       ? thread_find(reading, ref->id)
		       : NULL;
}

/*
 * The object that an id names: of several addresses of one shared lock, the first. Returns NULL if it is new.
 */
static inline const struct rst_object *object_find(
	const struct reading *reading, const struct plan_step *step, uint64_t id)
{
	const struct objects *objects = &reading->model->objects;
	const uint64_t process = reading->self->process;
	const struct rst_object *object = objects_at(objects, process, id, step->kind, reading->seq);

	if (!object && !step->is_strict && step->kind < RST_OBJECT_SIGNAL && !objects->is_by_kind)
		object = objects_at(objects, process, id, RST_OBJECT_UNKNOWN, reading->seq);
	return object && object->same ? object->same : object;
}

/* Returns false if the payload is too short. */
static inline bool ref_read(const struct reading *reading, const struct plan_step *step, struct rst_ref *ret)
{
	const struct rst_field *field = step->use.number->field;
	const struct rst_object *object;
	uint64_t id;

	if (!number_read(&step->use, &id) || (id == 0 && step->zero_is_none)) {
		*ret = (struct rst_ref){ .is_there = false };
		return step->use.number->is_there;
	}
	object = object_find(reading, step, id);
	ret->is_there = true;
	ret->object = object;
	if (object) {
		ret->kind = step->kind == RST_OBJECT_UNKNOWN ? object->kind : step->kind;
		ret->id = object->id;
		ret->process = object->process;
		ret->is_number = object->is_number;
	} else {
		ret->kind = step->kind;
		ret->id = id;
		ret->process = objects_scope(&reading->model->objects, reading->self->process, step->kind);
		ret->is_number = field && field->is_number;
	}
	return true;
}

/* --- steps ---------------------------------------------------------------------------------------------- */

static const struct rst_state_code *code_find(
	const struct plan_step *step, const struct rst_state_codes *codes)
{
	uint64_t number;

	if (number_read(&step->use, &number))
		for (size_t i = 0; i < codes->n_rows; i++)
			if ((number & codes->rows[i].mask) == codes->rows[i].value)
				return &codes->rows[i];
	return NULL;
}

static void code_read(const struct plan_step *step, struct rst_effect_facts *ret)
{
	const struct rst_effect *effect = ret->effect;
	const struct rst_state_code *code = code_find(step, effect->codes);

	ret->state = code ? code->state : effect->state;
	ret->reason = code ? code->reason : effect->reason;
	ret->phase = code ? code->phase : effect->phase;
}

static inline const struct rst_context *thread_read(
	const struct reading *reading, const struct plan_step *step, bool *ret_is_short)
{
	uint64_t id;

	*ret_is_short = !number_read(&step->use, &id);
	/* If the field means "none", there is no thread. */
	return *ret_is_short || (id == 0 && step->zero_is_none) ? NULL : thread_find(reading, id);
}

static inline void fact_read(const struct plan_step *step, struct rst_effect_facts *ret)
{
	char *facts = (char *)ret;
	uint64_t number;

	facts[step->has_at] = number_read(&step->use, &number);
	if (!facts[step->has_at])
		number = 0;
	memcpy(facts + step->at, &number, sizeof(number));
}

/* Widens real numbers of 4 bytes, so that the value needs no width. */
static void real_read(
	const struct reading *reading, const struct plan_step *step, struct rst_effect_facts *ret)
{
	const struct rst_field *field = step->use.number->field;
	double wide = rst_field_real(field, reading->payload, reading->n_payload);

	if (field->n_bytes == sizeof(float))
		wide = number_widen((float)wide);
	wide += (double)(int64_t)step->use.add;

	ret->has_value = step->use.number->is_there;
	memcpy(&ret->value, &wide, sizeof(wide));
}

/* Returns false if the effect does not hold, because the payload is too short for its thread or object. */
static inline bool step_run(
	const struct reading *reading, const struct plan_step *step, struct rst_effect_facts *ret)
{
	bool is_short;

	switch (step->act) {
	case PLAN_THREAD:
		ret->thread = thread_read(reading, step, &is_short);
		return !is_short;
	case PLAN_SELF:
		ret->thread = reading->self;
		return true;
	case PLAN_OBJECT:
		return ref_read(reading, step, &ret->object);
	case PLAN_OTHER:
		ref_read(reading, step, &ret->other);
		return true;
	case PLAN_CODE:
		code_read(step, ret);
		return true;
	case PLAN_OTHER_THREAD:
		ret->other_thread = thread_of_ref(reading, &ret->other);
		return true;
	case PLAN_OBJECT_THREAD:
		ret->thread = thread_of_ref(reading, &ret->object);
		return true;
	case PLAN_NUMBER:
		fact_read(step, ret);
		return true;
	case PLAN_REAL:
		real_read(reading, step, ret);
		return true;
	}
	return true;
}

/* If the effect holds, sets plan->facts and returns true. */
static inline bool plan_run(const struct reading *reading, struct effect_plan *plan)
{
	const struct plan_condition *condition = plan->conditions;
	const struct plan_step *step = plan->steps;

	for (unsigned n = plan->n_conditions; n; n--, condition++)
		if (!condition_holds(reading, condition))
			return false;
	for (unsigned n = plan->n_steps; n; n--, step++)
		if (!step_run(reading, step, &plan->facts))
			return false;
	return true;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static inline struct reading reading_of(struct model *model, const struct rst_batch *batch, size_t row)
{
	return (struct reading){ model, batch->context[row], batch->payload[row], batch->payload_bytes[row],
		batch->seq[row] };
}

/* The plan of the layout, which is made on first use. Returns NULL if memory ran out. */
static __attribute__((noinline)) struct layout_plan *effect_read_plan_keep(
	struct model *model, const struct rst_layout *layout)
{
	struct layout_plan **plans =
		array_reach(model->plans, &model->plans_room, layout->index, sizeof(struct layout_plan *));

	if (!plans)
		return NULL;
	model->plans = plans;
	return plans[layout->index] = layout_plan_make(&model->arena, layout);
}

static inline struct layout_plan *plan_of(struct model *model, const struct rst_layout *layout)
{
	if (layout->index < model->plans_room && model->plans[layout->index])
		return model->plans[layout->index];
	return effect_read_plan_keep(model, layout);
}

/* Runs the wanted effects. Returns the number of effects that hold; their facts are in plan->held. */
static size_t effects_run(const struct reading *reading, const struct layout_plan *plan, uint64_t wanted)
{
	const struct rst_effect_facts **held = plan->held;
	struct effect_plan *const *effect = plan->effects;

	numbers_load(reading, plan->numbers, plan->n_numbers);
	for (unsigned n = plan->n_effects; n; n--, effect++) {
		if (wanted & 1 && plan_run(reading, *effect))
			*held++ = &(*effect)->facts;
		wanted = wanted >> 1 | (wanted & (uint64_t)1 << 63);
	}
	return (size_t)(held - plan->held);
}

bool effects_read(struct model *model, const struct rst_batch *batch, size_t row, uint64_t wanted,
	const struct rst_effect_facts *const **ret_facts, size_t *ret_n_facts)
{
	const struct reading reading = reading_of(model, batch, row);
	const struct layout_plan *plan = plan_of(model, batch->layout[row]);

	if (!plan)
		return false;
	*ret_facts = plan->held;
	*ret_n_facts = effects_run(&reading, plan, wanted);
	return true;
}

bool effect_read(struct model *model, const struct rst_batch *batch, size_t row,
	const struct rst_effect *effect, struct rst_effect_facts *ret)
{
	const struct rst_layout *layout = batch->layout[row];
	const struct reading reading = reading_of(model, batch, row);
	const size_t n = ((uintptr_t)effect - (uintptr_t)layout->effects) / sizeof(*effect);
	const struct layout_plan *kept = n < layout->n_effects ? plan_of(model, layout) : NULL;
	struct plan_number numbers[PLAN_NUMBERS_MAX];
	const struct rst_effect_facts *held;
	struct effect_plan own, *one = kept ? kept->effects[n] : &own;
	struct layout_plan plan = { .n_effects = 1, .numbers = numbers, .effects = &one, .held = &held };

	if (kept) {
		plan.numbers = kept->numbers;
		plan.n_numbers = kept->n_numbers;
	} else { /* the effect is not one of the layout's, or memory ran out */
		effect_plan_make(&own, effect, layout, numbers, &plan.n_numbers);
	}
	if (!effects_run(&reading, &plan, 1))
		return false;
	*ret = *held;
	return true;
}
