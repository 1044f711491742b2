/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/ctf.h"

static struct kernel *kernel_collect_kernel_of(const struct export *export)
{
	return &((struct ctf *)export->state)->kernel;
}

static uint16_t core_or_first(uint16_t core)
{
	return core == RST_NO_CORE ? 0 : core;
}

/* --- threads and cores ---------------------------------------------------------------------------------- */

static struct kernel_thread *thread_numbered(struct kernel *kernel, struct kernel_thread *thread)
{
	if (thread && !thread->number) {
		thread->number = (uint32_t)kernel->threads.n;
		thread->priority = RST_NO_PRIORITY;
	}
	return thread;
}

static struct kernel_thread *kernel_collect_thread_of(struct kernel *kernel, const struct rst_entity *entity)
{
	kernel->threads.record_bytes = sizeof(struct kernel_thread);
	return thread_numbered(kernel, subject_of(&kernel->threads, entity));
}

/* Returns false if memory ran out. */
static bool number_of(struct kernel *kernel, const struct rst_context *context, uint32_t *ret_number)
{
	struct kernel_thread *thread;

	*ret_number = KERNEL_NO_THREAD;
	if (!context || context->kind == RST_CONTEXT_ISR || context->kind == RST_CONTEXT_IDLE)
		return true;
	kernel->threads.record_bytes = sizeof(struct kernel_thread);
	thread = thread_numbered(kernel, subject_of_context(&kernel->threads, context));
	if (thread)
		*ret_number = thread->number - 1;
	return thread;
}

static struct kernel_core *core_of(struct kernel *kernel, uint16_t number)
{
	struct kernel_core **cores =
		array_reach(kernel->cores, &kernel->cores_room, number, sizeof(struct kernel_core *));

	if (!cores)
		return NULL;
	kernel->cores = cores;
	if (!cores[number]) {
		cores[number] = calloc(1, sizeof(struct kernel_core));
		if (!cores[number])
			return NULL;
		cores[number]->current = KERNEL_UNKNOWN;
		cores[number]->number = number;
		cores[number]->irq = KERNEL_NO_IRQ - 1;
		kernel->n_cores = number >= kernel->n_cores ? number + 1U : kernel->n_cores;
		cores[number]->runs.record_bytes = sizeof(struct kernel_run);
		snprintf(cores[number]->runs.name, sizeof(cores[number]->runs.name), "core_%u", number);
	}
	return cores[number];
}

/* --- what events did ------------------------------------------------------------------------------------ */

static bool call_put(struct export *export, const struct kernel_call *call)
{
	struct spool *calls = &kernel_collect_kernel_of(export)->calls;

	if (!calls->record_bytes) {
		calls->record_bytes = sizeof(struct kernel_call);
		snprintf(calls->name, sizeof(calls->name), "calls");
	}
	return spool_put(export, calls, call);
}

static bool service_put(struct export *export)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);
	const bool has_one = kernel->has_service;

	kernel->has_service = false;
	return !has_one || call_put(export, &kernel->service);
}

/* Puts the losses in front of this row: this is their place among the effects. */
static bool kernel_collect_losses_put(struct export *export, size_t row)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);

	for (; kernel->losses_given < kernel->n_losses && kernel->losses[kernel->losses_given].row <= row;
		kernel->losses_given++)
		if (!service_put(export) || !call_put(export, &kernel->losses[kernel->losses_given].call))
			return false;
	if (kernel->losses_given == kernel->n_losses)
		kernel->losses_given = kernel->n_losses = 0;
	return true;
}

static bool call_begin(struct export *export, const struct occurrence *occurrence, enum kernel_what what,
	struct kernel_call *ret)
{
	const struct rst_batch *batch = occurrence->batch;
	const size_t row = occurrence->row;

	*ret = (struct kernel_call){ .at = occurrence->at,
		.seq = occurrence->seq,
		.other = KERNEL_NO_THREAD,
		.type = batch->type[row]->index,
		.priority = rst_batch_priority(batch, row),
		.core = core_or_first(rst_batch_core(batch, row)),
		.what = (uint8_t)what };
	return number_of(kernel_collect_kernel_of(export), batch->context[row], &ret->task);
}

static bool has_effect(const struct rst_layout *layout, uint32_t kinds)
{
	for (size_t i = 0; i < layout->n_effects; i++)
		if (kinds >> layout->effects[i].kind & 1)
			return true;
	return false;
}

/* An event counts as one service, even if it has several effects. A known switch is not a service. */
static bool service_see(struct export *export, const struct occurrence *occurrence)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);
	const struct rst_layout *layout = occurrence->batch->layout[occurrence->row];
	const struct rst_context *context = occurrence->batch->context[occurrence->row];

	if (!context || context->kind != RST_CONTEXT_THREAD || context->is_subject ||
		has_effect(layout, OF_SWITCHES))
		return true;
	if (!kernel->has_service || kernel->service.seq != occurrence->seq) {
		uint8_t *services =
			array_reach(kernel->services, &kernel->services_room, layout->type->index, 1);

		if (!services || !service_put(export) ||
			!call_begin(export, occurrence, KERNEL_WHAT_SERVICE, &kernel->service))
			return false;
		kernel->services = services;
		services[layout->type->index] = true;
		kernel->service.has_end = has_effect(layout, SCAN_BIT(RST_EFFECT_BEGIN));
		kernel->has_service = true;
	}
	kernel->service.asks |= occurrence->facts->phase == RST_ASKS;
	kernel->service.gave_up |= occurrence->facts->phase == RST_GAVE_UP;
	return true;
}

