/* SPDX-License-Identifier: MIT */
/*
 * This file keeps the task that runs on each core, its interrupts and the calls that are open. The variant of
 * an event follows from them: a call has an end only where an END_CALL comes, and TASK_START_READY wakes only
 * a task that waits.
 *
 * FreeRTOS sends TASK_STOP_READY only for a wait with a limit. A task that left its core inside of a call
 * that may block has waited, too, when it is made ready.
 */
#include <string.h>

#include "dialect/systemview/systemview.h"

enum { CAUSE_SUSPENDED = 27 }; /* of TASK_STOP_READY */

void sv_forget(struct sv *sv)
{
	sv->epoch++;
	for (size_t i = 0; i < sv->n_streams; i++)
		sv->streams[i].core = (struct sv_core){ 0 };
	sv->live.core = (struct sv_core){ 0 };
}

/* --- tasks --------------------------------------------------------------------------------------------- */

/* Returns the state of a task. NULL, which is no error, means that there are too many tasks. */
static struct sv_task *task_find(struct sv *sv, struct model *model, uint64_t id, bool *ret_is_good)
{
	struct sv_task *task = map_find(&sv->tasks, id);

	*ret_is_good = true;
	if (!task && sv->n_tasks < SV_TASKS_MAX) {
		task = arena_alloc(&model->arena, sizeof(*task));
		if (!task || !map_set(&sv->tasks, id, task)) {
			*ret_is_good = false;
			return NULL;
		}
		*task = (struct sv_task){ .epoch = sv->epoch };
		sv->n_tasks++;
	}
	if (task && task->epoch != sv->epoch)
		*task = (struct sv_task){ .epoch = sv->epoch };
	return task;
}

/* --- variants ------------------------------------------------------------------------------------------ */

static struct sv_calls *calls_of(struct sv_core *core)
{
	return core->known && !core->n_interrupts ? &core->known->calls : &core->calls;
}

static bool is_blocking_role(enum sv_role role)
{
	return role == SV_TAKES || role == SV_GIVES || role == SV_SLEEPS || role == SV_WAITS;
}

/* The innermost open call that may block. Returns NULL if no such call is open. */
static const struct sv_call *blocking_call(
	const struct sv *sv, const struct sv_calls *calls, enum sv_role *ret_role)
{
	for (unsigned i = calls->n; i > 0; i--) {
		const struct sv_event *event = sv_event_find(sv->set, calls->calls[i - 1].id);

		if (event && is_blocking_role(event->role)) {
			*ret_role = event->role;
			return &calls->calls[i - 1];
		}
	}
	return NULL;
}

/* --- waits --------------------------------------------------------------------------------------------- */

/* Keeps an object for which a task waits. Returns false if memory ran out. */
static bool awaited_find(
	struct sv *sv, struct model *model, const struct sv_call *call, const struct sv_awaited **ret)
{
	struct sv_awaited *awaited = map_find(&sv->awaited, call->object);

	*ret = awaited;
	if (awaited || call->object > INT32_MAX || sv->n_awaited == SV_AWAITED_MAX)
		return true;
	*ret = awaited = arena_alloc(&model->arena, sizeof(*awaited));
	if (!awaited)
		return false;
	*awaited = (struct sv_awaited){ call->object, (uint8_t)call->kind, ++sv->n_awaited };
	return map_set(&sv->awaited, call->object, awaited);
}

static enum rst_reason reason_of(enum sv_role role, enum rst_object_kind kind)
{
	static const enum rst_reason reasons[] = { [SV_GIVES] = RST_REASON_QUEUE,
		[SV_TAKES] = RST_REASON_QUEUE,
		[SV_SLEEPS] = RST_REASON_SLEEP,
		[SV_WAITS] = RST_REASON_OTHER };

	if (role == SV_TAKES && kind == RST_OBJECT_MUTEX)
		return RST_REASON_LOCK;
	if (role == SV_TAKES && kind == RST_OBJECT_SEMAPHORE)
		return RST_REASON_SEMAPHORE;
	return reasons[role];
}

/*
 * Notes that the task will not be ready when it leaves its core. The open call that may block tells for what
 * it waits. Returns false if memory ran out.
 */
