/* SPDX-License-Identifier: MIT */
#include "tracks/pack.h"

#include <string.h>

#include "tests/tap.h"
#include "tracks/segment_test.h"

enum { N = PACK_SEGMENTS_MAX };

static bool comes_back(const struct segment *segments, size_t n, size_t *ret_bytes)
{
	static uint8_t bytes[N * PACK_SEGMENT_BYTES + 1];
	static struct segment back[N];
	bool is_same = true;

	memset(bytes, 0xaa, sizeof(bytes));
	*ret_bytes = segments_pack(segments, n, bytes);
	segments_unpack(bytes, n, back);
	for (size_t i = 0; i < n; i++)
		is_same &= segment_is(&back[i], &segments[i]);
	return is_same && bytes[n * PACK_SEGMENT_BYTES] == 0xaa;
}

/* Each segment differs from the previous one as much as possible. */
static void check_extremes(void)
{
	static struct segment segments[N];
	size_t n_bytes;

	for (size_t i = 0; i < N; i++)
		segments[i] = (struct segment){ .from = i < N / 2 ? 2 * i : UINT64_MAX - 2 * (N - i),
			.to = i < N / 2 ? 2 * i + 1 : UINT64_MAX - 2 * (N - i) + 1,
			.from_seq = i % 2 ? UINT64_MAX - 1 - i : i,
			.to_seq = i % 3 ? UINT64_C(1) << 63 | i : i,
			.value = i % 2 ? UINT64_MAX : 0,
			.object = UINT32_MAX - (uint32_t)i,
			.by = (uint32_t)i,
			.core = UINT16_MAX,
			.class = UINT8_MAX,
			.state = (uint8_t)i,
			.reason = UINT8_MAX,
			.certainty = UINT8_MAX,
			.value_type = (uint8_t)(UINT8_MAX - i) };
	ok(comes_back(segments, N, &n_bytes), "segments that have nothing in common come back as they were");
	segments[0].to = segments[0].from = 0;
	segments[0].to = UINT64_MAX;
	ok(comes_back(segments, 1, &n_bytes), "one that covers all of time comes back");
	ok(comes_back(segments, 0, &n_bytes) && n_bytes == 0, "none takes no bytes");
}

/* A thread that runs and waits in turn: each event ends one segment and begins the next. */
static void check_usual(void)
{
	static struct segment segments[N];
	uint64_t at = UINT64_C(1) << 40, seq = UINT64_C(1) << 33;
	size_t n_bytes;

	for (size_t i = 0; i < N; i++) {
		segments[i] = (struct segment){ .from = at,
			.to = at + 1000 + i * 37,
			.from_seq = seq,
			.to_seq = seq + 5 + i % 20,
			.object = i % 2 ? 7 : 0,
			.core = i % 2 ? RST_NO_CORE : 1,
			.class = (uint8_t)(i % 2 ? CLASS_WAITING : RST_STATE_RUNNING),
			.certainty = RST_CERTAINTY_EXACT };
		at = segments[i].to;
		seq = segments[i].to_seq;
	}
	segments[50].from_seq = segments[60].to_seq = RST_NO_SEQ;
	ok(comes_back(segments, N, &n_bytes) && n_bytes < 8 * N,
		"usual ones come back, and take less than 8 bytes each");
}

int main(void)
{
	check_extremes();
	check_usual();
	return tap_done();
}
