/* SPDX-License-Identifier: MIT */
/*
 * Effects inside the reader: binds a dialect's rows to the fields of a layout, and reads them for one event.
 */
#ifndef MODEL_EFFECT_H
#define MODEL_EFFECT_H

#include <rastrum/effect.h>

#include "model/model.h"

/*
 * Rows of a dialect's table name its arguments (1: the first); in ret they name fields. field_of[i] is the
 * field of argument i + 1 (0: the first), or RST_NO_FIELD. Rows without an effect are left out. So are rows
 * with a condition, a thread or an object for which the layout has no field, and levels and priorities whose
 * value it lacks; other facts without a field are absent. Returns the number of rows in ret, which has room
 * for n_rows.
 */
unsigned effects_bind(
	struct rst_effect *ret, const struct rst_effect *rows, size_t n_rows, const int8_t *field_of);

/*
 * Gives a layout the effects of a dialect's rows, bound as above and kept in the model's arena. The rows end
 * with a row without an effect; rows is NULL if the effects are unknown. Returns false if memory ran out.
 */
bool effects_give(struct rst_layout *layout, struct model *model, const struct rst_effect *rows,
	const int8_t *field_of);

/* As rst_effects_read(). */
bool effects_read(struct model *model, const struct rst_batch *batch, size_t row, uint64_t wanted,
	const struct rst_effect_facts *const **ret_facts, size_t *ret_n_facts);

/* As rst_effect_read(). */
bool effect_read(struct model *model, const struct rst_batch *batch, size_t row,
	const struct rst_effect *effect, struct rst_effect_facts *ret);

#endif
