/* SPDX-License-Identifier: MIT */
/*
 * Packets to rows. No packet names its task: an event belongs to the innermost interrupt that is open, else
 * to the task of the last TASK_START_EXEC, else to the idle core, else nothing is known.
 *
 * OVERFLOW has a count that is never reset and leaves out the first event of each row of lost ones. So one
 * more than its distance from the count before is lost here. Behind a loss nothing is known of tasks and
 * interrupts.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "dialect/systemview/systemview.h"

enum { SLOT_BYTES = 8, INTERRUPTS_MAX = 4096, ROWS_AT_ONCE = 3, GAPS_AT_ONCE = 2 };

static bool has_room(const struct batch *batch)
{
	return batch->n_events + ROWS_AT_ONCE <= RST_BATCH_EVENTS &&
	       batch->n_gaps + GAPS_AT_ONCE <= BATCH_GAPS;
}

uint64_t sv_next_ticks(const struct sv_stream *stream)
{
	if (stream->next != SV_NEXT_PACKET || !stream->has_started)
		return stream->ticks;
	return stream->ticks + stream->packet.delta;
}

/* --- contexts ------------------------------------------------------------------------------------------ */

static const struct rst_context *context_of_task(struct sv *sv, struct model *model, uint64_t task)
{
	bool has_memory;

	if (model->contexts.n_all >= SV_TASKS_MAX && !model_keeps_thread(model, task, &has_memory))
		return has_memory ? model->unknown : NULL;
	return contexts_thread(&model->contexts, &model->objects, &model->arena, task, sv->seq);
}

static const struct rst_context *interrupt_context(struct model *model, uint32_t number)
{
	return number < INTERRUPTS_MAX
		       ? contexts_isr(&model->contexts, &model->arena, number)
		       : contexts_special(&model->contexts, &model->arena, RST_CONTEXT_ISR, 0);
}

static const struct rst_context *row_context(struct sv *sv, struct model *model, const struct sv_core *core,
	const struct rst_context **ret_interrupted)
{
	const struct rst_context *below = model->unknown;

	if (core->runs == SV_RUNS_TASK)
		below = context_of_task(sv, model, core->task);
	else if (core->runs == SV_RUNS_IDLE)
		below = contexts_special(&model->contexts, &model->arena, RST_CONTEXT_IDLE, 0);
	*ret_interrupted = core->n_interrupts ? below : NULL;
	if (!below || !core->n_interrupts)
		return below;
	return interrupt_context(model, core->interrupts[core->n_interrupts - 1]);
}

/* --- payloads ------------------------------------------------------------------------------------------ */

struct payload {
	uint8_t *bytes;
	size_t n_bytes; /* slots, and what lies behind them */
	uint64_t first; /* the number in the first field */
};

static void slot_store(uint8_t *slot, uint64_t number)
{
	const uint64_t bytes = htole64(number);

	memcpy(slot, &bytes, sizeof(bytes));
}

static void span_store(uint8_t *slot, size_t at, size_t n)
{
	slot_store(slot, (uint64_t)n << 32 | at);
}

static uint64_t field_value(const struct sv *sv, const struct model *model, const struct sv_field *field,
	uint64_t number, bool is_whole)
{
	switch (field->type) {
	case SV_SIGNED:
		return (uint64_t)(int64_t)(int32_t)number;
	case SV_SIZE:
		return number << sv->shift;
	case SV_TASK:
		if (is_whole &&
			!objects_latest(&model->objects, 0, sv_whole_id(sv, number), RST_OBJECT_THREAD))
			return number;
		return sv_whole_id(sv, number);
	case SV_ADDRESS:
	case SV_OBJECT:
	case SV_HANDLE:
		return is_whole ? number : sv_whole_id(sv, number);
	default:
		return number;
	}
}

static bool take_rest(struct payload *to, uint8_t *slot, const uint8_t **at, const uint8_t *end)
{
	const size_t from = to->n_bytes;
	uint64_t number;
	size_t n = 0;

	while (*at < end && n < SV_ARGS_MAX) {
		if (!sv_number(at, end, 10, &number))
			return false;
		slot_store(to->bytes + to->n_bytes, number);
		to->n_bytes += SLOT_BYTES;
		n++;
	}
	span_store(slot, from, n);
	return true;
}

