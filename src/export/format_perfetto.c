/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's protobuf, encoded by hand: a stream of TracePackets (docs of Perfetto: "Synthetic Track Event", trace_packet.proto).
 * Each thing has a track: its descriptor when it is met, then begins and ends of what lasts, instants for events, counters for
 * levels. Packets need no order: readers sort by time. Names are interned: a number stands for each.
 *
 *	Trace { 1: TracePacket { 8 timestamp, 10 sequence, 58 clock, 13 flags, 11 TrackEvent, 12 InternedData, 60 TrackDescriptor } }
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "export/json.h"

enum { SEQUENCE = 1, FLAG_CLEARED = 1, FLAG_NEEDS = 2, CLOCK_BOOT = 6 };

/* Numbers of fields. */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58,
	PACKET_DESCRIPTOR = 60,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,

	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,

	ANNOTATION_INT = 4,
	ANNOTATION_TEXT = 6,
	ANNOTATION_JSON = 9,
	ANNOTATION_NAME = 10,

	INTERNED_EVENT_NAME = 2,
	INTERNED_IID = 1,
	INTERNED_TEXT = 2,
};

enum group {
	GROUP_CORES = 1,
	GROUP_INTERRUPTS,
	GROUP_THREADS,
	GROUP_SPANS,
	GROUP_LOCKS,
	GROUP_MACHINES,
	GROUP_LEVELS,
	N_GROUPS
};

static const char *const group_names[N_GROUPS] = { NULL, "Cores", "Interrupts", "Threads", "Spans", "Locks",
	"State machines", "Levels" };

struct perfetto_track {
	struct subject subject;
	uint64_t uuid; /* 0: its descriptor is not written yet; of spans of depth n: n behind it */
	unsigned n_depths;
};

struct perfetto {
	struct subjects tracks[N_GROUPS];
	struct subjects names; /* by their text */
	bool has_group[N_GROUPS], has_some;
	uint64_t n_uuids, n_flows;
	struct text fresh; /* a name that the next packet has to tell */
	uint64_t fresh_iid;
	struct outbuf packet; /* the one that is being made */
	bool has_packet;
};

/* --- protobuf ----------------------------------------------------------------------------------------------------- */

enum { NUMBER_ROOM = 10, KEY_ROOM = 5, WIRE_NUMBER = 0, WIRE_FIXED = 1, WIRE_BYTES = 2 };

static char *put_varint(char *p, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*p++ = (char)(number | 0x80);
	*p++ = (char)number;
	return p;
}

static void put_number(struct outbuf *out, unsigned field, uint64_t number)
{
	if (outbuf_reserve(out, KEY_ROOM + NUMBER_ROOM))
		out->at = put_varint(put_varint(out->at, field << 3 | WIRE_NUMBER), number);
}

static void put_bytes(struct outbuf *out, unsigned field, const char *bytes, size_t n_bytes)
{
	if (!outbuf_reserve(out, KEY_ROOM + NUMBER_ROOM + n_bytes))
		return;
	out->at = put_varint(put_varint(out->at, field << 3 | WIRE_BYTES), n_bytes);
	if (n_bytes)
		out->at = text_put(out->at, bytes, n_bytes);
}

static void put_word(struct outbuf *out, unsigned field, const char *word)
{
	put_bytes(out, field, word, strlen(word));
}

static void put_fixed(struct outbuf *out, unsigned field, uint64_t number)
{
	if (!outbuf_reserve(out, KEY_ROOM + 8))
		return;
	out->at = put_varint(out->at, field << 3 | WIRE_FIXED);
	for (unsigned i = 0; i < 8; i++)
		*out->at++ = (char)(number >> 8 * i & 0xff);
}

/* The length of a message stands in front of it in four bytes, whatever it is. Returns the place for message_end(). */
static size_t message_begin(struct outbuf *out, unsigned field)
{
	if (!outbuf_reserve(out, KEY_ROOM + 4))
		return 0;
	out->at = put_varint(out->at, field << 3 | WIRE_BYTES) + 4;
	return (size_t)(out->at - out->start);
}

