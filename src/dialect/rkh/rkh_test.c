/* SPDX-License-Identifier: MIT */
/*
 * Tests of the dialect alone: the same bytes in chunks of any size, garbage of all kinds, and memory that
 * does not grow.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "dialect/rkh/rkh.h"
#include "tests/dialect/feed.h"
#include "tests/tap.h"

struct reading {
	struct rkh *rkh;
	struct model model;
	struct batch *batch;
	enum rst_status status;
	uint64_t digest;
	uint64_t n_events, n_damages, n_lost;
	struct feed feed;
};

static void mix(struct reading *reading, const void *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		reading->digest = hash_byte(reading->digest, at[i]);
}

/* Hashes all facts of the rows except contexts, whose names may come late. */
static void take_rows(struct reading *reading)
{
	struct batch *batch = reading->batch;

	for (size_t i = 0; i < batch->n_events; i++) {
		const struct rst_type *type = batch->type[i];
		const struct rst_gap *gap = (const void *)batch->payload[i];

		mix(reading, type->name, type->name_bytes);
		mix(reading, &batch->ticks[i], sizeof(uint64_t));
		mix(reading, &batch->seq[i], sizeof(uint64_t));
		reading->n_events += type->marker == RST_EVENT;
		reading->n_damages += type->marker == RST_DAMAGE;
		reading->n_lost += type->marker == RST_LOSS ? gap->n_events : 0;
		if (type->marker == RST_EVENT)
			mix(reading, batch->payload[i], batch->payload_bytes[i]);
		else
			mix(reading, &gap->offset, sizeof(gap->offset));
	}
	if (batch->n_events) {
		reading->model.last_ticks = batch->ticks[batch->n_events - 1];
		reading->model.last_seq = batch->seq[batch->n_events - 1];
	}
	batch_clear(batch);
}

static bool read_chunk(void *context, struct chunk *chunk)
{
	struct reading *reading = context;

	do {
		reading->status =
			dialect_rkh.read(reading->rkh, &reading->model, chunk, reading->batch, NULL);
		take_rows(reading);
	} while (reading->status == RST_OK);
	return reading->status == RST_MORE;
}

static void reading_open(struct reading *reading, bool is_midstream)
{
	static const struct rst_setting settings[] = { { "sender", "1" }, { "quelwm", "1" },
		{ "mplwm", "1" } };
	const struct rst_open how = { .n_settings = is_midstream ? 3 : 0, .settings = settings };

	*reading =
		(struct reading){ .digest = HASH_EMPTY, .feed = { .read = read_chunk, .context = reading } };
	reading->rkh = calloc(1, sizeof(struct rkh));
	reading->batch = calloc(1, sizeof(struct batch));
	batch_init(reading->batch, dialect_rkh.columns, dialect_rkh.scratch_bytes);
	model_init(&reading->model);
	reading->status = dialect_rkh.open(reading->rkh, &reading->model, &how, NULL);
}

static void reading_close(struct reading *reading)
{
	dialect_rkh.close(reading->rkh);
	chunk_carrier_done(&reading->feed.carrier);
	free(reading->rkh);
	batch_done(reading->batch);
	free(reading->batch);
	model_done(&reading->model);
}

static bool is_same(const struct reading *a, const struct reading *b)
{
	for (size_t i = 0; i < RKH_N_STATS; i++)
		if (a->rkh->stats[i].number != b->rkh->stats[i].number)
			return false;
	return a->digest == b->digest && a->status == b->status;
}

static void test_chunks(const char *path, bool is_midstream)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 16, 17, 61, 1000, 4096 };
	struct reading whole, parts;
	size_t n_bytes;
	uint8_t *bytes = tap_slurp(path, &n_bytes);
	bool is_good = true;

	reading_open(&whole, is_midstream);
	feed_file(&whole.feed, &dialect_rkh, whole.rkh, &whole.model, bytes, n_bytes);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && is_good; i++) {
		reading_open(&parts, is_midstream);
		feed_stream(&parts.feed, bytes, n_bytes, sizes[i]);
		is_good = is_same(&whole, &parts);
		reading_close(&parts);
	}
	ok(is_good && whole.status == RST_END, "%s gives the same in chunks of any size", path);
	reading_close(&whole);
	free(bytes);
}

