/* SPDX-License-Identifier: MIT */
#include "model/effect.h"

#include <string.h>

#include "model/field.h"

static int16_t field_from(const int8_t *field_of, int16_t from, bool *ret_is_missing)
{
	if (from <= RST_FROM_NOTHING)
		return from;
	if (field_of[from - 1] < 0) {
		*ret_is_missing = true;
		return RST_FROM_NOTHING;
	}
	return (int16_t)(field_of[from - 1] + 1);
}

static bool effect_bind(struct rst_effect *effect, const int8_t *field_of)
{
	struct rst_operand *const needed[] = { &effect->thread, &effect->object, &effect->when[0].of,
		&effect->when[1].of, &effect->when[2].of };
	struct rst_operand *const others[] = { &effect->other, &effect->value, &effect->amount,
		&effect->limit, &effect->capacity, &effect->code, &effect->key };
	bool is_missing = false, is_absent = false;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		needed[i]->from = field_from(field_of, needed[i]->from, &is_missing);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		others[i]->from = field_from(field_of, others[i]->from, &is_absent);
	return !is_missing;
}

unsigned effects_bind(
	struct rst_effect *ret, const struct rst_effect *rows, size_t n_rows, const int8_t *field_of)
{
	unsigned n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		if (rows[i].kind == RST_EFFECT_NONE)
			continue;
		ret[n] = rows[i];
		n += effect_bind(&ret[n], field_of);
	}
	return n;
}

bool effects_give(
	struct rst_layout *layout, struct model *model, const struct rst_effect *rows, const int8_t *field_of)
{
	struct rst_effect *effects;
	size_t n_rows = 0;

	while (rows && rows[n_rows].kind != RST_EFFECT_NONE)
		n_rows++;
	layout->no_effect = rows && n_rows == 0 ? rows->name : NULL;
	if (n_rows == 0)
		return true;
	effects = arena_alloc(&model->arena, n_rows * sizeof(*effects));
	if (!effects)
		return false;
	layout->effects = effects;
	layout->n_effects = effects_bind(effects, rows, n_rows, field_of);
	return true;
}

/* One row, while its effects are read. */
struct reading {
	struct model *model;
	const struct rst_batch *batch;
	size_t row;
};

static const struct rst_field *operand_field(const struct reading *reading, const struct rst_operand *of)
{
	return &reading->batch->layout[reading->row]->fields[of->from - 1];
}

/* false: the effect has no such number, or the payload is too short for it. */
static bool operand_number(const struct reading *reading, const struct rst_operand *of, uint64_t *ret)
{
	const struct rst_batch *batch = reading->batch;

	*ret = (uint64_t)(int64_t)of->add;
	if (of->from == RST_FROM_CONSTANT)
		return true;
	if (of->from == RST_FROM_SELF) {
		*ret = batch->context[reading->row]->id;
		return true;
	}
	if (of->from <= RST_FROM_NOTHING)
		return false;
	const struct rst_field *field = operand_field(reading, of);
	const uint32_t n_bytes = batch->payload_bytes[reading->row];

	if (!field_is_there(field, n_bytes))
		return false;
	*ret += rst_field_number(field, batch->payload[reading->row], n_bytes);
	return true;
}

/* Real numbers of 4 bytes are widened, so that the value need not have their width beside it. */
static void read_value(
	const struct reading *reading, const struct rst_operand *of, struct rst_effect_facts *ret)
{
	const struct rst_batch *batch = reading->batch;
	const struct rst_field *field = of->from > 0 ? operand_field(reading, of) : NULL;

	ret->has_value = operand_number(reading, of, &ret->value);
	ret->value_type = field ? field->type : RST_UNSIGNED;
	if (!ret->has_value || ret->value_type != RST_REAL)
		return;
	const double wide =
		rst_field_real(field, batch->payload[reading->row], batch->payload_bytes[reading->row]);

	memcpy(&ret->value, &wide, sizeof(wide));
}

/* Whether the number is the id of the thread that made the event, whichever use of the id both are. */
static bool is_self(const struct reading *reading, uint64_t number)
{
	const struct rst_context *self = reading->batch->context[reading->row];

	return self->kind == RST_CONTEXT_THREAD &&
	       contexts_is_same(&reading->model->contexts, number, self->id);
}

/* Threads are counted from 0 in some dialects. */
static bool zero_is_thread(const struct reading *reading, const struct rst_operand *of)
{
	return of->from > 0 && operand_field(reading, of)->type == RST_OBJECT &&
	       !operand_field(reading, of)->zero_is_none;
}

static bool condition_holds(const struct reading *reading, const struct rst_condition *condition)
{
	const uint64_t value = condition->value;
	uint64_t number;

	if (!operand_number(reading, &condition->of, &number))
		return false;
	switch (condition->test) {
	case RST_TEST_IS:
		return number == value;
	case RST_TEST_IS_NOT:
		return number != value;
	case RST_TEST_AT_LEAST:
		return number >= value;
	case RST_TEST_BELOW:
		return number < value;
	case RST_TEST_HAS:
		return (number & value) != 0;
	case RST_TEST_LACKS:
		return (number & value) == 0;
	case RST_TEST_IS_SELF:
		return is_self(reading, number);
	case RST_TEST_IS_OTHER:
		return !is_self(reading, number) && (number != 0 || zero_is_thread(reading, &condition->of));
	case RST_TEST_NONE:
		break;
	}
	return true;
}

static bool conditions_hold(const struct reading *reading, const struct rst_effect *effect)
{
	for (size_t i = 0; i < RST_CONDITIONS_MAX && effect->when[i].test != RST_TEST_NONE; i++)
		if (!condition_holds(reading, &effect->when[i]))
			return false;
	return true;
}

