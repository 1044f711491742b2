/* SPDX-License-Identifier: MIT */
/*
 * The owners of locks. If an event acquires or releases a lock, the moment is exact. If an event only
 * mentions the owner, for which a thread waits, the owner is inferred. If the lock is released while a thread
 * waits, the thread owns the lock from the end of its wait:
 *
 *	B asks, waits ─────────────── wake of B ─┬─ B owns it
 *	A owns it ──────── releases              │  (unless the wait ended without a release: B timed out)
 */
#include "base/array.h"
#include "state/states.h"

static void owner_emit(struct rst_states *states, const struct thing *thing, const struct actor *actor,
	const struct since *since, struct moment to)
{
	struct rst_interval *interval = interval_add(states, RST_INTERVAL_LOCK, since, &to);

	if (!interval)
		return;
	interval->state = actor ? RST_STATE_HELD : RST_STATE_UNKNOWN;
	entity_set_ref(&interval->subject, &thing->ref);
	if (actor)
		entity_set_context(&interval->object, actor->context);
	else
		interval->certainty = RST_CERTAINTY_UNKNOWN;
}

static struct owner *owner_find(const struct thing *thing, const struct actor *actor)
{
	for (size_t i = 0; i < thing->n_owners; i++)
		if (thing->owners[i].actor == actor)
			return &thing->owners[i];
	return NULL;
}

/* An event shows that the owner had the lock until this moment. */
static void owner_end(struct rst_states *states, struct thing *thing, struct owner *owner, struct moment at)
{
	owner_emit(states, thing, owner->actor, &owner->since, at);
	thing->owned_until = at;
	*owner = thing->owners[--thing->n_owners];
}

/* While a thread waits for the lock, its release is recorded: the owner still has it. */
void locks_keep(struct thing *thing, struct moment at)
{
	for (size_t i = 0; i < thing->n_owners; i++)
		if (thing->owners[i].shown.ticks < at.ticks)
			thing->owners[i].shown = at;
}

/* If some releases are not recorded, the owner is unknown after the last event that shows it. */
static void owner_leave(struct rst_states *states, struct thing *thing, struct owner *owner, struct moment at)
{
	const struct since behind = { owner->shown, RST_CERTAINTY_UNKNOWN };
	const bool is_alone = thing->n_owners == 1;

	if (!owner->is_partial) {
		owner_end(states, thing, owner, at);
		return;
	}
	owner_end(states, thing, owner, owner->shown);
	if (is_alone && behind.at.ticks < at.ticks)
		owner_emit(states, thing, NULL, &behind, at);
	thing->owned_until = at;
}

static void owners_leave(struct rst_states *states, struct thing *thing, struct moment at)
{
	if (thing->receivers.n)
		locks_keep(thing, at);
	while (thing->n_owners)
		owner_leave(states, thing, &thing->owners[0], at);
}

/*
 * Notes an exact acquisition. An owner that an event only mentions got the lock at another time, or before
 * the window.
 */
static void acquisition_note(struct rst_states *states, const struct thing *thing, const struct actor *actor,
	struct moment at, enum rst_certainty certainty)
{
	struct rst_beginning *beginning;

	if (!actor || certainty != RST_CERTAINTY_EXACT)
		return;
	beginning = beginning_add(states, RST_INTERVAL_LOCK, at);
	if (!beginning)
		return;
	entity_set_ref(&beginning->subject, &thing->ref);
	entity_set_context(&beginning->object, actor->context);
}

static void owner_add(struct rst_states *states, struct thing *thing, struct actor *actor, struct moment at,
	enum rst_certainty certainty)
{
	struct owner *owners;

	if (thing->n_owners == STATES_OWNERS_MAX)
		return;
	owners = array_room(thing->owners, thing->n_owners, &thing->owners_room, sizeof(struct owner));
	if (!owners) {
		states->has_no_memory = true;
		return;
	}
	acquisition_note(states, thing, actor, at, certainty);
	thing->owners = owners;
	owners[thing->n_owners++] = (struct owner){ .actor = actor,
		.n_held = 1,
		.is_partial = actor && thing->is_partial,
		.shown = states->now,
		.since = { at, certainty } };
	thing->is_known = true;
	thing->has_release = false;
}

/* The earliest moment from which the lock may have been owned, if no event shows its acquisition. */
static struct moment unknown_since(const struct rst_states *states, const struct thing *thing)
{
	if (thing->is_partial)
		return states->now;
	return thing->owned_until.ticks > run_begin(states).ticks ? thing->owned_until : run_begin(states);
}

/* The thread owns the lock from this moment on. All other owners lose it, unless the lock is shared. */
static void lock_take(struct rst_states *states, struct thing *thing, struct actor *actor, bool is_shared,
	struct moment at, enum rst_certainty certainty)
{
	struct owner *unknown = owner_find(thing, NULL);

	if (unknown)
		owner_end(states, thing, unknown, at);
	if (!is_shared)
		for (size_t i = thing->n_owners; i-- > 0;) { /* its release was not recorded */
			if (!thing->owners[i].is_partial)
				thing->owners[i].since.certainty = RST_CERTAINTY_INFERRED;
			owner_leave(states, thing, &thing->owners[i], at);
		}
	owner_add(states, thing, actor, at, certainty);
}

/*
 * The owner takes the lock once more. If releases may be missing, it counts as the first time again, unless
 * the event has the count. Returns false in that case.
 */
