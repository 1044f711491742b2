/* SPDX-License-Identifier: MIT */
/*
 * State machines: a composite state for each, with the states that it was in, and for each transition how
 * often it was made. From one state to the next is a transition, unless something is lost between them.
 *
 *	state "blinky" as M1 {
 *	    state "on" as M1S1
 *	    M1S1 --> M1S2 : 12
 *	}
 */
#include <inttypes.h>

#include "export/mermaid.h"

static bool transition_count(
	struct mermaid *mermaid, struct mermaid_machine *machine, struct subject *from, struct subject *to)
{
	struct mermaid_transition *transition = machine->transitions;

	while (transition && (transition->from != from || transition->to != to))
		transition = transition->next;
	if (!transition) {
		transition = arena_alloc(&mermaid->arena, sizeof(*transition));
		if (!transition)
			return false;
		*transition = (struct mermaid_transition){ .from = from, .to = to };
		if (machine->last)
			machine->last->next = transition;
		else
			machine->transitions = transition;
		machine->last = transition;
	}
	transition->n++;
	return true;
}

void machines_lose(struct export *export, uint64_t at)
{
	struct mermaid *mermaid = export->state;

	mermaid->losses[mermaid->n_losses++ % MERMAID_LOSSES] = at;
}

/*
 * The losses of a batch are known before the pieces that end in it. If there are more than MERMAID_LOSSES,
 * any time before the oldest kept loss counts as lost.
 */
static bool is_lost_between(const struct mermaid *mermaid, uint64_t from, uint64_t to)
{
	const uint64_t n = mermaid->n_losses < MERMAID_LOSSES ? mermaid->n_losses : MERMAID_LOSSES;
	uint64_t oldest = UINT64_MAX;

	for (uint64_t i = 0; i < n; i++) {
		oldest = mermaid->losses[i] < oldest ? mermaid->losses[i] : oldest;
		if (from <= mermaid->losses[i] && mermaid->losses[i] <= to)
			return true;
	}
	return mermaid->n_losses > n && from < oldest;
}

bool machine_piece(struct export *export, const struct piece *piece)
{
	struct mermaid *mermaid = export->state;
	const struct rst_interval *interval = piece->interval;
	struct mermaid_machine *machine;
	struct subject *state, *before;

	mermaid->machines.record_bytes = sizeof(*machine);
	machine = subject_of(&mermaid->machines, &interval->subject);
	if (!machine)
		return false;
	before = is_lost_between(mermaid, machine->until, piece->from) ? NULL : machine->now;
	machine->now = NULL;
	if (interval->object.form == RST_ENTITY_NONE || interval->certainty == RST_CERTAINTY_UNKNOWN)
		return true;
	machine->states.record_bytes = sizeof(*state);
	state = subject_of(&machine->states, &interval->object);
	if (!state)
		return false;
	machine->now = state;
	machine->until = piece->to;
	return !before || transition_count(mermaid, machine, before, state);
}

static size_t state_number(const struct mermaid_machine *machine, const struct subject *state)
{
	size_t n = 0;

	while (machine->states.all[n] != state)
		n++;
	return n + 1;
}

static void put_machine(struct export *export, const struct mermaid_machine *machine, size_t number)
{
	struct mermaid *mermaid = export->state;
	struct outbuf *out = export->out;

	outbuf_puts(out, "    state \"");
	mermaid_put_name(out, &machine->subject.entity);
	outbuf_printf(out, "\" as M%zu {\n", number);
	for (size_t i = 0; i < machine->states.n; i++) {
		outbuf_puts(out, "        state \"");
		mermaid_put_name(out, &machine->states.all[i]->entity);
		outbuf_printf(out, "\" as M%zuS%zu\n", number, i + 1);
	}
	for (const struct mermaid_transition *at = machine->transitions; at; at = at->next) {
		if (mermaid->n_messages++ >= mermaid_limit(export))
			mermaid->n_left_out++;
		else
			outbuf_printf(out, "        M%zuS%zu --> M%zuS%zu : %" PRIu64 "\n", number,
				state_number(machine, at->from), number, state_number(machine, at->to),
				at->n);
	}
	outbuf_puts(out, "    }\n");
}

void machines_end(struct export *export)
{
	const struct mermaid *mermaid = export->state;

	for (size_t i = 0; i < mermaid->machines.n; i++) {
		const struct mermaid_machine *machine =
			(const struct mermaid_machine *)(void *)mermaid->machines.all[i];

		if (machine->states.n)
			put_machine(export, machine, i + 1);
	}
	if (!mermaid->machines.n)
		outbuf_puts(export->out, "    state \"no state machines\" as M1\n");
	if (mermaid->n_left_out)
		outbuf_printf(export->out,
			"    state \"%" PRIu64 " more transitions are left out\" as rest\n",
			mermaid->n_left_out);
}
