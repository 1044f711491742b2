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

#endif
