/* SPDX-License-Identifier: MIT */
/*
 * The states of cores, and so which thread runs. Three kinds of evidence show it, the strongest first: a
 * switch; the context of an event; a decision. A decision counts once a later context proves it, and then
 * from its own time:
 *
 *	context   A     A       A           B          proves the decision
 *	event     …     decides B  …        …
 *	runs      A ────────────┤B ──────────          from the decision, or the last event of A behind it
 *
 * A decision inside an interrupt counts from the end of the outermost interrupt. If a context comes without a
 * decision, the previous context had the core until its last event; the time between is unknown.
 */
#include "base/array.h"
#include "state/states.h"

static const struct holder nothing_known = { HOLDER_UNKNOWN, NULL };

struct core *core_make(struct rst_states *states)
{
	struct core **cores, *core;

	if (states->core >= STATES_CORES_MAX)
		return NULL;
	cores = array_reach(states->cores, &states->cores_room, states->core, sizeof(struct core *));
	core = cores ? arena_alloc(&states->arena, sizeof(*core)) : NULL;
	if (cores)
		states->cores = cores;
	if (!core) {
		states->has_no_memory = true;
		return NULL;
	}
	*core = (struct core){ .number = states->core,
		.origin = states->self->origin,
		.since = { { states->begin.ticks, RST_NO_SEQ }, RST_CERTAINTY_UNKNOWN } };
	return cores[states->core] = core;
}

/* --- the open interval of a core ------------------------------------------------------------------------ */

static void core_emit(struct rst_states *states, const struct core *core, struct moment to)
{
	struct rst_interval *interval = interval_add(states, RST_INTERVAL_CORE, &core->since, &to);

	if (!interval)
		return;
	interval->state = core->state;
	if (core->state == RST_STATE_UNKNOWN)
		interval->certainty = RST_CERTAINTY_UNKNOWN;
	interval->core = core->number;
	entity_set_number(&interval->subject, core->number);
	if (core->shown)
		entity_set_context(&interval->object, core->shown->context);
	else if (core->shown_irq.is_known)
		entity_set_number(&interval->object, core->shown_irq.number);
}

static void core_show(struct rst_states *states, struct core *core, enum rst_state state, struct actor *actor,
	struct irq irq, struct moment at, enum rst_certainty certainty)
{
	if (core->state == state && core->shown == actor && is_same_irq(core->shown_irq, irq) &&
		state != RST_STATE_INTERRUPT)
		return;
	if (at.ticks < core->since.at.ticks)
		at.ticks = core->since.at.ticks;
	core_emit(states, core, at);
	core->state = state;
	core->shown = actor;
	core->shown_irq = irq;
	core->since = (struct since){ at, certainty };
}

void core_refresh(
	struct rst_states *states, struct core *core, struct moment at, enum rst_certainty certainty)
{
	static const enum rst_state states_of[] = { [HOLDER_UNKNOWN] = RST_STATE_UNKNOWN,
		[HOLDER_ACTOR] = RST_STATE_RUNNING,
		[HOLDER_IDLE] = RST_STATE_IDLE };
	const struct irq none = { .is_known = false };

	if (core->n_interrupts)
		core_show(states, core, RST_STATE_INTERRUPT, NULL,
			core->interrupts[core->n_interrupts - 1].irq, at, certainty);
	else if (has_left(core))
		core_show(states, core, RST_STATE_UNKNOWN, NULL, none, at, RST_CERTAINTY_UNKNOWN);
	else
		core_show(
			states, core, states_of[core->holder.kind], core->holder.actor, none, at, certainty);
}

void core_left(struct rst_states *states, const struct actor *actor, uint16_t number, struct moment at)
{
	struct core *core = states->cores[number];

	if (core->holder.actor != actor)
		return;
	core->ran_to = at;
	if (!core->n_interrupts)
		core_refresh(states, core, at, RST_CERTAINTY_UNKNOWN);
}

/* --- what has the core ---------------------------------------------------------------------------------- */

