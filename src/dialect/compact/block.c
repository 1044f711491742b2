/* SPDX-License-Identifier: MIT */
#include "dialect/compact/compact.h"

#include "base/load.h"

bool compact_number_long(const uint8_t **at, const uint8_t *end, uint32_t *ret)
{
	enum { BYTES_MAX = 5, LAST_MAX = 15 };
	uint32_t number = 0;

	for (unsigned i = 0; i < BYTES_MAX && *at < end; i++) {
		uint8_t byte = *(*at)++;

		number |= (uint32_t)(byte & 127) << 7 * i;
		if (byte < 128) {
			*ret = number;
			return i + 1 < BYTES_MAX || byte <= LAST_MAX;
		}
	}
	return false;
}

static void head_load(struct compact_block *ret, const uint8_t *at)
{
	*ret = (struct compact_block){ .kind = at[1],
		.core = at[3],
		.first_event = load_u32(at + 4, false),
		.n_lost = load_u32(at + 8, false),
		.stamp = load_u32(at + 12, false),
		.payload = at + COMPACT_HEAD_BYTES,
		.n_payload = at[2] };
}

enum compact_find compact_find(
	struct compact_block *ret, const uint8_t *at, size_t n_bytes, struct compact_sums *sums)
{
	size_t n_all;
	uint16_t sum;

	if (n_bytes >= 1 && at[0] != COMPACT_MARK)
		return COMPACT_NONE;
	if (n_bytes >= 2 && at[1] != COMPACT_EVENTS && at[1] != COMPACT_NAMES)
		return COMPACT_NONE;
	if (n_bytes < COMPACT_HEAD_BYTES)
		return COMPACT_CUT;
	head_load(ret, at);
	n_all = COMPACT_HEAD_BYTES + ret->n_payload;
	if (n_bytes < n_all + COMPACT_CHECKSUM_BYTES)
		return COMPACT_CUT;
	sum = sums ? compact_sums_of(sums, at + 1, n_all - 1, n_bytes - 1)
		   : compact_checksum(at + 1, n_all - 1);
	return load_u16(at + n_all, false) == sum ? COMPACT_FOUND : COMPACT_NONE;
}
