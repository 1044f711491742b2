/* SPDX-License-Identifier: MIT */
/* Recognises text that is one JSON value, so that a writer of JSON may copy it as it is. */
#ifndef BASE_JSON_VALUE_H
#define BASE_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_VALUE_DEPTH_MAX = 256 };

/*
 * Whether the text is one value of JSON and nothing else, without blanks around it, in printable UTF-8.
 * Values may be nested JSON_VALUE_DEPTH_MAX deep.
 */
bool json_is_value(const char *text, size_t n_bytes);

#endif
