/* SPDX-License-Identifier: MIT */
/*
 * Translates effects into events of ThreadX. A switch becomes two events: a suspend or a time slice of the
 * thread that leaves, which names the next one, and a RUNNING of the next one, whose context proves it. If a
 * thread waits before its switch is recorded, it suspends then; the next thread is txtb_effects_put into that
 * event when it is known, as ThreadX itself does. If an event of ThreadX needs a value that the recording
 * does not have (the number of messages in a queue), no event is written.
 */
#include <stddef.h>

#include "base/number.h"
#include "export/txtb.h"

/* tx_api.h: thread states. Numbers that it does not define are other waits. */
enum { STATE_READY = 0, STATE_COMPLETED = 1, STATE_OTHER = 15 };

static uint8_t state_of(enum rst_reason reason)
{
	static const uint8_t states[RST_N_REASONS] = { [RST_REASON_SLEEP] = 4,
		[RST_REASON_LOCK] = 13,
		[RST_REASON_SEMAPHORE] = 6,
		[RST_REASON_QUEUE] = 5,
		[RST_REASON_FLAGS] = 7,
		[RST_REASON_MEMORY] = 9,
		[RST_REASON_IO] = 10,
		[RST_REASON_SUSPENDED] = 3 };

	return states[reason] ? states[reason] : STATE_OTHER;
}

/* --- things --------------------------------------------------------------------------------------------- */

static struct txtb_thing *txtb_effects_thread_of(
	const struct txtb_row *row, const struct rst_context *context)
{
	const struct rst_entity entity = rst_entity_of_context(context);

	return txtb_thing_of(row->export, &entity, txtb_type_of(RST_OBJECT_THREAD));
}

static struct txtb_thing *object_of(const struct txtb_row *row, const struct rst_ref *ref)
{
	const struct rst_entity entity = rst_entity_of_ref(ref);

	return txtb_thing_of(row->export, &entity, txtb_type_of(ref->kind));
}

static bool txtb_effects_put(
	struct txtb_row *row, enum txtb_id id, uint64_t i1, uint64_t i2, uint64_t i3, uint64_t i4)
{
	const uint64_t info[4] = { i1, i2, i3, i4 };

	row->has_event = true;
	return txtb_put(row->export, row->number, row->at, row->thread, row->priority, id, info);
}

static bool put_by(
	struct txtb_row *row, uint64_t thread, enum txtb_id id, uint64_t i1, uint64_t i2, uint64_t i4)
{
	const uint64_t info[4] = { i1, i2, 0, i4 };

	row->has_event = true;
	return txtb_put(row->export, row->number, row->at, thread, thread == row->thread ? row->priority : 0,
		id, info);
}

/* --- threads -------------------------------------------------------------------------------------------- */

/* The thread that goes on running after this event. */
static uint64_t txtb_effects_goes_on(const struct txtb_row *row)
{
	return row->core->runs == TXTB_THREAD ? row->core->thread : 0;
}

static uint8_t wait_of(const struct txtb_thing *thing, enum rst_reason reason)
{
	return reason != RST_REASON_NONE ? state_of(reason)
	       : thing->waits_for	 ? thing->waits_for
					 : STATE_OTHER;
}

static bool wake_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	struct txtb_thing *thing = txtb_effects_thread_of(row, facts->thread);

	return thing && txtb_effects_put(row, TXTB_RESUME, thing->address, wait_of(thing, facts->reason), 0,
				txtb_effects_goes_on(row));
}

static bool wait_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	struct txtb *txtb = row->export->state;
	struct txtb_thing *thing = txtb_effects_thread_of(row, facts->thread);
	const bool leaves = thing && txtb_effects_goes_on(row) == thing->address;

	if (!thing ||
		!txtb_effects_put(row, TXTB_SUSPEND, thing->address,
			facts->state == RST_STATE_ENDED ? STATE_COMPLETED : wait_of(thing, facts->reason), 0,
			leaves ? 0 : txtb_effects_goes_on(row)))
		return false;
	if (leaves && txtb->entries.n) {
		row->core->has_suspended = true;
		row->core->suspend = txtb->entries.n - 1;
	}
	return true;
}

