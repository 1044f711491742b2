/* SPDX-License-Identifier: MIT */
/*
 * Makes rows of events. TASK_ACTIVATE shows the task that runs on a core, and ISR_BEGIN the interrupts that
 * began since. No event ends the outermost interrupt: the next TASK_ACTIVATE does.
 */
#include <string.h>

#include "dialect/percepio/percepio.h"

enum { COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH };

void percepio_forget(struct percepio_core *core)
{
	core->has_task = false;
	core->is_idle = core->is_asking = false;
	core->n_interrupts = 0;
	core->fresh_mutex = 0;
}

static const struct rst_context *task_context(
	struct percepio *percepio, struct model *model, const struct percepio_core *core)
{
	if (!core->has_task)
		return model->unknown;
	if (core->task == PERCEPIO_STARTUP)
		return contexts_special(&model->contexts, &model->arena, RST_CONTEXT_INIT, 0);
	if (core->is_idle)
		return contexts_special(&model->contexts, &model->arena, RST_CONTEXT_IDLE, 0);
	return contexts_thread(&model->contexts, &model->objects, &model->arena, core->task, percepio->seq);
}

static const struct rst_context *row_context(struct percepio *percepio, struct model *model,
	const struct percepio_core *core, const struct rst_context **ret_interrupted)
{
	const struct rst_context *task = task_context(percepio, model, core);

	*ret_interrupted = core->n_interrupts ? task : NULL;
	if (!task || !core->n_interrupts)
		return task;
	return contexts_isr(&model->contexts, &model->arena, core->interrupts[core->n_interrupts - 1]);
}

/* --- what an event changes in the reader ---------------------------------------------------------------- */

static void before_row(
	struct percepio *percepio, struct percepio_core *core, const struct percepio_event *event)
{
	const enum percepio_role role = percepio->role_of[event->id];

	if (role == PERCEPIO_ISR_BEGIN && event->n_words && core->n_interrupts < PERCEPIO_NESTING)
		core->interrupts[core->n_interrupts++] = percepio_word(&percepio->header, event, 0);
	if (role == PERCEPIO_START)
		core->has_task = false;
}

static void take_start(struct percepio *percepio, const struct percepio_event *event)
{
	for (unsigned i = 0; i < event->n_words && i < PERCEPIO_CORES; i++) {
		percepio->cores[i].has_task = true;
		percepio->cores[i].n_interrupts = 0;
		percepio->cores[i].is_asking = false;
		percepio->cores[i].task = percepio_word(&percepio->header, event, i);
		percepio->cores[i].is_idle = percepio_is_idle(percepio, percepio->cores[i].task);
	}
}

/* An interrupt ends with the same task; then the task still waits for what it has asked for. */
static void take_task(struct percepio *percepio, struct percepio_core *core, uint64_t task)
{
	if (!core->has_task || core->task != task)
		core->is_asking = false;
	core->has_task = true;
	core->n_interrupts = 0;
	core->task = task;
	core->is_idle = percepio_is_idle(percepio, task);
}

/* A task may be made ready before it has left its core. */
static void take_ready(struct percepio *percepio, uint64_t task)
{
	for (unsigned i = 0; i < percepio->header.n_cores; i++)
		if (percepio->cores[i].task == task)
			percepio->cores[i].is_asking = false;
}

static void take_call(
	const struct percepio *percepio, struct percepio_core *core, const struct percepio_event *event)
{
	const enum percepio_call call = percepio->call_of[event->id];
	const bool is_of_other =
		percepio->role_of[event->id] == PERCEPIO_SUSPEND &&
		(!event->n_words || percepio_word(&percepio->header, event, 0) != core->task);

	if (core->has_task && !core->n_interrupts && call != PERCEPIO_NO_CALL && !is_of_other)
		core->is_asking = call == PERCEPIO_ASKS;
}

static void after_row(
	struct percepio *percepio, struct percepio_core *core, const struct percepio_event *event)
{
	const enum percepio_role role = percepio->role_of[event->id];