static bool take_text(struct payload *to, uint8_t *slot, const uint8_t **at, const uint8_t *end)
{
	struct text text;

	if (!sv_text(at, end, &text))
		return false;
	memcpy(to->bytes + to->n_bytes, text.bytes, text.n_bytes);
	span_store(slot, to->n_bytes, text.n_bytes);
	to->n_bytes += text.n_bytes;
	return true;
}

/* Fills the slots. Fields that lack at the end become 0, if they may. */
static bool fill_slots(struct payload *to, const struct sv *sv, const struct model *model,
	const struct sv_shape *shape, const struct sv_packet *packet)
{
	const uint8_t *at = packet->payload, *end = at + packet->n_payload;
	const bool is_whole = packet->id >= SV_ID_OWN && sv->set && sv->set->has_whole_addresses;
	const bool may_lack = packet->id >= SV_ID_LENGTHS && packet->id < SV_ID_OWN;

	to->n_bytes = SLOT_BYTES * shape->n_fields;
	memset(to->bytes, 0, to->n_bytes);
	for (unsigned i = 0; i < shape->n_fields; i++) {
		const struct sv_field *field = &shape->fields[i];
		uint8_t *slot = to->bytes + SLOT_BYTES * i;
		uint64_t number, high;

		if (at == end && field->type != SV_REST) {
			if (!may_lack)
				return false;
			if (field->type == SV_TEXT)
				span_store(slot, to->n_bytes, 0);
			continue;
		}
		if (field->type == SV_TEXT || field->type == SV_REST) {
			if (!(field->type == SV_TEXT ? take_text : take_rest)(to, slot, &at, end))
				return false;
			continue;
		}
		if (!sv_number(&at, end, 10, &number))
			return false;
		if (field->type == SV_LOW_HIGH) {
			if (!sv_number(&at, end, 5, &high))
				return false;
			number |= high << 32;
		}
		number = field_value(sv, model, field, number, is_whole);
		if (i == 0)
			to->first = number;
		slot_store(slot, number);
	}
	return true;
}

/* All bytes of a payload that has no other form. */
static void fill_bytes(struct payload *to, const struct sv_packet *packet)
{
	memcpy(to->bytes + SLOT_BYTES, packet->payload, packet->n_payload);
	span_store(to->bytes, SLOT_BYTES, packet->n_payload);
	to->n_bytes = SLOT_BYTES + packet->n_payload;
}

/* --- rows ---------------------------------------------------------------------------------------------- */

/* Finds the layout that fits the payload, and fills it. */
static enum sv_step make_payload(struct payload *payload, const struct sv_shape **ret_shape, struct sv *sv,
	struct model *model, struct batch *batch, const struct sv_packet *packet, struct sv_plan *plan)
{
	const size_t n_args = packet->n_payload < SV_ARGS_MAX ? packet->n_payload : SV_ARGS_MAX;
	const struct sv_shape *shape = sv_shape(sv, model, packet->id, plan);

	payload->bytes = batch_scratch(batch, SLOT_BYTES * (SV_FIELDS_MAX + n_args) + packet->n_payload);
	if (!payload->bytes)
		return SV_NO_ROOM;
	if (shape && !fill_slots(payload, sv, model, shape, packet)) {
		*plan = (struct sv_plan){ .ex = plan->ex, .variant = SV_VARIANT_ARGS };
		shape = sv_shape(sv, model, packet->id, plan);
		if (shape && !fill_slots(payload, sv, model, shape, packet)) {
			plan->variant = SV_VARIANT_BYTES;
			shape = sv_shape(sv, model, packet->id, plan);
			fill_bytes(payload, packet);
		}
	}
	*ret_shape = shape;
	return shape ? SV_DONE : SV_NO_MEMORY;
}

static bool warn_exits(
	struct sv *sv, struct model *model, const struct sv_packet *packet, const struct sv_core *core)
{
	if (sv->has_missed_exits || !core->n_interrupts || packet->id != SV_START_EXEC)
		return true;
	sv->has_missed_exits = true;
	return model_warn(model,
		"tasks run while interrupts are open: ends of interrupts are not recorded, so an "
		"interrupt ends where a task runs");
}

static enum sv_step add_row(
	struct sv *sv, struct model *model, struct batch *batch, struct sv_stream *stream, bool is_shared)
{
	const struct sv_packet *packet = &stream->packet;
	const struct rst_context *context, *interrupted = NULL;
	struct sv_core *core = &stream->core;
	const struct sv_shape *shape;
	struct payload payload = { 0 };
	struct sv_plan plan;
	enum sv_step step;
	size_t row;

