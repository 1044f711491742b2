/* SPDX-License-Identifier: MIT */
/*
 * A ring of bytes between records of any length and a link that sends them, in memory that the caller gives.
 * Places are counted from 0 and for ever (modulo 2^32); place n is byte n mod n_bytes, a power of two:
 *
 *           n_taken             n_written
 *      ---------|====================|-----------------
 *        taken         to be taken      free
 *
 * A record is put whole, or counts as lost. It is put at once with rastrum_bytes_put(), or made in its place
 * in the ring:
 *
 *      rastrum_bytes_begin(ring, n, &at)       room for n bytes; returns 0 if it is full, and the record counts as lost
 *      at = rastrum_bytes_store(ring, at, byte)        as often as wanted, at most n times
 *      rastrum_bytes_end(ring, at)             from here on it can be taken
 *
 * all of it inside one lock of the caller. Without the last call, the record does not exist.
 */
#ifndef EMBED_CORE_BYTES_H
#define EMBED_CORE_BYTES_H

#include "embed/port/port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rastrum_bytes {
	uint32_t n_written;
	uint32_t n_taken;
	uint32_t place_mask; /* n_bytes - 1 */
	uint8_t *bytes;
	uint32_t n_lost; /* records */
};

/*
 * Makes an empty ring of n_bytes, rounded down to a power of two; returns how many bytes it has, 0: none. The
 * memory is the ring's from then on.
 */
uint32_t rastrum_bytes_init(struct rastrum_bytes *ring, void *memory, uint32_t n_bytes);

/* The caller has the lock. */
static inline uint32_t rastrum_bytes_room(const struct rastrum_bytes *ring)
{
	return ring->place_mask + 1 - (ring->n_written - ring->n_taken);
}

/* The caller has the lock. */
static inline int rastrum_bytes_begin(struct rastrum_bytes *ring, uint32_t n_bytes, uint32_t *ret_at)
{
	if (rastrum_bytes_room(ring) < n_bytes) {
		ring->n_lost++;
		return 0;
	}
	*ret_at = ring->n_written;
	return 1;
}

static inline uint32_t rastrum_bytes_store(struct rastrum_bytes *ring, uint32_t at, uint8_t byte)
{
	ring->bytes[at & ring->place_mask] = byte;
	return at + 1;
}

static inline void rastrum_bytes_end(struct rastrum_bytes *ring, uint32_t at)
{
	ring->n_written = at;
}

/* A whole record; 0 if there is no room for it, and it is counted lost. Takes the lock. */
int rastrum_bytes_put(struct rastrum_bytes *ring, const void *record, uint32_t n_bytes);

/*
 * The oldest bytes, as many as lie in one piece. They stay until rastrum_bytes_drop(), so that a link can
 * send them from where they are. Returns 0 if the ring is empty. One reader at a time. Takes the lock for a
 * moment.
 */
uint32_t rastrum_bytes_peek(struct rastrum_bytes *ring, const uint8_t **ret_bytes);
void rastrum_bytes_drop(struct rastrum_bytes *ring, uint32_t n_bytes);

/* Copies up to n_room of the oldest bytes and gives their room back; returns how many. */
uint32_t rastrum_bytes_take(struct rastrum_bytes *ring, void *to, uint32_t n_room);

/* Records that were lost so far. Takes the lock. */
uint32_t rastrum_bytes_lost(const struct rastrum_bytes *ring);

#ifdef __cplusplus
}
#endif

#endif
