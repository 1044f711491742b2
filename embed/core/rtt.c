/* SPDX-License-Identifier: MIT */
#include "embed/core/rtt.h"

#include "embed/core/memory.h"

/* Everything before it is in memory before the probe can see it. */
static void publish(uint32_t *word, uint32_t value)
{
#ifdef __GNUC__
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
#else
	*(volatile uint32_t *)word = value;
#endif
}

/* The id is put together here, last, so that a probe finds it nowhere else and never too early. */
void rastrum_rtt_init(struct rastrum_rtt *rtt, const char *name, uint8_t *bytes, uint32_t n_bytes)
{
	static const char backwards[] = "TTR REGGES";

	rastrum_memset(rtt, 0, sizeof(*rtt));
	rtt->n_up = 1;
	rtt->up.name = name;
	rtt->up.bytes = bytes;
	publish(&rtt->up.n_bytes, n_bytes);
	for (uint32_t i = 0; i < sizeof(backwards) - 1; i++)
		((volatile char *)rtt->id)[i] = backwards[sizeof(backwards) - 2 - i];
}

uint32_t rastrum_rtt_room(const struct rastrum_rtt *rtt)
{
	uint32_t read = rtt->up.read, write = rtt->up.write;

	if (read >= rtt->up.n_bytes)
		return 0;
	return read > write ? read - write - 1 : rtt->up.n_bytes - write + read - 1;
}

int rastrum_rtt_put(struct rastrum_rtt *rtt, const void *bytes, uint32_t n_bytes)
{
	struct rastrum_rtt_buffer *up = &rtt->up;
	const uint8_t *from = (const uint8_t *)bytes;
	uint32_t n_to_end = up->n_bytes - up->write, n_first = n_bytes < n_to_end ? n_bytes : n_to_end;

	if (rastrum_rtt_room(rtt) < n_bytes)
		return 0;
	rastrum_memcpy(up->bytes + up->write, from, n_first);
	rastrum_memcpy(up->bytes, from + n_first, n_bytes - n_first);
	publish(&up->write, n_bytes < n_to_end ? up->write + n_bytes : n_bytes - n_to_end);
	return 1;
}
