/* SPDX-License-Identifier: MIT */
/*
 * Writes the value of a field as text, for people or for programs. The caller reserves VALUE_ROOM bytes for
 * each field. Longer names and texts extend the line, which may then move, so every function takes and
 * returns the position in the line.
 */
#ifndef TRACE_VALUE_VALUE_H
#define TRACE_VALUE_VALUE_H

#include <rastrum/trace.h>

#include "base/outbuf.h"
#include "base/text.h"
#include "model/field.h"

enum { VALUE_ROOM = 96, SET_OFF_ROOM = 16 };

/*
 * The texts around a name that set it off from the words of a sentence: quotes, or a colour. SET_OFF_ROOM
 * bytes of each are copied at once, but only the first n_… bytes count.
 */
struct set_off {
	char before[SET_OFF_ROOM], after[SET_OFF_ROOM];
	uint8_t n_before, n_after;
};

enum { SET_OFF_OBJECT, SET_OFF_THREAD, N_SET_OFF };

/* Single quotes around all names, for programs, and for people without colours. */
extern const struct set_off set_off_quotes[N_SET_OFF];

/*
 * A cache of the texts of object names, by a hash of the id. An entry is valid while no later object is
 * defined for its id. So only objects of the recording are kept: a name from a symbol may later be replaced
 * by one of the recording.
 */
enum { VALUE_NAMES_BITS = 6, VALUE_NAME_ROOM = 32, VALUE_USES_MAX = 2 };

/*
 * The state of an object when a text was made. The text is valid for later events while this state is
 * unchanged.
 */
struct value_use {
	const struct rst_object *object;
	const char *name;
	uint64_t capacity;
};

struct value_names {
	/* The objects on which texts since value_uses_begin() depend. */
	struct value_uses {
		unsigned n;	  /* more than VALUE_USES_MAX if a text may change unseen */
		bool has_unknown; /* they depend on unknown ids: valid until an object is defined */
		struct value_use of[VALUE_USES_MAX];
	} uses;
	struct value_name {
		uint64_t id, process;
		const struct rst_object *object; /* NULL if the entry is empty */
		const char *name;		 /* of the object at that time */
		const struct set_off *set_off;
		enum rst_object_kind kind; /* of the field */
		unsigned n_bytes;
		char bytes[VALUE_NAME_ROOM];
	} kept[1 << VALUE_NAMES_BITS];
};

/* The values of one event, and the names for them. */
struct value_source {
	struct outbuf *out;
	struct rst_trace *trace; /* has the names of objects; NULL without names */
	const uint8_t *payload;
	size_t payload_bytes;
	uint64_t seq, process;	       /* the sequence number and the process for which ids are looked up */
	size_t room_after;	       /* bytes that the rest of the line needs */
	const struct set_off *set_off; /* N_SET_OFF of them, for names; NULL if names are bare */
	struct value_names *names;     /* the cache of names, or NULL */
};

/* The form of a number for programs, if its field is there. */
enum value_form {
	VALUE_ANY, /* it is no number, or value_put_json() finds the form for each event */
	VALUE_DECIMAL,
	VALUE_ADDRESS, /* in hexadecimal, which is a string in JSON */
};

/* The form is valid for all events of a layout, so callers that write many events keep it. */
enum value_form value_form_of(const struct rst_field *field);

/* Writes names instead of addresses, constants instead of numbers. A field that is cut off is "?". */
char *value_put_text(const struct value_source *from, char *p, const struct rst_field *field);

/*
 * Writes numbers as numbers, and addresses as "0x…". A field that is cut off is null. Needs room as
 * value_put_text().
 */
char *value_put_json(const struct value_source *from, char *p, const struct rst_field *field);

/* The same for CSV, where an address has no quotes. */
char *value_put_bare(const struct value_source *from, char *p, const struct rst_field *field);

/* Writes the items of a sequence in brackets, each by `put`. The separator has at most two bytes. */
typedef char *value_writer(const struct value_source *from, char *p, const struct rst_field *field);
char *value_put_items(const struct value_source *from, char *p, const struct rst_field *field,
	const char *separator, value_writer *put);

/*
 * Writes a thread's name, set off unless it is a number. There must be room for n_bytes and 2 * SET_OFF_ROOM.
 */
char *value_put_set_off(char *p, const struct set_off *set_off, const char *name, size_t n_bytes);

