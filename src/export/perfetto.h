/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's protobuf: a stream of TracePackets (docs of Perfetto: "Synthetic Track Event",
 * trace_packet.proto, track_event.proto, ftrace_event.proto). Packets need no order: readers sort by time.
 *
 *	tracks	    a descriptor for each process, thread, core, lock, … when it is met
 *	slices	    begins and ends of what lasts; counters for levels; flows from what woke a thread, or sent, to what it led to
 *	sched	    what the cores ran, as ftrace's sched_switch and sched_waking: Perfetto's own tracks of processors and threads
 *	fields	    instants for events, with their fields
 *
 * Names are interned: a number stands for each, and is written with its name before its first use. After a
 * loss, readers forget all names (the next packet has a flag for lost packets), so a name counts as written
 * in one `era` only.
 */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include "export/export.h"
#include "export/protobuf.h"

enum {
	SEQUENCE = 1,
	FLAG_CLEARED = 1,
	FLAG_NEEDS = 2,
	CLOCK_REALTIME_ID = 1,
	CLOCK_MONOTONIC_ID = 3,
	CLOCK_BOOT_ID = 6
};

/* Numbers of fields. */
enum {
	TRACE_PACKET = 1,

	PACKET_FTRACE = 1,
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_IS_LOST = 42, /* previous_packet_dropped */
	PACKET_DESCRIPTOR = 60,
	PACKET_IS_FIRST = 87, /* first_packet_on_sequence */

	CLOCKS_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,

	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	EVENT_CATEGORY_IID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER_VALUE = 30,
	EVENT_COUNTER_DOUBLE = 44,
	EVENT_FLOW = 47,

	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,

	ANNOTATION_NAME_IID = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_TEXT = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_ITEM = 12,
	ANNOTATION_TEXT_IID = 17,

	INTERNED_CATEGORY = 1,
	INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3,
	INTERNED_ANNOTATION_TEXT = 29,
	INTERNED_IID = 1,
	INTERNED_TEXT = 2,

	BUNDLE_CORE = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_HAS_LOST = 3,
	FTRACE_TIMESTAMP = 1,
	FTRACE_PID = 2,
	FTRACE_SWITCH = 4,
	FTRACE_WAKING = 20,
};

/* Tracks stand in groups, but for threads, which have their processes. */
enum group {
	GROUP_CORES = 1,
	GROUP_INTERRUPTS,
	GROUP_THREADS, /* and what else has events: interrupts, initialisation, … */
	GROUP_SPANS,
	GROUP_LOCKS,
	GROUP_MACHINES,
	GROUP_LEVELS,
	GROUP_PROCESSES,
	N_GROUPS
};

/* Numbers of annotations' names; those of fields are behind them. */
enum annotation_name {
	NOTE_CERTAINTY = 1,
	NOTE_OBJECT,
	NOTE_BY,
	NOTE_CORE,
	NOTE_FROM_SEQ,
	NOTE_TO_SEQ,
	NOTE_SEQ,
	NOTE_TEXT,
	NOTE_REASON,
	NOTE_EVENTS,
	NOTE_OFFSET,
	NOTE_BYTES,
	NOTE_PRIORITY,
	NOTE_FIRST_FIELD,
};

/* Numbers of categories: of intervals their kind + 1. */
enum category {
	CATEGORY_EVENT = RST_N_INTERVAL_KINDS + 1,
	CATEGORY_LOSS,
	CATEGORY_WAKE,
	CATEGORY_SEND,
	CATEGORY_RUN,
	N_CATEGORIES
};

/*
 * Names of events that need no table: of states with reasons, of kinds of intervals, and these words. Others
 * have greater numbers.
 */
