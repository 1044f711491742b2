/* SPDX-License-Identifier: MIT */
/* Keys of templates: what the first word of a stanza and the name of a call are looked up by. */
#ifndef TEMPLATE_LANGUAGE_KEY_H
#define TEMPLATE_LANGUAGE_KEY_H

#include <stdbool.h>
#include <stddef.h>

/* How keys of a file are written. */
enum key_kind {
	KEY_HOOK, /* three or four hexadecimal digits: AIX */
	KEY_NAME, /* the constant name of an event; hook ids, too, for subroutines */
};

/* Whether the text is three or four hexadecimal digits, and nothing else. */
bool key_is_hook(const char *text, size_t n_bytes);

/*
 * The key as it is looked up: a hook id in upper case, and hhh0 as hhh (D30); other names as they are. key
 * has room for n_bytes + 1. Returns its length.
 */
size_t key_normalise(char *key, const char *text, size_t n_bytes);

#endif
