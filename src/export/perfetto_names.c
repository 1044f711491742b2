/* SPDX-License-Identifier: MIT */
/* Interned names of Perfetto's format (interned_data.proto). */
#include <stdio.h>

#include "base/array.h"
#include "export/perfetto.h"

struct text name_of_entity(const struct rst_entity *entity, char room[NUMBER_ROOM])
{
	const bool is_number = entity->is_number || entity->form == RST_ENTITY_NUMBER;

	if (entity->name)
		return (struct text){ entity->name, entity->name_bytes };
	return (struct text){ room,
		(size_t)((is_number ? text_put_dec : text_put_hex)(room, entity->id) - room) };
}

/* --- telling -------------------------------------------------------------------------------------------- */

/* { 1: iid, 2: text } in a list of InternedData. */
static char *put_entry(char *p, unsigned list, uint32_t iid, struct text text)
{
	const size_t n_text = 1 + proto_varint_bytes(text.n_bytes) + text.n_bytes;

	p = proto_varint(proto_key(p, list, PROTO_BYTES), 1 + proto_varint_bytes(iid) + n_text);
	p = proto_number(p, INTERNED_IID, iid);
	return proto_bytes(p, INTERNED_TEXT, text.bytes, text.n_bytes);
}

static char *perfetto_names_put_word(char *p, unsigned list, uint32_t iid, const char *word)
{
	return put_entry(p, list, iid, (struct text){ word, strlen(word) });
}

static void entry_write(struct export *export, unsigned list, uint32_t iid, struct text text)
{
	struct packet packet;
	char *start;

	if (!packet_begin(&packet, export, text.n_bytes, FLAG_NEEDS))
		return;
	start = export->out->at = proto_begin(export->out->at, PACKET_INTERNED, PROTO_LENGTH);
	export->out->at = put_entry(start, list, iid, text);
	proto_end(start, export->out->at, PROTO_LENGTH);
	packet_end(&packet);
}

void annotation_write_name(struct export *export, uint32_t iid, struct text text)
{
	entry_write(export, INTERNED_ANNOTATION_NAME, iid, text);
}

static char *put_constants(char *p)
{
	static const char *const notes[NOTE_FIRST_FIELD] = {
		[NOTE_CERTAINTY] = "certainty",
		[NOTE_OBJECT] = "object",
		[NOTE_BY] = "by",
		[NOTE_CORE] = "core",
		[NOTE_FROM_SEQ] = "from_seq",
		[NOTE_TO_SEQ] = "to_seq",
		[NOTE_SEQ] = "seq",
		[NOTE_TEXT] = "text",
		[NOTE_REASON] = "reason",
		[NOTE_EVENTS] = "events",
		[NOTE_OFFSET] = "offset",
		[NOTE_BYTES] = "bytes",
		[NOTE_PRIORITY] = "prio",
	};
	static const char *const categories[N_CATEGORIES] = {
		[CATEGORY_EVENT] = "event",
		[CATEGORY_LOSS] = "loss",
		[CATEGORY_WAKE] = "wake",
		[CATEGORY_SEND] = "send",
		[CATEGORY_RUN] = "run",
	};

	for (uint32_t i = 1; i < N_CATEGORIES; i++)
		p = perfetto_names_put_word(p, INTERNED_CATEGORY, i,
			categories[i] ? categories[i]
				      : rst_interval_kind_name((enum rst_interval_kind)(i - 1)));
	for (uint32_t i = 1; i < NOTE_FIRST_FIELD; i++)
		p = perfetto_names_put_word(p, INTERNED_ANNOTATION_NAME, i, notes[i]);
	for (uint32_t i = 0; i < RST_N_CERTAINTIES; i++)
		p = perfetto_names_put_word(
			p, INTERNED_ANNOTATION_TEXT, i + 1, rst_certainty_name((enum rst_certainty)i));
	return p;
}

void names_begin(struct export *export, bool is_lost)
{
	enum { CONSTANTS_ROOM = 2048 };
	struct perfetto *perfetto = export->state;
	struct packet packet;
	char *start;

	perfetto->era++;
	if (!packet_begin(&packet, export, CONSTANTS_ROOM, FLAG_CLEARED | FLAG_NEEDS))
		return;
	export->out->at = proto_number(export->out->at, is_lost ? PACKET_IS_LOST : PACKET_IS_FIRST, 1);
	start = export->out->at = proto_begin(export->out->at, PACKET_INTERNED, PROTO_LENGTH);
	export->out->at = put_constants(start);
	proto_end(start, export->out->at, PROTO_LENGTH);
	packet_end(&packet);
}

/* --- names of events ------------------------------------------------------------------------------------ */

static int put_fixed(char room[96], unsigned fixed)
{
	static const char *const words[] = { "wakes", "LOST", "DAMAGE", "sends", "receives", "RUN" };
	const unsigned state = (fixed - NAME_STATE) / RST_N_REASONS,
		       reason = (fixed - NAME_STATE) % RST_N_REASONS;

	if (fixed >= NAME_WAKES)
		return snprintf(room, 96, "%s", words[fixed - NAME_WAKES]);
	if (fixed >= NAME_KIND)
		return snprintf(
			room, 96, "%s", rst_interval_kind_name((enum rst_interval_kind)(fixed - NAME_KIND)));
	if (reason == RST_REASON_NONE)
		return snprintf(room, 96, "%s", rst_state_name((enum rst_state)state));
	return snprintf(room, 96, "%s (%s)", rst_state_name((enum rst_state)state),
		rst_reason_name((enum rst_reason)reason));
}

uint32_t name_of_fixed_slow(struct export *export, unsigned fixed)
{
	struct perfetto *perfetto = export->state;
	char room[96];

	perfetto->fixed_eras[fixed] = perfetto->era;
	entry_write(
		export, INTERNED_EVENT_NAME, fixed, (struct text){ room, (size_t)put_fixed(room, fixed) });
	return fixed;
}

uint32_t name_of_type_slow(struct export *export, const struct rst_type *type)
{
	struct perfetto *perfetto = export->state;
	struct perfetto_type *types =
		array_reach(perfetto->types, &perfetto->types_room, type->index, sizeof(*types));

	if (!types)
		return 0;
	perfetto->types = types;
	types += type->index;
	if (!types->iid)
		types->iid = N_FIXED_NAMES + perfetto->n_names++;
	types->era = perfetto->era;
	entry_write(export, INTERNED_EVENT_NAME, types->iid, (struct text){ type->name, type->name_bytes });
	return types->iid;
}

uint32_t name_of_thing(struct export *export, const struct rst_entity *entity)
{
	struct perfetto *perfetto = export->state;
	struct perfetto_name *name;
	char room[NUMBER_ROOM];

	perfetto->names.record_bytes = sizeof(*name);
	name = subject_of(&perfetto->names, entity);
	if (!name)
		return 0;
	if (name->era == perfetto->era && name->text == name->subject.entity.name)
		return name->iid;
	/* A number means one name in all of a file. */
	if (!name->iid || name->text != name->subject.entity.name)
		name->iid = N_FIXED_NAMES + perfetto->n_names++;
	name->era = perfetto->era;
	name->text = name->subject.entity.name;
	entry_write(export, INTERNED_EVENT_NAME, name->iid,
		name->subject.is_rest ? (struct text){ "(others)", 8 }
				      : name_of_entity(&name->subject.entity, room));
	return name->iid;
}