static bool other_see(struct export *export, const struct occurrence *occurrence, enum kernel_what what)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	struct kernel_call call;

	if (!service_put(export) || !call_begin(export, occurrence, what, &call))
		return false;
	if (what == KERNEL_WHAT_END)
		call.gave_up = facts->phase == RST_GAVE_UP;
	else if (!number_of(kernel_collect_kernel_of(export), facts->thread, &call.other))
		return false;
	call.number = facts->value;
	return (what != KERNEL_WHAT_END && call.other == KERNEL_NO_THREAD) || call_put(export, &call);
}

static bool kernel_collect_is_own(const struct occurrence *occurrence)
{
	const struct rst_context *context = occurrence->batch->context[occurrence->row];

	return context && occurrence->facts->thread && occurrence->facts->thread->thread == context->thread;
}

bool kernel_effect(void *context, const struct occurrence *occurrence)
{
	struct export *export = ((struct export_state *)context)->export;
	const struct rst_effect_facts *facts = occurrence->facts;
	const enum rst_effect_kind kind = facts->effect->kind;
	const bool is_service =
		(SCAN_BIT(kind) & OF_SERVICES) ||
		(kind == RST_EFFECT_WAIT && facts->phase == RST_ASKS && kernel_collect_is_own(occurrence));

	if (!kernel_collect_losses_put(export, occurrence->row) ||
		(is_service && !service_see(export, occurrence)))
		return false;
	if (kind == RST_EFFECT_WAKE && !kernel_collect_is_own(occurrence))
		return other_see(export, occurrence, KERNEL_WHAT_WAKE);
	if (kind == RST_EFFECT_CREATE)
		return other_see(export, occurrence, KERNEL_WHAT_CREATE);
	if (kind == RST_EFFECT_DELETE && facts->phase == RST_DONE)
		return other_see(export, occurrence, KERNEL_WHAT_DELETE);
	if (kind == RST_EFFECT_PRIORITY && facts->has_value)
		return other_see(export, occurrence, KERNEL_WHAT_PRIORITY);
	return kind != RST_EFFECT_END || !kernel_collect_is_own(occurrence) ||
	       other_see(export, occurrence, KERNEL_WHAT_END);
}

/* The first known priority of a thread also applies to its earlier switches. */
static bool priority_see(struct export *export, const struct rst_batch *batch, size_t row)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);
	const int16_t priority = rst_batch_priority(batch, row);
	struct kernel_thread *thread;
	uint32_t number;

	if (priority == RST_NO_PRIORITY || !batch->context[row] ||
		batch->context[row]->kind != RST_CONTEXT_THREAD)
		return true;
	if (!number_of(kernel, batch->context[row], &number))
		return false;
	thread = number == KERNEL_NO_THREAD ? NULL : kernel_thread(kernel, number);
	if (thread && thread->priority == RST_NO_PRIORITY)
		thread->priority = priority;
	return true;
}

/*
 * Finds the priority of a thread outside of its events: in the registry of ThreadX or LiteOS's table of
 * objects.
 */
static int16_t priority_registered(struct rst_trace *trace, const struct rst_entity *entity)
{
	static const char *const names[] = { "priority", "prio" };
	const struct rst_object *object =
		rst_trace_find_object(trace, entity->process, entity->id, RST_OBJECT_THREAD, 0);

	for (size_t i = 0; object && i < object->n_details; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			const struct rst_detail *detail = &object->details[i];

			if (detail->type == RST_DETAIL_NUMBER && strcmp(detail->name, names[k]) == 0 &&
				detail->number <= INT16_MAX)
				return (int16_t)detail->number;
		}
	return RST_NO_PRIORITY;
}

static void priorities_complete(struct export *export)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);

	for (uint32_t i = 0; i < kernel->threads.n; i++) {
		struct kernel_thread *thread = kernel_thread(kernel, i);

		if (thread->priority == RST_NO_PRIORITY)
			thread->priority = priority_registered(export->trace, &thread->subject.entity);
	}
}

/* All rows of a batch come before its effects, so losses wait for the effects. */
bool kernel_row(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	struct kernel_loss *losses;

	if (row < kernel->last_row && !kernel_collect_losses_put(export, SIZE_MAX))
		return false;
	kernel->last_row = row;
	if (!gap)
		return priority_see(export, batch, row);
	if (gap->marker == RST_RUN)
		return true;
	losses = array_room(kernel->losses, kernel->n_losses, &kernel->losses_room, sizeof(*losses));
	if (!losses)
		return false;
	kernel->losses = losses;
	losses[kernel->n_losses++] = (struct kernel_loss){ .row = row,
		.call = { .at = at,
			.number = gap->marker == RST_LOSS && gap->n_events ? gap->n_events : 1,
			.task = KERNEL_NO_THREAD,
			.other = KERNEL_NO_THREAD,
			.core = core_or_first(rst_batch_core(batch, row)),
			.what = KERNEL_WHAT_LOSS } };
	return true;
}

