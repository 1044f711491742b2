/* SPDX-License-Identifier: MIT */
#include "dialect/store/records.h"

#include "dialect/store/format.h"

enum {
	FOLDS = 2 /* -1 of an operand folds to 1 */,
	DETAIL_DEPTH_MAX = 8,
	CODES_MAX = 4096,
	EFFECTS_MAX = 256
};

void record_constants(struct codec *codec, struct rst_constants *constants)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_constant, value, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_constant, name, CODEC_TEXT, 0),
	};
	struct rst_constant *items = (struct rst_constant *)(uintptr_t)constants->rows;

	codec_text(codec, &constants->name);
	codec_size(codec, &constants->n_rows, STORE_CONSTANTS_MAX);
	if (codec->is_reading)
		constants->rows = items = codec_array(codec, constants->n_rows, sizeof(*items));
	for (size_t i = 0; i < constants->n_rows && codec_is_good(codec); i++)
		codec_record(codec, rows, N_CODEC_ROWS(rows), &items[i]);
	if (!codec_is_good(codec))
		constants->n_rows = 0;
}

/* Flags, as the bits of a number. When writing, the flags may be in constant memory, so they are not set. */
static void record_flags(struct codec *codec, bool *const *flags, size_t n_flags)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < n_flags; i++)
		bits |= (uint64_t)*flags[i] << i;
	codec_number(codec, &bits, (uint64_t)1 << n_flags);
	for (size_t i = 0; i < n_flags && codec->is_reading; i++)
		*flags[i] = bits >> i & 1;
}

void record_field(struct codec *codec, struct rst_field *field, uint64_t *constants)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_field, name, CODEC_NAME, 0),
		CODEC_ROW(struct rst_field, type, CODEC_NUMBER, RST_SEQUENCE + 1),
		CODEC_ROW(struct rst_field, offset, CODEC_NUMBER, INT32_MAX),
		CODEC_ROW(struct rst_field, n_bytes, CODEC_NUMBER, INT32_MAX),
		CODEC_ROW(struct rst_field, extent, CODEC_NUMBER, RST_EXTENT_SPAN + 1),
		CODEC_ROW(struct rst_field, item_type, CODEC_NUMBER, RST_TEXT),
		CODEC_ROW(struct rst_field, item_bytes, CODEC_NUMBER, 9),
		CODEC_ROW(struct rst_field, shift, CODEC_NUMBER, 64),
		CODEC_ROW(struct rst_field, n_bits, CODEC_NUMBER, 65),
		CODEC_ROW(struct rst_field, columns, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_field, object_kind, CODEC_NUMBER, RST_N_OBJECT_KINDS),
	};
	bool *const flags[] = { &field->is_big_endian, &field->zero_is_none, &field->is_number,
		&field->is_aside, &field->is_spare, &field->has_names, &field->is_site, &field->is_stack,
		&field->is_words, &field->is_json };

	codec_record(codec, rows, N_CODEC_ROWS(rows), field);
	record_flags(codec, flags, N_CODEC_ROWS(flags));
	codec_number(codec, constants, STORE_CONSTANTS_MAX);
}

static void record_codes(struct codec *codec, const struct rst_state_codes **codes)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_state_code, mask, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_state_code, value, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_state_code, state, CODEC_NUMBER, RST_N_STATES),
		CODEC_ROW(struct rst_state_code, reason, CODEC_NUMBER, RST_N_REASONS),
		CODEC_ROW(struct rst_state_code, phase, CODEC_NUMBER, RST_N_PHASES),
	};
	uint64_t n = !codec->is_reading && *codes ? (*codes)->n_rows + 1 : 0;
	struct rst_state_code *items = NULL;
	struct rst_state_codes *own;

	codec_number(codec, &n, CODES_MAX);
	if (codec->is_reading) {
		*codes = NULL;
		if (!n || !codec_is_good(codec))
			return;
		own = arena_alloc(codec->arena, sizeof(*own));
		items = codec_array(codec, (size_t)n - 1, sizeof(*items));
		codec->lacks_memory |= !own;
		if (!codec_is_good(codec))
			return;
		*own = (struct rst_state_codes){ (size_t)n - 1, items };
		*codes = own;
	} else if (n) {
		items = (struct rst_state_code *)(uintptr_t)(*codes)->rows;
	}
	for (size_t i = 0; i + 1 < n && codec_is_good(codec); i++)
		codec_record(codec, rows, N_CODEC_ROWS(rows), &items[i]);
}

