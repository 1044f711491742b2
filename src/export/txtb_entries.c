/* SPDX-License-Identifier: MIT */
#include "export/txtb.h"

/* Backward steps that readers of 32 bits accept as such; larger ones would look like a whole wrap. */
enum { STEP_BACK_MAX = 1 << 23 };

/* --- the ring ------------------------------------------------------------------------------------------- */

static bool entry_add(struct export *export, const struct txtb_entry *entry)
{
	struct txtb *txtb = export->state;

	if (txtb->entries.n == TXTB_ENTRIES_MAX) {
		txtb->n_left_out++;
		return true;
	}
	txtb->entries.record_bytes = sizeof(*entry);
	return spool_put(export, &txtb->entries, entry);
}

static uint64_t ticks_fit(struct txtb *txtb, uint64_t ticks)
{
	if (!txtb->has_first) {
		txtb->has_first = true;
		txtb->lowest = txtb->last = ticks;
	}
	if (ticks < txtb->last && txtb->last - ticks > STEP_BACK_MAX)
		ticks = txtb->last;
	if (ticks < txtb->lowest)
		txtb->lowest = ticks;
	if (ticks > txtb->last && ticks - txtb->last > txtb->longest)
		txtb->longest = ticks - txtb->last;
	return txtb->last = ticks;
}

bool txtb_put(struct export *export, uint16_t core, uint64_t ticks, uint64_t thread, uint64_t priority,
	uint32_t id, const uint64_t info[4])
{
	const struct txtb_entry entry = { .ticks = ticks_fit(export->state, ticks),
		.words = {
			thread, priority, (uint32_t)core << 24 | id, info[0], info[1], info[2], info[3] } };

	return entry_add(export, &entry);
}

/* Readers do not see empty slots before the first event and after the last one. */
bool txtb_put_empty(struct export *export, uint64_t n_events)
{
	struct txtb *txtb = export->state;
	const struct txtb_entry empty = { .ticks = txtb->last };
	uint64_t n = n_events ? n_events : 1;

	if (!txtb->has_first || n > TXTB_EMPTY_MAX) {
		txtb->n_empty_left_out += txtb->has_first ? n - TXTB_EMPTY_MAX : n;
		n = txtb->has_first ? TXTB_EMPTY_MAX : 0;
	}
	for (; n; n--)
		if (!entry_add(export, &empty))
			return false;
	for (size_t i = 0; i < TXTB_CORES; i++) {
		txtb->cores[i].runs = TXTB_ANYTHING;
		txtb->cores[i].has_suspended = false;
		txtb->cores[i].depth = 0;
	}
	return true;
}

/* --- contexts ------------------------------------------------------------------------------------------- */

static uint64_t priority_word(const struct rst_batch *batch, size_t row)
{
	const int priority = rst_batch_priority(batch, row), threshold = rst_batch_threshold(batch, row);
	const uint64_t word = priority > 0 ? (uint64_t)priority & 0x3ff : 0;

	return threshold < 0 ? word : word | 1U << 31 | ((uint64_t)threshold & 0x3ff) << 16;
}

/*
 * Sets the interrupted thread, as the recording has it, or else the running thread. Returns false if memory
 * ran out.
 */
static bool interrupted_word(struct txtb_row *row)
{
	const struct rst_context *context = rst_batch_interrupted(row->batch, row->row);
	const struct txtb_thing *thing;
	struct rst_entity entity;

	row->priority = row->core->runs == TXTB_THREAD ? row->core->thread : 0;
	if (!context || context->kind != RST_CONTEXT_THREAD)
		return true;
	entity = rst_entity_of_context(context);
	thing = txtb_thing_of(row->export, &entity, txtb_type_of(RST_OBJECT_THREAD));
	row->priority = thing ? thing->address : 0;
	return thing;
}

/* The words of its context; a thread that makes an event runs, whether a switch is recorded or not. */
bool txtb_row_begin(struct txtb_row *row)
{
	const struct rst_context *context = row->batch->context[row->row];
	const struct txtb_thing *thing;
	struct rst_entity entity;

	row->priority = 0;
	if (context && context->kind == RST_CONTEXT_INIT) {
		row->thread = TXTB_INIT;
		return true;
	}
	if (context && (context->kind == RST_CONTEXT_ISR || context->kind == RST_CONTEXT_IDLE)) {
		row->thread = TXTB_ISR;
		return context->kind == RST_CONTEXT_IDLE || interrupted_word(row);
	}
	if (!context || context->kind == RST_CONTEXT_UNKNOWN) {
		row->thread =
			row->core->runs == TXTB_THREAD && rst_trace_metadata(row->export->trace)->has_switches
				? row->core->thread
				: txtb_unknown(row->export, row->number);
		return row->thread;
	}
	entity = rst_entity_of_context(context);
	thing = txtb_thing_of(row->export, &entity, txtb_type_of(RST_OBJECT_THREAD));
	row->thread = thing ? thing->address : 0;
	row->priority = priority_word(row->batch, row->row);
	return thing;
}

/* --- events as they are --------------------------------------------------------------------------------- */

static uint64_t native_thread(const struct rst_context *context)
{
	return context->kind == RST_CONTEXT_ISR	   ? TXTB_ISR
	       : context->kind == RST_CONTEXT_INIT ? TXTB_INIT
						   : context->id;
}

static uint64_t native_priority(const struct rst_batch *batch, size_t row)
{
	const struct rst_context *interrupted = rst_batch_interrupted(batch, row);

	if (batch->context[row]->kind == RST_CONTEXT_THREAD)
		return priority_word(batch, row);
	return interrupted && interrupted->kind == RST_CONTEXT_THREAD ? interrupted->id : 0;
}

bool txtb_native(struct export *export, const struct rst_batch *batch, size_t row, uint16_t id)
{
	const struct rst_layout *layout = batch->layout[row];
	uint64_t info[4];

	for (unsigned i = 0; i < 4; i++)
		info[i] =
			rst_field_number(&layout->fields[i], batch->payload[row], batch->payload_bytes[row]);
	return txtb_put(export, rst_batch_core(batch, row) & 0xff, batch->ticks[row],
		native_thread(batch->context[row]), native_priority(batch, row), id, info);
}

/* --- user events ---------------------------------------------------------------------------------------- */

/* Whether the value is known from its lower 32 bits. */
static bool txtb_entries_fits(const struct rst_field *field, uint64_t value)
{
	return value <= UINT32_MAX ||
	       (field->type == RST_SIGNED && (int64_t)value >= INT32_MIN && (int64_t)value < 0);
}

bool txtb_user(struct txtb_row *row, struct txtb_layout *layout)
{
	const struct rst_layout *from = row->batch->layout[row->row];
	const uint8_t *payload = row->batch->payload[row->row];
	const size_t payload_bytes = row->batch->payload_bytes[row->row];
	uint64_t info[4] = { 0 };
	unsigned n = 0;
	bool is_whole = true;

	for (unsigned i = 0; i < from->n_fields; i++) {
		const struct rst_field *field = &from->fields[i];

		if (field->is_spare || !rst_field_is_there(field, payload_bytes))
			continue;
		if (n == 4 || !rst_field_is_number(field) || field->type == RST_REAL) {
			is_whole = false;
			continue;
		}
		info[n] = rst_field_number(field, payload, payload_bytes);
		is_whole &= txtb_entries_fits(field, info[n++]);
	}
	layout->n_partial += !is_whole;
	return txtb_put(row->export, row->number, row->at, row->thread, row->priority, layout->id, info);
}
