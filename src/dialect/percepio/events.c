/* SPDX-License-Identifier: MIT */
/*
 * The tables of events of the recorder's ports, and layouts made from them. An event's layout depends on its
 * id and its number of words: texts fill the words behind the numbers, and user events have as many arguments
 * as their id says.
 */
#include <stdio.h>
#include <string.h>

#include "dialect/event_table.h"
#include "dialect/percepio/percepio.h"
#include "model/effect.h"

enum { FIELDS_MAX = 8, EFFECTS_MAX = 16, USER_IDS = 7, FIXED_IDS = 5 };

enum field_form { FORM_END, FORM_NUMBER, FORM_TEXT, FORM_WORDS };

struct event_field {
	const char *name;
	enum field_form form;
	enum rst_field_type type;
	enum rst_object_kind kind;
};

struct percepio_event_row {
	uint16_t id;
	const char *name, *label;
	struct event_field fields[FIELDS_MAX];
	const struct rst_effect *effects; /* NULL if they are not known */
};

#define OBJECT(name, kind) { #name, FORM_NUMBER, RST_OBJECT, RST_OBJECT_##kind },
#define NUMBER(name)	   { #name, FORM_NUMBER, RST_UNSIGNED, RST_OBJECT_UNKNOWN },
#define SIGNED(name)	   { #name, FORM_NUMBER, RST_SIGNED, RST_OBJECT_UNKNOWN },
#define HEX(name)	   { #name, FORM_NUMBER, RST_HEX, RST_OBJECT_UNKNOWN },
#define ADDRESS(name)	   { #name, FORM_NUMBER, RST_ADDRESS, RST_OBJECT_UNKNOWN },
#define TEXT(name)	   { #name, FORM_TEXT, RST_TEXT, RST_OBJECT_UNKNOWN },
#define WORDS		   { "words", FORM_WORDS, RST_SEQUENCE, RST_OBJECT_UNKNOWN },

#define F1		     ARGUMENT(1)
#define F2		     ARGUMENT(2)
#define F3		     ARGUMENT(3)
#define UNSAID		     NULL
#define AMOUNT(of, unit_)    .amount = of, .unit = RST_UNIT_##unit_
#define HEAP		     .object = NOT_KNOWN, .object_kind = RST_OBJECT_BYTE_POOL
#define LIMIT_TICKS(of)	     .limit = of
#define LEVEL_NOW(of, unit_) E(LEVEL, .object = F1, .value = of, .unit = RST_UNIT_##unit_)

#define EVENT(id, name, label, fields, effects) { id, #name, label, fields, effects },

static const struct percepio_event_row freertos_events[] = {
#include "dialect/percepio/freertos.def"
};

static const struct percepio_event_row baremetal_events[] = {
#include "dialect/percepio/baremetal.def"
};

struct percepio_port {
	uint16_t platform;
	const char *name;
	const struct percepio_event_row *rows;
	size_t n_rows;
};

static const struct percepio_port ports[] = {
	{ 0x1aa1, "freertos", freertos_events, N_ROWS(freertos_events) },
	{ 0x1ff1, "baremetal", baremetal_events, N_ROWS(baremetal_events) },
};

/* The events that the reader itself follows, by name. */
static const struct role_row {
	const char *name;
	enum percepio_role role;
} roles[] = {
	{ "TRACE_START", PERCEPIO_START },
	{ "TASK_ACTIVATE", PERCEPIO_ACTIVATE },
	{ "TASK_READY", PERCEPIO_READY },
	{ "TASK_SUSPEND", PERCEPIO_SUSPEND },
	{ "ISR_BEGIN", PERCEPIO_ISR_BEGIN },
	{ "ISR_RESUME", PERCEPIO_ISR_RESUME },
	{ "OBJ_NAME", PERCEPIO_NAME },
	{ "DEFINE_ISR", PERCEPIO_NAME_ISR },
	{ "EXTENSION_CREATE", PERCEPIO_EXTENSION },
	{ "USER_EVENT", PERCEPIO_USER },
	{ "USER_EVENT_FIXED", PERCEPIO_USER_FIXED },
	{ "MUTEX_CREATE", PERCEPIO_MUTEX_CREATE },
	{ "MUTEX_RECURSIVE_CREATE", PERCEPIO_MUTEX_CREATE },
	{ "MUTEX_GIVE", PERCEPIO_MUTEX_GIVE },
	{ "MUTEX_GIVE_RECURSIVE", PERCEPIO_MUTEX_GIVE },
};