/* The context of the thread that an id names. NULL when memory ran out. */
static const struct rst_context *thread_find(const struct reading *reading, uint64_t id)
{
	struct model *model = reading->model;

	return contexts_find(&model->contexts, &model->objects, &model->arena,
		reading->batch->context[reading->row]->process, id, reading->batch->seq[reading->row]);
}

/* false: the effect needs a thread that the payload is too short for. A field that says "none" gives no thread. */
static bool read_thread(
	const struct reading *reading, const struct rst_operand *of, struct rst_effect_facts *ret)
{
	const struct rst_batch *batch = reading->batch;
	uint64_t id;

	ret->has_unknown_thread = of->from == RST_FROM_UNKNOWN;
	if (of->from == RST_FROM_NOTHING || ret->has_unknown_thread)
		return true;
	if (of->from == RST_FROM_SELF) {
		ret->thread = batch->context[reading->row];
		return true;
	}
	if (!operand_number(reading, of, &id))
		return false;
	if (id != 0 || !operand_field(reading, of)->zero_is_none)
		ret->thread = thread_find(reading, id);
	return true;
}

/*
 * What an id means. The kind that a field has counts strictly; of another one only the word counts, because the recording may
 * have named the object as something more general.
 */
static const struct rst_object *object_find(
	const struct reading *reading, uint64_t id, enum rst_object_kind kind, bool is_strict)
{
	const struct objects *objects = &reading->model->objects;
	const uint64_t seq = reading->batch->seq[reading->row],
		       process = reading->batch->context[reading->row]->process;
	const struct rst_object *object = objects_at(objects, process, id, kind, seq);

	if (!object && !is_strict && kind < RST_OBJECT_SIGNAL && !objects->is_by_kind)
		object = objects_at(objects, process, id, RST_OBJECT_UNKNOWN, seq);
	return object;
}

static bool read_ref(const struct reading *reading, const struct rst_operand *of, enum rst_object_kind kind,
	struct rst_ref *ret)
{
	bool is_strict = false;
	uint64_t id;

	if (of->from == RST_FROM_NOTHING)
		return true;
	if (of->from == RST_FROM_UNKNOWN || of->from == RST_FROM_TYPE) {
		*ret = (struct rst_ref){
			.is_there = true, .is_unknown = of->from == RST_FROM_UNKNOWN, .kind = kind
		};
		return true;
	}
	if (!operand_number(reading, of, &id))
		return false;
	if (of->from == RST_FROM_SELF)
		kind = RST_OBJECT_THREAD;
	else if (of->from > 0 && operand_field(reading, of)->object_kind != RST_OBJECT_UNKNOWN) {
		kind = operand_field(reading, of)->object_kind;
		is_strict = true;
	}
	if (of->from > 0 && id == 0 && operand_field(reading, of)->zero_is_none)
		return true;
	*ret = (struct rst_ref){
		.is_there = true, .kind = kind, .id = id, .object = object_find(reading, id, kind, is_strict)
	};
	if (ret->object && kind == RST_OBJECT_UNKNOWN)
		ret->kind = ret->object->kind;
	ret->process = ret->object ? ret->object->process
				   : objects_scope(&reading->model->objects,
					     reading->batch->context[reading->row]->process, ret->kind);
	ret->is_number =
		ret->object ? ret->object->is_number : of->from > 0 && operand_field(reading, of)->is_number;
	return true;
}

/* The thread that an object is: a created or deleted one, an owner. NULL: it is none. */
static const struct rst_context *thread_of_ref(const struct reading *reading, const struct rst_ref *ref)
{
	if (!ref->is_there || ref->is_unknown || ref->kind != RST_OBJECT_THREAD)
		return NULL;
	return thread_find(reading, ref->id);
}

static void read_code(
	const struct reading *reading, const struct rst_effect *effect, struct rst_effect_facts *ret)
{
	uint64_t number;

	if (!effect->codes || !operand_number(reading, &effect->code, &number))
		return;
	for (size_t i = 0; i < effect->codes->n_rows; i++) {
		const struct rst_state_code *code = &effect->codes->rows[i];

		if ((number & code->mask) != code->value)
			continue;
		ret->state = code->state;
		ret->reason = code->reason;
		ret->phase = code->phase;
		return;
	}
}

bool effect_read(struct model *model, const struct rst_batch *batch, size_t row,
	const struct rst_effect *effect, struct rst_effect_facts *ret)
{
	const struct reading reading = { model, batch, row };

	if (!conditions_hold(&reading, effect))
		return false;
	*ret = (struct rst_effect_facts){
		.effect = effect, .phase = effect->phase, .state = effect->state, .reason = effect->reason
	};
	if (!read_thread(&reading, &effect->thread, ret) ||
		!read_ref(&reading, &effect->object, effect->object_kind, &ret->object))
		return false;
	(void)read_ref(&reading, &effect->other,
		effect->kind == RST_EFFECT_STATE ? RST_OBJECT_STATE : RST_OBJECT_UNKNOWN, &ret->other);
	read_code(&reading, effect, ret);
	ret->other_thread = thread_of_ref(&reading, &ret->other);
	if (effect->kind == RST_EFFECT_CREATE || effect->kind == RST_EFFECT_DELETE)
		ret->thread = thread_of_ref(&reading, &ret->object);
	read_value(&reading, &effect->value, ret);
	ret->has_amount = operand_number(&reading, &effect->amount, &ret->amount);
	ret->has_limit = operand_number(&reading, &effect->limit, &ret->limit);
	ret->has_capacity = operand_number(&reading, &effect->capacity, &ret->capacity);
	ret->has_key = operand_number(&reading, &effect->key, &ret->key);
	return true;
}
