/* SPDX-License-Identifier: MIT */
#include "tracks/pack.h"

#include <string.h>

enum {
	HAS_GAP = 1,	  /* it does not begin where the previous segment ends */
	HAS_FROM_SEQ = 2, /* from_seq differs from the last number */
	NO_FROM_SEQ = 4,  /* from_seq is RST_NO_SEQ */
	HAS_TO_SEQ = 8,	  /* the same for to_seq */
	NO_TO_SEQ = 16,
	HAS_VALUE = 32,
	IS_NEW = 64, /* the look follows in full */

	LOOK_TAIL_BYTES = 7,
	SLOTS = 256 /* of the hash table of looks, which is at most half full */
};

/* things: object and by. rest: core, class, state, reason, certainty and type of the value. */
struct look {
	uint64_t things, rest;
};

/* The numbers of the previous segment. */
struct before {
	uint64_t to, seq, value;
};

/* --- writing -------------------------------------------------------------------------------------------- */

struct packer {
	uint8_t *at;
	struct before before;
	struct look looks[PACK_SEGMENTS_MAX];
	size_t n_looks;
	uint8_t slots[SLOTS]; /* number of a look + 1, or 0 */
};

static uint8_t *pack_put_number(uint8_t *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (uint8_t)(number | 0x80);
	*at++ = (uint8_t)number;
	return at;
}

static uint8_t *put_difference(uint8_t *at, uint64_t number, uint64_t before)
{
	const uint64_t difference = number - before;

	return pack_put_number(at, difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0));
}

static struct look look_of(const struct segment *segment)
{
	return (struct look){ .things = segment->object | (uint64_t)segment->by << 32,
		.rest = segment->core | (uint64_t)segment->class << 16 | (uint64_t)segment->state << 24 |
			(uint64_t)segment->reason << 32 | (uint64_t)segment->certainty << 40 |
			(uint64_t)segment->value_type << 48 };
}

/* Finds the slot with the number of the look, or the free slot for it. */
static uint8_t *slot_find(struct packer *packer, struct look look)
{
	uint64_t mixed = (look.things ^ look.rest << 17) * UINT64_C(0x9e3779b97f4a7c15);
	uint8_t *slot;

	for (mixed >>= 56;; mixed++) {
		slot = &packer->slots[mixed % SLOTS];
		if (!*slot || (packer->looks[*slot - 1].things == look.things &&
				      packer->looks[*slot - 1].rest == look.rest))
			return slot;
	}
}

/* Returns the bits for the head. */
static unsigned put_seq(struct packer *packer, uint64_t seq, unsigned has, unsigned none)
{
	const uint64_t before = packer->before.seq;

	if (seq == RST_NO_SEQ)
		return none;
	if (seq == before)
		return 0;
	packer->at = put_difference(packer->at, seq, before);
	packer->before.seq = seq;
	return has;
}

static unsigned put_look(struct packer *packer, struct look look)
{
	uint8_t *slot = slot_find(packer, look);

	if (*slot) {
		*packer->at++ = (uint8_t)(*slot - 1);
		return 0;
	}
	packer->looks[packer->n_looks++] = look;
	*slot = (uint8_t)packer->n_looks;
	memcpy(packer->at, &look.things, sizeof(look.things));
	memcpy(packer->at + sizeof(look.things), &look.rest, LOOK_TAIL_BYTES);
	packer->at += sizeof(look.things) + LOOK_TAIL_BYTES;
	return IS_NEW;
}

static void segment_pack(struct packer *packer, const struct segment *segment)
{
	uint8_t *head = packer->at++;
	unsigned parts = 0;

	if (segment->from != packer->before.to) {
		packer->at = pack_put_number(packer->at, segment->from - packer->before.to);
		parts |= HAS_GAP;
	}
	packer->at = pack_put_number(packer->at, segment->to - segment->from);
	parts |= put_seq(packer, segment->from_seq, HAS_FROM_SEQ, NO_FROM_SEQ);
	parts |= put_seq(packer, segment->to_seq, HAS_TO_SEQ, NO_TO_SEQ);
	if (segment->value != packer->before.value) {
		packer->at = put_difference(packer->at, segment->value, packer->before.value);
		parts |= HAS_VALUE;
	}
	parts |= put_look(packer, look_of(segment));
	packer->before.to = segment->to;
	packer->before.value = segment->value;
	*head = (uint8_t)parts;
}

