/* SPDX-License-Identifier: MIT */
/*
 * Event types. Our tables have the predefined ones (IEEE Std 1003.1-2017, XSH 2.11.3), the log names all
 * others. A payload begins at the address of the event, so that rows can borrow the recorded bytes:
 *
 *	0 address, 8 pid, 12 tid, 16 pthread_t, 24 data …
 *
 * Events of one type may need several layouts: for cut data, and for data beyond the described fields.
 */
#include <stdio.h>
#include <string.h>
#include <trace_hook_np.h>

#include "base/array.h"
#include "base/text.h"
#include "dialect/event_table.h"
#include "dialect/posix/posix.h"
#include "model/effect.h"
#include "model/field.h"

/* Fields of a row: whether it is cut, address, process, the described ones, and two for data beyond them. */
enum { FIELDS_MAX = LOG_FIELDS_MAX + 5, FIRST_USER_ID = POSIX_TRACE_UNNAMED_USEREVENT };

/* The most bytes of data that fields describe, so that offsets and their sums stay within 32 bits. */
enum { DATA_MAX = 1 << 30 };

_Static_assert(POSIX_SET_BYTES == sizeof(trace_event_set_t), "sets are as <trace.h> has them");

struct posix_system {
	uint16_t id;
	const char *name, *label;
	unsigned n_fields;
	struct log_field fields[POSIX_SETS_MAX];
	const struct rst_effect *effects;
};

/* The vocabulary of predefined.def, besides event_table.h. */
#undef FIELDS
#define NO_FIELD                 \
	0,                       \
	{                        \
		{                \
			"", 0, 0 \
		}                \
	}
#define FIELDS(n, ...)      \
	n,                  \
	{                   \
		__VA_ARGS__ \
	}
