/* SPDX-License-Identifier: MIT */
/* Texts as programs read them: quotes for JSON and CSV. */
#ifndef REPORT_QUOTE_H
#define REPORT_QUOTE_H

#include "model/value/value.h"

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
