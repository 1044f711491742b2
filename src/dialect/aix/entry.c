/* SPDX-License-Identifier: MIT */
/* Headers and entries, judged by their own bytes. */
#include "base/load.h"
#include "dialect/aix/aix.h"

enum {
	VERSION = 1,
	HEADER_CORES = 1,
	HEADER_KEEPS_NEWEST = 2,
	HEADER_STAMPED = 4,
	HEADER_FLAGS = HEADER_CORES | HEADER_KEEPS_NEWEST | HEADER_STAMPED,
	TYPE_STAMPED = 8,
	TYPE_SHAPE = 7,
	FLAG_STAMPED = 0x8000,
	FLAG_GENERIC = 0x4000,
	FLAG_NARROW = 0x2000, /* "the data are of 32 bits": of no consequence */
	WORD_64 = 8,
	NO_SHAPE = 0xff
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
	};
	return at[5] <= 1 && (ret->word_bytes == 4 || ret->word_bytes == 8) && ret->channel < 8 &&
	       (at[12] & ~HEADER_FLAGS) == 0 && !at[13] && !at[14] && !at[15];
}

static uint32_t round_up(uint32_t n_bytes, uint32_t word_bytes)
{
	return (n_bytes + word_bytes - 1) & ~(word_bytes - 1);
}

static bool see_32(struct aix_entry *ret, uint32_t word)
{
	/* Data words of the shapes. */
	static const uint8_t n_words[TYPE_SHAPE + 1] = { [0] = 1,
		[1] = 0,
		[2] = 1,
		[3] = NO_SHAPE,
		[4] = NO_SHAPE,
		[5] = NO_SHAPE,
		[6] = 5,
		[7] = NO_SHAPE };
	unsigned type = word >> 16 & 0xf;

	ret->id = (uint16_t)(word >> 20 << 4);
	ret->data = (uint16_t)word;
	ret->is_stamped = type & TYPE_STAMPED;
	ret->is_generic = (type & TYPE_SHAPE) == 0;
	ret->n_words = n_words[type & TYPE_SHAPE];
	ret->n_variable = ret->is_generic ? ret->data : 0;
	return ret->n_words != NO_SHAPE;
}

static bool see_64(struct aix_entry *ret, uint64_t word)
{
	unsigned flags = (unsigned)(word >> 48), length = word >> 32 & 0xffff;

	ret->id = (uint16_t)(word >> 16);
	ret->data = (uint16_t)word;
	ret->is_stamped = flags & FLAG_STAMPED;
	ret->is_generic = flags & FLAG_GENERIC;
	ret->n_words = (uint8_t)(ret->is_generic ? 1 : length / WORD_64);
	ret->n_variable = ret->is_generic ? length : 0;
	return (flags & ~(unsigned)(FLAG_STAMPED | FLAG_GENERIC | FLAG_NARROW)) == 0 &&
	       (ret->is_generic || (length % WORD_64 == 0 && length <= AIX_WORDS_MAX * WORD_64));
}

/* Behind the data; a core's word comes first. */
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

/* Programs have the ids from 010 on. */
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
	*ret = (struct aix_entry){ .word = load_word(at, word, header->is_big) };
	if (!(word == WORD_64 ? see_64(ret, ret->word) : see_32(ret, (uint32_t)ret->word)))
		return AIX_NONE;
	/* What stamps all its entries is our recorder, whose own ids are few. */
	if (header->is_stamped && (!ret->is_stamped || !is_known_id(ret->id)))
		return AIX_NONE;
	n_data = word * (1U + ret->n_words);
	ret->n_view = n_data + ret->n_variable;
	n_data += round_up(ret->n_variable, word);
	ret->n_bytes = n_data + (ret->is_stamped ? 8 + (header->has_core ? word : 0) : 0);
	if (ret->n_bytes > n_bytes)
		return AIX_CUT;
	if (ret->is_stamped)
		see_trailer(ret, header, at + n_data);
	return AIX_FOUND;
}

void aix_view(uint8_t *to, const struct aix_header *header, const struct aix_entry *entry, const uint8_t *at)
{
	size_t n_words = 1U + entry->n_words, word_bytes = header->word_bytes;

	memcpy(to, at, entry->n_view);
	if (header->is_big)
		return;
	for (size_t i = 0; i < n_words * word_bytes; i++)
		to[i] = at[i - i % word_bytes + word_bytes - 1 - i % word_bytes];
}
