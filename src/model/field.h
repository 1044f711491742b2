/* SPDX-License-Identifier: MIT */
/* <rastrum/field.h> for code that reads fields of every event. */
#ifndef MODEL_FIELD_H
#define MODEL_FIELD_H

#include <rastrum/field.h>

#include "base/load.h"

static inline bool field_is_there(const struct rst_field *field, size_t payload_bytes)
{
	bool is_text = field->type == RST_TEXT || field->type == RST_BYTES;
	uint64_t need = (uint64_t)field->offset + (is_text && !field->is_span ? 0 : field->n_bytes);

	return need <= payload_bytes;
}

/* The number of a field that is there; the sign of a number that is no bit field is not extended. */
static inline uint64_t field_number(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	const uint8_t *at = payload + field->offset;

	/* The word of nearly every target. */
	if (__builtin_expect(field->n_bytes == 4 && !field->n_bits, 1))
		return load_u32(at, field->is_big_endian);
	if (field->n_bits)
		return rst_field_number(field, payload, payload_bytes);
	return load_uint(at, field->n_bytes, field->is_big_endian);
}

#endif
