/* SPDX-License-Identifier: MIT */
/*
 * The states of threads. A record is made when its context first appears. Its first interval has the unknown
 * state, from the begin of the window. If the trace shows the creation of a thread, its first interval begins
 * there.
 */
#include "base/array.h"
#include "state/states.h"

struct actor *actor_make(struct rst_states *states, const struct rst_context *context)
{
	const uint32_t index = context->thread->index;
	struct actor **actors =
		array_reach(states->actors, &states->actors_room, index, sizeof(struct actor *));
	struct actor *actor = actors ? arena_alloc(&states->arena, sizeof(*actor)) : NULL;

	if (actors)
		states->actors = actors;
	if (!actor) {
		states->has_no_memory = true;
		return NULL;
	}
	*actor = (struct actor){ .context = context,
		.is_followed = context->kind == RST_CONTEXT_THREAD && !context->is_subject,
		.core = RST_NO_CORE,
		.since = { { states->begin.ticks, RST_NO_SEQ }, RST_CERTAINTY_UNKNOWN } };
	return actors[index] = actor;
}

/* --- states --------------------------------------------------------------------------------------------- */

/* Emits the first interval that was held back. */
static void actor_release(struct rst_states *states, struct actor *actor)
{
	const struct since begin = { { states->begin.ticks, RST_NO_SEQ }, RST_CERTAINTY_UNKNOWN };
	struct rst_interval *interval;

	if (!actor->is_held_back)
		return;
	actor->is_held_back = false;
	interval = interval_add(states, RST_INTERVAL_THREAD, &begin, &actor->held_to);
	if (!interval)
		return;
	interval->state = RST_STATE_UNKNOWN;
	interval->core = RST_NO_CORE;
	entity_set_context(&interval->subject, actor->context);
}

/* Whether nothing is known of the thread yet. */
static bool is_new(const struct rst_states *states, const struct actor *actor)
{
	return actor->state == RST_STATE_UNKNOWN && actor->since.at.seq == RST_NO_SEQ &&
	       actor->since.at.ticks == states->begin.ticks;
}

static void actor_put(struct rst_states *states, const struct actor *actor, struct moment to)
{
	struct rst_interval *interval = interval_add(states, RST_INTERVAL_THREAD, &actor->since, &to);

	if (!interval)
		return;
	interval->state = actor->state;
	if (actor->state == RST_STATE_WAITING)
		interval->reason = actor->reason;
	if (actor->state == RST_STATE_UNKNOWN)
		interval->certainty = RST_CERTAINTY_UNKNOWN;
	interval->core = actor->core;
	entity_set_context(&interval->subject, actor->context);
	if (actor->irq.is_known)
		entity_set_number(&interval->object, actor->irq.number);
	else
		entity_set_ref(&interval->object, &actor->object);
	if (actor->by)
		entity_set_context(&interval->by, actor->by);
}

/*
 * A switch to a thread may be recorded before the event with which the thread begins. So the first, unknown
 * interval is held back until the next one ends.
 */
static void actor_emit(struct rst_states *states, struct actor *actor, struct moment to)
{
	if (!actor->is_followed || actor->is_dead)
		return;
	if (is_new(states, actor) && !actor->has_acted && actor->context->thread == states->self->thread) {
		actor->is_held_back = true;
		actor->held_to = to;
		return;
	}
	actor_release(states, actor);
	actor_put(states, actor, to);
}

static bool does_already(const struct actor *actor, const struct doing *doing)
{
	static const struct rst_ref none = { .is_there = false };

	return actor->state == doing->state && actor->reason == doing->reason && actor->core == doing->core &&
	       is_same_irq(actor->irq, doing->irq) &&
	       is_same_ref(&actor->object, doing->object ? doing->object : &none);
}

/* Counts the threads that wait for an object, because a sent item goes directly to one of them. */
static struct waiters *waiters_of(struct thing *thing, enum rst_effect_kind wants)
{
	return wants == RST_EFFECT_SEND ? &thing->senders : &thing->receivers;
}