static bool note_wait(struct sv *sv, struct model *model, struct sv_task *task, bool is_suspended)
{
	enum sv_role role = SV_PLAIN;
	const struct sv_call *call = is_suspended ? NULL : blocking_call(sv, &task->calls, &role);

	task->leaves_waiting = true;
	task->wants = RST_EFFECT_NONE;
	task->awaited = NULL;
	task->reason = is_suspended ? RST_REASON_SUSPENDED : RST_REASON_OTHER;
	if (!call && !is_suspended && sv->set && !sv->set->has_ends && task->just_called == SV_SLEEPS)
		task->reason = RST_REASON_SLEEP;
	if (!call)
		return true;
	task->reason = reason_of(role, call->kind);
	if (!call->has_object)
		return true;
	if (role == SV_TAKES)
		task->wants = call->kind == RST_OBJECT_MUTEX ? RST_EFFECT_ACQUIRE : RST_EFFECT_RECEIVE;
	if (role == SV_GIVES)
		task->wants = RST_EFFECT_SEND;
	return task->wants == RST_EFFECT_NONE || awaited_find(sv, model, call, &task->awaited);
}

/* Whether a task that is made ready waited, as far as is known: see README.md. */
static bool is_wake(const struct sv_task *task)
{
	if (!task || task->is_stopped)
		return true;
	if (task->is_running || task->is_ready)
		return false;
	return !task->has_run || task->is_blocking;
}

static uint64_t second_number(const struct sv_packet *packet)
{
	const uint8_t *at = packet->payload, *end = at + packet->n_payload;
	uint64_t number = 0;

	return sv_number(&at, end, 10, &number) && sv_number(&at, end, 10, &number) ? number : 0;
}

static bool expects_end(const struct sv *sv, uint32_t id)
{
	if (!sv->set || !sv->set->has_ends || id >= SV_ID_PLAUSIBLE)
		return false;
	return sv->set->all_end || (sv->ends[id / 64] >> id % 64 & 1);
}

uint64_t sv_first_number(const struct sv_packet *packet)
{
	const uint8_t *at = packet->payload;
	uint64_t number = 0;

	sv_number(&at, at + packet->n_payload, 10, &number);
	return number;
}

static void plan_call(
	struct sv_plan *plan, const struct sv *sv, const struct sv_packet *packet, struct sv_core *core)
{
	const struct sv_event *event =
		map_find(&sv->modules, packet->id) ? NULL : sv_event_find(sv->set, packet->id);
	const struct sv_calls *calls = calls_of(core);

	if (!event)
		return;
	plan->call = event;
	if (event->fields[0].type == SV_HANDLE || event->fields[0].type == SV_OBJECT) {
		const uint64_t number = sv_first_number(packet);
		const uint64_t id = sv->set->has_whole_addresses ? number : sv_whole_id(sv, number);

		plan->variant =
			event->fields[0].type == SV_HANDLE ? sv_handle_kind(sv, id) : event->fields[0].kind;
	}
	if (expects_end(sv, packet->id) && calls->n < SV_CALLS_MAX &&
		!(calls->n && calls->calls[calls->n - 1].id == packet->id))
		plan->variant |= SV_VARIANT_SPAN;
}

/* Whether another call creates the object, and this one is a part of it. */
static bool is_inside_creation(const struct sv *sv, const struct sv_calls *calls, const struct sv_call *call)
{
	const struct sv_event *outer = call > calls->calls ? sv_event_find(sv->set, call[-1].id) : NULL;

	return outer && outer->role >= SV_CREATES;
}

static void plan_end(
	struct sv_plan *plan, const struct sv *sv, const struct sv_packet *packet, struct sv_core *core)
{
	const struct sv_calls *calls = calls_of(core);
	const uint64_t id = sv_first_number(packet);
	const uint8_t *at = packet->payload, *end = at + packet->n_payload;
	uint64_t value;

	const bool has_value = sv_number(&at, end, 5, &value) && sv_number(&at, end, 10, &value);
	const struct sv_event *event;

