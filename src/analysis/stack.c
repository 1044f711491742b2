/* SPDX-License-Identifier: MIT */
#include "analysis/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

/* An address not farther below the stack than this share of it has overflowed it. */
enum { BELOW_SHARE = 8 };

/* Finds a detail of an object by the name that `info` shows. */
static uint64_t detail_of(const struct rst_object *object, const char *name)
{
	for (size_t i = 0; object && i < object->n_details; i++)
		if (strcmp(object->details[i].name, name) == 0)
			return object->details[i].number;
	return 0;
}

struct stack_place stack_place_of(const struct rst_object *thread)
{
	return (struct stack_place){ detail_of(thread, "stack_start"), detail_of(thread, "stack_size") };
}

bool stack_free_at(const struct stack_place *place, uint64_t address, uint64_t *ret_n_free)
{
	const uint64_t begin = place->begin, size = place->size;

	if (!size)
		return false;
	*ret_n_free = address >= begin ? address - begin : 0;
	return address >= begin ? address - begin <= size : begin - address <= size / BELOW_SHARE;
}

bool stack_free_of(const struct rst_effect_facts *facts, uint64_t *ret_n_free)
{
	return facts->object.kind == RST_OBJECT_THREAD && facts->effect->is_free && facts->has_value &&
	       number_count(number_as(facts->value, facts->value_type), ret_n_free);
}

static int16_t stack_field_of(const struct rst_layout *layout)
{
	for (unsigned i = 0; i < layout->n_fields && i < INT16_MAX - 1; i++)
		if (layout->fields[i].is_stack)
			return (int16_t)(i + 1);
	return -1;
}

static __attribute__((noinline)) enum stack_look stack_address(
	struct stack_fields *fields, const struct rst_batch *batch, size_t row, uint64_t *ret_address)
{
	const struct rst_layout *layout = batch->layout[row];
	int16_t *numbers = array_reach(fields->numbers, &fields->room, layout->index, sizeof(*numbers));
	const struct rst_field *field;

	if (!numbers)
		return STACK_LOOK_NO_MEMORY;
	fields->numbers = numbers;
	if (!numbers[layout->index])
		numbers[layout->index] = stack_field_of(layout);
	if (numbers[layout->index] < 0)
		return STACK_LOOK_NOTHING;
	field = &layout->fields[numbers[layout->index] - 1];
	if (!rst_field_is_there(field, batch->payload_bytes[row]))
		return STACK_LOOK_NOTHING;
	*ret_address = rst_field_number(field, batch->payload[row], batch->payload_bytes[row]);
	return STACK_LOOK_ADDRESS;
}

enum stack_look stack_fields_look(
	struct stack_fields *fields, const struct rst_batch *batch, size_t row, uint64_t *ret_address)
{
	const uint32_t index = batch->layout[row]->index;

	if (batch->type[row]->marker != RST_EVENT || batch->context[row]->kind != RST_CONTEXT_THREAD ||
		(index < fields->room && fields->numbers[index] < 0))
		return STACK_LOOK_NOTHING;
	return stack_address(fields, batch, row, ret_address);
}

void stack_fields_done(struct stack_fields *fields)
{
	free(fields->numbers);
	*fields = (struct stack_fields){ 0 };
}