const struct percepio_port *percepio_port_find(uint16_t platform)
{
	for (size_t i = 0; i < N_ROWS(ports); i++)
		if (ports[i].platform == platform)
			return &ports[i];
	return NULL;
}

const char *percepio_port_name(const struct percepio_port *port)
{
	return port->name;
}

static bool ends_with(const char *name, const char *end)
{
	const size_t n = strlen(name), n_end = strlen(end);

	return n >= n_end && strcmp(name + n - n_end, end) == 0;
}

static enum percepio_role row_role(const struct percepio_event_row *row)
{
	const bool is_object = row->fields[0].type == RST_OBJECT && row->fields[0].kind != RST_OBJECT_UNKNOWN;

	for (size_t i = 0; i < N_ROWS(roles); i++)
		if (strcmp(row->name, roles[i].name) == 0)
			return roles[i].role;
	if (is_object && ends_with(row->name, "_CREATE"))
		return PERCEPIO_CREATE;
	return is_object && ends_with(row->name, "_DELETE") ? PERCEPIO_DELETE : PERCEPIO_PLAIN;
}

/* An interrupt may send and receive, which says nothing about the task that it interrupts. */
static enum percepio_call row_call(const struct percepio_event_row *row)
{
	enum percepio_call call = PERCEPIO_NO_CALL;

	if (!row->effects || strstr(row->name, "ISR"))
		return PERCEPIO_NO_CALL;
	for (size_t i = 0; row->effects[i].kind != RST_EFFECT_NONE; i++) {
		const struct rst_effect *effect = &row->effects[i];

		if (effect->phase == RST_ASKS)
			return PERCEPIO_ASKS;
		if (effect->kind == RST_EFFECT_SEND || effect->kind == RST_EFFECT_RECEIVE ||
			effect->kind == RST_EFFECT_ACQUIRE || effect->kind == RST_EFFECT_RELEASE)
			call = PERCEPIO_ENDS;
	}
	return call;
}

void percepio_use_port(struct percepio *percepio)
{
	const struct percepio_port *port = percepio->header.port;

	memset(percepio->row_of, 0, sizeof(percepio->row_of));
	memset(percepio->role_of, 0, sizeof(percepio->role_of));
	memset(percepio->call_of, 0, sizeof(percepio->call_of));
	for (size_t i = 0; i < port->n_rows; i++) {
		const struct percepio_event_row *row = &port->rows[i];
		const enum percepio_role role = row_role(row);
		const unsigned n_ids = role == PERCEPIO_USER	     ? USER_IDS
				       : role == PERCEPIO_USER_FIXED ? FIXED_IDS
								     : 1;

		for (unsigned id = row->id; id < row->id + n_ids && id < PERCEPIO_IDS; id++) {
			percepio->row_of[id] = row;
			percepio->role_of[id] = (uint8_t)role;
			percepio->call_of[id] = (uint8_t)row_call(row);
		}
	}
}

static const struct percepio_extension *extension_find(const struct percepio *percepio, unsigned id)
{
	for (size_t i = 0; i < percepio->n_extensions; i++)
		if (id - percepio->extensions[i].first < percepio->extensions[i].n)
			return &percepio->extensions[i];
	return NULL;
}

bool percepio_is_known(const struct percepio *percepio, unsigned id)
{
	return percepio->row_of[id] || extension_find(percepio, id);
}

enum rst_object_kind percepio_first_kind(const struct percepio *percepio, unsigned id)
{
	const struct percepio_event_row *row = percepio->row_of[id];

	return row && row->fields[0].type == RST_OBJECT ? row->fields[0].kind : RST_OBJECT_UNKNOWN;
}

/* --- layouts -------------------------------------------------------------------------------------------- */

/* The target's form of the words of one event. */
struct shape {
	bool is_big;
	unsigned word, n_words, n_arguments;
	enum percepio_role role;
	unsigned variant;
};

struct fields {
	struct rst_field *fields;
	unsigned n, n_words_used;
	int8_t field_of[FIELDS_MAX];
};

