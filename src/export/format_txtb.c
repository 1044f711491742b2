/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "dialect/dialect.h"
#include "export/txtb.h"

/* --- which events are ThreadX's ------------------------------------------------------------------------- */

static bool has_words(const struct rst_layout *layout)
{
	const uint32_t word = layout->n_fields == 4 ? layout->fields[0].n_bytes : 0;

	for (unsigned i = 0; i < layout->n_fields; i++)
		if (layout->fields[i].n_bytes != word || layout->fields[i].offset != i * word)
			return false;
	return word == 4 || word == 8;
}

/* All events of ThreadX, with their ids. Returns false if memory ran out. */
static bool vocabulary_load(struct txtb *txtb)
{
	const struct dialect *dialect = dialect_find("threadx");

	if (txtb->has_vocabulary)
		return true;
	txtb->has_vocabulary = model_init(&txtb->vocabulary);
	return txtb->has_vocabulary && dialect->catalogue(&txtb->vocabulary);
}

/* Finds the id of a name. For events that have only numbers, NAME+0 stands for all of NAME+…. */
static bool id_of_name(const struct txtb *txtb, const char *name, uint16_t *ret_id)
{
	for (size_t i = 0; i < txtb->vocabulary.n_layouts; i++) {
		const struct rst_type *type = txtb->vocabulary.layouts[i]->type;
		const char *plus = strrchr(type->name, '+');
		const size_t n = plus ? (size_t)(plus - type->name) + 1 : 0;
		const unsigned long number =
			n && strncmp(type->name, name, n) == 0 ? strtoul(name + n, NULL, 10) : TXTB_USER_END;

		*ret_id = (uint16_t)(type->id + (number < TXTB_USER_END ? number : 0));
		if (type->marker == RST_EVENT &&
			(strcmp(type->name, name) == 0 || number + type->id < TXTB_USER_END))
			return true;
	}
	return false;
}

static struct txtb_layout *layout_of(struct export *export, const struct rst_layout *layout)
{
	struct txtb *txtb = export->state;
	struct txtb_layout *layouts =
		array_reach(txtb->layouts, &txtb->layouts_room, layout->index, sizeof(*layouts));
	struct txtb_layout *ours;

	if (!layouts || !vocabulary_load(txtb))
		return NULL;
	txtb->layouts = layouts;
	ours = &layouts[layout->index];
	if (ours->is_known)
		return ours;
	ours->is_known = true;
	ours->is_native = has_words(layout) && id_of_name(txtb, layout->type->name, &ours->id);
	/* No table has the names that users gave to their own events. */
	if (!ours->is_native && has_words(layout) &&
		strcmp(rst_trace_metadata(export->trace)->dialect, "threadx") == 0) {
		ours->is_native = true;
		ours->id = (uint16_t)layout->id;
	}
	return ours;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Gives a user event its id at its first use. Returns false if all ids are used. */
static bool has_user_id(struct export *export, struct txtb_layout *layout, const struct rst_type *type)
{
	struct txtb *txtb = export->state;

	if (layout->type)
		return true;
	if (!txtb->next_user)
		txtb->next_user = TXTB_USER_FIRST;
	for (size_t i = 0; i < txtb->layouts_room; i++)
		if (txtb->layouts[i].type == type) {
			layout->type = type;
			layout->id = txtb->layouts[i].id;
			return true;
		}
	if (txtb->next_user == TXTB_USER_END)
		return false;
	layout->type = type;
	layout->id = (uint16_t)txtb->next_user++;
	return true;
}

/* If events may be missing behind this one, writes a slot without an event. */
static bool gap_put(const struct txtb_row *row)
{
	for (size_t i = 0; i < row->n_facts; i++)
		if (row->facts[i]->effect->kind == RST_EFFECT_GAP)
			return txtb_put_empty(row->export, 1);
	return true;
}

static bool row_put(struct txtb_row *row, struct txtb_layout *layout)
{
	struct txtb *txtb = row->export->state;

	if (!txtb_row_begin(row) ||
		!rst_effects_read(
			row->export->trace, row->batch, row->row, UINT64_MAX, &row->facts, &row->n_facts) ||
		!txtb_effects(row))
		return false;
	if (row->has_event)
		return gap_put(row);
	if (!has_user_id(row->export, layout, row->batch->type[row->row])) {
		txtb->n_left_out++;
		return true;
	}
	return txtb_user(row, layout) && gap_put(row);
}

static bool txtb_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct txtb *txtb = context;
	struct export *export = txtb->export;
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	const uint16_t core = rst_batch_core(batch, row) == RST_NO_CORE ? 0 : rst_batch_core(batch, row);
	struct txtb_row one = { .export = export, .batch = batch, .row = row, .at = at, .number = core };
	struct txtb_layout *layout;

