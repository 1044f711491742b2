/* SPDX-License-Identifier: MIT */
#include "embed/core/bits.h"

#include <string.h>

#include "tests/tap.h"

enum { N_IDS = 256 };

/* Whether exactly the ids from first on, n of them, are wanted. */
static bool is_exactly(const uint32_t *bits, uint32_t first, uint32_t n)
{
	for (uint32_t id = 0; id < N_IDS; id++)
		if (rastrum_bit_test(bits, id) != (id >= first && id - first < n))
			return false;
	return true;
}

static bool every_run_is_set(void)
{
	for (uint32_t first = 0; first < N_IDS; first++)
		for (uint32_t n = 0; n <= N_IDS - first; n++) {
			uint32_t bits[RASTRUM_BITS_WORDS(N_IDS)] = { 0 };

			rastrum_bits_set(bits, first, n, 1);
			if (!is_exactly(bits, first, n))
				return false;
		}
	return true;
}

int main(void)
{
	uint32_t bits[RASTRUM_BITS_WORDS(N_IDS)];

	ok(every_run_is_set(), "any run of ids can be wanted, and no other id is");
	memset(bits, 0xff, sizeof(bits));
	rastrum_bits_set(bits, 0, 40, 0);
	rastrum_bits_set(bits, 100, N_IDS - 100, 0);
	ok(is_exactly(bits, 40, 60), "what is cleared leaves its neighbours");
	is_number(RASTRUM_BITS_WORDS(1), 1, "one id needs a word");
	is_number(RASTRUM_BITS_WORDS(32), 1, "and so do 32");
	is_number(RASTRUM_BITS_WORDS(33), 2, "33 need two");
	return tap_done();
}