/* --- streams that are joined in the middle -------------------------------------------------------------- */

/* However early such a stream ends, the frames that wait come out, and read as in a file. */
static void test_doubts(void)
{
	size_t n_bytes, n_same = 0, n_all = 0;
	uint8_t *bytes = tap_slurp("tests/data/rkh/d5_midstream.bin", &n_bytes);

	for (size_t n = 20; n < 3000; n += 29, n_all++) {
		struct reading whole, parts;

		reading_open(&whole, true);
		feed_file(&whole.feed, &dialect_rkh, whole.rkh, &whole.model, bytes, n);
		reading_open(&parts, false);
		feed_stream(&parts.feed, bytes, n, 1 + n % 70);
		n_same += is_same(&whole, &parts);
		reading_close(&whole);
		reading_close(&parts);
	}
	ok(n_same == n_all, "a stream joined in the middle may end in doubt: %zu of %zu are read well",
		n_same, n_all);
	free(bytes);
}

/* Returns how many events these bytes give in chunks of n_chunk, without waiting for more. */
static uint64_t count_early(const uint8_t *bytes, size_t n_bytes, size_t n_chunk, bool is_told)
{
	struct reading reading;
	uint64_t n_events;

	reading_open(&reading, is_told);
	for (size_t at = 0; at < n_bytes; at += n_chunk) {
		size_t n = n_bytes - at < n_chunk ? n_bytes - at : n_chunk;

		feed_bytes(&reading.feed, bytes + at, n, at);
	}
	n_events = reading.n_events;
	reading_close(&reading);
	return n_events;
}

static void test_delays(void)
{
	enum { FRAMES = 64 };
	size_t n_bytes;
	uint8_t *bytes = tap_slurp("tests/data/rkh/d5_midstream.bin", &n_bytes);
	uint64_t n_late_most = 0;

	for (size_t n = 30; n < n_bytes; n += n < 1500 ? 30 : 1500) {
		uint64_t n_late = count_early(bytes, n, n, true) - count_early(bytes, n, 50, false);

		n_late_most = n_late > n_late_most ? n_late : n_late_most;
	}
	ok(n_late_most && n_late_most <= FRAMES, "in doubt no more than %u events come late: %" PRIu64,
		FRAMES, n_late_most);
	free(bytes);
}

/* A right frame that no such target sends is damage at once. */
static void test_no_doubt(void)
{
	static const uint8_t bytes[] = { RKH_FLAG, 0xa7, 0, 1, 0, 0, 0, 9, 9, 0x46, RKH_FLAG };
	struct reading reading;

	reading_open(&reading, false);
	feed_bytes(&reading.feed, bytes, sizeof(bytes), 0);
	ok(reading.n_damages == 1 && reading.rkh->stats[RKH_BAD_CHECKSUM].number == 0,
		"what no target explains is damage at once");
	reading_close(&reading);
}

static void test_many_pauses(const uint8_t *bytes, size_t n_bytes)
{
	size_t n_same = 0, n_all = 0;

	for (size_t n_chunk = 10; n_chunk < 200; n_chunk++, n_all++) {
		struct reading reading;

		reading_open(&reading, false);
		for (size_t at = 0; at + n_chunk <= n_bytes; at += n_chunk) {
			feed_bytes(&reading.feed, bytes + at, n_chunk, at);
			feed_news(&reading.feed, CHUNK_PAUSES);
		}
		n_same += reading.n_events == count_early(bytes, n_bytes / n_chunk * n_chunk, n_bytes, true);
		reading_close(&reading);
	}
	ok(n_same == n_all, "however often it pauses: %zu of %zu times", n_same, n_all);
}