	if (gap && gap->marker == RST_RUN)
		return true;
	if (gap)
		return txtb_put_empty(export, gap->marker == RST_LOSS ? gap->n_events : 1);
	if (core >= TXTB_CORES) {
		txtb->n_left_out++;
		return true;
	}
	layout = layout_of(export, batch->layout[row]);
	if (!layout)
		return false;
	txtb->has_native |= layout->is_native;
	if (layout->is_native)
		return txtb_native(export, batch, row, layout->id);
	one.core = &txtb->cores[core];
	return row_put(&one, layout);
}

/* --- the end -------------------------------------------------------------------------------------------- */

static enum rst_status txtb_end(struct export *export, struct rst_error *err)
{
	return txtb_write(export, err);
}

enum { NAMES_MAX = 6 }; /* that a note has */

/* "A, B, C and 4 more"; those that count. Returns how many. */
static size_t put_names(const struct txtb *txtb, bool wants_ids, char *text, size_t room)
{
	size_t n = 0, at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < txtb->layouts_room; i++) {
		const struct txtb_layout *layout = &txtb->layouts[i];

		if (!layout->type || (!wants_ids && !layout->n_partial) || n++ >= NAMES_MAX || at + 64 > room)
			continue;
		at += (size_t)(wants_ids ? snprintf(text + at, room - at, "%s%u is %.40s", n > 1 ? ", " : "",
						   layout->id, layout->type->name)
					 : snprintf(text + at, room - at, "%s%.40s", n > 1 ? ", " : "",
						   layout->type->name));
	}
	if (n > NAMES_MAX)
		snprintf(text + at, room - at, " and %zu more", n - NAMES_MAX);
	return n;
}

static void txtb_explain(const struct export *export, export_note_fn *put_note, void *context)
{
	const struct txtb *txtb = export->state;
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);
	char names[512], text[640];
	uint64_t n_partial = 0;
	size_t n;

	for (size_t i = 0; i < txtb->layouts_room; i++)
		n_partial += txtb->layouts[i].n_partial;
	if (put_names(txtb, true, names, sizeof(names))) {
		snprintf(text, sizeof(text), "user events: %s", names);
		put_note(context, text);
	}
	n = put_names(txtb, false, names, sizeof(names));
	if (n_partial) {
		snprintf(text, sizeof(text), "not expressed: fields of %" PRIu64 " event%s of %zu type%s: %s",
			n_partial, n_partial == 1 ? "" : "s", n, n == 1 ? "" : "s", names);
		put_note(context, text);
	}
	if (txtb->n_left_out || txtb->n_empty_left_out) {
		snprintf(text, sizeof(text), "not expressed: %" PRIu64 " events, %" PRIu64 " lost events",
			txtb->n_left_out, txtb->n_empty_left_out);
		put_note(context, text);
	}
	if (txtb->n_names_cut) {
		snprintf(text, sizeof(text), "%" PRIu64 " name%s cut to %d bytes", txtb->n_names_cut,
			txtb->n_names_cut == 1 ? " is" : "s are", TXTB_NAME_BYTES - 1);
		put_note(context, text);
	}
	if (txtb->divider > 1) {
		snprintf(text, sizeof(text),
			"a time stamp is %" PRIu64 " ticks of the recording, so that 32 bits are enough",
			txtb->divider);
		put_note(context, text);
	}
	if (metadata->clock_hz) {
		snprintf(text, sizeof(text),
			"time stamps count at %" PRIu64 " Hz, which the format has no place for",
			metadata->clock_hz / txtb->divider);
		put_note(context, text);
	}
}

static void txtb_done(void *context)
{
	struct txtb *txtb = context;
	struct export *export = txtb->export;

	spool_done(export, &txtb->entries);
	free(txtb->layouts);
	if (txtb->has_vocabulary)
		model_done(&txtb->vocabulary);
	map_done(&txtb->addresses);
	subjects_done(&txtb->things);
}

static const char *const words[] = { "32", "64", NULL };

static const struct export_option options[] = {
	{ "word", "bits of a word: 32 (default), which TraceX reads; 64 keeps whole addresses", words },
	{ NULL, NULL, NULL },
};

const struct export_format export_format_txtb = {
	.observer = {
		.state_bytes = sizeof(struct txtb),
		.row = txtb_row,
		.done = txtb_done,
	},
	.name = "txtb",
	.extension = ".trx",
	.about = "ThreadX's event trace buffer (TXTB): TraceX",
	.keeps = "threads, switches, wake-ups, interrupts, mutexes, semaphores, queues; losses",
	.leaves = "names of other events, their fields beyond four numbers, frequency, damage",
	.options = options,
	.end = txtb_end,
	.explain = txtb_explain,
};
