/* SPDX-License-Identifier: MIT */
/*
 * The meaning of events: tables of the tracers that are known, zephyr.def and lttng.def. A description tells
 * names and fields of events and not what they do, so a trace of another tracer has no effects. An event of a
 * table is known by its name, and its fields by theirs.
 */
#include <string.h>

#include "dialect/ctf/ctf.h"
#include "dialect/event_table.h"
#include "model/effect.h"

enum { NAME_MAX_FIELD = INT8_MAX };

/* Linux's states of a thread that leaves its core; 0x40 is an end of old kernels, and a wait of new ones. */
CODES(left, { 0xff, 0, RST_STATE_READY, RST_REASON_NONE, RST_DONE },
	{ 0x10, 0x10, RST_STATE_ENDED, RST_REASON_NONE, RST_DONE },
	{ 0x20, 0x20, RST_STATE_ENDED, RST_REASON_NONE, RST_DONE },
	{ 0x80, 0x80, RST_STATE_ENDED, RST_REASON_NONE, RST_DONE },
	{ 0x40, 0x40, RST_STATE_UNKNOWN, RST_REASON_NONE, RST_DONE },
	{ 0x04, 0x04, RST_STATE_WAITING, RST_REASON_SUSPENDED, RST_DONE },
	{ 0, 0, RST_STATE_WAITING, RST_REASON_OTHER, RST_DONE })

#define F1 ARGUMENT(1)
#define F2 ARGUMENT(2)
#define F3 ARGUMENT(3)

#define SEMAPHORE	 .object_kind = RST_OBJECT_SEMAPHORE
#define MUTEX		 .object_kind = RST_OBJECT_MUTEX
#define THREAD(id, name) { RST_OBJECT_THREAD, id, name },
#define NOTHING		 { RST_OBJECT_UNKNOWN, 0, 0 },
#define NAMES(...)          \
	{                   \
		__VA_ARGS__ \
	}

#define EVENT(name, fields, act, names, effects, other) \
	{ #name, fields, CTF_ACT_##act, names, { effects, other } },

static const struct ctf_meaning zephyr_events[] = {
#include "dialect/ctf/zephyr.def"
};

static const struct ctf_meaning lttng_events[] = {
#include "dialect/ctf/lttng.def"
};

static bool has_event(const struct ctf_trace *trace, const char *name)
{
	for (const struct ctf_event *event = trace->events; event; event = event->next)
		if (event->name && strcmp(event->name, name) == 0)
			return true;
	return false;
}

static bool is_zephyr(const struct ctf_trace *trace)
{
	return has_event(trace, "thread_switched_in") && has_event(trace, "isr_exit_to_scheduler");
}

static bool is_lttng_kernel(const struct ctf_trace *trace)
{
	return trace->domain && strcmp(trace->domain, "kernel") == 0;
}

static const struct ctf_tracer tracers[] = {
	{ "zephyr", is_zephyr, zephyr_events, N_ROWS(zephyr_events), false },
	{ "lttng kernel", is_lttng_kernel, lttng_events, N_ROWS(lttng_events), true },
};

const struct ctf_tracer *ctf_tracer_of(const struct ctf_trace *trace)
{
	for (size_t i = 0; i < N_ROWS(tracers); i++)
		if (tracers[i].is_it(trace))
			return &tracers[i];
	return NULL;
}

/*
 * The end of an event's name, which the * of a row stands for. Returns NULL if the row is of another event.
 */
static const char *row_rest(const struct ctf_meaning *row, const char *name)
{
	const size_t n = strlen(row->name);

	if (n && row->name[n - 1] == '*')
		return strncmp(row->name, name, n - 1) == 0 ? name + n - 1 : NULL;
	return strcmp(row->name, name) == 0 ? "" : NULL;
}

/* The field of an event that has the name, and is a number or a text. */
static int8_t find_slot(const struct ctf_event *event, const char *name)
{
	for (unsigned i = 0; i < event->n_columns[CTF_PAYLOAD]; i++) {
		const struct ctf_column *column = &event->columns[CTF_PAYLOAD][i];

		if (strcmp(ctf_bare_name(column->member->name), name) == 0)
			return column->slot <= NAME_MAX_FIELD ? (int8_t)column->slot : (int8_t)RST_NO_FIELD;
	}
	return RST_NO_FIELD;
}

static bool has_form(const struct ctf_event *event, int8_t slot, bool wants_number)
{
	const struct ctf_column *column = slot < 0 ? NULL : &event->columns[CTF_PAYLOAD][slot];

	if (!column)
		return false;
	if (wants_number)
		return column->form == CTF_AS_NUMBER && column->member->class->kind == CTF_INTEGER;
	return column->form == CTF_AS_TEXT || column->form == CTF_AS_CHARACTERS;
}

/* Names are dropped whose fields have another form: their events then name nothing. */
static void settle_names(struct ctf_event *event, const struct ctf_meaning *row)
{
	for (size_t i = 0; i < CTF_MEANING_NAMES && row->names[i].id; i++)
		event->has_names[i] = has_form(event, event->field_of[row->names[i].id - 1], true) &&
				      has_form(event, event->field_of[row->names[i].name - 1], false);
}

/* Effects need numbers: a field of another form is absent for them. */
static bool bind_fields(struct ctf_event *event, const struct ctf_meaning *row)
{
	bool is_whole = true;

	memset(event->field_of, RST_NO_FIELD, sizeof(event->field_of));
	for (size_t i = 0; i < CTF_MEANING_FIELDS && row->fields[i]; i++)
		event->field_of[i] = find_slot(event, row->fields[i]);
	settle_names(event, row);
	for (size_t i = 0; i < CTF_MEANING_FIELDS && row->fields[i]; i++)
		event->number_of[i] =
			has_form(event, event->field_of[i], true) ? event->field_of[i] : (int8_t)RST_NO_FIELD;
	if (row->fields[0])
		is_whole = event->number_of[0] >= 0;
	return is_whole;
}

void ctf_find_meaning(struct ctf_trace *trace, struct ctf_event *event)
{
	const char *name = event->name ? event->name : "";
	const struct ctf_tracer *tracer = trace->tracer_table;

	memset(event->number_of, RST_NO_FIELD, sizeof(event->number_of));
	event->core_slot = find_slot(event, "core_id");
	if (!has_form(event, event->core_slot, true))
		event->core_slot = RST_NO_FIELD;
	for (size_t i = 0; tracer && i < tracer->n_rows; i++) {
		const char *rest = row_rest(&tracer->rows[i], name);

		if (rest && bind_fields(event, &tracer->rows[i])) {
			event->meaning = &tracer->rows[i];
			event->span_name = rest;
			return;
		}
	}
}

bool ctf_give_meaning(
	const struct ctf_event *event, bool is_other, struct rst_layout *layout, struct model *model)
{
	const struct rst_effect *rows = event->meaning ? event->meaning->effects[is_other] : NULL;
	struct rst_effect named[2] = { 0 };

	if (!rows)
		return true;
	if (rows->kind == RST_EFFECT_BEGIN || rows->kind == RST_EFFECT_END) {
		named[0] = *rows;
		named[0].name = arena_copy(&model->arena, event->span_name, strlen(event->span_name));
		if (!named[0].name)
			return false;
		rows = named;
	}
	return effects_give(layout, model, rows, event->number_of);
}
