/* SPDX-License-Identifier: MIT */
/*
 * Types of events, from a row of the table, or for a number without a row. A layout gives the offsets of the
 * words. Behind its own words, each type has the other fields of frames.
 */
#include "dialect/liteos/events.h"

#include <stdio.h>

#include "dialect/liteos/tlv.h"
#include "model/effect.h"

enum { REST_MAX = 16, NAME_BYTES = 32, CATALOGUE_PARAMS = 15 };

static const char unlisted_label[] = "event of an unlisted number";

static void add_field(struct rst_field *fields, unsigned *n, const struct liteos_layout *layout,
	const char *name, enum rst_field_type type, unsigned at, unsigned n_bytes)
{
	fields[(*n)++] = (struct rst_field){
		.name = name, .type = type, .offset = at, .n_bytes = n_bytes, .is_big_endian = layout->is_big
	};
}

/* Returns the offset of the n-th word: the identity, then params. */
static uint16_t word_at(const struct liteos_layout *layout, unsigned n)
{
	return (uint16_t)(n ? layout->params_at + (n - 1) * layout->ptr : layout->identity_at);
}

/* --- what frames say besides ---------------------------------------------------------------------------- */

/*
 * struct CoreStatus as a whole, and its members. A printed dump has neither the word nor the number of
 * params. Bit fields begin at the top of a big-endian target's word.
 */
static unsigned core_bind(struct rst_field *fields, unsigned n, const struct liteos_layout *layout)
{
	enum { WORD_BITS = 32 };
	static const struct {
		const char *name;
		uint8_t shift, n_bits;
		bool is_printed;
	} members[] = { { "cpuid", 0, 8, true }, { "hwiActive", 8, 4, true }, { "taskLockCnt", 12, 4, true },
		{ "paramCount", 16, 4, false } };

	if (!layout->is_printed)
		add_field(fields, &n, layout, "core", RST_HEX, layout->core_at, 4);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (layout->is_printed && !members[i].is_printed)
			continue;
		add_field(fields, &n, layout, members[i].name, RST_UNSIGNED, layout->core_at, 4);
		fields[n - 1].n_bits = members[i].n_bits;
		fields[n - 1].shift =
			(uint8_t)(layout->is_big ? WORD_BITS - members[i].shift - members[i].n_bits
						 : members[i].shift);
	}
	return n;
}

static unsigned bind_rest(struct rst_field *fields, unsigned n, const struct liteos_layout *layout)
{
	static const char *const registers[LITEOS_LR_MAX] = { "linkReg1", "linkReg2", "linkReg3", "linkReg4",
		"linkReg5" };
	const unsigned n_own = n;

	add_field(fields, &n, layout, "curTask", RST_OBJECT, 4, 4);
	fields[n - 1].object_kind = RST_OBJECT_THREAD;
	fields[n - 1].is_number = true;
	if (layout->has_pid)
		add_field(fields, &n, layout, "curPid", RST_UNSIGNED, layout->pid_at, 4);
	if (layout->has_core)
		n = core_bind(fields, n, layout);
	if (layout->has_count)
		add_field(fields, &n, layout, "eventCount", RST_UNSIGNED, layout->count_at, 4);
	for (unsigned i = 0; i < layout->n_lr && i < LITEOS_LR_MAX; i++)
		add_field(fields, &n, layout, registers[i], RST_ADDRESS, layout->lr_at + i * layout->ptr,
			layout->ptr);
	for (unsigned i = n_own; i < n; i++)
		fields[i].is_aside = true;
	return n;
}

/*
 * Binds the constants of a type that templates may use, and 0 for fields that it lacks. Types whose params
 * vary lack many fields.
 */
static bool traits_bind(struct model *model, struct rst_layout *row, const struct rst_constant *own,
	size_t n_own, const struct liteos_layout *layout)
{
	const struct rst_constant all[] = { { layout->variant == LITEOS_H5, "is_huawei" },
		{ layout->n_params, "frame_params" }, { 0, "curPid" } };
	const size_t n_all = sizeof(all) / sizeof(all[0]);
	struct rst_constant *traits = arena_alloc(&model->arena, (n_all + n_own) * sizeof(*traits));

	if (!traits)
		return false;
	memcpy(traits, all, sizeof(all));
	memcpy(traits + n_all, own, n_own * sizeof(*own));
	row->traits = traits;
	row->n_traits = n_all + n_own;
	return true;
}