#define NUMBER(name)	{ #name, POSIX_TRACE_SIGNED_NP, sizeof(int) },
#define EVENT_SET(name) { #name, POSIX_TRACE_BYTES_NP, POSIX_SET_BYTES },
#define EVENT(constant, name, label, fields, effects) \
	{ POSIX_TRACE_##constant, "POSIX_TRACE_" #constant, label, fields, effects },

static const struct posix_system systems[] = {
#include "log/predefined.def"
};
enum { N_SYSTEMS = sizeof(systems) / sizeof(systems[0]) };

static const struct posix_system *system_find(uint32_t id)
{
	for (size_t i = 0; i < N_SYSTEMS; i++)
		if (systems[i].id == id)
			return &systems[i];
	return NULL;
}

/* The number of event sets in the data, which contain nothing else. */
static unsigned system_sets(const struct posix_system *system)
{
	return system->fields[0].kind == POSIX_TRACE_BYTES_NP ? system->n_fields : 0;
}

const char *posix_type_predefined(uint32_t id)
{
	const struct posix_system *system = system_find(id);

	return system ? system->name : NULL;
}

const char *posix_type_number(char *number, uint32_t id)
{
	snprintf(number, POSIX_NUMBER_ROOM, "EVENT_%u", id);
	return number;
}

/* --- what an id means ----------------------------------------------------------------------------------- */

static bool type_set(struct posix *posix, struct posix_type *type)
{
	struct posix_type **types =
		array_reach(posix->types, &posix->types_room, type->id, sizeof(struct posix_type *));

	if (!types)
		return false;
	posix->types = types;
	types[type->id] = type;
	return true;
}

static struct log_field said_field(const struct posix_type *type, unsigned i)
{
	struct log_field field;

	memcpy(&field, type->said + i * sizeof(field), sizeof(field));
	return field;
}

static void type_measure(struct posix_type *type)
{
	uint64_t n_bytes = 0;

	for (unsigned i = 0; i < type->n_said; i++) {
		uint32_t size = said_field(type, i).size;

		n_bytes += size;
		if (size == 0 || n_bytes > DATA_MAX)
			n_bytes = UINT32_MAX;
		if (n_bytes == UINT32_MAX)
			break;
	}
	type->n_described = (uint32_t)n_bytes;
}

/* The bytes of a hook word if the data of this type are AIX trace entries (<trace_hook_np.h>); else 0. */
static uint8_t hook_bytes_of(uint16_t id)
{
	if (id < POSIX_TRACE_HOOK_FIRST_NP || id > POSIX_TRACE_HOOK_LAST_NP)
		return 0;
	return (id - POSIX_TRACE_HOOK_FIRST_NP) % 2 ? 8 : 4;
}

static struct posix_type *type_new(struct model *model, uint16_t id, const char *name, const char *label)
{
	struct posix_type *type = arena_alloc(&model->arena, sizeof(*type));

	if (type)
		*type = (struct posix_type){
			.id = id, .name = name, .label = label, .hook_bytes = hook_bytes_of(id)
		};
	return type;
}

static void take_system(struct posix_type *type, const struct posix_system *system)
{
	type->system = system;
	type->said = (const uint8_t *)system->fields;
	type->n_said = system->n_fields;
	type_measure(type);
}

/* Makes a type for an id that the log does not name, or not yet. */
struct posix_type *posix_type_make(struct posix *posix, struct model *model, uint16_t id)
{
	const struct posix_system *system = system_find(id);
	struct posix_type *type;
	char number[POSIX_NUMBER_ROOM];

	posix_type_number(number, id);
	const char *own = system ? system->name : arena_copy(&model->arena, number, strlen(number));

	if (!own)
		return NULL;
	type = type_new(model, id, own, system ? system->label : "event that the log does not name");
	if (!type || !type_set(posix, type))
		return NULL;
	if (system)
		take_system(type, system);
	return type;
}

/* Cleans a name; if it is empty, the type gets its number as its name. */
enum { CLEAN_ROOM = 4 * sizeof(((struct log_type *)NULL)->name) + TEXT_SHORT + 1 };
static void clean_name(char *name, const struct log_type *said)
{
	size_t n = strnlen(said->name, sizeof(said->name));

	if (n)
		*text_keep(name, (const uint8_t *)said->name, n) = '\0';
	else
		posix_type_number(name, said->id);
}

/* A copy behind which TEXT_SHORT bytes can be read. */
static char *keep_name(struct model *model, const char *name)
{
	size_t n = strlen(name);
	char *own = arena_alloc(&model->arena, n + 1 + TEXT_SHORT);

	return own ? memcpy(own, name, n) : NULL;
}

/* A log may describe types again and again. That the room is used up is reported once. */
static bool types_are_full(struct posix *posix, struct model *model, bool *ret_has_memory)
{
	const bool is_full = model->n_type_bytes >= POSIX_TYPES_BYTES;

	*ret_has_memory = true;
	if (is_full && !posix->has_passed_types) {
		posix->has_passed_types = true;
		*ret_has_memory = model_warn(
			model, "the log describes so many types that later descriptions are not kept");
	}
	return is_full;
}

static bool is_same(const struct posix_type *type, const char *name, const uint8_t *fields, unsigned n_fields)
{
	if (type->system ? type->id != FIRST_USER_ID : strcmp(type->name, name) != 0)
		return false;
	return n_fields == 0 || (n_fields == type->n_said &&
					memcmp(fields, type->said, n_fields * sizeof(struct log_field)) == 0);
}

static const char user_label[] = "user event";

bool posix_is_user_label(const char *label)
{
	return strncmp(label, user_label, sizeof(user_label) - 1) == 0;
}

static bool type_say(struct posix *posix, struct model *model, const struct log_type *said, const char *name,
	const uint8_t *fields)
{
	const struct posix_system *system = system_find(said->id);
	const char *label = said->id < FIRST_USER_ID ? "system event"
			    : said->name[0]	     ? user_label
						     : "user event whose name is empty";
	struct posix_type *type = type_new(model, (uint16_t)said->id, name, system ? system->label : label);

	if (!type)
		return false;
	type->system = system;
	type->n_said = said->n_fields;
	type->said =
		(const uint8_t *)arena_copy(&model->arena, fields, said->n_fields * sizeof(struct log_field));
	if (!type->said)
		return false;
	type->preloaded = posix_preloaded(name, type->said, type->n_said);
	if (type->preloaded)
		type->label = posix_preloaded_label(type->preloaded);
	type->change = posix_switch(name, type->n_said);
	if (type->change) {
		type->label = type->change->label;
		model->has_switches = true;
	}
	type_measure(type);
	return type_set(posix, type);
}

bool posix_describe(
	struct posix *posix, struct model *model, const uint8_t *body, size_t n_bytes, bool is_look)
{
	struct log_type said;
	const struct posix_system *system;
	const struct posix_type *type;
	char clean[CLEAN_ROOM];
	bool has_memory;

	memcpy(&said, body, sizeof(said));
	body += sizeof(said);
	n_bytes -= sizeof(said);
	if (said.n_fields > n_bytes / sizeof(struct log_field))
		said.n_fields = (uint32_t)(n_bytes / sizeof(struct log_field));
	if (said.n_fields > LOG_FIELDS_MAX)
		said.n_fields = LOG_FIELDS_MAX;
	system = system_find(said.id);
	if (said.id >= POSIX_IDS || (system && said.id != FIRST_USER_ID))
		return true;
	type = said.id < posix->types_room ? posix->types[said.id] : NULL;
	if (type && is_look)
		return true;
	clean_name(clean, &said);
	if (type && is_same(type, system ? system->name : clean, body, said.n_fields))
		return true;
	if (types_are_full(posix, model, &has_memory))
		return has_memory;
	const size_t n_before = arena_used(&model->arena);
	const char *name = system ? system->name : keep_name(model, clean);
	const bool is_good = name && type_say(posix, model, &said, name, body);

	model->n_type_bytes += arena_used(&model->arena) - n_before;
	return is_good;
}

/* --- fields of rows ------------------------------------------------------------------------------------- */

struct build {
	struct model *model;
	struct rst_field *fields;
	unsigned n;
	uint32_t base; /* where the address is */
};

static bool is_taken(const struct build *build, const char *name)
{
	for (unsigned i = 0; i < build->n; i++)
		if (strcmp(build->fields[i].name, name) == 0)
			return true;
	return false;
}

/* Names are keys: if a name is empty or used already, underscores are added to it. */
static const char *field_name(const struct build *build, const struct log_field *said)
{
	enum { ROOM = 4 * sizeof(said->name) + FIELDS_MAX + 2 + TEXT_SHORT };
	char name[ROOM], *p;

	p = text_keep(name, (const uint8_t *)said->name, strnlen(said->name, sizeof(said->name)));
	if (p == name)
		*p++ = '_';
	*p = '\0';
	while (is_taken(build, name)) {
		*p++ = '_';
		*p = '\0';
	}
	return keep_name(build->model, name);
}

static struct rst_field *add_field(
	struct build *build, const char *name, enum rst_field_type type, uint32_t offset, uint32_t n_bytes)
{
	struct rst_field *field = &build->fields[build->n++];

	*field = (struct rst_field){ .name = name,
		.type = type,
		.offset = build->base + offset,
		.n_bytes = n_bytes,
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	return field;
}

/* Texts leave the process out as long as all events belong to the same one. */
static void add_caller(struct build *build, bool is_shared)
{
	struct rst_field *address = add_field(build, "address", RST_OBJECT, POSIX_AT_ADDRESS, 8), *process;

	address->object_kind = RST_OBJECT_FUNCTION;
	address->zero_is_none = true;
	process = add_field(build, "process", RST_OBJECT, POSIX_AT_PID, 4);
	process->object_kind = RST_OBJECT_PROCESS;
	process->zero_is_none = process->is_number = true;
	process->is_aside = !is_shared;
	address->is_site = process->is_site = true;
}

static enum rst_field_type type_of(const struct log_field *said)
{
	static const enum rst_field_type types[] = {
		[POSIX_TRACE_SIGNED_NP] = RST_SIGNED,
		[POSIX_TRACE_UNSIGNED_NP] = RST_UNSIGNED,
		[POSIX_TRACE_REAL_NP] = RST_REAL,
		[POSIX_TRACE_ADDRESS_NP] = RST_ADDRESS,
		[POSIX_TRACE_TEXT_NP] = RST_TEXT,
		[POSIX_TRACE_BYTES_NP] = RST_BYTES,
	};
	bool is_number = said->kind < POSIX_TRACE_TEXT_NP;

	if (said->kind < POSIX_TRACE_SIGNED_NP || said->kind > POSIX_TRACE_BYTES_NP)
		return RST_BYTES;
	if (is_number && (said->size == 0 || said->size > 8))
		return RST_BYTES;
	if (said->kind == POSIX_TRACE_REAL_NP && said->size != 4 && said->size != 8)
		return RST_BYTES;
	return types[said->kind];
}

/* Fields behind DATA_MAX are shown as bytes. */
static bool add_described(struct build *build, const struct posix_type *type)
{
	uint64_t at = POSIX_AT_DATA;

	for (unsigned i = 0; i < type->n_said; i++) {
		struct log_field said = said_field(type, i);
		const char *name = field_name(build, &said);
		bool is_last = said.size == 0 || at + said.size > POSIX_AT_DATA + DATA_MAX;

		if (!name)
			return false;
		struct rst_field *field =
			add_field(build, name, is_last && said.size ? RST_BYTES : type_of(&said),
				(uint32_t)at, is_last ? 0 : said.size);

		if (type->preloaded)
			posix_preloaded_field(type->preloaded, i, field);
		if (is_last)
			break;
		at += said.size;
	}
	if (type->id == POSIX_TRACE_ERROR && type->n_said) {
		build->fields[build->n - 1].type = RST_ENUM;
		build->fields[build->n - 1].constants = &posix_errors;
	}
	return true;
}

/* Adds the data that no field covers, as bytes and, if readable, as text, which people see in their place. */
static bool add_rest(struct build *build, const struct posix_type *type, enum posix_shape shape)
{
	uint32_t at = POSIX_AT_DATA + type->n_described;
	const struct log_field data = { .name = "data" }, rest = { .name = "rest" },
			       text = { .name = "text" };
	const char *name = shape == POSIX_AS_DESCRIBED ? "" : field_name(build, type->n_said ? &rest : &data);

	if (!name || shape == POSIX_AS_DESCRIBED || type->n_described > DATA_MAX)
		return name != NULL;
	add_field(build, name, RST_BYTES, at, 0)->is_aside = shape == POSIX_BYTES_TEXT;
	if (shape == POSIX_BYTES_TEXT) {
		name = field_name(build, &text);
		if (name)
			add_field(build, name, RST_TEXT, at, 0);
	}
	return name != NULL;
}

/* A slot in front of the payload has the place of each set's words. The sets have names of their own. */
static void add_sets(struct build *build, const struct posix_system *system)
{
	static const char *const names[][POSIX_SETS_MAX] = { { "filter_set", NULL },
		{ "old_filter_set", "new_filter_set" } };

	for (unsigned i = 0; i < system_sets(system); i++) {
		struct rst_field *words =
			add_field(build, system->fields[i].name, RST_TEXT, 0, FIELD_SPAN_BYTES);

		words->offset = i * FIELD_SPAN_BYTES;
		words->extent = RST_EXTENT_SPAN;
		words->is_words = true;
	}
	for (unsigned i = 0; i < system_sets(system); i++)
		add_field(build, names[system_sets(system) - 1][i], RST_BYTES,
			POSIX_AT_DATA + i * POSIX_SET_BYTES, POSIX_SET_BYTES);
}

/*
 * If an event has data, it is not a switch, though it has the name of one. The process of the event stands in
 * front of its fields.
 */
static bool add_effects(struct model *model, struct rst_layout *made, const struct posix_type *type,
	enum posix_shape shape, unsigned n_before)
{
	int8_t field_of[POSIX_N_ARGUMENTS];

	for (unsigned i = 0; i < POSIX_PRELOADED_FIELDS; i++)
		field_of[i] = i < type->n_said ? (int8_t)(n_before + i) : RST_NO_FIELD;
	field_of[POSIX_ARGUMENT_PROCESS - 1] = (int8_t)(n_before - 1);
	if (type->preloaded)
		return effects_give(made, model, posix_preloaded_effects(type->preloaded), field_of);
	if (type->change && shape == POSIX_AS_DESCRIBED)
		return effects_give(made, model, type->change->effects, field_of);
	if (type->system)
		return effects_give(made, model, type->system->effects, field_of);
	return posix_scope_effects(model, type->name, made);
}

static const struct rst_layout *layout_new(struct model *model, const struct posix_type *type,
	enum posix_shape shape, bool is_shared, bool is_cut)
{
	struct rst_layout made = { .hook_bytes = 0 };
	struct build build = { .model = model,
		.fields = arena_alloc(&model->arena, (type->n_said + 5) * sizeof(struct rst_field)),
		.base = is_cut ? POSIX_CUT_MORE : 0 };

	if (!build.fields)
		return NULL;
	if (is_cut)
		add_field(&build, "cut", RST_UNSIGNED, 0, sizeof(uint16_t))->offset =
			offsetof(struct log_event, flags);
	if (shape == POSIX_SETS)
		build.base = system_sets(type->system) * FIELD_SPAN_BYTES;
	add_caller(&build, is_shared);
	unsigned n_before = build.n;

	if (shape == POSIX_SETS)
		add_sets(&build, type->system);
	else if (!add_described(&build, type) || !add_rest(&build, type, shape))
		return NULL;
	made.fields = build.fields;
	made.n_fields = build.n;
	if (!add_effects(model, &made, type, shape, n_before))
		return NULL;
	return model_add_layout(
		model, &(struct rst_type){ .id = type->id, .name = type->name, .label = type->label }, &made);
}

/* When no more types are kept, all further ones share this layout, which shows the data as bytes. */
static const struct rst_layout *other_layout(struct model *model, bool is_cut)
{
	static const struct posix_type other = {
		.name = "OTHER", .label = "event of one type more than are kept", .said = (const uint8_t *)""
	};

	if (!model->other[is_cut])
		model->other[is_cut] = layout_new(model, &other, POSIX_BYTES, true, is_cut);
	return model->other[is_cut];
}

const struct rst_layout *posix_layout_make(
	struct model *model, struct posix_type *type, enum posix_shape shape, bool is_shared, bool is_cut)
{
	const bool is_kept = model->n_type_bytes < 2 * (size_t)POSIX_TYPES_BYTES;
	const size_t n_before = arena_used(&model->arena);
	const struct rst_layout *made;

	if (!is_kept && shape != POSIX_SETS)
		return other_layout(model, is_cut);
	made = layout_new(model, type, shape, is_shared, is_cut);
	model->n_type_bytes += arena_used(&model->arena) - n_before;
	return type->layouts[is_shared][is_cut][shape] = made;
}

unsigned posix_type_sets(const struct posix_type *type)
{
	return type->system ? system_sets(type->system) : 0;
}

static bool catalogue_systems(struct model *model)
{
	for (size_t i = 0; i < N_SYSTEMS; i++) {
		struct posix_type *type = type_new(model, systems[i].id, systems[i].name, systems[i].label);

		if (!type)
			return false;
		take_system(type, &systems[i]);
		enum posix_shape shape = system_sets(&systems[i])	  ? POSIX_SETS
					 : systems[i].id == FIRST_USER_ID ? POSIX_BYTES
									  : POSIX_AS_DESCRIBED;

		if (!posix_layout_make(model, type, shape, true, false))
			return false;
	}
	return true;
}

static bool catalogue_switches(struct model *model, uint16_t first_id)
{
	const struct posix_switch *change;

	for (size_t i = 0; (change = posix_switch_at(i)); i++) {
		struct posix_type *type =
			type_new(model, (uint16_t)(first_id + i), change->name, change->label);

		if (!type)
			return false;
		type->change = change;
		type->said = (const uint8_t *)&change->field;
		type->n_said = change->n_fields;
		type_measure(type);
		if (!posix_layout_make(model, type, POSIX_AS_DESCRIBED, true, false))
			return false;
	}
	return true;
}

/* They are user events, because each log gives them ids of its own. */
bool posix_catalogue(struct model *model)
{
	const struct posix_preloaded *event;
	size_t i;

	if (!catalogue_systems(model))
		return false;
	for (i = 0; (event = posix_preloaded_at(i)); i++) {
		struct posix_type *type = type_new(model, (uint16_t)(FIRST_USER_ID + 1 + i),
			posix_preloaded_name(event), posix_preloaded_label(event));
		struct log_field *fields =
			arena_alloc(&model->arena, POSIX_PRELOADED_FIELDS * sizeof(*fields));

		if (!type || !fields)
			return false;
		type->preloaded = event;
		type->n_said = posix_preloaded_fields(event, fields);
		type->said = (const uint8_t *)fields;
		if (!posix_layout_make(model, type, POSIX_AS_DESCRIBED, false, false))
			return false;
	}
	return catalogue_switches(model, (uint16_t)(FIRST_USER_ID + 1 + i));
}