	for (unsigned i = calls->n; i > 0 && !plan->ended; i--)
		if (calls->calls[i - 1].id == id)
			plan->ended = &calls->calls[i - 1];
	if (!plan->ended || id >= SV_ID_PLAUSIBLE)
		return;
	plan->variant = SV_VARIANT_SPAN | (unsigned)id << SV_VARIANT_CALL_SHIFT;
	if (!has_value)
		return;
	event = sv_event_find(sv->set, plan->ended->id);
	if (event && event->role >= SV_CREATES && value && !is_inside_creation(sv, calls, plan->ended))
		plan->object = sv_whole_id(sv, value);
	else if (plan->ended->has_object)
		plan->object = plan->ended->object;
	else
		return;
	plan->variant |= SV_VARIANT_OBJECT |
			 (plan->ended->kind ? plan->ended->kind : sv_handle_kind(sv, plan->object));
}

static void plan_sample(struct sv_plan *plan, const struct sv *sv, const struct sv_packet *packet)
{
	enum { SIGNED = 1 };
	const uint8_t *type = map_find(&sv->samples, sv_first_number(packet));

	if (type)
		plan->variant = *type == SIGNED ? SV_VARIANT_SIGNED : SV_VARIANT_REAL;
}

/* Whether the task in the packet runs on this core. */
static bool task_runs(const struct sv *sv, const struct sv_packet *packet, const struct sv_core *core)
{
	return core->runs == SV_RUNS_TASK && core->task == sv_whole_id(sv, sv_first_number(packet));
}

/*
 * Ports without END_CALL record nothing when a task begins to wait for ever. So behind a call that may block,
 * a task that leaves its core may wait or be ready.
 */
static bool may_wait(const struct sv *sv, const struct sv_task *task)
{
	if (!sv->set || sv->set->has_ends)
		return false;
	return sv->set->hides_waits || is_blocking_role(task->just_called);
}

static void plan_switch(
	struct sv_plan *plan, const struct sv *sv, const struct sv_packet *packet, const struct sv_core *core)
{
	const struct sv_task *task = core->runs == SV_RUNS_TASK ? core->known : NULL;

	plan->variant = packet->id == SV_STOP_EXEC ? 0 : core->n_interrupts;
	if (!task || (packet->id == SV_START_EXEC && task_runs(sv, packet, core)))
		return;
	if (!task->leaves_waiting) {
		plan->variant |= may_wait(sv, task) ? SV_VARIANT_UNSAID : 0;
		return;
	}
	plan->left = task;
	plan->variant |= SV_VARIANT_WAITS | (unsigned)task->wants << SV_VARIANT_WANTS_SHIFT |
			 (unsigned)task->reason << SV_VARIANT_REASON_SHIFT;
}

bool sv_plan_make(struct sv_plan *plan, struct sv *sv, struct model *model, const struct sv_packet *packet,
	struct sv_stream *stream)
{
	bool is_good = true;

	*plan = (struct sv_plan){ 0 };
	if (packet->id == SV_EX)
		plan->ex = (unsigned)(sv_first_number(packet) & 0xffff);
	else if (packet->id == SV_START_READY)
		plan->variant =
			is_wake(task_find(sv, model, sv_whole_id(sv, sv_first_number(packet)), &is_good))
				? 0
				: SV_VARIANT_NO_WAKE;
	else if (packet->id == SV_START_EXEC || packet->id == SV_IDLE || packet->id == SV_STOP_EXEC)
		plan_switch(plan, sv, packet, &stream->core);
	else if (packet->id == SV_ISR_EXIT || packet->id == SV_ISR_TO_SCHEDULER)
		plan->variant =
			!stream->core.n_interrupts && stream->core.has_switched ? SV_VARIANT_NO_INTERRUPT : 0;
	else if (packet->id == SV_STOP_READY)
		plan->variant = task_runs(sv, packet, &stream->core) ? SV_VARIANT_RUNS : 0;
	else if (packet->id == SV_DATA_SAMPLE)
		plan_sample(plan, sv, packet);
	else if (packet->id == SV_NAME_RESOURCE)
		plan->variant = sv_handle_kind(sv, sv_whole_id(sv, sv_first_number(packet)));
	else if (packet->id == SV_END_CALL)
		plan_end(plan, sv, packet, &stream->core);
	else if (packet->id >= SV_ID_OWN)
		plan_call(plan, sv, packet, &stream->core);
	return is_good;
}

/* --- what a packet changes ----------------------------------------------------------------------------- */

static void leave_core(struct sv *sv, struct sv_core *core)
{
	enum sv_role role;

	if (core->runs != SV_RUNS_TASK || !core->known)
		return;
	core->known->is_running = false;
	core->known->is_stopped |= core->known->leaves_waiting;
	if (sv->set && sv->set->has_ends)
		core->known->is_blocking = blocking_call(sv, &core->known->calls, &role) != NULL;
}