/* --- intervals ------------------------------------------------------------------------------------------ */

static bool run_put(struct export *export, struct kernel_core *core)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);
	struct kernel_thread *thread = core->has_held && core->held.task < kernel->threads.n
					       ? kernel_thread(kernel, core->held.task)
					       : NULL;

	if (thread && thread->is_held && thread->core == core->number) {
		thread->is_held = false;
		thread->has_run = true;
		thread->run = core->runs.n;
	}
	if (!core->has_held)
		return true;
	core->has_held = false;
	return spool_put(export, &core->runs, &core->held);
}

/* A larger number counts as unknown: readers accept 32 bits. */
static int32_t irq_of(const struct rst_entity *entity)
{
	return entity->form == RST_ENTITY_NUMBER && entity->id <= INT32_MAX ? (int32_t)entity->id
									    : KERNEL_NO_IRQ;
}

static bool kernel_collect_core_see(struct export *export, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct kernel *kernel = kernel_collect_kernel_of(export);
	struct kernel_core *core = core_of(kernel, core_or_first(interval->core));
	struct kernel_thread *thread;

	if (!core || !run_put(export, core))
		return false;
	core->has_held = true;
	core->held = (struct kernel_run){ .from = piece->from,
		.to = piece->to,
		.task = interval->state == RST_STATE_IDLE ? KERNEL_IDLE : KERNEL_UNKNOWN,
		.irq = irq_of(&interval->object),
		.is_interrupt = interval->state == RST_STATE_INTERRUPT,
		.left = KERNEL_DEAD };
	core->held.has_ended =
		core->held.is_interrupt && core->irq_end == piece->to && core->irq == core->held.irq;
	if (interval->state != RST_STATE_RUNNING || interval->object.form == RST_ENTITY_NONE)
		return true;
	thread = kernel_collect_thread_of(kernel, &interval->object);
	if (!thread)
		return false;
	core->held.task = thread->number - 1;
	thread->core = core->number;
	thread->is_held = true;
	thread->has_run = false;
	return true;
}

/* Notes the state of a thread after its last run. */
static bool kernel_collect_thread_see(struct export *export, const struct piece *piece)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);
	const enum rst_state state = piece->interval->state;
	const uint8_t left = state == RST_STATE_READY	? KERNEL_RUNNABLE
			     : state == RST_STATE_ENDED ? KERNEL_DEAD
							: KERNEL_SLEEPS;
	struct kernel_thread *thread = kernel_collect_thread_of(kernel, &piece->interval->subject);

	if (!thread || state == RST_STATE_RUNNING || state == RST_STATE_INTERRUPTED)
		return thread;
	if (thread->is_held)
		kernel->cores[thread->core]->held.left = left;
	else if (thread->has_run)
		spool_change(export, &kernel->cores[thread->core]->runs, thread->run,
			offsetof(struct kernel_run, left), &left, sizeof(left));
	thread->is_held = thread->has_run = false;
	return true;
}

/* The interval of an interrupt comes before or after the interval of its core. */
static bool interrupt_see(struct kernel *kernel, const struct piece *piece)
{
	struct kernel_core *core = core_of(kernel, core_or_first(piece->interval->core));

	if (!core)
		return false;
	core->irq_end = piece->to;
	core->irq = irq_of(&piece->interval->subject);
	if (core->has_held && core->held.is_interrupt && core->held.to == piece->to &&
		core->held.irq == core->irq)
		core->held.has_ended = true;
	return true;
}

bool kernel_piece(void *context, const struct piece *piece)
{
	struct export *export = ((struct export_state *)context)->export;
	const enum rst_interval_kind kind = piece->interval->kind;

	if (kind == RST_INTERVAL_CORE)
		return kernel_collect_core_see(export, piece);
	return kind == RST_INTERVAL_THREAD ? kernel_collect_thread_see(export, piece)
					   : interrupt_see(kernel_collect_kernel_of(export), piece);
}

/* --- the end -------------------------------------------------------------------------------------------- */

bool kernel_collected(struct export *export)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);

	if (!kernel_collect_losses_put(export, SIZE_MAX) || !service_put(export))
		return false;
	for (size_t i = 0; i < kernel->n_cores; i++)
		if (kernel->cores[i] && !run_put(export, kernel->cores[i]))
			return false;
	priorities_complete(export);
	return true;
}

void kernel_done(struct export *export)
{
	struct kernel *kernel = kernel_collect_kernel_of(export);

	for (size_t i = 0; i < kernel->n_cores; i++) {
		if (!kernel->cores[i])
			continue;
		spool_done(export, &kernel->cores[i]->runs);
		free(kernel->cores[i]);
	}
	spool_done(export, &kernel->calls);
	free(kernel->cores);
	free(kernel->losses);
	free(kernel->services);
	free(kernel->tids);
	subjects_done(&kernel->threads);
}