enum fixed_name {
	NAME_STATE = 1,
	NAME_KIND = NAME_STATE + (RST_N_STATES + 1) * RST_N_REASONS,
	NAME_WAKES = NAME_KIND + RST_N_INTERVAL_KINDS,
	NAME_LOST,
	NAME_DAMAGE,
	NAME_SENDS,
	NAME_RECEIVES,
	NAME_RUN,
	N_FIXED_NAMES
};

/* A thread has left a core, and what it does from then on is not known yet. */
struct perfetto_leave {
	bool is_open;
	uint16_t core;
	uint64_t at; /* ticks */
	struct perfetto_track *next;
};

/* The state of a thread after it left a core. */
struct perfetto_after {
	bool is_known;
	uint64_t at; /* ticks */
	enum rst_state state;
	enum rst_reason reason;
};

/* The state of a thing. */
struct perfetto_track {
	struct subject subject;
	uint64_t uuid; /* 0 until its descriptor is written; spans of depth n have this + n */
	unsigned n_depths;
	const char *name; /* as the descriptor has it */
	/* Spans: the end of the last one of each depth; memory of the export. */
	uint64_t *ends;
	unsigned n_ends;
	/* For threads, and for other things that run on a core. */
	uint32_t tid;  /* 0: none yet */
	uint16_t core; /* on which it ran last; RST_NO_CORE */
	struct perfetto_leave leave;
	struct perfetto_after after; /* its last run */
};

/* The state of a core, by its number. */
struct perfetto_core {
	bool is_known;
	bool has_lost;		    /* its next bundle has the flag for lost events */
	struct perfetto_track *now; /* NULL: idle */
	struct perfetto_after
		after; /* that run; the thread may run elsewhere before this core's next interval is known */
};

struct perfetto_name {
	struct subject subject;
	uint32_t iid;
	const char *text; /* as it was written: a thing may get a name later */
	uint32_t era;
};

/* The name of events of a type. */
struct perfetto_type {
	uint32_t era, iid;
};

/* The first bytes of an annotation; the second byte becomes the length of the rest. */
struct perfetto_lead {
	char bytes[16];
	uint8_t n_bytes;
};

/* How a field is written. */
struct perfetto_field {
	const struct rst_field *field;
	struct perfetto_lead lead, lead_word;
	size_t room;	   /* of this field and those behind it, but for long texts */
	bool is_word;	   /* four or eight bytes without a sign */
	uint32_t iid;	   /* the name of the annotation */
	uint32_t iid_word; /* … and of the annotation with the name for the number; 0 without one */
	uint32_t kind;	   /* number of the annotation's field */
};

struct perfetto_plan {
	uint32_t era;
	unsigned n_fields;
	size_t room;
	struct perfetto_field fields[];
};

struct perfetto {
	struct export *export;
	struct subjects tracks[N_GROUPS];
	struct subjects names; /* of things that slices are called by */
	bool has_group[N_GROUPS];
	uint32_t era; /* from 1 on */
	uint64_t n_uuids, n_span_uuids, n_flows;
	uint32_t fixed_eras[N_FIXED_NAMES];
	uint32_t n_names;	     /* of types and things */
	struct perfetto_type *types; /* by index */
	size_t types_room;
	struct perfetto_plan **plans; /* by index of the layout */
	size_t plans_room;
	uint32_t n_annotations;
	uint64_t ns_per_tick; /* 0 if it is no whole number */
	size_t n_pairs;	      /* of the clock that are written */
	bool has_clock;	      /* the time of the first event is written */
	/* Scheduling. */
	uint32_t n_tids, tid_of_target;
	struct perfetto_core *cores;
	size_t cores_room;
	struct outbuf bundle; /* events of one core that are not written yet */
	uint16_t bundle_core;
	bool has_bundle;
	/* Queues. */
	struct subjects queues;
	struct arena arena;
};

/* Nanoseconds since the first event, or ticks. */
static inline uint64_t perfetto_time(const struct export *export, uint64_t ticks)
{
	const struct perfetto *perfetto = export->state;
	const struct times *times = &export->scan->times;

	if (ticks <= times->first)
		return 0;
	return perfetto->ns_per_tick ? (ticks - times->first) * perfetto->ns_per_tick
				     : times_ns(times, ticks);
}