static bool is_same_holder(const struct holder *a, const struct holder *b)
{
	return a->kind == b->kind && a->actor == b->actor;
}

static inline struct holder holder_of(struct rst_states *states, const struct rst_context *context)
{
	struct actor *actor;

	if (context->kind == RST_CONTEXT_IDLE)
		return (struct holder){ HOLDER_IDLE, NULL };
	if (context->kind != RST_CONTEXT_THREAD && context->kind != RST_CONTEXT_INIT)
		return nothing_known;
	actor = context->is_subject ? NULL : actor_of(states, context);
	return actor ? (struct holder){ HOLDER_ACTOR, actor } : nothing_known;
}

/*
 * Whether the thread of the decision has run on another core since, waits, or has ended: then the decision
 * says nothing about this core any more.
 */
static bool is_overtaken(const struct core *core)
{
	const struct actor *actor = core->has_decision ? core->decided.actor : NULL;

	return actor && actor->is_followed && actor->state != RST_STATE_READY &&
	       actor->state != RST_STATE_UNKNOWN && actor->state != RST_STATE_CREATED &&
	       actor->since.at.seq != RST_NO_SEQ && actor->since.at.seq > core->decision.seq;
}

/* A thread that runs on this core has left its previous one, at the last event that showed it there. */
static void leave_other_core(struct rst_states *states, const struct core *core, struct actor *actor)
{
	struct core *other = actor->core != core->number && actor->core < states->cores_room
				     ? states->cores[actor->core]
				     : NULL;

	if (!other || other->holder.actor != actor)
		return;
	if (has_core(other, actor))
		actor_set(states, actor, &(struct doing){ .state = RST_STATE_UNKNOWN, .core = RST_NO_CORE },
			other->proved, RST_CERTAINTY_UNKNOWN);
	other->holder = nothing_known;
	if (!other->n_interrupts)
		core_refresh(states, other, other->proved, RST_CERTAINTY_UNKNOWN);
}

/*
 * Gives the core to another holder from a moment on. The old holder then does `left`, unless it waits
 * already.
 */
static void core_give(struct rst_states *states, struct core *core, struct holder to, struct moment at,
	enum rst_certainty certainty, const struct doing *left)
{
	struct actor *old = core->holder.actor;

	if (old != to.actor && has_core(core, old))
		actor_set(states, old, left, at,
			left->state == RST_STATE_UNKNOWN ? RST_CERTAINTY_UNKNOWN : certainty);
	core->holder = to;
	core->has_decision = core->may_have_left = false;
	core->proved = at;
	if (to.actor) {
		leave_other_core(states, core, to.actor);
		if (!core->n_interrupts)
			actor_run(states, to.actor, core->number, at, certainty);
	}
	if (!core->n_interrupts)
		core_refresh(states, core, at, certainty);
}

static const struct doing becomes_ready = { .state = RST_STATE_READY, .core = RST_NO_CORE };
static const struct doing is_not_known = { .state = RST_STATE_UNKNOWN, .core = RST_NO_CORE };

static struct moment later_of(struct moment a, struct moment b)
{
	return a.ticks > b.ticks ? a : b;
}

/*
 * A decision has come true: at its own moment, or later, when the old holder ran last. One that was overtaken
 * counts for nothing.
 */
static void core_decide(struct rst_states *states, struct core *core, enum rst_certainty certainty)
{
	struct moment at = later_of(core->decision, core->proved);

	if (is_overtaken(core)) {
		core->has_decision = false;
		return;
	}
	if (has_left(core))
		at = later_of(at, core->ran_to);
	core_give(states, core, core->decided, at, certainty, &becomes_ready);
}

/*
 * Whether the holder cannot have left the core. If switches are recorded, a core is idle only when its thread
 * waits or has ended. Some kernels do not record the thread that an interrupt interrupts, or the thread that
 * runs next.
 */
static bool must_stay(const struct rst_states *states, const struct core *core, const struct holder *next)
{
	return next->kind == HOLDER_IDLE && states->has_switches && has_core(core, core->holder.actor);
}

