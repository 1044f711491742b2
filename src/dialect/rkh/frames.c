/* SPDX-License-Identifier: MIT */
#include "dialect/rkh/frames.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

const uint8_t *rkh_scan_plain(const uint8_t *at, const uint8_t *end, uint8_t *ret_sum)
{
	uint8_t sum = *ret_sum;

	for (; at < end && *at != RKH_FLAG && *at != RKH_ESCAPE; at++)
		sum = (uint8_t)(sum + *at);
	*ret_sum = sum;
	return at;
}

#ifdef __SSE2__

/* Read from 16 - n on, it is the mask of the first n bytes. */
static const uint8_t first_bytes[32] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0xff, 0xff, 0xff };

static __m128i load_16(const uint8_t *at)
{
	return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static uint8_t sum_of(__m128i sums)
{
	return (uint8_t)(_mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_unpackhi_epi64(sums, sums)));
}

/*
 * Frames are short: mostly the first or second load holds the flag. Bytes behind it are masked out of the
 * sum.
 */
const uint8_t *rkh_scan(const uint8_t *at, const uint8_t *end, uint8_t *ret_sum)
{
	const __m128i flag = _mm_set1_epi8(RKH_FLAG), escape = _mm_set1_epi8(RKH_ESCAPE),
		      zero = _mm_setzero_si128();
	__m128i sums = zero;

	for (; end - at >= 16; at += 16) {
		__m128i bytes = load_16(at);
		__m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, flag), _mm_cmpeq_epi8(bytes, escape));
		unsigned hits = (unsigned)_mm_movemask_epi8(found);

		if (hits) {
			unsigned n = (unsigned)__builtin_ctz(hits);

			bytes = _mm_and_si128(bytes, load_16(first_bytes + 16 - n));
			sums = _mm_add_epi64(sums, _mm_sad_epu8(bytes, zero));
			*ret_sum = (uint8_t)(*ret_sum + sum_of(sums));
			return at + n;
		}
		sums = _mm_add_epi64(sums, _mm_sad_epu8(bytes, zero));
	}
	*ret_sum = (uint8_t)(*ret_sum + sum_of(sums));
	return rkh_scan_plain(at, end, ret_sum);
}

const uint8_t *rkh_find_flag(const uint8_t *at, const uint8_t *end)
{
	const __m128i flag = _mm_set1_epi8(RKH_FLAG);

	for (; end - at >= 16; at += 16) {
		unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(load_16(at), flag));

		if (hits)
			return at + __builtin_ctz(hits);
	}
	while (at < end && *at != RKH_FLAG)
		at++;
	return at;
}

#else

const uint8_t *rkh_scan(const uint8_t *at, const uint8_t *end, uint8_t *ret_sum)
{
	return rkh_scan_plain(at, end, ret_sum);
}

const uint8_t *rkh_find_flag(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *found = at < end ? memchr(at, RKH_FLAG, (size_t)(end - at)) : NULL;

	return found ? found : end;
}

#endif

size_t rkh_unstuff(uint8_t *to, const uint8_t *at, const uint8_t *end, uint8_t *ret_sum, bool *ret_is_aborted)
{
	uint8_t *start = to;

	*ret_is_aborted = false;
	for (;;) {
		const uint8_t *stop = rkh_scan(at, end, ret_sum);

		memcpy(to, at, (size_t)(stop - at));
		to += stop - at;
		if (stop == end)
			return (size_t)(to - start);
		if (stop + 1 == end) {
			*ret_is_aborted = true;
			return (size_t)(to - start);
		}
		*to = stop[1] ^ RKH_TURN;
		*ret_sum = (uint8_t)(*ret_sum + *to++);
		at = stop + 2;
	}
}