static bool traits_bind_listed(
	struct model *model, struct rst_layout *row, uint32_t type, const struct liteos_layout *layout)
{
	enum { SWTMR_START = 0x82 };
	static const struct rst_constant overrun = { 0, "overrun" }; /* only in Huawei LiteOS */

	return traits_bind(model, row, &overrun, type == SWTMR_START, layout);
}

static bool traits_bind_varying(
	struct model *model, struct rst_layout *row, unsigned n_params, const struct liteos_layout *layout)
{
	const struct rst_constant own[] = { { n_params, "n_params" },
		{ layout->has_core && !layout->is_printed, "has_param_count" }, { 0, "identity" },
		{ 0, "param1" }, { 0, "param2" }, { 0, "param3" }, { 0, "param4" }, { 0, "param5" },
		{ 0, "param6" }, { 0, "param7" }, { 0, "param8" }, { 0, "param9" }, { 0, "param10" },
		{ 0, "param11" }, { 0, "param12" }, { 0, "param13" }, { 0, "param14" }, { 0, "param15" } };

	return traits_bind(model, row, own, sizeof(own) / sizeof(own[0]), layout);
}

/* --- types ---------------------------------------------------------------------------------------------- */

static const struct rst_layout *bind_listed(struct model *model, const struct event *event,
	const struct liteos_layout *layout, const struct rst_constants *states)
{
	struct rst_field *fields =
		arena_alloc(&model->arena, (LITEOS_WORDS_MAX + REST_MAX) * sizeof(*fields));
	const struct rst_type type = { .id = event->type, .name = event->constant, .label = event->label };
	struct rst_layout row = { .fields = fields };
	int8_t field_of[LITEOS_WORDS_MAX];

	if (!fields)
		return NULL;
	memset(field_of, RST_NO_FIELD, sizeof(field_of));
	for (unsigned i = 0; i < LITEOS_WORDS_MAX && event->fields[i].name; i++) {
		const struct event_field *field = &event->fields[i];

		field_of[i] = (int8_t)i;
		add_field(fields, &row.n_fields, layout, field->name, field->type, word_at(layout, i),
			layout->ptr);
		fields[i].object_kind = field->kind;
		fields[i].is_number = field->type == RST_OBJECT && !liteos_is_address(field, layout->variant);
		fields[i].constants = liteos_constants(field->list, states);
	}
	row.n_fields = bind_rest(fields, row.n_fields, layout);
	return effects_give(&row, model, event->effects, field_of) &&
			       traits_bind_listed(model, &row, type.id, layout)
		       ? model_add_layout(model, &type, &row)
		       : NULL;
}

/* Returns an event's name, or NULL if its number has no name. LITEOS_ANY_NUMBER stands for many numbers. */
static const char *number_name(uint32_t number, const struct event *event)
{
	if (event)
		return event->constant;
	return number == LITEOS_ANY_NUMBER ? "LOS_TRACE_UNKNOWN" : liteos_user_name(number);
}

/*
 * Binds a type with as many params as the event has: for a user event, an event whose params the kernels do
 * not define, or a number that is in no table (name NULL).
 */
static const struct rst_layout *varying_bind(struct model *model, uint32_t number, const char *name,
	const char *label, const char *no_effect, unsigned n_params, const struct liteos_layout *layout)
{
	struct rst_field *fields = arena_alloc(&model->arena, (n_params + 1 + REST_MAX) * sizeof(*fields));
	char *names = arena_alloc(&model->arena, (size_t)NAME_BYTES * (n_params + 1));
	const struct rst_type type = { .id = number, .name = name ? name : names, .label = label };
	struct rst_layout row = { .fields = fields };

	if (!fields || !names)
		return NULL;
	row.no_effect = no_effect;
	add_field(fields, &row.n_fields, layout, "identity", RST_WORD, layout->identity_at, layout->ptr);
	for (unsigned i = 1; i <= n_params; i++) {
		char *param = names + (size_t)i * NAME_BYTES;

		snprintf(param, NAME_BYTES, "param%u", i);
		add_field(fields, &row.n_fields, layout, param, RST_WORD, word_at(layout, i), layout->ptr);
	}
	snprintf(names, NAME_BYTES, "LOS_TRACE_UNKNOWN+0x%x", number);
	if (label == unlisted_label) {
		add_field(fields, &row.n_fields, layout, "eventType", RST_HEX, 0, 4);
		fields[row.n_fields - 1].is_aside = true;
	}
	row.n_fields = bind_rest(fields, row.n_fields, layout);
	return traits_bind_varying(model, &row, n_params, layout) ? model_add_layout(model, &type, &row)
								  : NULL;
}