/* A pause releases the frames that wait, at any point of the stream. */
static void test_pauses(void)
{
	size_t n_bytes, n_same = 0, n_all = 0;
	uint8_t *bytes = tap_slurp("tests/data/rkh/d5_midstream.bin", &n_bytes);

	for (size_t n = 20; n < 1500; n += 7, n_all++) {
		struct reading reading;

		reading_open(&reading, false);
		feed_bytes(&reading.feed, bytes, n, 0);
		feed_news(&reading.feed, CHUNK_PAUSES);
		n_same += reading.n_events == count_early(bytes, n, n, true) && !reading.rkh->doubt.is_open;
		reading_close(&reading);
	}
	ok(n_same == n_all, "in a pause all events are there: %zu of %zu times", n_same, n_all);
	test_many_pauses(bytes, n_bytes);
	free(bytes);
}

/* --- frames made here ----------------------------------------------------------------------------------- */

struct stream {
	uint8_t *bytes;
	size_t n_bytes, room;
	uint32_t n_frames;
};

static void put(struct stream *stream, uint8_t byte)
{
	if (stream->n_bytes == stream->room) {
		stream->room = stream->room ? 2 * stream->room : 256;
		stream->bytes = realloc(stream->bytes, stream->room);
	}
	stream->bytes[stream->n_bytes++] = byte;
}

static void put_stuffed(struct stream *stream, uint8_t byte)
{
	bool is_special = byte == RKH_FLAG || byte == RKH_ESCAPE;

	if (is_special)
		put(stream, RKH_ESCAPE);
	put(stream, is_special ? byte ^ RKH_TURN : byte);
}

/* Adds a frame of the default layout: id, sequence number, four bytes of time, arguments, checksum. */
static void put_frame(struct stream *stream, uint8_t id, const uint8_t *args, size_t n_args)
{
	uint8_t head[6] = { id, (uint8_t)stream->n_frames }, sum = 0;

	memcpy(head + 2, &stream->n_frames, sizeof(stream->n_frames));
	stream->n_frames++;

	if (stream->n_bytes == 0)
		put(stream, RKH_FLAG);
	for (size_t i = 0; i < sizeof(head); i++) {
		put_stuffed(stream, head[i]);
		sum = (uint8_t)(sum + head[i]);
	}
	for (size_t i = 0; i < n_args; i++) {
		put_stuffed(stream, args[i]);
		sum = (uint8_t)(sum + args[i]);
	}
	put_stuffed(stream, (uint8_t)(0 - sum));
	put(stream, RKH_FLAG);
}

static struct reading read_stream(struct stream *stream)
{
	struct reading reading;

	reading_open(&reading, false);
	feed_stream(&reading.feed, stream->bytes, stream->n_bytes, 4096);
	return reading;
}

static void test_long_frames(void)
{
	static const size_t longest = RKH_FRAME_MAX - 7;
	struct stream stream = { 0 };
	uint8_t *args = malloc(longest + 1);
	struct reading reading;

	memset(args, RKH_FLAG, longest + 1);
	args[0] = 7;
	args[longest - 1] = 0;
	put_frame(&stream, 0xc0, args, longest);
	args[longest - 1] = RKH_FLAG;
	args[longest] = 0;
	put_frame(&stream, 0xc0, args, longest + 1);
	put_frame(&stream, 0xa0, args, 0);
	reading = read_stream(&stream);
	ok(reading.n_events == 2 && reading.rkh->stats[RKH_MALFORMED].number == 1,
		"a frame of 64 KiB, all escaped, is read, and a longer one is damage");
	reading_close(&reading);
	free(stream.bytes);
	free(args);
}

/* Tests more shapes, names and active objects than the limits. */
static void test_limits(void)
{
	struct stream stream = { 0 };
	struct reading reading;
	uint8_t args[64];
	uint32_t n_frames = 0;

	for (uint32_t i = 0; i < 2 * RKH_SHAPES_MAX; i++, n_frames++) {
		for (unsigned bit = 0; bit < 12; bit++) {
			args[2 * bit] = i >> bit & 1;
			args[2 * bit + 1] = (uint8_t)bit;
		}
		put_frame(&stream, 0xc1, args, 24);
	}
	for (uint32_t i = 0; i < 2 * RKH_ACTORS_MAX; i++, n_frames++) {
		memcpy(args, &i, sizeof(i));
		put_frame(&stream, 0x69, args, 4);
	}
	for (uint32_t i = 0; i < RKH_SYMBOLS_MAX + 1000; i++, n_frames++) {
		memcpy(args, &i, sizeof(i));
		memcpy(args + 4, "name", 5);
		put_frame(&stream, 0xa6, args, 9);
	}
	reading = read_stream(&stream);
	ok(reading.n_events == n_frames && reading.n_damages == 0 && reading.n_lost == 0,
		"no event is lost beyond the limits");
	ok(reading.model.n_layouts < RKH_SHAPES_MAX + 50, "shapes of user events are bounded");
	ok(reading.model.contexts.n_all <= 2 * RKH_ACTORS_MAX + 1,
		"contexts are bounded, with names and without");
	ok(reading.model.objects.n_all == RKH_SYMBOLS_MAX, "names are bounded");
	ok(reading.model.n_warnings == 1, "and there is one warning of it");
	reading_close(&reading);
	free(stream.bytes);
}

