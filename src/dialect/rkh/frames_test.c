/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "dialect/rkh/frames.h"
#include "tests/tap.h"

enum { RUNS = 20000, RUN_BYTES = 100 };

/* Returns a random byte; about half of the bytes have values that matter. */
static uint8_t any_byte(unsigned *seed, unsigned share)
{
	*seed = *seed * 1103515245 + 12345;
	unsigned value = *seed >> 16;

	if (value % share == 0)
		return value & 0x100 ? RKH_FLAG : RKH_ESCAPE;
	return (uint8_t)(value >> 3);
}

static bool scans_agree(const uint8_t *bytes, size_t n_bytes, size_t from)
{
	uint8_t sum = 7, plain_sum = 7;
	const uint8_t *stop = rkh_scan(bytes + from, bytes + n_bytes, &sum);
	const uint8_t *plain_stop = rkh_scan_plain(bytes + from, bytes + n_bytes, &plain_sum);

	return stop == plain_stop && sum == plain_sum;
}

/* Each run is in memory of its own size, so that a sanitizer sees a look beyond its end. */
static void test_scan(void)
{
	unsigned seed = 1;
	bool is_good = true, finds = true;

	for (unsigned run = 0; run < RUNS && is_good; run++) {
		size_t n_bytes = run % RUN_BYTES;
		uint8_t *bytes = malloc(n_bytes + 1), *exact = malloc(n_bytes ? n_bytes : 1);

		for (size_t i = 0; i < n_bytes; i++)
			bytes[i] = any_byte(&seed, 1 + run % 64);
		memcpy(exact, bytes, n_bytes);
		for (size_t from = 0; from <= n_bytes && is_good; from += 7)
			is_good = scans_agree(exact, n_bytes, from);
		const uint8_t *flag = n_bytes ? memchr(exact, RKH_FLAG, n_bytes) : NULL;

		finds &= rkh_find_flag(exact, exact + n_bytes) == (flag ? flag : exact + n_bytes);
		free(bytes);
		free(exact);
	}
	ok(is_good, "wide and plain scans stop at the same byte with the same sum");
	ok(finds, "the first flag is found wherever it is");
}

static size_t stuff(uint8_t *to, const uint8_t *bytes, size_t n_bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < n_bytes; i++) {
		bool is_special = bytes[i] == RKH_FLAG || bytes[i] == RKH_ESCAPE;

		if (is_special)
			to[n++] = RKH_ESCAPE;
		to[n++] = is_special ? bytes[i] ^ RKH_TURN : bytes[i];
	}
	return n;
}

static void test_unstuff(void)
{
	uint8_t bytes[RUN_BYTES], stuffed[2 * RUN_BYTES], back[2 * RUN_BYTES];
	unsigned seed = 2;
	bool is_good = true, is_aborted;

	for (unsigned run = 0; run < RUNS && is_good; run++) {
		size_t n_bytes = run % RUN_BYTES, n_stuffed, n_back;
		uint8_t sum = 0, expected = 0;

		for (size_t i = 0; i < n_bytes; i++) {
			bytes[i] = any_byte(&seed, 1 + run % 16);
			expected = (uint8_t)(expected + bytes[i]);
		}
		n_stuffed = stuff(stuffed, bytes, n_bytes);
		n_back = rkh_unstuff(back, stuffed, stuffed + n_stuffed, &sum, &is_aborted);
		is_good = !is_aborted && n_back == n_bytes && sum == expected &&
			  memcmp(back, bytes, n_bytes) == 0;
	}
	ok(is_good, "what was stuffed comes back, with its sum");
}

static void test_aborted(void)
{
	static const uint8_t bytes[] = { 1, 2, RKH_ESCAPE };
	uint8_t back[3], sum = 0;
	bool is_aborted;

	ok(rkh_unstuff(back, bytes, bytes + 3, &sum, &is_aborted) == 2 && is_aborted,
		"an escape at the end of a frame is reported");
	ok(rkh_unstuff(back, bytes, bytes + 2, &sum, &is_aborted) == 2 && !is_aborted, "and only there");
}

int main(void)
{
	test_scan();
	test_unstuff();
	test_aborted();
	return tap_done();
}
