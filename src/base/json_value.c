/* SPDX-License-Identifier: MIT */
/*
 * Goes through the text once. The only memory is a bit for each open bracket: whether it is an object. After
 * each value a comma or a bracket must follow, and nothing when no bracket is open.
 */
#include "base/json_value.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

struct scan {
	const char *at, *end;
};

static bool json_value_take(struct scan *scan, char c)
{
	if (scan->at == scan->end || *scan->at != c)
		return false;
	scan->at++;
	return true;
}

/* The character behind a backslash. */
static bool take_escape(struct scan *scan)
{
	if (scan->at == scan->end)
		return false;
	if (json_value_take(scan, 'u')) {
		for (unsigned i = 0; i < 4; i++, scan->at++)
			if (scan->at == scan->end || text_digit(*scan->at) == TEXT_NO_DIGIT)
				return false;
		return true;
	}
	return memchr("\"\\/bfnrt", *scan->at++, 8) != NULL;
}

static bool take_string(struct scan *scan)
{
	if (!json_value_take(scan, '"'))
		return false;
	while (scan->at < scan->end && *scan->at != '"') {
		const size_t n_left = (size_t)(scan->end - scan->at);

		if (*scan->at == '\\') {
			scan->at++;
			if (!take_escape(scan))
				return false;
		} else if ((unsigned char)*scan->at >= 0x80) {
			const unsigned n = text_utf8_bytes((const uint8_t *)scan->at, n_left);

			if (!n)
				return false;
			scan->at += n;
		} else if (*scan->at >= ' ' && *scan->at != 0x7f) {
			scan->at++;
		} else {
			return false;
		}
	}
	return json_value_take(scan, '"');
}

static bool take_digits(struct scan *scan)
{
	const char *start = scan->at;

	while (scan->at < scan->end && text_is_digit(*scan->at))
		scan->at++;
	return scan->at > start;
}

static bool take_number(struct scan *scan)
{
	json_value_take(scan, '-');
	if (!json_value_take(scan, '0') && !take_digits(scan))
		return false;
	if (json_value_take(scan, '.') && !take_digits(scan))
		return false;
	if (json_value_take(scan, 'e') || json_value_take(scan, 'E')) {
		if (!json_value_take(scan, '-'))
			json_value_take(scan, '+');
		return take_digits(scan);
	}
	return true;
}

static bool take_word(struct scan *scan)
{
	static const char *const words[] = { "null", "true", "false" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t n = strlen(words[i]);

		if ((size_t)(scan->end - scan->at) >= n && memcmp(scan->at, words[i], n) == 0) {
			scan->at += n;
			return true;
		}
	}
	return false;
}

static bool take_scalar(struct scan *scan)
{
	if (scan->at == scan->end)
		return false;
	if (*scan->at == '"')
		return take_string(scan);
	return *scan->at == '-' || text_is_digit(*scan->at) ? take_number(scan) : take_word(scan);
}

/* Takes the key in front of a value in an object. */
static bool take_key(struct scan *scan)
{
	return take_string(scan) && json_value_take(scan, ':');
}

bool json_is_value(const char *text, size_t n_bytes)
{
	struct scan scan = { text, text + n_bytes };
	bool is_object[JSON_VALUE_DEPTH_MAX];
	unsigned depth = 0;

	for (;;) {
		bool begins_object = json_value_take(&scan, '{'),
		     begins = begins_object || json_value_take(&scan, '[');

		if (begins) {
			if (depth == JSON_VALUE_DEPTH_MAX)
				return false;
			is_object[depth++] = begins_object;
			if (!json_value_take(&scan, begins_object ? '}' : ']')) {
				if (begins_object && !take_key(&scan))
					return false;
				continue;
			}
			depth--;
		} else if (!take_scalar(&scan)) {
			return false;
		}
		while (depth && json_value_take(&scan, is_object[depth - 1] ? '}' : ']'))
			depth--;
		if (!depth)
			return scan.at == scan.end;
		if (!json_value_take(&scan, ',') || (is_object[depth - 1] && !take_key(&scan)))
			return false;
	}
}
