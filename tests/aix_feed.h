/* SPDX-License-Identifier: MIT */
/*
 * What is recorded with hooks is read back by the dialect aix, in the order of this machine and, every word turned round,
 * in the other: each form of entry, each loss.
 *
 * The file that includes this has chosen the word, and how many cores there are.
 */
#ifndef TESTS_AIX_FEED_H
#define TESTS_AIX_FEED_H

#include <rastrum/rastrum.h>

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static uint32_t feed_now, feed_thread;
#if RASTRUM_N_CORES > 1
static uint32_t feed_core;
#define RASTRUM_CORE() feed_core
#else
enum { feed_core = RST_NO_CORE };
#endif
#define RASTRUM_STAMP()	     feed_now
#define RASTRUM_AIX_THREAD() feed_thread
#define RASTRUM_AIX_CLOCK_HZ 1000

#include "embed/aix/channel.c"
#include "embed/aix/record.c"
#include "embed/aix/sys/trcmacros.h"

enum { RING_WORDS = 2048, EVENTS_MAX = 20000, STREAM_MAX = 4 << 20, BYTES_MAX = 64, WORD = AIX_WORD };

struct feed_event {
	uint32_t id; /* as names tell it: 3 digits, or 4 */
	uint32_t stamp, thread, core;
	uint32_t n_words, n_bytes;
	bool is_generic;
	uint64_t data, words[5];
	uint8_t bytes[BYTES_MAX];
};

/* What was recorded, what came out, what was read of it. */
static struct {
	rastrum_aix_word_t memory[RING_WORDS];
	struct rastrum_aix trace;
	struct feed_event made[EVENTS_MAX], read[EVENTS_MAX];
	uint8_t stream[STREAM_MAX], other[STREAM_MAX];
	size_t n_made, n_read, n_stream, n_damages;
	uint64_t n_lost;
	uint64_t clock_hz;
	uint32_t seed;
} feed;

static uint32_t any(void)
{
	feed.seed = feed.seed * 1664525 + 1013904223;
	return feed.seed >> 8;
}

static uint64_t any_word(void)
{
	uint64_t word = (uint64_t)any() << 40 ^ (uint64_t)any() << 20 ^ any();

	return WORD == 8 ? word : (uint32_t)word;
}

/* --- making ----------------------------------------------------------------------------------------------------- */

static struct feed_event *made_next(uint32_t id, uint64_t data)
{
	struct feed_event *event = &feed.made[feed.n_made++];

	*event = (struct feed_event){
		.id = id, .stamp = feed_now, .thread = feed_thread, .core = feed_core, .data = data
	};
	return event;
}

/* With 32 bits, several words are five. */
static void made_words(struct feed_event *event, uint32_t n_words, const uint64_t *words)
{
	event->n_words = WORD == 4 && n_words > 1 ? 5 : n_words;
	memcpy(event->words, words, n_words * sizeof(*words));
}

/* By the functions that are called as the forms of entries are. */
static bool record_form(uint32_t form, rastrum_aix_word_t hook, const uint64_t *w)
{
	bool is_stamped = any() & 1;

	if (form == 0)
		(is_stamped ? trchkt : trchk)(hook);
	else if (form == 1)
		(is_stamped ? trchklt : trchkl)(hook, (rastrum_aix_word_t)w[0]);
	else if (form == 5)
		(is_stamped ? trchkgt : trchkg)(hook, (rastrum_aix_word_t)w[0], (rastrum_aix_word_t)w[1],
			(rastrum_aix_word_t)w[2], (rastrum_aix_word_t)w[3], (rastrum_aix_word_t)w[4]);
	else if (form == 6)
		trchook((uint32_t)hook, w[0], w[1], w[2], w[3], w[4]);
#if RASTRUM_AIX_WORD_BYTES == 8
	else if (form == 7)
		trchook64(hook, w[0], w[1], w[2], w[3], w[4]);
#endif
	else
		return false;
	return true;
}

