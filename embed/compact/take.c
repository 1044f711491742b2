/* SPDX-License-Identifier: MIT */
/* From blocks in memory to bytes on a link. */
#include "embed/compact/block.h"
#include "embed/core/memory.h"

enum { NAME_BYTES_MAX = 40 }; /* with kind, number and length it fits the smallest block */

/* CRC-16/CCITT-FALSE, four bits at a time. */
static uint32_t checksum(const uint8_t *bytes, uint32_t n_bytes)
{
	static const uint16_t table[16] = { 0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7,
		0x8108, 0x9129, 0xa14a, 0xb16b, 0xc18c, 0xd1ad, 0xe1ce, 0xf1ef };
	uint32_t sum = 0xffff;

	for (uint32_t i = 0; i < n_bytes; i++) {
		sum = (sum << 4 ^ table[(sum >> 12 ^ bytes[i] >> 4) & 15]) & 0xffff;
		sum = (sum << 4 ^ table[(sum >> 12 ^ bytes[i]) & 15]) & 0xffff;
	}
	return sum;
}

uint32_t rastrum_compact_finish(uint8_t *wire, uint8_t kind, uint32_t n_payload)
{
	uint32_t n_bytes = RASTRUM_COMPACT_HEAD + n_payload, sum;

	wire[0] = COMPACT_MARK;
	wire[1] = kind;
	wire[2] = (uint8_t)n_payload;
	sum = checksum(wire + 1, n_bytes - 1);
	wire[n_bytes] = (uint8_t)sum;
	wire[n_bytes + 1] = (uint8_t)(sum >> 8);
	return n_bytes + 2;
}

/* The oldest block of those that are full. Returns NULL if no block is full. */
static const uint8_t *oldest_closed(struct rastrum_compact *compact)
{
	struct rastrum_cells *blocks = &compact->blocks;
	uint32_t n_held = blocks->n_written - blocks->n_taken, n_blocks = blocks->slot_mask + 1;

	if (n_held > n_blocks) {
		n_held = n_blocks;
		blocks->n_taken = blocks->n_written - n_blocks;
	}
	if (n_held <= !rastrum_compact_is_in_bin(compact))
		return NULL;
	return (const uint8_t *)(blocks->words +
				 (blocks->n_taken & blocks->slot_mask) * (RASTRUM_COMPACT_BLOCK / 4));
}

/* Its room is free; a recorder that waits for it goes on at once. */
static void drop_oldest(struct rastrum_compact *compact)
{
	struct rastrum_cells *blocks = &compact->blocks;

	blocks->n_taken++;
	if (!blocks->keeps_newest)
		blocks->n_limit++;
	if (rastrum_compact_is_in_bin(compact))
		rastrum_compact_begin(compact, rastrum_cells_next(blocks, RASTRUM_COMPACT_BLOCK / 4));
}

static void block_copy(uint8_t *wire, const uint8_t *block)
{
	rastrum_memcpy(wire, block, RASTRUM_COMPACT_HEAD + (uint32_t)block[2]);
}

/*
 * Copies a block to `wire`, or makes its first byte 0. The open block goes also when it only reports losses.
 */
static void block_take(struct rastrum_compact *compact, uint8_t *wire, int wants_all)
{
	const uint8_t *block = oldest_closed(compact);

	wire[0] = 0;
	if (block) {
		block_copy(wire, block);
		drop_oldest(compact);
	} else if (wants_all && compact->n_events != compact->n_told) {
		uint8_t *open = rastrum_compact_open_block(compact);

		rastrum_compact_close(compact);
		block_copy(wire, open);
		rastrum_compact_begin(compact, (uint32_t *)(void *)open);
	}
}

uint32_t rastrum_compact_take(struct rastrum_compact *compact, uint8_t *wire, int wants_all)
{
	RASTRUM_LOCK_STATE state;

	RASTRUM_LOCK(state);
	block_take(compact, wire, wants_all);
	RASTRUM_UNLOCK(state);
	return wire[0] ? rastrum_compact_finish(wire, COMPACT_EVENTS, wire[2]) : 0;
}

uint32_t rastrum_compact_lost(const struct rastrum_compact *compact)
{
	RASTRUM_LOCK_STATE state;
	uint32_t n_lost;

	RASTRUM_LOCK(state);
	n_lost = compact->n_lost;
	RASTRUM_UNLOCK(state);
	return n_lost;
}

static uint32_t text_bytes(const char *text)
{
	uint32_t n = 0;

	while (text && n < NAME_BYTES_MAX && text[n])
		n++;
	return n;
}

static uint8_t *name_put(uint8_t *at, const struct rastrum_name *name, uint32_t n_text)
{
	*at++ = (uint8_t)name->kind;
	at = rastrum_number_put(at, name->id);
	*at++ = (uint8_t)n_text;
	if (n_text)
		rastrum_memcpy(at, name->text, n_text);
	return at + n_text;
}

uint32_t rastrum_compact_names(
	const struct rastrum_name *names, uint32_t n_names, uint32_t *next, uint8_t *wire)
{
	enum { OVERHEAD = 1 + 5 + 1 };
	uint32_t n_payload = 0;

	for (; *next < n_names; (*next)++) {
		uint32_t n_text = text_bytes(names[*next].text);
		uint8_t *at = wire + RASTRUM_COMPACT_HEAD + n_payload;

		if (RASTRUM_COMPACT_HEAD + n_payload + OVERHEAD + n_text > RASTRUM_COMPACT_BLOCK)
			break;
		n_payload += (uint32_t)(name_put(at, &names[*next], n_text) - at);
	}
	if (n_payload == 0)
		return 0;
	rastrum_memset(wire, 0, RASTRUM_COMPACT_HEAD);
	return rastrum_compact_finish(wire, COMPACT_NAMES, n_payload);
}
