/* SPDX-License-Identifier: MIT */
/*
 * The POSIX dialect: Rastrum logs that <trace.h> wrote. docs/LOG.md describes their bytes; README.md beside
 * this file describes the rows that we make of them. The way of a byte through the room:
 *
 *	input.c     chunks to blocks: the header, streams, what ends an input
 *	ahead.c     an input that is there as a whole: one look ahead, its blocks in the order written
 *	spans.c     blocks that are looked at when they are reached, by what the end of the log says of them
 *	window.c    which blocks a report of a part can do without
 *	blocks.c    what each kind of block does
 *	rows.c      events to rows
 *	types.c     event types: the predefined ones, and those that the log names and describes
 *	preloaded.c what the events of librastrum-preload.so mean
 *	shared.c    locks in memory that processes share
 *	scopes.c    what begins, ends or counts, by its name
 *	scheduler.c what the kernel's switches mean
 *	sets.c      event sets in words
 *	tasks.c     processes and threads
 *	sites.c     modules of processes, and names of the calls in them
 *	times.c     the clock's frequency, and what time it was
 *	details.c   what `info` shows
 *	posix.c     the contract
 */
#ifndef POSIX_POSIX_H
#define POSIX_POSIX_H

#include "dialect/dialect.h"
#include "dialect/hook_word.h"
#include "log/scan.h"
#include "log/spans.h"
#include "log/zstd.h"
#include "symbol/memory.h"

extern const struct dialect dialect_posix;

enum {
	POSIX_IDS = 65536, /* of event types */
	/* Threads with a context of their own; later ones are unknown. */
	POSIX_THREADS_MAX = LIMIT(32768, 16),
	POSIX_NAMES_MAX = LIMIT(262144, 32),   /* names of processes and threads that are kept */
	POSIX_SITES_MAX = LIMIT(65536, 32),    /* addresses with names; later ones are hexadecimal */
	POSIX_MAPPINGS_MAX = LIMIT(65536, 32), /* of files in processes, that are kept */
	POSIX_RECENT = 256,
	POSIX_NAMELESS = 1024, /* addresses that are known to lie in no module */
	/* Bytes for descriptions of types; twice as many together with what rows need of them. */
	POSIX_TYPES_BYTES = LIMIT(64 << 20, 16 << 10),
	POSIX_SITE_BYTES = LIMIT(16 << 20, 4096),    /* of names of addresses; later ones are hexadecimal */
	POSIX_ENTRIES_MAX = LIMIT(1 << 20, 16),	     /* blocks that are looked at ahead, … */
	POSIX_AREA_ENTRIES_MAX = LIMIT(4 << 20, 64), /* … and those of a log with a ring area */
	POSIX_SCRATCH_BYTES = 128 << 10,	     /* room for the longest event at least */

	/*
	 * Offsets in a row's payload, which begins at the address of the event. The data follow these
	 * members.
	 */
	POSIX_AT_ADDRESS = 0,
	POSIX_AT_PID = 8,
	POSIX_AT_DATA = 24,
	/*
	 * The payload of a cut event has these bytes more: it begins with the event, so that its flags are in
	 * it.
	 */
	POSIX_CUT_MORE = 16,
};

/* Selected by how much data there is. Each shape also exists for cut events. */
enum posix_shape {
	POSIX_AS_DESCRIBED, /* the fields, or no data if the type has no fields */
	POSIX_BYTES,	    /* data beyond the fields, or of a type without fields */
	POSIX_BYTES_TEXT,   /* the same that can be read as text */
	POSIX_SETS,	    /* event sets, with their words */
	POSIX_N_SHAPES
};

enum { POSIX_COLUMNS = BATCH_CORE | BATCH_PRIORITY };

struct posix_type {
	uint16_t id;
	const char *name, *label;
	const struct posix_system *system;	 /* of a predefined type */
	const struct posix_preloaded *preloaded; /* of an event of librastrum-preload.so */
	const struct posix_switch *change;	 /* of a switch of the kernel */
	const uint8_t *said;			 /* the fields as the log had them */
	unsigned n_said;
	uint8_t hook_bytes;   /* of the hook word, if its data are an AIX trace entry; else 0 */
	uint32_t n_described; /* bytes of data that the fields take; UINT32_MAX: all */
	const struct rst_layout *layouts[2][2][POSIX_N_SHAPES]; /* is_shared, is_cut; made when needed */
};

