/* SPDX-License-Identifier: MIT */
/*
 * Merges the intervals of cores with the effects of events. At the same time stamp, a switch comes before an
 * event whose thread does not run yet: readers take the running thread for the caller.
 */
#include <stdio.h>
#include <string.h>

#include "export/ctf.h"

static struct kernel *kernel_merge_kernel_of(const struct export *export)
{
	return &((struct ctf *)export->state)->kernel;
}

/* --- tasks ---------------------------------------------------------------------------------------------- */

struct task_text {
	char text[32];
};

static struct kernel_task task_of(
	struct kernel *kernel, struct kernel_core *core, uint32_t task, struct task_text *text)
{
	const struct rst_entity *entity;
	struct kernel_thread *thread;

	if (task == KERNEL_IDLE) {
		snprintf(text->text, sizeof(text->text), "swapper/%u", core->number);
		return (struct kernel_task){ text->text, strlen(text->text), 0, RST_NO_PRIORITY };
	}
	if (task >= kernel->threads.n) {
		if (!core->unknown_tid)
			core->unknown_tid = kernel_id_next(kernel);
		return (struct kernel_task){ "(unknown)", strlen("(unknown)"), core->unknown_tid,
			RST_NO_PRIORITY };
	}
	thread = kernel_thread(kernel, task);
	entity = &thread->subject.entity;
	if (entity->name)
		return (struct kernel_task){ entity->name, entity->name_bytes, thread->tid,
			thread->priority };
	snprintf(text->text, sizeof(text->text), entity->is_number ? "%llu" : "0x%llx",
		(unsigned long long)entity->id);
	return (struct kernel_task){ text->text, strlen(text->text), thread->tid, thread->priority };
}

/* --- services ------------------------------------------------------------------------------------------- */

static bool service_end(struct export *export, uint16_t core, uint64_t at, struct kernel_thread *thread)
{
	if (!thread->is_in_service)
		return true;
	thread->is_in_service = false;
	return kernel_put_service(export, core, at, thread->type, false, thread->gave_up);
}

/*
 * Without an end in the recording: it lasts until its thread goes on where it may wait, else it takes no
 * time.
 */
static bool service_begin(struct export *export, const struct kernel_call *call, struct kernel_thread *thread)
{
	if (!service_end(export, call->core, call->at, thread) ||
		!kernel_put_service(export, call->core, call->at, call->type, true, false))
		return false;
	thread->is_in_service = true;
	thread->asks = call->asks && !call->has_end;
	thread->has_left = false;
	thread->gave_up = call->gave_up;
	thread->type = call->type;
	return call->asks || call->has_end || service_end(export, call->core, call->at, thread);
}

/* --- what cores do -------------------------------------------------------------------------------------- */

static bool irqs_end(struct export *export, struct kernel_core *core, uint64_t at, unsigned depth)
{
	for (; core->depth > depth; core->depth--)
		if (!kernel_put_irq(export, core->number, at, core->irqs[core->depth - 1], false))
			return false;
	return true;
}

/* An interrupt begins, in that of before or behind it; or that around it goes on. */
static bool irq_run(struct export *export, struct kernel_core *core, const struct kernel_run *run)
{
	unsigned depth = core->depth;

	while (depth && core->irqs[depth - 1] != run->irq)
		depth--;
	if (depth && !(depth == core->depth && core->has_ended))
		return irqs_end(export, core, run->from, depth);
	if (core->depth && (core->has_ended || core->depth == KERNEL_NESTING) &&
		!irqs_end(export, core, run->from, core->depth - 1))
		return false;
	core->irqs[core->depth++] = run->irq;
	return kernel_put_irq(export, core->number, run->from, run->irq, true);
}

static bool core_switch(struct export *export, struct kernel_core *core, const struct kernel_run *run)
{
	struct kernel *kernel = kernel_merge_kernel_of(export);
	struct task_text from_text, to_text;
	const struct kernel_task from = task_of(kernel, core, core->current, &from_text),
				 to = task_of(kernel, core, run->task, &to_text);
	struct kernel_thread *thread =
		core->current < kernel->threads.n ? kernel_thread(kernel, core->current) : NULL;

	if (thread)
		thread->has_left = core->left != KERNEL_RUNNABLE;
	if (!kernel_put_switch(
		    export, core->number, run->from, &from, thread ? core->left : KERNEL_RUNNABLE, &to))
		return false;
	core->current = run->task;
	thread = run->task < kernel->threads.n ? kernel_thread(kernel, run->task) : NULL;
	return !thread || !thread->asks || !thread->has_left ||
	       service_end(export, core->number, run->from, thread);
}

static bool run_emit(struct export *export, struct kernel_core *core, const struct kernel_run *run)
{
	bool is_good;

	if (run->is_interrupt)
		is_good = irq_run(export, core, run);
	else
		is_good = irqs_end(export, core, run->from, 0) &&
			  (core->current == run->task || core_switch(export, core, run));
	if (!run->is_interrupt)
		core->left = run->left;
	core->has_ended = run->has_ended;
	core->end = run->to;
	core->has_begun = true;
	return is_good;
}

/* --- what events do ------------------------------------------------------------------------------------- */

static struct kernel_core *core_known(const struct kernel *kernel, uint16_t number)
{
	return number < kernel->cores_room ? kernel->cores[number] : NULL;
}

static bool runs_now(const struct kernel_core *core, uint32_t task)
{
	return core && (task == KERNEL_NO_THREAD ? core->depth > 0 : core->current == task);
}

