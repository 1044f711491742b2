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

static bool is_in_blocking_call(const struct sv *sv, const struct sv_calls *calls)
{
	for (unsigned i = 0; i < calls->n; i++) {
		const struct sv_event *event = sv_event_find(sv->set, calls->calls[i].id);

		if (event && is_blocking_role(event->role))
			return true;
	}
	return false;
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

static bool expects_end(const struct sv *sv, uint32_t id)
{
	return sv->set && sv->set->has_ends && id < SV_ID_PLAUSIBLE && (sv->ends[id / 64] >> id % 64 & 1);
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

static void plan_end(
	struct sv_plan *plan, const struct sv *sv, const struct sv_packet *packet, struct sv_core *core)
{
	const struct sv_calls *calls = calls_of(core);
	const uint64_t id = sv_first_number(packet);
	const uint8_t *at = packet->payload, *end = at + packet->n_payload;
	uint64_t value;

	plan->has_value = sv_number(&at, end, 5, &value) && sv_number(&at, end, 10, &value);
	for (unsigned i = calls->n; i > 0 && !plan->ended; i--)
		if (calls->calls[i - 1].id == id)
			plan->ended = &calls->calls[i - 1];
	if (!plan->ended || id >= SV_ID_PLAUSIBLE)
		return;
	plan->variant = SV_VARIANT_SPAN | (unsigned)id << SV_VARIANT_CALL_SHIFT;
	if (plan->ended->has_object && plan->has_value)
		plan->variant |= SV_VARIANT_OBJECT | sv_handle_kind(sv, plan->ended->object);
}

static void plan_sample(struct sv_plan *plan, const struct sv *sv, const struct sv_packet *packet)
{
	enum { SIGNED = 1 };
	const uint8_t *type = map_find(&sv->samples, sv_first_number(packet));

	if (type)
		plan->variant = *type == SIGNED ? SV_VARIANT_SIGNED : SV_VARIANT_REAL;
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
	else if (packet->id == SV_START_EXEC || packet->id == SV_IDLE)
		plan->variant = SV_VARIANT_OUT + stream->core.n_interrupts;
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
	if (core->runs != SV_RUNS_TASK || !core->known)
		return;
	core->known->is_running = false;
	if (sv->set && sv->set->has_ends)
		core->known->is_blocking = is_in_blocking_call(sv, &core->known->calls);
}

static bool change_task(struct sv *sv, struct model *model, struct sv_core *core, uint64_t id)
{
	bool is_good;

	leave_core(sv, core);
	core->n_interrupts = 0;
	core->runs = SV_RUNS_TASK;
	core->task = id;
	core->known = task_find(sv, model, id, &is_good);
	if (core->known) {
		core->known->has_run = core->known->is_running = true;
		core->known->is_stopped = core->known->is_ready = core->known->is_blocking = false;
	}
	return is_good;
}

static bool change_ready(struct sv *sv, struct model *model, uint64_t id, bool is_ready)
{
	bool is_good;
	struct sv_task *task = task_find(sv, model, id, &is_good);

	if (task) {
		task->is_stopped = !is_ready;
		task->is_ready = is_ready && !task->is_running;
	}
	return is_good;
}

static void change_calls(struct sv *sv, struct sv_core *core, const struct sv_plan *plan, uint64_t first)
{
	struct sv_calls *calls = calls_of(core);

	if (plan->ended)
		calls->n = (uint8_t)(plan->ended - calls->calls);
	if (!plan->call)
		return;
	if (plan->variant & SV_VARIANT_SPAN)
		calls->calls[calls->n++] =
			(struct sv_call){ plan->call->id, (plan->variant & SV_VARIANT_KIND) != 0, first };
	if (core->known && !core->n_interrupts && !sv->set->has_ends)
		core->known->is_blocking = is_blocking_role(plan->call->role);
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
		if (packet->id == SV_IDLE)
			core->n_interrupts = 0;
		core->runs = packet->id == SV_IDLE ? SV_RUNS_IDLE : SV_RUNS_UNKNOWN;
		core->known = NULL;
		return true;
	case SV_START_READY:
	case SV_STOP_READY:
		return change_ready(sv, model, first, packet->id == SV_START_READY);
	default:
		change_calls(sv, core, plan, first);
		return true;
	}
}
