/* SPDX-License-Identifier: MIT */
/*
 * The RKH dialect: the byte stream of RKH's trace facility, frames between flags. The format, with its
 * doubts, is in README.md beside this file. A byte goes through the files in this order:
 *
 *	frames.c        from flag to flag: the next flag or escape, the sum, unstuffing
 *	stream.c        chunks to frames: what comes before the first flag, what is too long
 *	decode.c        frames to rows: checks, sequence numbers, time, context
 *	moved.c         arguments whose form in the row differs from that in the frame
 *	user.c          user events: elements of many shapes
 *	events.c        the table of events, bound to the widths of a target
 *	types.c         their types, with names for numbers
 *	config.c        the widths: settings, and the frame that announces them
 *	symbols.c       names that the target gives to addresses, signals, pools and user events
 *	actors.c        active objects as contexts
 *	guess.c         guesses the target of a stream that begins in the middle
 *	doubt.c         makes frames of a link wait until the target can be guessed
 *	look.c          one pass over a whole file for the names that come late
 *	probe.c         whether some bytes are such a stream
 *	rkh.c           the contract, and what `info` shows
 */
#ifndef RKH_RKH_H
#define RKH_RKH_H

#include "dialect/dialect.h"
#include "dialect/rkh/events.h"
#include "dialect/rkh/frames.h"

extern const struct dialect dialect_rkh;

enum {
	RKH_LAYOUTS_MAX = 8, /* different announcements in one stream; later ones are not followed */
	RKH_SHAPES_MAX = LIMIT(1024, 16),	/* of user events; others are shown as bytes */
	RKH_SYMBOLS_MAX = LIMIT(65536, 32),	/* definitions that are kept … */
	RKH_NAME_BYTES = LIMIT(16 << 20, 4096), /* … and bytes of their names */
	RKH_ACTORS_MAX = LIMIT(4096, 16),	/* active objects with a context of their own */
	RKH_POOLS = 17,	     /* "none", and the most pools that the announcement has room for and one */
	RKH_WAITING_MAX = 4, /* announcements that wait for the first time stamp */
	RKH_ACTOR_SLOTS = 64,
	RKH_SCRATCH_BYTES = 256 << 10, /* the longest frame twice, once unstuffed and once rearranged */
};

/* The counts that `info` shows, in this order. */
enum rkh_stat {
	RKH_FRAMES, /* not empty, also bad ones */
	RKH_VALID,
	RKH_BAD_CHECKSUM,
	RKH_UNKNOWN_ID,
	RKH_MALFORMED, /* too short, or arguments that do not consume the frame exactly */
	RKH_ABORTED_ESCAPE,
	RKH_EMPTY, /* flag behind flag */
	RKH_PREFIX_BYTES,
	RKH_TRAILING_BYTES,
	RKH_GAPS,
	RKH_LOST,
	RKH_DUPLICATES, /* not among the valid ones */
	RKH_TCFG,
	RKH_N_STATS
};

struct rkh_config {
	struct rkh_layout layout;
	uint64_t options; /* as announced */
	uint16_t clock_hz;
	uint8_t n_pools;
};

/* A layout that is or was in force, and the bindings of its events. */
struct rkh_bindings {
	struct rkh_layout layout;
	unsigned n_stamp;      /* bytes of the time stamp, 0 for none */
	size_t n_head, n_ends; /* bytes in front of the arguments, and these with the checksum */
	struct rkh_bound events[RKH_IDS];
};

/* A context with the address of its active object. */
struct rkh_actor {
	uint64_t address;
	const struct rst_context *context;
	uint64_t batch; /* no row of an earlier batch has it */
};

/* The owner of a queue or timer, by the last event that names it. */
struct rkh_owner {
	uint64_t address; /* of the active object */
};

/* An announcement has no time stamp. If it comes first, it takes the time of the first event with a stamp. */
struct rkh_waiting {
	const struct rst_layout *layout;
	uint64_t seq;
	uint32_t n_bytes;
	uint8_t bytes[RKH_SPREAD_BYTES];
};

/* The state of a doubt: a frame of a link contradicts the assumed target. */
struct rkh_doubt {
	bool is_open; /* it waits, with what follows it */
	unsigned n_doubts, n_looks;
	uint64_t sure_until; /* frames before this position need no further look */
};

enum { RKH_COLUMNS = 0 };

struct rkh {
	/* The user's settings. */
	struct rkh_layout wanted;
	uint32_t given; /* bits by option */
	uint64_t wanted_hz;

	/* The target as it is known. */
	struct rkh_config config;
	bool is_announced; /* config comes from a target, not only from the user and the defaults */
	struct rkh_bindings *bindings[RKH_LAYOUTS_MAX];
	size_t n_bindings;
	struct rkh_bindings *bound; /* of the layout in force */
	bool has_passed_layout;