static bool wake_emit(struct export *export, const struct kernel_call *call, const struct kernel_task *target)
{
	const struct kernel_thread *thread = kernel_thread(kernel_merge_kernel_of(export), call->other);
	const struct kernel_core *core = core_known(kernel_merge_kernel_of(export), thread->core);
	const int32_t cpu = core && core->has_begun ? thread->core : call->core;

	return kernel_put_wake(export, call->core, call->at, KERNEL_WAKING, target, cpu) &&
	       kernel_put_wake(export, call->core, call->at, KERNEL_WAKEUP, target, cpu);
}

static bool delete_emit(
	struct export *export, const struct kernel_call *call, const struct kernel_task *target)
{
	return kernel_put_task(export, call->core, call->at, KERNEL_EXIT, target) &&
	       kernel_put_task(export, call->core, call->at, KERNEL_FREE, target);
}

static bool create_emit(struct export *export, const struct kernel_call *call, struct kernel_core *core,
	const struct kernel_task *target)
{
	struct task_text text;
	const struct kernel_task parent = task_of(kernel_merge_kernel_of(export), core,
		call->task == KERNEL_NO_THREAD ? KERNEL_IDLE : call->task, &text);

	return kernel_put_fork(export, call->core, call->at, &parent, target);
}

/*
 * Writes an action of a thread only if the thread runs on that core: otherwise readers would attribute it to
 * another thread.
 */
static bool own_emit(struct export *export, const struct kernel_call *call, const struct kernel_core *core)
{
	struct kernel *kernel = kernel_merge_kernel_of(export);
	struct kernel_thread *thread = kernel_thread(kernel, call->task);

	if (!runs_now(core, call->task) || core->depth) {
		kernel->n_elsewhere += call->what == KERNEL_WHAT_SERVICE;
		return true;
	}
	if (call->what == KERNEL_WHAT_SERVICE)
		return service_begin(export, call, thread);
	thread->gave_up |= call->gave_up;
	return thread->asks || service_end(export, call->core, call->at, thread);
}

static bool call_emit(struct export *export, const struct kernel_call *call)
{
	struct kernel *kernel = kernel_merge_kernel_of(export);
	struct kernel_core *core = core_known(kernel, call->core);
	struct kernel_core none = { .number = call->core };
	struct task_text text;
	struct kernel_task target = { .name = "" };

	if (call->task < kernel->threads.n && call->priority != RST_NO_PRIORITY)
		kernel_thread(kernel, call->task)->priority = call->priority;
	if (call->other < kernel->threads.n)
		target = task_of(kernel, core ? core : &none, call->other, &text);
	switch ((enum kernel_what)call->what) {
	case KERNEL_WHAT_SERVICE:
	case KERNEL_WHAT_END:
		return call->task >= kernel->threads.n || own_emit(export, call, core);
	case KERNEL_WHAT_WAKE:
		return wake_emit(export, call, &target);
	case KERNEL_WHAT_CREATE:
		return create_emit(export, call, core ? core : &none, &target);
	case KERNEL_WHAT_DELETE:
		return delete_emit(export, call, &target);
	case KERNEL_WHAT_LOSS:
		return kernel_put_loss(export, call->core, call->at, call->number);
	case KERNEL_WHAT_PRIORITY:
		if (call->number <= INT16_MAX)
			kernel_thread(kernel, call->other)->priority = (int16_t)call->number;
	}
	return true;
}

/* --- the merge ------------------------------------------------------------------------------------------ */

/*
 * Finds the core whose next interval begins first; if several begin at the same time, the core of the call.
 */
static struct kernel_core *core_next(
	struct export *export, const struct kernel_call *call, const struct kernel_run **ret_run)
{
	const struct kernel *kernel = kernel_merge_kernel_of(export);
	struct kernel_core *first = NULL;

	*ret_run = NULL;
	for (size_t i = 0; i < kernel->n_cores; i++) {
		struct kernel_core *core = kernel->cores[i];
		const struct kernel_run *run = core ? spool_peek(export, &core->runs) : NULL;

		if (!run || (*ret_run && (run->from > (*ret_run)->from ||
						 (run->from == (*ret_run)->from &&
							 !(call && core->number == call->core)))))
			continue;
		first = core;
		*ret_run = run;
	}
	return first;
}

static bool call_is_next(
	const struct kernel_call *call, const struct kernel_core *core, const struct kernel_run *run)
{
	if (!call || !run || call->at != run->from)
		return call && (!run || call->at < run->from);
	return core->number != call->core || runs_now(core, call->task);
}

/* Extends the last packets to the end of the recording. */
static void streams_end(struct export *export)
{
	const struct kernel *kernel = kernel_merge_kernel_of(export);
	struct ctf *ctf = export->state;

	for (size_t i = 0; i < kernel->n_cores && i < CTF_STREAMS_MAX; i++) {
		struct ctf_stream *stream = &ctf->streams[i];
		const uint64_t end = kernel->cores[i] ? ctf_ticks(export, kernel->cores[i]->end) : 0;

		if (stream->is_used && end > stream->end)
			stream->end = end;
	}
	for (size_t i = 0; i <= CTF_STREAMS_MAX; i++)
		ctf_packet_end(export, &ctf->streams[i]);
}

bool kernel_merge(struct export *export)
{
	struct kernel *kernel = kernel_merge_kernel_of(export);
	const struct kernel_call *call;
	const struct kernel_run *run;
	struct kernel_core *core;
	bool is_good = kernel_ids(kernel);

	while (is_good && export->status == RST_OK) {
		call = kernel->calls.n ? spool_peek(export, &kernel->calls) : NULL;
		core = core_next(export, call, &run);
		if (export->status < 0 || (!call && !core))
			break;
		if (call_is_next(call, core, run)) {
			is_good = call_emit(export, call);
			spool_take(&kernel->calls);
		} else {
			is_good = run_emit(export, core, run);
			spool_take(&core->runs);
		}
	}
	if (export->status == RST_OK)
		streams_end(export);
	return is_good;
}
