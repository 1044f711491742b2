/* SPDX-License-Identifier: MIT */
#include "picture/rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

const struct row_group row_groups[] = {
	{ "Cores", RST_INTERVAL_CORE },
	{ "Interrupts", RST_INTERVAL_INTERRUPT },
	{ "Threads", RST_INTERVAL_THREAD },
	{ "Spans", RST_INTERVAL_SPAN },
	{ "State machines", RST_INTERVAL_MACHINE },
	{ "Locks", RST_INTERVAL_LOCK },
	{ "Levels", RST_INTERVAL_LEVEL },
};

const size_t n_row_groups = sizeof(row_groups) / sizeof(row_groups[0]);

const char *class_name(unsigned class)
{
	static const char *const waiting[RST_N_REASONS] = {
		[RST_REASON_NONE] = "waiting",
		[RST_REASON_SLEEP] = "asleep",
		[RST_REASON_LOCK] = "waiting for a lock",
		[RST_REASON_SEMAPHORE] = "waiting for a semaphore",
		[RST_REASON_QUEUE] = "waiting for a queue",
		[RST_REASON_FLAGS] = "waiting for flags",
		[RST_REASON_MEMORY] = "waiting for memory",
		[RST_REASON_IO] = "waiting for input or output",
		[RST_REASON_JOIN] = "waiting for a thread's end",
		[RST_REASON_CHILD] = "waiting for a child",
		[RST_REASON_SUSPENDED] = "suspended",
		[RST_REASON_OTHER] = "waiting",
	};

	if (class >= CLASS_WAITING)
		return waiting[class - CLASS_WAITING];
	return class == CLASS_ON ? "on" : rst_state_name((enum rst_state) class);
}

/* --- labels --------------------------------------------------------------------------------------------- */

void entity_label(const struct rst_entity *entity, char *label, size_t room)
{
	char number[TEXT_HEX_MAX + TEXT_DEC_MAX];
	const char *text = number;
	size_t n_bytes;

	if (!entity) {
		*label = '\0';
		return;
	}
	n_bytes = (size_t)((entity->is_number ? text_put_dec : text_put_hex)(number, entity->id) - number);
	if (entity->name) {
		text = entity->name;
		n_bytes = entity->name_bytes;
	}
	n_bytes = text_whole_bytes(text, n_bytes, room - 1);
	memcpy(label, text, n_bytes);
	label[n_bytes] = '\0';
}

static void row_label(struct row *row, const struct tracks *tracks)
{
	const struct rst_entity *entity = tracks_entity(tracks, row->track->subject);
	const bool is_number = row->track->kind == RST_INTERVAL_CORE ||
			       (row->track->kind == RST_INTERVAL_INTERRUPT && !(entity && entity->name));
	size_t n = 0;

	if (row->track->lane && row->track->kind == RST_INTERVAL_SPAN)
		return;
	if (is_number)
		n = (size_t)snprintf(row->label, ROW_LABEL_MAX, "%s ",
			row->track->kind == RST_INTERVAL_CORE ? "core" : "interrupt");
	entity_label(entity, row->label + n, ROW_LABEL_MAX - n);
}

/* --- which ---------------------------------------------------------------------------------------------- */

static bool row_is_taken(const struct row *row, const struct tracks *tracks, const struct select_list *names)
{
	char label[ROW_LABEL_MAX];

	if (!names->n_items)
		return true;
	entity_label(tracks_entity(tracks, row->track->subject), label, sizeof(label));
	return select_takes_name(names, label) || select_takes_name(names, row->label);
}

/* A thread whose states in the window are all unknown has a row only if names are given. */
static bool row_is_worth(const struct row *row, const struct select_list *names, uint64_t from, uint64_t to)
{
	const struct summary sum = tree_sum(&row->track->tree, from, to);
	uint64_t known = 0;

	if (row->track->kind != RST_INTERVAL_THREAD || names->n_items)
		return sum.n_segments > 0;
	for (unsigned class = 0; class < N_CLASSES; class ++)
		known += class == RST_STATE_UNKNOWN ? 0 : sum.ticks[class];
	return known > 0;
}

bool rows_make(struct rows *rows, const struct tracks *tracks, const struct select_list *names, uint64_t from,
	uint64_t to)
{
	*rows = (struct rows){ .all = calloc(tracks->n + 1, sizeof(struct row)) };
	for (size_t group = 0; group < n_row_groups && rows->all; group++)
		for (size_t i = 0; i < tracks->n; i++) {
			struct row *row = &rows->all[rows->n];

			if (tracks->all[i]->kind != row_groups[group].kind)
				continue;
			*row = (struct row){ .track = tracks->all[i], .group = &row_groups[group] };
			row_label(row, tracks);
			if (row_is_taken(row, tracks, names) && row_is_worth(row, names, from, to))
				rows->n++;
			else
				rows->n_hidden++;
		}
	return rows->all != NULL;
}

void rows_done(struct rows *rows)
{
	free(rows->all);
}
