/* SPDX-License-Identifier: MIT */
/*
 * A recorded image is told to the recorder again, call by call, with the recorded time as its clock: the new image must be
 * the recorded one, byte for byte, but for the six addresses in its header, as the memory lies elsewhere.
 *
 * The file that includes this has chosen the word. A feed follows: what the recorder asks its program for.
 */
#ifndef TESTS_THREADX_FEED_H
#define TESTS_THREADX_FEED_H

#include <rastrum/rastrum.h>

#include <stdlib.h>
#include <string.h>

#include "dialect/threadx/image.h"
#include "tests/tap.h"

#define TX_ENABLE_EVENT_TRACE
#define TX_TRACE_TIME_SOURCE	      feed_stamp()
#define TX_TRACE_TIME_MASK	      feed.mask
#define TX_TRACE_CONTEXT_GET(context) feed_context(context)
#define TX_TRACE_THREAD_PRIORITY_GET  feed_priority

struct TX_TRACE_CONTEXT_STRUCT;
static void feed_context(struct TX_TRACE_CONTEXT_STRUCT *context);

struct feed_event {
	uint64_t words[8];
};

enum { WORD_THREAD, WORD_PRIORITY, WORD_ID, WORD_STAMP, WORD_INFO };

static struct feed {
	struct tx_image image;
	const struct feed_event *now; /* what happens */
	uint64_t mask;
	unsigned priority; /* of the thread that is registered, or more than any */
	bool is_enabling;  /* the recorder makes events of its own: the first two */
} feed;

static inline uint64_t feed_stamp(void)
{
	if (feed.is_enabling)
		feed.now++;
	return feed.now->words[WORD_STAMP];
}

static inline unsigned feed_priority(void *thread)
{
	(void)thread;
	return feed.priority;
}

#include "embed/threadx/fx_trace.h"
#include "embed/threadx/nx_trace.h"

static void feed_context(TX_TRACE_CONTEXT *context)
{
	const uint64_t *words = feed.now->words;

	if (words[WORD_THREAD] == 0xf0f0f0f0) {
		context->system_state = TX_INITIALIZE_IN_PROGRESS;
	} else if (words[WORD_THREAD] == 0xffffffff) {
		context->system_state = 1;
		context->thread = (void *)(uintptr_t)words[WORD_PRIORITY];
	} else {
		context->thread = (void *)(uintptr_t)words[WORD_THREAD];
		context->priority = words[WORD_PRIORITY] & 0xffff;
		context->preempt_threshold = words[WORD_PRIORITY] >> 16 & 0x7fff;
	}
}

#include "embed/threadx/tx_trace_enable.c"
#include "embed/threadx/tx_trace_insert.c"
#include "embed/threadx/tx_trace_products.c"
#include "embed/threadx/tx_trace_registry.c"

/* --- the recorded image -------------------------------------------------------------------------------------- */

static const uint8_t *object_at(uint64_t i)
{
	return feed.image.bytes + feed.image.objects_at + i * feed.image.object_bytes;
}

/* Old ThreadX wrote the bare priority; in what we expect it stands as now. */
static void modernise(uint8_t *entry)
{
	const struct tx_layout *layout = &feed.image.layout;
	uint64_t thread = load_word(entry, layout->word, layout->is_big);
	uint8_t *top = entry + layout->word + (layout->is_big ? 0 : 3);

	if (thread != 0 && thread != 0xf0f0f0f0 && thread != 0xffffffff)
		*top |= 0x80;
}

static struct feed_event event_of(uint64_t slot)
{
	struct feed_event event;

	for (unsigned i = 0; i < 8; i++)
		event.words[i] = tx_word(&feed.image, tx_image_slot(&feed.image, slot), i);
	return event;
}

/* --- telling it ---------------------------------------------------------------------------------------------- */

static void tell_objects(void)
{
	const struct tx_image *image = &feed.image;

	for (uint64_t i = 0; i < image->n_objects && object_at(i)[1]; i++) {
		const uint8_t *object = object_at(i);
		unsigned word = image->layout.word;

		feed.priority = object[2] & 0x80 ? (object[2] & 3U) << 8 | object[3] : TX_TRACE_NO_PRIORITY;
		TX_TRACE_OBJECT_REGISTER(object[1], tx_word(image, object, 1), object + (size_t)4 * word,
			tx_word(image, object, 2), tx_word(image, object, 3))
	}
	for (uint64_t i = 0; i < image->n_objects; i++)
		if (object_at(i)[1] && object_at(i)[0] == 1)
			TX_TRACE_OBJECT_UNREGISTER(tx_word(image, object_at(i), 1))
}