static void waiting_begin(struct actor *actor)
{
	const struct request *request = &actor->request;
	struct waiters *waiters = request->thing && request->kind != RST_EFFECT_NONE
					  ? waiters_of(request->thing, request->kind)
					  : NULL;

	if (!waiters)
		return;
	if (request->may_be_over || request->has_limit)
		waiters->may_be_hidden = true;
	if (request->may_be_over)
		return;
	actor->awaited = request->thing;
	actor->wants = request->kind;
	waiters->n++;
}

static void waiting_end(struct actor *actor)
{
	struct waiters *waiters = actor->awaited ? waiters_of(actor->awaited, actor->wants) : NULL;

	actor->awaited = NULL;
	if (!waiters)
		return;
	waiters->n--;
	if (waiters->n_served)
		waiters->n_served--;
}

void actor_set(struct rst_states *states, struct actor *actor, const struct doing *doing, struct moment at,
	enum rst_certainty certainty)
{
	const struct core *core;

	if (!actor->is_followed || (!actor->is_dead && does_already(actor, doing)))
		return;
	if (at.ticks < actor->since.at.ticks)
		at.ticks = actor->since.at.ticks;
	core = actor->core < states->cores_room ? states->cores[actor->core] : NULL;
	if (actor->is_dead && doing->state == RST_STATE_ENDED)
		return;
	actor_emit(states, actor, at);
	actor->is_dead = false; /* its id has come back */
	if (actor->awaited && actor->wants == RST_EFFECT_ACQUIRE)
		locks_keep(actor->awaited, at);
	waiting_end(actor);
	actor->state = doing->state;
	actor->reason = doing->reason;
	if (doing->object)
		actor->object = *doing->object;
	else
		actor->object.is_there = false;
	actor->irq = doing->irq;
	actor->core = doing->core;
	actor->by = doing->by;
	actor->since = (struct since){ at, certainty };
	if (doing->state == RST_STATE_WAITING)
		waiting_begin(actor);
	if (core && doing->core != core->number)
		core_left(states, actor, core->number, at);
}

/*
 * Whether the request of the thread ends when the thread runs again. Requests of kind RST_EFFECT_WAIT have an
 * end event, unless the thread was suspended. A thread that is woken for a lock may find that another one was
 * faster, and waits again.
 */
static bool ends_by_running(const struct request *request)
{
	return request->kind != RST_EFFECT_WAIT || request->reason == RST_REASON_SUSPENDED;
}

void actor_run(struct rst_states *states, struct actor *actor, uint16_t core, struct moment at,
	enum rst_certainty certainty)
{
	/* A wake at the same moment has no interval of its own, so the running interval keeps the waker. */
	const bool runs_at_once = actor->state == RST_STATE_READY && actor->since.at.ticks >= at.ticks;
	const struct doing running = {
		.state = RST_STATE_RUNNING, .core = core, .by = runs_at_once ? actor->by : NULL
	};
	const bool has_waited = actor->state == RST_STATE_WAITING;

	if (has_waited && actor->reason == RST_REASON_LOCK) {
		/* If wakes are not recorded, the release counts as one. */
		const struct thing *lock = locks_woke(actor, at) ? actor->request.thing : NULL;

		locks_hand_over(states, actor, at);
		if (lock)
			actor_set(states, actor,
				&(struct doing){ .state = RST_STATE_READY,
					.core = RST_NO_CORE,
					.by = lock->released_by },
				lock->released, RST_CERTAINTY_INFERRED);
	}
	if (has_waited && ends_by_running(&actor->request))
		request_close(actor, NULL);
	actor_set(states, actor, &running, at, certainty);
}

/* --- requests ------------------------------------------------------------------------------------------- */

/*
 * Returns true if the thread has to wait, because the level of the thing is less than the amount of the
 * request.
 */
