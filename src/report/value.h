/* SPDX-License-Identifier: MIT */
/* Values and texts as programs read them: JSON, and quoting for JSON and CSV. template/value/value.h has what people read. */
#ifndef REPORT_VALUE_H
#define REPORT_VALUE_H

#include "template/value/value.h"

/* Numbers as numbers, addresses as "0x…", a field that is cut off is null. Room is reserved as in value_put_text(). */
char *value_put_json(const struct value_source *from, char *p, const struct rst_field *field);

/* A spare field without information: it is 0, or cut off. */
static inline bool value_is_idle(const struct value_source *from, const struct rst_field *field)
{
	return field->is_spare && (!value_is_there(from, field) || value_number(from, field) == 0);
}

/* How a format quotes texts, and which characters it must escape within the quotes. */
struct quoting {
	uint8_t first, second;					  /* these two … */
	uint8_t below;						  /* … and all less than this */
	char *(*put)(char *p, const char *bytes, size_t n_bytes); /* quotes a text that has some of them */
};

extern const struct quoting quoting_json, quoting_csv;

/*
 * Makes the text that stands in the buffer from an offset to end, behind an opening quote, a quoted text; returns its
 * end. Most texts hold none of the special characters and stay as they are.
 */
char *value_quote(const struct value_source *from, size_t start, char *end, const struct quoting *quoting);

#endif
