/* SPDX-License-Identifier: MIT */
/*
 * Layouts with their types, fields and effects, and the tables of constants with names for values of fields.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "dialect/store/definitions_parts.h"
#include "dialect/store/format.h"
#include "dialect/store/records.h"

/* --- constants ------------------------------------------------------------------------------------------ */

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
	for (unsigned i = 0; i < 8; i++)
		hash = hash_byte(hash, (uint8_t)(number >> (8 * i)));
	return hash;
}

/* The hash finds changes: the target may give names to numbers while the table is in use. */
static uint64_t hash_constants(const struct rst_constants *constants)
{
	uint64_t hash = hash_number(HASH_EMPTY, constants->n_rows);

	for (size_t i = 0; i < constants->n_rows; i++) {
		hash = hash_number(hash, constants->rows[i].value);
		for (const char *at = constants->rows[i].name; at && *at; at++)
			hash = hash_byte(hash, (uint8_t)*at);
		hash = hash_byte(hash, constants->rows[i].name != NULL);
	}
	return hash;
}

/* Whether the constants are names of things of the target, not of the dialect. */
static bool are_names(const struct definitions *definitions, const struct rst_constants *constants)
{
	const struct model *model = definitions->model;

	for (size_t i = 0; i < model->n_layouts; i++)
		for (unsigned n = 0; n < model->layouts[i]->n_fields; n++)
			if (model->layouts[i]->fields[n].has_names &&
				model->layouts[i]->fields[n].constants == constants)
				return true;
	return false;
}

/* The first name stands for "none" and is kept. */
static bool constants_disguise(struct disguise *disguise, struct rst_constants *constants)
{
	struct rst_constant *rows = arena_alloc(&disguise->arena, constants->n_rows * sizeof(*rows) + 1);

	if (!rows)
		return false;
	for (size_t i = 0; i < constants->n_rows; i++) {
		rows[i] = constants->rows[i];
		if (i && !name_disguise(disguise, RST_OBJECT_UNKNOWN, &rows[i].name, NULL))
			return false;
	}
	constants->rows = rows;
	return true;
}

bool constants_write(struct definitions *definitions, size_t number, struct bytes *to)
{
	struct rst_constants copy = *definitions->constants[number];
	struct codec codec = { .to = to };
	uint64_t item = ITEM_CONSTANTS, index;

	if (!definitions_number(definitions, NUMBERED_CONSTANTS, number, &index))
		return false;

	definitions->constant_hashes[number] = hash_constants(&copy);
	if (definitions->disguise && are_names(definitions, definitions->constants[number]) &&
		!constants_disguise(definitions->disguise, &copy))
		return false;
	codec_number(&codec, &item, 0);
	codec_number(&codec, &index, 0);
	record_constants(&codec, &copy);
	return codec_is_good(&codec);
}

/* Puts the table once, in front of the field that needs it. *ret is its number in the trace + 1. */
static bool constants_find(struct definitions *definitions, const struct rst_constants *constants,
	struct bytes *to, uint64_t *ret)
{
	const uint64_t key = (uint64_t)(uintptr_t)constants;

	*ret = 0;
	if (!constants)
		return true;
	*ret = (uint64_t)(uintptr_t)map_find(&definitions->constant_numbers, key);
	if (*ret)
		return true;
	struct rst_constants **all = array_room(definitions->constants, definitions->n_constants,
		&definitions->constants_room, sizeof(struct rst_constants *));

	if (all)
		definitions->constants = all;
	uint64_t *hashes = array_room(definitions->constant_hashes, definitions->n_constants,
		&definitions->hashes_room, sizeof(uint64_t));

	if (hashes)
		definitions->constant_hashes = hashes;
	if (!all || !hashes)
		return false;
	all[definitions->n_constants++] = (struct rst_constants *)(uintptr_t)constants;
	*ret = definitions->n_constants;
	return map_set(&definitions->constant_numbers, key, (void *)(uintptr_t)*ret) &&
	       constants_write(definitions, definitions->n_constants - 1, to);
}

/* The same, but *ret is its number in the store + 1. */
static bool constants_reach(struct definitions *definitions, const struct rst_constants *constants,
	struct bytes *to, uint64_t *ret)
{
	if (!constants_find(definitions, constants, to, ret))
		return false;
	if (*ret && !definitions_number(definitions, NUMBERED_CONSTANTS, (size_t)*ret - 1, ret))
		return false;
	*ret += constants != NULL;
	return true;
}

bool constants_put_changed(struct definitions *definitions, struct bytes *to)
{
	const struct model *model = definitions->model;

	for (size_t i = 2; i < definitions->n_layouts; i++)
		for (unsigned n = 0; n < model->layouts[i]->n_fields; n++) {
			const struct rst_field *field = &model->layouts[i]->fields[n];
			uint64_t number;

			if (!field->has_names || !field->constants)
				continue;
			number = (uint64_t)(uintptr_t)map_find(
				&definitions->constant_numbers, (uint64_t)(uintptr_t)field->constants);
			if (number &&
				definitions->constant_hashes[number - 1] !=
					hash_constants(field->constants) &&
				!constants_write(definitions, (size_t)number - 1, to))
				return false;
		}
	return true;
}

