/* SPDX-License-Identifier: MIT */
/* Recognises headers and entries by their own bytes. */
#include "base/load.h"
#include "dialect/aix/aix.h"

enum {
	VERSION = 1,
	HEADER_CORES = 1,
	HEADER_KEEPS_NEWEST = 2,
	HEADER_STAMPED = 4,
	HEADER_AIX = 8,
	HEADER_FLAGS = HEADER_CORES | HEADER_KEEPS_NEWEST | HEADER_STAMPED | HEADER_AIX,
	WORD_64 = 8
};

bool aix_header_load(struct aix_header *ret, const uint8_t *at, size_t n_bytes)
{
	static const uint8_t mark[] = { 'R', 'S', 'T', 'A', VERSION };

	if (n_bytes < AIX_HEADER_BYTES || memcmp(at, mark, sizeof(mark)) != 0)
		return false;
	*ret = (struct aix_header){
		.is_big = at[5] != 0,
		.word_bytes = at[6],
		.channel = at[7],
		.clock_hz = load_u32(at + 8, at[5] != 0),
		.has_core = at[12] & HEADER_CORES,
		.keeps_newest = at[12] & HEADER_KEEPS_NEWEST,
		.is_stamped = at[12] & HEADER_STAMPED,
		.is_of_aix = at[12] & HEADER_AIX,
	};
	return at[5] <= 1 && (ret->word_bytes == 4 || ret->word_bytes == 8) && ret->channel < 8 &&
	       (at[12] & ~HEADER_FLAGS) == 0 && !at[13] && !at[14] && !at[15];
}

static uint32_t round_up(uint32_t n_bytes, uint32_t word_bytes)
{
	return (n_bytes + word_bytes - 1) & ~(word_bytes - 1);
}

/* Reads the trailer behind the data; the core's word comes first. */
static void see_trailer(struct aix_entry *ret, const struct aix_header *header, const uint8_t *at)
{
	if (header->has_core) {
		ret->core = (uint32_t)load_word(at, header->word_bytes, header->is_big);
		at += header->word_bytes;
	}
	if (header->word_bytes == WORD_64) {
		uint64_t both = load_u64(at, header->is_big);

		ret->thread = (uint32_t)(both >> 32);
		ret->stamp = (uint32_t)both;
	} else {
		ret->thread = load_u32(at, header->is_big);
		ret->stamp = load_u32(at + 4, header->is_big);
	}
}

/* Ids from 010 on belong to programs. */
static bool is_known_id(uint16_t id)
{
	return id >= 0x010 << 4 || id == AIX_HOOK_ON << 4 || id == AIX_HOOK_OFF << 4 ||
	       id == AIX_HOOK_LOST << 4;
}

enum aix_find aix_find(
	struct aix_entry *ret, const struct aix_header *header, const uint8_t *at, size_t n_bytes)
{
	unsigned word = header->word_bytes;
	uint32_t n_data;

	if (n_bytes < word)
		return AIX_CUT;
	*ret = (struct aix_entry){ .stamp = 0 };
	if (!hook_word_see(&ret->hook, load_word(at, word, header->is_big), word))
		return AIX_NONE;
	ret->hook.is_of_aix = header->is_of_aix;
	/* Only our recorder stamps all entries, and it has few ids of its own. */
	if (header->is_stamped && (!ret->hook.is_stamped || !is_known_id(ret->hook.id)))
		return AIX_NONE;
	n_data = word * (1U + ret->hook.n_words) + round_up(ret->hook.n_variable, word);
	ret->n_bytes = n_data + (ret->hook.is_stamped ? 8 + (header->has_core ? word : 0) : 0);
	if (ret->n_bytes > n_bytes)
		return AIX_CUT;
	if (ret->hook.is_stamped)
		see_trailer(ret, header, at + n_data);
	return AIX_FOUND;
}
