/* SPDX-License-Identifier: MIT */
/*
 * The values of the fields of an event: read from its payload as its layout describes it. A payload may be shorter than
 * its layout; every function here takes its size and reads nothing beyond it. Any thread may call these functions.
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
 * Whether the payload is long enough for the field. Text, bytes and sequences that the payload's end cuts off are there, and
 * shorter; those that are counted, or lie in a span, are there when the numbers at their offset are.
 */
RST_PUBLIC bool rst_field_is_there(const struct rst_field *field, size_t payload_bytes);

/*
 * The number in a field that is one; of RST_SIGNED with its sign, also in a bit field; of RST_REAL its bits. 0 when the
 * payload is too short for it.
 */
RST_PUBLIC uint64_t rst_field_number(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes);

/* The number in a field of RST_REAL; 0 when the payload is too short for it. */
RST_PUBLIC double rst_field_real(const struct rst_field *field, const uint8_t *payload, size_t payload_bytes);

/*
 * The bytes of a field of RST_TEXT or RST_BYTES, in the payload itself: as many as it has, or to the payload's end, of
 * RST_TEXT to the first NUL before that. Text is as it was recorded, so it may be of any encoding; where it fills all of a
 * field of fixed length, it was cut there, and half a character of UTF-8 at its end is left out. NULL and 0 when the field is
 * not there.
 */
RST_PUBLIC const uint8_t *rst_field_bytes(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes, size_t *ret_n_bytes);

/*
 * How many elements the field has in this payload: whole ones of a sequence, characters of text, bytes; of a field that is
 * one number 1. 0 when it is not there.
 */
RST_PUBLIC size_t rst_field_length(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes);

/*
 * The n-th element of a sequence, counted from 0, as a field of its own, of the type item_type, which the functions above
 * take with the same payload: it is not there when the sequence is shorter. Of other fields than sequences the field itself.
 */
RST_PUBLIC struct rst_field rst_field_item(
	const struct rst_field *field, const uint8_t *payload, size_t payload_bytes, size_t n);

/* The name of value among constants, or NULL. */
RST_PUBLIC const char *rst_constant_name(const struct rst_constants *constants, uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