static void message_end(struct outbuf *out, size_t start)
{
	const size_t n_bytes = (size_t)(out->at - out->start) - start;
	char *p = out->start + start - 4;

	if (out->error || start < 4)
		return;
	for (unsigned i = 0; i < 4; i++)
		p[i] = (char)((n_bytes >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

static struct outbuf *packet_begin(struct export *export)
{
	struct perfetto *perfetto = export->state;

	perfetto->packet.at = perfetto->packet.start;
	put_number(&perfetto->packet, PACKET_SEQUENCE, SEQUENCE);
	put_number(
		&perfetto->packet, PACKET_FLAGS, perfetto->has_some ? FLAG_NEEDS : FLAG_CLEARED | FLAG_NEEDS);
	perfetto->has_some = true;
	return &perfetto->packet;
}

static void packet_end(struct export *export)
{
	struct perfetto *perfetto = export->state;
	const struct outbuf *packet = &perfetto->packet;

	if (packet->error)
		export->out->error = packet->error;
	put_bytes(export->out, TRACE_PACKET, packet->start, (size_t)(packet->at - packet->start));
}

static uint64_t time_of(const struct export *export, uint64_t ticks)
{
	const struct times *times = &export->scan->times;

	return times->hz ? times_ns(times, ticks) : ticks > times->first ? ticks - times->first : 0;
}

/* --- tracks and names --------------------------------------------------------------------------------------------- */

static void put_descriptor(struct export *export, uint64_t uuid, uint64_t parent, const char *name,
	size_t n_name, bool is_counter)
{
	struct outbuf *out = packet_begin(export);
	const size_t start = message_begin(out, PACKET_DESCRIPTOR);

	put_number(out, TRACK_UUID, uuid);
	put_bytes(out, TRACK_NAME, name, n_name);
	if (parent)
		put_number(out, TRACK_PARENT, parent);
	if (is_counter)
		put_bytes(out, TRACK_COUNTER, NULL, 0);
	message_end(out, start);
	packet_end(export);
}

static size_t put_name(char room[TEXT_HEX_MAX + TEXT_DEC_MAX], const struct rst_entity *entity)
{
	const bool is_number = entity->is_number || entity->form == RST_ENTITY_NUMBER;

	return (size_t)((is_number ? text_put_dec : text_put_hex)(room, entity->id) - room);
}

static void describe(
	struct export *export, enum group group, const struct perfetto_track *track, uint64_t uuid)
{
	struct perfetto *perfetto = export->state;
	const struct rst_entity *entity = &track->subject.entity;
	char number[TEXT_HEX_MAX + TEXT_DEC_MAX];
	const size_t n_number = put_name(number, entity);

	if (!perfetto->has_group[group])
		put_descriptor(export, group, 0, group_names[group], strlen(group_names[group]), false);
	perfetto->has_group[group] = true;
	put_descriptor(export, uuid, group, entity->name ? entity->name : number,
		entity->name ? entity->name_bytes : n_number, group == GROUP_LEVELS);
}

/* The track of a thing; spans have one for each depth, so that they need not nest in one. 0: memory ran out. */
static uint64_t track_of(
	struct export *export, enum group group, const struct rst_entity *entity, unsigned depth)
{
	enum { DEPTHS = 256 };
	struct perfetto *perfetto = export->state;
	struct subjects *tracks = &perfetto->tracks[group];
	struct perfetto_track *track;

	tracks->record_bytes = sizeof(*track);
	track = subject_of(tracks, entity);
	if (!track)
		return 0;
	if (!track->uuid)
		track->uuid = N_GROUPS + DEPTHS * perfetto->n_uuids++;
	if (depth >= DEPTHS)
		depth = DEPTHS - 1;
	for (; track->n_depths <= depth; track->n_depths++)
		describe(export, group, track, track->uuid + track->n_depths);
	return track->uuid + depth;
}

struct perfetto_name {
	struct subject subject;
	uint64_t iid;
};

/* The number of a name; the packet that uses it first tells it. 0: memory ran out. */
static uint64_t name_of(struct export *export, struct text text)
{
	static const struct rst_entity span = { .form = RST_ENTITY_THING, .kind = "span" };
	struct perfetto *perfetto = export->state;
	struct rst_entity entity = span;
	struct perfetto_name *name;

	entity.name = text.bytes;
	entity.name_bytes = text.n_bytes;
	perfetto->names.record_bytes = sizeof(*name);
	name = subject_find(&perfetto->names, &entity);
	if (!name) {
		/* Names of states are made for the moment. */
		entity.name = arena_copy(&perfetto->names.arena, text.bytes, text.n_bytes);
		name = entity.name ? subject_reach(&perfetto->names, &entity) : NULL;
	}
	if (!name)
		return 0;
	if (!name->iid) {
		name->iid = perfetto->names.n;
		perfetto->fresh = name->subject.is_rest ? (struct text){ "(others)", 8 }
							: (struct text){ entity.name, text.n_bytes };
		perfetto->fresh_iid = name->iid;
	}
	return name->iid;
}

static void put_interned(struct outbuf *out, struct perfetto *perfetto)
{
	size_t outer, inner;

	if (!perfetto->fresh_iid)
		return;
	outer = message_begin(out, PACKET_INTERNED);
	inner = message_begin(out, INTERNED_EVENT_NAME);
	put_number(out, INTERNED_IID, perfetto->fresh_iid);
	put_bytes(out, INTERNED_TEXT, perfetto->fresh.bytes, perfetto->fresh.n_bytes);
	message_end(out, inner);
	message_end(out, outer);
	perfetto->fresh_iid = 0;
}

/* --- track events ------------------------------------------------------------------------------------------------- */

/* Of the packet's TrackEvent, what all have; event_end() is due. */
static size_t event_begin(
	struct export *export, unsigned type, uint64_t track, uint64_t at, struct outbuf **ret_out)
{
	struct outbuf *out = packet_begin(export);
	size_t start;

	put_number(out, PACKET_TIMESTAMP, time_of(export, at));
	put_number(out, PACKET_CLOCK, CLOCK_BOOT);
	put_interned(out, export->state);
	start = message_begin(out, PACKET_TRACK_EVENT);
	put_number(out, EVENT_TYPE, type);
	put_number(out, EVENT_TRACK, track);
	*ret_out = out;
	return start;
}

static void event_end(struct export *export, struct outbuf *out, size_t start)
{
	message_end(out, start);
	packet_end(export);
}

static void put_note(struct outbuf *out, const char *name, unsigned field, struct text text)
{
	const size_t start = message_begin(out, EVENT_ANNOTATION);

	put_word(out, ANNOTATION_NAME, name);
	put_bytes(out, field, text.bytes, text.n_bytes);
	message_end(out, start);
}

static void put_note_word(struct outbuf *out, const char *name, const char *word)
{
	put_note(out, name, ANNOTATION_TEXT, (struct text){ word, strlen(word) });
}

static void put_note_number(struct outbuf *out, const char *name, uint64_t number)
{
	const size_t start = message_begin(out, EVENT_ANNOTATION);

	put_word(out, ANNOTATION_NAME, name);
	put_number(out, ANNOTATION_INT, number);
	message_end(out, start);
}

static void put_note_entity(struct outbuf *out, const char *name, const struct rst_entity *entity)
{
	char number[TEXT_HEX_MAX + TEXT_DEC_MAX];

	if (entity->form == RST_ENTITY_NONE)
		return;
	if (entity->name)
		put_note(out, name, ANNOTATION_TEXT, (struct text){ entity->name, entity->name_bytes });
	else
		put_note(out, name, ANNOTATION_TEXT, (struct text){ number, put_name(number, entity) });
}

/* --- what lasts --------------------------------------------------------------------------------------------------- */

/* What a track shows: of cores and locks the thread, of machines the state, of spans what they are called. */
static uint64_t what_of(struct export *export, const struct rst_interval *interval)
{
	const struct rst_entity *entity =
		interval->kind == RST_INTERVAL_SPAN ? &interval->subject : &interval->object;
	const bool shows_entity =
		interval->kind != RST_INTERVAL_THREAD && interval->kind != RST_INTERVAL_INTERRUPT &&
		entity->form != RST_ENTITY_NONE &&
		(interval->kind == RST_INTERVAL_SPAN || interval->kind == RST_INTERVAL_MACHINE ||
			interval->state != RST_STATE_UNKNOWN);
	char room[96];
	int n;

	if (shows_entity && entity->name)
		return name_of(export, (struct text){ entity->name, entity->name_bytes });
	if (shows_entity)
		return name_of(export, (struct text){ room, put_name(room, entity) });
	if (interval->state == RST_N_STATES)
		n = snprintf(room, sizeof(room), "%s", rst_interval_kind_name(interval->kind));
	else if (interval->reason == RST_REASON_NONE)
		n = snprintf(room, sizeof(room), "%s", rst_state_name(interval->state));
	else
		n = snprintf(room, sizeof(room), "%s (%s)", rst_state_name(interval->state),
			rst_reason_name(interval->reason));
	return name_of(export, (struct text){ room, (size_t)n });
}

static void put_notes(struct outbuf *out, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	put_note_word(out, "certainty", rst_certainty_name(interval->certainty));
	put_note_entity(out, "object", &interval->object);
	put_note_entity(out, "by", &interval->by);
	if (interval->core != RST_NO_CORE)
		put_note_number(out, "core", interval->core);
	if (piece->has_begin)
		put_note_number(out, "from_seq", interval->from_seq);
	if (piece->has_end)
		put_note_number(out, "to_seq", interval->to_seq);
}

/* An instant on the track of what woke the thread, from which an arrow goes to the interval that began then. */
static bool put_waker(struct export *export, const struct piece *piece, uint64_t flow)
{
	const uint64_t track = track_of(export, GROUP_THREADS, &piece->interval->by, 0);
	const uint64_t name = name_of(export, (struct text){ "wakes", strlen("wakes") });
	struct outbuf *out;
	size_t start;

	if (!track || !name)
		return false;
	start = event_begin(export, TYPE_INSTANT, track, piece->from, &out);
	put_number(out, EVENT_NAME_IID, name);
	put_word(out, EVENT_CATEGORY, "wake");
	put_fixed(out, EVENT_FLOW, flow);
	event_end(export, out, start);
	return true;
}

static bool put_slice(struct export *export, const struct piece *piece, enum group group)
{
	const struct rst_interval *interval = piece->interval;
	struct perfetto *perfetto = export->state;
	const bool is_span = interval->kind == RST_INTERVAL_SPAN;
	const bool is_woken = interval->kind == RST_INTERVAL_THREAD &&
			      interval->by.form == RST_ENTITY_THING && piece->has_begin;
	const uint64_t track = track_of(export, group, is_span ? &interval->object : &interval->subject,
		is_span ? interval->depth : 0);
	uint64_t name, flow = is_woken ? ++perfetto->n_flows : 0;
	struct outbuf *out;
	size_t start;

	if (!track || (is_woken && !put_waker(export, piece, flow)))
		return false;
	name = what_of(export, interval);
	if (!name)
		return false;
	start = event_begin(export, TYPE_BEGIN, track, piece->from, &out);
	put_number(out, EVENT_NAME_IID, name);
	put_word(out, EVENT_CATEGORY, rst_interval_kind_name(interval->kind));
	put_notes(out, piece);
	if (is_woken)
		put_fixed(out, EVENT_FLOW, flow);
	event_end(export, out, start);
	start = event_begin(export, TYPE_END, track, piece->to, &out);
	event_end(export, out, start);
	return true;
}

static bool put_level(struct export *export, const struct piece *piece)
{
	const uint64_t track = track_of(export, GROUP_LEVELS, &piece->interval->subject, 0);
	struct outbuf *out;
	size_t start;

	if (!track || !piece->interval->has_value)
		return track;
	start = event_begin(export, TYPE_COUNTER, track, piece->from, &out);
	put_number(out, EVENT_COUNTER_VALUE, piece->interval->value);
	event_end(export, out, start);
	return true;
}

static bool perfetto_piece(struct export *export, const struct piece *piece)
{
	static const enum group groups[RST_N_INTERVAL_KINDS] = {
		[RST_INTERVAL_THREAD] = GROUP_THREADS,
		[RST_INTERVAL_CORE] = GROUP_CORES,
		[RST_INTERVAL_LOCK] = GROUP_LOCKS,
		[RST_INTERVAL_INTERRUPT] = GROUP_INTERRUPTS,
		[RST_INTERVAL_SPAN] = GROUP_SPANS,
		[RST_INTERVAL_MACHINE] = GROUP_MACHINES,
	};

	return piece->interval->kind == RST_INTERVAL_LEVEL
		       ? put_level(export, piece)
		       : put_slice(export, piece, groups[piece->interval->kind]);
}

/* --- events and losses -------------------------------------------------------------------------------------------- */

static bool put_gap(struct export *export, const struct rst_gap *gap, uint64_t at)
{
	static const struct rst_entity losses = {
		.form = RST_ENTITY_THING, .kind = "losses", .name = "Losses", .name_bytes = 6
	};
	const uint64_t track = track_of(export, GROUP_THREADS, &losses, 0);
	const char *what = gap->marker == RST_LOSS ? "LOST" : "DAMAGE";
	const uint64_t name = name_of(export, (struct text){ what, strlen(what) });
	struct outbuf *out;
	size_t start;

	if (!track || !name)
		return false;
	start = event_begin(export, TYPE_INSTANT, track, at, &out);
	put_number(out, EVENT_NAME_IID, name);
	put_word(out, EVENT_CATEGORY, "loss");
	put_note_word(out, "reason", gap->what ? gap->what : "");
	if (gap->n_events)
		put_note_number(out, "events", gap->n_events);
	if (gap->marker == RST_DAMAGE) {
		put_note_number(out, "offset", gap->offset);
		put_note_number(out, "bytes", gap->n_bytes);
	}
	event_end(export, out, start);
	return true;
}

static bool perfetto_row(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	const struct rst_type *type = batch->type[row];
	struct rst_entity who;
	struct text args, text;
	struct outbuf *out;
	uint64_t track, name;
	size_t start;

	if (gap)
		return put_gap(export, gap, at);
	who = rst_entity_of_context(batch->context[row]);
	track = track_of(export, GROUP_THREADS, &who, 0);
	name = name_of(export, (struct text){ type->name, type->name_bytes });
	if (!track || !name || !sentence_make(&export->sentences, batch, row, &args, &text))
		return false;
	start = event_begin(export, TYPE_INSTANT, track, at, &out);
	put_number(out, EVENT_NAME_IID, name);
	put_word(out, EVENT_CATEGORY, "event");
	put_note_number(out, "seq", row_seq(export->scan, batch, row));
	put_note(out, "text", ANNOTATION_TEXT, text);
	put_note(out, "fields", ANNOTATION_JSON, args);
	event_end(export, out, start);
	return true;
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static enum rst_status perfetto_begin(struct export *export, struct rst_error *err)
{
	struct perfetto *perfetto = export->state;

	perfetto->has_packet = outbuf_init(&perfetto->packet, OUTBUF_MEMORY);
	return perfetto->has_packet ? RST_OK : error_nomem(err);
}

static void perfetto_done(struct export *export)
{
	struct perfetto *perfetto = export->state;

	for (size_t i = 0; i < N_GROUPS; i++)
		subjects_done(&perfetto->tracks[i]);
	subjects_done(&perfetto->names);
	if (perfetto->has_packet)
		outbuf_done(&perfetto->packet);
}

const struct export_format export_format_perfetto = {
	.name = "perfetto",
	.extension = ".pftrace",
	.about = "Perfetto's protobuf: ui.perfetto.dev, trace_processor",
	.keeps = "events with fields and sentences, all intervals, levels, what woke what, losses",
	.leaves = "time below 1 ns, wall clock, priorities",
	.wants_texts = true,
	.wants_clock = true,
	.state_bytes = sizeof(struct perfetto),
	.intervals = UINT32_MAX,
	.begin = perfetto_begin,
	.row = perfetto_row,
	.piece = perfetto_piece,
	.done = perfetto_done,
};
