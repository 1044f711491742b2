/* SPDX-License-Identifier: MIT */
/*
 * Makes rows of records. A record is an id, the time since the record before, and values; the id's lowest two
 * bits are their number. The running task is known from task switches and interrupts on the same core. After
 * a loss it is not known until the next ones.
 */
#include <endian.h>
#include <string.h>

#include "dialect/compact/compact.h"

/* The event numbers of the table, by constant. */
#define EVENT(number, constant, label, fields, effects) NUMBER_##constant = number,
enum {
#include "dialect/compact/events.def"
};
#undef EVENT

/* Ids that the reader itself handles: the number of the event, and the number of its values. */
enum {
	ID_END = 0,
	ID_CORE = 1,
	ID_LAST_RESERVED = 3,
	ID_TASK_SWITCH = NUMBER_TASK_SWITCH << 2 | 1,
	ID_ISR_ENTER = NUMBER_ISR_ENTER << 2 | 1,
	ID_ISR_EXIT = NUMBER_ISR_EXIT << 2 | 0,
	PAYLOAD_BYTES = COMPACT_VALUES_MAX * 4
};

struct record {
	uint8_t id;
	uint32_t stamp;
	unsigned n_values;
	uint32_t values[COMPACT_VALUES_MAX];
};

void compact_begin(struct compact *compact, const struct compact_block *block)
{
	compact->reading = (struct compact_reading){
		.is_open = true, .block = *block, .stamp = block->stamp, .core = block->core
	};
}

/* --- loss and damage ------------------------------------------------------------------------------------ */

static void forget_contexts(struct compact *compact)
{
	memset(compact->cores, 0, sizeof(compact->cores));
}

/*
 * Reports events that are missing between two blocks: events have numbers, and the recorder states how many
 * it refused.
 */
static bool tell_loss(struct compact *compact, struct model *model, struct batch *batch)
{
	const struct compact_block *block = &compact->reading.block;
	uint32_t n_missing = block->first_event - compact->expected;
	uint32_t n_refused = block->n_lost - compact->n_lost;
	const struct rst_gap gap = { .marker = RST_LOSS,
		.n_events = n_missing,
		.what = n_refused == n_missing ? "the recorder had no room for them"
					       : "their blocks are missing or damaged",
		.source = block->source };

	forget_contexts(compact);
	/*
	 * If the numbers step back, the recorder began anew, and so did its clock: the time between is not
	 * known.
	 */
	if (n_missing > UINT32_MAX / 2) {
		if (!model_put_run(model, batch, block->source, block->offset,
			    "the numbers of events step back: the recorder began anew"))
			return false;
		clock_begin_run(&compact->clock, model_run_begin(model, batch));
		clock_ticks(&compact->clock, block->stamp);
		return model_warn(model, "the target's recorder began anew at byte %llu",
			(unsigned long long)block->offset);
	}
	return model_put_gap(model, batch, &gap);
}

/* Adds details with the number of events before the first one here. */
static bool tell_first(struct model *model, const struct compact_block *block)
{
	return model_detail_number(model, "events_before", block->first_event - block->n_lost) &&
	       model_detail_number(model, "lost_before", block->n_lost);
}

static enum compact_step block_start(struct compact *compact, struct model *model, struct batch *batch)
{
	struct compact_reading *reading = &compact->reading;
	const struct compact_block *block = &reading->block;
	bool is_good = true;

	if (batch_is_full(batch))
		return COMPACT_NO_ROOM;
	if (!compact->has_expected)
		is_good = tell_first(model, block);
	else if (block->first_event != compact->expected)
		is_good = tell_loss(compact, model, batch);
	compact->has_expected = true;
	compact->expected = block->first_event;
	compact->n_lost = block->n_lost;
	reading->has_started = true;
	return is_good ? COMPACT_DONE : COMPACT_NO_MEMORY;
}

/* Reports the rest of a block that is not well formed, though its checksum is right (or missing). */
static enum compact_step tell_damage(struct compact *compact, struct model *model, struct batch *batch)
{
	struct compact_reading *reading = &compact->reading;
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = reading->block.offset + COMPACT_HEAD_BYTES + reading->n_used,
		.n_bytes = reading->block.n_payload - reading->n_used,
		.what = "records of a block that are not well formed",
		.source = reading->block.source };

	reading->is_open = false;
	forget_contexts(compact);
	return model_put_gap(model, batch, &gap) ? COMPACT_DONE : COMPACT_NO_MEMORY;
}

/* --- contexts ------------------------------------------------------------------------------------------- */

static const struct rst_context *task_context(struct compact *compact, struct model *model, uint32_t task)
{
	bool has_memory;

	if (task == 0)
		return contexts_special(&model->contexts, &model->arena, RST_CONTEXT_IDLE, 0);
	if (model->contexts.n_all >= COMPACT_CONTEXTS_MAX && !model_keeps_thread(model, task, &has_memory))
		return has_memory ? model->unknown : NULL;
	return contexts_thread(&model->contexts, &model->objects, &model->arena, task, compact->seq);
}

static const struct rst_context *interrupt_context(struct model *model, uint32_t number)
{
	enum { INTERRUPTS_MAX = 4096 }; /* higher numbers are not kept apart */

	return number < INTERRUPTS_MAX
		       ? contexts_isr(&model->contexts, &model->arena, number)
		       : contexts_special(&model->contexts, &model->arena, RST_CONTEXT_ISR, 0);
}

