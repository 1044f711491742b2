/* SPDX-License-Identifier: MIT */
/*
 * The values of the fields of an event: read from its payload as its layout describes it. A payload may be
 * shorter than its layout; every function here takes its size and reads nothing beyond it. Any thread may
 * call these functions.
 */
#ifndef RASTRUM_FIELD_H
#define RASTRUM_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rastrum/export.h>
#include <rastrum/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether the payload is long enough for the field. Text, bytes and sequences that the payload's end cuts off
 * are there, but shorter. A counted field, or a field in a span, is there if the numbers at its offset are.
 */
RST_PUBLIC bool rst_field_is_there(const struct rst_field *field, size_t payload_bytes);

/*
 * The number in a field that is one number: with its sign for RST_SIGNED, also in a bit field; the bits for
 * RST_REAL. Returns 0 if the payload is too short for the field.
 */
RST_PUBLIC uint64_t rst_field_number(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes);

/* The number in a field of RST_REAL. Returns 0 if the payload is too short for it. */
RST_PUBLIC double rst_field_real(const struct rst_field *field, const uint8_t *payload, size_t payload_bytes);

/*
 * The bytes of a field of RST_TEXT or RST_BYTES, in the payload itself. They end where the field or the
 * payload ends; those of RST_TEXT also end at the first NUL before that. Text is as it was recorded, so it
 * may have any encoding. Text that fills a field of fixed length was cut there, so half a character of UTF-8
 * at its end is left out. Returns NULL and sets
 * *ret_n_bytes to 0 if the field is not there.
 */
RST_PUBLIC const uint8_t *rst_field_bytes(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes, size_t *ret_n_bytes);

/*
 * How many elements the field has in this payload: whole elements of a sequence, bytes of RST_TEXT and
 * RST_BYTES; 1 if the field is one number. Returns 0 if the field is not there.
 */
RST_PUBLIC size_t rst_field_length(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes);

/*
 * The n-th element of a sequence, counted from 0, as a field of its own, of the type item_type. The functions
 * above take it with the same payload; the field is not there if the sequence is shorter. If field is not a
 * sequence, returns *field.
 */
RST_PUBLIC struct rst_field rst_field_item(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes, size_t n);

/* The name of value among constants, or NULL. */
RST_PUBLIC const char *rst_constant_name(const struct rst_constants *constants, uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