	if (!sv_plan_make(&plan, sv, model, packet, stream))
		return SV_NO_MEMORY;
	step = make_payload(&payload, &shape, sv, model, batch, packet, &plan);
	if (step != SV_DONE)
		return step;
	if (!warn_exits(sv, model, packet, core))
		return SV_NO_MEMORY;
	sv_core_before(core, packet);
	context = is_shared ? model->unknown : row_context(sv, model, core, &interrupted);
	if (!context)
		return SV_NO_MEMORY;
	if (plan.ended && plan.variant & SV_VARIANT_OBJECT)
		slot_store(payload.bytes + SLOT_BYTES * 2, plan.object);
	row = batch_row(batch, SV_COLUMNS,
		&(struct batch_row){
			.ticks = stream->ticks,
			.stamp = stream->ticks,
			.seq = sv->seq++,
			.layout = shape->layout,
			.context = context,
			.payload = payload.bytes,
			.n_payload = payload.n_bytes,
		});
	batch->core[row] = is_shared ? RST_NO_CORE : stream->number;
	batch->interrupted[row] = interrupted;
	batch->depth[row] = is_shared ? 0 : core->n_interrupts;
	stream->has_rows = true;
	return sv_core_after(sv, model, core, packet, &plan, payload.first) ? SV_DONE : SV_NO_MEMORY;
}

static enum sv_step take_loss(
	struct sv *sv, struct model *model, struct batch *batch, struct sv_stream *stream)
{
	const uint32_t count = (uint32_t)sv_first_number(&stream->packet);
	struct rst_gap gap = { .marker = RST_LOSS,
		.n_events = (uint64_t)count + 1,
		.offset = stream->offset + (uint64_t)(stream->at - stream->start),
		.what = "the recorder's buffer was full",
		.source = stream->source };

	if (stream->has_overflow && count >= stream->overflow)
		gap.n_events = (uint64_t)(count - stream->overflow) + 1;
	else if (!stream->has_overflow && !stream->begins_target)
		gap.n_events = 0;
	stream->has_overflow = true;
	stream->overflow = count;
	sv_forget(sv);
	return model_put_gap(model, batch, &gap) ? SV_DONE : SV_NO_MEMORY;
}

static enum sv_step take_damage(
	struct sv *sv, struct model *model, struct batch *batch, struct sv_stream *stream)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = stream->offset + (uint64_t)(stream->at - stream->start) - stream->n_damaged,
		.n_bytes = stream->n_damaged,
		.what = stream->what,
		.source = stream->source };

	stream->next = SV_NEXT_UNKNOWN;
	sv_forget(sv);
	return model_put_gap(model, batch, &gap) ? SV_DONE : SV_NO_MEMORY;
}

/* A recording that starts anew. */
static bool begin_run(struct sv *sv, struct model *model, struct batch *batch, struct sv_stream *stream)
{
	const uint64_t begin = model_run_begin(model, batch);

	sv_forget(sv);
	if (stream->ticks < begin)
		stream->ticks = begin;
	return model_put_run(model, batch, stream->source,
		stream->offset + (uint64_t)(stream->at - stream->start), "the recording was started again");
}

enum sv_step sv_take(
	struct sv *sv, struct model *model, struct batch *batch, struct sv_stream *stream, bool is_shared)
{
	const struct sv_packet *packet = &stream->packet;
	const uint64_t ticks = stream->ticks;
	enum sv_step step;

	if (!has_room(batch))
		return SV_NO_ROOM;
	if (stream->next == SV_NEXT_DAMAGE)
		return take_damage(sv, model, batch, stream);
	stream->ticks = sv_next_ticks(stream);
	if (packet->id == SV_OVERFLOW) {
		step = take_loss(sv, model, batch, stream);
	} else {
		if (packet->id == SV_TRACE_START && stream->has_rows) {
			if (!begin_run(sv, model, batch, stream))
				return SV_NO_MEMORY;
			stream->has_rows =
				false; /* if there is no room for the row, the run has begun all the same */
		}
		step = add_row(sv, model, batch, stream, is_shared);
	}
	if (step == SV_NO_ROOM) {
		stream->ticks = ticks;
		return step;
	}
	stream->begins_target |= !stream->has_started && packet->id == SV_TRACE_START;
	stream->has_started = true;
	stream->at += packet->n_bytes;
	stream->next = SV_NEXT_UNKNOWN;
	return step;
}
