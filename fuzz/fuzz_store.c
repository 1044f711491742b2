/* SPDX-License-Identifier: MIT */
/*
 * The reader of stores and everything behind it, over arbitrary bytes. The first byte chooses how they are
 * shown, or (64) that they are written once more under other names, or (32) that the intervals are made that
 * they show or carry; its highest bit has all checksums corrected first, so that the inside of blocks is met.
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
				(end.status = rst_trace_next(trace, &batch, &end)) == RST_OK) {
				const struct rst_carried *carried = rst_trace_carried(trace);

				if (carried)
					*store_write_part(writer) = *carried;
				status = store_write_rows(writer, trace, batch, rows, batch->n_events, &err);
				if (status == RST_OK && carried)
					status = store_write_carried(writer, carried, &err);
			}
			if (status == RST_OK)
				store_write_finish(writer, trace, &end, true, &err);
		}
		store_write_free(writer);
		disguise_done(&disguise);
		rst_trace_free(trace);
	}
	close(null);
}

/* Aborts if an interval ends before it begins, or cannot be named. */
static void look_at_intervals(const struct rst_states *states)
{
	const struct rst_interval *intervals;
	const size_t n_intervals = rst_states_intervals(states, &intervals);

	for (size_t i = 0; i < n_intervals; i++) {
		const struct rst_interval *interval = &intervals[i];

		if (interval->from > interval->to || interval->state > RST_N_STATES ||
			!rst_interval_kind_name(interval->kind) ||
			(interval->subject.form == RST_ENTITY_THING && !interval->subject.kind))
			abort();
	}
}

static void make_intervals(const uint8_t *data, size_t size, const struct rst_open *how)
{
	struct rst_states *states = NULL;
	const struct rst_batch *batch;
	struct rst_trace *trace;

	if (rst_trace_open_bytes(&trace, data, size, "fuzz", how, NULL) < 0)
		return;
	if (rst_states_new(&states, trace, NULL) == RST_OK) {
		while (rst_trace_next(trace, &batch, NULL) == RST_OK &&
			rst_states_feed(states, batch, NULL) == RST_OK)
			look_at_intervals(states);
		if (rst_states_finish(states, NULL) == RST_OK)
			look_at_intervals(states);
	}
	rst_states_free(states);
	rst_trace_free(trace);
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
	else if (is_bomb(copy, size))
		; /* it takes its time */
	else if (choice & 32)
		make_intervals(copy, size, &how);
	else
		show_whole(copy, size, &how, choice & 8 ? SHOW_SUMMARY : choice & 3);
	free(copy);
	return 0;
}
