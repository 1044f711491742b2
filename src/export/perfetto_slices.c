/* SPDX-License-Identifier: MIT */
/*
 * Writes intervals as begins and ends of slices on the tracks of Perfetto's format, levels as counters,
 * wake-ups as flows.
 */
#include "base/number.h"
#include "export/perfetto.h"

/*
 * The label of an interval: the thread for cores and locks, the state for machines, the name for spans.
 * Returns 0 if memory ran out.
 */
static uint32_t what_of(struct export *export, const struct rst_interval *interval)
{
	const struct rst_entity *entity =
		interval->kind == RST_INTERVAL_SPAN ? &interval->subject : &interval->object;
	const bool shows_entity =
		interval->kind != RST_INTERVAL_THREAD && interval->kind != RST_INTERVAL_INTERRUPT &&
		entity->form != RST_ENTITY_NONE &&
		(interval->kind == RST_INTERVAL_SPAN || interval->kind == RST_INTERVAL_MACHINE ||
			interval->state != RST_STATE_UNKNOWN);

	if (shows_entity)
		return name_of_thing(export, entity);
	if (interval->state == RST_N_STATES)
		return name_of_fixed(export, NAME_KIND + (unsigned)interval->kind);
	return name_of_fixed(
		export, NAME_STATE + (unsigned)interval->state * RST_N_REASONS + (unsigned)interval->reason);
}

static char *perfetto_slices_put_entity(char *p, enum annotation_name note, const struct rst_entity *entity)
{
	char room[NUMBER_ROOM];

	return entity->form == RST_ENTITY_NONE ? p : note_text(p, note, name_of_entity(entity, room));
}

/* One of interned words. */
static char *put_certainty(char *p, enum rst_certainty certainty)
{
	char lead[8] = { EVENT_ANNOTATION << 3 | PROTO_BYTES, 5, ANNOTATION_NAME_IID << 3, NOTE_CERTAINTY };

	proto_key(lead + 4, ANNOTATION_TEXT_IID, PROTO_NUMBER);
	memcpy(p, lead, sizeof(lead));
	p[6] = (char)(certainty + 1);
	return p + 7;
}

static char *put_notes(char *p, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	p = put_certainty(p, interval->certainty);
	p = perfetto_slices_put_entity(p, NOTE_OBJECT, &interval->object);
	p = perfetto_slices_put_entity(p, NOTE_BY, &interval->by);
	if (interval->core != RST_NO_CORE)
		p = note_number(p, NOTE_CORE, ANNOTATION_UINT, interval->core);
	if (piece->has_begin)
		p = note_number(p, NOTE_FROM_SEQ, ANNOTATION_UINT, interval->from_seq);
	if (piece->has_end)
		p = note_number(p, NOTE_TO_SEQ, ANNOTATION_UINT, interval->to_seq);
	return p;
}

/* Writes an instant on the track of the waker, with an arrow to the interval that began then. */
static bool put_waker(struct export *export, const struct placed *placed, uint64_t flow)
{
	const uint64_t track = track_uuid(export, GROUP_THREADS, placed->waker, 0);
	const uint32_t name = name_of_fixed(export, NAME_WAKES);
	struct packet packet;
	char *p;

	if (!track)
		return false;
	if (!event_begin(&packet, export, 0, TYPE_INSTANT, track, placed->piece->from))
		return true;
	p = proto_number(export->out->at, EVENT_NAME_IID, name);
	p = proto_number(p, EVENT_CATEGORY_IID, CATEGORY_WAKE);
	export->out->at = proto_fixed(p, EVENT_FLOW, flow);
	event_end(&packet);
	return true;
}

/* The packet is so short that each length takes one byte. */
static void put_end(struct export *export, uint64_t track, uint64_t at)
{
	struct outbuf *out = export->out;
	char *start, *event, *p;

	if (!outbuf_reserve(out, PACKET_ROOM))
		return;
	start = proto_begin(out->at, TRACE_PACKET, 1);
	p = proto_varint(event_head(start), perfetto_time(export, at));
	event = p = proto_begin(p, PACKET_TRACK_EVENT, 1);
	p = proto_number(p, EVENT_TYPE, TYPE_END);
	p = proto_number(p, EVENT_TRACK, track);
	event[-1] = (char)(p - event);
	start[-1] = (char)(p - start);
	out->at = p;
}

static bool put_slice(struct export *export, const struct placed *placed)
{
	const struct piece *piece = placed->piece;
	const struct rst_interval *interval = piece->interval;
	struct perfetto *perfetto = export->state;
	const uint32_t name = what_of(export, interval);
	const uint64_t flow = placed->waker ? ++perfetto->n_flows : 0;
	struct packet packet;
	unsigned depth = 0;
	uint64_t track;
	char *p;

	if (interval->kind == RST_INTERVAL_SPAN && !track_span_depth(export, placed->track, piece, &depth))
		return false;
	track = track_uuid(export, placed->group, placed->track, depth);
	if (!track || !name || (flow && !put_waker(export, placed, flow)))
		return false;
	if (!event_begin(&packet, export, interval->object.name_bytes + interval->by.name_bytes, TYPE_BEGIN,
		    track, piece->from))
		return true;
	p = proto_number(export->out->at, EVENT_NAME_IID, name);
	p = proto_number(p, EVENT_CATEGORY_IID, (uint64_t)interval->kind + 1);
	p = put_notes(p, piece);
	export->out->at = flow ? proto_fixed(p, EVENT_FLOW, flow) : p;
	event_end(&packet);
	put_end(export, track, piece->to);
	return true;
}

/*
 * Perfetto's whole numbers have a sign, so numbers from 2^63 on are written as doubles, like real numbers. A
 * track may have both.
 */
static char *put_value(char *p, struct number number)
{
	const bool is_large = number.type != RST_SIGNED && number.bits > INT64_MAX;

	if (number.type == RST_REAL || is_large)
		return proto_fixed(p, EVENT_COUNTER_DOUBLE, number_of_real(number_real(number)).bits);
	return proto_number(p, EVENT_COUNTER_VALUE, number.bits);
}

static bool perfetto_slices_put_level(struct export *export, const struct placed *placed)
{
	const struct piece *piece = placed->piece;
	const uint64_t track = track_uuid(export, GROUP_LEVELS, placed->track, 0);
	struct packet packet;

	if (!track || !piece->interval->has_value)
		return track;
	if (!event_begin(&packet, export, 0, TYPE_COUNTER, track, piece->from))
		return true;
	export->out->at =
		put_value(export->out->at, number_as(piece->interval->value, piece->interval->value_type));
	event_end(&packet);
	return true;
}

bool slice_put(struct export *export, const struct placed *placed)
{
	return placed->group == GROUP_LEVELS ? perfetto_slices_put_level(export, placed)
					     : put_slice(export, placed);
}
