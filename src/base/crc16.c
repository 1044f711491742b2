/* SPDX-License-Identifier: MIT */
/*
 * A CRC is linear: the CRC of a byte is the sum (xor) of the CRCs of its bits. So a table of 256 entries
 * follows from eight numbers, the remainders of each bit by its distance from the end. There is one table for
 * each of sixteen positions, so sixteen bytes need sixteen independent loads.
 *
 * If the processor can multiply without carries, sixteen bytes need two products: the sum so far is
 * multiplied by the remainder of a power of x, which is its distance from the end. At the end, the remainder
 * of the sum follows from its quotient, which is also a product (Barrett).
 */
#include "base/crc16.h"

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <immintrin.h>
#include <sys/platform/x86.h>
#define HAS_PRODUCT 1
#else
#define HAS_PRODUCT 0
#endif

#define BIT(b, n, power) ((b) & (1U << (n)) ? (power) : 0)
#define SUM(b, p0, p1, p2, p3, p4, p5, p6, p7)                                                           \
	(BIT(b, 0, p0) ^ BIT(b, 1, p1) ^ BIT(b, 2, p2) ^ BIT(b, 3, p3) ^ BIT(b, 4, p4) ^ BIT(b, 5, p5) ^ \
		BIT(b, 6, p6) ^ BIT(b, 7, p7))
#define FOUR(b, ...) \
	SUM(b, __VA_ARGS__), SUM((b) + 1, __VA_ARGS__), SUM((b) + 2, __VA_ARGS__), SUM((b) + 3, __VA_ARGS__)
#define SIXTEEN(b, ...)                                                               \
	FOUR(b, __VA_ARGS__), FOUR((b) + 4, __VA_ARGS__), FOUR((b) + 8, __VA_ARGS__), \
		FOUR((b) + 12, __VA_ARGS__)
#define SIXTY4(b, ...)                                                                           \
	SIXTEEN(b, __VA_ARGS__), SIXTEEN((b) + 16, __VA_ARGS__), SIXTEEN((b) + 32, __VA_ARGS__), \
		SIXTEEN((b) + 48, __VA_ARGS__)
#define TABLE(...)                                                                         \
	{                                                                                  \
		SIXTY4(0, __VA_ARGS__), SIXTY4(64, __VA_ARGS__), SIXTY4(128, __VA_ARGS__), \
			SIXTY4(192, __VA_ARGS__)                                           \
	}

enum { POLYNOMIAL = 0x1021, STEP = 16 };

/* Row n is for a byte that n bytes follow. The numbers are x^16, x^17, … modulo the polynomial. */
static const uint16_t tables[STEP][256] = {
	TABLE(0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462, 0x48c4, 0x9188),
	TABLE(0x3331, 0x6662, 0xccc4, 0x89a9, 0x0373, 0x06e6, 0x0dcc, 0x1b98),
	TABLE(0x3730, 0x6e60, 0xdcc0, 0xa9a1, 0x4363, 0x86c6, 0x1dad, 0x3b5a),
	TABLE(0x76b4, 0xed68, 0xcaf1, 0x85c3, 0x1ba7, 0x374e, 0x6e9c, 0xdd38),
	TABLE(0xaa51, 0x4483, 0x8906, 0x022d, 0x045a, 0x08b4, 0x1168, 0x22d0),
	TABLE(0x45a0, 0x8b40, 0x06a1, 0x0d42, 0x1a84, 0x3508, 0x6a10, 0xd420),
	TABLE(0xb861, 0x60e3, 0xc1c6, 0x93ad, 0x377b, 0x6ef6, 0xddec, 0xabf9),
	TABLE(0x47d3, 0x8fa6, 0x0f6d, 0x1eda, 0x3db4, 0x7b68, 0xf6d0, 0xfd81),
	TABLE(0xeb23, 0xc667, 0x9cef, 0x29ff, 0x53fe, 0xa7fc, 0x5fd9, 0xbfb2),
	TABLE(0x6f45, 0xde8a, 0xad35, 0x4a4b, 0x9496, 0x390d, 0x721a, 0xe434),
	TABLE(0xd849, 0xa0b3, 0x5147, 0xa28e, 0x553d, 0xaa7a, 0x44d5, 0x89aa),
	TABLE(0x0375, 0x06ea, 0x0dd4, 0x1ba8, 0x3750, 0x6ea0, 0xdd40, 0xaaa1),
	TABLE(0x4563, 0x8ac6, 0x05ad, 0x0b5a, 0x16b4, 0x2d68, 0x5ad0, 0xb5a0),
	TABLE(0x7b61, 0xf6c2, 0xfda5, 0xeb6b, 0xc6f7, 0x9dcf, 0x2bbf, 0x577e),
	TABLE(0xaefc, 0x4dd9, 0x9bb2, 0x2745, 0x4e8a, 0x9d14, 0x2a09, 0x5412),
	TABLE(0xa824, 0x4069, 0x80d2, 0x1185, 0x230a, 0x4614, 0x8c28, 0x0871),
};

