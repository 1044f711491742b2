/* SPDX-License-Identifier: MIT */
#include "trace/value/value.h"

#include "base/real.h"
#include "base/text.h"

char *value_more_room_slow(const struct value_source *from, char *p, size_t room)
{
	from->out->at = p;
	return outbuf_extend(from->out, room) ? from->out->at : NULL;
}

const struct set_off set_off_quotes[N_SET_OFF] = {
	[SET_OFF_OBJECT] = { "'", "'", 1, 1 },
	[SET_OFF_THREAD] = { "'", "'", 1, 1 },
};

/*
 * Whether a name is only an id as the system writes it: "200" or "200/204", for a process or a thread without
 * a name.
 */
static bool is_id(const char *name, size_t n_bytes)
{
	size_t i = 0;

	while (i < n_bytes && (text_is_digit(name[i]) || name[i] == '/'))
		i++;
	return i == n_bytes;
}

/*
 * Writes a name that is too long for VALUE_ROOM. If memory ran out, writes only its first VALUE_ROOM / 2
 * bytes.
 */
static __attribute__((noinline)) char *put_long_name(const struct value_source *from, char *p,
	const struct set_off *set_off, const char *name, size_t n_bytes)
{
	char *moved = value_more_room(from, p, n_bytes + 2 * SET_OFF_ROOM);

	if (!moved)
		return text_put(p, name, VALUE_ROOM / 2);
	return set_off ? value_put_set_off(moved, set_off, name, n_bytes) : text_put(moved, name, n_bytes);
}

/* Writes a name, set off unless set_off is NULL or the name is an id. */
static inline char *put_name(const struct value_source *from, char *p, const struct set_off *set_off,
	const char *name, size_t n_bytes)
{
	if (__builtin_expect(n_bytes > VALUE_ROOM / 2, 0))
		return put_long_name(from, p, set_off, name, n_bytes);
	if (!set_off || is_id(name, n_bytes))
		return text_put_short(p, name, n_bytes);
	memcpy(p, set_off->before, SET_OFF_ROOM);
	p = text_put_short(p + set_off->n_before, name, n_bytes);
	memcpy(p, set_off->after, SET_OFF_ROOM);
	return p + set_off->n_after;
}

char *value_put_set_off(char *p, const struct set_off *set_off, const char *name, size_t n_bytes)
{
	if (is_id(name, n_bytes))
		return text_put(p, name, n_bytes);
	memcpy(p, set_off->before, SET_OFF_ROOM);
	p = text_put(p + set_off->n_before, name, n_bytes);
	memcpy(p, set_off->after, SET_OFF_ROOM);
	return p + set_off->n_after;
}

/* The hash includes the kind, because objects of many kinds may have the same numbers as ids. */
static inline struct value_name *name_place(struct value_names *names, uint64_t id, enum rst_object_kind kind)
{
	return &names->kept[(id ^ (uint64_t)kind << 48) * 0x9e3779b97f4a7c15U >> (64 - VALUE_NAMES_BITS)];
}

static inline void use_add(struct value_uses *uses, const struct rst_object *object)
{
	if (uses->n < VALUE_USES_MAX)
		uses->of[uses->n] = (struct value_use){ object, object->name, object->capacity };
	uses->n++;
}

static void use_add_unseen(struct value_uses *uses)
{
	uses->n = VALUE_USES_MAX + 1;
}

/*
 * Whether this is an object of the recording, and the last one of its id. Then the object shows every later
 * change.
 */
static bool is_lasting(const struct value_source *from, const struct rst_object *object)
{
	return !object->later && object->from_seq <= from->seq &&
	       rst_trace_object(from->trace, object->index) == object;
}

/*
 * If object is NULL although the id has an object, it is of another kind. Later, the id may belong to one of
 * the wanted kind.
 */
void value_use(const struct value_source *from, uint64_t id, const struct rst_object *object)
{
	if (!from->names)
		return;
	if (object && is_lasting(from, object))
		use_add(&from->names->uses, object);
	else if (object ||
		 rst_trace_find_object(from->trace, from->process, id, RST_OBJECT_UNKNOWN, from->seq))
		use_add_unseen(&from->names->uses);
	else
		from->names->uses.has_unknown = true;
}

