/* SPDX-License-Identifier: MIT */
/*
 * One dump of a ThreadX trace buffer: where its header lies and what it states (tx_trace.h, TX_TRACE_HEADER).
 * This file only finds events and objects; it does not read them.
 *
 *	header (12 words) | object registry | event ring | tail that never held an event
 *
 * Words are the target's ULONG, of 4 or 8 bytes, in the target's byte order. Addresses are the target's. All
 * arithmetic on them is modulo 2^32 or 2^64, because some 64-bit ports store only the low half of a pointer.
 */
#ifndef THREADX_IMAGE_H
#define THREADX_IMAGE_H

#include "base/error.h"
#include "base/load.h"

/* Words of the header that other files refer to. */
enum { TX_HEADER_REGISTRY_END = 5, TX_HEADER_CURRENT = 8 };

struct tx_layout {
	unsigned word; /* 4 or 8 */
	bool is_big;
};

struct tx_image {
	const uint8_t *bytes; /* of the whole input, borrowed */
	const char *source;   /* its name */
	uint64_t n_bytes;
	uint64_t offset; /* of the header in bytes */
	struct tx_layout layout;

	uint64_t timer_mask, base; /* the header, word by word */
	uint64_t registry_start, registry_end, ring_start, ring_end, current;
	uint64_t marks[3]; /* the reserved words */
	unsigned reserved1, name_bytes;

	size_t header_bytes, object_bytes, entry_bytes;
	uint64_t n_objects;  /* slots of the registry as the header claims them */
	uint64_t n_slots;    /* slots of the ring as the header claims them */
	uint64_t n_whole;    /* slots of the ring that the input holds whole */
	uint64_t objects_at; /* offset of the registry in bytes */
	uint64_t ring_at;    /* offset of the ring in bytes */
	uint64_t n_tail;     /* bytes behind the ring that belong to no other image */
	uint64_t current_index;
	bool has_current; /* false if the current pointer is wrong; the order must be found in another way */
	bool has_registry_end; /* false if it contradicts the ring's start, which is used instead */
};

/* The layout that the user demands; 0 in word or endian leaves it open. */
struct tx_wanted {
	unsigned word;
	enum { TX_ENDIAN_ANY, TX_ENDIAN_LITTLE, TX_ENDIAN_BIG } endian;
};

enum { TX_SEARCH_BYTES = 64 * 1024 }; /* a header may lie so far in, if too much memory was dumped */

/*
 * Finds the first header in bytes[from..], within TX_SEARCH_BYTES, whose geometry is right. If there is no
 * such header, takes one with a fault that leaves the events readable. If there is no such header either,
 * returns RST_E_DAMAGED with the fault of the likeliest one.
 */
enum rst_status tx_image_find(struct tx_image *ret_image, const uint8_t *bytes, uint64_t n_bytes,
	uint64_t from, struct tx_wanted wanted, struct rst_error *err);

/*
 * Whether the input ends inside the header of a further dump behind this last image, so that this dump is
 * cut; and where that header begins.
 */
bool tx_image_has_cut_follower(const struct tx_image *image, uint64_t *ret_offset);

/* How sure it is that bytes begin with such a header, or have one soon: 0 to 100. */
unsigned tx_image_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole);

/* As dialect.misfit: bytes that are missing, or that lie behind the ring and would be an entry. */
uint64_t tx_image_misfit(const uint8_t *bytes, size_t n_bytes);

static inline uint64_t tx_word(const struct tx_image *image, const uint8_t *at, unsigned index)
{
	return load_word(at + (size_t)index * image->layout.word, image->layout.word, image->layout.is_big);
}

/* Slot i of the ring, i < n_whole. */
static inline const uint8_t *tx_image_slot(const struct tx_image *image, uint64_t i)
{
	return image->bytes + image->ring_at + i * image->entry_bytes;
}

/* One past the last byte that the header claims, in the input. */
static inline uint64_t tx_image_end(const struct tx_image *image)
{
	return image->ring_at + image->n_slots * image->entry_bytes;
}

#endif
