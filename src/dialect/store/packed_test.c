/* SPDX-License-Identifier: MIT */
#include "dialect/store/packed.h"

#include <string.h>

#include "dialect/store/format.h"
#include "tests/tap.h"

enum { N_BLOCK = 4096, N_TEXT = 3000 };

static const uint8_t *read_back(struct packed *packed, const struct bytes *from, uint64_t n_wanted,
	size_t n_block, struct codec *codec)
{
	*codec = (struct codec){ .is_reading = true, .from = cursor_over(from->at, from->n) };
	return payloads_read(packed, codec, n_wanted, n_block);
}

static void put_text(struct bytes *bytes, uint8_t by)
{
	for (unsigned i = 0; i < N_TEXT; i++)
		bytes_put(bytes, &(uint8_t){ (uint8_t)(i % 7 + by) }, 1);
}

static void test_round(void)
{
	struct packed packed = { 0 };
	struct bytes text[3] = { 0 }, noise = { 0 }, to = { 0 };
	const uint8_t *read[3];
	struct codec codec;
	uint32_t random = 1;

	for (unsigned i = 0; i < 3; i++) {
		put_text(&text[i], (uint8_t)('a' + i));
		to.n = 0;
		ok(payloads_write(&packed, &text[i], N_BLOCK, true, &to) && to.n < N_TEXT / 10,
			"payloads that repeat are packed");
		read[i] = read_back(&packed, &to, N_TEXT, N_BLOCK, &codec);
		ok(read[i] && memcmp(read[i], text[i].at, N_TEXT) == 0, "and read as they were");
	}
	ok(memcmp(read[1], text[1].at, N_TEXT) == 0, "those of the segment before stay");
	to.n = 0;
	ok(payloads_write(&packed, &text[0], N_BLOCK, false, &to) && to.n == N_TEXT + 1,
		"where nothing may be packed, they are as they were");
	ok(read_back(&packed, &to, N_TEXT, N_BLOCK, &codec) == to.at + 1, "and stay where they are");
	for (unsigned i = 0; i < N_TEXT; i++) {
		random = random * 1664525 + 1013904223;
		bytes_put(&noise, &(uint8_t){ (uint8_t)(random >> 24) }, 1);
	}
	to.n = 0;
	ok(payloads_write(&packed, &noise, N_BLOCK, true, &to) && to.n == N_TEXT + 1,
		"so are those that packing makes no smaller");
	to.n = noise.n = 0;
	ok(payloads_write(&packed, &noise, N_BLOCK, true, &to) && to.n == 1, "none are one byte");
	for (unsigned i = 0; i < 3; i++)
		bytes_done(&text[i]);
	bytes_done(&noise);
	bytes_done(&to);
	packed_done(&packed);
}

/* zstd packs zeros to almost no bytes. */
static void test_ratio(void)
{
	struct packed packed = { 0 };
	struct bytes zeros = { 0 }, to = { 0 };
	struct codec codec;

	bytes_reserve(&zeros, (size_t)1 << 20);
	memset(zeros.at, 0, (size_t)1 << 20);
	zeros.n = (size_t)1 << 20;
	ok(payloads_write(&packed, &zeros, 64, true, &to) && to.n > zeros.n,
		"few bytes that would become many are not packed");
	to.n = 0;
	ok(payloads_write(&packed, &zeros, N_BLOCK, true, &to) && to.n < 1000,
		"for a longer segment they are");
	ok(read_back(&packed, &to, zeros.n, N_BLOCK, &codec), "and read");
	ok(!read_back(&packed, &to, zeros.n, 64, &codec) && codec.is_bad, "but not from a short one");
	ok(!read_back(&packed, &to, zeros.n - 1, N_BLOCK, &codec) && codec.is_bad,
		"payloads of another length than the rows say are damage");
	bytes_done(&zeros);
	bytes_done(&to);
	packed_done(&packed);
}

/* Frames with wrong bytes, and cut ones: either the length is right, or they are reported as damage. */
static void test_damage(void)
{
	struct packed packed = { 0 };
	struct bytes text = { 0 }, to = { 0 };
	unsigned n_read = 0, n_bad = 0;
	struct codec codec;

	put_text(&text, 'a');
	payloads_write(&packed, &text, N_BLOCK, true, &to);
	for (size_t i = 0; i < 8 * to.n; i++) {
		to.at[i / 8] ^= (uint8_t)(1 << i % 8);
		if (read_back(&packed, &to, N_TEXT, N_BLOCK, &codec))
			n_read++;
		else
			n_bad += codec.is_bad;
		to.at[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	ok(n_read + n_bad == 8 * to.n && n_bad > n_read / 4,
		"a turned bit is damage, or other bytes of that length");
	while (to.n-- > 1)
		if (read_back(&packed, &to, N_TEXT, N_BLOCK, &codec) || !codec.is_bad)
			break;
	is_number(to.n, 0, "a frame that is cut anywhere is damage");
	bytes_done(&text);
	bytes_done(&to);
	packed_done(&packed);
}

/* If memory runs out, payloads are not packed or not written; reading reports it. */
static void test_memory(void)
{
	struct bytes text = { 0 }, to = { 0 };
	struct packed packed = { 0 }, other = { 0 };
	struct codec codec;

	put_text(&text, 'a');
	tap_fail_alloc_after(0);
	ok(!payloads_write(&packed, &text, N_BLOCK, true, &to), "without memory nothing is written");
	tap_fail_alloc_after(-1);
	ok(payloads_write(&packed, &text, N_BLOCK, true, &to), "with memory it is");
	tap_fail_alloc_after(0);
	ok(!read_back(&other, &to, N_TEXT, N_BLOCK, &codec) && codec.lacks_memory && !codec.is_bad,
		"that there is no memory to read it is no damage");
	tap_fail_alloc_after(-1);
	ok(read_back(&other, &to, N_TEXT, N_BLOCK, &codec), "with memory it is read");
	packed_done(&packed);
	packed_done(&other);
	bytes_done(&text);
	bytes_done(&to);
}

int main(void)
{
	test_round();
	test_ratio();
	test_damage();
	test_memory();
	return tap_done();
}