struct posix_site;

struct posix_nameless {
	uint64_t address, generation;
	uint32_t pid;
};

enum posix_detail {
	POSIX_DETAIL_NAME,
	POSIX_DETAIL_VERSION,
	POSIX_DETAIL_CREATED,
	POSIX_DETAIL_STARTED,
	POSIX_DETAIL_FIRST_EVENT,
	POSIX_DETAIL_PID,
	POSIX_DETAIL_CONTROLLER,
	POSIX_DETAIL_HOST,
	POSIX_DETAIL_COMMAND,
	POSIX_DETAIL_CLOCK,
	POSIX_DETAIL_RESOLUTION,
	POSIX_DETAIL_STREAM_POLICY,
	POSIX_DETAIL_LOG_POLICY,
	POSIX_DETAIL_INHERITANCE,
	POSIX_DETAIL_STREAM_SIZE,
	POSIX_DETAIL_LOG_SIZE,
	POSIX_DETAIL_DATA_SIZE,
	POSIX_DETAIL_CLOCK_PAIRS,
	POSIX_DETAIL_MODULES,
	POSIX_DETAIL_COMPLETE,
	POSIX_DETAIL_END,
	POSIX_N_DETAILS
};
enum {
	POSIX_END_DETAILS = 11,
	POSIX_SESSION_DETAILS = 3,
	POSIX_CHANNELS_BYTES = 128,
	POSIX_HOOKS_BYTES = 8208,
	POSIX_TEXT_BYTES = 4 * 128 + 1
};

/* A block, a span of blocks of events, or damage, in an input that is available as a whole. */
struct posix_entry {
	/* NULL for damage. For a span: its first LOG_EVENTS block, which is not read yet. */
	const uint8_t *body;
	uint64_t offset, length, sequence;
	const char *what;
	uint16_t kind, flags;
	bool is_left_out; /* a block of events that its head shows not to be needed */
	/* Only for a span: */
	bool is_span;
	bool needs_first, needs_last; /* its first or last block must not be left out */
	uint32_t number;	      /* of it */
	uint64_t n_before;	      /* events in front of it */
};

struct posix_entries {
	struct posix_entry *items;
	size_t n, room;
};

enum posix_phase {
	POSIX_NO_INPUT,
	POSIX_HEAD,
	POSIX_STREAM, /* block by block, as they come */
	POSIX_GATHER, /* a ring area arrives in chunks, but can only be read as a whole */
	POSIX_WHOLE,  /* by entries */
	POSIX_OVER,
};

struct posix_input {
	enum posix_phase phase;
	const char *source;
	bool is_whole, is_end;
	const uint8_t *bytes; /* the bytes that are available … */
	size_t n_bytes;
	uint64_t at; /* … from here on in the input */
	struct log_scan scan;
	struct posix_entries entries;
	size_t n_done;
	/* For a log whose end has spans, if it is mapped and may be read in part. */
	bool may_have_spans, has_spans;
	struct log_span_list spans;
	struct posix_entries unfolded; /* the span that is being read */
	size_t n_unfolded_done;
	bool is_narrowed; /* to this: */
	struct dialect_window window;
	uint64_t wanted_from;	       /* event number */
	uint64_t ahead_to, ahead_next; /* the system reads ahead up to here, and by so much the next time */
	bool has_end;
	bool is_distrusted; /* a block had a wrong checksum: all are checked when they are gathered */
	bool is_told_cut;   /* the reason was reported already */
	bool is_bare;	    /* without a header */
	bool is_scanned;    /* there are no entries behind these */
	bool is_held_full;  /* the input is longer than the bytes that are held */
	uint64_t n_lost;    /* as reported so far */
	/* For a whole input with a ring area: the losses to report in front of the oldest event. */
	uint64_t n_overwritten, n_lost_before;
};

