/* SPDX-License-Identifier: MIT */
/*
 * The value of a field. Callers have reserved VALUE_ROOM bytes for each field; only names and texts that are longer
 * ask for more, and then the line so far may move: every function takes and returns the place to go on.
 */
#ifndef REPORT_VALUE_H
#define REPORT_VALUE_H

#include <rastrum/rastrum.h>

#include "base/outbuf.h"

enum { VALUE_ROOM = 96 };

/* One event's values: where they are and what names hold. */
struct value_source {
	struct outbuf *out;
	struct rst_trace *trace;
	const uint8_t *payload;
	size_t payload_bytes;
	uint64_t place;
	size_t room_after; /* what the rest of the line needs */
};

/* For people: names instead of addresses, constants instead of numbers. A field that is cut off is "?". */
char *value_put_text(const struct value_source *from, char *p, const struct rst_field *field);

/* JSON: numbers as numbers, addresses as "0x…", a field that is cut off is null. */
char *value_put_json(const struct value_source *from, char *p, const struct rst_field *field);

/*
 * Makes the text that stands in the buffer from an offset to end, behind an opening quote, a quoted text with put
 * (text_put_json or text_put_csv); returns its end. Most texts hold none of the special characters and stay as they are.
 */
char *value_quote(const struct value_source *from, size_t start, char *end, const char *special,
	char *(*put)(char *p, const char *bytes, size_t n_bytes));

/* Where in the buffer p is: good also after the line has moved. */
static inline size_t value_position(const struct value_source *from, const char *p)
{
	return (size_t)(p - from->out->start);
}

#endif
