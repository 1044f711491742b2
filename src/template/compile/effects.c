/* SPDX-License-Identifier: MIT */
/*
 * Lines "# effect:" of a stanza as effects of a layout: names of fields become their numbers, names of
 * constants their values.
 */
#include <string.h>

#include "base/similar.h"
#include "template/compile/bind.h"
#include "template/language/effects.h"

/*
 * Where an entry of AIX has what templates call $HD and $D1 to $D5: as the fields of its dialect are named.
 */
static bool is_aix_name(const char *field, struct text name)
{
	static const struct {
		const char *name, *field;
	} rows[] = { { "HD", "data" }, { "D1", "d1" }, { "D2", "d2" }, { "D3", "d3" }, { "D4", "d4" },
		{ "D5", "d5" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (text_is_word(name, rows[i].name))
			return !field || strcmp(field, rows[i].field) == 0;
	return false;
}

/* $add would be a call, so templates write $add_; here both are the field. */
static bool is_field_name(const char *field, struct text name)
{
	const size_t n = strlen(field);

	return text_is_word(name, field) ||
	       (name.n_bytes == n + 1 && name.bytes[n] == '_' && memcmp(name.bytes, field, n) == 0 &&
		       key_is_hook(field, n));
}

/*
 * Returns the index, from 1, of the field of this name that is a number, or 0 if the layout has no such
 * field.
 */
static int16_t field_find(const struct rst_layout *layout, struct text name)
{
	for (unsigned i = 0; i < layout->n_fields; i++) {
		const struct rst_field *field = &layout->fields[i];

		if (rst_field_is_number(field) && (layout->hook_bytes ? is_aix_name(field->name, name)
								      : is_field_name(field->name, name)))
			return (int16_t)(i + 1);
	}
	return 0;
}

static bool constant_find(const struct rst_field *field, struct text name, uint64_t *ret)
{
	const struct rst_constants *constants = field->constants;

	for (size_t i = 0; constants && i < constants->n_rows; i++)
		if (constants->rows[i].name && text_is_word(name, constants->rows[i].name)) {
			*ret = constants->rows[i].value;
			return true;
		}
	return false;
}

/* Returns false if the layout has no such field; then *of is nothing. */
static bool operand_bind(
	struct rst_operand *of, const struct effect_line *line, const struct rst_layout *layout)
{
	if (of->from <= RST_FROM_NOTHING)
		return true;
	of->from = field_find(layout, line->fields[of->from - 1].name);
	return of->from != RST_FROM_NOTHING;
}

static bool conditions_bind(
	struct rst_effect *effect, const struct effect_line *line, const struct rst_layout *layout)
{
	for (unsigned i = 0; i < RST_CONDITIONS_MAX && effect->when[i].test != RST_TEST_NONE; i++) {
		struct rst_condition *condition = &effect->when[i];

		if (!operand_bind(&condition->of, line, layout) ||
			!operand_bind(&condition->with, line, layout))
			return false;
		if (line->constants[i].n_bytes && !constant_find(&layout->fields[condition->of.from - 1],
							  line->constants[i], &condition->value))
			return false;
	}
	return true;
}

/* The effect of a line for a layout. Returns false if the layout lacks one of its fields. */
static bool line_bind(struct rst_effect *ret, const struct effect_line *line, const struct rst_layout *layout)
{
	*ret = line->effect;
	for (const struct effect_word *word = effect_words; word->name; word++)
		if (word->type == EFFECT_WORD_OPERAND &&
			!operand_bind(effect_operand(ret, word), line, layout))
			return false;
	return conditions_bind(ret, line, layout);
}

/* The stanza whose effects count for the events of a layout. */
static const struct stanza *stanza_of(const struct template_set *set, const struct rst_layout *layout)
{
	const struct rst_type *type = layout->type;
	const struct stanza *stanza = template_set_find_event(set, type->name, type->name_bytes);

	if (!stanza && type->other_name)
		stanza = template_set_find_event(set, type->other_name, strlen(type->other_name));
	return stanza;
}

bool bind_effects(struct template_set *set, struct rst_layout *layout, struct diags *diags)
{
	const struct stanza *stanza = set->has_effects ? stanza_of(set, layout) : NULL;
	const struct effect_line *lines = stanza ? stanza->effects : NULL;
	const bool has_none = lines && lines->effect.kind == RST_EFFECT_NONE;
	size_t n_lines = 0;
	struct rst_effect *effects;
	unsigned n = 0;

	for (const struct effect_line *line = lines; line; line = line->next)
		n_lines++;
	if (n_lines == 0)
		return true;
	if (!stanza->file->is_builtin && !layout->hook_bytes)
		check_effects(stanza, layout, diags);
	effects = arena_alloc(&set->arena, (layout->n_effects + n_lines) * sizeof(*effects));
	if (!effects)
		return false;
	for (unsigned i = 0; i < layout->n_effects && !has_none; i++)
		effects[n++] = layout->effects[i];
	for (const struct effect_line *line = has_none ? lines->next : lines; line; line = line->next)
		n += line_bind(&effects[n], line, layout);
	layout->effects = effects;
	layout->n_effects = n;
	if (n)
		layout->no_effect = NULL;
	else if (has_none)
		layout->no_effect = "a template takes them away";
	return true;
}

/* --- checking ------------------------------------------------------------------------------------------- */

static void tell_field(const struct stanza *stanza, const struct effect_line *line, unsigned n,
	const struct rst_layout *layout, struct diags *diags)
{
	const struct text name = line->fields[n].name;
	const struct diag_location location = stanza_location(stanza, line->fields[n].at);
	char wanted[64], advice[SIMILAR_TEXT_MAX];
	struct similar similar;

	snprintf(wanted, sizeof(wanted), "%.*s", text_shown(name), name.bytes);
	similar = similar_to(wanted);
	if (!layout) {
		diag_add(diags, "T21", location, "an entry has $HD and $D1 to $D5, and no $%s", wanted);
		return;
	}
	for (unsigned i = 0; i < layout->n_fields; i++) {
		if (is_field_name(layout->fields[i].name, name)) {
			diag_add(diags, "T21", location, "$%s is no number", wanted);
			return;
		}
		if (rst_field_is_number(&layout->fields[i]))
			similar_offer(&similar, layout->fields[i].name);
	}
	diag_add(diags, "T21", location, "the event has no field $%s%s%s", wanted,
		layout->n_fields ? "; " : "", layout->n_fields ? similar_or_all(&similar, advice) : "");
}

static bool fields_check(const struct stanza *stanza, const struct effect_line *line,
	const struct rst_layout *layout, struct diags *diags)
{
	for (unsigned i = 0; i < line->n_fields; i++) {
		const struct text name = line->fields[i].name;

		if (layout ? field_find(layout, name) != 0 : is_aix_name(NULL, name))
			continue;
		tell_field(stanza, line, i, layout, diags);
		return false;
	}
	return true;
}

static void constants_check(const struct stanza *stanza, const struct effect_line *line,
	const struct rst_layout *layout, struct diags *diags)
{
	for (unsigned i = 0; i < RST_CONDITIONS_MAX; i++) {
		const struct text name = line->constants[i];
		const struct rst_field *field;
		uint64_t value;

		if (!name.n_bytes)
			continue;
		const unsigned n = (unsigned)line->effect.when[i].of.from - 1;

		field = layout ? &layout->fields[field_find(layout, line->fields[n].name) - 1] : NULL;
		if (!field || !constant_find(field, name, &value))
			diag_add(diags, "T22", stanza_location(stanza, line->fields[n].at),
				"'%.*s' is no number, and no constant of $%.*s", text_shown(name), name.bytes,
				text_shown(line->fields[n].name), line->fields[n].name.bytes);
	}
}

void check_effects(const struct stanza *stanza, const struct rst_layout *layout, struct diags *diags)
{
	for (const struct effect_line *line = stanza->effects; line; line = line->next)
		if (fields_check(stanza, line, layout, diags))
			constants_check(stanza, line, layout, diags);
}
