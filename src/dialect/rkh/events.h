/* SPDX-License-Identifier: MIT */
/* The table of RKH's events, and the widths of a target. Makes event types from the table's rows. */
#ifndef RKH_EVENTS_H
#define RKH_EVENTS_H

#include "model/model.h"

enum {
	RKH_ARGS = 14,
	RKH_GROUP_EVENTS = 32,
	RKH_IDS = 256, /* group times 32 and event, whatever the width of an id */
	RKH_NO_ACTOR = 0xff,
};

enum rkh_group { RKH_MP, RKH_QUE, RKH_SMA, RKH_SM, RKH_TMR, RKH_FWK, RKH_USR, RKH_UT };

/* Releases as the announcement has them: four digits. */
enum {
	RKH_2_3 = 0x2300,
	RKH_2_4_3 = 0x2403,
	RKH_2_4_4 = 0x2404,
	RKH_2_4_5 = 0x2405,
	RKH_3 = 0x3000,
	RKH_3_4 = 0x3400
};

/* The build settings of a target that decide the length and meaning of a frame. Widths are in bytes. */
struct rkh_layout {
	uint16_t version;
	uint8_t te; /* event id */
	uint8_t has_seq, has_stamp, has_checksum;
	uint8_t stamp; /* time stamp, where there is one */
	uint8_t ptr, fptr, sig, esize, ntick, nblk, bsize, ne;
	uint8_t has_sender, has_queue_low, has_pool_low;
};

/* How wide an argument is. */
enum rkh_width {
	RKH_W_U8,
	RKH_W_U16,
	RKH_W_U32,
	RKH_W_TE,
	RKH_W_PTR,
	RKH_W_FPTR,
	RKH_W_SENDER, /* nothing or an address */
	RKH_W_SIG,
	RKH_W_ESIZE,
	RKH_W_NTICK,
	RKH_W_NBLK,
	RKH_W_POOL_LOW, /* nothing or a number of blocks */
	RKH_W_BSIZE,
	RKH_W_NE,
	RKH_W_QUEUE_LOW, /* nothing or a number of elements */
	RKH_W_HIGH,	 /* the high half of a byte, whose low half is the next argument */
	RKH_W_LOW,
	RKH_N_WIDTHS,
	RKH_W_TEXT = RKH_N_WIDTHS, /* to a zero */
	RKH_W_REST,
	RKH_W_ELEMENTS,
};

/* The meaning of an event for this reader, besides a row. */
enum rkh_meaning {
	RKH_PLAIN,
	RKH_CONFIG,
	RKH_EXPECTS,	  /* the test harness expects another event: the last arguments are that event's */
	RKH_OWNS,	  /* its first argument belongs to the active object in the second */
	RKH_NAMES_OBJECT, /* the last argument before the name is the named thing */
	RKH_NAMES_FUNCTION,
	RKH_NAMES_TIMER,
	RKH_NAMES_QUEUE,
	RKH_NAMES_ACTOR,
	RKH_NAMES_AO,
	RKH_NAMES_STATE,
	RKH_NAMES_PSTATE,
	RKH_NAMES_SIGNAL,
	RKH_NAMES_POOL,
	RKH_NAMES_USER,
};

struct rkh_arg {
	const char *name; /* NULL ends the list */
	enum rkh_width width;
	enum rst_field_type type;
	enum rst_object_kind kind;
	const struct rst_constants *constants;
};

struct rkh_event {
	uint8_t group, event;
	uint16_t since, before; /* releases with this form */
	const char *constant;
	const char *label;
	struct rkh_arg args[RKH_ARGS + 1];
	const struct rst_effect *effects; /* of arguments */
	int8_t actor; /* the argument that has the owner of the event; -1: none, -2: the owner of the first */
	enum rkh_meaning meaning;
};

/* The data behind the arguments of fixed width. */
enum rkh_tail { RKH_TAIL_NONE, RKH_TAIL_TEXT, RKH_TAIL_REST, RKH_TAIL_ELEMENTS, RKH_TAIL_TEXT_FIRST };

/* An event in a layout. */
struct rkh_bound {
	const struct rst_layout *layout; /* NULL until the event is met; for elements: shows them as bytes */
	const char *said; /* for elements: the target's name for the event at that time, or NULL */
	const struct rst_layout *expecting; /* when the test harness expects this event; NULL until then */
	const struct rkh_event *event;
	enum { RKH_NOT_SEEN, RKH_KNOWN, RKH_UNKNOWN } state;
	uint16_t n_fixed;	   /* bytes of arguments of fixed width */
	uint8_t n_front;	   /* bytes before the arguments that belong to the payload: see below */
	uint8_t tail;		   /* enum rkh_tail */
	uint8_t actor_at;	   /* offset of the address of the event's owner, or RKH_NO_ACTOR */
	bool has_owner;		   /* the owner is that of the object there */
	uint8_t meaning;	   /* enum rkh_meaning */
	uint8_t key_at, key_bytes; /* the named thing */
	uint8_t id;		   /* group and event */
};

/*
 * If frames have sequence numbers, the payload of a row begins with that number (the field nseq) and the time
 * stamp behind it, so that the arguments need not be copied.
 */
struct rkh_payload {
	const uint8_t *bytes;
	size_t n_bytes;
	const struct rst_layout *layout;
};

enum { RKH_FIELDS = 1 + RKH_ARGS };

/* The first field of such a payload. */
extern const struct rst_field rkh_field_nseq;

unsigned rkh_width(const struct rkh_layout *layout, enum rkh_width width);

/* The number of an id in the stream. */
static inline uint32_t rkh_id(const struct rkh_layout *layout, unsigned id)
{
	unsigned group = id / RKH_GROUP_EVENTS, event = id % RKH_GROUP_EVENTS;

	return layout->te == 1 ? id : group << (8 * layout->te - 8) | event;
}

/*
 * Copies the announcement's arguments to `to`, each half of a byte to a byte of its own. Returns the number
 * of bytes: at most RKH_SPREAD_BYTES.
 */
enum { RKH_SPREAD_BYTES = 24 };
size_t rkh_spread(
	uint8_t *to, const struct rkh_event *event, const struct rkh_layout *layout, const uint8_t *args);

/* Binds an id in a layout: bound->state is the result. Makes no type. */
void rkh_event_bind(struct rkh_bound *bound, const struct rkh_layout *layout, unsigned id);

/*
 * Returns the row of an event in a release; all user events share a row. Returns NULL if the release lacks
 * the event.
 */
const struct rkh_event *rkh_event_find(uint16_t version, unsigned id);

/* Placeholders in the table for the names of pools and events, which differ from trace to trace. */
extern const struct rst_constants rkh_pools_from_1, rkh_event_names;

/* Adds every event of every release, in the commonest layout. */
bool rkh_catalogue(struct model *model);

/* The layout of a stream until its announcement. */
extern const struct rkh_layout rkh_default_layout;

#endif
