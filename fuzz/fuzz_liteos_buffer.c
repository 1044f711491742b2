/* SPDX-License-Identifier: MIT */
/*
 * The reader of LiteOS trace buffers and everything behind it, over arbitrary bytes. The first byte chooses
 * how the trace is opened; with its lowest bit the next 24 bytes are a header and are made a likely one, so
 * that frames are reached. The rest is the buffer.
 */
#include <stdlib.h>

#include "dialect/liteos/liteos.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lengths that agree with each other, from what stands there. */
static void settle_header(uint8_t *bytes, size_t n_bytes)
{
	const bool is_big = bytes[0] & 1;
	const unsigned n_objects = bytes[1] & 3, frame_bytes = 24 + 8 * (bytes[2] & 7U);

	liteos_store(bytes, 4, is_big, LITEOS_ENDIAN_WORD);
	liteos_store(bytes + 12, 2, is_big, n_bytes);
	liteos_store(bytes + 14, 2, is_big, LITEOS_OBJECT_BYTES);
	liteos_store(bytes + 16, 2, is_big, frame_bytes);
	liteos_store(bytes + 18, 2, is_big, LITEOS_BUFFER_HEAD_BYTES);
	liteos_store(bytes + 20, 2, is_big, LITEOS_BUFFER_HEAD_BYTES + n_objects * LITEOS_OBJECT_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rst_setting settings[] = { { "variant", "a" }, { "ptr", "8" }, { "lr", "5" },
		{ "core", "1" } };
	uint8_t *bytes, choice;

	if (!size)
		return 0;
	choice = *data;
	bytes = grow(data + 1, size - 1, &size);
	if (!bytes)
		return 0;
	if (choice & 1 && size >= LITEOS_BUFFER_HEAD_BYTES)
		settle_header(bytes, size);
	const struct rst_open how = {
		.dialect = "liteos",
		.in_file_order = choice & 2,
		.n_settings = choice >> 4 & 3,
		.settings = settings + (choice >> 2 & 1),
	};

	/* Streams and texts have fuzzers of their own. */
	if (liteos_offline_probe(bytes, size, true))
		show_whole(bytes, size, &how, choice >> 6 ? choice >> 6 : SHOW_SUMMARY);
	free(bytes);
	return 0;
}
