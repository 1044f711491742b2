/* SPDX-License-Identifier: MIT */
/*
 * The SystemView dialect: streams of packets as SEGGER's recorder writes them, raw or in a .SVDat file.
 * README.md beside this file describes the format. Bytes go through the files in this order:
 *
 *	head.c       text lines in front of the packets of a .SVDat file, and the places of its streams
 *	packet.c     bytes to packets
 *	stream.c     from packet to packet, and over damage
 *	names.c      names of tasks, interrupts, resources, modules and markers; the clock
 *	events.c     tables of events (the files *.def) to types
 *	core.c       the task, interrupts and calls of each core
 *	rows.c       packets to rows: time, context, losses, runs
 *	merge.c      several streams on one axis; ESP-IDF's events that belong to no core
 *	systemview.c the contract
 */
#ifndef SYSTEMVIEW_SYSTEMVIEW_H
#define SYSTEMVIEW_SYSTEMVIEW_H

#include "base/text.h"
#include "dialect/dialect.h"

extern const struct dialect dialect_systemview;

enum {
	SV_STREAMS_MAX = LIMIT(64, 4), /* streams of one trace; later ones are not read */
	SV_HEAD_MAX = 4096,	       /* bytes of the text lines of a file */
	SV_SYNC_BYTES = 10,
	SV_ID_LENGTHS = 24, /* packets with this id and higher ones have a length */
	SV_ID_OWN = 32,	    /* the first id of the operating system */
	SV_ID_MODULES = 512,
	SV_ID_PLAUSIBLE = 2048,
	SV_ID_MAX = 32767,
	SV_NESTING = 8,
	SV_FIELDS_MAX = 12,
	SV_ARGS_MAX = LIMIT(4096, 64),	/* numbers of one packet that are shown */
	SV_TASKS_MAX = LIMIT(4096, 16), /* tasks without a name that have a context of their own */
	SV_NAMES_MAX = LIMIT(65536, 32),
	SV_AWAITED_MAX = LIMIT(1024, 4), /* objects whose waits have a layout of their own */
	SV_SHARED_MAX = 256, /* recent events of no core, among which another core's copy is searched */
	SV_SCRATCH_BYTES = 1 << 20,
};

/* Ids of packets that the reader itself must know. */
enum sv_id {
	SV_NOP = 0,
	SV_OVERFLOW = 1,
	SV_ISR_ENTER = 2,
	SV_ISR_EXIT = 3,
	SV_START_EXEC = 4,
	SV_STOP_EXEC = 5,
	SV_START_READY = 6,
	SV_STOP_READY = 7,
	SV_TASK_CREATE = 8,
	SV_TASK_INFO = 9,
	SV_TRACE_START = 10,
	SV_TRACE_STOP = 11,
	SV_SYSDESC = 14,
	SV_IDLE = 17,
	SV_ISR_TO_SCHEDULER = 18,
	SV_STACK_INFO = 21,
	SV_MODULEDESC = 22,
	SV_DATA_SAMPLE = 23,
	SV_INIT = 24,
	SV_NAME_RESOURCE = 25,
	SV_PRINT_FORMATTED = 26,
	SV_NUMMODULES = 27,
	SV_END_CALL = 28,
	SV_TASK_TERMINATE = 29,
	SV_FREE_ID = 30,
	SV_EX = 31,
	SV_EX_NAME_MARKER = 1,
	SV_EX_REGISTER_DATA = 6,
};

/* --- packets ------------------------------------------------------------------------------------------- */

struct sv_packet {
	uint32_t id;
	uint32_t delta; /* ticks since the packet before */
	const uint8_t *payload;
	size_t n_payload;
	size_t n_bytes; /* of the whole packet */
};

enum sv_parse { SV_WHOLE, SV_CUT, SV_BAD, SV_SYNC };

/*
 * Parses the packet at `at`. SV_CUT: the bytes end before the packet does. SV_BAD: *ret_what is the reason,
 * one clause. SV_SYNC: a sync of ret->n_bytes bytes, with the zeros behind it.
 */
enum sv_parse sv_parse(struct sv_packet *ret, const uint8_t *at, const uint8_t *end, const char **ret_what);

/*
 * Whether n packets in a row from `at` are plausible, or all packets to the end, if is_end and there is at
 * least one.
 */
bool sv_is_plausible(const uint8_t *at, const uint8_t *end, unsigned n, bool is_end);

/*
 * Finds the first place from `at` on where reading can go on: a sync, or 24 plausible packets. Returns end if
 * nothing is found.
 */
const uint8_t *sv_resume(const uint8_t *at, const uint8_t *end, bool is_end);

