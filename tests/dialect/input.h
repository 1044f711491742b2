/* SPDX-License-Identifier: MIT */
/*
 * The inputs of a dialect: its goldens (tests/goldens/NAME/) and its smaller real recordings
 * (tests/data/NAME/).
 */
#ifndef TESTS_DIALECT_INPUT_H
#define TESTS_DIALECT_INPUT_H

#include <ctype.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/dialect.h"
#include "tests/tap.h"

enum {
	DATA_BYTES_MAX = 12 * 1024,
	GOLDEN_STRIDE = 1,
	DATA_STRIDE = 5, /* bytes and steps of bits: real recordings are long and regular */
	SLOW_STRIDE = 7, /* times those above, in slow builds */
};

/* An input; bytes end where their memory ends, so that the sanitizer sees one read too many. */
struct input {
	const char *path;
	uint8_t *bytes;
	size_t n_bytes;
	size_t stride;
	bool is_golden;
};

static int hex_digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* Annotated hex to bytes, in place; what stands behind # is a comment (tests/dialect/goldens.t). */
static size_t unhex(uint8_t *bytes, size_t n_text)
{
	size_t n = 0, n_digits = 0;
	bool in_comment = false;

	for (size_t i = 0; i < n_text; i++) {
		int digit = hex_digit((char)bytes[i]);

		if (bytes[i] == '#' || bytes[i] == '\n')
			in_comment = bytes[i] == '#';
		if (in_comment || digit < 0)
			continue;
		if (n_digits++ % 2 == 0)
			bytes[n] = (uint8_t)(digit << 4);
		else
			bytes[n++] |= (uint8_t)digit;
	}
	return n;
}

static struct input input_load(const char *path, bool is_golden)
{
	struct input input = {
		.path = path, .stride = is_golden ? GOLDEN_STRIDE : DATA_STRIDE, .is_golden = is_golden
	};
	size_t n_read;
	uint8_t *raw = tap_slurp(path, &n_read);

	if (tap_is_slow())
		input.stride *= SLOW_STRIDE;
	input.n_bytes = is_golden ? unhex(raw, n_read) : n_read;
	input.bytes = malloc(input.n_bytes + !input.n_bytes);
	memcpy(input.bytes, raw, input.n_bytes);
	free(raw);
	return input;
}

/* Not the documents and facts that lie beside the recordings. */
static bool is_recording(const char *path)
{
	const char *end = strrchr(path, '.');

	return end && strcmp(end, ".md") != 0 && strcmp(end, ".json") != 0;
}

typedef void input_check(const struct dialect *dialect, const struct input *input);

static size_t inputs_of(
	const struct dialect *dialect, const char *pattern, bool is_golden, input_check *check_input)
{
	glob_t found = { 0 };
	size_t n = 0;

	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (!is_recording(found.gl_pathv[i]))
			continue;
		struct input input = input_load(found.gl_pathv[i], is_golden);

		if (input.n_bytes < DATA_BYTES_MAX) {
			check_input(dialect, &input);
			n++;
		}
		free(input.bytes);
	}
	globfree(&found);
	return n;
}

/* Calls check_input() for each input of a dialect, which has goldens. */
static void inputs_check(const struct dialect *dialect, input_check *check_input)
{
	char pattern[128];

	snprintf(pattern, sizeof(pattern), "tests/goldens/%s/*.hex", dialect->name);
	ok(inputs_of(dialect, pattern, true, check_input) > 0, "%s has goldens", dialect->name);
	snprintf(pattern, sizeof(pattern), "tests/data/%s/*", dialect->name);
	inputs_of(dialect, pattern, false, check_input);
}

#endif