static void test_garbage(void)
{
	struct stream stream = { 0 };
	struct reading reading;
	unsigned seed = 3;

	for (unsigned i = 0; i < 300000; i++) {
		seed = seed * 1103515245 + 12345;
		put(&stream, seed >> 20 & 7 ? (uint8_t)(seed >> 16) : RKH_FLAG);
	}
	reading = read_stream(&stream);
	const struct rst_detail *stats = reading.rkh->stats;

	ok(stats[RKH_FRAMES].number == stats[RKH_VALID].number + stats[RKH_BAD_CHECKSUM].number +
					       stats[RKH_UNKNOWN_ID].number + stats[RKH_MALFORMED].number +
					       stats[RKH_ABORTED_ESCAPE].number +
					       stats[RKH_DUPLICATES].number,
		"of garbage, too, every frame is accounted for");
	ok(reading.n_events == stats[RKH_VALID].number && reading.n_lost == stats[RKH_LOST].number,
		"and every valid one is a row");
	reading_close(&reading);
	free(stream.bytes);
}

/* Tests an input that repeats one byte, as a decompression bomb unpacks. */
static void test_no_flags(void)
{
	static uint8_t bytes[1 << 20];
	struct reading reading;

	reading_open(&reading, false);
	feed_bytes(&reading.feed, bytes, sizeof(bytes), 0);
	ok(reading.status == RST_MORE && !reading.n_damages && !reading.feed.carrier.room,
		"of a long input without a flag nothing is left for later");
	feed_news(&reading.feed, CHUNK_ENDS);
	ok(reading.status == RST_E_DAMAGED && reading.n_damages == 1 && reading.n_events == 0,
		"and it is one damage");
	reading_close(&reading);
}

static void test_probe(void)
{
	static const char text[] = "A text with ~ tildes ~ between ~~ its words } and braces ~\n";
	static const uint8_t zeros[64] = { [0] = RKH_FLAG, [9] = RKH_FLAG, [30] = RKH_FLAG, [40] = RKH_FLAG };
	static const uint8_t one[] = { RKH_FLAG, 0xa0, 0, 1, 0, 0, 0, 0x5f, RKH_FLAG };

	ok(dialect_rkh.probe(NULL, 0, true) == 0, "nothing is no stream");
	ok(dialect_rkh.probe((const uint8_t *)text, sizeof(text) - 1, true) == 0, "a text is no stream");
	ok(dialect_rkh.probe(zeros, sizeof(zeros), true) == 0, "zeros between flags are no stream");
	ok(dialect_rkh.probe(one, sizeof(one), true) == 0, "one frame is not enough");
}

int main(void)
{
	test_chunks("tests/data/rkh/r1_default.bin", false);
	test_chunks("tests/data/rkh/r3_nochk_nots.bin", false);
	test_chunks("tests/data/rkh/d4_mixed.bin", false);
	test_chunks("tests/data/rkh/d5_midstream.bin", true);
	test_chunks("tests/data/rkh/d5_midstream.bin", false);
	test_chunks("tests/data/rkh/x2_synthetic_longframes.bin", false);
	test_doubts();
	test_delays();
	test_no_doubt();
	test_pauses();
	test_long_frames();
	test_limits();
	test_garbage();
	test_no_flags();
	test_probe();
	return tap_done();
}
