/* SPDX-License-Identifier: MIT */
/* The made-up system keeps its own rules, and the image keeps ThreadX's. */
#include "bench/gen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/load.h"
#include "embed/threadx/txtb_image.h"
#include "tests/tap.h"

enum { N_EVENTS = 20000, N_THREADS = 24, DEPTH_MAX = 8 };

/* An image in memory and where its parts are; all offsets come out of its own header. */
struct image {
	struct outbuf out;
	const uint8_t *bytes;
	uint64_t n_bytes, base, ring, ring_end, current, n_events;
	unsigned word_bytes;
	bool is_big_endian, is_good;
};

struct event {
	uint64_t thread, priority, id, core, stamp, info[4];
};

static uint64_t image_word(const struct image *image, uint64_t offset)
{
	return load_word(image->bytes + offset, image->word_bytes, image->is_big_endian);
}

static struct image image_of(const struct gen_threadx *how)
{
	struct image image = { .word_bytes = how->word_bytes, .is_big_endian = how->is_big_endian };
	unsigned w = how->word_bytes, at = w == 8 ? 48 : 24;

	if (!outbuf_init(&image.out, OUTBUF_MEMORY) || !gen_threadx(&image.out, how))
		return image;
	image.is_good = true;
	image.bytes = (const uint8_t *)image.out.start;
	image.n_bytes = (uint64_t)(image.out.at - image.out.start);
	image.base = image_word(&image, 2 * w);
	image.ring = image_word(&image, at) - image.base;
	image.ring_end = image_word(&image, at + w) - image.base;
	image.current = image_word(&image, at + 2 * w) - image.base;
	image.n_events = (image.ring_end - image.ring) / (8 * w);
	return image;
}

/* Slot i of the ring; the layout is the one that the tests of the image writer prove. */
static struct event event_of(const struct image *image, uint64_t i)
{
	uint64_t w = image->word_bytes, at = image->ring + i * 8 * w, id = image_word(image, at + 2 * w);
	struct event event = { .thread = image_word(image, at),
		.priority = image_word(image, at + w),
		.id = id & 0xffff,
		.core = id >> 24,
		.stamp = image_word(image, at + 3 * w) };

	for (unsigned n = 0; n < 4; n++)
		event.info[n] = image_word(image, at + (4 + n) * w);
	return event;
}

