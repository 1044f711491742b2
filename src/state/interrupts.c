/* SPDX-License-Identifier: MIT */
/* The interrupts of cores, each inside of another one or over the holder of the core. */
#include "state/states.h"

void interrupt_emit(
	struct rst_states *states, const struct core *core, const struct interrupt *open, struct moment to)
{
	struct rst_interval *interval = interval_add(states, RST_INTERVAL_INTERRUPT, &open->since, &to);

	if (!interval)
		return;
	interval->core = core->number;
	if (open->irq.is_known)
		entity_set_number(&interval->subject, open->irq.number);
	if (core->holder.actor)
		entity_set_context(&interval->object, core->holder.actor->context);
}

/*
 * Notes the arrival of an interrupt. If it came before the window, no event shows its time, and it is not
 * noted.
 */
static void arrival_note(
	struct rst_states *states, const struct core *core, const struct interrupt *interrupt)
{
	struct rst_beginning *beginning =
		interrupt->since.at.seq == RST_NO_SEQ
			? NULL
			: beginning_add(states, RST_INTERVAL_INTERRUPT, interrupt->since.at);

	if (!beginning)
		return;
	beginning->core = core->number;
	beginning->depth = (uint16_t)core->n_interrupts;
	if (interrupt->irq.is_known)
		entity_set_number(&beginning->subject, interrupt->irq.number);
	if (core->holder.actor)
		entity_set_context(&beginning->object, core->holder.actor->context);
}

static void interrupt_push(struct rst_states *states, struct core *core, const struct interrupt *interrupt)
{
	struct actor *actor = core->holder.actor;

	arrival_note(states, core, interrupt);
	if (core->n_interrupts == STATES_NESTING_MAX)
		return;
	if (!core->n_interrupts && has_core(core, actor))
		actor_set(states, actor,
			&(struct doing){
				.state = RST_STATE_INTERRUPTED, .core = core->number, .irq = interrupt->irq },
			interrupt->since.at, interrupt->since.certainty);
	core->interrupts[core->n_interrupts++] = *interrupt;
	core->inside = states->now;
	core_refresh(states, core, interrupt->since.at, interrupt->since.certainty);
}

/* Ends the innermost interrupt. */
static void interrupt_pop(
	struct rst_states *states, struct core *core, struct moment at, enum rst_certainty certainty)
{
	struct interrupt *interrupt = &core->interrupts[--core->n_interrupts];
	struct actor *actor = core->holder.actor;

	if (certainty < interrupt->since.certainty)
		interrupt->since.certainty = certainty;
	interrupt_emit(states, core, interrupt, at);
	if (!core->n_interrupts) {
		core->proved = at;
		if (core->has_decision)
			core->decision = at;
		if (core->may_have_left)
			core->left = at;
		if (actor && actor->state == RST_STATE_INTERRUPTED)
			actor_run(states, actor, core->number, at, certainty);
		else if (actor && !has_left(core))
			actor_run(states, actor, core->number, at, certainty);
	}
	core_refresh(states, core, at, certainty);
}

void interrupts_end(struct rst_states *states, struct core *core)
{
	while (core->n_interrupts)
		interrupt_pop(states, core, core->inside, RST_CERTAINTY_INFERRED);
}

/*
 * Whether an interrupt that has not begun in the recording is older than it. Then those that have begun and
 * ended were inside of it, and the thread below has not run between them.
 */
static bool is_older(const struct core *core)
{
	return core->has_arrival && !core->has_thread;
}

void interrupt_imply(struct rst_states *states, struct core *core)
{
	const struct rst_context *self = states->self;
	const struct moment before = { core->since.at.ticks, RST_NO_SEQ };
	const struct interrupt interrupt = { .irq = { self->is_number, self->id },
		.since = { is_older(core) ? before : states->now, RST_CERTAINTY_INFERRED } };

	interrupt_push(states, core, &interrupt);
}

/* --- effects -------------------------------------------------------------------------------------------- */

void cores_interrupt_in(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct core *core = core_now(states);
	const struct interrupt interrupt = { .irq = { facts->has_value, facts->value },
		.since = { states->now, RST_CERTAINTY_EXACT } };

	if (!core)
		return;
	core->has_arrival = true;
	interrupt_push(states, core, &interrupt);
}

void cores_interrupt_out(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct core *core = core_now(states);

	if (!core)
		return;
	if (!core->n_interrupts && (core->state == RST_STATE_UNKNOWN || is_older(core))) {
		const struct interrupt interrupt = { .irq = { facts->has_value, facts->value },
			.since = { core->since.at, RST_CERTAINTY_INFERRED } };

		interrupt_push(states, core, &interrupt);
	}
	if (core->n_interrupts)
		interrupt_pop(states, core, states->now, RST_CERTAINTY_EXACT);
}
