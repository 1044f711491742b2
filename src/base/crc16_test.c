/* SPDX-License-Identifier: MIT */
#include "base/crc16.h"

#include <string.h>

#include "tests/tap.h"

struct vector {
	const char *what;
	const char *bytes;
	size_t n_bytes;
	uint16_t crc;
};

static const struct vector vectors[] = {
	{ "nothing", "", 0, 0 },
	{ "a zero", "\0", 1, 0 },
	{ "a byte of ones", "\xff", 1, 0x1ef0 },
	{ "the check value's nine digits", "123456789", 9, 0x31c3 },
	{ "sixteen bytes of ones", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16,
		0x0041 },
	{ "the body of a start notice", "\x01\x04\x11\0\0\0\x02\x04\xef\xbe\xad\xde", 12, 0x5fcc },
};

static void check_vectors(void)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		const struct vector *v = &vectors[i];
		const uint8_t *bytes = (const uint8_t *)v->bytes;

		ok(crc16(bytes, v->n_bytes) == v->crc && crc16_plain(bytes, v->n_bytes) == v->crc,
			"the check of %s is 0x%04x both ways", v->what, v->crc);
	}
}

static void check_long(void)
{
	uint8_t all[256], many[1000], zeros[92] = { 0 };

	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (uint8_t)i;
	memset(many, 'A', sizeof(many));
	is_number(crc16(all, sizeof(all)), 0x7e55, "all byte values in a row have their check");
	is_number(crc16(many, sizeof(many)), 0xf8c8, "a thousand letters have their check");
	is_number(crc16(zeros, sizeof(zeros)), 0, "zeros have none");
}

/* Compares all functions over noise of every length and alignment. */
static void check_same(void)
{
	uint8_t noise[512];
	uint32_t seed = 12345;
	unsigned n_wrong = 0, n_wrong_by_table = 0;

	for (size_t i = 0; i < sizeof(noise); i++) {
		seed = seed * 1664525 + 1013904223;
		noise[i] = (uint8_t)(seed >> 24);
	}
	for (size_t from = 0; from < 16; from++)
		for (size_t n = 0; from + n <= sizeof(noise); n++) {
			const uint16_t plain = crc16_plain(noise + from, n);

			n_wrong += crc16(noise + from, n) != plain;
			n_wrong_by_table += crc16_by_table(noise + from, n) != plain;
		}
	is_number(n_wrong, 0, "the quick way agrees with the plain one at every length and alignment");
	is_number(n_wrong_by_table, 0, "and so does that of processors without such products");
}

/* Checks the sum of the table of single bytes, which the description of the format contains. */
static void check_sum(void)
{
	unsigned sum = 0;

	for (unsigned b = 0; b < 256; b++) {
		const uint8_t byte = (uint8_t)b;

		sum += crc16(&byte, 1);
	}
	is_number(sum, 8388480, "the checks of all single bytes add up to what is known");
}

int main(void)
{
	check_vectors();
	check_long();
	check_same();
	check_sum();
	return tap_done();
}
