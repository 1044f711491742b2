/* SPDX-License-Identifier: MIT */
/* Our recorder, given what ThreadX recorded with words of 32 bits. */
#include "embed/threadx/replay.inc"

int main(void)
{
	static const struct {
		const char *path;
		int fill;
	} images[] = {
		{ "tests/data/threadx/basic_objects.trx", 0 },
		{ "tests/data/threadx/isr_nested.trx", 0 },
		{ "tests/data/threadx/late_enable_linux64_dirty_ram.trx", 0xa5 },
		{ "tests/data/threadx/preemption_threshold.trx", 0 },
		{ "tests/data/threadx/priority_inversion.trx", 0 },
		{ "tests/data/threadx/second_boundary_linux64.trx", 0 },
		{ "tests/data/threadx/stop_on_full.trx", 0 },
		{ "tests/data/threadx/timer16_wrapped.trx", 0 },
		{ "tests/data/threadx/wrapped_ring_linux64.trx", 0 },
		{ "tests/data/threadx/tracex-samples/demo_filex.trx", 0 },
		{ "tests/data/threadx/tracex-samples/demo_netx_tcp.trx", 0 },
		{ "tests/data/threadx/tracex-samples/demo_netx_udp.trx", 0 },
		{ "tests/data/threadx/tracex-samples/demo_threadx.trx", 0 },
	};

	for (unsigned i = 0; i < sizeof(images) / sizeof(images[0]); i++)
		replay_image(images[i].path, images[i].fill);
	return tap_done();
}