/* The blocks that were left out since the last batch. */
struct posix_passing {
	struct passed passed;
	uint64_t cores[64];
	bool is_taken;
};

struct posix {
	struct posix_input input;
	struct log_events_cursor cursor; /* of the block whose events are given out */
	struct log_event event;		 /* the last of them, */
	const uint8_t *data;		 /* and its data */
	bool is_event_held;		 /* it is not a row yet: the batch had no room */
	bool is_in_block;
	uint64_t block_offset; /* of that block in the input */
	const uint8_t *block_body;
	uint64_t block_bytes;  /* of its body in the input, if it is a zstd frame; else 0 */
	struct log_zstd *zstd; /* NULL until the first zstd block */
	uint64_t n_blocks;     /* ordinal of the present block */
	uint64_t seq;
	bool has_read, has_failed;
	struct rst_error failure;

	struct posix_type **types; /* by id */
	size_t types_room;
	struct hook_types hooks;

	struct map names;   /* pid and tid to struct posix_name */
	struct map threads; /* tid to struct posix_thread */
	struct map processes;
	struct map called; /* hash of a name to the first thread that had it */
	size_t n_names, n_threads;
	uint32_t last_pid, last_tid; /* of the last event, and its context */
	const struct rst_context *last_context;
	int16_t last_priority;
	uint32_t first_pid;
	bool is_shared; /* there were user events of several processes: texts show the process */

	bool may_be_shared; /* for a log that is read in part: there may be such events later */
	struct posix_passing passing;

	struct symbol_memory memory;
	struct map sites; /* address and pid to struct posix_site */
	size_t n_sites, n_name_bytes;
	uint64_t generation; /* of the memory */
	struct posix_site *recent[POSIX_RECENT];
	struct posix_nameless nameless[POSIX_NAMELESS];
	bool has_passed_modules, has_passed_kind, has_passed_types, has_passed_steps;

	struct map mappings;	 /* pid to struct posix_mappings */
	struct map shared_locks; /* id to struct posix_shared_lock */
	size_t n_mappings;

	bool has_wanted_hz;
	size_t n_pairs;
	struct log_clock_pair first_pair, last_pair;
	bool begins_log; /* the next event is the first one of a further log */
	bool had_pair;	 /* the log before had one: before_pair is its last */
	struct log_clock_pair before_pair;
	struct run_clock clock;
	uint64_t greatest_stamp; /* of the events of the present run */

	size_t first_detail;
	size_t n_module_blocks;
	bool is_incomplete; /* an input had no end */
	size_t n_inputs;    /* read to their end */
	struct rst_detail end_details[POSIX_END_DETAILS];
	bool has_session;
	struct rst_detail session_details[POSIX_SESSION_DETAILS];
	char session_channels[POSIX_CHANNELS_BYTES], session_hooks[POSIX_HOOKS_BYTES];
	char texts[POSIX_N_DETAILS][POSIX_TEXT_BYTES];
};

enum posix_step { POSIX_DONE, POSIX_NO_ROOM, POSIX_MORE, POSIX_NO_MEMORY, POSIX_FAILED };

/* input.c: as dialect.look, dialect.read and so on. */
enum rst_status posix_look_whole(
	void *state, struct model *model, const struct chunk *whole, struct rst_error *err);
bool posix_is_finished(const void *state);
double posix_share(const void *state, const struct chunk *chunk);
enum rst_status posix_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err);
void posix_input_done(struct posix_input *input);
/*
 * Reads the head of a log that is available as a whole, and looks ahead. Returns false if it is not a log;
 * reading it finds and reports this again.
 */
bool posix_begin(struct posix *posix, struct model *model, const struct chunk *whole);

/* ahead.c: makes an entry of what the scan found. */
void posix_entry_of(struct posix_entry *entry, const struct log_item *found, bool is_block);

/* Whether the blocks are, or may be, in another order than they were written in. */
bool posix_has_own_order(const struct posix_input *input);