static uint64_t hash_fnv1a(const uint8_t *bytes, uint64_t n_bytes)
{
	uint64_t hash = 0xcbf29ce484222325U;

	for (uint64_t i = 0; i < n_bytes; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3U;
	return hash;
}

static struct gen_threadx layout_small(void)
{
	struct gen_threadx how = gen_threadx_default();

	how.n_events = N_EVENTS;
	return how;
}

static uint64_t hash_of(const struct gen_threadx *how)
{
	struct image image = image_of(how);
	uint64_t hash = hash_fnv1a(image.bytes, image.n_bytes);

	outbuf_done(&image.out);
	return hash;
}

static void check_determinism(void)
{
	struct gen_threadx how = layout_small();

	is_number(hash_of(&how), 0xf102eba090c372c2, "seed 1 gives the bytes it always gave");
	ok(hash_of(&how) == hash_of(&how), "equal parameters give equal bytes");
	uint64_t first = hash_of(&how);

	how.seed = 2;
	ok(hash_of(&how) != first, "another seed gives other bytes");
	how = (struct gen_threadx){ 5000, 8, true, 1234, 77, 100, UINT64_MAX, 4, 18 };
	is_number(
		hash_of(&how), 0x633301c5f6a41351, "a wide big-endian image gives the bytes it always gave");
}

static void check_geometry(unsigned word_bytes, bool is_big_endian, unsigned name_bytes, unsigned n_threads)
{
	struct gen_threadx how = layout_small();

	how.word_bytes = word_bytes;
	how.is_big_endian = is_big_endian;
	how.name_bytes = name_bytes;
	how.n_threads = n_threads;
	struct image image = image_of(&how);
	uint64_t header_bytes = 12 * word_bytes;
	uint64_t object_bytes = (4 * word_bytes + name_bytes + word_bytes - 1) / word_bytes * word_bytes;

	ok(image.is_good && image.ring_end == image.n_bytes && image.n_events == N_EVENTS,
		"%u-byte words, %s-endian: the ring ends where the image ends", word_bytes,
		is_big_endian ? "big" : "little");
	ok((image.ring - header_bytes) % object_bytes == 0 &&
			(image.ring - header_bytes) / object_bytes >= n_threads + 12,
		"name size %u: the registry is whole entries and holds every object", name_bytes);
	ok(image.current == image.ring, "an unwrapped full ring continues at its first slot");
	outbuf_done(&image.out);
}

static void check_registry(void)
{
	static const char name[32] = "worker 05";
	struct gen_threadx how = layout_small();
	struct image image = image_of(&how);
	const uint8_t *entry = image.bytes + 48 + 5 * 48;

	ok(entry[0] == 0 && entry[1] == TXTB_TYPE_THREAD && entry[2] == 0x80 && entry[3] == 9,
		"a thread is registered with its priority");
	ok(memcmp(entry + 16, name, sizeof(name)) == 0, "a thread has its number in its name");
	entry = image.bytes + image.ring - 48;
	ok(entry[0] == 1 && entry[1] == 0 && load_u32(entry + 4, false) == 0, "spare slots are unused");
	outbuf_done(&image.out);
}

static void check_wrapping(uint64_t n_wrapped)
{
	struct gen_threadx how = layout_small();
	struct image straight = image_of(&how);

	how.n_wrapped = n_wrapped;
	struct image wrapped = image_of(&how);
	uint64_t n_bytes = n_wrapped % N_EVENTS * 32, n_rest = straight.n_bytes - straight.ring - n_bytes;
	const uint8_t *ring = straight.bytes + straight.ring, *rotated = wrapped.bytes + wrapped.ring;

	ok(wrapped.n_bytes == straight.n_bytes && memcmp(rotated, ring + n_rest, n_bytes) == 0 &&
			memcmp(rotated + n_bytes, ring, n_rest) == 0,
		"a ring wrapped by %llu is the unwrapped one rotated", (unsigned long long)n_wrapped);
	ok(wrapped.current == wrapped.ring + n_bytes, "the current pointer names the oldest event");
	outbuf_done(&straight.out);
	outbuf_done(&wrapped.out);
}

/* The state of a system with one core after each event, as a reader derives it. */
struct replay {
	uint64_t next, interrupted;
	uint64_t numbers[DEPTH_MAX], stacks[DEPTH_MAX];
	unsigned depth;
	uint64_t states[N_THREADS], n_messages[8], receivers[8], owners[4], waiters[4];
	bool has_started;
};

static unsigned thread_index(uint64_t address)
{
	return (unsigned)((address - 0x20010000) / 0xb0) % N_THREADS;
}

/* Each rule returns what is broken, or NULL. */
static const char *replay_context(const struct replay *replay, const struct event *event)
{
	if (event->thread != TXTB_THREAD_INTERRUPT) {
		if (replay->depth)
			return "a thread runs below an interrupt";
		if (replay->has_started && event->thread != replay->next)
			return "another thread runs than the one named last";
		return event->priority == txtb_priority(event->priority & 0x3ff, event->priority & 0x3ff)
			       ? NULL
			       : "the threshold is not the priority";
	}
	if (!replay->depth && event->id != 3)
		return "an interrupt acts before it is entered";
	return event->priority == (replay->depth ? replay->interrupted : replay->next)
		       ? NULL
		       : "an interrupt names another thread than it interrupted";
}

static const char *replay_interrupt(struct replay *replay, const struct event *event)
{
	bool is_enter = event->id == 3;

	if (is_enter && !replay->depth)
		replay->interrupted = replay->next;
	replay->depth += is_enter;
	if (event->info[2] != replay->depth || replay->depth >= DEPTH_MAX)
		return "the depth of an interrupt is wrong";
	uint64_t *number = &replay->numbers[replay->depth], *stack = &replay->stacks[replay->depth];

	if (is_enter) {
		*number = event->info[1];
		*stack = event->info[0];
		return NULL;
	}
	replay->depth--;
	return event->info[1] == *number && event->info[0] == *stack
		       ? NULL
		       : "an interrupt exits as another one than entered";
}

/* 24 threads have distinct priorities, which fall with the number: the first ready one must run, or none. */
static uint64_t most_urgent(const struct replay *replay)
{
	for (unsigned i = 0; i < N_THREADS; i++)
		if (!replay->states[i])
			return 0x20010000 + i * 0xb0;
	return 0;
}

static const char *replay_schedule(struct replay *replay, const struct event *event)
{
	uint64_t *state = &replay->states[thread_index(event->info[0])];

	replay->next = event->info[3];
	if (event->id == 2 && event->info[0] != event->thread)
		return "a thread suspends another one";
	if (event->id == 1 && (!*state || event->info[1] != *state))
		return "a thread is resumed from a state it was not in";
	*state = event->id == 2 ? event->info[1] : 0;
	return replay->next == most_urgent(replay) ? NULL : "the next thread is not the most urgent one";
}

static const char *replay_mutex(struct replay *replay, const struct event *event)
{
	unsigned i = event->info[0] / 0x40 % 4;
	uint64_t *owner = &replay->owners[i], *waiter = &replay->waiters[i];

	if (event->id == 52) {
		if (event->info[2] != *owner || event->info[3] != (*owner ? 1 : 0))
			return "a mutex has another owner than its get has";
		*(*owner ? waiter : owner) = event->thread;
		return NULL;
	}
	if (event->info[1] != event->thread || event->thread != *owner || event->info[2] != 1)
		return "a mutex is put by a thread that does not own it once";
	*owner = *waiter;
	*waiter = 0;
	return NULL;
}

static const char *replay_queue(struct replay *replay, const struct event *event)
{
	unsigned i = event->info[0] / 0x40 % 8;
	uint64_t *n_messages = &replay->n_messages[i], *receiver = &replay->receivers[i];

	if (event->info[3] != *n_messages)
		return "a queue holds another number of messages than its event has";
	if (event->id == 68 && *n_messages)
		--*n_messages;
	else if (event->id == 68)
		*receiver = event->thread;
	else if (*receiver)
		*receiver = 0;
	else
		++*n_messages;
	return NULL;
}

static const char *replay_event(struct replay *replay, const struct event *event)
{
	static const struct {
		uint64_t id;
		const char *(*rule)(struct replay *replay, const struct event *event);
	} rules[] = { { 1, replay_schedule }, { 2, replay_schedule }, { 3, replay_interrupt },
		{ 4, replay_interrupt }, { 52, replay_mutex }, { 57, replay_mutex }, { 68, replay_queue },
		{ 69, replay_queue } };
	const char *broken;

	if (!replay->has_started)
		replay->next = event->thread == TXTB_THREAD_INTERRUPT ? event->priority : event->thread;
	replay->has_started = true;
	broken = replay_context(replay, event);
	for (size_t i = 0; !broken && i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].id == event->id)
			broken = rules[i].rule(replay, event);
	return broken;
}