static void add_field(struct fields *to, const struct shape *shape, const struct event_field *from)
{
	struct rst_field *field = &to->fields[to->n];
	const uint32_t at = to->n_words_used * shape->word;

	if (to->n_words_used >= shape->n_words)
		return;
	*field = (struct rst_field){ .name = from->name,
		.type = from->type,
		.offset = at,
		.n_bytes = from->form == FORM_NUMBER ? shape->word : 0,
		.is_big_endian = shape->is_big,
		.is_number = from->type == RST_OBJECT && from->kind >= RST_OBJECT_SIGNAL,
		.zero_is_none = from->type == RST_OBJECT,
		.object_kind = from->kind };
	if (from->form == FORM_WORDS) {
		field->item_type = RST_HEX;
		field->item_bytes = (uint8_t)shape->word;
	}
	to->n++;
	to->n_words_used = from->form == FORM_NUMBER ? to->n_words_used + 1 : shape->n_words;
}

static void add_row_fields(struct fields *to, const struct shape *shape, const struct event_field *rows)
{
	for (unsigned i = 0; i < FIELDS_MAX && rows[i].form != FORM_END; i++) {
		const unsigned before = to->n;

		add_field(to, shape, &rows[i]);
		if (to->n > before)
			to->field_of[i] = (int8_t)before;
	}
}

static void add_user_fields(struct fields *to, const struct shape *shape)
{
	static const struct event_field arguments[] = { NUMBER(a) NUMBER(b) NUMBER(c) NUMBER(d) NUMBER(e)
			NUMBER(f) };
	static const struct event_field format = { "format", FORM_TEXT, RST_TEXT, RST_OBJECT_UNKNOWN };

	for (unsigned i = 0; i < shape->n_arguments && i < N_ROWS(arguments); i++)
		add_field(to, shape, &arguments[i]);
	if (shape->role == PERCEPIO_USER)
		add_field(to, shape, &format);
}

/* The effect of a row in one variant; kind RST_EFFECT_NONE if the variant does not have it. */
static struct rst_effect effect_of(const struct rst_effect *row, unsigned variant)
{
	struct rst_effect effect = *row;

	if (row->kind == RST_EFFECT_SWITCH && (variant & PERCEPIO_LEAVES_WAITING))
		effect.state = RST_STATE_WAITING;
	if (!(variant & PERCEPIO_IS_OF_IDLE))
		return effect;
	if (row->kind == RST_EFFECT_SWITCH)
		effect.thread = (struct rst_operand)CONSTANT(0);
	else
		effect.kind = RST_EFFECT_NONE;
	return effect;
}

/* The effects of an event. It may end some interrupts of its core, too: these ends come first. */
static bool give_effects(struct rst_layout *layout, struct model *model, const struct rst_effect *rows,
	const struct fields *fields, unsigned variant)
{
	struct rst_effect all[PERCEPIO_NESTING + EFFECTS_MAX] = { 0 };
	const unsigned n_outs = variant & PERCEPIO_OUTS;
	size_t n = 0;

	if (variant & PERCEPIO_IS_FIRST_GIVE) {
		layout->no_effect = "its creation makes the mutex free";
		return true;
	}
	if (!variant || !rows)
		return effects_give(layout, model, rows, fields->field_of);
	while (n < n_outs && n < PERCEPIO_NESTING)
		all[n++].kind = RST_EFFECT_INTERRUPT_OUT;
	for (size_t i = 0; i < EFFECTS_MAX - 1 && rows[i].kind != RST_EFFECT_NONE; i++) {
		all[n] = effect_of(&rows[i], variant);
		n += all[n].kind != RST_EFFECT_NONE;
	}
	all[n] = (struct rst_effect){ .kind = RST_EFFECT_NONE };
	if (!n)
		all[n].name = "the idle task stands for a core that is idle";
	return effects_give(layout, model, all, fields->field_of);
}

static const struct rst_layout *layout_make(struct model *model, const struct percepio_event_row *row,
	const struct rst_type *type, const struct shape *shape)
{
	static const struct event_field more = { "more", FORM_WORDS, RST_SEQUENCE, RST_OBJECT_UNKNOWN };
	struct fields fields = { .fields = arena_alloc(
					 &model->arena, 2 * FIELDS_MAX * sizeof(*fields.fields)) };
	struct rst_layout layout = { 0 };

	if (!fields.fields)
		return NULL;
	memset(fields.field_of, RST_NO_FIELD, sizeof(fields.field_of));
	if (row)
		add_row_fields(&fields, shape, row->fields);
	add_user_fields(&fields, shape);
	add_field(&fields, shape, &more);
	layout.n_fields = fields.n;
	layout.fields = fields.fields;
	if (!give_effects(&layout, model, row ? row->effects : NULL, &fields, shape->variant))
		return NULL;
	return model_add_layout(model, type, &layout);
}

