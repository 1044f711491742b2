/* SPDX-License-Identifier: MIT */
#include "report/value.h"

#include "base/real.h"
#include "base/text.h"

static char *put_json_span(const struct value_source *from, char *p, const struct rst_field *field)
{
	size_t n_bytes;
	const uint8_t *at = rst_field_bytes(field, from->payload, from->payload_bytes, &n_bytes);
	char *moved = value_more_room(from, p, 4 * n_bytes + 6 * 4 * n_bytes + 2), *clean;

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

/* JSON knows neither infinity nor what is no number. */
static char *put_json_real(const struct value_source *from, char *p, const struct rst_field *field)
{
	double number = rst_field_real(field, from->payload, from->payload_bytes);

	if (!__builtin_isfinite(number))
		return text_put_literal(p, "null");
	return real_put(p, number, field->n_bytes == sizeof(float));
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
		*p++ = '"';
		p = text_put_hex(p, value_number(from, field));
		*p++ = '"';
		return p;
	case RST_REAL:
		return put_json_real(from, p, field);
	case RST_TEXT:
	case RST_BYTES:
		return put_json_span(from, p, field);
	}
	return p;
}

const struct quoting quoting_json = { '"', '\\', 0x20, text_put_json };

/* Commas and line ends need the quotes only, which are there. */
const struct quoting quoting_csv = { '"', '"', 0, text_put_csv };

typedef uint8_t bytes_16 __attribute__((vector_size(16)));

static bytes_16 special_16(const char *text, const struct quoting *quoting)
{
	bytes_16 bytes;

	memcpy(&bytes, text, sizeof(bytes));
	return (bytes_16)((bytes == quoting->first) | (bytes == quoting->second) | (bytes < quoting->below));
}

static bool is_special(char c, const struct quoting *quoting)
{
	uint8_t byte = (uint8_t)c;

	return byte == quoting->first || byte == quoting->second || byte < quoting->below;
}

/* Sixteen bytes at a time; the last sixteen may be looked at twice. */
static bool has_special(const char *text, size_t n, const struct quoting *quoting)
{
	bytes_16 found = { 0 };
	uint64_t halves[2];

	if (n < sizeof(found)) {
		while (n && !is_special(text[n - 1], quoting))
			n--;
		return n > 0;
	}
	for (size_t i = 0; i + sizeof(found) <= n; i += sizeof(found))
		found |= special_16(text + i, quoting);
	found |= special_16(text + n - sizeof(found), quoting);
	memcpy(halves, &found, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
}

char *value_quote(const struct value_source *from, size_t start, char *end, const struct quoting *quoting)
{
	enum { GROWTH = 6 }; /* of one character, at the most */
	struct outbuf *out = from->out;
	char *text = out->start + start, *raw;
	size_t n = (size_t)(end - text);

	if (!has_special(text, n, quoting)) {
		*end++ = '"';
		return end;
	}
	out->at = end;
	if (!outbuf_extend(out, (GROWTH + 1) * n + from->room_after))
		return out->start + start;
	text = out->start + start;
	raw = memmove(text + GROWTH * n, text, n);
	return quoting->put(text - 1, raw, n);
}
