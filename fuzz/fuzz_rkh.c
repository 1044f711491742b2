/* SPDX-License-Identifier: MIT */
/*
 * The RKH reader and everything behind it, over arbitrary bytes. The first byte chooses how the stream is
 * opened and shown, and in what chunks it comes; the rest is the stream. Both ways to scan for flags must
 * agree.
 */
#include <stdlib.h>

#include "dialect/rkh/rkh.h"
#include "fuzz/bomb.h"
#include "fuzz/chunks.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compare_scans(const uint8_t *data, size_t size)
{
	uint8_t sum = 0, plain_sum = 0;
	const uint8_t *at = data, *end = data + size;

	while (at < end) {
		const uint8_t *stop = rkh_scan(at, end, &sum);

		if (stop != rkh_scan_plain(at, end, &plain_sum) || sum != plain_sum)
			abort();
		at = stop + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rst_setting settings[] = { { "te", "2" }, { "sender", "1" }, { "quelwm", "1" },
		{ "mplwm", "1" }, { "ptr", "8" }, { "chk", "0" }, { "ts", "0" }, { "version", "2.4.3" } };
	uint8_t choice;

	if (!size)
		return 0;
	choice = *data++;
	size--;
	const struct rst_open how = {
		.dialect = "rkh",
		.n_settings = choice & 8 ? 1U + (choice >> 4 & 7) : 0U,
		.settings = settings,
	};
	const unsigned output = choice & 128 ? SHOW_SUMMARY : choice & 3;
	uint8_t *copy = grow(data, size, &size);

	if (!copy)
		return 0;
	dialect_rkh.probe(copy, size, true);
	compare_scans(copy, size);
	if (choice & 4)
		chunks_read(&dialect_rkh, &how, copy, size, 1U + (choice >> 4 & 15));
	else if (!is_bomb(copy, size))
		show_whole(copy, size, &how, output);
	free(copy);
	return 0;
}