static void record_operand(struct codec *codec, struct rst_operand *operand)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_operand, from, CODEC_SIGNED, FOLDS * STORE_FIELDS_MAX),
		CODEC_ROW(struct rst_operand, add, CODEC_SIGNED, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), operand);
}

static void record_condition(struct codec *codec, struct rst_condition *condition)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_condition, test, CODEC_NUMBER, RST_TEST_IS_OTHER + 1),
		CODEC_ROW(struct rst_condition, value, CODEC_NUMBER, 0),
	};

	record_operand(codec, &condition->of);
	codec_record(codec, rows, N_CODEC_ROWS(rows), condition);
	record_operand(codec, &condition->with);
}

static void record_effect(struct codec *codec, struct rst_effect *effect)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_effect, kind, CODEC_NUMBER, RST_N_EFFECTS),
		CODEC_ROW(struct rst_effect, phase, CODEC_NUMBER, RST_N_PHASES),
		CODEC_ROW(struct rst_effect, state, CODEC_NUMBER, RST_N_STATES),
		CODEC_ROW(struct rst_effect, reason, CODEC_NUMBER, RST_N_REASONS),
		CODEC_ROW(struct rst_effect, unit, CODEC_NUMBER, RST_N_UNITS),
		CODEC_ROW(struct rst_effect, object_kind, CODEC_NUMBER, RST_N_OBJECT_KINDS),
		CODEC_ROW(struct rst_effect, name, CODEC_TEXT, 0),
	};
	bool *const flags[] = { &effect->is_free, &effect->is_change, &effect->is_shared, &effect->is_partial,
		&effect->is_counted, &effect->is_any, &effect->is_handed_over };
	struct rst_operand *const operands[] = { &effect->thread, &effect->object, &effect->other,
		&effect->value, &effect->amount, &effect->limit, &effect->capacity, &effect->code,
		&effect->key };

	codec_record(codec, rows, N_CODEC_ROWS(rows), effect);
	record_flags(codec, flags, N_CODEC_ROWS(flags));
	for (size_t i = 0; i < N_CODEC_ROWS(operands); i++)
		record_operand(codec, operands[i]);
	for (size_t i = 0; i < RST_CONDITIONS_MAX; i++)
		record_condition(codec, &effect->when[i]);
	record_codes(codec, &effect->codes);
}

void record_effects(struct codec *codec, struct rst_layout *layout)
{
	struct rst_effect *effects = (struct rst_effect *)(uintptr_t)layout->effects;
	size_t n_effects = layout->n_effects;

	codec_size(codec, &n_effects, EFFECTS_MAX);
	if (codec->is_reading)
		layout->effects = effects = codec_array(codec, n_effects, sizeof(*effects));
	layout->n_effects = (unsigned)n_effects;
	for (size_t i = 0; i < n_effects && codec_is_good(codec); i++)
		record_effect(codec, &effects[i]);
	codec_text(codec, &layout->no_effect);
}

void record_traits(struct codec *codec, struct rst_layout *layout)
{
	struct rst_constants traits = { NULL, layout->n_traits, layout->traits };

	record_constants(codec, &traits);
	for (size_t i = 0; i < traits.n_rows; i++)
		codec->is_bad |= !traits.rows[i].name;
	layout->n_traits = traits.n_rows;
	layout->traits = traits.rows;
}

static void record_items(
	struct codec *codec, const struct rst_detail **details, size_t *n_details, unsigned depth);

static void record_list(struct codec *codec, struct rst_detail *detail)
{
	uint64_t *list = (uint64_t *)(uintptr_t)detail->list;

	if (codec->is_reading)
		detail->list = list = codec_array(codec, (size_t)detail->number, sizeof(*list));
	for (uint64_t i = 0; i < detail->number && codec_is_good(codec); i++)
		codec_number(codec, &list[i], 0);
}