static bool lacks_amount(const struct thing *thing, const struct rst_effect_facts *facts)
{
	return thing && thing->has_level && facts->has_amount && facts->effect->kind == RST_EFFECT_RECEIVE &&
	       number_compare(thing->level, number_as(facts->amount, RST_UNSIGNED)) < 0;
}

void request_open(struct rst_states *states, struct actor *actor, const struct rst_effect_facts *facts,
	enum rst_reason reason)
{
	struct thing *thing = thing_of(states, &facts->object);
	const bool is_unsettled = facts->effect->is_partial && facts->effect->kind != RST_EFFECT_ACQUIRE;

	actor->request = (struct request){ .kind = facts->effect->kind,
		.reason = reason,
		.object = facts->object,
		.thing = thing,
		.at = states->now,
		.may_be_over = is_unsettled && !lacks_amount(thing, facts),
		.has_limit = facts->has_limit };
}

/* The reason for which a thread waits for an object of a kind. */
static const enum rst_reason reasons[RST_N_OBJECT_KINDS] = {
	[RST_OBJECT_THREAD] = RST_REASON_JOIN,
	[RST_OBJECT_QUEUE] = RST_REASON_QUEUE,
	[RST_OBJECT_ACTIVE_OBJECT] = RST_REASON_QUEUE,
	[RST_OBJECT_SEMAPHORE] = RST_REASON_SEMAPHORE,
	[RST_OBJECT_MUTEX] = RST_REASON_LOCK,
	[RST_OBJECT_EVENT_FLAGS] = RST_REASON_FLAGS,
	[RST_OBJECT_BLOCK_POOL] = RST_REASON_MEMORY,
	[RST_OBJECT_BYTE_POOL] = RST_REASON_MEMORY,
	[RST_OBJECT_EVENT_POOL] = RST_REASON_MEMORY,
	[RST_OBJECT_PACKET_POOL] = RST_REASON_MEMORY,
	[RST_OBJECT_FILE] = RST_REASON_IO,
	[RST_OBJECT_TCP_SOCKET] = RST_REASON_IO,
	[RST_OBJECT_UDP_SOCKET] = RST_REASON_IO,
	[RST_OBJECT_PROCESS] = RST_REASON_CHILD,
};

static enum rst_reason reason_of(const struct rst_effect_facts *facts)
{
	if (facts->reason != RST_REASON_NONE)
		return facts->reason;
	if (facts->effect->kind == RST_EFFECT_ACQUIRE)
		return RST_REASON_LOCK;
	return facts->object.is_there && reasons[facts->object.kind] ? reasons[facts->object.kind]
								     : RST_REASON_OTHER;
}

/*
 * Opens or closes the request of send, receive, allocate, and (for locks.c) acquire, by the phase of the
 * effect.
 */
void threads_ask(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;

	if (!actor)
		return;
	if (facts->phase == RST_ASKS)
		request_open(states, actor, facts, reason_of(facts));
	else
		request_close(actor, &facts->object);
}

/* --- effects -------------------------------------------------------------------------------------------- */

static bool may_be_for(enum rst_reason reason, const struct thing *thing)
{
	return reason == RST_REASON_NONE || reason == RST_REASON_OTHER || reason == reasons[thing->ref.kind];
}

/* Whether the thread that is woken may have waited for the thing, and nothing shows what it waited for. */
static bool may_have_waited_for(
	const struct actor *actor, const struct rst_effect_facts *woken, const struct thing *thing)
{
	const bool waits = actor->state == RST_STATE_WAITING && !actor->object.is_there &&
			   may_be_for(actor->reason, thing);

	return (actor->state == RST_STATE_UNKNOWN || waits) && may_be_for(woken->reason, thing);
}