/* The context, and the one that an interrupt interrupted. NULL when memory ran out. */
static const struct rst_context *row_context(struct compact *compact, struct model *model,
	const struct compact_core *core, const struct rst_context **ret_interrupted)
{
	const struct rst_context *task =
		core->has_task ? task_context(compact, model, core->task) : model->unknown;

	*ret_interrupted = core->n_interrupts ? task : NULL;
	if (!task || !core->n_interrupts)
		return task;
	return interrupt_context(model, core->interrupts[core->n_interrupts - 1]);
}

/*
 * The begin and the end of an interrupt belong to the interrupt. A switch still belongs to the task that
 * leaves.
 */
static void before_row(struct compact_core *core, const struct record *record)
{
	if (record->id == ID_ISR_ENTER && core->n_interrupts < COMPACT_NESTING)
		core->interrupts[core->n_interrupts++] = record->values[0];
}

static void after_row(struct compact_core *core, const struct record *record)
{
	if (record->id == ID_ISR_EXIT && core->n_interrupts)
		core->n_interrupts--;
	if (record->id == ID_TASK_SWITCH) {
		core->has_task = true;
		core->task = record->values[0];
	}
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static void value_store(uint8_t *at, uint32_t value)
{
	const uint32_t bytes = htole32(value);

	memcpy(at, &bytes, sizeof(bytes));
}

/* The batch is not full. */
static enum compact_step add_row(
	struct compact *compact, struct model *model, struct batch *batch, const struct record *record)
{
	struct compact_core *core = &compact->cores[compact->reading.core];
	const struct rst_context *context, *interrupted;
	const struct rst_layout *layout;
	uint8_t *payload;
	size_t row;

	payload = batch_scratch(batch, PAYLOAD_BYTES);
	if (!payload)
		return COMPACT_NO_ROOM;
	for (unsigned i = 0; i < COMPACT_VALUES_MAX; i++)
		value_store(payload + 4 * i, record->values[i]);
	layout = compact_layout(compact, model, record->id);
	if (!layout)
		return COMPACT_NO_MEMORY;
	before_row(core, record);
	context = row_context(compact, model, core, &interrupted);
	if (!context)
		return COMPACT_NO_MEMORY;
	row = batch_row(batch, COMPACT_COLUMNS,
		&(struct batch_row){
			.ticks = clock_ticks(&compact->clock, record->stamp),
			.stamp = record->stamp,
			.seq = compact->seq++,
			.layout = layout,
			.context = context,
			.payload = payload,
			.n_payload = 4 * record->n_values,
		});
	batch->core[row] = (uint16_t)compact->reading.core;
	batch->interrupted[row] = interrupted;
	batch->depth[row] = core->n_interrupts;
	after_row(core, record);
	return COMPACT_DONE;
}

static bool record_load(struct record *ret, const uint8_t **at, const uint8_t *end, uint32_t stamp_before)
{
	uint32_t step;

	*ret = (struct record){ .id = *(*at)++ };
	ret->n_values = ret->id & 3;
	if (!compact_number(at, end, &step))
		return false;
	ret->stamp = stamp_before + step;
	for (unsigned i = 0; i < ret->n_values; i++)
		if (!compact_number(at, end, &ret->values[i]))
			return false;
	return ret->id == ID_CORE ? ret->values[0] < COMPACT_CORES : ret->id > ID_LAST_RESERVED;
}

static enum compact_step take_record(struct compact *compact, struct model *model, struct batch *batch)
{
	struct compact_reading *reading = &compact->reading;
	const uint8_t *payload = reading->block.payload, *at = payload + reading->n_used;
	enum compact_step step = COMPACT_DONE;
	struct record record;

	if (!record_load(&record, &at, payload + reading->block.n_payload, reading->stamp))
		return tell_damage(compact, model, batch);
	if (record.id == ID_CORE)
		reading->core = record.values[0];
	else
		step = add_row(compact, model, batch, &record);
	if (step != COMPACT_DONE)
		return step;
	reading->stamp = record.stamp;
	reading->n_used = (size_t)(at - payload);
	if (record.id != ID_CORE)
		compact->expected++;
	return COMPACT_DONE;
}

/* Only memory has an end mark. */
static bool is_through(const struct compact_reading *reading)
{
	const struct compact_block *block = &reading->block;

	return reading->n_used >= block->n_payload ||
	       (block->kind == COMPACT_RAW && block->payload[reading->n_used] == ID_END);
}

enum compact_step compact_rows(struct compact *compact, struct model *model, struct batch *batch)
{
	struct compact_reading *reading = &compact->reading;
	enum compact_step step = reading->has_started ? COMPACT_DONE : block_start(compact, model, batch);

	/* The row of a loss in front of the block may have filled the batch. */
	while (step == COMPACT_DONE && reading->is_open) {
		const bool is_damaged = reading->core >= COMPACT_CORES;

		if (!is_damaged && is_through(reading))
			reading->is_open = false;
		else if (batch_is_full(batch))
			step = COMPACT_NO_ROOM;
		else if (is_damaged)
			step = tell_damage(compact, model, batch);
		else
			step = take_record(compact, model, batch);
	}
	return step;
}
