/* SPDX-License-Identifier: MIT */
#include "embed/core/rtt.h"

#include <stddef.h>
#include <string.h>

#include "tests/tap.h"

enum { N_BYTES = 16 };

/* Acts as a probe. */
static uint32_t probe_fetch(struct rastrum_rtt *rtt, uint8_t *to, uint32_t n_room)
{
	uint32_t n = 0;

	while (n < n_room && rtt->up.read != rtt->up.write) {
		to[n++] = rtt->up.bytes[rtt->up.read];
		rtt->up.read = (rtt->up.read + 1) % rtt->up.n_bytes;
	}
	return n;
}

/* Runs of all lengths against a probe that fetches now and then. */
static bool comes_through(void)
{
	struct rastrum_rtt rtt;
	uint8_t memory[N_BYTES], run[N_BYTES], got[N_BYTES], next_put = 0, next_got = 0;

	rastrum_rtt_init(&rtt, "trace", memory, N_BYTES);
	for (uint32_t i = 0; i < 5000; i++) {
		uint32_t n = i * 7 % N_BYTES, room = rastrum_rtt_room(&rtt);

		for (uint32_t k = 0; k < n; k++)
			run[k] = (uint8_t)(next_put + k);
		if (rastrum_rtt_put(&rtt, run, n) != (room >= n))
			return false;
		next_put = (uint8_t)(next_put + (room >= n ? n : 0));
		n = probe_fetch(&rtt, got, i * 5 % 11);
		for (uint32_t k = 0; k < n; k++)
			if (got[k] != next_got++)
				return false;
	}
	return next_got != 0;
}

int main(void)
{
	struct rastrum_rtt rtt;
	uint8_t memory[N_BYTES];

	rastrum_rtt_init(&rtt, "trace", memory, N_BYTES);
	ok(memcmp(rtt.id, "SEGGER RTT\0\0\0\0\0\0", 16) == 0 && rtt.n_up == 1 && rtt.n_down == 0,
		"a probe finds the id, and one buffer from the target");
	ok(offsetof(struct rastrum_rtt, up) == 24 &&
			offsetof(struct rastrum_rtt_buffer, n_bytes) == 2 * sizeof(void *),
		"the layout is the one that probes know");
	is_number(rastrum_rtt_room(&rtt), N_BYTES - 1, "one byte stays free");
	ok(!rastrum_rtt_put(&rtt, "0123456789abcdef", 16), "what does not fit is not put at all");
	rtt.up.read = 1000;
	is_number(rastrum_rtt_room(&rtt), 0, "a probe that lies stops the flow, and nothing else");
	ok(comes_through(), "what is put comes out, in order");
	return tap_done();
}
