/* SPDX-License-Identifier: MIT */
/*
 * Events as instants of Perfetto's format, with their fields as annotations of their types
 * (debug_annotation.proto). Beside a number that has a name, of an object or a constant, stands an annotation
 * "FIELD name".
 */
#include "base/array.h"
#include "base/number.h"
#include "export/perfetto.h"
#include "trace/value/value.h"

enum { FIELD_ROOM = 128 }; /* of a field but for long texts */

/* --- plans ---------------------------------------------------------------------------------------------- */

static unsigned kind_of(const struct rst_field *field)
{
	static const uint8_t kinds[] = {
		[RST_UNSIGNED] = ANNOTATION_UINT,
		[RST_SIGNED] = ANNOTATION_INT,
		[RST_HEX] = ANNOTATION_UINT,
		[RST_ADDRESS] = ANNOTATION_POINTER,
		[RST_OBJECT] = ANNOTATION_POINTER,
		[RST_ENUM] = ANNOTATION_UINT,
		[RST_IPV4] = ANNOTATION_UINT,
		[RST_REAL] = ANNOTATION_DOUBLE,
		[RST_WORD] = ANNOTATION_UINT,
		[RST_TEXT] = ANNOTATION_TEXT,
		[RST_BYTES] = ANNOTATION_TEXT,
		[RST_SEQUENCE] = ANNOTATION_ITEM,
	};

	return field->is_number && kinds[field->type] == ANNOTATION_POINTER ? ANNOTATION_UINT
									    : kinds[field->type];
}

static bool has_word(const struct rst_field *field)
{
	return field->type == RST_OBJECT || (field->type == RST_ENUM && field->constants);
}

static void annotation_name_write(struct export *export, uint32_t iid, const char *name, const char *behind)
{
	char room[256];
	const int n = snprintf(room, sizeof(room), "%s%s", name, behind);

	annotation_write_name(
		export, iid, (struct text){ room, (size_t)n < sizeof(room) ? (size_t)n : sizeof(room) - 1 });
}

/* Names of fields that the annotations of all events have, too, end with "_". */
static void names_write(struct export *export, const struct perfetto_field *planned)
{
	static const char *const taken[] = { "seq", "core", "prio", "text" };
	const char *name = planned->field->name, *behind = "";

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strcmp(name, taken[i]) == 0)
			behind = "_";
	annotation_name_write(export, planned->iid, name, behind);
	if (planned->iid_word)
		annotation_name_write(export, planned->iid_word, name, " name");
}

static char *put_kind(char *p, unsigned kind)
{
	return proto_varint(p, kind << 3 | (kind == ANNOTATION_DOUBLE ? PROTO_FIXED : PROTO_NUMBER));
}

static struct perfetto_lead lead_of(uint32_t iid, unsigned kind)
{
	struct perfetto_lead lead = { { EVENT_ANNOTATION << 3 | PROTO_BYTES }, 0 };
	char *p = proto_number(lead.bytes + 2, ANNOTATION_NAME_IID, iid);

	p = kind == ANNOTATION_TEXT ? proto_key(p, ANNOTATION_TEXT, PROTO_BYTES) : put_kind(p, kind);
	lead.n_bytes = (uint8_t)(p - lead.bytes);
	return lead;
}

static bool is_word(const struct rst_field *field, unsigned kind)
{
	return (kind == ANNOTATION_UINT || kind == ANNOTATION_POINTER) && !field->n_bits &&
	       (field->n_bytes == 4 || field->n_bytes == 8);
}

static struct perfetto_plan *plan_make(struct export *export, const struct rst_layout *layout)
{
	struct perfetto *perfetto = export->state;
	struct perfetto_plan **plans =
		array_reach(perfetto->plans, &perfetto->plans_room, layout->index, sizeof(*plans));
	struct perfetto_plan *plan = arena_alloc(
		&perfetto->arena, sizeof(*plan) + (size_t)layout->n_fields * sizeof(struct perfetto_field));

	if (plans)
		perfetto->plans = plans;
	if (!plans || !plan)
		return NULL;
	*plan = (struct perfetto_plan){ .n_fields = layout->n_fields,
		.room = (size_t)layout->n_fields * FIELD_ROOM };
	for (unsigned i = 0; i < layout->n_fields; i++) {
		const struct rst_field *field = &layout->fields[i];

		plan->fields[i] = (struct perfetto_field){ .field = field,
			.kind = kind_of(field),
			.room = (size_t)(layout->n_fields - i) * FIELD_ROOM,
			.is_word = is_word(field, kind_of(field)),
			.iid = NOTE_FIRST_FIELD + perfetto->n_annotations++ };
		plan->fields[i].lead = lead_of(plan->fields[i].iid, plan->fields[i].kind);
		if (!has_word(field))
			continue;
		plan->fields[i].iid_word = NOTE_FIRST_FIELD + perfetto->n_annotations++;
		plan->fields[i].lead_word = lead_of(plan->fields[i].iid_word, ANNOTATION_TEXT);
	}
	return plans[layout->index] = plan;
}

