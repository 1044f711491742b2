/* SPDX-License-Identifier: MIT */
/*
 * The header of a run:
 *
 *	u32 0x50534600, u16 format, u16 platform, u32 options, u32 cores, u32 threshold, 12 bytes of configuration
 *	time: u32 type; frequency and period, in an order of the format; wraps, tick rate, last stamp, tick count
 *	table: words count, symbol size, states; then entries of an address, states, options and a symbol
 *
 * All have the byte order of the target. A word has 8 bytes where bit 3 of the options says so.
 */
#include <string.h>

#include "dialect/percepio/percepio.h"

enum { FORMAT_FIRST = 10, FORMAT_LAST_READ = 64, FORMAT_PERIOD_FIRST = 13, FIXED_BYTES = 32 };
enum { MAGIC = 0x50534600, IS_64_BITS = 8, TIMERS = 6, STATES_MAX = 16, ENTRIES_MAX = 1 << 20 };
enum { IS_EXTENSION = 1 << 30 };

static bool magic_order(const uint8_t *bytes, bool *ret_is_big)
{
	*ret_is_big = load_u32(bytes, true) == MAGIC;
	return *ret_is_big || load_u32(bytes, false) == MAGIC;
}

bool percepio_is_header(const uint8_t *bytes, size_t n_bytes)
{
	bool is_big;

	if (n_bytes < 8 || !magic_order(bytes, &is_big))
		return false;
	return load_u16(bytes + 4, is_big) <= FORMAT_LAST_READ &&
	       percepio_port_find(load_u16(bytes + 6, is_big));
}

static void load_fixed(struct percepio_header *ret, const uint8_t *bytes)
{
	uint32_t cores;

	magic_order(bytes, &ret->is_big);
	ret->version = load_u16(bytes + 4, ret->is_big);
	ret->platform = load_u16(bytes + 6, ret->is_big);
	ret->options = load_u32(bytes + 8, ret->is_big);
	cores = load_u32(bytes + 12, ret->is_big);
	ret->n_cores = cores & 0xff;
	ret->streams = cores >> 8 & 0xff;
	ret->word = ret->version >= FORMAT_PERIOD_FIRST && (ret->options & IS_64_BITS) ? 8 : 4;
	ret->port = percepio_port_find(ret->platform);
}

static bool is_possible(const struct percepio_header *header)
{
	return header->port && header->version >= FORMAT_FIRST && header->n_cores >= 1 &&
	       header->n_cores <= PERCEPIO_CORES && header->timer >= 1 && header->timer <= TIMERS &&
	       header->symbol_bytes <= PERCEPIO_SYMBOL_BYTES && header->n_states <= STATES_MAX &&
	       header->n_entries <= ENTRIES_MAX;
}

enum percepio_step percepio_header_load(
	struct percepio_header *ret, const uint8_t *bytes, size_t n_bytes, size_t *ret_n_bytes)
{
	const uint8_t *at;
	size_t n_time;

	*ret = (struct percepio_header){ 0 };
	if (n_bytes < FIXED_BYTES)
		return PERCEPIO_MORE;
	load_fixed(ret, bytes);
	n_time = 4 + ret->word + 4 + 16;
	*ret_n_bytes = FIXED_BYTES + n_time + 3 * (size_t)ret->word;
	if (n_bytes < *ret_n_bytes)
		return PERCEPIO_MORE;
	at = bytes + FIXED_BYTES;
	ret->timer = load_u32(at, ret->is_big);
	ret->hz = load_word(at + 4 + (ret->version >= FORMAT_PERIOD_FIRST ? 4 : 0), ret->word, ret->is_big);
	ret->tick_hz = load_u32(at + 4 + ret->word + 4 + 4, ret->is_big);
	at += n_time;
	ret->n_entries = load_word(at, ret->word, ret->is_big);
	ret->symbol_bytes = load_word(at + ret->word, ret->word, ret->is_big);
	ret->n_states = load_word(at + 2 * (size_t)ret->word, ret->word, ret->is_big);
	return is_possible(ret) ? PERCEPIO_DONE : PERCEPIO_BAD;
}

size_t percepio_entry_bytes(const struct percepio_header *header)
{
	return (1 + header->n_states) * header->word + 4 + header->symbol_bytes;
}

static bool add_extension(struct percepio *percepio, struct model *model, const uint8_t *states,
	const uint8_t *name, size_t room)
{
	const struct percepio_header *header = &percepio->header;
	struct percepio_extension *to = &percepio->extensions[percepio->n_extensions];
	const size_t n_name = strnlen((const char *)name, room);
	char *text;

	if (header->n_states < 3 || percepio->n_extensions == PERCEPIO_EXTENSIONS)
		return true;
	text = arena_alloc(&model->arena, n_name + 1);
	if (!text)
		return false;
	for (size_t i = 0; i < n_name; i++)
		text[i] = name[i] > ' ' && name[i] < 0x7f ? (char)name[i] : '_';
	text[n_name] = '\0';
	to->name = text;
	to->first = (uint32_t)load_word(states + header->word, header->word, header->is_big);
	to->n = (uint32_t)load_word(states + 2 * (size_t)header->word, header->word, header->is_big);
	if (n_name && to->first < PERCEPIO_IDS && to->n <= PERCEPIO_IDS - to->first)
		percepio->n_extensions++;
	return true;
}

bool percepio_entry(struct percepio *percepio, struct model *model, const uint8_t *bytes)
{
	const struct percepio_header *header = &percepio->header;
	const uint64_t address = load_word(bytes, header->word, header->is_big);
	const uint8_t *states = bytes + header->word;
	const uint8_t *options = states + header->n_states * header->word;

	if (!address)
		return true;
	if ((load_u32(options, header->is_big) & IS_EXTENSION) &&
		!add_extension(percepio, model, states, options + 4, header->symbol_bytes))
		return false;
	return percepio_name_set(percepio, model, address, options + 4, header->symbol_bytes);
}

bool percepio_header_details(struct model *model, const struct percepio_header *header)
{
	return model_detail_number(model, "format", header->version) &&
	       model_detail_text(model, "port", percepio_port_name(header->port)) &&
	       model_detail_text(model, "endian", header->is_big ? "big" : "little") &&
	       model_detail_number(model, "word_bytes", header->word) &&
	       model_detail_number(model, "cores", header->n_cores) &&
	       model_detail_hex(model, "options", header->options) &&
	       model_detail_number(model, "timer", header->timer) &&
	       model_detail_number(model, "tick_hz", header->tick_hz) &&
	       model_detail_number(model, "entries", header->n_entries);
}
