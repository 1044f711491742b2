/* SPDX-License-Identifier: MIT */
/* Writes the value of a field for programs. */
#include "base/json_value.h"
#include "base/real.h"
#include "base/text.h"
#include "trace/value/value.h"

static char *put_json_span(const struct value_source *from, char *p, const struct rst_field *field)
{
	const struct text span = value_span(from, field);
	const uint8_t *at = (const uint8_t *)span.bytes;
	const size_t n_bytes = span.n_bytes;
	char *moved = value_more_room(from, p, 6 * n_bytes + 2);

	if (!moved)
		return text_put_literal(p, "null");
	if (field->type == RST_BYTES) {
		*moved++ = '"';
		moved = text_put_hex_bytes(moved, at, n_bytes);
		*moved++ = '"';
		return moved;
	}
	if (field->is_json && json_is_value(span.bytes, n_bytes))
		return text_put(moved, span.bytes, n_bytes);
	return text_put_json_kept(moved, span.bytes, n_bytes);
}

/* JSON has neither infinity nor NaN. */
static char *put_json_real(const struct value_source *from, char *p, const struct rst_field *field)
{
	double number = rst_field_real(field, from->payload, from->payload_bytes);

	if (!__builtin_isfinite(number))
		return text_put_literal(p, "null");
	return real_put(p, number, field->n_bytes == sizeof(float));
}

static char *put_json_address(char *p, uint64_t address)
{
	*p++ = '"';
	p = text_put_hex(p, address);
	*p++ = '"';
	return p;
}

enum value_form value_form_of(const struct rst_field *field)
{
	static const enum value_form forms[] = {
		[RST_UNSIGNED] = VALUE_DECIMAL,
		[RST_HEX] = VALUE_DECIMAL,
		[RST_ENUM] = VALUE_DECIMAL,
		[RST_IPV4] = VALUE_DECIMAL,
		[RST_WORD] = VALUE_DECIMAL,
		[RST_ADDRESS] = VALUE_ADDRESS,
		[RST_OBJECT] = VALUE_ADDRESS,
	};
	const size_t type = field->type;

	if (field->n_bits || type >= sizeof(forms) / sizeof(forms[0]))
		return VALUE_ANY;
	return forms[type] == VALUE_ADDRESS && field->is_number ? VALUE_DECIMAL : forms[type];
}

char *value_put_json(const struct value_source *from, char *p, const struct rst_field *field)
{
	if (__builtin_expect(!value_is_there(from, field), 0))
		return text_put_literal(p, "null");
	switch (field->type) {
	case RST_UNSIGNED:
	case RST_HEX:
	case RST_ENUM:
	case RST_IPV4:
	case RST_WORD:
		return text_put_dec(p, value_number(from, field));
	case RST_SIGNED:
		return text_put_signed(p, value_signed(from, field));
	case RST_ADDRESS:
	case RST_OBJECT:
		if (field->is_number)
			return text_put_dec(p, value_number(from, field));
		return put_json_address(p, value_number(from, field));
	case RST_REAL:
		return put_json_real(from, p, field);
	case RST_TEXT:
	case RST_BYTES:
		return put_json_span(from, p, field);
	case RST_SEQUENCE:
		return value_put_items(from, p, field, ",", value_put_json);
	}
	return p;
}

char *value_put_bare(const struct value_source *from, char *p, const struct rst_field *field)
{
	const bool is_address =
		field->type == RST_ADDRESS || (field->type == RST_OBJECT && !field->is_number);

	if (is_address && value_is_there(from, field))
		return text_put_hex(p, value_number(from, field));
	return value_put_json(from, p, field);
}