/*
 * Looks at the whole input, up to the limit of entries, and remembers its blocks. Returns false when memory
 * ran out.
 */
bool posix_look_ahead(struct posix *posix, struct model *model);
enum posix_step posix_read_entries(struct posix *posix, struct model *model, struct batch *batch);

/* ahead.c: adds one. false when memory ran out. */
bool posix_entry_add(struct posix_entries *entries, const struct posix_entry *entry);

/*
 * spans.c: finds the entries of the input by its spans; reads every block that is not in a span of events.
 * Returns false if the input has no spans.
 */
bool posix_gather_spans(struct posix_input *input);
/*
 * The extent of a span, or of a block of events by its head. Returns false if the entry is neither, or has no
 * events.
 */
bool posix_extent(
	const struct posix_input *input, const struct posix_entry *entry, struct log_span *ret_extent);
/*
 * Finds the blocks of a span that is to be read. Returns false if they differ from what the span states, or
 * memory ran out.
 */
bool posix_unfold(struct posix_input *input, const struct posix_entry *entry);
/* The block will be read. */
void posix_fetch(struct posix_input *input, const struct posix_entry *entry);

/* window.c: which of the blocks of a span are left out. */
void posix_narrow_span(struct posix_input *input, const struct posix_entry *span);
/*
 * The contract's survey, narrow and take_passed. For ahead.c: whether an entry may be left out, and a
 * function that leaves it out.
 */
bool posix_survey(void *state, struct model *model, const struct chunk *whole, uint64_t *ret_first_ticks);
void posix_narrow(void *state, const struct dialect_window *window);
const struct passed *posix_take_passed(void *state);
bool posix_may_leave_out(const struct posix *posix);
void posix_leave_out(struct posix *posix, const struct posix_entry *entry);

/*
 * blocks.c: posix_look() takes from a block ahead of time what holds from the beginning; posix_block() reads
 * the block.
 */
bool posix_look(struct posix *posix, struct model *model, const struct posix_entry *entry);
enum posix_step posix_block(
	struct posix *posix, struct model *model, struct batch *batch, const struct posix_entry *entry);
bool posix_header(struct posix *posix, struct model *model);

/* Reports what a ring area has overwritten, in front of the first block of a whole input. */
enum posix_step posix_oldest(struct posix *posix, struct model *model, struct batch *batch);

/* Remembers damage and adds its row. The batch must not be full. */
bool posix_damage(struct posix *posix, struct model *model, struct batch *batch, uint64_t offset,
	uint64_t n_bytes, const char *what);
bool posix_loss(
	struct posix *posix, struct model *model, struct batch *batch, uint64_t n_events, const char *what);

/* rows.c: goes on with the block of events. Returns POSIX_DONE at its end. */
enum posix_step posix_rows(struct posix *posix, struct model *model, struct batch *batch);

/* session.c: takes a block of type LOG_SESSION. Returns false when memory ran out. */
bool posix_session(struct posix *posix, struct model *model, const struct log_session *session);

/* types.c: takes a block of type LOG_TYPE. Returns false when memory ran out. */
bool posix_describe(
	struct posix *posix, struct model *model, const uint8_t *body, size_t n_bytes, bool is_look);

/* The type that an id stands for now. NULL when memory ran out. */
struct posix_type *posix_type_make(struct posix *posix, struct model *model, uint16_t id);
static inline struct posix_type *posix_type(struct posix *posix, struct model *model, uint16_t id)
{
	if (__builtin_expect(id < posix->types_room && posix->types[id], 1))
		return posix->types[id];
	return posix_type_make(posix, model, id);
}

/* The layout of rows of this type and shape. NULL when memory ran out. */
const struct rst_layout *posix_layout_make(
	struct model *model, struct posix_type *type, enum posix_shape shape, bool is_shared, bool is_cut);
static inline const struct rst_layout *posix_layout(
	struct model *model, struct posix_type *type, enum posix_shape shape, bool is_shared, bool is_cut)
{
	const struct rst_layout *made = type->layouts[is_shared][is_cut][shape];

