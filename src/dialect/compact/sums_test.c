/* SPDX-License-Identifier: MIT */
#include "dialect/compact/compact.h"

#include "tests/tap.h"

enum { N_BYTES = 9000 };

/* Numbers that repeat after longer than the test. */
static void sums_fill(uint8_t *bytes)
{
	uint32_t state = 1;

	for (size_t i = 0; i < N_BYTES; i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(state >> 24);
	}
}

int main(void)
{
	static uint8_t bytes[N_BYTES];
	static struct compact_sums sums;
	bool is_same = true;

	sums_fill(bytes);
	ok(compact_checksum((const uint8_t *)"123456789", 9) == 0x29b1, "the checksum is CRC-16/CCITT-FALSE");
	compact_sums_begin(&sums);
	for (size_t at = 0; at + COMPACT_BLOCK_MAX < N_BYTES; at += 1 + at % 7) {
		size_t n = COMPACT_HEAD_BYTES - 1 + at * 31 % (COMPACT_PAYLOAD_MAX + 1);

		is_same &= compact_sums_of(&sums, bytes + at, n, N_BYTES - at) ==
			   compact_checksum(bytes + at, n);
	}
	ok(is_same, "runs that overlap have the checksums that they have alone");
	bytes[20] ^= 1;
	compact_sums_begin(&sums);
	ok(compact_sums_of(&sums, bytes + 10, 15, 15) == compact_checksum(bytes + 10, 15),
		"begun anew, nothing is kept of bytes that have changed");
	return tap_done();
}
