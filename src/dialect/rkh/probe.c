/* SPDX-License-Identifier: MIT */
/*
 * A stream has no magic number. But frames end in flags, their bytes add up to 0, and most streams begin with
 * an announcement, most of whose bits are fixed. Without an announcement, most of several frames must be
 * right.
 */
#include <string.h>

#include "dialect/rkh/rkh.h"

enum { HEAD_BYTES = 24, FRAMES_MAX = 400, CERTAIN = 95, LIKELY_MAX = 90, GOOD_MIN = 2 };

/* The unstuffed part of a frame that is needed to judge it. */
struct digest {
	uint8_t head[HEAD_BYTES];
	size_t n_bytes;
	uint8_t sum;
	bool is_plain; /* nothing but zeros */
};

/* Returns false if an escape stands in front of the flag. */
static bool digest_take(struct digest *digest, const uint8_t *at, const uint8_t *end)
{
	*digest = (struct digest){ .is_plain = true };
	for (; at < end; at++) {
		uint8_t byte = *at;

		if (byte == RKH_ESCAPE) {
			if (++at == end)
				return false;
			byte = *at ^ RKH_TURN;
		}
		if (digest->n_bytes < HEAD_BYTES)
			digest->head[digest->n_bytes] = byte;
		digest->n_bytes++;
		digest->sum = (uint8_t)(digest->sum + byte);
		digest->is_plain &= byte == 0;
	}
	return true;
}

static bool probe_is_announcement(const struct digest *digest)
{
	struct rkh_config config;

	return digest->n_bytes <= HEAD_BYTES &&
	       rkh_config_parse(&config, NULL, digest->head, digest->n_bytes, digest->sum == 0);
}

/* Whether the frame has a right sum, and a known id of the default layout. */
static bool is_good(const struct digest *digest)
{
	struct rkh_bound bound;

	if (digest->sum != 0 || digest->is_plain || digest->n_bytes < 3)
		return false;
	rkh_event_bind(&bound, &rkh_default_layout, digest->head[0]);
	return bound.state == RKH_KNOWN;
}

unsigned rkh_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	const uint8_t *end = bytes + n_bytes, *at = n_bytes ? rkh_find_flag(bytes, end) : end, *next;
	unsigned n_frames = 0, n_good = 0;
	struct digest digest;

	(void)is_whole;
	for (; at < end && n_frames < FRAMES_MAX; at = next) {
		next = rkh_find_flag(++at, end);
		if (next == end)
			break;
		if (next == at)
			continue;
		n_frames++;
		if (!digest_take(&digest, at, next))
			continue;
		if (probe_is_announcement(&digest))
			return CERTAIN;
		n_good += is_good(&digest);
	}
	if (n_good < GOOD_MIN || 2 * n_good <= n_frames)
		return 0;
	return 40 + 10 * n_good < LIKELY_MAX ? 40 + 10 * n_good : LIKELY_MAX;
}