	return __builtin_expect(made != NULL, 1) ? made
						 : posix_layout_make(model, type, shape, is_shared, is_cut);
}
/* The constant of a predefined type, or NULL. */
const char *posix_type_predefined(uint32_t id);
/*
 * Writes the name of a type without a name in the log, or with an empty one, to number: "EVENT_67". Returns
 * number.
 */
enum { POSIX_NUMBER_ROOM = 24 };
const char *posix_type_number(char *number, uint32_t id);
/* The number of event sets that the data of this type consist of. */
unsigned posix_type_sets(const struct posix_type *type);
bool posix_catalogue(struct model *model);

/* Whether only the name of a type is known, which a program gave it. */
bool posix_is_user_label(const char *label);

/* hooks.c: the hook that AIX's trace has for the same thing as these events; NULL if AIX has no such hook. */
const struct hook *posix_hook(const struct rst_type *type);

/* The number of events that have a hook. */
size_t posix_n_hooks(void);

/*
 * scheduler.c: the kernel's switch of this name, if the log describes no fields of it; NULL if there is no
 * such switch.
 */
struct posix_switch {
	const char *name, *label;
	unsigned n_fields; /* 0 or 1 */
	struct log_field field;
	const struct rst_effect *effects;
};
const struct posix_switch *posix_switch(const char *name, unsigned n_fields);
const struct posix_switch *posix_switch_at(size_t i); /* NULL behind the last */

/*
 * sets.c: makes the payload of an event whose data are n_sets event sets, with their words. Returns NULL if
 * the batch must be given out first.
 */
enum { POSIX_SET_BYTES = 136, POSIX_SETS_MAX = 2 };
const uint8_t *posix_put_sets(struct posix *posix, struct batch *batch, const uint8_t *payload,
	unsigned n_sets, uint32_t *ret_n_bytes);

/* preloaded.c: names of error numbers, as Linux has them. */
extern const struct rst_constants posix_errors;
/*
 * preloaded.c: the event with this name and with exactly the fields that the log has; NULL if there is no
 * such event.
 */
enum { POSIX_PRELOADED_FIELDS = 6 };
const struct posix_preloaded *posix_preloaded(const char *name, const uint8_t *said, unsigned n_said);
const char *posix_preloaded_label(const struct posix_preloaded *event);
/* Sets those properties of the field that a log does not contain. */
void posix_preloaded_field(const struct posix_preloaded *event, unsigned i, struct rst_field *field);
/* The effects as rows for effects_give(). Arguments are the event's fields, and its process. */
enum { POSIX_ARGUMENT_PROCESS = POSIX_PRELOADED_FIELDS + 1, POSIX_N_ARGUMENTS = POSIX_ARGUMENT_PROCESS };
const struct rst_effect *posix_preloaded_effects(const struct posix_preloaded *event);
/*
 * Takes names, processes and memory from an event, valid from this event on. Must be called before anything
 * else of its row is made. Returns false when memory ran out.
 */
bool posix_preloaded_event(struct posix *posix, struct model *model, const struct posix_preloaded *preloaded,
	const struct log_event *event, const uint8_t *data);
/* All events by number, for the catalogue; NULL behind the last. */
const struct posix_preloaded *posix_preloaded_at(size_t i);
const char *posix_preloaded_name(const struct posix_preloaded *event);
/* Fills in the event's fields and returns their number. */
unsigned posix_preloaded_fields(const struct posix_preloaded *event, struct log_field *ret_fields);

/*
 * shared.c: takes the data of an event that says which file lies in a process's memory. The data have 40
 * bytes at least. Returns false if memory ran out.
 */
bool posix_shared_map(
	struct posix *posix, struct model *model, uint32_t pid, const uint8_t *data, size_t n_bytes);
/* From now on the process shares no memory there; or none at all. */
void posix_shared_unmap(struct posix *posix, uint32_t pid, uint64_t start, uint64_t n_bytes);
void posix_shared_forget(struct posix *posix, uint32_t pid);
/*
 * The event of a process has a lock at this address: finds out whether it is shared from this event on, and
 * how it is called. Returns false if memory ran out.
 */
