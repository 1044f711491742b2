/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "dialect/compact/compact.h"
#include "dialect/event_table.h"
#include "model/effect.h"

struct event_field {
	const char *name; /* NULL behind the last */
	enum rst_field_type type;
	enum rst_object_kind kind;
};

struct event {
	uint8_t number;
	const char *constant;
	const char *label;
	struct event_field fields[COMPACT_VALUES_MAX];
	const struct rst_effect *effects;
};

/* The vocabulary of the table, see event_table.h and events.def. */
#define OBJECT(name, kind) { #name, RST_OBJECT, RST_OBJECT_##kind },
#define TASK(name)	   OBJECT(name, THREAD)
#define INTERRUPT(name)	   OBJECT(name, INTERRUPT)
#define SEMAPHORE(name)	   OBJECT(name, SEMAPHORE)
#define MUTEX(name)	   OBJECT(name, MUTEX)
#define QUEUE(name)	   OBJECT(name, QUEUE)
#define TIMER(name)	   OBJECT(name, TIMER)
#define POOL(name)	   OBJECT(name, BYTE_POOL)
#define FLAGS(name)	   OBJECT(name, EVENT_FLAGS)
#define SPAN(name)	   OBJECT(name, FUNCTION)
#define LEVEL(name)	   OBJECT(name, MEMORY)
#define NUMBER(name)	   { #name, RST_UNSIGNED, RST_OBJECT_UNKNOWN },
#define HEX(name)	   { #name, RST_HEX, RST_OBJECT_UNKNOWN },
#define ADDRESS(name)	   { #name, RST_ADDRESS, RST_OBJECT_UNKNOWN },
#define NOTHING		   { NULL, RST_UNSIGNED, RST_OBJECT_UNKNOWN },

#define V0	  ARGUMENT(1)
#define V1	  ARGUMENT(2)
#define V2	  ARGUMENT(3)
#define ONE	  .amount = CONSTANT(1), .unit = RST_UNIT_COUNT
#define BYTES(of) .amount = of, .unit = RST_UNIT_BYTES
#define HOLDS_NOW E(LEVEL, .object = V0, .value = V1, .unit = RST_UNIT_COUNT)

#define EVENT(number, constant, label, fields, effects) { number, #constant, label, fields, effects },

static const struct event events[] = {
#include "dialect/compact/events.def"
};

/* The fields of the program's own events, and of events whose number is not in the table. */
static const struct event_field plain_fields[COMPACT_VALUES_MAX] = { { "a", RST_UNSIGNED,
									     RST_OBJECT_UNKNOWN },
	{ "b", RST_UNSIGNED, RST_OBJECT_UNKNOWN }, { "c", RST_UNSIGNED, RST_OBJECT_UNKNOWN } };

static const struct event *event_find(unsigned number)
{
	for (size_t i = 0; i < N_ROWS(events); i++)
		if (events[i].number == number)
			return &events[i];
	return NULL;
}

static unsigned count_fields(const struct event_field *fields)
{
	unsigned n = 0;

	while (n < COMPACT_VALUES_MAX && fields[n].name)
		n++;
	return n;
}

static const struct rst_layout *layout_add(struct model *model, const struct rst_type *type,
	const struct event_field *rows, unsigned n_fields, const struct rst_effect *effects)
{
	struct rst_field *fields = arena_alloc(&model->arena, COMPACT_VALUES_MAX * sizeof(*fields));
	int8_t field_of[COMPACT_VALUES_MAX] = { RST_NO_FIELD, RST_NO_FIELD, RST_NO_FIELD };

	if (!fields)
		return NULL;
	for (unsigned i = 0; i < n_fields; i++) {
		fields[i] = (struct rst_field){ .name = rows[i].name,
			.type = rows[i].type,
			.offset = (uint32_t)(4 * i),
			.n_bytes = 4,
			.is_number = rows[i].type == RST_OBJECT,
			.zero_is_none = rows[i].type == RST_OBJECT && rows[i].kind == RST_OBJECT_THREAD,
			.object_kind = rows[i].kind };
		field_of[i] = (int8_t)i;
	}
	struct rst_layout layout = { .n_fields = n_fields, .fields = fields };

	return effects_give(&layout, model, effects, field_of) ? model_add_layout(model, type, &layout)
							       : NULL;
}

/*
 * Makes a name: "USER_3" for an event of the program without a name, "EVENT_27" for a number that is not in
 * the table.
 */
static const char *number_name(struct model *model, const char *word, unsigned number)
{
	enum { NAME_BYTES = 16 };
	char *name = arena_alloc(&model->arena, NAME_BYTES);

	if (name)
		snprintf(name, NAME_BYTES, "%s_%u", word, number);
	return name;
}

/* If the number of values differs from that of the table's row, the event is not the row's. */
static const struct rst_layout *layout_make(struct compact *compact, struct model *model, uint8_t id)
{
	unsigned number = id >> 2, n_values = id & 3;
	const struct event *event = event_find(number);
	struct rst_type type = { .id = id, .label = "" };

	if (event && count_fields(event->fields) == n_values) {
		type.name = event->constant;
		type.label = event->label;
		return layout_add(model, &type, event->fields, n_values, event->effects);
	}
	if (number < COMPACT_USER_FIRST) {
		type.name = number_name(model, "EVENT", number);
	} else {
		const char *said = compact->user_names[number - COMPACT_USER_FIRST];
		const char *numbered = number_name(model, "USER", number - COMPACT_USER_FIRST);

		type.name = numbered && said ? said : numbered;
		type.other_name = said ? numbered : NULL;
	}
	return type.name ? layout_add(model, &type, plain_fields, n_values, NULL) : NULL;
}

const struct rst_layout *compact_layout_make(struct compact *compact, struct model *model, uint8_t id)
{
	return compact->layouts[id] = layout_make(compact, model, id);
}

bool compact_catalogue(struct model *model)
{
	for (size_t i = 0; i < N_ROWS(events); i++) {
		const struct event *event = &events[i];
		unsigned n = count_fields(event->fields);
		const struct rst_type type = {
			.id = (uint32_t)event->number << 2 | n, .name = event->constant, .label = event->label
		};

		if (!layout_add(model, &type, event->fields, n, event->effects))
			return false;
	}
	return true;
}
