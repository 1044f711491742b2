/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C by the processor's instruction, or eight bytes at a time by tables (slicing by 8). The tables are
 * constant: a handler of a signal must not find them half built. The caller keeps the choice: an ifunc would
 * be resolved at the first call, which may be in a handler.
 */
#include "log/crc32c.h"

#include <string.h>

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS_INSTRUCTION 1
#else
#define HAS_INSTRUCTION 0
#endif

/*
 * Entry i of slice s is the checksum of byte i followed by s zero bytes. It is linear in the bits of i, so
 * that eight numbers make a slice.
 */
#define BIT(i, b, value) ((i) >> (b)&1 ? (value) : 0u)
#define ENTRY(i, a, b, c, d, e, f, g, h)                                                           \
	(BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^ BIT(i, 5, f) ^ \
		BIT(i, 6, g) ^ BIT(i, 7, h))
#define FOUR(i, ...)                                                                     \
	ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__), ENTRY((i) + 2, __VA_ARGS__), \
		ENTRY((i) + 3, __VA_ARGS__)
#define SIXTEEN(i, ...)                                                               \
	FOUR(i, __VA_ARGS__), FOUR((i) + 4, __VA_ARGS__), FOUR((i) + 8, __VA_ARGS__), \
		FOUR((i) + 12, __VA_ARGS__)
#define SIXTY_FOUR(i, ...)                                                                       \
	SIXTEEN(i, __VA_ARGS__), SIXTEEN((i) + 16, __VA_ARGS__), SIXTEEN((i) + 32, __VA_ARGS__), \
		SIXTEEN((i) + 48, __VA_ARGS__)
#define SLICE(...)                                                                                \
	SIXTY_FOUR(0u, __VA_ARGS__), SIXTY_FOUR(64u, __VA_ARGS__), SIXTY_FOUR(128u, __VA_ARGS__), \
		SIXTY_FOUR(192u, __VA_ARGS__)

/* clang-format off */
static const uint32_t slices[8][256] = {
	{ SLICE(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78) },
	{ SLICE(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9) },
	{ SLICE(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743) },
	{ SLICE(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f) },
	{ SLICE(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c) },
	{ SLICE(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6) },
	{ SLICE(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4) },
	{ SLICE(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664) },
};
/* clang-format on */

static uint32_t load_little(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	crc = ~crc;
	for (; n >= 8; n -= 8, at += 8) {
		const uint32_t low = crc ^ load_little(at), high = load_little(at + 4);

		crc = slices[7][low & 255] ^ slices[6][low >> 8 & 255] ^ slices[5][low >> 16 & 255] ^
		      slices[4][low >> 24] ^ slices[3][high & 255] ^ slices[2][high >> 8 & 255] ^
		      slices[1][high >> 16 & 255] ^ slices[0][high >> 24];
	}
	for (; n; n--)
		crc = slices[0][(crc ^ *at++) & 255] ^ crc >> 8;
	return ~crc;
}

#if HAS_INSTRUCTION
__attribute__((target("sse4.2"))) static uint32_t crc32c_by_instruction(
	uint32_t crc, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	crc = ~crc;
	for (; n >= 8; n -= 8, at += 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		crc = (uint32_t)__builtin_ia32_crc32di(crc, word);
	}
	for (; n; n--)
		crc = __builtin_ia32_crc32qi(crc, *at++);
	return ~crc;
}

crc32c_function *crc32c_choose(void)
{
	/*
	 * Uses what the C library found when the program began: CPUID takes microseconds in a virtual
	 * machine, and __builtin_cpu_supports() would add a constructor to every program that is linked with
	 * this.
	 */
	return CPU_FEATURE_ACTIVE(SSE4_2) ? crc32c_by_instruction : crc32c_by_table;
}
#else
crc32c_function *crc32c_choose(void)
{
	return crc32c_by_table;
}
#endif