static void check_story(uint64_t seed)
{
	struct gen_threadx how = layout_small();

	how.seed = seed;
	struct image image = image_of(&how);
	struct replay replay = { 0 };
	const char *broken = NULL;
	uint64_t n_waits = 0, i;

	for (i = 2; i < image.n_events && !broken; i++) {
		struct event event = event_of(&image, i);

		broken = replay_event(&replay, &event);
		n_waits += event.id == 2 && event.info[1] == 13;
	}
	ok(!broken, "seed %llu: the story never contradicts itself (event %llu: %s)",
		(unsigned long long)seed, (unsigned long long)i, broken ? broken : "none does");
	ok(n_waits > 0, "seed %llu: threads wait for mutexes", (unsigned long long)seed);
	outbuf_done(&image.out);
}

static void check_start(void)
{
	struct gen_threadx how = layout_small();
	struct image image = image_of(&how);
	struct event first = event_of(&image, 0), second = event_of(&image, 1), third = event_of(&image, 2);

	ok(first.id == 6 && second.id == 6 && first.thread == TXTB_THREAD_INIT && first.priority == 0,
		"a trace starts with two RUNNING events of initialisation");
	ok(third.thread != TXTB_THREAD_INIT, "the third event is the system's own");
	outbuf_done(&image.out);
	how.n_events = 1;
	image = image_of(&how);
	ok(image.is_good && image.n_events == 1, "a ring may have a single event");
	outbuf_done(&image.out);
}

