/* SPDX-License-Identifier: MIT */
#include "model/field.h"

#include <string.h>

bool rst_field_is_there(const struct rst_field *field, size_t payload_bytes)
{
	return field_is_there(field, payload_bytes);
}

uint64_t rst_field_number(const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	if (!field->n_bytes || field->n_bytes > 8 || (uint64_t)field->offset + field->n_bytes > payload_bytes)
		return 0;
	uint64_t value = load_uint(payload + field->offset, field->n_bytes, field->is_big_endian);
	unsigned n_bits = 8U * field->n_bytes;

	if (field->n_bits) {
		value >>= field->shift;
		n_bits = field->n_bits;
	}
	unsigned n_unused = 64 - n_bits;

	value <<= n_unused;
	return field->type == RST_SIGNED ? (uint64_t)((int64_t)value >> n_unused) : value >> n_unused;
}

double rst_field_real(const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	uint64_t bits = rst_field_number(field, payload, payload_bytes);
	uint32_t low = (uint32_t)bits;
	double number;
	float shorter;

	memcpy(&number, &bits, sizeof(number));
	memcpy(&shorter, &low, sizeof(shorter));
	return field->n_bytes == sizeof(shorter) ? (double)shorter : number;
}

/* The begin and the size of the elements of a field in the payload, if the field is there. */
struct stretch {
	size_t at, n_bytes;
};

static struct stretch stretch_of(const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	const size_t item_bytes = field->type == RST_SEQUENCE ? field->item_bytes : 1;
	size_t at = field->offset, n_items = SIZE_MAX;

	if (field->extent == RST_EXTENT_SPAN && field->n_bytes == FIELD_SPAN_BYTES) {
		at = load_u32(payload + field->offset, field->is_big_endian);
		n_items = load_u32(payload + field->offset + 4, field->is_big_endian);
	} else if (field->extent == RST_EXTENT_COUNTED) {
		n_items = field->n_bytes <= 8 ? load_uint(payload + at, field->n_bytes, field->is_big_endian)
					      : 0;
		at += field->n_bytes;
	} else if (field->n_bytes) {
		n_items = item_bytes ? field->n_bytes / item_bytes : 0;
	}
	/* The numbers of a span or a count may have any value. */
	if (at > payload_bytes)
		at = payload_bytes;
	const size_t n_left = item_bytes ? (payload_bytes - at) / item_bytes : 0;

	return (struct stretch){ at, (n_items < n_left ? n_items : n_left) * item_bytes };
}

/* The size without an incomplete character at the end. */
static size_t whole_characters(const uint8_t *at, size_t n_bytes)
{
	enum { CHARACTER_MAX = 4 };
	size_t n_tail = 1;

	while (n_tail < CHARACTER_MAX && n_tail < n_bytes && (at[n_bytes - n_tail] & 0xc0) == 0x80)
		n_tail++;
	const uint8_t lead = at[n_bytes - n_tail];
	const size_t n_wanted = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;

	return lead < 0xf8 && n_wanted > n_tail ? n_bytes - n_tail : n_bytes;
}

const uint8_t *rst_field_bytes(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes, size_t *ret_n_bytes)
{
	*ret_n_bytes = 0;
	if (!field_is_there(field, payload_bytes))
		return NULL;
	if (!payload_bytes) /* payload may then be NULL */
		return (const uint8_t *)"";
	const struct stretch stretch = stretch_of(field, payload, payload_bytes);
	const uint8_t *at = payload + stretch.at;
	const uint8_t *nul =
		field->type == RST_TEXT && stretch.n_bytes ? memchr(at, 0, stretch.n_bytes) : NULL;

	*ret_n_bytes = nul ? (size_t)(nul - at) : stretch.n_bytes;
	if (!nul && field->type == RST_TEXT && field->extent == RST_EXTENT_FIXED && field->n_bytes &&
		stretch.n_bytes == field->n_bytes)
		*ret_n_bytes = whole_characters(at, stretch.n_bytes);
	return at;
}

size_t rst_field_length(const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	size_t n_bytes;

	if (rst_field_is_number(field))
		return field_is_there(field, payload_bytes);
	rst_field_bytes(field, payload, payload_bytes, &n_bytes);
	if (field->type != RST_SEQUENCE)
		return n_bytes;
	return field->item_bytes ? n_bytes / field->item_bytes : 0;
}

struct rst_field rst_field_item(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes, size_t n)
{
	struct rst_field item = *field;

	if (field->type != RST_SEQUENCE)
		return item;
	item.type = field->item_type < RST_TEXT ? field->item_type : RST_BYTES;
	item.extent = RST_EXTENT_FIXED;
	item.n_bytes = field->item_bytes;
	item.offset = UINT32_MAX; /* no payload has so many bytes */
	if (n < rst_field_length(field, payload, payload_bytes))
		item.offset = (uint32_t)(stretch_of(field, payload, payload_bytes).at + n * item.n_bytes);
	return item;
}

const char *rst_constant_name(const struct rst_constants *constants, uint64_t value)
{
	if (!constants)
		return NULL;
	for (size_t i = 0; i < constants->n_rows; i++)
		if (constants->rows[i].value == value)
			return constants->rows[i].name;
	return NULL;
}
