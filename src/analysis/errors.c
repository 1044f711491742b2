/* SPDX-License-Identifier: MIT */
#include "analysis/errors.h"

#include <stdlib.h>

#include "base/array.h"

bool errors_take(struct errors *errors, const struct rst_effect_facts *facts, bool *ret_is_error)
{
	const enum rst_effect_kind kind = facts->effect->kind;
	const struct rst_context *thread = kind == RST_EFFECT_ERROR ? facts->other_thread : facts->thread;
	uint8_t *has_ended;

	*ret_is_error = kind == RST_EFFECT_ERROR;
	if (!thread || thread->kind != RST_CONTEXT_THREAD ||
		(kind == RST_EFFECT_WAIT && facts->phase != RST_DONE))
		return true;
	has_ended = array_reach(errors->has_ended, &errors->room, thread->index, sizeof(*has_ended));
	if (!has_ended)
		return false;
	errors->has_ended = has_ended;
	if (kind == RST_EFFECT_ERROR)
		*ret_is_error = !has_ended[thread->index];
	else
		has_ended[thread->index] = kind == RST_EFFECT_DELETE || facts->state == RST_STATE_ENDED;
	return true;
}

void errors_done(struct errors *errors)
{
	free(errors->has_ended);
}
