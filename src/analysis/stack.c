/* SPDX-License-Identifier: MIT */
#include "analysis/stack.h"

#include <string.h>

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

int16_t stack_field_of(const struct rst_layout *layout)
{
	for (unsigned i = 0; i < layout->n_fields && i < INT16_MAX - 1; i++)
		if (layout->fields[i].is_stack)
			return (int16_t)(i + 1);
	return -1;
}