static void tell_event(const struct feed_event *event)
{
	const uint64_t *info = event->words + WORD_INFO;
	unsigned id = event->words[WORD_ID] & 0xffffff;

	feed.now = event;
	if (id >= 1025)
		_tx_trace_user_event_insert(
			id, (ULONG)info[0], (ULONG)info[1], (ULONG)info[2], (ULONG)info[3]);
	else if (id >= 300)
		NX_TRACE_IN_LINE_INSERT(
			id, info[0], info[1], info[2], info[3], NX_TRACE_ALL_EVENTS, NULL, NULL)
	else if (id >= 200)
		FX_TRACE_IN_LINE_INSERT(
			id, info[0], info[1], info[2], info[3], FX_TRACE_ALL_EVENTS, NULL, NULL)
	else
		TX_TRACE_IN_LINE_INSERT(id, info[0], info[1], info[2], info[3], TX_TRACE_ALL_EVENTS)
}

static void stop(void *buffer)
{
	(void)buffer;
	_tx_trace_disable();
}

/* The ring begins with what enabling records; one that went round is filled up to where its oldest event stands. */
static uint64_t tell_events(uint64_t n_told, const struct feed_event *events, uint64_t n_events)
{
	static const struct feed_event filler = { { 0xf0f0f0f0, 0, 4096 } };

	if (n_events == feed.image.n_slots && feed.image.current_index != 0) {
		for (n_told = 2; n_told != feed.image.current_index; n_told++)
			tell_event(&filler);
		n_told = 0;
	}
	for (; n_told < n_events; n_told++)
		tell_event(&events[n_told]);
	return n_told;
}

/* --- comparing ----------------------------------------------------------------------------------------------- */

static void word_move(uint8_t *at, uint64_t by)
{
	unsigned n_bytes = feed.image.layout.word;
	uint64_t moved = load_word(at, n_bytes, false) + by;

	memcpy(at, &moved, n_bytes);
}

/* The recorded image, as it would be at the new one's place. */
static uint8_t *expected_of(const uint8_t *bytes, const uint8_t *place)
{
	static const unsigned addresses[] = { 2, 3, 5, 6, 7, 8 };
	uint8_t *expected = malloc(feed.image.n_bytes);

	memcpy(expected, bytes, feed.image.n_bytes);
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		word_move(expected + (size_t)addresses[i] * feed.image.layout.word,
			(uint64_t)(uintptr_t)place - feed.image.base);
	for (uint64_t i = 0; i < feed.image.n_whole; i++)
		modernise(expected + feed.image.ring_at + i * feed.image.entry_bytes);
	return expected;
}

static bool is_same(const uint8_t *got, const uint8_t *expected, const char *name)
{
	uint64_t at = 0;

	while (at < feed.image.n_bytes && got[at] == expected[at])
		at++;
	return ok(at == feed.image.n_bytes,
		"%s: the image is the recorded one to the last byte (%llu of %llu)", name,
		(unsigned long long)at, (unsigned long long)feed.image.n_bytes);
}

static uint64_t count_rows(const uint8_t *bytes, uint64_t n_bytes)
{
	const struct rst_open how = { .dialect = "threadx" };
	const struct rst_batch *batch;
	struct rst_trace *trace;
	uint64_t n_rows = 0;

	if (rst_trace_open_bytes(&trace, bytes, n_bytes, "test", &how, NULL) < 0)
		return 0;
	while (rst_trace_next(trace, &batch, NULL) == RST_OK)
		n_rows += batch->n_events;
	rst_trace_free(trace);
	return n_rows;
}

/* fill: what the memory held before. */
static void feed_image(const char *path, int fill)
{
	const struct tx_wanted any = { 0, TX_ENDIAN_ANY };
	struct feed_event *events;
	uint64_t n_bytes, n_events = 0, n_told;
	uint8_t *bytes = tap_slurp(path, &n_bytes), *expected, *memory;

	if (tx_image_find(&feed.image, bytes, n_bytes, 0, any, NULL) < 0) {
		ok(false, "%s is an image", path);
		return;
	}
	events = calloc(feed.image.n_slots, sizeof(*events));
	for (uint64_t i = 0; i < feed.image.n_slots; i++) {
		events[n_events] = event_of((feed.image.current_index + i) % feed.image.n_slots);
		n_events += events[n_events].words[WORD_THREAD] != 0;
	}
	memory = malloc(n_bytes);
	memset(memory, fill, n_bytes);
	feed.mask = feed.image.timer_mask;
	feed.now = events - 1;
	feed.is_enabling = true;
	is_number(_tx_trace_enable(memory, (ULONG)n_bytes, (ULONG)feed.image.n_objects), TX_SUCCESS, path);
	n_told = (uint64_t)(feed.now + 1 - events);
	feed.is_enabling = false;
	_tx_trace_buffer_full_notify(
		n_events == feed.image.n_slots && !feed.image.current_index ? stop : NULL);
	tell_objects();
	n_told = tell_events(n_told, events, n_events);
	expected = expected_of(bytes, memory);
	is_same(memory, expected, path);
	is_number(count_rows(memory, n_bytes), n_told, "the reader finds every event in it");
	_tx_trace_disable();
	free(memory);
	free(expected);
	free(events);
	free(bytes);
}

#endif
