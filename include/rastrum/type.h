/* SPDX-License-Identifier: MIT */
/*
 * Event types and layouts: what an event is, which fields its payload holds, and what it does (its effects).
 * Both belong to the trace and live as long as it does; everything here is read-only for users.
 * <rastrum/field.h> reads the fields.
 */
#ifndef RASTRUM_TYPE_H
#define RASTRUM_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rastrum/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of objects: one list for all dialects. rst_object_kind_name() gives the words. */
enum rst_object_kind {
	RST_OBJECT_UNKNOWN, /* as a field's kind: an object of any kind */
	RST_OBJECT_THREAD,
	RST_OBJECT_TIMER,
	RST_OBJECT_QUEUE,
	RST_OBJECT_SEMAPHORE,
	RST_OBJECT_MUTEX,
	RST_OBJECT_RWLOCK,
	RST_OBJECT_CONDITION,
	RST_OBJECT_BARRIER,
	RST_OBJECT_EVENT_FLAGS,
	RST_OBJECT_BLOCK_POOL,
	RST_OBJECT_BYTE_POOL,
	RST_OBJECT_MEDIA,
	RST_OBJECT_FILE,
	RST_OBJECT_IP,
	RST_OBJECT_PACKET_POOL,
	RST_OBJECT_TCP_SOCKET,
	RST_OBJECT_UDP_SOCKET,
	RST_OBJECT_USB_HOST_DEVICE,
	RST_OBJECT_USB_HOST_INTERFACE,
	RST_OBJECT_USB_HOST_ENDPOINT,
	RST_OBJECT_USB_HOST_CLASS,
	RST_OBJECT_USB_DEVICE,
	RST_OBJECT_USB_DEVICE_INTERFACE,
	RST_OBJECT_USB_DEVICE_ENDPOINT,
	RST_OBJECT_USB_DEVICE_CLASS,
	RST_OBJECT_ACTIVE_OBJECT,
	RST_OBJECT_STATE,
	RST_OBJECT_PSEUDOSTATE,
	RST_OBJECT_FUNCTION,
	RST_OBJECT_MEMORY, /* something in memory, of no other kind */
	/* The ids of these kinds are numbers, not addresses. Each kind has its own numbers. */
	RST_OBJECT_SIGNAL,
	RST_OBJECT_EVENT_POOL,
	RST_OBJECT_INTERRUPT,
	RST_OBJECT_PROCESS,
	RST_N_OBJECT_KINDS
};

/* "thread", "event_flags", …; "unknown" for anything else. Static text, any thread. */
RST_PUBLIC const char *rst_object_kind_name(enum rst_object_kind kind);

/* The meaning of a field's value. JSON has numbers, except as noted. */
enum rst_field_type {
	RST_UNSIGNED,
	RST_SIGNED,
	RST_HEX,     /* a number that reads best in hexadecimal (flags without names) */
	RST_ADDRESS, /* memory that has no name: a stack, a buffer; JSON "0x…" */
	RST_OBJECT, /* the address or id of an object, of the field's object kind; JSON "0x…", or a number */
	RST_ENUM,   /* one of the field's constants, or a plain number when none fits */
	RST_IPV4,   /* an IPv4 address as a number, first octet highest */
	RST_REAL,   /* a float or double, of 4 or 8 bytes; JSON null if it is not a number */
	RST_WORD,   /* a number that may be anything: a count, an address, something negative */
	/* From here on a value is a row of elements, as many as its extent says. */
	RST_TEXT,     /* characters, to the first NUL or the end; JSON string */
	RST_BYTES,    /* anything else; JSON string of hexadecimal digits */
	RST_SEQUENCE, /* values of another type, item_type, item_bytes each; JSON array */
};

/* Where the elements of RST_TEXT, RST_BYTES and RST_SEQUENCE lie, and how many they are. */
enum rst_extent {
	RST_EXTENT_FIXED,   /* at offset, in n_bytes; if n_bytes is 0, to the end of the payload */
	RST_EXTENT_COUNTED, /* at offset is a number of n_bytes: the count of the elements that follow it */
	/*
	 * At offset are two numbers of 32 bits: where in the payload the elements begin, and how many;
	 * n_bytes is 8.
	 */
	RST_EXTENT_SPAN,
};

