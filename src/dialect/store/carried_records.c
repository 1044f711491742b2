/* SPDX-License-Identifier: MIT */
/* The records of what a part carries: one description for both directions. */
#include <string.h>

#include "dialect/store/carried_parts.h"

/* --- words of kinds ------------------------------------------------------------------------------------- */

const char *carried_kind_word(unsigned kind)
{
	if (kind == KIND_NONE)
		return NULL;
	if (kind == KIND_SPAN)
		return "span";
	return kind < KIND_CONTEXT ? rst_object_kind_name((enum rst_object_kind)(kind - KIND_OBJECT))
				   : rst_context_kind_name((enum rst_context_kind)(kind - KIND_CONTEXT));
}

unsigned carried_kind_number(const char *word)
{
	unsigned kind = KIND_OBJECT;

	if (!word)
		return KIND_NONE;
	while (kind < N_KINDS - 1 && strcmp(carried_kind_word(kind), word) != 0)
		kind++;
	return kind;
}

/* --- records, for both directions ----------------------------------------------------------------------- */

void record_entity(struct codec *codec, struct entity_record *record)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct entity_record, form, CODEC_NUMBER, RST_ENTITY_THING + 1),
		CODEC_ROW(struct entity_record, is_number, CODEC_NUMBER, 2),
		CODEC_ROW(struct entity_record, kind, CODEC_NUMBER, N_KINDS),
		CODEC_ROW(struct entity_record, id, CODEC_NUMBER, 0),
		CODEC_ROW(struct entity_record, process, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), record);
	codec_bytes(codec, &record->name, &record->name_bytes);
}

void record_item(struct codec *codec, struct item_record *record)
{
	static const struct codec_row both[] = {
		CODEC_ROW(struct item_record, row, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, kind, CODEC_NUMBER, 2 * RST_N_INTERVAL_KINDS),
		CODEC_ROW(struct item_record, core, CODEC_NUMBER, RST_NO_CORE + 1),
		CODEC_ROW(struct item_record, depth, CODEC_NUMBER, UINT16_MAX + 1),
		CODEC_ROW(struct item_record, subject, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, object, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, from, CODEC_SIGNED, 0),
		CODEC_ROW(struct item_record, has_from_seq, CODEC_NUMBER, 2),
		CODEC_ROW(struct item_record, from_seq, CODEC_SIGNED, 0),
	};
	static const struct codec_row interval[] = {
		CODEC_ROW(struct item_record, state, CODEC_NUMBER, RST_N_STATES + 1),
		CODEC_ROW(struct item_record, reason, CODEC_NUMBER, RST_N_REASONS),
		CODEC_ROW(struct item_record, certainty, CODEC_NUMBER, RST_N_CERTAINTIES),
		CODEC_ROW(struct item_record, by, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, n_ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, has_to_seq, CODEC_NUMBER, 2),
		CODEC_ROW(struct item_record, to_seq, CODEC_SIGNED, 0),
		CODEC_ROW(struct item_record, has_value, CODEC_NUMBER, 2),
	};
	static const struct codec_row level[] = {
		CODEC_ROW(struct item_record, value, CODEC_NUMBER, 0),
		CODEC_ROW(struct item_record, value_type, CODEC_NUMBER, RST_TEXT),
	};

	codec_record(codec, both, N_CODEC_ROWS(both), record);
	if (record->kind >= RST_N_INTERVAL_KINDS)
		return;
	codec_record(codec, interval, N_CODEC_ROWS(interval), record);
	if (record->has_value)
		codec_record(codec, level, N_CODEC_ROWS(level), record);
}

void record_part(struct codec *codec, struct rst_carried *part)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_carried, recording, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, from, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, to, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, first_event, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, end_event, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, n_events, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_carried, is_selection, CODEC_NUMBER, 2),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), part);
}
