/* SPDX-License-Identifier: MIT */
#include "model/effect_plan.h"

#include <stddef.h>
#include <string.h>

#include "model/field.h"

static enum load load_of_field(const struct rst_field *field)
{
	const bool is_native = field->is_big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	if (field->n_bits || field->type == RST_SIGNED || !rst_field_is_number(field) || !field->n_bytes ||
		field->n_bytes > 8)
		return LOAD_FIELD;
	if (field->n_bytes != 4)
		return LOAD_UINT;
	return is_native ? LOAD_U32 : LOAD_U32_SWAPPED;
}

/* The end of a field that must be whole in the payload. A field that is no number may be cut. */
static uint32_t end_of_field(const struct rst_field *field)
{
	const uint64_t end = field_need(field);

	return end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

/* An effect that is being prepared. */
struct planning {
	struct effect_plan *plan;
	const struct rst_effect *effect;
	const struct rst_layout *layout;
	struct plan_number *numbers;
	unsigned *n_numbers;
};

/* The number of a field, or of the event's own context. */
static const struct plan_number *number_of(struct planning *planning, const struct rst_field *field)
{
	struct plan_number *number = planning->numbers, *end = number + *planning->n_numbers;

	while (number < end && number->field != field)
		number++;
	if (number < end)
		return number;
	++*planning->n_numbers;
	*number = (struct plan_number){ .load = field ? load_of_field(field) : LOAD_SELF,
		.offset = field ? field->offset : 0,
		.end = field ? end_of_field(field) : 0,
		.field = field };
	return number;
}

static struct plan_use use_of(struct planning *planning, const struct rst_operand *of)
{
	static const struct plan_number nothing = { .is_there = false }, zero = { .is_there = true };
	const uint64_t add = (uint64_t)(int64_t)of->add;

	if (of->from > 0)
		return (struct plan_use){ number_of(planning, &planning->layout->fields[of->from - 1]), add };
	if (of->from == RST_FROM_SELF)
		return (struct plan_use){ number_of(planning, NULL), 0 };
	return (struct plan_use){ of->from == RST_FROM_CONSTANT ? &zero : &nothing, add };
}

static struct plan_step *step_add(struct planning *planning, enum plan_act act, const struct rst_operand *of)
{
	struct plan_step *step = &planning->plan->steps[planning->plan->n_steps++];
	const struct plan_use use = use_of(planning, of);

	*step = (struct plan_step){
		.use = use, .act = act, .zero_is_none = use.number->field && use.number->field->zero_is_none
	};
	return step;
}

/*
 * Plans a condition: a test of bits or equality becomes a masked comparison; other tests compare order or
 * threads.
 */
static struct plan_condition condition_of(struct planning *planning, const struct rst_condition *when)
{
	static const struct {
		enum plan_test test;
		bool is_wanted;
		bool is_of_bits, is_all;
	} forms[] = {
		[RST_TEST_NONE] = { PLAN_BELOW, false, false, true },
		[RST_TEST_IS] = { PLAN_MASKED, true, false, true },
		[RST_TEST_IS_NOT] = { PLAN_MASKED, false, false, true },
		[RST_TEST_AT_LEAST] = { PLAN_BELOW, false, false, true },
		[RST_TEST_BELOW] = { PLAN_BELOW, true, false, true },
		[RST_TEST_HAS] = { PLAN_MASKED, false, true, false },
		[RST_TEST_LACKS] = { PLAN_MASKED, true, true, false },
		[RST_TEST_HAS_ALL] = { PLAN_MASKED, true, true, true },
		[RST_TEST_LACKS_SOME] = { PLAN_MASKED, false, true, true },
		[RST_TEST_IS_SELF] = { PLAN_IS_SELF, true, false, true },
		[RST_TEST_IS_OTHER] = { PLAN_IS_OTHER, true, false, true },
	};
	const struct plan_use use = use_of(planning, &when->of);
	const struct rst_field *field = use.number->field;
	const bool is_of_bits = forms[when->test].is_of_bits, is_all = forms[when->test].is_all;
	const bool has_with = when->with.from != RST_FROM_NOTHING;

	return (struct plan_condition){ .use = use,
		.test = forms[when->test].test,
		.is_wanted = forms[when->test].is_wanted,
		.zero_is_thread = field && field->type == RST_OBJECT && !field->zero_is_none,
		.mask = is_of_bits ? when->value : UINT64_MAX,
		.value = is_all ? when->value : 0,
		.with = has_with ? use_of(planning, &when->with) : (struct plan_use){ NULL, 0 },
		.is_of_bits = is_of_bits,
		.is_all = is_all };
}

static void plan_conditions(struct planning *planning)
{
	const struct rst_condition *when = planning->effect->when;
	struct effect_plan *plan = planning->plan;

	for (plan->n_conditions = 0; plan->n_conditions < RST_CONDITIONS_MAX; plan->n_conditions++) {
		if (when[plan->n_conditions].test == RST_TEST_NONE)
			break;
		plan->conditions[plan->n_conditions] = condition_of(planning, &when[plan->n_conditions]);
	}
}

static void plan_thread(struct planning *planning)
{
	const struct rst_operand *of = &planning->effect->thread;
	const bool is_none = of->from == RST_FROM_NOTHING || (of->from == RST_FROM_CONSTANT && !of->add);

	planning->plan->facts.has_unknown_thread = of->from == RST_FROM_UNKNOWN;
	if (of->from == RST_FROM_SELF)
		step_add(planning, PLAN_SELF, &(struct rst_operand){ RST_FROM_NOTHING, 0 });
	else if (!is_none && of->from != RST_FROM_UNKNOWN)
		step_add(planning, PLAN_THREAD, of);
}

/*
 * Plans a reference to an object. If the kind comes from the field, the object must have it. If it comes from
 * the effect, it is only the word for the object, and an object of another kind matches, too, because the
 * recording may have named the object as something more general.
 */
static const struct plan_step *plan_ref(struct planning *planning, enum plan_act act,
	const struct rst_operand *of, enum rst_object_kind kind, struct rst_ref *common)
{
	struct plan_step *step;

	if (of->from == RST_FROM_UNKNOWN || of->from == RST_FROM_TYPE)
		*common = (struct rst_ref){
			.is_there = true, .is_unknown = of->from == RST_FROM_UNKNOWN, .kind = kind
		};
	if (of->from == RST_FROM_NOTHING || common->is_there)
		return NULL;
	step = step_add(planning, act, of);
	step->kind = of->from == RST_FROM_SELF ? RST_OBJECT_THREAD : kind;
	if (step->use.number->field && step->use.number->field->object_kind != RST_OBJECT_UNKNOWN) {
		step->kind = step->use.number->field->object_kind;
		step->is_strict = true;
	}
	return step;
}

static void plan_values(struct planning *planning)
{
#define FACT(name) \
	&effect->name, offsetof(struct rst_effect_facts, name), offsetof(struct rst_effect_facts, has_##name)
	const struct rst_effect *effect = planning->effect;
	const struct {
		const struct rst_operand *of;
		uint16_t at, has_at;
	} facts[] = { { FACT(value) }, { FACT(amount) }, { FACT(limit) }, { FACT(capacity) }, { FACT(key) } };
	const struct rst_field *value =
		effect->value.from > 0 ? &planning->layout->fields[effect->value.from - 1] : NULL;

	char *common = (char *)&planning->plan->facts;

	planning->plan->facts.value_type = value ? value->type
					   : effect->value.from == RST_FROM_CONSTANT && effect->value.add < 0
						   ? RST_SIGNED
						   : RST_UNSIGNED;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const bool is_real = i == 0 && value && value->type == RST_REAL;

		if (facts[i].of->from == RST_FROM_CONSTANT) {
			const uint64_t number = (uint64_t)(int64_t)facts[i].of->add;

			memcpy(common + facts[i].at, &number, sizeof(number));
			common[facts[i].has_at] = true;
		}
		if (facts[i].of->from == RST_FROM_NOTHING || facts[i].of->from == RST_FROM_CONSTANT)
			continue;
		struct plan_step *step = step_add(planning, is_real ? PLAN_REAL : PLAN_NUMBER, facts[i].of);

		step->at = facts[i].at;
		step->has_at = facts[i].has_at;
	}
}

static bool may_be_thread(const struct plan_step *ref)
{
	return ref && (ref->kind == RST_OBJECT_THREAD || ref->kind == RST_OBJECT_UNKNOWN);
}

void effect_plan_make(struct effect_plan *ret, const struct rst_effect *effect,
	const struct rst_layout *layout, struct plan_number *numbers, unsigned *n_numbers)
{
	struct planning planning = { ret, effect, layout, numbers, n_numbers };
	struct rst_effect_facts *common = &ret->facts;
	const enum rst_object_kind other_kind =
		effect->kind == RST_EFFECT_STATE ? RST_OBJECT_STATE : RST_OBJECT_UNKNOWN;
	const bool is_life = effect->kind == RST_EFFECT_CREATE || effect->kind == RST_EFFECT_DELETE;
	const struct plan_step *object, *other;

	ret->n_steps = 0;
	*common = (struct rst_effect_facts){
		.effect = effect, .phase = effect->phase, .state = effect->state, .reason = effect->reason
	};
	plan_conditions(&planning);
	plan_thread(&planning);
	object = plan_ref(&planning, PLAN_OBJECT, &effect->object, effect->object_kind, &common->object);
	other = plan_ref(&planning, PLAN_OTHER, &effect->other, other_kind, &common->other);
	if (effect->codes)
		step_add(&planning, PLAN_CODE, &effect->code);
	if (may_be_thread(other))
		step_add(&planning, PLAN_OTHER_THREAD, &effect->other);
	if (is_life && (may_be_thread(object) || effect->thread.from != RST_FROM_NOTHING))
		step_add(&planning, PLAN_OBJECT_THREAD, &effect->object);
	plan_values(&planning);
}

static struct effect_plan *effect_plan_plan_keep(struct arena *arena, const struct effect_plan *plan)
{
	const size_t n_bytes = offsetof(struct effect_plan, steps) + plan->n_steps * sizeof(plan->steps[0]);
	struct effect_plan *kept = arena_alloc(arena, n_bytes);

	return kept ? memcpy(kept, plan, n_bytes) : NULL;
}

/* The most numbers that all effects may need: each field once, and self. */
static size_t n_numbers_of(const struct rst_layout *layout)
{
	const size_t by_fields = (size_t)layout->n_fields + 1,
		     by_effects = (size_t)layout->n_effects * PLAN_NUMBERS_MAX;

	return by_fields < by_effects ? by_fields : by_effects;
}

struct layout_plan *layout_plan_make(struct arena *arena, const struct rst_layout *layout)
{
	struct layout_plan *made = arena_alloc(arena, sizeof(*made));
	struct effect_plan **effects = arena_alloc(arena, layout->n_effects * sizeof(*effects));
	const struct rst_effect_facts **held = arena_alloc(arena, layout->n_effects * sizeof(*held));
	struct plan_number *numbers = arena_alloc(arena, n_numbers_of(layout) * sizeof(*numbers));
	struct effect_plan plan;

	if (!made || !effects || !held || !numbers)
		return NULL;
	*made = (struct layout_plan){
		.n_effects = layout->n_effects, .numbers = numbers, .effects = effects, .held = held
	};
	for (unsigned i = 0; i < layout->n_effects; i++) {
		effect_plan_make(&plan, &layout->effects[i], layout, numbers, &made->n_numbers);
		effects[i] = effect_plan_plan_keep(arena, &plan);
		if (!effects[i])
			return NULL;
	}
	return made;
}