/*
 * Finds or makes the plan of a layout's fields, and writes their names once in each era. Returns NULL if
 * memory ran out.
 */
static const struct perfetto_plan *plan_reach(struct export *export, const struct rst_layout *layout)
{
	struct perfetto *perfetto = export->state;
	struct perfetto_plan *plan =
		layout->index < perfetto->plans_room ? perfetto->plans[layout->index] : NULL;

	if (plan && plan->era == perfetto->era)
		return plan;
	if (!plan)
		plan = plan_make(export, layout);
	if (!plan)
		return NULL;
	plan->era = perfetto->era;
	for (unsigned i = 0; i < plan->n_fields; i++)
		names_write(export, &plan->fields[i]);
	return plan;
}

/* --- values --------------------------------------------------------------------------------------------- */

/* Puts a text into the middle of a packet, and makes room for it. */
static bool put_text(struct outbuf *out, uint32_t iid, struct text text, size_t room)
{
	if (!outbuf_extend(out, PACKET_ROOM + room + text.n_bytes))
		return false;
	out->at = note_text(out->at, iid, text);
	return true;
}

enum { SHORT_MAX = 64 }; /* the room of a field is enough for such a word, one byte for each length */

static bool perfetto_fields_put_word(
	struct outbuf *out, const struct perfetto_field *planned, const char *word, size_t n_word)
{
	const struct perfetto_lead *lead = &planned->lead_word;
	char *p = out->at;

	if (n_word > SHORT_MAX)
		return put_text(out, planned->iid_word, (struct text){ word, n_word }, planned->room);
	memcpy(p, lead->bytes, sizeof(lead->bytes));
	p[1] = (char)(lead->n_bytes - 2U + 1 + n_word);
	p += lead->n_bytes;
	*p++ = (char)n_word;
	memcpy(p, word, n_word);
	out->at = p + n_word;
	return true;
}

/*
 * Text is kept printable, bytes are hexadecimal digits: both are made behind the room that the annotation
 * needs in front of them.
 */
static bool put_span(
	struct outbuf *out, const struct perfetto_field *planned, const struct value_source *from)
{
	const struct rst_field *field = planned->field;
	size_t n_bytes, n_text;
	const uint8_t *at = rst_field_bytes(field, from->payload, from->payload_bytes, &n_bytes);
	char *text;

	if (!outbuf_extend(out, PACKET_ROOM + planned->room + 8 * n_bytes))
		return false;
	text = out->at + NOTE_ROOM + 4 * n_bytes;
	n_text = (size_t)((field->type == RST_TEXT ? text_keep(text, at, n_bytes)
						   : text_put_hex_bytes(text, at, n_bytes)) -
			  text);
	out->at = note_text(out->at, planned->iid, (struct text){ text, n_text });
	return true;
}

/* Its bits, as the annotation has them. A float is the double that people wrote. */
static uint64_t perfetto_fields_bits_of(
	unsigned kind, const struct value_source *from, const struct rst_field *field)
{
	double real;

	if (__builtin_expect(kind == ANNOTATION_UINT || kind == ANNOTATION_POINTER, 1))
		return value_number(from, field);
	if (kind == ANNOTATION_INT)
		return (uint64_t)value_signed(from, field);
	real = rst_field_real(field, from->payload, from->payload_bytes);
	return number_of_real(field->n_bytes == sizeof(float) ? number_widen((float)real) : real).bits;
}

/* Behind the key of the annotation's field. */
static char *put_bits(char *p, unsigned kind, uint64_t bits)
{
	const uint64_t stored = htole64(bits);

	if (__builtin_expect(kind != ANNOTATION_DOUBLE, 1))
		return proto_varint(p, bits);
	memcpy(p, &stored, sizeof(stored));
	return p + sizeof(stored);
}

/* { name, 12: { value } … } */
static bool put_sequence(
	struct outbuf *out, const struct perfetto_field *planned, const struct value_source *from)
{
	const size_t n_items = rst_field_length(planned->field, from->payload, from->payload_bytes);
	size_t start;

	if (!outbuf_extend(out, PACKET_ROOM + planned->room + n_items * FIELD_ROOM))
		return false;
	char *p = proto_begin(out->at, EVENT_ANNOTATION, PROTO_LENGTH);

	start = (size_t)(p - out->start);
	p = proto_number(p, ANNOTATION_NAME_IID, planned->iid);
	for (size_t i = 0; i < n_items; i++) {
		const struct rst_field item =
			rst_field_item(planned->field, from->payload, from->payload_bytes, i);
		char *inner = proto_key(p, ANNOTATION_ITEM, PROTO_BYTES) + 1;

		p = put_bits(put_kind(inner, kind_of(&item)), kind_of(&item),
			perfetto_fields_bits_of(kind_of(&item), from, &item));
		inner[-1] = (char)(p - inner);
	}
	proto_end(out->start + start, p, PROTO_LENGTH);
	out->at = p;
	return true;
}

