/* SPDX-License-Identifier: MIT */
/*
 * Checksums of many runs of the same bytes. If no block begins at a place, each following mark is tried, and
 * marks may be two bytes apart: summing up each run anew costs as much as its length. But a CRC is linear.
 * With S(n) as the CRC of the first n bytes, begun with 0, the CRC of the bytes from a to b, begun with FFFF,
 * is
 *
 *      (S(a) ^ FFFF) * x^(8 * (b - a))  ^  S(b)        modulo the polynomial x^16 + x^12 + x^5 + 1
 */
#include <string.h>

#include "base/crc16.h"
#include "dialect/compact/compact.h"

enum { POLYNOMIAL = 0x1021, FIRST_BYTES = 512 };

static uint16_t next_sum(uint16_t sum, uint8_t byte)
{
	static const uint16_t table[16] = { 0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
		0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef };
	unsigned next = sum;

	next = (next << 4 ^ table[(next >> 12 ^ byte >> 4) & 15]) & 0xffff;
	next = (next << 4 ^ table[(next >> 12 ^ byte) & 15]) & 0xffff;
	return (uint16_t)next;
}

/* CRC-16/CCITT-FALSE. To begin with FFFF is to begin with 0 and to invert the first two bytes. */
uint16_t compact_checksum(const uint8_t *bytes, size_t n_bytes)
{
	uint8_t inverted[COMPACT_BLOCK_MAX];

	memcpy(inverted, bytes, n_bytes);
	inverted[0] ^= 0xff;
	inverted[1] ^= 0xff;
	return crc16(inverted, n_bytes);
}

/* Multiplies polynomials: without carries, and bits beyond 16 are reduced. */
static uint16_t polynomial_multiply(uint16_t a, uint16_t b)
{
	uint32_t product = 0;

	for (unsigned bit = 0; bit < 16; bit++)
		product ^= (uint32_t)a << bit & -(uint32_t)(b >> bit & 1);
	for (unsigned bit = 30; bit >= 16; bit--)
		product ^= (0x10000U | POLYNOMIAL) << (bit - 16) & -(product >> bit & 1);
	return (uint16_t)product;
}

void compact_sums_begin(struct compact_sums *sums)
{
	if (!sums->powers[0]) {
		sums->powers[0] = 1;
		for (size_t n = 1; n < COMPACT_BLOCK_MAX; n++)
			sums->powers[n] = next_sum(sums->powers[n - 1], 0);
	}
	sums->n = 0;
	sums->n_next = FIRST_BYTES;
}

/* Sums of the bytes from `at` on: few at first, as a block may follow soon. */
static void sums_fill(struct compact_sums *sums, const uint8_t *at, size_t n_there)
{
	sums->from = at;
	sums->n = n_there < sums->n_next ? n_there : sums->n_next;
	sums->sums[0] = 0;
	for (size_t i = 0; i < sums->n; i++)
		sums->sums[i + 1] = next_sum(sums->sums[i], at[i]);
	if (sums->n_next < COMPACT_SUMS)
		sums->n_next *= 2;
}

uint16_t compact_sums_of(struct compact_sums *sums, const uint8_t *at, size_t n_bytes, size_t n_there)
{
	size_t a;

	if (!sums->n || (size_t)(at - sums->from) + n_bytes > sums->n)
		sums_fill(sums, at, n_there);
	a = (size_t)(at - sums->from);
	return (uint16_t)(polynomial_multiply(sums->sums[a] ^ 0xffff, sums->powers[n_bytes]) ^
			  sums->sums[a + n_bytes]);
}