	/* Names. */
	bool has_looked; /* the input is complete, and all its names are known */
	size_t n_symbols, n_name_bytes;
	struct rst_constant pool_rows[RKH_POOLS];
	struct rst_constants pools; /* by the numbers that count from 1 */
	const char *user_names[RKH_GROUP_EVENTS];
	struct rst_detail *user_details; /* of details.user_events */
	size_t user_detail;		 /* its index */
	struct map shapes;
	size_t n_shapes, n_shape_fields;
	struct map actors; /* address to struct rkh_actor */
	size_t n_actors;
	struct map owners; /* address of a queue or timer to struct rkh_owner */
	size_t n_owners;
	struct rkh_actor recent[RKH_ACTOR_SLOTS];

	/* Where reading stands. */
	bool has_started; /* a flag was seen */
	bool is_over;
	struct rkh_passed passed;
	struct rkh_doubt doubt;
	struct rkh_run last; /* the last valid frame, stuffed */
	uint8_t *last_copy;
	size_t last_room;
	bool has_seq, is_session;
	uint8_t seq;	    /* of the last valid frame */
	uint64_t n_damaged; /* damaged frames since then; their numbers are missing, too */
	struct clock clock;
	bool is_ticking;   /* a time stamp was seen */
	bool wants_rebase; /* the distance from the last stamp to the next is unknown */
	uint64_t ticks;
	struct rkh_waiting waiting[RKH_WAITING_MAX];
	size_t n_waiting;
	uint64_t n_batches;
	struct rst_detail *stats; /* by enum rkh_stat */
	size_t config_detail;	  /* its index among the details */
	struct rst_detail *config_details;
};

/* The outcome of a frame. RKH_IN_DOUBT: the frame waits. */
enum rkh_step { RKH_DONE, RKH_NO_ROOM, RKH_NO_MEMORY, RKH_IN_DOUBT };

/* decode.c: decodes one frame. RKH_NO_ROOM: it changed nothing, because the batch must go out first. */
enum rkh_step rkh_decode(
	struct rkh *rkh, struct model *model, struct batch *batch, const struct rkh_frame *frame);

/* Whether an unstuffed frame is a known event of the right length. */
bool rkh_frame_fits(struct rkh_bindings *now, const uint8_t *bytes, size_t n_bytes);

/* Counts damage and adds its row. */
bool rkh_damage(struct rkh *rkh, struct model *model, struct batch *batch, enum rkh_stat stat,
	const struct rst_gap *where, const char *what);
bool rkh_put_waiting(struct rkh *rkh, struct model *model, struct batch *batch);

/* stream.c: as dialect.look and dialect.read. */
enum rst_status rkh_look_ahead(
	void *state, struct model *model, const struct chunk *whole, struct rst_error *err);
enum rst_status rkh_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err);

/* config.c */
extern const struct dialect_option rkh_options[];
enum rst_status rkh_config_open(struct rkh *rkh, const struct rst_open *how, struct rst_error *err);

/*
 * Takes the announcement in an unstuffed frame. Returns false if the frame is not an announcement. now is the
 * target as far as it is sure; NULL: it may be any target. is_summed: the bytes, with the checksum, add up to
 * 0.
 */
bool rkh_config_parse(struct rkh_config *ret_config, const struct rkh_layout *now, const uint8_t *bytes,
	size_t n_bytes, bool is_summed);

/* Whether a frame with these first bytes may be an announcement; n_id 0: ids of any width. */
bool rkh_config_is_id(const uint8_t *bytes, size_t n_bytes, unsigned n_id);

/* The user's settings replace those of the announcement. */
void rkh_config_override(const struct rkh *rkh, struct rkh_layout *layout);

/* Takes the announced target from now on. Returns false if memory ran out. */
bool rkh_config_use(struct rkh *rkh, struct model *model, const struct rkh_config *config);

/* Sets the clock by the layout in force. */
void rkh_config_clock(struct rkh *rkh, struct model *model);

/*
 * events.c: rkh_bindings_init() needs zeroed bindings. rkh_bind_layout() puts a layout in force; it returns
 * false if memory ran out.
 */
void rkh_bindings_init(struct rkh_bindings *bindings, const struct rkh_layout *layout);
bool rkh_bind_layout(struct rkh *rkh, struct model *model, const struct rkh_layout *layout);

/*
 * types.c: make the type of an event in a layout, and the type of an event in which the test harness expects
 * another event. Return NULL if memory ran out. rkh is NULL without a trace; then the type has no names of a
 * trace.
 */