	if (role == PERCEPIO_START)
		take_start(percepio, event);
	if (role == PERCEPIO_ISR_RESUME && core->n_interrupts)
		core->n_interrupts--;
	if (role == PERCEPIO_ACTIVATE && event->n_words)
		take_task(percepio, core, percepio_word(&percepio->header, event, 0));
	if (role == PERCEPIO_READY && event->n_words)
		take_ready(percepio, percepio_word(&percepio->header, event, 0));
	take_call(percepio, core, event);
	if (role == PERCEPIO_MUTEX_CREATE && event->n_words)
		core->fresh_mutex = percepio_word(&percepio->header, event, 0);
	else if (role != PERCEPIO_NAME)
		core->fresh_mutex = 0;
}

static unsigned row_variant(
	const struct percepio *percepio, const struct percepio_core *core, const struct percepio_event *event)
{
	const enum percepio_role role = percepio->role_of[event->id];
	uint64_t object;
	unsigned variant = 0;

	if (!event->n_words)
		return 0;
	object = percepio_word(&percepio->header, event, 0);
	if (role == PERCEPIO_MUTEX_GIVE)
		return core->fresh_mutex && object == core->fresh_mutex ? PERCEPIO_IS_FIRST_GIVE : 0;
	if (role == PERCEPIO_ACTIVATE) {
		variant = core->n_interrupts;
		if (core->is_asking && core->task != object)
			variant |= PERCEPIO_LEAVES_WAITING;
	}
	if (percepio_first_kind(percepio, event->id) == RST_OBJECT_THREAD &&
		percepio_is_idle(percepio, object))
		variant |= PERCEPIO_IS_OF_IDLE;
	return variant;
}

static bool take_names(struct percepio *percepio, struct model *model, const struct percepio_event *event)
{
	const struct percepio_header *header = &percepio->header;
	const enum percepio_role role = percepio->role_of[event->id];
	const enum rst_object_kind kind = percepio_first_kind(percepio, event->id);
	const unsigned n_front = role == PERCEPIO_NAME_ISR ? 2 : 1;
	const size_t n_text =
		event->n_words > n_front ? (size_t)(event->n_words - n_front) * header->word : 0;
	const uint8_t *text = event->words + (size_t)n_front * header->word;
	uint64_t id;

	if (!event->n_words)
		return true;
	id = percepio_word(header, event, 0);
	if (role == PERCEPIO_NAME)
		return percepio_name_set(percepio, model, id, text, n_text);
	if (role == PERCEPIO_NAME_ISR)
		return percepio_name_isr(percepio, model, id, text, n_text);
	if (kind == RST_OBJECT_UNKNOWN || id == 0 || (kind == RST_OBJECT_THREAD && id == PERCEPIO_STARTUP))
		return true;
	return percepio_object_met(
		percepio, model, id, kind, role == PERCEPIO_CREATE || role == PERCEPIO_MUTEX_CREATE);
}

bool percepio_add_row(struct percepio *percepio, struct model *model, struct batch *batch,
	const struct percepio_event *event)
{
	struct percepio_core *core = &percepio->cores[event->core];
	const struct rst_context *context, *interrupted;
	const struct rst_layout *layout;
	size_t row;

	if (!take_names(percepio, model, event))
		return false;
	layout = percepio_layout(percepio, model, event, row_variant(percepio, core, event));
	before_row(percepio, core, event);
	context = row_context(percepio, model, core, &interrupted);
	if (!layout || !context)
		return false;
	row = batch_row(batch, COLUMNS,
		&(struct batch_row){
			.ticks = clock_ticks(&percepio->clock, event->stamp),
			.stamp = event->stamp,
			.seq = percepio->seq++,
			.layout = layout,
			.context = context,
			.payload = event->words,
			.n_payload = (size_t)event->n_words * percepio->header.word,
		});
	batch->core[row] = (uint16_t)event->core;
	batch->interrupted[row] = interrupted;
	batch->depth[row] = (uint8_t)core->n_interrupts;
	after_row(percepio, core, event);
	if (percepio->role_of[event->id] == PERCEPIO_DELETE && event->n_words)
		percepio_object_gone(percepio, percepio_word(&percepio->header, event, 0));
	return true;
}
