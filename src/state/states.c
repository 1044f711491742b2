/* SPDX-License-Identifier: MIT */
/*
 * Goes through the rows of a trace, in order. Each row first shows which context ran. Then the file for each
 * effect's noun follows that effect. After a loss or damage, everything that it may have changed is unknown.
 */
#include "state/states.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/check.h"
#include "base/error.h"

/* The facts that events of a layout show besides their effects. */
enum {
	SHOW_CONTEXT = 1 << 0,	   /* their context runs */
	SHOW_INTERRUPTED = 1 << 1, /* the context that they interrupt ran */
	SHOW_OTHER_WORK = 1 << 2,  /* their thread goes on: it no longer waits */
	SHOW_HANDLER = 1 << 3,	   /* an interrupt had the core until here, whatever their context */
	SHOW_BIRTH = 1 << 4,	   /* their thread begins here */
	SHOW_ACT = 1 << 5,	   /* they are more than a switch: their thread exists, or begins here */
};

static void follow_create(struct rst_states *states, const struct rst_effect_facts *facts);
static void follow_delete(struct rst_states *states, const struct rst_effect_facts *facts);
static void follow_gap(struct rst_states *states, const struct rst_effect_facts *facts);

/* Priorities, errors and timers have no intervals: analyses read those effects themselves. */
enum {
	EFFECTS_WITHOUT_INTERVALS = 1 << RST_EFFECT_NONE | 1 << RST_EFFECT_PRIORITY | 1 << RST_EFFECT_ERROR |
				    1 << RST_EFFECT_ARM | 1 << RST_EFFECT_DISARM | 1 << RST_EFFECT_EXPIRE,
	EFFECTS_FOLLOWED = ((1 << RST_N_EFFECTS) - 1) & ~EFFECTS_WITHOUT_INTERVALS
};

static void (*const follow[RST_N_EFFECTS])(
	struct rst_states *states, const struct rst_effect_facts *facts) = {
	[RST_EFFECT_SCHEDULE] = cores_schedule,
	[RST_EFFECT_SWITCH] = cores_switch,
	[RST_EFFECT_WAKE] = threads_wake,
	[RST_EFFECT_WAIT] = threads_wait,
	[RST_EFFECT_INTERRUPT_IN] = cores_interrupt_in,
	[RST_EFFECT_INTERRUPT_OUT] = cores_interrupt_out,
	[RST_EFFECT_ACQUIRE] = locks_acquire,
	[RST_EFFECT_RELEASE] = locks_release,
	[RST_EFFECT_SEND] = threads_ask,
	[RST_EFFECT_RECEIVE] = threads_ask,
	[RST_EFFECT_LEVEL] = levels_set,
	[RST_EFFECT_ALLOCATE] = threads_ask,
	[RST_EFFECT_FREE] = levels_free,
	[RST_EFFECT_CREATE] = follow_create,
	[RST_EFFECT_DELETE] = follow_delete,
	[RST_EFFECT_BEGIN] = spans_begin,
	[RST_EFFECT_END] = spans_end,
	[RST_EFFECT_STATE] = machines_set,
	[RST_EFFECT_GAP] = follow_gap,
};

static void thing_forget(struct rst_states *states, struct thing *thing, struct moment at)
{
	levels_forget(states, thing, at);
	machines_forget(states, thing, at);
	locks_forget(states, thing);
}

static void follow_create(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct thing *thing;

	if (facts->object.kind == RST_OBJECT_THREAD && thread_create(states, facts))
		return;
	thing = thing_before(states, &facts->object);
	if (!thing)
		return;
	thing_forget(states, thing, states->now);
	levels_hide_waiters(thing, false);
	thing->ref = facts->object;
}

