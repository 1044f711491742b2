/* SPDX-License-Identifier: MIT */
/* In which state state machines are. */
#include "state/states.h"

void machines_forget(struct rst_states *states, struct thing *thing, struct moment at)
{
	struct rst_interval interval = { .kind = RST_INTERVAL_MACHINE,
		.state = RST_N_STATES,
		.certainty = thing->in_since.certainty,
		.core = RST_NO_CORE,
		.subject = rst_entity_of_ref(&thing->ref),
		.object = rst_entity_of_ref(&thing->in),
		.from = thing->in_since.at.ticks,
		.to = at.ticks,
		.from_seq = thing->in_since.at.seq,
		.to_seq = at.seq };

	if (thing->is_machine)
		states_emit(states, &interval);
	thing->is_machine = false;
}

/* Leaving a state that is not the one known ends nothing: states lie in states, and the innermost one is shown. */
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