static void record_words(uint32_t form, rastrum_aix_word_t hook, const uint64_t *w)
{
	if (any() & 1 && record_form(form, hook, w))
		return;
	switch (form) {
	case 0:
		TRCHKL0(hook);
		return;
	case 1:
		TRCHKL1T(hook, w[0]);
		return;
	case 2:
		TRCHKL2(hook, w[0], w[1]);
		return;
	case 3:
		TRCHKL3T(hook, w[0], w[1], w[2]);
		return;
	case 4:
		TRCHKL4(hook, w[0], w[1], w[2], w[3]);
		return;
	case 5:
		TRCHKL5T(hook, w[0], w[1], w[2], w[3], w[4]);
		return;
	case 6:
		utrchook((uint32_t)hook, w[0], w[1], w[2], w[3], w[4]);
		return;
	default:
#if RASTRUM_AIX_WORD_BYTES == 8
		utrchook64(hook, w[0], w[1], w[2], w[3], w[4]);
#else
		utrchook(hook, w[0], w[1], w[2], w[3], w[4]);
#endif
	}
}

/* Type, flags and length are the recorder's, whatever the caller left there. */
static rastrum_aix_word_t any_hook(uint32_t form, uint32_t *ret_id, uint64_t *ret_data)
{
	uint32_t id = 0x010 + any() % 0xf0, data = any() & 0xffff;
	rastrum_aix_word_t hook = id << 20 | data;

	if (WORD == 8 && any() & 1 && form != 6) {
		id = 0x1000 + any() % 0xff;
		hook = id << 16 | data;
		id = id & 0xf ? id : id >> 4;
	}
	if (WORD == 4 || form == 6)
		hook |= (any() & 0xf) << 16;
#if RASTRUM_AIX_WORD_BYTES == 8
	if (form != 6)
		hook |= (uint64_t)any() << 40;
#endif
	*ret_id = id;
	*ret_data = data;
	return hook;
}

static void record_generic(uint32_t n_bytes)
{
	uint64_t data, word = any_word();
	rastrum_aix_word_t hook;
	struct feed_event *event;
	uint32_t id;

	hook = any_hook(0, &id, &data);
	event = made_next(id, WORD == 8 ? data : n_bytes);
	made_words(event, 1, &word);
	event->is_generic = true;
	event->n_bytes = n_bytes;
	for (uint32_t i = 0; i < n_bytes; i++)
		event->bytes[i] = (uint8_t)any();
	switch (any() % 4) {
	case 0:
		TRCGEN(0, hook, word, n_bytes, event->bytes);
		return;
	case 1:
		TRCGENT(0, hook, word, n_bytes, event->bytes);
		return;
	case 2:
		trcgenk(0, hook, (rastrum_aix_word_t)word, n_bytes, event->bytes);
		return;
	default:
		trcgenkt(0, hook, (rastrum_aix_word_t)word, n_bytes, event->bytes);
	}
}

static void record_any(void)
{
	uint32_t form = any() % 9, id;
	uint64_t words[5], data;
	rastrum_aix_word_t hook;

	feed_now += any() >> (any() % 24);
	feed_thread = any() % 9;
#if RASTRUM_N_CORES > 1
	feed_core = any() % RASTRUM_N_CORES;
#endif
	if (form == 8) {
		record_generic(any() % (BYTES_MAX + 1));
		return;
	}
	for (unsigned i = 0; i < 5; i++)
		words[i] = any_word();
	hook = any_hook(form, &id, &data);
	made_words(made_next(id, data), form < 5 ? form : 5, words);
	record_words(form, hook, words);
}

/* An entry of the recorder's own. */
static void made_control(uint32_t id)
{
	made_next(id, 0);
}

static void start(uint32_t n_words, int keeps_newest)
{
	feed.n_made = feed.n_stream = 0;
	rastrum_aix_open(0, &feed.trace, feed.memory, n_words, keeps_newest);
	made_control(0x001);
	trcon(0);
}

static size_t take(uint32_t n_room)
{
	size_t n = rastrum_aix_take(0, feed.stream + feed.n_stream, n_room);

	feed.n_stream += n;
	return n;
}