static void follow_delete(struct rst_states *states, const struct rst_effect_facts *facts)
{
	struct thing *thing;

	if (facts->object.kind == RST_OBJECT_THREAD && thread_delete(states, facts))
		return;
	if (facts->object.kind == RST_OBJECT_PROCESS && facts->object.id)
		threads_end_with_process(states, facts);
	thing = thing_of(states, &facts->object);
	if (thing)
		thing_forget(states, thing, states->now);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static uint8_t proof_of(const struct rst_layout *layout)
{
	uint8_t proof = SHOW_CONTEXT | SHOW_OTHER_WORK | SHOW_ACT;

	for (unsigned i = 0; i < layout->n_effects; i++) {
		const enum rst_effect_kind kind = layout->effects[i].kind;
		const bool decides = kind == RST_EFFECT_SWITCH || kind == RST_EFFECT_SCHEDULE;

		if (kind == RST_EFFECT_SWITCH || kind == RST_EFFECT_INTERRUPT_IN)
			proof &= (uint8_t)~SHOW_CONTEXT;
		if (kind == RST_EFFECT_SWITCH)
			proof &= (uint8_t)~SHOW_ACT;
		if (kind == RST_EFFECT_INTERRUPT_IN)
			proof |= SHOW_INTERRUPTED;
		if (kind == RST_EFFECT_INTERRUPT_OUT)
			proof |= SHOW_HANDLER;
		if (kind == RST_EFFECT_CREATE && layout->effects[i].object.from == RST_FROM_SELF)
			proof |= SHOW_BIRTH;
		if (decides || kind == RST_EFFECT_WAIT || kind == RST_EFFECT_PRIORITY ||
			kind == RST_EFFECT_WAKE)
			proof &= (uint8_t)~SHOW_OTHER_WORK;
	}
	return proof;
}

static bool may_ask(const struct rst_effect *effect)
{
	return effect->phase == RST_ASKS || effect->codes;
}

/*
 * Whether an effect frees memory to a known pool. It changes nothing here, because the level is an effect of
 * its own.
 */
static bool is_known_free(const struct rst_effect *effect)
{
	return effect->kind == RST_EFFECT_FREE && effect->object.from != RST_FROM_UNKNOWN;
}

/* Whether the effect only ends a request of the event's thread. */
static bool only_ends_request(const struct rst_effect *effect)
{
	return follow[effect->kind] == threads_ask && !may_ask(effect) &&
	       effect->thread.from == RST_FROM_SELF;
}

/*
 * The effects that change something, or are watched. SHOW_OTHER_WORK ends requests before the first effect;
 * effects that ask open new ones.
 */
static uint64_t effects_wanted(
	const struct rst_states *states, const struct rst_layout *layout, uint8_t proof)
{
	bool has_request = !(proof & SHOW_OTHER_WORK);
	uint64_t wanted = 0;

	for (unsigned i = 0; i < layout->n_effects; i++) {
		const struct rst_effect *effect = &layout->effects[i];
		const bool is_followed = EFFECTS_FOLLOWED >> effect->kind & 1 && !is_known_free(effect) &&
					 (has_request || !only_ends_request(effect));

		if (is_followed || states->watched >> effect->kind & 1)
			wanted |= (uint64_t)1 << (i < 63 ? i : 63);
		has_request |= may_ask(effect);
	}
	return wanted;
}

/* Finds out, once for each layout, how to process its events. Returns NULL if memory ran out. */
static __attribute__((noinline)) const struct duty *duty_make(
	struct rst_states *states, const struct rst_layout *layout)
{
	struct duty *duties =
		array_reach(states->duties, &states->duties_room, layout->index, sizeof(struct duty));
	const uint8_t proof = proof_of(layout);

	if (!duties) {
		states->has_no_memory = true;
		return NULL;
	}
	states->duties = duties;
	duties[layout->index] = (struct duty){ true, proof, effects_wanted(states, layout, proof) };
	return &duties[layout->index];
}

static void row_show(struct rst_states *states, const struct rst_batch *batch, size_t row, uint8_t proof)
{
	const struct rst_context *interrupted = batch->interrupted ? batch->interrupted[row] : NULL;
	const bool is_thread = states->self->kind == RST_CONTEXT_THREAD;
	struct actor *actor = is_thread && proof & SHOW_ACT ? actor_of(states, states->self) : NULL;

	if (actor && proof & SHOW_BIRTH)
		thread_begin(states, states->self);
	if (actor)
		actor->has_acted = true;
	/*
	 * If interrupts have no context of their own, the event that ends one has the interrupted thread as
	 * its context.
	 */
	if (proof & SHOW_CONTEXT && !(proof & SHOW_HANDLER && is_thread))
		cores_prove(states, actor, interrupted);
	if (proof & SHOW_INTERRUPTED)
		cores_prove_interrupted(states, interrupted);
	if (actor && proof & SHOW_OTHER_WORK)
		request_close(actor, NULL);
}

/*
 * From this moment on, everything that may have changed is unknown: in one origin of a merged trace, or in
 * all (0).
 */
static void row_lose(struct rst_states *states, uint32_t origin, struct moment at)
{
	states->lost = origin;
	states->handing.thing = NULL;
	cores_lose(states, at);
	threads_lose(states, at);
	locks_lose(states, at);
	for (size_t i = 0; i < states->n_things; i++) {
		if (!is_lost(states, states->all_things[i]->origin))
			continue;
		levels_forget(states, states->all_things[i], at);
		levels_hide_waiters(states->all_things[i], true);
		machines_forget(states, states->all_things[i], at);
	}
}

/* A new run begins: nothing is known to have survived, and the ends of open intervals are unknown. */
static void row_end_run(struct rst_states *states, uint32_t origin, struct moment at)
{
	states->lost = origin;
	threads_end_run(states);
	row_lose(states, origin, at);
	for (size_t i = 0; i < states->n_things; i++)
		if (is_lost(states, states->all_things[i]->origin))
			thing_forget(states, states->all_things[i], at);
	states->run = at;
	states->run_origin = origin;
}

/* Events may be missing from here on. */
static void follow_gap(struct rst_states *states, const struct rst_effect_facts *facts)
{
	(void)facts;
	row_lose(states, states->self->origin, states->now);
}

static void row_effects(struct rst_states *states, const struct rst_batch *batch, size_t row, uint64_t wanted)
{
	const struct rst_effect_facts *const *held, *const *end;
	size_t n_held;

	if (!rst_effects_read(states->trace, batch, row, wanted, &held, &n_held)) {
		states->has_no_memory = true;
		return;
	}
	end = held + n_held;
	for (const struct rst_effect_facts *const *facts = held; facts < end; facts++) {
		const enum rst_effect_kind kind = (*facts)->effect->kind;

		if (states->watched >> kind & 1 &&
			!states->take(states->take_context, batch, row, states->now.ticks, *facts))
			states->has_no_memory = true;
		if (EFFECTS_FOLLOWED >> kind & 1)
			follow[kind](states, *facts);
	}
}

/* A row of a part, whose intervals are carried: only its effects are given on. */
static void row_watch(struct rst_states *states, const struct rst_batch *batch, size_t row)
{
	const struct rst_effect_facts *const *held;
	size_t n_held;

	if (batch->type[row]->marker != RST_EVENT || !states->watched)
		return;
	if (batch->ticks[row] > states->now.ticks)
		states->now.ticks = batch->ticks[row];
	if (!rst_effects_read(states->trace, batch, row, UINT64_MAX, &held, &n_held)) {
		states->has_no_memory = true;
		return;
	}
	for (size_t i = 0; i < n_held; i++)
		if (states->watched >> held[i]->effect->kind & 1 &&
			!states->take(states->take_context, batch, row, states->now.ticks, held[i]))
			states->has_no_memory = true;
}

static void row_follow(struct rst_states *states, const struct rst_batch *batch, size_t row)
{
	const struct rst_layout *layout = batch->layout[row];
	const struct duty *duty;

	if (layout->type->marker != RST_EVENT) {
		if (states->has_window)
			(layout->type->marker == RST_RUN ? row_end_run : row_lose)(states,
				batch->context[row]->origin,
				(struct moment){ states->now.ticks, RST_NO_SEQ });
		return;
	}
	states->now.seq = states->n_events++;
	if (batch->ticks[row] > states->now.ticks)
		states->now.ticks = batch->ticks[row];
	if (!states->has_window) {
		states->begin = states->run = states->now;
		states->has_window = true;
	}
	states->self = batch->context[row];
	states->layout = layout;
	states->core = batch->core ? batch->core[row] : RST_NO_CORE;
	/*
	 * A recording with switches but without core numbers is from one core. In a merged trace, it has a
	 * number already.
	 */
	if (states->core == RST_NO_CORE && states->has_switches && !states->self->origin)
		states->core = 0;
	duty = layout->index < states->duties_room ? &states->duties[layout->index] : NULL;
	if (!duty || !duty->is_known)
		duty = duty_make(states, layout);
	if (!duty)
		return;
	row_show(states, batch, row, duty->proof);
	if (duty->wanted)
		row_effects(states, batch, row, duty->wanted);
	if (states->handing.thing && states->handing.by == states->self &&
		states->handing.seq != states->now.seq)
		states->handing.thing = NULL;
}

/* After the end of an origin, the states of its things are unknown. */
static void origins_end(struct rst_states *states)
{
	const struct rst_origin *origin;

	for (size_t n = 1; (origin = rst_trace_origin(states->trace, n)) != NULL; n++) {
		uint8_t *ended = array_reach(states->ended, &states->ended_room, n, 1);

		if (!ended) {
			states->has_no_memory = true;
			return;
		}
		states->ended = ended;
		if (origin->has_ended && !ended[n] && states->has_window)
			row_lose(states, (uint32_t)n, (struct moment){ origin->end_ticks, RST_NO_SEQ });
		ended[n] |= origin->has_ended;
	}
}

/* --- the interface -------------------------------------------------------------------------------------- */

enum rst_status rst_states_new(struct rst_states **ret_states, struct rst_trace *trace, struct rst_error *err)
{
	struct rst_states *states = calloc(1, sizeof(*states));

	if (!states)
		return error_nomem(err);
	states->trace = trace;
	*ret_states = states;
	return RST_OK;
}

struct rst_states *rst_states_free(struct rst_states *states)
{
	if (!states)
		return NULL;
	for (size_t i = 0; i < states->n_things; i++)
		free(states->all_things[i]->owners);
	free(states->all_things);
	free(states->found_things);
	map_done(&states->things);
	free(states->actors);
	free(states->ended);
	free(states->cores);
	free(states->duties);
	free(states->intervals);
	free(states->beginnings);
	free(states->open);
	arena_done(&states->arena);
	free(states);
	return NULL;
}

void rst_states_watch(struct rst_states *states, uint32_t kinds, rst_effect_fn *take, void *context)
{
	check(!states->has_window && !states->take);
	states->watched = kinds;
	states->take = take;
	states->take_context = context;
}

enum rst_status rst_states_feed(
	struct rst_states *states, const struct rst_batch *batch, struct rst_error *err)
{
	const struct rst_carried *carried = rst_trace_carried(states->trace);

	check(!states->is_finished);
	states->n_intervals = states->n_beginnings = 0;
	if (carried) {
		for (size_t row = 0; row < batch->n_events; row++)
			row_watch(states, batch, row);
		carried_give(states, carried);
		return states->has_no_memory ? error_nomem(err) : RST_OK;
	}
	states->has_switches = rst_trace_metadata(states->trace)->has_switches;
	origins_end(states);
	for (size_t row = 0; row < batch->n_events; row++)
		row_follow(states, batch, row);
	return states->has_no_memory ? error_nomem(err) : RST_OK;
}

enum rst_status rst_states_finish(struct rst_states *states, struct rst_error *err)
{
	const struct moment at = { states->now.ticks, RST_NO_SEQ };
	const struct rst_carried *carried = rst_trace_carried(states->trace);

	check(!states->is_finished);
	states->n_intervals = states->n_beginnings = 0;
	states->is_finished = true;
	if (carried) {
		carried_give(states, carried);
		return states->has_no_memory ? error_nomem(err) : RST_OK;
	}
	cores_finish(states);
	threads_finish(states);
	for (size_t i = 0; i < states->n_things; i++) {
		struct thing *thing = states->all_things[i];

		states->now = at;
		thing_forget(states, thing, at);
	}
	return states->has_no_memory ? error_nomem(err) : RST_OK;
}

size_t rst_states_intervals(const struct rst_states *states, const struct rst_interval **ret_intervals)
{
	*ret_intervals = states->intervals;
	return states->n_intervals;
}

size_t rst_states_beginnings(const struct rst_states *states, const struct rst_beginning **ret_beginnings)
{
	*ret_beginnings = states->beginnings;
	return states->n_beginnings;
}

enum rst_status rst_states_open(struct rst_states *states, const struct rst_interval **ret_intervals,
	size_t *ret_n_intervals, struct rst_error *err)
{
	struct rst_interval *const ended = states->intervals;
	const size_t n_ended = states->n_intervals, ended_room = states->intervals_room;

	states->intervals = states->open;
	states->intervals_room = states->open_room;
	states->n_intervals = 0;
	if (states->has_window && !states->is_finished) {
		threads_open(states);
		locks_open(states);
	}
	*ret_intervals = states->open = states->intervals;
	*ret_n_intervals = states->n_intervals;
	states->open_room = states->intervals_room;
	states->intervals = ended;
	states->n_intervals = n_ended;
	states->intervals_room = ended_room;
	return states->has_no_memory ? error_nomem(err) : RST_OK;
}