static bool lock_take_again(struct rst_states *states, struct thing *thing, struct owner *owner,
	const struct rst_effect_facts *facts)
{
	if (owner->is_partial && !(facts->has_amount && facts->amount > 1)) {
		owner_leave(states, thing, owner, states->now);
		return false;
	}
	owner->n_held = facts->has_amount ? facts->amount : owner->n_held + 1;
	owner->shown = states->now;
	return true;
}

/* A thread waits for the lock, and the event names the owner. */
static void lock_mention(struct rst_states *states, struct thing *thing, const struct rst_context *other)
{
	struct actor *actor = other ? actor_of(states, other) : NULL;
	struct owner *owner = actor ? owner_find(thing, actor) : NULL;
	const bool is_first = !thing->n_owners && !thing->is_known;

	if (owner)
		owner->shown = states->now;
	else if (actor)
		lock_take(states, thing, actor, false, is_first ? unknown_since(states, thing) : states->now,
			RST_CERTAINTY_INFERRED);
}

void locks_acquire(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct thing *thing = thing_of(states, &facts->object);
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;
	struct owner *owner = thing && actor ? owner_find(thing, actor) : NULL;

	threads_ask(states, facts);
	if (!thing || !actor)
		return;
	thing->is_partial = facts->effect->is_partial;
	if (facts->phase != RST_DONE)
		lock_mention(states, thing, facts->other_thread);
	else if (!owner || !lock_take_again(states, thing, owner, facts))
		lock_take(states, thing, actor, facts->effect->is_shared, states->now, RST_CERTAINTY_EXACT);
}

/* Returns false if this is not the last release: the owner still has the lock. */
static bool is_given_back(struct owner *owner, const struct rst_effect_facts *facts, struct moment at)
{
	if (owner)
		owner->shown = at;
	if (facts->has_amount) {
		if (owner && facts->amount > 0)
			owner->n_held = facts->amount;
		return facts->amount == 0;
	}
	return !owner || !facts->effect->is_counted || --owner->n_held == 0;
}

/* The release names the next owner, which may wait until the switch to it. */
static void lock_pass(struct rst_states *states, struct thing *thing, const struct rst_context *next)
{
	struct actor *actor = actor_of(states, next);

	if (!actor)
		return;
	lock_take(states, thing, actor, false, states->now, RST_CERTAINTY_EXACT);
	thing->has_release = true;
}

void locks_release(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct thing *thing = thing_of(states, &facts->object);
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;
	struct owner *owner = thing && actor ? owner_find(thing, actor) : NULL;

	if (!thing)
		return;
	thing->is_partial |= facts->effect->is_partial;
	/* The thread that releases the lock owned it; the event of its acquisition is not recorded. */
	if (actor && !owner &&
		(!thing->n_owners || thing->is_partial || (facts->has_amount && facts->amount))) {
		lock_take(states, thing, actor, false, unknown_since(states, thing), RST_CERTAINTY_INFERRED);
		owner = owner_find(thing, actor);
	}
	if (!is_given_back(owner, facts, states->now))
		return;
	if (!owner)
		owner = owner_find(thing, NULL);
	if (owner)
		owner_end(states, thing, owner, states->now);
	if (facts->effect->is_partial && !thing->n_owners)
		owner_add(states, thing, NULL, states->now, RST_CERTAINTY_UNKNOWN);
	thing->has_release = thing->is_known = true;
	thing->released = thing->owned_until = states->now;
	thing->released_by = states->self;
	if (facts->other_thread)
		lock_pass(states, thing, facts->other_thread);
}

static bool is_owned(const struct thing *thing)
{
	return thing->n_owners > 0 && thing->owners[0].actor;
}

bool locks_woke(const struct actor *actor, struct moment at)
{
	const struct thing *thing = actor->request.thing;

	return thing && actor->request.kind != RST_EFFECT_NONE && thing->has_release &&
	       actor->since.at.seq < thing->released.seq && thing->released.ticks < at.ticks;
}

void locks_hand_over(struct rst_states *states, struct actor *actor, struct moment at)
{
	struct request *request = &actor->request;
	struct thing *thing = request->thing;
	struct owner *owner = thing ? owner_find(thing, actor) : NULL;

	if (request->kind != RST_EFFECT_ACQUIRE || !thing || (!owner && is_owned(thing)) ||
		!thing->has_release || thing->released.ticks < request->at.ticks)
		return;
	if (owner) /* the release has named it */
		owner->shown = at;
	else
		lock_take(states, thing, actor, false, at, RST_CERTAINTY_EXACT);
	request_close(actor, NULL);
}

void locks_forget(struct rst_states *states, struct thing *thing)
{
	owners_leave(states, thing, states->now);
	thing->has_release = thing->is_known = false;
	thing->owned_until = states->now;
}

/* After a loss, a lock that was owned may have another owner, or may be free. */
void locks_lose(struct rst_states *states, struct moment at)
{
	for (size_t i = 0; i < states->n_things; i++) {
		struct thing *thing = states->all_things[i];
		const bool was_owned = thing->n_owners;

		if (!is_lost(states, thing->origin))
			continue;
		owners_leave(states, thing, at);
		thing->has_release = false;
		if (was_owned)
			owner_add(states, thing, NULL, at, RST_CERTAINTY_UNKNOWN);
	}
}

void locks_open(struct rst_states *states)
{
	const struct moment now = { states->now.ticks, RST_NO_SEQ };

	for (size_t i = 0; i < states->n_things; i++) {
		const struct thing *thing = states->all_things[i];

		for (size_t k = 0; k < thing->n_owners; k++)
			owner_emit(states, thing, thing->owners[k].actor, &thing->owners[k].since, now);
	}
}
