/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <time.h>
/* Only the bench has use for these points: not when the program is loaded. */
#define POSIX_TRACE_POINTS_LATER_NP
#include <sys/trcmacros.h>
#include <trace_hook_np.h>
#include <trace_point_np.h>

#include "bench/record/record.h"

/* Compiler: what was before has happened, what follows has not. */
static inline void fence_make(void)
{
	__asm__ volatile("" ::: "memory");
}

static trace_event_id_t type_open(const char *name)
{
	trace_event_id_t id = POSIX_TRACE_UNNAMED_USEREVENT;

	posix_trace_eventid_open(name, &id);
	return id;
}

/* --- loops: one event a turn ---------------------------------------------------------------------------- */

static void loop_event_4(uint64_t n_events, void *memory)
{
	trace_event_id_t id = type_open("bench_event");

	(void)memory;
	for (uint64_t i = 0; i < n_events; i++) {
		uint32_t number = (uint32_t)i;

		posix_trace_event(id, &number, sizeof(number));
		fence_make();
	}
}

static void loop_event_64(uint64_t n_events, void *memory)
{
	trace_event_id_t id = type_open("bench_event");
	char data[64];

	(void)memory;
	memset(data, 7, sizeof(data));
	for (uint64_t i = 0; i < n_events; i++) {
		memcpy(data, &i, sizeof(i));
		posix_trace_event(id, data, sizeof(data));
		fence_make();
	}
}

static inline __attribute__((always_inline)) void point_make(uint32_t number)
{
	POSIX_TRACE_EVENT_NP(bench_point, number);
	fence_make();
}

static void loop_macro(uint64_t n_events, void *memory)
{
	(void)memory;
	for (uint64_t i = 0; i < n_events; i++)
		point_make((uint32_t)i);
}

/* A closed point is less than what makes a loop of it, so here are eight in a row. */
static void loop_macro_off(uint64_t n_events, void *memory)
{
	uint32_t number = 0;

	(void)memory;
	for (; n_events >= 8; n_events -= 8) {
		point_make(number++);
		point_make(number++);
		point_make(number++);
		point_make(number++);
		point_make(number++);
		point_make(number++);
		point_make(number++);
		point_make(number++);
	}
	for (; n_events > 0; n_events--)
		point_make(number++);
}

static void loop_macro_16(uint64_t n_events, void *memory)
{
	(void)memory;
	for (uint64_t i = 0; i < n_events; i++) {
		uint32_t a = (uint32_t)i, b = a + 1, c = a + 2, d = a + 3;

		POSIX_TRACE_EVENT_NP(bench_points, a, b, c, d);
		fence_make();
	}
}

static inline __attribute__((always_inline)) void hook_make(uint32_t number)
{
	TRCHKL2(HKWD_USER1, number, number + 1);
	fence_make();
}

static void loop_hook_2(uint64_t n_events, void *memory)
{
	(void)memory;
	for (uint64_t i = 0; i < n_events; i++)
		hook_make((uint32_t)i);
}

/* As loop_macro_off. */
static void loop_hook_off(uint64_t n_events, void *memory)
{
	uint32_t number = 0;

	(void)memory;
	for (; n_events >= 8; n_events -= 8) {
		hook_make(number++);
		hook_make(number++);
		hook_make(number++);
		hook_make(number++);
		hook_make(number++);
		hook_make(number++);
		hook_make(number++);
		hook_make(number++);
	}
	for (; n_events > 0; n_events--)
		hook_make(number++);
}

static void loop_clock_gettime(uint64_t n_events, void *memory)
{
	struct timespec now;

	(void)memory;
	for (uint64_t i = 0; i < n_events; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		fence_make();
	}
}

/* --- streams -------------------------------------------------------------------------------------------- */

enum { STREAMS_MAX = 2, STREAM_BYTES = 1 << 20 };

static bool stream_filter(trace_id_t stream)
{
	trace_event_set_t set;

	return posix_trace_eventset_empty(&set) == 0 &&
	       posix_trace_eventset_add(type_open("bench_event"), &set) == 0 &&
	       posix_trace_set_filter(stream, &set, POSIX_TRACE_SET_EVENTSET) == 0;
}

