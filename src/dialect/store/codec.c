/* SPDX-License-Identifier: MIT */
#include "dialect/store/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NUMBER_BYTES_MAX = 10 };

bool bytes_reserve(struct bytes *bytes, size_t n_more)
{
	size_t room = bytes->room ? bytes->room : 256;

	if (bytes->room - bytes->n >= n_more)
		return true;
	while (room - bytes->n < n_more) {
		if (room > SIZE_MAX / 2)
			return false;
		room *= 2;
	}
	uint8_t *at = realloc(bytes->at, room);

	if (!at)
		return false;
	bytes->at = at;
	bytes->room = room;
	return true;
}

bool bytes_put(struct bytes *bytes, const void *from, size_t n_bytes)
{
	if (!bytes_reserve(bytes, n_bytes))
		return false;
	if (n_bytes)
		memcpy(bytes->at + bytes->n, from, n_bytes);
	bytes->n += n_bytes;
	return true;
}

bool bytes_put_number(struct bytes *bytes, uint64_t number)
{
	if (!bytes_reserve(bytes, NUMBER_BYTES_MAX))
		return false;
	for (; number > 0x7f; number >>= 7)
		bytes->at[bytes->n++] = (uint8_t)(number | 0x80);
	bytes->at[bytes->n++] = (uint8_t)number;
	return true;
}

void bytes_done(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){ 0 };
}

bool cursor_take_number(struct cursor *cursor, uint64_t *ret)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
		const uint8_t byte = *cursor->at++;

		if (shift == 63 && byte > 1)
			return false;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = number;
			return true;
		}
	}
	return false;
}

void codec_number(struct codec *codec, uint64_t *number, uint64_t limit)
{
	if (!codec->is_reading) {
		codec->lacks_memory |= !bytes_put_number(codec->to, *number);
		return;
	}
	*number = 0;
	if (codec->is_bad || !cursor_take_number(&codec->from, number) || (limit && *number >= limit)) {
		codec->is_bad = true;
		*number = 0;
	}
}

void codec_size(struct codec *codec, size_t *number, uint64_t limit)
{
	uint64_t wide = *number;

	codec_number(codec, &wide, limit);
	if (codec->is_reading) /* when writing, the number may be in constant memory */
		*number = (size_t)wide;
}

/*
 * Rastrum writes only printable text, but stores are passed from one user to another, and other programs may
 * have made them. TEXT_SHORT bytes behind names must be readable.
 */
static const char *copy_clean(struct arena *arena, const uint8_t *run, size_t n_run, size_t *ret_n)
{
	const size_t n_clean = text_clean_bytes(run, n_run);
	char *copy = arena_alloc(arena, n_clean + 1 + TEXT_SHORT);

	if (!copy)
		return NULL;
	text_clean(copy, run, n_run);
	*ret_n = n_clean;
	return copy;
}

void codec_bytes(struct codec *codec, const char **text, size_t *n_bytes)
{
	uint64_t n = *text ? (uint64_t)*n_bytes + 1 : 0;
	const uint8_t *run;

	codec_number(codec, &n, 0);
	if (!codec->is_reading) {
		if (*text)
			codec->lacks_memory |= !bytes_put(codec->to, *text, *n_bytes);
		return;
	}
	*text = NULL;
	*n_bytes = 0;
	if (n == 0 || codec->is_bad)
		return;
	run = cursor_take(&codec->from, (size_t)(n - 1));
	codec->is_bad |= !run;
	if (!run)
		return;
	*text = copy_clean(codec->arena, run, (size_t)(n - 1), n_bytes);
	codec->lacks_memory |= !*text;
}

void codec_text(struct codec *codec, const char **text)
{
	size_t n_bytes = codec->is_reading || !*text ? 0 : strlen(*text);

	codec_bytes(codec, text, &n_bytes);
}

static uint64_t load_member(const uint8_t *at, size_t n_bytes, bool is_signed)
{
	uint64_t number = load_uint(at, (unsigned)n_bytes, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	const unsigned n_above = 64 - 8 * (unsigned)n_bytes;

	return is_signed ? sign_fold((int64_t)(number << n_above) >> n_above) : number;
}

/* Stores a member of 1, 2, 4 or 8 bytes. */
static void store_member(uint8_t *at, size_t n_bytes, uint64_t number)
{
	const uint8_t u8 = (uint8_t)number;
	const uint16_t u16 = (uint16_t)number;
	const uint32_t u32 = (uint32_t)number;

	memcpy(at,
		n_bytes == 1   ? (const void *)&u8
		: n_bytes == 2 ? (const void *)&u16
		: n_bytes == 4 ? (const void *)&u32
			       : (const void *)&number,
		n_bytes);
}

static void codec_member(struct codec *codec, const struct codec_row *row, uint8_t *at)
{
	const bool is_signed = row->kind == CODEC_SIGNED;
	uint64_t number = codec->is_reading ? 0 : load_member(at, row->n_bytes, is_signed);

	codec_number(codec, &number, row->limit);
	if (!codec->is_reading)
		return;
	if (row->n_bytes < 8 && number >> (8 * row->n_bytes)) {
		codec->is_bad = true;
		number = 0;
	}
	store_member(at, row->n_bytes, is_signed ? (uint64_t)sign_unfold(number) : number);
}

void codec_record(struct codec *codec, const struct codec_row *rows, size_t n_rows, void *record)
{
	for (size_t i = 0; i < n_rows; i++) {
		uint8_t *at = (uint8_t *)record + rows[i].offset;
		const char *text;

		if (rows[i].kind == CODEC_NUMBER || rows[i].kind == CODEC_SIGNED) {
			codec_member(codec, &rows[i], at);
			continue;
		}
		memcpy(&text, at, sizeof(text));
		codec_text(codec, &text);
		if (codec->is_reading)
			memcpy(at, &text, sizeof(text));
		codec->is_bad |= codec->is_reading && rows[i].kind == CODEC_NAME && !text;
	}
}

void *codec_array(struct codec *codec, size_t n_items, size_t item_bytes)
{
	void *items;

	if (!codec->is_reading || !n_items || codec->is_bad)
		return NULL;
	/* Each item takes at least one byte. */
	if (n_items > cursor_left(&codec->from)) {
		codec->is_bad = true;
		return NULL;
	}
	items = arena_alloc(codec->arena, n_items * item_bytes);
	codec->lacks_memory |= !items;
	return items;
}
