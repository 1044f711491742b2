/* SPDX-License-Identifier: MIT */
/* Inline versions of <rastrum/field.h>, for code that reads fields of every event. */
#ifndef MODEL_FIELD_H
#define MODEL_FIELD_H

#include <endian.h>

#include <rastrum/field.h>

#include "base/load.h"

enum { FIELD_SPAN_BYTES = 8 };

/*
 * The least payload size with which the field is there. If elements may be cut off, only the offset counts.
 */
static inline uint64_t field_need(const struct rst_field *field)
{
	const bool may_be_cut = !rst_field_is_number(field) && field->extent == RST_EXTENT_FIXED;

	return (uint64_t)field->offset + (may_be_cut ? 0 : field->n_bytes);
}

static inline bool field_is_there(const struct rst_field *field, size_t payload_bytes)
{
	return field_need(field) <= payload_bytes;
}

/* A span for a field of RST_EXTENT_SPAN in little-endian order. */
static inline void field_put_span(uint8_t *to, size_t at, size_t n_items)
{
	const uint32_t numbers[] = { htole32((uint32_t)at), htole32((uint32_t)n_items) };

	memcpy(to, numbers, FIELD_SPAN_BYTES);
}

/* The number of a field that is there. The sign is extended only for bit fields. */
static inline uint64_t field_number(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	const uint8_t *at = payload + field->offset;

	/* Nearly every target has such words. */
	if (__builtin_expect(field->n_bytes == 4 && !field->n_bits, 1))
		return load_u32(at, field->is_big_endian);
	if (field->n_bits)
		return rst_field_number(field, payload, payload_bytes);
	return load_uint(at, field->n_bytes, field->is_big_endian);
}

#endif