/* The event of the thread that left has no next thread yet. */
static void suspend_complete(struct txtb_row *row, uint64_t next)
{
	struct txtb *txtb = row->export->state;

	if (row->core->has_suspended)
		spool_change(row->export, &txtb->entries, row->core->suspend,
			offsetof(struct txtb_entry, words) + TXTB_WORD_NEXT * sizeof(uint64_t), &next,
			sizeof(next));
	row->core->has_suspended = false;
}

/* The thread that had the core leaves it. */
static bool leave_put(struct txtb_row *row, const struct rst_effect_facts *facts, uint64_t next)
{
	struct txtb *txtb = row->export->state;
	const uint32_t thread = row->core->thread;
	const struct txtb_thing *thing = map_find(&txtb->addresses, thread);

	if (row->core->has_suspended) {
		suspend_complete(row, next);
		return true;
	}
	if (facts->state == RST_STATE_WAITING || facts->state == RST_STATE_ENDED)
		return put_by(row, thread, TXTB_SUSPEND, thread,
			facts->state == RST_STATE_ENDED ? STATE_COMPLETED : wait_of(thing, facts->reason),
			next);
	return put_by(row, thread, TXTB_TIME_SLICE, next, 0, 0);
}

static bool txtb_effects_switch_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const bool is_unknown = facts->has_unknown_thread;
	const struct txtb_thing *thing = facts->thread ? txtb_effects_thread_of(row, facts->thread) : NULL;
	const uint32_t next = thing	   ? thing->address
			      : is_unknown ? txtb_unknown(row->export, row->number)
					   : 0;

	if ((facts->thread && !thing) || (is_unknown && !next))
		return false;
	if (row->core->runs == TXTB_THREAD && row->core->thread != next && !leave_put(row, facts, next))
		return false;
	if (row->core->runs == TXTB_IDLE && next &&
		!put_by(row, TXTB_ISR, TXTB_RESUME, next, STATE_READY, next))
		return false;
	row->core->runs = next ? TXTB_THREAD : TXTB_IDLE;
	row->core->thread = next;
	row->has_event = true;
	return !next || put_by(row, next, TXTB_RUNNING, 0, 0, 0);
}

static const struct rst_effect_facts *facts_find(
	const struct txtb_row *row, enum rst_effect_kind kind, const struct rst_ref *object)
{
	for (size_t i = 0; i < row->n_facts; i++)
		if (row->facts[i]->effect->kind == kind &&
			(!object ||
				(row->facts[i]->object.is_there && row->facts[i]->object.id == object->id)))
			return row->facts[i];
	return NULL;
}

/* A thread that is made with a priority, and may be ready at once. */
static bool create_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const struct rst_effect_facts *priority = facts_find(row, RST_EFFECT_PRIORITY, NULL);
	const struct txtb_thing *thing = facts->thread ? txtb_effects_thread_of(row, facts->thread) : NULL;

	if (!facts->thread || !priority || !priority->has_value)
		return !facts->thread || thing;
	return thing && txtb_effects_put(row, TXTB_THREAD_CREATE, thing->address, priority->value, 0, 0) &&
	       (facts->state != RST_STATE_READY || txtb_effects_put(row, TXTB_RESUME, thing->address,
							   STATE_READY, 0, txtb_effects_goes_on(row)));
}

static bool delete_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const struct txtb_thing *thing =
		facts->thread && facts->phase == RST_DONE ? txtb_effects_thread_of(row, facts->thread) : NULL;

	if (!facts->thread || facts->phase != RST_DONE)
		return true;
	return thing && txtb_effects_put(row, TXTB_THREAD_DELETE, thing->address, 0, 0, 0);
}

static bool priority_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const struct txtb_thing *thing = facts->thread ? txtb_effects_thread_of(row, facts->thread) : NULL;

	if (!facts->thread || !facts->has_value || facts_find(row, RST_EFFECT_CREATE, NULL))
		return true;
	return thing && txtb_effects_put(row, TXTB_PRIORITY_CHANGE, thing->address, facts->value, 0, 0);
}

/* --- interrupts ----------------------------------------------------------------------------------------- */