static void take_all(void)
{
	while (take(1 + any() % 300))
		continue;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

static void read_fields(struct feed_event *event, const struct rst_batch *batch, size_t row)
{
	const struct rst_type *type = batch->type[row];
	const uint8_t *payload = batch->payload[row];
	uint32_t n = batch->payload_bytes[row];

	/* Of a generic entry of 32 bits the length stands there; it is no field. */
	event->data = (uint64_t)payload[WORD == 8 ? 6 : 2] << 8 | payload[WORD == 8 ? 7 : 3];
	for (unsigned i = 0; i < type->n_fields; i++) {
		const struct rst_field *field = &type->fields[i];
		uint64_t number = field->type == RST_BYTES ? 0 : rst_field_number(field, payload, n);

		if (field->name[0] == 'd' && field->name[1] != 'a') {
			event->words[event->n_words++] = number;
		} else if (field->type == RST_BYTES) {
			event->is_generic = true;
			event->n_bytes = n - field->offset;
			memcpy(event->bytes, payload + field->offset,
				event->n_bytes < BYTES_MAX ? event->n_bytes : BYTES_MAX);
		} else if (number != event->data) {
			event->data = UINT64_MAX;
		}
	}
}

static void read_row(const struct rst_batch *batch, size_t row)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	struct feed_event *event = &feed.read[feed.n_read];

	if (gap) {
		feed.n_damages += gap->marker == RST_DAMAGE;
		feed.n_lost += gap->n_events;
		return;
	}
	*event = (struct feed_event){ .id = (uint32_t)strtoul(batch->type[row]->name, NULL, 16),
		.stamp = (uint32_t)batch->stamp[row],
		.thread = batch->context[row]->kind == RST_CONTEXT_THREAD ? (uint32_t)batch->context[row]->id
									  : 0,
		.core = batch->core[row] };
	read_fields(event, batch, row);
	feed.n_read++;
}

static bool read_back(const uint8_t *bytes, size_t n_bytes)
{
	const struct rst_batch *batch;
	struct rst_trace *trace;
	enum rst_status status;

	feed.n_read = feed.n_damages = 0;
	feed.n_lost = 0;
	if (rst_trace_open_bytes(&trace, bytes, n_bytes, "test", NULL, NULL) < 0)
		return false;
	while ((status = rst_trace_next(trace, &batch, NULL)) == RST_OK)
		for (size_t i = 0; i < batch->n_events; i++)
			read_row(batch, i);
	feed.clock_hz = rst_trace_metadata(trace)->clock_hz;
	rst_trace_free(trace);
	return status == RST_END;
}

static bool is_same(const struct feed_event *made, const struct feed_event *read)
{
	return memcmp(made, read, sizeof(*made)) == 0;
}

static bool are_same(size_t from_made, size_t from_read, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_same(&feed.made[from_made + i], &feed.read[from_read + i]))
			return false;
	return true;
}

/* Whether the events read are some of those made, in their order. */
static bool are_some(void)
{
	size_t at = 0;

	for (size_t i = 0; i < feed.n_read; i++, at++) {
		while (at < feed.n_made && !is_same(&feed.made[at], &feed.read[i]))
			at++;
		if (at == feed.n_made)
			return false;
	}
	return true;
}

/* --- the other byte order --------------------------------------------------------------------------------------- */

static size_t turn_word(size_t at, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		feed.other[at + i] = feed.stream[at + n_bytes - 1 - i];
	return at + n_bytes;
}

/* As a machine of the other order would have recorded it: all words turned round, but for variable bytes. */
static void turn_round(void)
{
	size_t at = RASTRUM_AIX_HEADER_BYTES;

	memcpy(feed.other, feed.stream, feed.n_stream);
	feed.other[5] ^= 1;
	turn_word(8, 4);
	for (size_t i = 0; i < feed.n_made; i++) {
		const struct feed_event *event = &feed.made[i];

		for (size_t n = 0; n < 1 + event->n_words; n++)
			at = turn_word(at, WORD);
		at += (event->n_bytes + WORD - 1) / WORD * WORD;
		for (size_t n = 0; n < AIX_TRAILER / WORD; n++)
			at = turn_word(at, WORD);
	}
}

/* --- tests ------------------------------------------------------------------------------------------------------ */

static void round_trip(void)
{
	start(RING_WORDS, 0);
	while (feed.n_made < EVENTS_MAX - 1) {
		record_any();
		take(any() % 200);
	}
	made_control(0x002);
	trcstop(0);
	take_all();
	ok(read_back(feed.stream, feed.n_stream) && feed.n_read == EVENTS_MAX && are_same(0, 0, EVENTS_MAX) &&
			!feed.n_lost && !feed.n_damages,
		"%u entries of all forms, taken in pieces of any length, come back", EVENTS_MAX);
	is_number(feed.clock_hz, 1000, "the header knows how often the clock counts");
	is_number(rastrum_aix_lost(0), 0, "and none was lost");
	turn_round();
	ok(read_back(feed.other, feed.n_stream) && feed.n_read == EVENTS_MAX && are_same(0, 0, EVENTS_MAX) &&
			!feed.n_lost && !feed.n_damages,
		"the same of a machine of the other byte order");
	is_number(feed.clock_hz, 1000, "its header, too");
}

