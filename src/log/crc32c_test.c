/* SPDX-License-Identifier: MIT */
#include "log/crc32c.h"

#include <string.h>

#include "tests/tap.h"

static void test_known(crc32c_function *crc, const char *how)
{
	unsigned char bytes[32];

	ok(crc(0, "", 0) == 0, "%s: the sum of nothing is 0", how);
	ok(crc(0, "123456789", 9) == 0xe3069283, "%s: the sum of the usual nine digits is right", how);
	memset(bytes, 0, sizeof(bytes));
	ok(crc(0, bytes, 32) == 0x8a9136aa, "%s: the sum of zeros is RFC 3720's", how);
	memset(bytes, 0xff, sizeof(bytes));
	ok(crc(0, bytes, 32) == 0x62a8ab43, "%s: the sum of ones is RFC 3720's", how);
	for (unsigned char i = 0; i < 32; i++)
		bytes[i] = i;
	ok(crc(0, bytes, 32) == 0x46dd794e, "%s: the sum of rising bytes is RFC 3720's", how);
}

static uint32_t crc_by_bits(const unsigned char *bytes, size_t n)
{
	uint32_t crc = ~0u;

	while (n--) {
		crc ^= *bytes++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0x82f63b78u & -(crc & 1));
	}
	return ~crc;
}

static void test_all_lengths(void)
{
	unsigned char bytes[600];
	crc32c_function *chosen = crc32c_choose();
	bool table = true, choice = true, parts = true;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * i * 31 + i);
	for (size_t from = 0; from < 9; from++) {
		for (size_t n = 0; n + from <= sizeof(bytes); n++) {
			const uint32_t expected = crc_by_bits(bytes + from, n);
			const size_t half = n / 3;

			table = table && crc32c_by_table(0, bytes + from, n) == expected;
			choice = choice && chosen(0, bytes + from, n) == expected;
			parts = parts && chosen(crc32c_by_table(0, bytes + from, half), bytes + from + half,
						 n - half) == expected;
		}
	}
	ok(table, "tables give the sum that bit by bit gives, at every length and alignment");
	ok(choice, "what is chosen for this processor does, too");
	ok(parts, "a sum can be made in parts, each in its own way");
}

int main(void)
{
	test_known(crc32c_by_table, "by table");
	test_known(crc32c_choose(), "as chosen");
	test_all_lengths();
	return tap_done();
}
