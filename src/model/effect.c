/* SPDX-License-Identifier: MIT */
#include "model/effect.h"

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
		&effect->when[1].of, &effect->when[2].of, &effect->when[0].with, &effect->when[1].with,
		&effect->when[2].with };
	struct rst_operand *const others[] = { &effect->other, &effect->amount, &effect->limit,
		&effect->capacity, &effect->code, &effect->key };
	const bool needs_value = effect->kind == RST_EFFECT_LEVEL || effect->kind == RST_EFFECT_PRIORITY;
	bool is_missing = false, is_absent = false;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		needed[i]->from = field_from(field_of, needed[i]->from, &is_missing);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		others[i]->from = field_from(field_of, others[i]->from, &is_absent);
	effect->value.from = field_from(field_of, effect->value.from, needs_value ? &is_missing : &is_absent);
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