/* Takes a number of at most n_most bytes. Returns false if it is longer or cut. */
bool sv_number(const uint8_t **at, const uint8_t *end, unsigned n_most, uint64_t *ret);

/* Takes a text; it points into the payload. Returns false if it is cut. */
bool sv_text(const uint8_t **at, const uint8_t *end, struct text *ret);

/* --- heads --------------------------------------------------------------------------------------------- */

struct sv_head {
	size_t n_bytes; /* 0 means that the file has no head */
	size_t n_lines;
	bool is_closed; /* by a line with nothing but a semicolon */
	bool is_mixed;	/* ESP-IDF's old form: bits of the ids are the core */
	size_t n_offsets;
	uint64_t offsets[SV_STREAMS_MAX]; /* of streams, from the first byte behind the head */
	struct text author, version, record_time, title, description; /* in the head; empty: not there */
	bool is_cut;						      /* the bytes end inside the head */
};

void sv_head_parse(struct sv_head *ret, const uint8_t *bytes, size_t n_bytes);

/* --- sets of events ------------------------------------------------------------------------------------ */

enum sv_type {
	SV_NO_FIELD,
	SV_NUMBER,
	SV_SIGNED,
	SV_HEX,
	SV_ADDRESS, /* shrunk */
	SV_POINTER, /* a whole address */
	SV_SIZE,    /* shifted right by the id shift */
	SV_TEXT,
	SV_TASK,
	SV_OBJECT,    /* of the field's kind; shrunk */
	SV_COUNTED,   /* an object whose id is a number */
	SV_HANDLE,    /* a queue, semaphore or mutex: its creation decides */
	SV_INTERRUPT, /* a number */
	SV_REAL,      /* 32 bits of a float */
	SV_LOW_HIGH,  /* two numbers, the low half first */
	SV_REST,      /* all numbers that are left */
};

struct sv_field {
	const char *name;
	uint8_t type;			   /* enum sv_type */
	uint8_t kind;			   /* enum rst_object_kind */
	const struct rst_constants *names; /* of numbers; NULL: the number says all */
};

/* How a call of the operating system acts on its handle or its task. */
enum sv_role {
	SV_PLAIN,
	SV_TAKES, /* takes out of the handle in its first field */
	SV_GIVES, /* puts into it */
	SV_GIVES_ISR,
	SV_TAKES_ISR,
	SV_SLEEPS,
	SV_WAITS, /* for a notification or the like */
	SV_SUSPENDS,
	SV_DELETES,   /* the task in its first field */
	SV_QUEUES_UP, /* puts the task into the list of those that wait */
	SV_UNLISTS,   /* takes a task out of a list, such as the one of ready tasks */
	SV_CREATES,   /* END_CALL has the handle */
	SV_CREATES_MUTEX,
	SV_CREATES_SEMAPHORE,
};

struct sv_event {
	uint32_t id;
	const char *name;
	const char *label;
	const struct sv_field *fields;
	const struct rst_effect *effects; /* of fields; NULL: by its role */
	enum sv_role role;
};

struct sv_set {
	const char *name;
	size_t n_events;
	const struct sv_event *events; /* by id, ascending */
	bool has_ends;		       /* calls may have an END_CALL */
	bool all_end;		       /* all of them have */
	bool has_whole_addresses;      /* arguments of calls are not shrunk */
	bool hides_waits;	       /* no event shows that a task begins to wait */
	struct rst_constants ids;      /* names by id */
};

extern const struct sv_set sv_sets[];
const struct sv_set *sv_set_find(const char *name);
const struct sv_event *sv_event_find(const struct sv_set *set, uint32_t id);
const struct sv_event *sv_event_core(uint32_t id, uint64_t ex);

/* --- the trace ----------------------------------------------------------------------------------------- */

/* A call that has not returned. */
struct sv_call {
	uint32_t id;
	bool has_object;
	uint8_t kind; /* of the object */
	uint64_t object;
};

enum { SV_CALLS_MAX = 8 };

struct sv_calls {
	uint8_t n; /* deeper ones are not kept */
	struct sv_call calls[SV_CALLS_MAX];
};

struct sv_task {
	unsigned epoch;
	bool has_run, is_running, is_stopped, is_ready, is_blocking;
	bool leaves_waiting; /* the next switch makes it wait, for: */
	enum rst_reason reason;
	enum rst_effect_kind wants; /* RST_EFFECT_NONE: no known object */
	const struct sv_awaited *awaited;
	enum sv_role just_called; /* the role of its last event, if that is a call */
	struct sv_calls calls;
};