/* Whether the kept name is the name of this id. */
static inline bool name_holds(const struct value_name *kept, const struct value_source *from,
	const struct rst_field *field, uint64_t id)
{
	return kept->id == id && kept->process == from->process && kept->kind == field->object_kind &&
	       kept->set_off == from->set_off && kept->object && !kept->object->later &&
	       kept->object->from_seq <= from->seq && kept->object->name == kept->name;
}

/*
 * Keeps a short name. Id 0 is not kept, because it may mean "none" in another field. Processes are not kept,
 * because they have other numbers in a merged trace. The line must not have moved since the name was written.
 */
static void name_keep(const struct value_source *from, const struct rst_field *field, uint64_t id,
	const struct rst_object *object, struct text text)
{
	if (!from->names || !id || object->id != id || field->object_kind == RST_OBJECT_PROCESS ||
		text.n_bytes > VALUE_NAME_ROOM || !is_lasting(from, object))
		return;
	struct value_name *kept = name_place(from->names, id, field->object_kind);

	*kept = (struct value_name){ .id = id,
		.process = from->process,
		.object = object,
		.name = object->name,
		.set_off = from->set_off,
		.kind = field->object_kind,
		.n_bytes = (unsigned)text.n_bytes };
	memcpy(kept->bytes, text.bytes, text.n_bytes);
}

static __attribute__((noinline)) char *put_object_anew(
	const struct value_source *from, char *p, const struct rst_field *field, uint64_t id)
{
	const struct set_off *set_off = from->set_off;
	const struct rst_object *object;
	char *end;

	if (id == 0 && field->zero_is_none)
		return text_put_literal(p, "none");
	object = from->trace ? rst_trace_find_object(
				       from->trace, from->process, id, field->object_kind, from->seq)
			     : NULL;
	if (from->trace)
		value_use(from, id, object);
	if (!object || !object->name_bytes)
		return field->is_number && id <= UINT16_MAX ? text_put_dec(p, id) : text_put_hex(p, id);
	if (object->kind == RST_OBJECT_FUNCTION)
		set_off = NULL;
	else if (set_off)
		set_off += object->kind == RST_OBJECT_THREAD;
	end = put_name(from, p, set_off, object->name, object->name_bytes);
	if (object->name_bytes <= VALUE_NAME_ROOM)
		name_keep(from, field, id, object, (struct text){ p, (size_t)(end - p) });
	return end;
}

char *value_put_object(const struct value_source *from, char *p, const struct rst_field *field, uint64_t id)
{
	const struct value_name *kept = from->names ? name_place(from->names, id, field->object_kind) : NULL;

	if (__builtin_expect(!kept || !name_holds(kept, from, field, id), 0))
		return put_object_anew(from, p, field, id);
	use_add(&from->names->uses, kept->object);
	memcpy(p, kept->bytes, VALUE_NAME_ROOM);
	return p + kept->n_bytes;
}

char *value_put_symbol(const struct value_source *from, char *p, const struct rst_object *symbol)
{
	if (from->names)
		use_add_unseen(&from->names->uses);
	return put_name(from, p, NULL, symbol->name, symbol->name_bytes);
}

static char *put_enum(const struct value_source *from, char *p, const struct rst_field *field, uint64_t value)
{
	const struct rst_constants *constants = field->constants;
	const char *name;
	size_t n_name;

	/* Most lists have all values from 0 on, without a gap. */
	if (constants && value < constants->n_rows && constants->rows[value].value == value)
		name = constants->rows[value].name;
	else
		name = rst_constant_name(constants, value);
	/* The recording may define another name later. */
	if (field->has_names && from->names)
		use_add_unseen(&from->names->uses);
	if (!name)
		return text_put_dec(p, value);
	n_name = strlen(name);
	if (field->has_names && name != constants->rows[0].name && from->set_off) {
		char *moved = value_more_room(from, p, n_name + 2 * (size_t)SET_OFF_ROOM);

		return moved ? value_put_set_off(moved, from->set_off, name, n_name) : p;
	}
	if (n_name > VALUE_ROOM) {
		char *moved = value_more_room(from, p, n_name);

		return moved ? text_put(moved, name, n_name) : text_put(p, name, VALUE_ROOM);
	}
	return text_put(p, name, n_name);
}