/* --- a packet ------------------------------------------------------------------------------------------- */

/* Where a packet begins in export->out, which may move: places are counted from its start. */
struct packet {
	struct outbuf *out;
	size_t start, event; /* of the packet's bytes, and of the track event's; 0 if memory ran out */
};

enum { PACKET_ROOM = 512 }; /* of a packet but for texts and fields */

/*
 * A packet, with room for so many bytes beside PACKET_ROOM; flags: of the sequence, or 0. Returns false if
 * there is no room.
 */
static inline bool packet_begin(struct packet *packet, struct export *export, size_t n_more, unsigned flags)
{
	struct outbuf *out = export->out;

	packet->out = out;
	if (!outbuf_reserve(out, PACKET_ROOM + n_more))
		return false;
	out->at = proto_begin(out->at, TRACE_PACKET, PROTO_LENGTH);
	packet->start = (size_t)(out->at - out->start);
	out->at = proto_number(out->at, PACKET_SEQUENCE, SEQUENCE);
	if (flags)
		out->at = proto_number(out->at, PACKET_FLAGS, flags);
	return true;
}

static inline void packet_end(const struct packet *packet)
{
	proto_end(packet->out->start + packet->start, packet->out->at, PROTO_LENGTH);
}

/* Puts the begin of a packet with a track event, up to the time. */
static inline char *event_head(char *p)
{
	static const char head[8] = { PACKET_SEQUENCE << 3, SEQUENCE, PACKET_FLAGS << 3, FLAG_NEEDS,
		PACKET_TIMESTAMP << 3 };

	memcpy(p, head, sizeof(head));
	return p + 5;
}

/* Begins a packet with a track event; the following calls add to it. */
static inline bool event_begin(struct packet *packet, struct export *export, size_t n_more, unsigned type,
	uint64_t track, uint64_t at)
{
	struct outbuf *out = export->out;
	char *p;

	packet->out = out;
	if (!outbuf_reserve(out, PACKET_ROOM + n_more))
		return false;
	p = proto_begin(out->at, TRACE_PACKET, PROTO_LENGTH);
	packet->start = (size_t)(p - out->start);
	p = proto_varint(event_head(p), perfetto_time(export, at));
	p = proto_begin(p, PACKET_TRACK_EVENT, PROTO_LENGTH);
	packet->event = (size_t)(p - out->start);
	p = proto_number(p, EVENT_TYPE, type);
	out->at = proto_number(p, EVENT_TRACK, track);
	return true;
}

static inline void event_end(const struct packet *packet)
{
	proto_end(packet->out->start + packet->event, packet->out->at, PROTO_LENGTH);
	packet_end(packet);
}

/* An annotation that is a number: field is ANNOTATION_UINT and the like. */
static inline __attribute__((always_inline)) char *note_number(
	char *p, enum annotation_name note, unsigned field, uint64_t number)
{
	const char lead[8] = { EVENT_ANNOTATION << 3 | PROTO_BYTES, 0, ANNOTATION_NAME_IID << 3, (char)note,
		(char)(field << 3) };
	char *const start = p;

	memcpy(p, lead, sizeof(lead));
	p = proto_varint(p + 5, number);
	start[1] = (char)(p - start - 2);
	return p;
}

enum { NOTE_ROOM = 32 }; /* of an annotation but for its text */

static inline char *note_text(char *p, uint32_t iid, struct text text)
{
	const size_t n_text = 1 + proto_varint_bytes(text.n_bytes) + text.n_bytes;

	p = proto_varint(proto_key(p, EVENT_ANNOTATION, PROTO_BYTES), 1 + proto_varint_bytes(iid) + n_text);
	p = proto_number(p, ANNOTATION_NAME_IID, iid);
	return proto_bytes(p, ANNOTATION_TEXT, text.bytes, text.n_bytes);
}