static void check_cores(void)
{
	struct gen_threadx how = layout_small();
	uint64_t n_seen[4] = { 0 };
	bool all_at_home = true;

	how.n_cores = 4;
	how.word_bytes = 8;
	struct image image = image_of(&how);

	for (uint64_t i = 2; i < image.n_events; i++) {
		struct event event = event_of(&image, i);

		n_seen[event.core % 4]++;
		if (event.core > 3)
			all_at_home = false;
		if (event.thread != TXTB_THREAD_INTERRUPT)
			all_at_home &= (event.thread - 0x7f5a00010000) / 0xb0 % 4 == event.core;
	}
	ok(all_at_home, "every thread runs on its own core, which is in the event id");
	ok(n_seen[0] && n_seen[1] && n_seen[2] && n_seen[3], "all cores have events");
	outbuf_done(&image.out);
}

static void check_stamps(void)
{
	struct gen_threadx how = layout_small();
	uint64_t n_dirty = 0, n_back = 0, former = 0;

	how.timer_mask = 0xffff;
	struct image image = image_of(&how);

	for (uint64_t i = 0; i < image.n_events; i++) {
		struct event event = event_of(&image, i);

		n_dirty += event.stamp > 0xffff;
		n_back += (event.stamp & 0xffff) < former;
		former = event.stamp & 0xffff;
	}
	is_number(image_word(&image, 4), 0xffff, "the timer mask is in the header");
	ok(n_dirty && n_back, "a narrow time source leaves dirt above its mask and wraps");
	outbuf_done(&image.out);
}

static void check_refusals(void)
{
	static const struct {
		const char *what;
		struct gen_threadx how;
	} refused[] = {
		{ "no events", { 0, 4, false, 0, 1, 24, 1, 1, 32 } },
		{ "words of 2 bytes", { 10, 2, false, 0, 1, 24, 1, 1, 32 } },
		{ "no threads", { 10, 4, false, 0, 1, 0, 1, 1, 32 } },
		{ "too many threads", { 10, 4, false, 0, 1, GEN_THREADS_MAX + 1, 1, 1, 32 } },
		{ "a timer mask of 0", { 10, 4, false, 0, 1, 24, 0, 1, 32 } },
		{ "a mask wider than a word", { 10, 4, false, 0, 1, 24, UINT64_MAX, 1, 32 } },
		{ "no cores", { 10, 4, false, 0, 1, 24, 1, 0, 32 } },
		{ "too many cores", { 10, 4, false, 0, 1, 24, 1, GEN_CORES_MAX + 1, 32 } },
		{ "names of no bytes", { 10, 4, false, 0, 1, 24, 1, 1, 0 } },
		{ "names of 64 KiB", { 10, 4, false, 0, 1, 24, 1, 1, 65536 } },
		{ "a ring beyond 32-bit addresses", { 110000000, 4, false, 0, 1, 24, 1, 1, 32 } },
		{ "a ring beyond 64-bit addresses", { UINT64_MAX, 8, false, 0, 1, 24, 1, 1, 32 } },
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct image image = image_of(&refused[i].how);

		ok(!image.is_good && image.out.error == EINVAL && image.out.at == image.out.start,
			"%s: refused, and nothing is written", refused[i].what);
		outbuf_done(&image.out);
	}
}

static void check_streaming(void)
{
	struct gen_threadx how = layout_small();
	struct outbuf out;
	int fd = open("/dev/null", O_WRONLY);

	ok(outbuf_init(&out, fd) && gen_threadx(&out, &how) && out.end - out.start == OUTBUF_BYTES,
		"a recording larger than the buffer needs no more memory");
	is_number(out.n_written, 48 + 40 * 48 + N_EVENTS * 32, "the whole image is handed to the system");
	outbuf_done(&out);
	tap_fail_write_after(300000);
	ok(outbuf_init(&out, fd) && !gen_threadx(&out, &how) && out.error == ENOSPC,
		"a failed write is reported");
	tap_fail_write_after(-1);
	outbuf_done(&out);
	close(fd);
}

int main(void)
{
	check_determinism();
	check_geometry(4, false, 32, 24);
	check_geometry(4, true, 18, 1);
	check_geometry(8, false, 33, GEN_THREADS_MAX);
	check_geometry(8, true, 18, 100);
	check_registry();
	check_wrapping(1);
	check_wrapping(777);
	check_wrapping(N_EVENTS - 1);
	check_wrapping(3 * N_EVENTS);
	for (uint64_t seed = 1; seed <= 5; seed++)
		check_story(seed);
	check_start();
	check_cores();
	check_stamps();
	check_refusals();
	check_streaming();
	return tap_done();
}