static void loss_of_stream(void)
{
	start(256, 0);
	while (feed.n_made < 9000) {
		record_any();
		if (any() % 50 == 0)
			take(any() % 2000);
	}
	take_all();
	ok(read_back(feed.stream, feed.n_stream) && are_some() && !feed.n_damages && feed.n_lost > 1000,
		"a trace that is taken too seldom keeps whole entries in their order");
	is_number(feed.n_read + feed.n_lost, feed.n_made, "entries read and told as lost are all");
	is_number(feed.n_lost, rastrum_aix_lost(0), "and that is what the recorder has counted");
	ok(is_same(&feed.made[0], &feed.read[0]), "the oldest is there");
}

static void overwriting(void)
{
	start(256, 1);
	while (feed.n_made < 5000)
		record_any();
	take_all();
	ok(read_back(feed.stream, feed.n_stream) && feed.n_read > 5 &&
			are_same(feed.n_made - feed.n_read, 0, feed.n_read),
		"a flight recorder has the newest entries");
	is_number(feed.n_read + feed.n_lost, feed.n_made, "and tells how many it has written over");
	is_number(feed.n_lost, rastrum_aix_lost(0), "as the recorder has counted");
}

/* An entry of which a part has gone out stays, whatever comes: the new ones are lost then. */
static void overwriting_while_taken(void)
{
	start(256, 1);
	while (feed.n_made < 9000) {
		record_any();
		if (any() % 30 == 0)
			take(any() % 300);
	}
	take_all();
	ok(read_back(feed.stream, feed.n_stream) && are_some() && !feed.n_damages && feed.n_read > 500,
		"taken while it is written over, no entry is torn");
	is_number(feed.n_read + feed.n_lost, feed.n_made, "entries read and told as lost are all, here, too");
	is_number(feed.n_lost, rastrum_aix_lost(0), "as the recorder has counted");
}

static void lengths(void)
{
	static uint8_t bytes[RASTRUM_AIX_BUFFER_MAX + 1];
	bool is_right = true;

	for (uint32_t n = 0; n <= RASTRUM_AIX_BUFFER_MAX && is_right; n += 1 + n / 40) {
		start(RING_WORDS, 1);
		memset(bytes, (int)any(), sizeof(bytes));
		TRCGEN(0, HKWD_USER1, 5, n, bytes);
		take_all();
		is_right = read_back(feed.stream, feed.n_stream) && feed.n_read == 2 &&
			   feed.read[1].n_bytes == n && feed.read[1].words[0] == 5 &&
			   memcmp(feed.read[1].bytes, bytes, n < BYTES_MAX ? n : BYTES_MAX) == 0;
	}
	ok(is_right, "buffers of 0 to 4096 bytes come back");
	start(RING_WORDS, 1);
	TRCGEN(0, HKWD_USER1, 5, RASTRUM_AIX_BUFFER_MAX + 1, bytes);
	is_number(rastrum_aix_lost(0), 1, "a longer one is lost as a whole");
	start(256, 1);
	TRCGEN(0, HKWD_USER1, 5, RASTRUM_AIX_BUFFER_MAX, bytes);
	record_any();
	take_all();
	ok(read_back(feed.stream, feed.n_stream) && feed.n_read == 2 && feed.n_lost == 1,
		"what is longer than the ring is lost, and takes nothing with it");
}

static size_t n_rows_of(uint32_t channel)
{
	feed.n_stream = rastrum_aix_take(channel, feed.stream, STREAM_MAX);
	return read_back(feed.stream, feed.n_stream) ? feed.n_read : SIZE_MAX;
}