void threads_wake(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;
	const struct doing ready = { .state = RST_STATE_READY,
		.core = RST_NO_CORE,
		.by = facts->phase == RST_GAVE_UP ? NULL : states->self };

	if (!actor)
		return;
	if (states->handing.thing && states->handing.by == states->self &&
		may_have_waited_for(actor, facts, states->handing.thing))
		levels_pass(states);
	if (actor->state == RST_STATE_WAITING && actor->request.reason == RST_REASON_LOCK &&
		facts->phase != RST_GAVE_UP)
		locks_hand_over(states, actor, states->now);
	request_close(actor, NULL);
	if (actor->state != RST_STATE_RUNNING && actor->state != RST_STATE_READY &&
		actor->state != RST_STATE_INTERRUPTED && facts->thread != states->self)
		actor_set(states, actor, &ready, states->now, RST_CERTAINTY_EXACT);
}

void threads_wait(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;
	const bool is_asking = facts->phase == RST_ASKS;
	struct doing doing = { .state = facts->state ? facts->state : RST_STATE_WAITING,
		.core = RST_NO_CORE };

	if (!actor)
		return;
	if (facts->phase == RST_GAVE_UP) {
		request_close(actor, NULL);
		return;
	}
	if (is_asking)
		request_open(states, actor, facts, reason_of(facts));
	if (is_asking && states->has_switches)
		return;
	if (doing.state == RST_STATE_WAITING) {
		const struct request *request = &actor->request;
		const bool is_vague = !facts->reason || facts->reason == RST_REASON_OTHER;
		const bool has_request = request->kind != RST_EFFECT_NONE && !request->may_be_over &&
					 (is_vague || facts->reason == request->reason);

		doing.reason = has_request ? request->reason : is_vague ? RST_REASON_OTHER : facts->reason;
		doing.object = facts->object.is_there || !has_request ? &facts->object : &request->object;
	}
	if (doing.state == RST_STATE_ENDED || doing.state == RST_STATE_READY)
		request_close(actor, NULL);
	/* A thread that runs counts as running, not ready, until it loses the core. */
	if (doing.state == RST_STATE_READY &&
		(actor->state == RST_STATE_RUNNING || actor->state == RST_STATE_INTERRUPTED))
		return;
	actor_set(
		states, actor, &doing, states->now, is_asking ? RST_CERTAINTY_INFERRED : RST_CERTAINTY_EXACT);
}

struct actor *thread_begin(struct rst_states *states, const struct rst_context *thread)
{
	const struct since now = { states->now, RST_CERTAINTY_EXACT };
	struct actor *actor = actor_of(states, thread);

	if (!actor)
		return NULL;
	if (actor->is_dead) /* its id is used again, by another thread */
		*actor = (struct actor){ .context = thread,
			.is_followed = actor->is_followed,
			.core = RST_NO_CORE,
			.since = now };
	else if (!actor->has_acted && is_new(states, actor))
		actor->since = now;
	else if (!actor->has_acted && thread == states->self)
		actor->is_held_back = false; /* it begins with the switch to it */
	return actor;
}

/* If a thread makes the event of its own creation, it runs. */
bool thread_create(struct rst_states *states, const struct rst_effect_facts *facts)
{
	const struct doing created = { .state = facts->state ? facts->state : RST_STATE_CREATED,
		.core = RST_NO_CORE };
	struct actor *actor = facts->thread ? thread_begin(states, facts->thread) : NULL;

	if (!actor || actor->state == RST_STATE_RUNNING)
		return facts->thread != NULL;
	if (facts->thread == states->self)
		actor_run(states, actor, RST_NO_CORE, states->now, RST_CERTAINTY_INFERRED);
	else
		actor_set(states, actor, &created, states->now, RST_CERTAINTY_EXACT);
	return true;
}

static void actor_end(struct rst_states *states, struct actor *actor)
{
	actor_set(states, actor, &(struct doing){ .state = RST_STATE_ENDED, .core = RST_NO_CORE },
		states->now, RST_CERTAINTY_EXACT);
	actor_release(states, actor);
	actor->is_dead = true;
	actor->request.kind = RST_EFFECT_NONE;
}