size_t segments_pack(const struct segment *segments, size_t n, uint8_t *bytes)
{
	struct packer packer;

	packer.at = bytes;
	packer.before = (struct before){ 0 };
	packer.n_looks = 0;
	memset(packer.slots, 0, sizeof(packer.slots));
	for (size_t i = 0; i < n; i++)
		segment_pack(&packer, &segments[i]);
	return (size_t)(packer.at - bytes);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static const uint8_t *take_number(const uint8_t *at, uint64_t *ret_number)
{
	uint64_t number = *at & 0x7f;

	for (unsigned shift = 7; *at++ & 0x80; shift += 7)
		number |= (uint64_t)(*at & 0x7f) << shift;
	*ret_number = number;
	return at;
}

static const uint8_t *take_difference(const uint8_t *at, uint64_t *number)
{
	uint64_t difference;

	at = take_number(at, &difference);
	*number += difference >> 1 ^ (difference & 1 ? UINT64_MAX : 0);
	return at;
}

static const uint8_t *take_seq(
	const uint8_t *at, unsigned has, unsigned none, uint64_t *seq, uint64_t *ret_seq)
{
	if (has)
		at = take_difference(at, seq);
	*ret_seq = none ? RST_NO_SEQ : *seq;
	return at;
}

static const uint8_t *take_look(
	const uint8_t *at, bool is_new, struct look *looks, size_t *n_looks, struct segment *segment)
{
	const struct look *look;

	if (is_new) {
		look = &looks[(*n_looks)++];
		looks[*n_looks - 1].rest = 0;
		memcpy(&looks[*n_looks - 1].things, at, sizeof(look->things));
		memcpy(&looks[*n_looks - 1].rest, at + sizeof(look->things), LOOK_TAIL_BYTES);
		at += sizeof(look->things) + LOOK_TAIL_BYTES;
	} else {
		look = &looks[*at++];
	}
	segment->object = (uint32_t)look->things;
	segment->by = (uint32_t)(look->things >> 32);
	segment->core = (uint16_t)look->rest;
	segment->class = (uint8_t)(look->rest >> 16);
	segment->state = (uint8_t)(look->rest >> 24);
	segment->reason = (uint8_t)(look->rest >> 32);
	segment->certainty = (uint8_t)(look->rest >> 40);
	segment->value_type = (uint8_t)(look->rest >> 48);
	return at;
}

void segments_unpack(const uint8_t *bytes, size_t n, struct segment *ret_segments)
{
	struct look looks[PACK_SEGMENTS_MAX];
	struct before before = { 0 };
	size_t n_looks = 0;

	for (size_t i = 0; i < n; i++) {
		struct segment *segment = &ret_segments[i];
		const unsigned parts = *bytes++;
		uint64_t gap = 0, length;

		if (parts & HAS_GAP)
			bytes = take_number(bytes, &gap);
		bytes = take_number(bytes, &length);
		segment->from = before.to + gap;
		segment->to = before.to = segment->from + length;
		bytes = take_seq(
			bytes, parts & HAS_FROM_SEQ, parts & NO_FROM_SEQ, &before.seq, &segment->from_seq);
		bytes = take_seq(bytes, parts & HAS_TO_SEQ, parts & NO_TO_SEQ, &before.seq, &segment->to_seq);
		if (parts & HAS_VALUE)
			bytes = take_difference(bytes, &before.value);
		segment->value = before.value;
		bytes = take_look(bytes, parts & IS_NEW, looks, &n_looks, segment);
	}
}
