/* SPDX-License-Identifier: MIT */
#include "dialect/compact/compact.h"

#include "base/load.h"

/* CRC-16/CCITT-FALSE. */
uint16_t compact_checksum(const uint8_t *bytes, size_t n_bytes)
{
	static const uint16_t table[16] = { 0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
		0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef };
	unsigned sum = 0xffff;

	for (size_t i = 0; i < n_bytes; i++) {
		sum = (sum << 4 ^ table[(sum >> 12 ^ bytes[i] >> 4) & 15]) & 0xffff;
		sum = (sum << 4 ^ table[(sum >> 12 ^ bytes[i]) & 15]) & 0xffff;
	}
	return (uint16_t)sum;
}

bool compact_number(const uint8_t **at, const uint8_t *end, uint32_t *ret)
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

enum compact_find compact_find(struct compact_block *ret, const uint8_t *at, size_t n_bytes)
{
	size_t n_all;

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
	return load_u16(at + n_all, false) == compact_checksum(at + 1, n_all - 1) ? COMPACT_FOUND
										  : COMPACT_NONE;
}
