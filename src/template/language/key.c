/* SPDX-License-Identifier: MIT */
#include "template/language/key.h"

#include <string.h>

#include "base/text.h"

bool key_is_hook(const char *text, size_t n_bytes)
{
	if (n_bytes != 3 && n_bytes != 4)
		return false;
	for (size_t i = 0; i < n_bytes; i++)
		if (text_digit(text[i]) == TEXT_NO_DIGIT)
			return false;
	return true;
}

size_t key_normalise(char *key, const char *text, size_t n_bytes)
{
	if (n_bytes)
		memcpy(key, text, n_bytes);
	if (key_is_hook(text, n_bytes)) {
		for (size_t i = 0; i < n_bytes; i++)
			key[i] = (char)(key[i] & (key[i] > '9' ? ~0x20 : ~0));
		n_bytes -= n_bytes == 4 && key[3] == '0';
	}
	key[n_bytes] = '\0';
	return n_bytes;
}