/*
 * Writes the name of an object, or "none", or the id (in hexadecimal, unless it is a small number). The name
 * of a function stays bare, because it is an address.
 */
char *value_put_object(const struct value_source *from, char *p, const struct rst_field *field, uint64_t id);

static inline void value_uses_begin(struct value_names *names)
{
	names->uses.n = 0;
	names->uses.has_unknown = false;
}

/* Notes that a text depends on the object of an id. object is NULL if the id has no object. */
void value_use(const struct value_source *from, uint64_t id, const struct rst_object *object);

/* Whether an object is unchanged, for an event that is not earlier than the one that used it. */
static inline bool value_use_holds(const struct value_use *use)
{
	const struct rst_object *object = use->object;

	return (object->later == NULL) & (object->name == use->name) & (object->capacity == use->capacity);
}

/* Writes the bare name of a symbol. */
char *value_put_symbol(const struct value_source *from, char *p, const struct rst_object *symbol);

/* Writes an address of memory. It has no name in a recording, but may have one in a program's symbols. */
static inline char *value_put_address(const struct value_source *from, char *p, uint64_t address)
{
	const struct rst_object *symbol = from->trace ? rst_trace_find_symbol(from->trace, address) : NULL;

	return __builtin_expect(symbol != NULL, 0) ? value_put_symbol(from, p, symbol)
						   : text_put_hex(p, address);
}

/* Writes a field of RST_TEXT or RST_BYTES; span is the result of value_span(). */
char *value_put_span(
	const struct value_source *from, char *p, const struct rst_field *field, struct text span);

/* Writes a number of n_bytes in decimal, with its sign, and then in hexadecimal if that differs. */
static inline char *value_put_word(char *p, uint64_t value, unsigned n_bytes)
{
	const unsigned unused = 64 - 8 * n_bytes;

	p = text_put_signed(p, (int64_t)(value << unused) >> unused);
	if (value < 10)
		return p;
	p = text_put_literal(p, " (");
	p = text_put_hex(p, value);
	*p++ = ')';
	return p;
}

char *value_more_room_slow(const struct value_source *from, char *p, size_t room);

/* Makes room for n_bytes at p and for the rest of the line. Returns NULL if memory ran out. */
static inline char *value_more_room(const struct value_source *from, char *p, size_t n_bytes)
{
	const size_t room = n_bytes + VALUE_ROOM + from->room_after;

	if (__builtin_expect(room <= (size_t)(from->out->end - p), 1))
		return p;
	return value_more_room_slow(from, p, room);
}

/* The functions of "model/field.h" for the event. */
static inline bool value_is_there(const struct value_source *from, const struct rst_field *field)
{
	return field_is_there(field, from->payload_bytes);
}

static inline uint64_t value_number(const struct value_source *from, const struct rst_field *field)
{
	return field_number(field, from->payload, from->payload_bytes);
}

/* The bytes of a field of RST_TEXT or RST_BYTES that is there. */
static inline struct text value_span(const struct value_source *from, const struct rst_field *field)
{
	const uint64_t end = (uint64_t)field->offset + field->n_bytes;
	struct text span;

	/* The usual case: all bytes after the offset, or a fixed number of them. */
	if (field->type == RST_BYTES && field->extent == RST_EXTENT_FIXED && end <= from->payload_bytes &&
		field->offset < from->payload_bytes)
		return (struct text){ (const char *)from->payload + field->offset,
			field->n_bytes ? field->n_bytes : from->payload_bytes - field->offset };
	span.bytes = (const char *)rst_field_bytes(field, from->payload, from->payload_bytes, &span.n_bytes);
	return span;
}

/* The number of a field, with its sign. */
static inline int64_t value_signed(const struct value_source *from, const struct rst_field *field)
{
	return (int64_t)rst_field_number(field, from->payload, from->payload_bytes);
}

/* Whether a spare field has no information, because it is 0 or cut off. */
static inline bool value_is_idle(const struct value_source *from, const struct rst_field *field)
{
	return field->is_spare && (!value_is_there(from, field) || value_number(from, field) == 0);
}

/* The position of p in the buffer, which stays valid after the line has moved. */
static inline size_t value_position(const struct value_source *from, const char *p)
{
	return (size_t)(p - from->out->start);
}

#endif
