/* SPDX-License-Identifier: MIT */
/*
 * The value of a field as text: as people read it, and as programs do. Callers have reserved VALUE_ROOM bytes for each field; longer names and
 * texts extend the line, which may then move: every function takes and returns the place to go on.
 */
#ifndef MODEL_VALUE_VALUE_H
#define MODEL_VALUE_VALUE_H

#include <rastrum/trace.h>

#include "base/outbuf.h"
#include "base/text.h"
#include "model/field.h"

enum { VALUE_ROOM = 96, SET_OFF_ROOM = 16 };

/*
 * What stands around a name to set it off from the words of a sentence: quotes, or a colour. SET_OFF_ROOM bytes of each are
 * copied at once, of which the first n_… count.
 */
struct set_off {
	char before[SET_OFF_ROOM], after[SET_OFF_ROOM];
	uint8_t n_before, n_after;
};

enum { SET_OFF_OBJECT, SET_OFF_THREAD, N_SET_OFF };

/* Single quotes around all names: what programs read, and people without colours. */
extern const struct set_off set_off_quotes[N_SET_OFF];

/*
 * Names of objects as they were put before, by a hash of the id. One holds while nothing is defined behind its object,
 * so only objects of the recording are kept: symbols give way to names that it has later.
 */
enum { VALUE_NAMES_BITS = 6, VALUE_NAME_ROOM = 32, VALUE_USES_MAX = 2 };

/* An object as a text was made of it. The text holds for later events while nothing of this has changed. */
struct value_use {
	const struct rst_object *object;
	const char *name;
	uint64_t capacity;
};

struct value_names {
	/* What texts depend on that were made since value_uses_begin(). */
	struct value_uses {
		unsigned n;	  /* more than VALUE_USES_MAX: something that may change unseen, too */
		bool has_unknown; /* on ids that meant nothing, as long as there are no more objects */
		struct value_use of[VALUE_USES_MAX];
	} uses;
	struct value_name {
		uint64_t id, process;
		const struct rst_object *object; /* NULL if nothing is kept here */
		const char *name;		 /* that it had */
		const struct set_off *set_off;
		enum rst_object_kind kind; /* that was asked for */
		unsigned n_bytes;
		char bytes[VALUE_NAME_ROOM];
	} kept[1 << VALUE_NAMES_BITS];
};

/* One event's values: where they are and what names hold. */
struct value_source {
	struct outbuf *out;
	struct rst_trace *trace; /* where objects have their names; NULL: nowhere */
	const uint8_t *payload;
	size_t payload_bytes;
	uint64_t seq, process; /* where in the sequence, and in which process, ids mean what they do */
	size_t room_after;     /* what the rest of the line needs */
	const struct set_off *set_off; /* N_SET_OFF of them, for names; NULL if names are bare */
	struct value_names *names;     /* NULL if none are kept */
};

/* How programs read the number of a field that is there. */
enum value_form {
	VALUE_ANY, /* value_put_json() has to look, or it is no number */
	VALUE_DECIMAL,
	VALUE_ADDRESS, /* in hexadecimal, which JSON has as a text */
};

/* It holds for all events of a layout: callers that write many keep it. */
enum value_form value_form_of(const struct rst_field *field);

/* Names instead of addresses, constants instead of numbers. A field that is cut off is "?". */
char *value_put_text(const struct value_source *from, char *p, const struct rst_field *field);

/* Numbers as numbers, addresses as "0x…", a field that is cut off is null. Room is reserved as in value_put_text(). */
char *value_put_json(const struct value_source *from, char *p, const struct rst_field *field);

/* The same, but an address has no quotes: as CSV has it. */
char *value_put_bare(const struct value_source *from, char *p, const struct rst_field *field);

/* A thread's name with what stands around it, unless it is a number. There is room for n_bytes and 2 * SET_OFF_ROOM. */
char *value_put_set_off(char *p, const struct set_off *set_off, const char *name, size_t n_bytes);

/*
 * The name of an object, or "none", or the id (in hexadecimal, but for small numbers); the name of a function stays
 * bare: it is an address.
 */
char *value_put_object(const struct value_source *from, char *p, const struct rst_field *field, uint64_t id);

static inline void value_uses_begin(struct value_names *names)
{
	names->uses.n = 0;
	names->uses.has_unknown = false;
}

/* Notes that a text depends on what an id means, which is the object, or nothing. */
void value_use(const struct value_source *from, uint64_t id, const struct rst_object *object);

/* Whether an object is what it was, for an event that is not in front of the one that used it. */
static inline bool value_use_holds(const struct value_use *use)
{
	const struct rst_object *object = use->object;

	return (object->later == NULL) & (object->name == use->name) & (object->capacity == use->capacity);
}

/* The bare name of a symbol. */
char *value_put_symbol(const struct value_source *from, char *p, const struct rst_object *symbol);

/* Memory has no name in a recording; a program's symbols may have one. */
static inline char *value_put_address(const struct value_source *from, char *p, uint64_t address)
{
	const struct rst_object *symbol = from->trace ? rst_trace_find_symbol(from->trace, address) : NULL;

	return __builtin_expect(symbol != NULL, 0) ? value_put_symbol(from, p, symbol)
						   : text_put_hex(p, address);
}

/* A field of RST_TEXT or RST_BYTES by what value_span() found of it. */
char *value_put_span(
	const struct value_source *from, char *p, const struct rst_field *field, struct text span);

/* A number of n_bytes in decimal, with its sign, and beside it in hexadecimal where that differs. */
static inline char *value_put_word(char *p, uint64_t value, unsigned n_bytes)
{
	const unsigned unused = 64 - 8 * n_bytes;

	p = text_put_signed_over(p, (int64_t)(value << unused) >> unused);
	if (value < 10)
		return p;
	p = text_put_literal(p, " (");
	p = text_put_hex_over(p, value);
	*p++ = ')';
	return p;
}

char *value_more_room_slow(const struct value_source *from, char *p, size_t room);

/* Room for n_bytes at p and for the rest of the line behind them; NULL when there is none. */
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

	/* All that is behind the offset, or so many bytes: what most are. */
	if (field->type == RST_BYTES && field->extent == RST_EXTENT_FIXED && end <= from->payload_bytes &&
		field->offset < from->payload_bytes)
		return (struct text){ (const char *)from->payload + field->offset,
			field->n_bytes ? field->n_bytes : from->payload_bytes - field->offset };
	span.bytes = (const char *)rst_field_bytes(field, from->payload, from->payload_bytes, &span.n_bytes);
	return span;
}

/* With its sign. */
static inline int64_t value_signed(const struct value_source *from, const struct rst_field *field)
{
	return (int64_t)rst_field_number(field, from->payload, from->payload_bytes);
}

/* A spare field without information: it is 0, or cut off. */
static inline bool value_is_idle(const struct value_source *from, const struct rst_field *field)
{
	return field->is_spare && (!value_is_there(from, field) || value_number(from, field) == 0);
}

/* Where in the buffer p is: good also after the line has moved. */
static inline size_t value_position(const struct value_source *from, const char *p)
{
	return (size_t)(p - from->out->start);
}

#endif