/* The name of the object or constant that a number means. */
static bool put_meaning(struct outbuf *out, const struct perfetto_field *planned,
	const struct value_source *from, uint64_t number)
{
	const struct rst_field *field = planned->field;
	const struct rst_object *object;
	const char *word;

	if (field->type == RST_ENUM) {
		word = rst_constant_name(field->constants, number);
		return !word || perfetto_fields_put_word(out, planned, word, strlen(word));
	}
	if (number == 0 && field->zero_is_none)
		return true;
	object = rst_trace_find_object(from->trace, from->process, number, field->object_kind, from->seq);
	return !object || !object->name_bytes ||
	       perfetto_fields_put_word(out, planned, object->name, object->name_bytes);
}

static bool perfetto_fields_put_other(
	struct outbuf *out, const struct perfetto_field *planned, const struct value_source *from)
{
	const struct rst_field *field = planned->field;
	char *start, *p;

	if (!value_is_there(from, field) || value_is_idle(from, field))
		return true;
	if (planned->kind == ANNOTATION_TEXT)
		return put_span(out, planned, from);
	if (planned->kind == ANNOTATION_ITEM)
		return put_sequence(out, planned, from);
	start = out->at;
	memcpy(start, planned->lead.bytes, sizeof(planned->lead.bytes));
	p = put_bits(start + planned->lead.n_bytes, planned->kind,
		perfetto_fields_bits_of(planned->kind, from, field));
	start[1] = (char)(p - start - 2);
	out->at = p;
	return !planned->iid_word || put_meaning(out, planned, from, value_number(from, field));
}

/* Most fields are one word of the target machine. */
static inline bool perfetto_fields_put_field(
	struct outbuf *out, const struct perfetto_field *planned, const struct value_source *from)
{
	const struct rst_field *field = planned->field;
	const uint8_t *at = from->payload + field->offset;
	char *const start = out->at, *p;
	uint64_t number;

	if (__builtin_expect(!planned->is_word, 0))
		return perfetto_fields_put_other(out, planned, from);
	if ((uint64_t)field->offset + field->n_bytes > from->payload_bytes)
		return true;
	number = load_word(at, field->n_bytes, field->is_big_endian);
	if (field->is_spare && number == 0)
		return true;
	memcpy(start, planned->lead.bytes, sizeof(planned->lead.bytes));
	p = proto_varint(start + planned->lead.n_bytes, number);
	start[1] = (char)(p - start - 2);
	out->at = p;
	return !planned->iid_word || put_meaning(out, planned, from, number);
}

/* --- an event ------------------------------------------------------------------------------------------- */

static void perfetto_fields_put_head(
	struct export *export, const struct rst_batch *batch, size_t row, uint32_t name)
{
	const uint16_t core = rst_batch_core(batch, row);
	const int16_t priority = rst_batch_priority(batch, row);
	char *p = proto_number(export->out->at, EVENT_NAME_IID, name);

	p = proto_number(p, EVENT_CATEGORY_IID, CATEGORY_EVENT);
	p = note_number(p, NOTE_SEQ, ANNOTATION_UINT, row_seq(export->scan, batch, row));
	if (core != RST_NO_CORE)
		p = note_number(p, NOTE_CORE, ANNOTATION_UINT, core);
	if (priority != RST_NO_PRIORITY)
		p = note_number(p, NOTE_PRIORITY, ANNOTATION_INT, (uint64_t)(int64_t)priority);
	export->out->at = p;
}

static bool put_sentence(struct export *export, const struct rst_batch *batch, size_t row)
{
	struct text text;

	if (!export->has_sentences)
		return true;
	return sentence_make(&export->sentences, batch, row, NULL, &text) &&
	       put_text(export->out, NOTE_TEXT, text, 0);
}

bool event_put(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct perfetto *perfetto = export->state;
	const struct rst_context *context = batch->context[row];
	const struct rst_layout *layout = batch->layout[row];
	const struct perfetto_plan *plan = plan_reach(export, layout);
	const uint32_t name = name_of_type(export, layout->type);
	const struct value_source from = { .trace = export->trace,
		.payload = batch->payload[row],
		.payload_bytes = batch->payload_bytes[row],
		.seq = batch->seq[row],
		.process = context->process };
	struct perfetto_track *track;
	struct packet packet;
	uint64_t uuid;

	perfetto->tracks[GROUP_THREADS].record_bytes = sizeof(*track);
	track = subject_of_context(&perfetto->tracks[GROUP_THREADS], context);
	if (track && !track->uuid)
		track = track_reach(export, GROUP_THREADS, &track->subject.entity);
	uuid = track ? track_uuid(export, GROUP_THREADS, track, 0) : 0;
	if (!plan || !name || !uuid)
		return false;
	if (!event_begin(&packet, export, plan->room, TYPE_INSTANT, uuid, at))
		return true;
	perfetto_fields_put_head(export, batch, row, name);
	for (unsigned i = 0; i < plan->n_fields; i++)
		if (!perfetto_fields_put_field(export->out, &plan->fields[i], &from))
			return false;
	if (!put_sentence(export, batch, row))
		return false;
	event_end(&packet);
	return true;
}