/*
 * The state of a thread that left its core without an event. Assume that the recording shows no switches (a
 * mask may hide them), and that the last event of the thread made a request. Then the thread waits: if it had
 * got the object at once, the event would show that.
 */
static struct doing doing_unseen(const struct rst_states *states, const struct core *core)
{
	const struct actor *old = core->holder.actor;
	struct doing left = is_not_known;

	if (states->has_seen_switch || !old || old->request.kind == RST_EFFECT_NONE ||
		old->request.may_be_over || old->request.at.seq != core->proved.seq)
		return left;
	left.state = RST_STATE_WAITING;
	left.reason = old->request.reason;
	left.object = &old->request.object;
	return left;
}

static bool is_ready(const struct actor *actor)
{
	return actor && actor->is_followed && actor->state == RST_STATE_READY;
}

/* Whether the core was free, and the thread can have run since it became ready. */
static bool can_start(const struct rst_states *states, const struct core *core, const struct holder *next)
{
	return !states->has_recorded_switch && is_ready(next->actor) && !core->n_interrupts &&
	       (core->holder.kind == HOLDER_IDLE || has_left(core));
}

/*
 * The core was free, and the thread was ready: it runs since then. An idle core was idle until then.
 */
static void core_start(struct rst_states *states, struct core *core, struct holder next)
{
	if (core->holder.kind == HOLDER_IDLE)
		core->since.certainty = RST_CERTAINTY_INFERRED;
	else
		core_give(states, core, nothing_known, core->proved, RST_CERTAINTY_INFERRED, &is_not_known);
	core_give(states, core, next, later_of(next.actor->since.at, core->proved), RST_CERTAINTY_INFERRED,
		&is_not_known);
	core->proved = states->now;
}

/*
 * Another core decides for this one, which no event shows: the thread was woken after the last event of the
 * holder, which has gone on until then.
 */
static bool has_been_preempted(
	const struct rst_states *states, const struct core *core, const struct holder *next)
{
	return states->has_seen_switch && !states->has_recorded_switch && is_ready(next->actor) &&
	       has_core(core, core->holder.actor) && next->actor->since.at.ticks > core->proved.ticks;
}

/* An event shows that `next` has the core. */
static void core_prove(struct rst_states *states, struct core *core, struct holder next)
{
	const enum rst_certainty sure = states->has_switches ? RST_CERTAINTY_EXACT : RST_CERTAINTY_INFERRED;

	if (next.kind == HOLDER_UNKNOWN || must_stay(states, core, &next))
		return;
	if (is_overtaken(core))
		core->has_decision = false;
	if (is_same_holder(&core->holder, &next) && !can_start(states, core, &next)) {
		core->proved = states->now;
		core->may_have_left = core->may_have_left && core->n_interrupts;
		if (next.actor && !core->n_interrupts && has_left(core)) {
			actor_run(states, next.actor, core->number, states->now, RST_CERTAINTY_INFERRED);
			core_refresh(states, core, states->now, RST_CERTAINTY_INFERRED);
		}
		return;
	}
	if (core->has_decision && is_same_holder(&core->decided, &next)) {
		core_decide(states, core, RST_CERTAINTY_EXACT);
		core->proved = states->now;
		return;
	}
	if (core->has_decision && has_left(core))
		core_decide(states, core, RST_CERTAINTY_INFERRED);
	if (core->may_have_left) {
		core_give(states, core, next, later_of(core->left, core->proved), RST_CERTAINTY_INFERRED,
			&becomes_ready);
		core->proved = states->now;
		return;
	}
	if (can_start(states, core, &next)) {
		core_start(states, core, next);
		return;
	}
	if (has_been_preempted(states, core, &next)) {
		core_give(states, core, next, next.actor->since.at, RST_CERTAINTY_INFERRED, &becomes_ready);
		core->proved = states->now;
		return;
	}
	if (core->holder.kind != HOLDER_UNKNOWN) {
		const struct doing left = doing_unseen(states, core);

		core_give(states, core, nothing_known, core->proved, RST_CERTAINTY_INFERRED, &left);
	}
	/*
	 * The core was unknown. If switches are not recorded, the thread may have got it as soon as it was
	 * ready.
	 */
	if (!states->has_recorded_switch && is_ready(next.actor))
		next.actor->since.certainty = RST_CERTAINTY_INFERRED;
	core_give(states, core, next, states->now, sure, &is_not_known);
}