/* As large as the unit's ring; the oldest events are overwritten unless it is to be full. */
static bool stream_begin(const struct record_row *row, trace_id_t *ret_stream)
{
	bool is_to_fill = row->state == RECORD_FULL;
	trace_attr_t attr;
	bool is_good;

	if (posix_trace_attr_init(&attr) != 0)
		return false;
	is_good = posix_trace_attr_setstreamsize(&attr, STREAM_BYTES) == 0 &&
		  posix_trace_attr_setstreamfullpolicy(
			  &attr, is_to_fill ? POSIX_TRACE_UNTIL_FULL : POSIX_TRACE_LOOP) == 0 &&
		  posix_trace_create(0, &attr, ret_stream) == 0;
	posix_trace_attr_destroy(&attr);
	if (!is_good)
		return false;
	is_good = (row->state != RECORD_FILTERED || stream_filter(*ret_stream)) &&
		  (row->state == RECORD_SUSPENDED || posix_trace_start(*ret_stream) == 0);
	if (is_good && is_to_fill)
		loop_event_4(STREAM_BYTES / 16, NULL);
	if (!is_good)
		posix_trace_shutdown(*ret_stream);
	return is_good;
}

/* That the stream has what the row is about: events, or none. */
static bool stream_is_as_wanted(const struct record_row *row, trace_id_t stream)
{
	struct posix_trace_status_info status;
	struct posix_trace_event_info info;
	bool is_to_record = row->state == RECORD_RUNNING || row->state == RECORD_FULL, has_user_event = false;
	int is_unavailable = 0;
	char data[64];
	size_t n;

	if (posix_trace_get_status(stream, &status) != 0 ||
		(row->state == RECORD_FULL && status.posix_stream_full_status != POSIX_TRACE_FULL))
		return false;
	for (int i = 0; i < 8 && !is_unavailable && !has_user_event; i++) {
		if (posix_trace_trygetnext_event(stream, &info, data, sizeof(data), &n, &is_unavailable) != 0)
			return false;
		has_user_event = !is_unavailable && info.posix_event_id >= POSIX_TRACE_HOOK_FIRST_NP;
	}
	return has_user_event == is_to_record;
}

void record_open_points(void)
{
	posix_trace_points_open_np(
		__start_posix_trace_points, __stop_posix_trace_points, &posix_trace_enabled_np_);
}

bool record_measure(const struct record_row *row, uint64_t n_events, double *ret_ns)
{
	trace_id_t streams[STREAMS_MAX];
	unsigned n_streams = 0;
	bool is_good = true;

	record_open_points();
	while (is_good && n_streams < row->n_streams) {
		is_good = stream_begin(row, &streams[n_streams]);
		n_streams += is_good;
	}
	is_good = is_good && record_timed(row, n_events, ret_ns);
	for (unsigned i = 0; i < n_streams; i++) {
		is_good = is_good && stream_is_as_wanted(row, streams[i]);
		posix_trace_shutdown(streams[i]);
	}
	return is_good;
}

/* The ring, then the rows that have goals (docs/SPEED.md), then others of interest. */
const struct record_row record_rows[] = {
	{ .name = "ring", .n_bytes = 32, .loop = record_ring_loop },
	{ .name = "posix_event_4", .n_bytes = 48, .loop = loop_event_4, .n_streams = 1 },
	{ .name = "posix_event_64", .n_bytes = 104, .loop = loop_event_64, .n_streams = 1 },
	{ .name = "posix_event_off", .loop = loop_event_4 },
	{ .name = "macro_4", .n_bytes = 48, .loop = loop_macro, .n_streams = 1 },
	{ .name = "macro_off", .loop = loop_macro_off },
	{ .name = "hook_2", .n_bytes = 64, .loop = loop_hook_2, .n_streams = 1 },
	{ .name = "hook_off", .loop = loop_hook_off },
	{ .name = "posix_event_4_2threads",
		.n_bytes = 48,
		.loop = loop_event_4,
		.n_threads = 2,
		.n_streams = 1 },
	{ .name = "ring_2threads", .n_bytes = 32, .loop = record_ring_loop, .n_threads = 2 },
	{ .name = "clock_gettime", .loop = loop_clock_gettime },
	{ .name = "macro_16", .n_bytes = 56, .loop = loop_macro_16, .n_streams = 1 },
	{ .name = "posix_event_4_2streams", .n_bytes = 96, .loop = loop_event_4, .n_streams = 2 },
	{ .name = "posix_event_4_no_rseq",
		.n_bytes = 48,
		.loop = loop_event_4,
		.has_no_sequences = true,
		.n_streams = 1 },
	{ .name = "macro_4_no_rseq",
		.n_bytes = 48,
		.loop = loop_macro,
		.has_no_sequences = true,
		.n_streams = 1 },
	{ .name = "posix_event_4_full", .loop = loop_event_4, .n_streams = 1, .state = RECORD_FULL },
	{ .name = "posix_event_4_filtered", .loop = loop_event_4, .n_streams = 1, .state = RECORD_FILTERED },
	{ .name = "posix_event_4_suspended",
		.loop = loop_event_4,
		.n_streams = 1,
		.state = RECORD_SUSPENDED },
	{ .name = NULL },
};
