/* SPDX-License-Identifier: MIT */
#include "report/value.h"

#include "base/load.h"
#include "base/text.h"

/* Room for n_bytes at p and for the rest of the line behind them; NULL when there is none. */
static char *more_room(const struct value_source *from, char *p, size_t n_bytes)
{
	from->out->at = p;
	return outbuf_extend(from->out, n_bytes + VALUE_ROOM + from->room_after) ? from->out->at : NULL;
}

/* A name, whole where memory allows, else what fits. */
static char *put_name(const struct value_source *from, char *p, const char *name, size_t n_bytes)
{
	if (__builtin_expect(n_bytes > VALUE_ROOM / 2, 0)) {
		char *moved = more_room(from, p, n_bytes);

		if (!moved)
			return text_put(p, name, VALUE_ROOM / 2);
		p = moved;
	}
	return text_put_short(p, name, n_bytes);
}

static char *put_object(const struct value_source *from, char *p, const struct rst_field *field, uint64_t id)
{
	const struct rst_object *object;

	if (id == 0 && field->zero_is_none)
		return text_put_literal(p, "none");
	object = rst_trace_find_object(from->trace, id, field->object_kind, from->place);
	if (object && object->name_bytes)
		return put_name(from, p, object->name, object->name_bytes);
	return text_put_hex(p, id);
}

static char *put_enum(
	const struct value_source *from, char *p, const struct rst_constants *constants, uint64_t value)
{
	const char *name;
	size_t n_name;

	/* Most lists count from 0 without a gap. */
	if (constants && value < constants->n_rows && constants->rows[value].value == value)
		name = constants->rows[value].name;
	else
		name = rst_constant_name(constants, value);
	if (!name)
		return text_put_dec(p, value);
	n_name = strlen(name);
	if (n_name > VALUE_ROOM) {
		char *moved = more_room(from, p, n_name);

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

/* The bytes of a field of text or bytes, which may have no end but the payload's. */
static const uint8_t *field_span(
	const struct value_source *from, const struct rst_field *field, size_t *ret_n_bytes)
{
	size_t left = from->payload_bytes - field->offset;
	size_t n_bytes = field->n_bytes && field->n_bytes < left ? field->n_bytes : left;
	const uint8_t *at = from->payload + field->offset;
	const uint8_t *nul = field->type == RST_TEXT && n_bytes ? memchr(at, 0, n_bytes) : NULL;

	*ret_n_bytes = nul ? (size_t)(nul - at) : n_bytes;
	return at;
}

static char *put_span(const struct value_source *from, char *p, const struct rst_field *field)
{
	size_t n_bytes;
	const uint8_t *at = field_span(from, field, &n_bytes);
	char *moved = more_room(from, p, 4 * n_bytes);

	if (!moved)
		return p;
	return field->type == RST_TEXT ? text_clean(moved, at, n_bytes)
				       : text_put_hex_bytes(moved, at, n_bytes);
}

static bool is_there(const struct value_source *from, const struct rst_field *field)
{
	size_t need = (size_t)field->offset +
		      (field->type == RST_TEXT || field->type == RST_BYTES ? 0 : field->n_bytes);

	return need <= from->payload_bytes;
}

static uint64_t number_of(const struct value_source *from, const struct rst_field *field)
{
	const uint8_t *at = from->payload + field->offset;

	/* The word of nearly every target. */
	if (__builtin_expect(field->n_bytes == 4, 1))
		return load_u32(at, field->is_big_endian);
	return load_uint(at, field->n_bytes, field->is_big_endian);
}

static int64_t signed_of(const struct value_source *from, const struct rst_field *field)
{
	return (int64_t)rst_field_number(field, from->payload, from->payload_bytes);
}

char *value_put_text(const struct value_source *from, char *p, const struct rst_field *field)
{
	if (__builtin_expect(!is_there(from, field), 0))
		return text_put_literal(p, "?");
	switch (field->type) {
	case RST_UNSIGNED:
		return text_put_dec(p, number_of(from, field));
	case RST_SIGNED:
		return text_put_signed(p, signed_of(from, field));
	case RST_HEX:
	case RST_ADDRESS:
		return text_put_hex(p, number_of(from, field));
	case RST_OBJECT:
		return put_object(from, p, field, number_of(from, field));
	case RST_ENUM:
		return put_enum(from, p, field->constants, number_of(from, field));
	case RST_IPV4:
		return put_ipv4(p, number_of(from, field));
	case RST_TEXT:
	case RST_BYTES:
		return put_span(from, p, field);
	}
	return p;
}

static char *put_json_span(const struct value_source *from, char *p, const struct rst_field *field)
{
	size_t n_bytes;
	const uint8_t *at = field_span(from, field, &n_bytes);
	char *moved = more_room(from, p, 4 * n_bytes + 6 * 4 * n_bytes + 2), *clean;

	if (!moved)
		return text_put_literal(p, "null");
	if (field->type == RST_BYTES) {
		*moved++ = '"';
		moved = text_put_hex_bytes(moved, at, n_bytes);
		*moved++ = '"';
		return moved;
	}
	/* Cleaned at the far end of the room, then escaped to the front of it. */
	clean = moved + 6 * 4 * n_bytes + 2;
	return text_put_json(moved, clean, (size_t)(text_clean(clean, at, n_bytes) - clean));
}

char *value_put_json(const struct value_source *from, char *p, const struct rst_field *field)
{
	if (__builtin_expect(!is_there(from, field), 0))
		return text_put_literal(p, "null");
	switch (field->type) {
	case RST_UNSIGNED:
	case RST_HEX:
	case RST_ENUM:
	case RST_IPV4:
		return text_put_dec(p, number_of(from, field));
	case RST_SIGNED:
		return text_put_signed(p, signed_of(from, field));
	case RST_ADDRESS:
	case RST_OBJECT:
		*p++ = '"';
		p = text_put_hex(p, number_of(from, field));
		*p++ = '"';
		return p;
	case RST_TEXT:
	case RST_BYTES:
		return put_json_span(from, p, field);
	}
	return p;
}

char *value_quote(const struct value_source *from, size_t start, char *end, const char *special,
	char *(*put)(char *p, const char *bytes, size_t n_bytes))
{
	enum { GROWTH = 6 }; /* of one character, at the most */
	struct outbuf *out = from->out;
	char *text = out->start + start, *raw;
	size_t n = (size_t)(end - text);
	bool is_plain = true;

	for (; *special; special++)
		is_plain = is_plain && !memchr(text, *special, n);
	if (is_plain) {
		*end++ = '"';
		return end;
	}
	out->at = end;
	if (!outbuf_extend(out, (GROWTH + 1) * n + from->room_after))
		return out->start + start;
	text = out->start + start;
	raw = memmove(text + GROWTH * n, text, n);
	return put(text - 1, raw, n);
}