/* The event that begins an interrupt may be that of the thread. */
static void isr_begin(struct txtb_row *row)
{
	if (row->thread != TXTB_ISR)
		row->priority = txtb_effects_goes_on(row);
	row->thread = TXTB_ISR;
}

static bool enter_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	struct txtb_core *core = row->core;
	const uint64_t number = facts->has_value ? facts->value : 0;

	isr_begin(row);
	if (core->depth < TXTB_NESTING)
		core->irqs[core->depth++] = number;
	return txtb_effects_put(row, TXTB_ISR_ENTER, 0, number, core->depth, 0);
}

static bool exit_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	struct txtb_core *core = row->core;
	const uint64_t number = core->depth ? core->irqs[core->depth - 1] : 0;
	const unsigned depth = core->depth ? core->depth-- : 1;

	(void)facts;
	isr_begin(row);
	return txtb_effects_put(row, TXTB_ISR_EXIT, 0, number, depth, 0);
}

/* --- services ------------------------------------------------------------------------------------------- */

static uint64_t limit_of(const struct rst_effect_facts *facts)
{
	return facts->has_limit && facts->effect->unit == RST_UNIT_KERNEL_TICKS && facts->limit
		       ? facts->limit
		       : TXTB_FOR_EVER;
}

/*
 * Whether another effect of the row already stands for this one: a row that asks for something and gets it,
 * or asks for it in two ways, becomes one event.
 */
static bool is_repeated(const struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const struct rst_effect_facts *first = facts_find(row, facts->effect->kind, &facts->object);

	for (size_t i = 0; i < row->n_facts && facts->phase == RST_ASKS; i++)
		if (row->facts[i]->effect->kind == facts->effect->kind && row->facts[i]->phase != RST_ASKS &&
			row->facts[i]->object.id == facts->object.id)
			return true;
	return first && first != facts && first->phase == facts->phase;
}

static bool lock_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const bool is_release = facts->effect->kind == RST_EFFECT_RELEASE;
	const uint64_t amount = facts->has_amount ? facts->amount : is_release ? 0 : 1;
	const struct txtb_thing *lock, *owner = NULL;
	uint64_t other;

	if (facts->object.kind != RST_OBJECT_MUTEX || row->thread == TXTB_ISR || is_repeated(row, facts))
		return true;
	lock = object_of(row, &facts->object);
	if (facts->other_thread)
		owner = txtb_effects_thread_of(row, facts->other_thread);
	other = owner ? owner->address : txtb_unknown(row->export, row->number);
	if (!lock || !other || (facts->other_thread && !owner))
		return false;
	if (is_release)
		return txtb_effects_put(row, TXTB_MUTEX_PUT, lock->address, row->thread, amount + 1, 0);
	if (facts->phase == RST_DONE)
		return txtb_effects_put(
			row, TXTB_MUTEX_GET, lock->address, TXTB_FOR_EVER, 0, amount ? amount - 1 : 0);
	return txtb_effects_put(
		row, TXTB_MUTEX_GET, lock->address, facts->phase == RST_ASKS ? limit_of(facts) : 0, other, 1);
}

/* Semaphores and queues: their events have the level, so the level must be known. */
static bool token_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const bool is_send = facts->effect->kind == RST_EFFECT_SEND,
		   is_queue = facts->object.kind == RST_OBJECT_QUEUE;
	const struct rst_effect_facts *level = facts_find(row, RST_EFFECT_LEVEL, &facts->object);
	const struct txtb_thing *thing;
	uint64_t before, after;

	if ((!is_queue && facts->object.kind != RST_OBJECT_SEMAPHORE) || !level || !level->has_value ||
		level->effect->is_change || level->effect->is_free || level->effect->unit == RST_UNIT_BYTES ||
		!number_count(number_as(level->value, level->value_type), &after) || is_repeated(row, facts))
		return true;
	thing = object_of(row, &facts->object);
	if (!thing)
		return false;
	before = is_send ? after - 1 : after + 1;
	if (facts->phase == RST_DONE && !(is_send && !after))
		return is_queue	 ? txtb_effects_put(row, is_send ? TXTB_QUEUE_SEND : TXTB_QUEUE_RECEIVE,
					   thing->address, 0, 0, before)
		       : is_send ? txtb_effects_put(row, TXTB_SEMAPHORE_PUT, thing->address, before, 0, 0)
				 : txtb_effects_put(
					   row, TXTB_SEMAPHORE_GET, thing->address, TXTB_FOR_EVER, before, 0);
	if (is_send || after || facts->phase == RST_DONE)
		return true;
	return is_queue ? txtb_effects_put(row, TXTB_QUEUE_RECEIVE, thing->address, 0,
				  facts->phase == RST_ASKS ? limit_of(facts) : 0, 0)
			: txtb_effects_put(row, TXTB_SEMAPHORE_GET, thing->address,
				  facts->phase == RST_ASKS ? limit_of(facts) : 0, 0, 0);
}