const struct rst_layout *liteos_bind_type(struct model *model, uint32_t type, unsigned n_params,
	const struct liteos_layout *layout, const struct rst_constants *states)
{
	const struct event *event = liteos_event_find(type, layout->variant);

	if (!liteos_event_varies(event))
		return bind_listed(model, event, layout, states);
	return varying_bind(model, type, number_name(type, event),
		event			 ? event->label
		: liteos_user_name(type) ? "user event"
					 : unlisted_label,
		event			 ? event->effects->name
		: liteos_user_name(type) ? "a program's own event: a template file may give it effects"
					 : NULL,
		n_params, layout);
}

/* The message of a notice has two words, one behind the other, each behind its tag and size. */
const struct rst_layout *liteos_bind_notice(struct model *model, uint32_t command, bool is_big)
{
	const struct liteos_layout layout = { .is_big = is_big };
	const struct event *event = liteos_event_find(command, LITEOS_UNSURE);
	static const struct rst_effect start[] = { { .kind = RST_EFFECT_GAP, .phase = RST_ENTERS } },
				       stop[] = { { .kind = RST_EFFECT_GAP, .phase = RST_LEAVES } };
	struct rst_field *fields = arena_alloc(&model->arena, 2 * sizeof(*fields));
	const struct rst_type type = { .id = command,
		.name = event ? event->constant : "NOTIFY",
		.label = event ? event->label : "notice" };
	struct rst_layout row = { .fields = fields };

	if (!fields)
		return NULL;
	add_field(fields, &row.n_fields, &layout, "cmd", RST_HEX, 2, 4);
	add_field(fields, &row.n_fields, &layout, "param", RST_HEX, 8, 4);
	fields[0].is_aside = event != NULL;
	row.effects = !event ? NULL : command == LITEOS_START ? start : stop;
	row.n_effects = event != NULL;
	row.no_effect = event ? NULL : "it is neither start nor stop of recording";
	bool is_bound = event ? traits_bind_varying(model, &row, 0, &layout)
			      : traits_bind_listed(model, &row, type.id, &layout);

	return is_bound ? model_add_layout(model, &type, &row) : NULL;
}

/* Uses liteos_a's layout, with all parts that frames can have. */
bool liteos_catalogue(struct model *model)
{
	struct liteos_layout layout = { .variant = LITEOS_A,
		.ptr = 4,
		.has_pid = true,
		.has_core = true,
		.has_count = true,
		.n_lr = LITEOS_LR_MAX,
		.n_params = CATALOGUE_PARAMS };
	const struct rst_constants *states = liteos_states(model, LITEOS_A);
	bool is_good = states != NULL;
	size_t n_events;
	const struct event *events = liteos_events(&n_events);

	liteos_layout_offsets(&layout);
	for (size_t i = 0; i < n_events && is_good; i++)
		if (events[i].only == CASE_ALL || events[i].only == CASE_ONLY_A)
			is_good = liteos_bind_type(model, events[i].type,
					  liteos_event_varies(&events[i]) ? CATALOGUE_PARAMS : 0, &layout,
					  states) != NULL;
	for (uint32_t user = LITEOS_USER_FIRST; user && is_good; user++)
		is_good = liteos_bind_type(model, user, CATALOGUE_PARAMS, &layout, states) != NULL;
	/* The first of its family: templates count numbers from there. */
	is_good = is_good && liteos_bind_notice(model, 0, false);
	return is_good && varying_bind(model, 0, "LOS_TRACE_UNKNOWN+0x0", unlisted_label, NULL,
				  CATALOGUE_PARAMS, &layout);
}