static const char *extension_name(
	struct model *model, const struct percepio_extension *extension, unsigned id)
{
	const char *said = extension ? extension->name : "EVENT";
	const size_t room = strlen(said) + 8;
	char *name = arena_alloc(&model->arena, room);

	if (name)
		snprintf(name, room, "%s+%u", said, id - (extension ? extension->first : 0));
	return name;
}

/* Layouts depend on all of this; the run counts because extensions are those of a run. */
static uint64_t layout_key(
	const struct percepio *percepio, const struct percepio_event *event, unsigned variant)
{
	const struct percepio_header *header = &percepio->header;
	const uint64_t run = percepio->row_of[event->id] ? 0 : percepio->n_runs & 0xffff;

	return event->id | (uint64_t)event->n_words << 12 | (uint64_t)variant << 16 |
	       (uint64_t)header->platform << 24 | (uint64_t)header->is_big << 40 |
	       (uint64_t)(header->word == 8) << 41 | run << 42;
}

static unsigned count_arguments(const struct percepio *percepio, unsigned id)
{
	const enum percepio_role role = percepio->role_of[id];
	const unsigned more = percepio->row_of[id] ? id - percepio->row_of[id]->id : 0;

	if (role == PERCEPIO_USER)
		return more ? more - 1 : 0;
	return role == PERCEPIO_USER_FIXED ? more : 0;
}

static const struct rst_layout *layout_new(
	struct percepio *percepio, struct model *model, const struct percepio_event *event, unsigned variant)
{
	const struct percepio_event_row *row = percepio->row_of[event->id];
	const struct shape shape = { .is_big = percepio->header.is_big,
		.word = percepio->header.word,
		.n_words = event->n_words,
		.n_arguments = count_arguments(percepio, event->id),
		.role = percepio->role_of[event->id],
		.variant = variant };
	struct rst_type type = { .id = row ? row->id : event->id, .label = row ? row->label : "" };

	type.name = row ? row->name : extension_name(model, extension_find(percepio, event->id), event->id);
	return type.name ? layout_make(model, row, &type, &shape) : NULL;
}

/* The layout of events that come after the limit: one type, whose payload has no fields. */
static const struct rst_layout *layout_plain(struct percepio *percepio, struct model *model)
{
	const struct rst_type type = { .id = PERCEPIO_IDS, .name = "EVENT", .label = "" };

	if (!percepio->plain)
		percepio->plain = model_add_layout(model, &type, &(struct rst_layout){ 0 });
	return percepio->plain;
}

const struct rst_layout *percepio_layout(
	struct percepio *percepio, struct model *model, const struct percepio_event *event, unsigned variant)
{
	const uint64_t key = layout_key(percepio, event, variant);
	const struct rst_layout *layout = map_find(&percepio->layouts, key);

	if (layout)
		return layout;
	if (percepio->n_layouts >= PERCEPIO_LAYOUTS_MAX)
		return layout_plain(percepio, model);
	percepio->n_layouts++;
	layout = layout_new(percepio, model, event, variant);
	if (!layout || !map_set(&percepio->layouts, key, (void *)(uintptr_t)layout))
		return NULL;
	return layout;
}

static bool add_row_type(struct model *model, const struct percepio_event_row *row)
{
	const struct rst_type type = { .id = row->id, .name = row->name, .label = row->label };
	struct shape shape = { .word = 4, .role = row_role(row) };

	while (shape.n_words < FIELDS_MAX && row->fields[shape.n_words].form != FORM_END)
		shape.n_words++;
	if (shape.role == PERCEPIO_USER)
		shape.n_words++;
	return layout_make(model, row, &type, &shape);
}

bool percepio_catalogue(struct model *model)
{
	for (size_t i = 0; i < N_ROWS(ports); i++)
		for (size_t k = 0; k < ports[i].n_rows; k++)
			if (!model_find_type(model, ports[i].rows[k].name) &&
				!add_row_type(model, &ports[i].rows[k]))
				return false;
	return true;
}