/* --- proofs --------------------------------------------------------------------------------------------- */

/*
 * Whether the thread waits already but the switch to the next one is still to come: the interrupt then shows
 * nothing new.
 */
static bool is_on_its_way_out(const struct rst_states *states, const struct holder *holder)
{
	return states->has_switches && holder->actor && holder->actor->state == RST_STATE_WAITING;
}

/*
 * Whether another thread has got the core since the open interrupts began. Interrupts do not switch: these
 * have ended without an event.
 */
static bool have_ended(const struct core *core, const struct holder *interrupted)
{
	return core->n_interrupts && core->holder.kind != HOLDER_UNKNOWN &&
	       interrupted->kind == HOLDER_ACTOR && core->holder.actor != interrupted->actor;
}

void cores_prove_interrupted(struct rst_states *states, const struct rst_context *interrupted)
{
	struct core *core = core_now(states);
	const struct holder holder = interrupted ? holder_of(states, interrupted) : nothing_known;

	if (!core)
		return;
	if (have_ended(core, &holder))
		interrupts_end(states, core);
	if (interrupted && !is_on_its_way_out(states, &holder))
		core_prove(states, core, holder);
	else if (core->has_decision && !core->n_interrupts && has_left(core))
		core_decide(states, core, RST_CERTAINTY_INFERRED);
}

/* As above, for an event in an interrupt, which shows less while that interrupt is known. */
static void cores_prove_inside(
	struct rst_states *states, const struct core *core, const struct rst_context *interrupted)
{
	const struct holder holder = holder_of(states, interrupted);

	if (!core->n_interrupts || have_ended(core, &holder))
		cores_prove_interrupted(states, interrupted);
}

void cores_prove(struct rst_states *states, struct actor *actor, const struct rst_context *interrupted)
{
	const struct rst_context *self = states->self;
	struct core *core = core_now(states);

	if (!core) {
		if (actor && actor->state == RST_STATE_WAITING)
			actor_run(states, actor, RST_NO_CORE, states->now, RST_CERTAINTY_INFERRED);
	} else if (self->kind == RST_CONTEXT_ISR) {
		if (interrupted)
			cores_prove_inside(states, core, interrupted);
		if (!core->n_interrupts)
			interrupt_imply(states, core);
		core->inside = states->now;
	} else if (self->kind != RST_CONTEXT_UNKNOWN && !self->is_subject) {
		core->has_thread = true;
		if (core->n_interrupts)
			interrupts_end(states, core);
		/* Usually the thread that has the core goes on. */
		if (actor && core->holder.actor == actor && has_core(core, actor)) {
			core->proved = states->now;
			core->may_have_left = false;
		} else {
			core_prove(states, core, holder_of(states, self));
		}
	}
}

/* --- effects -------------------------------------------------------------------------------------------- */

static struct holder holder_of_facts(struct rst_states *states, const struct rst_effect_facts *facts)
{
	if (facts->has_unknown_thread)
		return nothing_known;
	return facts->thread ? holder_of(states, facts->thread) : (struct holder){ HOLDER_IDLE, NULL };
}

void cores_schedule(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct core *core = core_now(states);
	const struct holder who = holder_of_facts(states, facts);

	states->has_seen_switch = true;
	if (!core || must_stay(states, core, &who))
		return;
	if (who.kind == HOLDER_UNKNOWN) {
		core->may_have_left = true;
		core->left = states->now;
		return;
	}
	core->may_have_left = false;
	if (core->has_decision && !is_same_holder(&core->decided, &who) && has_left(core) &&
		!core->n_interrupts)
		core_decide(states, core, RST_CERTAINTY_INFERRED);
	if (is_same_holder(&core->holder, &who) && !has_left(core)) {
		core->has_decision = false;
	} else if (!core->has_decision || !is_same_holder(&core->decided, &who)) {
		core->has_decision = true;
		core->decided = who;
		core->decision = states->now;
	}
}