/* --- a row ---------------------------------------------------------------------------------------------- */

static bool txtb_effects_is_own(const struct txtb_row *row, const struct rst_effect_facts *facts)
{
	const struct rst_context *context = row->batch->context[row->row];

	return context && facts->thread && context->thread == facts->thread->thread;
}

static bool effect_put(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	typedef bool put_fn(struct txtb_row * row, const struct rst_effect_facts *facts);
	static put_fn *const puts[RST_N_EFFECTS] = {
		[RST_EFFECT_WAKE] = wake_put,
		[RST_EFFECT_WAIT] = wait_put,
		[RST_EFFECT_INTERRUPT_IN] = enter_put,
		[RST_EFFECT_INTERRUPT_OUT] = exit_put,
		[RST_EFFECT_ACQUIRE] = lock_put,
		[RST_EFFECT_RELEASE] = lock_put,
		[RST_EFFECT_SEND] = token_put,
		[RST_EFFECT_RECEIVE] = token_put,
		[RST_EFFECT_CREATE] = create_put,
		[RST_EFFECT_DELETE] = delete_put,
		[RST_EFFECT_PRIORITY] = priority_put,
	};
	const enum rst_effect_kind kind = facts->effect->kind;

	if (!puts[kind] || ((kind == RST_EFFECT_WAKE || kind == RST_EFFECT_WAIT) && !facts->thread) ||
		(kind == RST_EFFECT_WAKE && txtb_effects_is_own(row, facts)) ||
		(kind == RST_EFFECT_WAIT && facts->phase == RST_ASKS))
		return true;
	return puts[kind](row, facts);
}

/* Keeps the reason of a thread's request: it is the reason of a wait that has no reason of its own. */
static bool asks_keep(struct txtb_row *row, const struct rst_effect_facts *facts)
{
	struct txtb_thing *thing;

	if (facts->phase != RST_ASKS || facts->reason == RST_REASON_NONE || !txtb_effects_is_own(row, facts))
		return true;
	thing = txtb_effects_thread_of(row, facts->thread);
	if (thing)
		thing->waits_for = state_of(facts->reason);
	return thing;
}

/*
 * A thread that makes an event runs, even if no switch has shown it; but the context of a switch may already
 * be the next thread.
 */
static void context_keep(struct txtb_row *row, const struct rst_effect_facts *the_switch)
{
	const struct rst_context *context = row->batch->context[row->row];

	if (!context || context->kind != RST_CONTEXT_THREAD)
		return;
	row->core->depth = 0;
	if (the_switch && txtb_effects_is_own(row, the_switch))
		return;
	if (row->core->runs != TXTB_THREAD || row->core->thread != row->thread)
		suspend_complete(row, row->thread);
	row->core->runs = TXTB_THREAD;
	row->core->thread = (uint32_t)row->thread;
}

bool txtb_effects(struct txtb_row *row)
{
	const struct rst_effect_facts *the_switch = facts_find(row, RST_EFFECT_SWITCH, NULL);

	context_keep(row, the_switch);
	for (size_t i = 0; i < row->n_facts; i++)
		if (!effect_put(row, row->facts[i]) || !asks_keep(row, row->facts[i]))
			return false;
	return !the_switch || txtb_effects_switch_put(row, the_switch);
}
