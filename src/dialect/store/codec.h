/* SPDX-License-Identifier: MIT */
/*
 * One description for both directions: a codec writes or reads a record by the same table of rows, so that
 * reader and writer cannot differ. Numbers have 7 bits in each byte, lowest first; signed numbers have their
 * sign in bit 0. A text is its length + 1 (0 for NULL), then its bytes.
 */
#ifndef STORE_CODEC_H
#define STORE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/cursor.h"

/* A growing array of bytes. */
struct bytes {
	uint8_t *at;
	size_t n, room;
};

/* Returns false if memory ran out. */
bool bytes_reserve(struct bytes *bytes, size_t n_more);
bool bytes_put(struct bytes *bytes, const void *from, size_t n_bytes);
bool bytes_put_number(struct bytes *bytes, uint64_t number);
void bytes_done(struct bytes *bytes);

/* Returns false if the input ends within the number, or it has more than 64 bits. */
bool cursor_take_number(struct cursor *cursor, uint64_t *ret);

static inline uint64_t sign_fold(int64_t number)
{
	return (uint64_t)number << 1 ^ (0 - ((uint64_t)number >> 63));
}

static inline int64_t sign_unfold(uint64_t folded)
{
	return (int64_t)(folded >> 1 ^ (0 - (folded & 1)));
}

struct codec {
	bool is_reading;
	bool is_bad;	   /* reading: the bytes are not valid */
	bool lacks_memory; /* either way */
	struct bytes *to;  /* writing */
	struct cursor from;
	struct arena *arena; /* reading: holds texts and arrays */
};

static inline bool codec_is_good(const struct codec *codec)
{
	return !codec->is_bad && !codec->lacks_memory;
}

enum codec_kind { CODEC_NUMBER, CODEC_SIGNED, CODEC_TEXT, CODEC_NAME /* text that must not be NULL */ };

/* A member of a record. */
struct codec_row {
	enum codec_kind kind;
	uint16_t offset, n_bytes;
	uint64_t limit; /* numbers are below it; 0: any that fits */
};

#define CODEC_ROW(type, member, kind, limit)                                                  \
	{                                                                                     \
		kind, offsetof(type, member), sizeof(((type *)(uintptr_t)8)->member), (limit) \
	}

void codec_number(struct codec *codec, uint64_t *number, uint64_t limit);
void codec_size(struct codec *codec, size_t *number, uint64_t limit);
void codec_text(struct codec *codec, const char **text);
/* Text with its length. When reading, the text becomes terminated and printable: see text_clean(). */
void codec_bytes(struct codec *codec, const char **text, size_t *n_bytes);
void codec_record(struct codec *codec, const struct codec_row *rows, size_t n_rows, void *record);

/*
 * When reading, returns room for n_items, unless the input has too few bytes for them. When writing, returns
 * NULL, which is not an error.
 */
void *codec_array(struct codec *codec, size_t n_items, size_t item_bytes);

#define N_CODEC_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

#endif