/* An object for which tasks wait. */
struct sv_awaited {
	uint64_t id;
	uint8_t kind;	 /* enum rst_object_kind */
	uint16_t number; /* 1: the first */
};

/* A core: its task, its interrupts, and the calls that are open. */
struct sv_core {
	enum { SV_RUNS_UNKNOWN, SV_RUNS_TASK, SV_RUNS_IDLE } runs;
	uint64_t task;
	bool has_switched; /* all open interrupts are known */
	uint8_t n_interrupts;
	uint32_t interrupts[SV_NESTING];
	struct sv_task *known; /* of task; NULL: not kept */
	struct sv_calls calls; /* of interrupts, and of what is not known */
};

enum sv_next {
	SV_NEXT_UNKNOWN, /* not looked for yet */
	SV_NEXT_PACKET,
	SV_NEXT_DAMAGE, /* n_damaged bytes from at on */
	SV_NEXT_WAIT,	/* more bytes must come first */
	SV_NEXT_OVER,	/* no bytes are left */
};

/* One stream of packets: one core. */
struct sv_stream {
	const uint8_t *start, *at, *end; /* its bytes; the next one to be read */
	uint64_t offset;		 /* of start in its input */
	const char *source;
	unsigned recording; /* streams of one recording have the same number */
	uint16_t number;    /* of the core */
	bool is_end;	    /* no bytes follow behind end */

	bool is_joined;	     /* a first packet was found */
	bool is_behind_sync; /* zeros here belong to a sync */
	bool is_searching;   /* the next readable place is being searched for; n_passed bytes are damaged */
	size_t n_passed;
	const char *what; /* the reason for the damage */

	enum sv_next next;
	struct sv_packet packet;
	size_t n_damaged;

	bool has_started;   /* a packet was read: the next delta counts */
	bool begins_target; /* the first packet was TRACE_START */
	bool has_rows;
	bool has_overflow;
	uint32_t overflow; /* the last count */
	uint64_t ticks;	   /* of the last packet */
	struct sv_core core;
};

struct sv_shared {
	uint64_t ticks, hash, seen; /* by streams: bits */
};

/* The event of a module, or the name of one of the program's own events. */
struct sv_module_event {
	const char *name;
	struct sv_field *fields;
	unsigned n_fields;
};

struct sv {
	const struct sv_set *set; /* NULL: not known */
	bool is_set_given, is_esp, is_freertos, is_freertos11;
	uint64_t wanted_hz;
	bool has_init;
	uint32_t ram_base;
	unsigned shift;

	bool has_looked; /* names of whole files were taken in a first pass; their streams wait to be merged */
	bool has_head;	 /* the head of the input that comes in pieces was read */

	struct sv_stream streams[SV_STREAMS_MAX];
	size_t n_streams;
	unsigned n_recordings, recording; /* the one that is being merged */
	struct sv_stream live;		  /* of an input that comes in pieces */

	struct map layouts; /* by id and variant to struct sv_shape */
	struct map handles; /* by whole id to a byte of numbers[]: the kind of object */
	struct map samples; /* by number to a byte of numbers[]: the type of its values */
	struct map modules; /* by id to struct sv_module_event */
	struct map tasks;   /* by whole id to struct sv_task */
	struct map awaited; /* by whole id to struct sv_awaited */
	uint16_t n_awaited;
	struct map module_names;     /* by offset */
	const struct sv_set *os_set; /* the set that the name of the operating system means; NULL: none */
	unsigned has_details;	     /* bits */
	size_t n_tasks;
	size_t n_names;
	uint64_t ends[SV_ID_PLAUSIBLE / 64]; /* ids of calls that END_CALL names: bits */

	struct sv_shared shared[SV_SHARED_MAX];
	size_t n_shared;
	uint64_t seq, base; /* base: ticks at which the recording begins */
	unsigned epoch;	    /* counts losses: what was known of tasks before is stale */
	bool has_missed_exits, has_passed_streams;
};

enum { SV_COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH };

enum sv_step { SV_DONE, SV_NO_ROOM, SV_NO_MEMORY };

/* names.c: takes the names and facts in a packet. Returns false if memory ran out. */
bool sv_names_take(struct sv *sv, struct model *model, const struct sv_packet *packet);

/* Adds the facts of a head to the model. Returns false if memory ran out. */
bool sv_names_head(struct sv *sv, struct model *model, const struct sv_head *head);

/* Chooses the set of events by what is known. */
void sv_names_choose(struct sv *sv);

/* The whole id of a shrunk one. */
static inline uint64_t sv_whole_id(const struct sv *sv, uint64_t id)
{
	if (!sv->ram_base && !sv->shift)
		return id;
	return id > UINT32_MAX ? id : (uint32_t)(sv->ram_base + (uint32_t)(id << sv->shift));
}