/* The CRC of four bytes that `row` bytes follow. */
static inline unsigned crc_of_four(const uint8_t *bytes, unsigned row)
{
	return (tables[row + 3][bytes[0]] ^ tables[row + 2][bytes[1]]) ^
	       (tables[row + 1][bytes[2]] ^ tables[row][bytes[3]]);
}

/*
 * Zeros in front do not change a CRC. So the first step may have fewer bytes, and all later steps are full.
 */
static inline unsigned crc_of_first(const uint8_t *bytes, size_t n_bytes)
{
	unsigned crc = 0;

	for (; n_bytes >= 4; n_bytes -= 4, bytes += 4)
		crc ^= crc_of_four(bytes, (unsigned)n_bytes - 4);
	for (size_t i = 0; i < n_bytes; i++)
		crc ^= tables[n_bytes - 1 - i][bytes[i]];
	return crc;
}

uint16_t crc16_by_table(const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *end = bytes + n_bytes;
	unsigned crc = crc_of_first(bytes, n_bytes % STEP);

	for (bytes += n_bytes % STEP; bytes < end; bytes += STEP) {
		/* These terms do not depend on the previous step, so they are added first. */
		const unsigned behind = (tables[13][bytes[2]] ^ tables[12][bytes[3]]) ^
					crc_of_four(bytes + 4, 8) ^ crc_of_four(bytes + 8, 4) ^
					crc_of_four(bytes + 12, 0);

		crc = (tables[15][bytes[0] ^ crc >> 8] ^ behind) ^ tables[14][bytes[1] ^ (crc & 0xff)];
	}
	return (uint16_t)crc;
}

#if HAS_PRODUCT
/* The first n of sixteen bytes as a number; the first byte is the highest. */
__attribute__((target("pclmul,ssse3"))) static inline __m128i load_number(const uint8_t *bytes, size_t n)
{
	/* From 16 - n on: the source of each byte. 128 makes a zero, for the bytes in front of the number. */
	static const uint8_t from[2 * STEP] = { 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 128,
		128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128 };
	const __m128i order = _mm_loadu_si128((const __m128i *)(const void *)(from + STEP - n));

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)bytes), order);
}

/* The first step has 1 to 16 bytes, because zeros in front do not change a CRC. */
__attribute__((target("pclmul,ssse3"))) static uint16_t crc_by_product(const uint8_t *bytes, size_t n_bytes)
{
	/* far: x^128 for the lower half, x^192 for the upper one, modulo the polynomial. near: x^64. */
	const __m128i far = _mm_set_epi64x(0x650b, 0xaefc), near = _mm_cvtsi32_si128(0xb861);
	/* The quotient of x^80 and the polynomial without its x^64; the polynomial without its x^16. */
	const __m128i divided = _mm_set_epi64x(POLYNOMIAL, 0x11303471a041b343);
	const uint8_t *end = bytes + n_bytes;
	const size_t n_first = (n_bytes - 1) % STEP + 1;
	__m128i sum, quotient;

	if (n_bytes < STEP)
		return crc16_by_table(bytes, n_bytes);
	sum = load_number(bytes, n_first);
	for (bytes += n_first; bytes < end; bytes += STEP)
		sum = _mm_xor_si128(
			load_number(bytes, STEP), _mm_xor_si128(_mm_clmulepi64_si128(sum, far, 0x00),
							  _mm_clmulepi64_si128(sum, far, 0x11)));
	/*
	 * Multiplies the upper half by x^64 and adds it to the lower one. The second step does the same with
	 * the carry.
	 */
	sum = _mm_xor_si128(_mm_move_epi64(sum), _mm_clmulepi64_si128(sum, near, 0x01));
	sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(sum, near, 0x01));
	/*
	 * The quotient of the lower half times x^16. The remainder is 16 bits of the product of quotient and
	 * polynomial.
	 */
	quotient = _mm_xor_si128(_mm_slli_si128(sum, 8), _mm_clmulepi64_si128(sum, divided, 0x00));
	return (uint16_t)_mm_cvtsi128_si32(_mm_clmulepi64_si128(quotient, divided, 0x11));
}

crc16_way *crc16_best(void)
{
	return CPU_FEATURE_ACTIVE(PCLMULQDQ) && CPU_FEATURE_ACTIVE(SSSE3) ? crc_by_product : crc16_by_table;
}
#else
crc16_way *crc16_best(void)
{
	return crc16_by_table;
}
#endif

uint16_t crc16(const uint8_t *bytes, size_t n_bytes)
{
	return crc16_best()(bytes, n_bytes);
}

uint16_t crc16_plain(const uint8_t *bytes, size_t n_bytes)
{
	unsigned crc = 0;

	for (; n_bytes; n_bytes--, bytes++) {
		crc ^= (unsigned)*bytes << 8;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc & 0x8000 ? (crc << 1 & 0xffff) ^ POLYNOMIAL : crc << 1;
	}
	return (uint16_t)crc;
}