static void record_detail(struct codec *codec, struct rst_detail *detail, unsigned depth)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_detail, name, CODEC_NAME, 0),
		CODEC_ROW(struct rst_detail, type, CODEC_NUMBER, RST_DETAIL_GROUP + 1),
		CODEC_ROW(struct rst_detail, number, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_detail, text, CODEC_TEXT, 0),
		CODEC_ROW(struct rst_detail, n_items, CODEC_NUMBER, STORE_CONSTANTS_MAX),
	};
	bool *const flags[] = { &detail->is_raw };

	codec_record(codec, rows, N_CODEC_ROWS(rows), detail);
	record_flags(codec, flags, N_CODEC_ROWS(flags));
	codec->is_bad |= codec->is_reading && detail->type == RST_DETAIL_TEXT && !detail->text;
	if (detail->type == RST_DETAIL_HEX_LIST)
		record_list(codec, detail);
	else if (detail->type == RST_DETAIL_GROUP)
		record_items(codec, &detail->items, &detail->n_items, depth + 1);
}

static void record_items(
	struct codec *codec, const struct rst_detail **details, size_t *n_details, unsigned depth)
{
	struct rst_detail *items = (struct rst_detail *)(uintptr_t)*details;

	codec->is_bad |= depth > DETAIL_DEPTH_MAX;
	codec_size(codec, n_details, STORE_CONSTANTS_MAX);
	if (codec->is_reading)
		*details = items = codec_array(codec, *n_details, sizeof(*items));
	for (size_t i = 0; i < *n_details && codec_is_good(codec); i++)
		record_detail(codec, &items[i], depth);
	if (codec->is_reading && !codec_is_good(codec))
		*n_details = 0;
}

void record_details(struct codec *codec, const struct rst_detail **details, size_t *n_details)
{
	record_items(codec, details, n_details, 0);
}

void record_pair(struct codec *codec, struct rst_clock_pair *pair)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_clock_pair, ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_clock_pair, monotonic_ns, CODEC_SIGNED, 0),
		CODEC_ROW(struct rst_clock_pair, realtime_ns, CODEC_SIGNED, 0),
		CODEC_ROW(struct rst_clock_pair, error_ns, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), pair);
}

/* --- what a reader must not believe --------------------------------------------------------------------- */

static bool field_is_sound(const struct rst_field *field)
{
	const bool is_number = rst_field_is_number(field), is_sequence = field->type == RST_SEQUENCE;
	const bool has_numbers = is_number || field->extent == RST_EXTENT_COUNTED;

	if (has_numbers && (field->n_bytes < 1 || field->n_bytes > 8))
		return false;
	if (!is_number && field->extent == RST_EXTENT_SPAN && field->n_bytes != 8)
		return false;
	if (is_sequence && (field->item_bytes < 1 || field->item_bytes > 8))
		return false;
	return field->n_bits == 0 || (is_number && field->shift + field->n_bits <= 8U * field->n_bytes);
}

static bool operand_is_sound(const struct rst_layout *layout, const struct rst_operand *operand)
{
	if (operand->from <= 0)
		return operand->from >= RST_FROM_UNKNOWN;
	return (unsigned)operand->from <= layout->n_fields;
}

static bool effect_is_sound(const struct rst_layout *layout, const struct rst_effect *effect)
{
	const struct rst_operand *const operands[] = { &effect->thread, &effect->object, &effect->other,
		&effect->value, &effect->amount, &effect->limit, &effect->capacity, &effect->code,
		&effect->key };
	bool is_sound = true;

	for (size_t i = 0; i < N_CODEC_ROWS(operands); i++)
		is_sound &= operand_is_sound(layout, operands[i]);
	for (size_t i = 0; i < RST_CONDITIONS_MAX; i++)
		is_sound &= operand_is_sound(layout, &effect->when[i].of) &&
			    operand_is_sound(layout, &effect->when[i].with);
	return is_sound;
}

bool record_layout_is_sound(const struct rst_layout *layout)
{
	for (unsigned i = 0; i < layout->n_fields; i++)
		if (!field_is_sound(&layout->fields[i]))
			return false;
	for (unsigned i = 0; i < layout->n_effects; i++)
		if (!effect_is_sound(layout, &layout->effects[i]))
			return false;
	return true;
}
