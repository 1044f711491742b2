/* SPDX-License-Identifier: MIT */
#include "input/text_mode.h"

#include <string.h>

#include "tests/tap.h"

/* In steps of so many bytes in and out. */
static bool gives(const char *in, size_t n_in, const char *expected, size_t n_expected, size_t step)
{
	uint8_t room[64], *out = room;
	const uint8_t *at = (const uint8_t *)in, *end = at + n_in;
	struct text_mode state = { 0 };

	while (at < end) {
		size_t n_step = (size_t)(end - at) < step ? (size_t)(end - at) : step, n_out = step;

		text_mode_undo(&state, &at, &n_step, &out, &n_out);
	}
	if (text_mode_end(&state))
		*out++ = '\r';
	return (size_t)(out - room) == n_expected && memcmp(room, expected, n_expected) == 0;
}

#define GIVES(in, expected, step) gives(in, sizeof(in) - 1, expected, sizeof(expected) - 1, step)
#define PAIRS(text)		  text_mode_pairs((const uint8_t *)(text), sizeof(text) - 1)

int main(void)
{
	bool is_same = true;

	for (size_t step = 1; step < 8; step++)
		is_same &= GIVES("a\r\nb\r\r\nc\rd\r", "a\nb\r\nc\rd\r", step);
	ok(is_same, "one CR is taken out of each CR LF, in steps of any length; others stay");
	ok(GIVES("", "", 1) && GIVES("\r", "\r", 1) && GIVES("\r\n", "\n", 1), "also at both ends");
	ok(PAIRS("\0a\r\nb\r\n") == 2, "LFs with a CR in front are counted");
	ok(PAIRS("\0a\r\nb\n") == 0 && PAIRS("\n\0") == 0, "one without is enough");
	ok(PAIRS("a\r\nb\r\n") == 0 && PAIRS("") == 0, "texts have such line ends");
	return tap_done();
}
