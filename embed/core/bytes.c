/* SPDX-License-Identifier: MIT */
#include "embed/core/bytes.h"

#include "embed/core/memory.h"

uint32_t rastrum_bytes_init(struct rastrum_bytes *ring, void *memory, uint32_t n_bytes)
{
	uint32_t n_ring = 1;

	if (n_bytes == 0)
		return 0;
	while (n_bytes - n_ring >= n_ring)
		n_ring *= 2;
	ring->n_written = ring->n_taken = ring->n_lost = 0;
	ring->place_mask = n_ring - 1;
	ring->bytes = (uint8_t *)memory;
	return n_ring;
}

/* In two parts where the ring ends between them. */
static void ring_copy(struct rastrum_bytes *ring, uint32_t at, const uint8_t *from, uint32_t n_bytes)
{
	uint32_t slot = at & ring->place_mask, n_to_end = ring->place_mask + 1 - slot;
	uint32_t n_first = n_bytes < n_to_end ? n_bytes : n_to_end;

	rastrum_memcpy(ring->bytes + slot, from, n_first);
	rastrum_memcpy(ring->bytes, from + n_first, n_bytes - n_first);
}

int rastrum_bytes_put(struct rastrum_bytes *ring, const void *record, uint32_t n_bytes)
{
	RASTRUM_LOCK_STATE state;
	uint32_t at;
	int has_room;

	RASTRUM_LOCK(state);
	has_room = rastrum_bytes_begin(ring, n_bytes, &at);
	if (has_room) {
		ring_copy(ring, at, (const uint8_t *)record, n_bytes);
		rastrum_bytes_end(ring, at + n_bytes);
	}
	RASTRUM_UNLOCK(state);
	return has_room;
}

/* Writers never change bytes that are not taken yet, so reading the bytes needs no lock. */
uint32_t rastrum_bytes_peek(struct rastrum_bytes *ring, const uint8_t **ret_bytes)
{
	RASTRUM_LOCK_STATE state;
	uint32_t slot, n_held, n_to_end;

	RASTRUM_LOCK(state);
	slot = ring->n_taken & ring->place_mask;
	n_held = ring->n_written - ring->n_taken;
	RASTRUM_UNLOCK(state);
	n_to_end = ring->place_mask + 1 - slot;
	*ret_bytes = ring->bytes + slot;
	return n_held < n_to_end ? n_held : n_to_end;
}

void rastrum_bytes_drop(struct rastrum_bytes *ring, uint32_t n_bytes)
{
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	ring->n_taken += n_bytes;
	RASTRUM_UNLOCK(state);
}

uint32_t rastrum_bytes_take(struct rastrum_bytes *ring, void *to, uint32_t n_room)
{
	uint32_t n_taken = 0;
	const uint8_t *bytes;

	while (n_taken < n_room) {
		uint32_t n = rastrum_bytes_peek(ring, &bytes);

		if (n == 0)
			break;
		if (n > n_room - n_taken)
			n = n_room - n_taken;
		rastrum_memcpy((uint8_t *)to + n_taken, bytes, n);
		rastrum_bytes_drop(ring, n);
		n_taken += n;
	}
	return n_taken;
}

uint32_t rastrum_bytes_lost(const struct rastrum_bytes *ring)
{
	RASTRUM_LOCK_STATE state;
	uint32_t n_lost;

	RASTRUM_LOCK(state);
	n_lost = ring->n_lost;
	RASTRUM_UNLOCK(state);
	return n_lost;
}