bool posix_lock(
	struct posix *posix, struct model *model, uint32_t pid, uint64_t address, enum rst_object_kind kind);
void posix_shared_done(struct posix *posix);

/*
 * scopes.c: gives a layout the effect that the name of its type stands for, if any. Returns false when memory
 * ran out.
 */
bool posix_scope_effects(struct model *model, const char *name, struct rst_layout *layout);

/* tasks.c */
bool posix_task(struct posix *posix, struct model *model, const struct log_task *task,
	const struct log_priority *priority, bool is_look);
/* The given thread made the thread of the event, which takes over its name unless another name is known. */
bool posix_task_made(
	struct posix *posix, struct model *model, const struct log_event *event, uint32_t pid, uint32_t tid);
const struct rst_context *posix_context_slow(
	struct posix *posix, struct model *model, uint32_t pid, uint32_t tid);
static inline const struct rst_context *posix_context(
	struct posix *posix, struct model *model, uint32_t pid, uint32_t tid)
{
	if (__builtin_expect(posix->last_context && pid == posix->last_pid && tid == posix->last_tid, 1))
		return posix->last_context;
	return posix_context_slow(posix, model, pid, tid);
}

/* sites.c: takes a block that describes a module. */
bool posix_module(struct posix *posix, struct model *model, const uint8_t *body, size_t n_bytes);

/* sites.c: gives the address a name from this event on. Returns false when memory ran out. */
struct posix_site {
	const struct rst_detail *source; /* its line, as a detail of its object; NULL if it is not known */
	uint64_t address, generation;
	const char *name; /* NULL if there is no name */
	uint32_t pid;
	struct posix_site *next; /* of the same key */
};
/* The slot that remembers the last site of such an address. */
static inline size_t posix_site_slot(uint32_t pid, uint64_t address)
{
	return ((address ^ (uint64_t)pid << 20) * 0x9e3779b97f4a7c15U) >> 56;
}
bool posix_site_slow(struct posix *posix, struct model *model, uint32_t pid, uint64_t address);
static inline bool posix_site(struct posix *posix, struct model *model, uint32_t pid, uint64_t address)
{
	const struct posix_site *site = posix->recent[posix_site_slot(pid, address)];

	if (__builtin_expect(site && site->address == address && site->pid == pid &&
				     site->generation == posix->generation,
		    1))
		return true;
	return !address || posix_site_slow(posix, model, pid, address);
}

/*
 * sites.c: sets *ret_name to the name of data of a program or library, such as "lock" or "server+0x4040"; to
 * NULL if they have no name, as on the heap. It lives as long as the model. Returns false when memory ran
 * out.
 */
bool posix_data_name(
	struct posix *posix, struct model *model, uint32_t pid, uint64_t address, const char **ret_name);

/* times.c */
void posix_clock(struct posix *posix, struct model *model);
/* false when memory ran out. */
bool posix_pair(struct posix *posix, struct model *model, const struct log_clock_pair *pair);

/*
 * Called in front of the first event of a further log. Begins a new run if this log has another clock,
 * because the machine was booted in between, and that clock is behind. The batch must not be full. Returns
 * false when memory ran out.
 */
bool posix_begin_log(struct posix *posix, struct model *model, struct batch *batch, uint64_t stamp);
void posix_note_first(struct posix *posix, struct model *model);

/* details.c */
bool posix_details_open(struct posix *posix, struct model *model);
void posix_detail_number(struct posix *posix, struct model *model, enum posix_detail detail, uint64_t number);
void posix_detail_bool(struct posix *posix, struct model *model, enum posix_detail detail, bool is_true);
/* Takes up to n_bytes characters, or those before the first NUL, and makes them safe to show. */
void posix_detail_text(
	struct posix *posix, struct model *model, enum posix_detail detail, const char *text, size_t n_bytes);
void posix_detail_time(struct posix *posix, struct model *model, enum posix_detail detail, int64_t seconds,
	uint32_t nanoseconds);
void posix_detail_end(struct posix *posix, struct model *model, const struct log_end *end);

#endif
