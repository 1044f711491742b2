/* SPDX-License-Identifier: MIT */
/* The states of state machines. */
#include "state/states.h"

void machines_forget(struct rst_states *states, struct thing *thing, struct moment at)
{
	struct rst_interval *interval =
		thing->is_machine ? interval_add(states, RST_INTERVAL_MACHINE, &thing->in_since, &at) : NULL;

	if (interval) {
		entity_set_ref(&interval->subject, &thing->ref);
		entity_set_ref(&interval->object, &thing->in);
	}
	thing->is_machine = false;
}

/*
 * If the machine leaves a state other than the known one, no interval ends: states may contain states, and
 * the intervals show the innermost one.
 */
void machines_set(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct thing *thing = thing_of(states, &facts->object);
	const struct rst_ref *state = &facts->other;
	const bool is_same = thing && thing->is_machine && state->is_there && thing->in.id == state->id;

	if (!thing || (is_same && facts->phase != RST_LEAVES))
		return;
	if (facts->phase == RST_LEAVES) {
		if (is_same || !state->is_there)
			machines_forget(states, thing, states->now);
		return;
	}
	machines_forget(states, thing, states->now);
	if (!state->is_there)
		return;
	thing->is_machine = true;
	thing->in = *state;
	thing->in_since = (struct since){ states->now, RST_CERTAINTY_EXACT };
}
