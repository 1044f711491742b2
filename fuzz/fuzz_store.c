/* SPDX-License-Identifier: MIT */
/*
 * The reader of stores and everything behind it, over arbitrary bytes. The first byte chooses how they are shown, or (64) that they
 * are written once more under other names; its highest bit has all checksums corrected first, so that the inside of blocks is met.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "container/write.h"
#include "fuzz/bomb.h"
#include "fuzz/checksums.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As anonymise does it, to nowhere. */
static void write_again(const uint8_t *data, size_t size, const struct rst_open *how, bool hides_times)
{
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct rst_error err, end = { .status = RST_OK };
	uint16_t rows[RST_BATCH_EVENTS];
	struct store_writer *writer = NULL;
	const struct rst_batch *batch;
	enum rst_status status = RST_OK;
	struct disguise disguise;
	struct rst_trace *trace;

	for (size_t i = 0; i < RST_BATCH_EVENTS; i++)
		rows[i] = (uint16_t)i;
	if (null >= 0 && rst_trace_open_bytes(&trace, data, size, "fuzz", how, NULL) >= 0) {
		if (disguise_init(&disguise, hides_times) &&
			store_write_open(&writer, null, "nowhere", trace, &err) == RST_OK) {
			store_write_disguise(writer, &disguise);
			while (status == RST_OK &&
				(end.status = rst_trace_next(trace, &batch, &end)) == RST_OK)
				status = store_write_rows(writer, trace, batch, rows, batch->n_events, &err);
			if (status == RST_OK)
				store_write_finish(writer, trace, &end, true, &err);
		}
		store_write_free(writer);
		disguise_done(&disguise);
		rst_trace_free(trace);
	}
	close(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rst_open how = { .dialect = "store" };
	uint8_t choice, *copy;

	if (!size)
		return 0;
	choice = *data++;
	size--;
	copy = malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (choice & 128)
		store_correct(copy, size);
	dialect_store.probe(copy, size, true);
	if (choice & 64)
		write_again(copy, size, &how, choice & 1);
	else if (!is_bomb(copy, size))
		show_whole(copy, size, &how, choice & 8 ? SHOW_SUMMARY : choice & 3);
	free(copy);
	return 0;
}