static void channels_on_and_off(void)
{
	static struct rastrum_aix trace;
	static rastrum_aix_word_t memory[64];

	start(RING_WORDS, 0);
	ok(trcon(3) == -1 && trcoff(3) == -1 && trcstop(3) == -1 && trcon(-1) == -1 && trcon(8) == -1 &&
			trcstop(8) == -1,
		"a channel that is not open cannot be turned on, off, or stopped");
	ok(!rastrum_aix_open(8, &trace, memory, 64, 0) && !rastrum_aix_open(3, &trace, memory, 15, 0),
		"there are eight channels, and a ring has 128 bytes or more");
	is_number(rastrum_aix_open(3, &trace, memory, 64, 0), sizeof(memory),
		"a ring has the memory that it gets");
	TRCGEN(3, HKWD_USER1, 1, 0, NULL);
	ok(trcon(3) == 0 && trcon(3) == 0, "a channel may be turned on twice");
	TRCGEN(3, HKWD_USER1, 1, 2, "ab");
	TRCHKL1(HKWD_USER1, 2);
	TRCGEN(4, HKWD_USER1, 1, 0, NULL);
	TRCGEN(32, HKWD_USER1, 1, 0, NULL);
	trcoff(3);
	TRCGEN(3, HKWD_USER1, 1, 0, NULL);
	is_number(n_rows_of(3), 3, "a channel records from on to off, and tells of both");
	is_number(n_rows_of(0), 2, "and the system trace has its own");
	ok(feed.read[0].id == 0x001 && feed.read[1].n_words == 1 && feed.read[1].words[0] == 2,
		"which is what the macros without a channel record");
	is_number(n_rows_of(4), SIZE_MAX, "of a channel that is not open nothing can be taken");
	ok(trcstop(3 | RASTRUM_AIX_SERIALISE) == 0 && trcon(3) == -1 && trcstop(3) == -1,
		"a stopped channel is stopped for good");
	rastrum_aix_open(3, &trace, memory, 64, 0);
	trcon(3);
	TRCGEN(3, HKWD_USER1, 1, 2, "ab");
	ok(trcstop(3 | RASTRUM_AIX_DISCARD) == 0 && n_rows_of(3) == 0,
		"what has not been taken can be thrown away");
	rastrum_aix_open(3, &trace, memory, 64, 0);
	trcon(3);
	feed.n_stream = rastrum_aix_take(3, feed.stream, RASTRUM_AIX_HEADER_BYTES + 3);
	TRCGEN(3, HKWD_USER1, 1, 2, "ab");
	trcstop(3 | RASTRUM_AIX_DISCARD);
	feed.n_stream += rastrum_aix_take(3, feed.stream + feed.n_stream, STREAM_MAX / 2);
	ok(read_back(feed.stream, feed.n_stream) && feed.n_read == 1 && !feed.n_damages,
		"but for the entry of which a part has gone out");
}

/*
 * Entries have no checksum, so one that is hit may read as another; those around it are as they were, once there are two
 * from which the way can be found.
 */
static void lost_bytes(void)
{
	bool is_right = true;
	size_t worst = 0;

	start(RING_WORDS, 0);
	while (feed.n_made < 150) {
		feed_now++;
		TRCHKL1(HKWD_USER1, feed.n_made);
		made_words(made_next(0x010, 0), 1, (const uint64_t[]){ feed.n_made });
	}
	take_all();
	for (size_t at = RASTRUM_AIX_HEADER_BYTES + 3 * (2 * WORD + AIX_TRAILER);
		at < feed.n_stream && is_right; at++) {
		size_t before = 0, behind = 0;

		memcpy(feed.other, feed.stream, at);
		memcpy(feed.other + at, feed.stream + at + 1, feed.n_stream - at - 1);
		is_right = read_back(feed.other, feed.n_stream - 1) && feed.n_damages >= 1;
		while (before < feed.n_read && is_same(&feed.made[before], &feed.read[before]))
			before++;
		while (behind < feed.n_read - before &&
			is_same(&feed.made[feed.n_made - 1 - behind], &feed.read[feed.n_read - 1 - behind]))
			behind++;
		if (feed.n_made - before - behind > worst)
			worst = feed.n_made - before - behind;
	}
	ok(is_right, "whichever byte is lost, damage is told");
	ok(worst <= 3, "and all entries but %zu are as they were", worst);
}

static int feed_main(void)
{
	feed.seed = 1;
	round_trip();
	loss_of_stream();
	overwriting();
	overwriting_while_taken();
	lengths();
	channels_on_and_off();
	lost_bytes();
	return tap_done();
}

#endif