/* If switches are recorded, a thread that is about to end goes on until its last switch. */
static bool ends_now(const struct rst_states *states, const struct rst_effect_facts *facts)
{
	return facts->phase != RST_ASKS || !states->has_switches;
}

bool thread_delete(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct actor *actor = facts->thread ? actor_of(states, facts->thread) : NULL;

	if (actor && ends_now(states, facts))
		actor_end(states, actor);
	return facts->thread != NULL;
}

/* In a merged trace, processes may have other numbers than in their own trace. */
static bool is_of_process(
	const struct rst_states *states, const struct actor *actor, const struct rst_ref *process)
{
	const uint64_t number = actor->context->process;

	if (!actor->context->origin)
		return number == process->id;
	return process->object && rst_trace_find_object(states->trace, 0, number, RST_OBJECT_PROCESS,
					  UINT64_MAX) == process->object;
}

void threads_end_with_process(struct rst_states *states, const struct rst_effect_facts *facts)
{
	if (!ends_now(states, facts))
		return;
	for (size_t i = 0; i < states->actors_room; i++) {
		struct actor *actor = states->actors[i];

		if (actor && actor->is_followed && !actor->is_dead &&
			is_of_process(states, actor, &facts->object))
			actor_end(states, actor);
	}
}

/* --- all of them ---------------------------------------------------------------------------------------- */

void threads_lose(struct rst_states *states, struct moment at)
{
	const struct doing unknown = { .state = RST_STATE_UNKNOWN, .core = RST_NO_CORE };

	for (size_t i = 0; i < states->actors_room; i++) {
		struct actor *actor = states->actors[i];

		if (!actor || !is_lost(states, actor->context->origin))
			continue;
		actor->request.kind = RST_EFFECT_NONE;
		spans_lose(actor);
		if (actor->is_dead)
			continue;
		if (actor->state == RST_STATE_ENDED) /* it stays so, unless its id came back */
			actor->since.certainty = RST_CERTAINTY_INFERRED;
		else
			actor_set(states, actor, &unknown, at, RST_CERTAINTY_UNKNOWN);
	}
}

void threads_end_run(struct rst_states *states)
{
	for (size_t i = 0; i < states->actors_room; i++) {
		struct actor *actor = states->actors[i];

		if (!actor || !is_lost(states, actor->context->origin))
			continue;
		spans_cut(states, actor);
		if (!actor->is_dead &&
			actor->state == RST_STATE_ENDED) /* its id may be another thread's now */
			actor_set(states, actor,
				&(struct doing){ .state = RST_STATE_UNKNOWN, .core = RST_NO_CORE },
				states->now, RST_CERTAINTY_UNKNOWN);
	}
}

void threads_finish(struct rst_states *states)
{
	const struct moment end = { states->now.ticks, RST_NO_SEQ };

	for (size_t i = 0; i < states->actors_room; i++)
		if (states->actors[i]) {
			actor_emit(states, states->actors[i], end);
			actor_release(states, states->actors[i]);
			spans_finish(states, states->actors[i]);
		}
}

/*
 * The end of a running interval: the thread may have left its core by a decision that no event has proved
 * yet.
 */
static struct moment runs_until(const struct rst_states *states, const struct actor *actor)
{
	const struct core *core = actor->core < states->cores_room ? states->cores[actor->core] : NULL;
	const bool may_have_left = core && core->has_decision && actor->state == RST_STATE_RUNNING &&
				   !(core->decided.kind == HOLDER_ACTOR && core->decided.actor == actor);

	return (struct moment){ may_have_left ? core->decision.ticks : states->now.ticks, RST_NO_SEQ };
}

void threads_open(struct rst_states *states)
{
	for (size_t i = 0; i < states->actors_room; i++) {
		const struct actor *actor = states->actors[i];

		if (actor && actor->is_followed && !actor->is_dead && !is_new(states, actor))
			actor_put(states, actor, runs_until(states, actor));
	}
}