/* The state of a thread that leaves its core by a switch. */
static struct doing doing_of_left(const struct rst_effect_facts *facts, const struct actor *old)
{
	const bool is_unsaid = !facts->state && facts->effect->is_partial;
	struct doing left = { .state = facts->state || is_unsaid ? facts->state : RST_STATE_READY,
		.reason = facts->reason,
		.core = RST_NO_CORE };

	if (old && left.state == RST_STATE_WAITING && old->request.kind != RST_EFFECT_NONE &&
		!old->request.may_be_over &&
		(left.reason == RST_REASON_NONE || left.reason == RST_REASON_OTHER ||
			left.reason == old->request.reason)) {
		left.reason = old->request.reason;
		left.object = &old->request.object;
	} else if (left.state == RST_STATE_WAITING && left.reason == RST_REASON_NONE) {
		left.reason = RST_REASON_OTHER;
	}
	return left;
}

/* If the recording has no cores, the thread of the event is the one that leaves. */
static void switch_anywhere(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct actor *new = facts->thread ? actor_of(states, facts->thread) : NULL;
	struct actor *old = states->self->kind == RST_CONTEXT_THREAD && !states->self->is_subject
				    ? actor_of(states, states->self)
				    : NULL;

	if (old && old != new && old->state != RST_STATE_WAITING) {
		const struct doing left = doing_of_left(facts, old);

		actor_set(states, old, &left, states->now, RST_CERTAINTY_EXACT);
	}
	if (new)
		actor_run(states, new, RST_NO_CORE, states->now, RST_CERTAINTY_EXACT);
}

void cores_switch(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct core *core = core_now(states);
	const struct holder to = holder_of_facts(states, facts);
	const struct holder self = holder_of(states, states->self);

	states->has_seen_switch = states->has_recorded_switch = true;
	if (!core) {
		switch_anywhere(states, facts);
		return;
	}
	core->has_thread = true;
	interrupts_end(states, core);
	/*
	 * The thread of the event had the core until now, unless it is the one that gets it. It may wait
	 * already.
	 */
	if (self.kind == HOLDER_ACTOR && self.actor->is_followed && !is_same_holder(&self, &to) &&
		!is_same_holder(&self, &core->holder))
		core_prove(states, core, self);

	const struct doing left = doing_of_left(facts, core->holder.actor);

	core_give(states, core, to, states->now, RST_CERTAINTY_EXACT, &left);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static void core_cut(struct rst_states *states, struct core *core, struct moment at)
{
	if (core->has_decision && !core->n_interrupts)
		core_decide(states, core, RST_CERTAINTY_INFERRED);
	for (; core->n_interrupts; core->n_interrupts--)
		interrupt_emit(states, core, &core->interrupts[core->n_interrupts - 1], at);
	core->has_decision = core->may_have_left = false;
}

void cores_lose(struct rst_states *states, struct moment at)
{
	for (size_t i = 0; i < states->cores_room; i++) {
		struct core *core = states->cores[i];

		if (!core || !is_lost(states, core->origin))
			continue;
		core_cut(states, core, at);
		core->holder = nothing_known;
		core->has_arrival = core->has_thread = false;
		core_refresh(states, core, at, RST_CERTAINTY_UNKNOWN);
	}
}

/*
 * A cut of one core may take the thread of another one, so all cores are cut before the first interval ends.
 */
void cores_finish(struct rst_states *states)
{
	const struct moment at = { states->now.ticks, RST_NO_SEQ };

	for (size_t i = 0; i < states->cores_room; i++)
		if (states->cores[i])
			core_cut(states, states->cores[i], at);
	for (size_t i = 0; i < states->cores_room; i++)
		if (states->cores[i])
			core_emit(states, states->cores[i], at);
}