bool constants_take(struct definitions *definitions, struct codec *codec)
{
	struct rst_constants constants = { 0 }, **all, *own;
	uint64_t number = 0;

	codec_number(codec, &number, definitions->n_constants + 1);
	record_constants(codec, &constants);
	if (!codec_is_good(codec))
		return true;
	if (number < definitions->n_constants) {
		*definitions->constants[number] = constants;
		return true;
	}
	own = arena_alloc(codec->arena, sizeof(*own));
	all = array_room(definitions->constants, definitions->n_constants, &definitions->constants_room,
		sizeof(struct rst_constants *));
	if (all)
		definitions->constants = all;
	if (!own || !all)
		return false;
	*own = constants;
	all[definitions->n_constants++] = own;
	return true;
}

/* --- layouts -------------------------------------------------------------------------------------------- */

static void record_type(struct codec *codec, struct rst_type *type)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_type, id, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_type, name, CODEC_NAME, 0),
		CODEC_ROW(struct rst_type, label, CODEC_NAME, 0),
		CODEC_ROW(struct rst_type, other_name, CODEC_TEXT, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), type);
}

static void record_head(struct codec *codec, struct rst_layout *layout)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_layout, hook_bytes, CODEC_NUMBER, 9),
		CODEC_ROW(struct rst_layout, n_fields, CODEC_NUMBER, STORE_FIELDS_MAX),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), layout);
}

/*
 * Puts the dialect of the following layouts, if traces of several dialects were merged or a trace has hooks
 * of another dialect.
 */
static bool dialect_put(struct definitions *definitions, const struct rst_layout *layout, struct bytes *to)
{
	struct numbering *numbering = definitions->numbering;
	struct definitions *whole = numbering ? numbering->whole : definitions;
	const char *dialect = layout->dialect;
	struct codec codec = { .to = to };
	uint64_t item = ITEM_DIALECT;

	if (!dialect && ((numbering && numbering->is_mixed) || whole->layouts_dialect))
		dialect = definitions->manner.dialect;
	if (!dialect || (whole->layouts_dialect && strcmp(dialect, whole->layouts_dialect) == 0))
		return true;
	whole->layouts_dialect = dialect;
	codec_number(&codec, &item, 0);
	codec_text(&codec, &dialect);
	return codec_is_good(&codec);
}

bool dialect_take(struct definitions *definitions, struct codec *codec)
{
	const char *dialect = NULL;

	codec_text(codec, &dialect);
	if (codec_is_good(codec))
		definitions->layouts_dialect = dialect;
	return true;
}

/* The constants of its fields come first, so that their items stand in front of the layout's item. */
bool layout_put(struct definitions *definitions, size_t index, struct bytes *to)
{
	struct rst_layout layout = model_layout_added(definitions->model->layouts[index]);
	struct rst_type type = *layout.type;
	struct codec codec = { .to = to };
	uint64_t item = ITEM_LAYOUT, constants, number;

	type.id = layout.id;
	for (unsigned i = 0; i < layout.n_fields; i++)
		if (!constants_reach(definitions, layout.fields[i].constants, to, &constants))
			return false;
	if (!definitions_number(definitions, NUMBERED_LAYOUTS, index, &number) ||
		!dialect_put(definitions, &layout, to))
		return false;
	codec_number(&codec, &item, 0);
	codec_number(&codec, &number, 0);
	record_type(&codec, &type);
	record_head(&codec, &layout);
	for (unsigned i = 0; i < layout.n_fields; i++) {
		struct rst_field field = layout.fields[i];

		constants_reach(definitions, field.constants, to, &constants);
		record_field(&codec, &field, &constants);
	}
	record_effects(&codec, &layout);
	record_traits(&codec, &layout);
	return codec_is_good(&codec);
}

bool layout_take(struct definitions *definitions, struct codec *codec)
{
	struct model *model = definitions->model;
	struct rst_layout layout = { 0 };
	struct rst_field *fields;
	struct rst_type type = { 0 };
	uint64_t index = 0, constants = 0;

	codec_number(codec, &index, model->n_layouts + 1);
	record_type(codec, &type);
	record_head(codec, &layout);
	layout.fields = fields = codec_array(codec, layout.n_fields, sizeof(*fields));
	for (unsigned i = 0; i < layout.n_fields && codec_is_good(codec); i++) {
		record_field(codec, &fields[i], &constants);
		codec->is_bad |= constants > definitions->n_constants;
		if (constants && codec_is_good(codec))
			fields[i].constants = definitions->constants[constants - 1];
	}
	record_effects(codec, &layout);
	record_traits(codec, &layout);
	layout.dialect = definitions->layouts_dialect;
	codec->is_bad |= codec_is_good(codec) && !record_layout_is_sound(&layout);
	/* The layout may exist already: the END of a store repeats all definitions. */
	if (!codec_is_good(codec) || index < model->n_layouts)
		return true;
	return model_add_layout(model, &type, &layout) != NULL;
}