static bool change_task(struct sv *sv, struct model *model, struct sv_core *core, uint64_t id)
{
	bool is_good;

	leave_core(sv, core);
	core->n_interrupts = 0;
	core->has_switched = true;
	core->runs = SV_RUNS_TASK;
	core->task = id;
	core->known = task_find(sv, model, id, &is_good);
	if (core->known) {
		core->known->has_run = core->known->is_running = true;
		core->known->is_stopped = core->known->is_ready = core->known->is_blocking = false;
		core->known->leaves_waiting = false;
	}
	return is_good;
}

static bool change_ready(struct sv *sv, struct model *model, uint64_t id)
{
	bool is_good;
	struct sv_task *task = task_find(sv, model, id, &is_good);

	if (task) {
		task->is_stopped = task->leaves_waiting = false;
		task->is_ready = !task->is_running;
	}
	return is_good;
}

static bool change_stopped(struct sv *sv, struct model *model, uint64_t id, uint64_t cause)
{
	bool is_good;
	struct sv_task *task = task_find(sv, model, id, &is_good);

	if (!task)
		return is_good;
	task->is_stopped = true;
	task->is_ready = false;
	return !task->is_running || note_wait(sv, model, task, cause == CAUSE_SUSPENDED);
}

/*
 * A task that takes itself out of the list of ready tasks waits from its next switch on. That also holds for
 * a wait without a limit, which has no TASK_STOP_READY.
 */
static bool is_unlisting(const struct sv *sv, const struct sv_plan *plan, const struct sv_calls *calls)
{
	const struct sv_event *caller =
		calls->n ? sv_event_find(sv->set, calls->calls[calls->n - 1].id) : NULL;

	return plan->call->role == SV_UNLISTS && caller &&
	       (is_blocking_role(caller->role) || caller->role == SV_QUEUES_UP);
}

static bool change_calls(
	struct sv *sv, struct model *model, struct sv_core *core, const struct sv_plan *plan, uint64_t first)
{
	struct sv_calls *calls = calls_of(core);
	struct sv_task *task = core->n_interrupts ? NULL : core->known;

	if (plan->ended)
		calls->n = (uint8_t)(plan->ended - calls->calls);
	if (task)
		task->just_called = plan->call ? plan->call->role : SV_PLAIN;
	if (!plan->call)
		return true;
	if (task && is_unlisting(sv, plan, calls) && !note_wait(sv, model, task, false))
		return false;
	if (plan->variant & SV_VARIANT_SPAN)
		calls->calls[calls->n++] = (struct sv_call){ .id = plan->call->id,
			.has_object = (plan->variant & SV_VARIANT_KIND) != 0,
			.kind = plan->variant & SV_VARIANT_KIND,
			.object = first };
	if (task && !sv->set->has_ends)
		task->is_blocking = is_blocking_role(plan->call->role);
	return true;
}

void sv_core_before(struct sv_core *core, const struct sv_packet *packet)
{
	if (packet->id == SV_ISR_ENTER && core->n_interrupts < SV_NESTING)
		core->interrupts[core->n_interrupts++] = (uint32_t)sv_first_number(packet);
}

bool sv_core_after(struct sv *sv, struct model *model, struct sv_core *core, const struct sv_packet *packet,
	const struct sv_plan *plan, uint64_t first)
{
	switch (packet->id) {
	case SV_ISR_EXIT:
	case SV_ISR_TO_SCHEDULER:
		if (core->n_interrupts)
			core->n_interrupts--;
		return true;
	case SV_START_EXEC:
		return change_task(sv, model, core, first);
	case SV_IDLE:
	case SV_STOP_EXEC:
		leave_core(sv, core);
		if (packet->id == SV_IDLE) {
			core->n_interrupts = 0;
			core->has_switched = true;
		}
		core->runs = packet->id == SV_IDLE ? SV_RUNS_IDLE : SV_RUNS_UNKNOWN;
		core->known = NULL;
		return true;
	case SV_START_READY:
		return change_ready(sv, model, first);
	case SV_STOP_READY:
		return change_stopped(sv, model, first, second_number(packet));
	default:
		return change_calls(sv, model, core, plan, first);
	}
}
