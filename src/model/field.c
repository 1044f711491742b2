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

const uint8_t *rst_field_bytes(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes, size_t *ret_n_bytes)
{
	struct {
		uint32_t offset, n_bytes;
	} span = { field->offset, field->n_bytes };

	*ret_n_bytes = 0;
	if (!field_is_there(field, payload_bytes))
		return NULL;
	if (!payload_bytes) /* which may have no address either */
		return (const uint8_t *)"";
	if (field->is_span)
		memcpy(&span, payload + field->offset, sizeof(span));
	if (span.offset > payload_bytes) /* a dialect's mistake must not become a read beyond the end */
		span.offset = (uint32_t)payload_bytes;
	size_t left = payload_bytes - span.offset;
	size_t n_bytes = (field->is_span || span.n_bytes) && span.n_bytes < left ? span.n_bytes : left;
	const uint8_t *at = payload + span.offset;
	const uint8_t *nul = field->type == RST_TEXT && n_bytes ? memchr(at, 0, n_bytes) : NULL;

	*ret_n_bytes = nul ? (size_t)(nul - at) : n_bytes;
	return at;
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