/* The kind of a handle of FreeRTOS: what created it decides, else a queue. */
enum rst_object_kind sv_handle_kind(const struct sv *sv, uint64_t id);

/* How an event's layout is chosen, and which call it begins or ends. */
struct sv_plan {
	unsigned ex, variant;
	const struct sv_task *left;  /* this switch makes it wait; NULL: no task */
	const struct sv_event *call; /* this event begins it */
	const struct sv_call *ended; /* this event ends it */
	uint64_t object;	     /* END_CALL: the object of the call, or the one that it created */
};

struct sv_shape {
	const struct rst_layout *layout;
	const struct sv_field *fields;
	unsigned n_fields;
};

/* events.c: makes the layout of an event that is planned so. Returns NULL if memory ran out. */
const struct sv_shape *sv_shape(struct sv *sv, struct model *model, uint32_t id, const struct sv_plan *plan);
bool sv_catalogue(struct model *model);

/*
 * Variants of an event's layout. A call has the kind of its handle, and bits. END_CALL also has the id of the
 * call that ends. Other events have one of the numbers.
 */
enum {
	SV_VARIANT_KIND = 0xff,
	SV_VARIANT_SPAN = 0x100,   /* an END_CALL is expected */
	SV_VARIANT_OBJECT = 0x200, /* END_CALL: the handle of the call is known */
	SV_VARIANT_CALL_SHIFT = 12,
	SV_VARIANT_ARGS = 0x801,  /* the payload is no more than numbers */
	SV_VARIANT_BYTES = 0x802, /* not even that */
	SV_VARIANT_NO_WAKE = 1,	  /* TASK_START_READY of a task that runs or is ready */
	SV_VARIANT_REAL = 1,
	SV_VARIANT_SIGNED = 2,
	SV_VARIANT_OUTS = 0xf,	      /* switches: the number of interrupts that are open */
	SV_VARIANT_WAITS = 0x10,      /* switches: the task that leaves waits */
	SV_VARIANT_WANTS_SHIFT = 5,   /* switches: the effect that asks for the awaited object */
	SV_VARIANT_REASON_SHIFT = 12, /* switches: why it waits */
	SV_VARIANT_UNSAID = 0x400,    /* switches: no event shows what the task that leaves does */
	SV_VARIANT_NO_INTERRUPT = 1,  /* ends of interrupts: no interrupt is open */
	SV_VARIANT_RUNS = 1,	      /* TASK_STOP_READY of the task that runs */
};

/* --- cores --------------------------------------------------------------------------------------------- */

/* Returns the first number of a payload, or 0 if the payload is empty. */
uint64_t sv_first_number(const struct sv_packet *packet);

/* core.c: after a loss, cores and tasks are not known. */
void sv_forget(struct sv *sv);

/* Plans the row of a packet. Returns false if memory ran out. */
bool sv_plan_make(struct sv_plan *plan, struct sv *sv, struct model *model, const struct sv_packet *packet,
	struct sv_stream *stream);

/* Changes the core before the row is made: an interrupt's first event belongs to it. */
void sv_core_before(struct sv_core *core, const struct sv_packet *packet);

/*
 * Changes the core behind the row. first is the number in the row's first field. Returns false if memory ran
 * out.
 */
bool sv_core_after(struct sv *sv, struct model *model, struct sv_core *core, const struct sv_packet *packet,
	const struct sv_plan *plan, uint64_t first);

/*
 * rows.c: takes the next packet or damage of a stream. is_shared: the event belongs to no core. SV_NO_ROOM:
 * it changed nothing, because the batch must go out first.
 */
enum sv_step sv_take(
	struct sv *sv, struct model *model, struct batch *batch, struct sv_stream *stream, bool is_shared);

/* The ticks of the next packet or damage. */
uint64_t sv_next_ticks(const struct sv_stream *stream);

/* stream.c: finds what comes next, and sets stream->next. */
void sv_peek(struct sv_stream *stream);

/* Makes a stream begin anew with these bytes. */
void sv_stream_begin(
	struct sv_stream *stream, const uint8_t *bytes, size_t n_bytes, uint64_t offset, const char *source);

/* merge.c: registers the streams of a whole file, and takes their names. Returns false if memory ran out. */
bool sv_merge_add(struct sv *sv, struct model *model, const struct chunk *whole);

/* Makes rows of all registered streams. SV_DONE: they are through. */
enum sv_step sv_merge(struct sv *sv, struct model *model, struct batch *batch);

#endif
