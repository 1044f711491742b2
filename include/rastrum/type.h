/* SPDX-License-Identifier: MIT */
/*
 * Event types and layouts: what an event is, which fields its payload holds, and what it does (its effects). Both belong
 * to the trace and live as long as it does; everything here is read-only for users. <rastrum/field.h> reads the fields.
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

/* What kind of thing an object is: one list for all dialects. rst_object_kind_name() gives the words. */
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
	RST_OBJECT_MEMORY, /* something in memory that is none of the others */
	/* Numbers, not addresses: the ids of each of these kinds mean nothing to the others. */
	RST_OBJECT_SIGNAL,
	RST_OBJECT_EVENT_POOL,
	RST_OBJECT_INTERRUPT,
	RST_OBJECT_PROCESS,
	RST_N_OBJECT_KINDS
};

/* "thread", "event_flags", …; "unknown" for anything else. Static text, any thread. */
RST_PUBLIC const char *rst_object_kind_name(enum rst_object_kind kind);

/* How a field's value is to be understood. JSON: numbers, except as noted. */
enum rst_field_type {
	RST_UNSIGNED,
	RST_SIGNED,
	RST_HEX,     /* a number that reads best in hexadecimal (flags without names) */
	RST_ADDRESS, /* memory that has no name: a stack, a buffer; JSON "0x…" */
	RST_OBJECT, /* the address or id of an object, of the field's object kind; JSON "0x…", or a number */
	RST_ENUM,   /* one of the field's constants, or a plain number when none fits */
	RST_IPV4,   /* an IPv4 address as a number, first octet highest */
	RST_REAL,   /* a float or double, of 4 or 8 bytes; JSON null where it is no number */
	RST_WORD,   /* a number that may be anything: a count, an address, something negative */
	/* From here on a value is a row of elements, as many as its extent says. */
	RST_TEXT,     /* characters, to the first NUL or the end; JSON string */
	RST_BYTES,    /* anything else; JSON string of hexadecimal digits */
	RST_SEQUENCE, /* values of another type, item_type, item_bytes each; JSON array */
};

/* Where the elements of RST_TEXT, RST_BYTES and RST_SEQUENCE lie, and how many they are. */
enum rst_extent {
	RST_EXTENT_FIXED,   /* at offset, in n_bytes; 0: to the end of the payload */
	RST_EXTENT_COUNTED, /* at offset is a number of n_bytes: how many follow it */
	RST_EXTENT_SPAN, /* at offset are two numbers of 32 bits: where in the payload they begin, and how many they are; n_bytes is 8 */
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
	uint32_t n_bytes; /* of what is there: 1 to 8 for numbers, else see extent */
	enum rst_extent extent;
	enum rst_field_type item_type; /* RST_SEQUENCE: a type of numbers … */
	uint8_t item_bytes;	       /* … and the size of each */
	uint8_t shift;	    /* of a bit field: its lowest bit in the number that these bytes are … */
	uint8_t n_bits;	    /* … and how many it has; 0 if the number is all of the bytes */
	bool is_big_endian; /* of all numbers of the field, as recorded */
	bool zero_is_none;  /* RST_OBJECT: 0 means that there is no object */
	bool is_number;	    /* RST_OBJECT: the id is a number, not an address; JSON shows it so */
	bool is_aside; /* not in texts made from fields: another field has it better, or all events have the same */
	bool is_spare; /* a number without a meaning of its own, mostly 0: in JSON and CSV only when it is not */
	bool has_names; /* RST_ENUM: the constants are names of objects of the target; the first stands for none */
	uint8_t columns; /* in text, numbers are put into so many at least, as the recorder wants: printf's %5d */
	bool is_site;  /* where the event was made: behind the other fields in texts made from fields */
	bool is_stack; /* RST_ADDRESS: in the stack of the thread that made the event, as low as it was then */
	bool is_words; /* RST_TEXT: words that explain other fields, not characters that were recorded: no quotes */
	enum rst_object_kind object_kind;      /* RST_OBJECT only, or a sequence of them */
	const struct rst_constants *constants; /* RST_ENUM only, likewise */
};

/* Whether the field is one number (any type but RST_TEXT, RST_BYTES and RST_SEQUENCE). */
static inline bool rst_field_is_number(const struct rst_field *field)
{
	return field->type < RST_TEXT;
}

/* In place of the index of a field: none. */
enum { RST_NO_FIELD = -1 };

/*
 * Loss, damage and the begin of a new run stand in the sequence as events of these markers; their payload is a struct rst_gap.
 * A run is a recording with a clock of its own: where a board was reset, or a second dump follows, the next one begins.
 */
enum rst_marker { RST_EVENT, RST_LOSS, RST_DAMAGE, RST_RUN };

/*
 * What an event is. Within a trace no two types have the same name: recordings of one event that differ, because the target
 * was built otherwise, or because its data was cut, are layouts of one type.
 */
struct rst_type {
	enum rst_marker marker;
	uint32_t id;	   /* the dialect's number */
	uint32_t index;	   /* dense within the trace, in order of first use: for tables of one's own */
	const char *name;  /* the dialect's constant name */
	const char *label; /* words of the dialect's manual, or "" */
	size_t name_bytes;
	const char *
		other_name; /* what it is called without the name that the target gave it; NULL if there is none */
};

struct rst_effect;

/* Where the fields of an event lie in its payload. A type has one layout or more. */
struct rst_layout {
	const struct rst_type *type;
	const char *
		dialect; /* of a trace that was merged of several dialects: that of these events; else NULL */
	uint32_t index; /* dense within the trace, in order of first use; has nothing to do with the type's */
	uint32_t
		id; /* the dialect's number of these events: the type's, unless several numbers have its name */
	unsigned n_fields;
	const struct rst_field *fields; /* in payload order */
	unsigned n_effects;
	const struct rst_effect *effects; /* what these events do: <rastrum/effect.h> */
	const char *no_effect; /* why they do nothing that has a state; NULL if they do, or it is not known */
	unsigned hook_bytes;   /* of an AIX entry: the payload begins with a hook word of so many; else 0 */
	size_t n_traits; /* numbers that hold for all events of the layout, by names that templates may use as those … */
	const struct rst_constant *traits; /* … of fields; a field of the same name takes their place */
};

#ifdef __cplusplus
}
#endif
#endif