struct rst_constant {
	uint64_t value;
	const char *name;
};

struct rst_constants {
	const char *name;
	size_t n_rows;
	const struct rst_constant *rows;
};

struct rst_field {
	const char *name;
	enum rst_field_type type;
	uint32_t offset;  /* bytes from the start of the payload */
	uint32_t n_bytes; /* size: 1 to 8 for numbers, else see extent */
	enum rst_extent extent;
	enum rst_field_type item_type; /* the type of a sequence's elements, which are numbers … */
	uint8_t item_bytes;	       /* … and the size of each element */
	uint8_t shift;		       /* of a bit field: its lowest bit in the number in these bytes … */
	uint8_t n_bits;	    /* … and how many bits it has; 0 if the number takes all of the bytes */
	bool is_big_endian; /* byte order of all numbers of the field, as recorded */
	bool zero_is_none;  /* in an RST_OBJECT, 0 means that there is no object */
	bool is_number;	    /* the id of this RST_OBJECT is a number, not an address, also in JSON */
	/* not in texts made from fields: another field shows it better, or all events have the same */
	bool is_aside;
	/* a number without a meaning of its own, mostly 0; JSON and CSV have it only if it is not 0 */
	bool is_spare;
	/* the constants of this RST_ENUM are names of objects of the target; the first means no object */
	bool has_names;
	uint8_t columns; /* minimum width of numbers in text, as set by the recorder: printf's %5d */
	bool is_site;	 /* where the event was made: after the other fields in texts made from fields */
	/* this RST_ADDRESS is the lowest one then in use of the stack of the thread that made the event */
	bool is_stack;
	/* this RST_TEXT has words that explain other fields, not recorded characters: no quotes */
	bool is_words;
	/* this RST_TEXT is JSON: a structure, a list, a text with its quotes; JSON has it as a value */
	bool is_json;
	enum rst_object_kind object_kind;      /* RST_OBJECT only, or a sequence of them */
	const struct rst_constants *constants; /* RST_ENUM only, likewise */
};

/* Whether the field is one number (any type but RST_TEXT, RST_BYTES and RST_SEQUENCE). */
static inline bool rst_field_is_number(const struct rst_field *field)
{
	return field->type < RST_TEXT;
}

/* Stands in place of the index of a field if there is no field. */
enum { RST_NO_FIELD = -1 };

/*
 * Loss, damage and the beginning of a new run are in the sequence as events of these markers; their payload
 * is a struct rst_gap. A run is a recording with a clock of its own: the next run begins where a board was
 * reset, or a second dump follows.
 */
enum rst_marker { RST_EVENT, RST_LOSS, RST_DAMAGE, RST_RUN };

/*
 * A type of event. Each type of a trace has a name of its own. If recordings of one event differ, because the
 * target was built otherwise, or because its data was cut, they are layouts of one type.
 */
struct rst_type {
	enum rst_marker marker;
	uint32_t id;	   /* the dialect's number */
	uint32_t index;	   /* dense within the trace, in order of first use: for the user's own tables */
	const char *name;  /* the dialect's constant name */
	const char *label; /* words of the dialect's manual, or "" */
	size_t name_bytes;
	const char *
		/* its name without the one that the target gave it; NULL if it has no other name */
		other_name;
};

struct rst_effect;

/* Where the fields of an event lie in its payload. A type has one layout or more. */
struct rst_layout {
	const struct rst_type *type;
	const char *
		/* the dialect of these events, if the trace was merged of several dialects; else NULL */
		dialect;
	uint32_t index; /* dense within the trace, in order of first use; independent of the type's index */
	uint32_t
		/*
		 * the dialect's number of these events: the type's id, unless several numbers have its name
		 */
		id;
	unsigned n_fields;
	const struct rst_field *fields; /* in payload order */
	unsigned n_effects;
	const struct rst_effect *effects; /* what these events do: <rastrum/effect.h> */
	const char *
		no_effect; /* why these events change no state; NULL if they change one, or it is not known */
	unsigned hook_bytes; /* of an AIX entry: size of the hook word at the start of the payload; else 0 */
	/* numbers that hold for all events of the layout; templates may use their names like those … */
	size_t n_traits;
	const struct rst_constant *traits; /* … of fields; a field of the same name takes precedence */
};

#ifdef __cplusplus
}
#endif
#endif