static char *put_ipv4(char *p, uint64_t address)
{
	for (unsigned shift = 24;; shift -= 8) {
		p = text_put_dec(p, address >> shift & 0xff);
		if (shift == 0)
			return p;
		*p++ = '.';
	}
}

char *value_put_span(
	const struct value_source *from, char *p, const struct rst_field *field, struct text span)
{
	const uint8_t *bytes = (const uint8_t *)span.bytes;
	char *moved = value_more_room(from, p, 4 * span.n_bytes);

	if (!moved)
		return p;
	return field->type == RST_TEXT ? text_clean(moved, bytes, span.n_bytes)
				       : text_put_hex_bytes(moved, bytes, span.n_bytes);
}

/*
 * Pads a number to the columns that the recording wants: hexadecimal digits with zeros, others with blanks in
 * front.
 */
static char *put_in_columns(char *start, char *end, const struct rst_field *field)
{
	bool is_hex = field->type == RST_HEX;
	char *digits = is_hex ? start + 2 : start; /* behind "0x" */
	size_t n_digits = (size_t)(end - digits), n_more;

	if (n_digits >= field->columns)
		return end;
	n_more = field->columns - n_digits;
	memmove(digits + n_more, digits, n_digits);
	memset(digits, is_hex ? '0' : ' ', n_more);
	return end + n_more;
}

static char *value_put_number(const struct value_source *from, char *p, const struct rst_field *field)
{
	char *end;

	if (field->type == RST_HEX)
		end = text_put_hex(p, value_number(from, field));
	else if (field->type == RST_SIGNED)
		end = text_put_signed(p, value_signed(from, field));
	else
		end = text_put_dec(p, value_number(from, field));
	return put_in_columns(p, end, field);
}

char *value_put_items(const struct value_source *from, char *p, const struct rst_field *field,
	const char *separator, value_writer *put)
{
	const size_t n_items = rst_field_length(field, from->payload, from->payload_bytes),
		     n_separator = strlen(separator);

	check(n_separator <= 2);
	*p++ = '[';
	for (size_t i = 0; i < n_items; i++) {
		const struct rst_field item = rst_field_item(field, from->payload, from->payload_bytes, i);
		char *moved = value_more_room(from, p, VALUE_ROOM);

		if (!moved)
			break;
		p = put(from, i ? text_put(moved, separator, n_separator) : moved, &item);
	}
	*p++ = ']';
	return p;
}

char *value_put_text(const struct value_source *from, char *p, const struct rst_field *field)
{
	if (__builtin_expect(!value_is_there(from, field), 0))
		return text_put_literal(p, "?");
	switch (field->type) {
	case RST_UNSIGNED:
	case RST_SIGNED:
	case RST_HEX:
		return value_put_number(from, p, field);
	case RST_ADDRESS:
		return value_put_address(from, p, value_number(from, field));
	case RST_WORD:
		return value_put_word(p, value_number(from, field), field->n_bytes);
	case RST_OBJECT:
		return value_put_object(from, p, field, value_number(from, field));
	case RST_ENUM:
		return put_enum(from, p, field, value_number(from, field));
	case RST_IPV4:
		return put_ipv4(p, value_number(from, field));
	case RST_REAL:
		return real_put(p, rst_field_real(field, from->payload, from->payload_bytes),
			field->n_bytes == sizeof(float));
	case RST_TEXT:
	case RST_BYTES:
		return value_put_span(from, p, field, value_span(from, field));
	case RST_SEQUENCE:
		return value_put_items(from, p, field, ", ", value_put_text);
	}
	return p;
}