/* --- perfetto_names.c ----------------------------------------------------------------------------------- */

/* A new era: a packet that has what all packets need. is_lost: packets before it are missing. */
void names_begin(struct export *export, bool is_lost);

/* Numbers of names of events; 0 if memory ran out. */
uint32_t name_of_fixed_slow(struct export *export, unsigned fixed);
uint32_t name_of_type_slow(struct export *export, const struct rst_type *type);

static inline uint32_t name_of_fixed(struct export *export, unsigned fixed)
{
	const struct perfetto *perfetto = export->state;

	return perfetto->fixed_eras[fixed] == perfetto->era ? fixed : name_of_fixed_slow(export, fixed);
}

static inline uint32_t name_of_type(struct export *export, const struct rst_type *type)
{
	const struct perfetto *perfetto = export->state;

	return type->index < perfetto->types_room && perfetto->types[type->index].era == perfetto->era
		       ? perfetto->types[type->index].iid
		       : name_of_type_slow(export, type);
}
uint32_t name_of_thing(struct export *export, const struct rst_entity *entity);

/* Writes the number and the name of an annotation. */
void annotation_write_name(struct export *export, uint32_t iid, struct text text);

enum { NUMBER_ROOM = TEXT_HEX_MAX + TEXT_DEC_MAX };

/* The name of a thing, or else its number, which is put into the room. */
struct text name_of_entity(const struct rst_entity *entity, char room[NUMBER_ROOM]);

/* --- perfetto_tracks.c ---------------------------------------------------------------------------------- */

/* Finds or makes the state of a thing. Returns NULL if memory ran out. */
struct perfetto_track *track_reach(struct export *export, enum group group, const struct rst_entity *entity);

/*
 * The uuid of a track. Writes its descriptor before the first use. Spans have one uuid for each depth, so
 * that they need not nest.
 */
uint64_t track_uuid_slow(
	struct export *export, enum group group, struct perfetto_track *track, unsigned depth);

static inline uint64_t track_uuid(
	struct export *export, enum group group, struct perfetto_track *track, unsigned depth)
{
	return depth < track->n_depths && track->name == track->subject.entity.name
		       ? track->uuid + depth
		       : track_uuid_slow(export, group, track, depth);
}

/*
 * The depth whose track a span takes: its own, or the next one that has no span at that time. Spans that do
 * not nest, or whose begins are not known, may have one depth at one time. Returns false if memory ran out.
 */
bool track_span_depth(
	struct export *export, struct perfetto_track *track, const struct piece *piece, unsigned *ret_depth);

/* Finds the track and its number in one call; 0 if memory ran out. */
uint64_t track_of(struct export *export, enum group group, const struct rst_entity *entity, unsigned depth);

/* The thread id in ftrace's events. */
uint32_t track_tid(struct export *export, struct perfetto_track *track);

/* --- perfetto_slices.c, perfetto_sched.c, perfetto_fields.c, perfetto_queues.c -------------------------- */

/* A piece, its track, and the track of the thread that woke its thread, or NULL. */
struct placed {
	const struct piece *piece;
	enum group group;
	struct perfetto_track *track, *waker;
};

bool slice_put(struct export *export, const struct placed *placed);

/* Writes switches of cores and wake-ups of threads. Returns false if memory ran out. */
bool sched_see(struct export *export, const struct placed *placed);
/* Events are lost: on this core, or on all (RST_NO_CORE). */
bool sched_lose(struct export *export, uint16_t core);
/* Writes the remaining events. */
bool sched_end(struct export *export);

bool event_put(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at);

/* Writes a flow from the sender to the receiver of a message. */
bool queue_see(void *context, const struct occurrence *occurrence);
void queues_lose(struct export *export);

#endif