const struct rst_layout *rkh_event_layout(
	const struct rkh *rkh, struct model *model, struct rkh_bound *bound, const struct rkh_layout *layout);
const struct rst_layout *rkh_expecting_layout(const struct rkh *rkh, struct model *model,
	const struct rkh_bound *bound, struct rkh_bound *expected);

/* moved.c: returns RKH_NO_ROOM as rkh_decode() does. */
enum rkh_step rkh_move(
	struct rkh *rkh, struct batch *batch, const struct rkh_bound *bound, struct rkh_payload *payload);

/* user.c: checks the elements, finds the type, and puts the payload where the type has its fields. */
enum rkh_step rkh_user(struct rkh *rkh, struct model *model, struct batch *batch, struct rkh_bound *bound,
	struct rkh_payload *payload);

/*
 * symbols.c: whether names of that meaning lose an `&` at their beginning: the target's source has `&timer`.
 */
bool rkh_strips(unsigned meaning);

/*
 * symbols.c: takes the name in a valid frame; it is valid from seq on. Callers skip it if a first pass took
 * all names.
 */
bool rkh_symbol(struct rkh *rkh, struct model *model, const struct rkh_bound *bound, const uint8_t *args,
	size_t n_args, uint64_t seq);
enum rst_status rkh_symbols_load(
	struct rkh *rkh, struct model *model, const char *path, struct rst_error *err);

/* actors.c: the context of the active object at an address; NULL when memory ran out. */
const struct rst_context *rkh_actor_slow(
	struct rkh *rkh, struct model *model, uint64_t address, uint64_t seq);

/* Makes the active object at owner the owner of the object at address. Returns false if memory ran out. */
bool rkh_owns(struct rkh *rkh, struct model *model, uint64_t owner, uint64_t address);

/* Called when the object at this address gets a name. Returns false if memory ran out. */
bool rkh_actor_named(struct rkh *rkh, struct model *model, uint64_t address, uint64_t seq);

/*
 * look.c: takes all symbols of these bytes; sequence numbers count from base. If keeps_config, an
 * announcement in the bytes stays in force. Returns false if memory ran out.
 */
bool rkh_look(struct rkh *rkh, struct model *model, const uint8_t *bytes, size_t n_bytes, uint64_t base,
	bool keeps_config);

/* guess.c: guesses the target of a whole file before its announcement. Returns false if memory ran out. */
bool rkh_guess(struct rkh *rkh, struct model *model, const uint8_t *bytes, size_t n_bytes);

/*
 * The same for bytes of a link, from behind a flag on, as soon as they are enough. is_all: no more bytes will
 * come.
 */
bool rkh_guess_some(struct rkh *rkh, struct model *model, const uint8_t *bytes, size_t n_bytes, bool is_all,
	bool *ret_is_decided);

/*
 * Whether a target with or without senders or low marks sends this unstuffed frame. Also returns false if
 * memory ran out.
 */
bool rkh_guess_explains(const struct rkh *rkh, const uint8_t *frame, size_t n_bytes);

/*
 * doubt.c: rkh_doubt_arises() returns whether this frame puts the target in doubt; then it waits, with all
 * bytes behind it. rkh_doubt_settle(), with the frame at the chunk's n_used, closes the doubt if the bytes
 * are enough for a guess. It returns false if memory ran out.
 */
bool rkh_doubt_arises(struct rkh *rkh, const struct rkh_frame *frame);
bool rkh_doubt_settle(struct rkh *rkh, struct model *model, const struct chunk *chunk);

/* probe.c */
unsigned rkh_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole);

/*
 * Returns the target if the width of its ids is sure: announced, or set by the user (the first setting). Else
 * returns NULL.
 */
static inline const struct rkh_layout *rkh_config_sure(const struct rkh *rkh)
{
	return rkh->is_announced || rkh->given & 1 ? &rkh->config.layout : NULL;
}

static inline bool rkh_is_moved(const struct rkh_bound *bound, const struct rkh_payload *payload)
{
	return bound->tail == RKH_TAIL_TEXT_FIRST || bound->meaning == RKH_CONFIG ||
	       (bound->meaning >= RKH_NAMES_OBJECT && rkh_strips(bound->meaning) &&
		       payload->bytes[bound->n_fixed] == '&');
}

static inline const struct rst_context *rkh_actor(
	struct rkh *rkh, struct model *model, uint64_t address, uint64_t seq)
{
	const struct rkh_actor *slot = &rkh->recent[(address * 0x9e3779b97f4a7c15U) >> 58];

	if (__builtin_expect(slot->address == address && slot->context, 1))
		return slot->context;
	return rkh_actor_slow(rkh, model, address, seq);
}

#endif
