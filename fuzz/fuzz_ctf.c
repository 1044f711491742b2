/* SPDX-License-Identifier: MIT */
/*
 * The reader of CTF and everything behind it, over arbitrary bytes. The first byte chooses how the trace is
 * shown, and what the rest is: a folder that was packed with tar, or a description and a stream, which are
 * packed here, so that both are reached without the blocks of tar:
 *
 *	choice u8 | bytes in the description u16 | description | stream
 */
#include <stdlib.h>
#include <string.h>

#include "dialect/ctf/ctf.h"
#include "fuzz/bomb.h"
#include "fuzz/chunks.h"
#include "fuzz/show.h"

enum {
	CHOICE_FORMAT = 3,
	CHOICE_READER = 4, /* the dialect by itself */
	CHOICE_PARTS = 8,  /* a description and a stream */
	CHOICE_SUMMARY = 128,
	TAR_BLOCK = 512,
	TAR_SIZE_AT = 124,
	TAR_MAGIC_AT = 257,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes a file of a tar file. Returns what is behind it. */
static uint8_t *pack_file(uint8_t *to, const char *name, const uint8_t *bytes, size_t n_bytes)
{
	memcpy(to, name, strlen(name));
	snprintf((char *)to + TAR_SIZE_AT, 12, "%011zo", n_bytes);
	memcpy(to + TAR_MAGIC_AT, "ustar", 5);
	if (n_bytes)
		memcpy(to + TAR_BLOCK, bytes, n_bytes);
	return to + TAR_BLOCK + (n_bytes + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
}

/* Packs a description and a stream. Returns NULL if memory ran out. */
static uint8_t *pack_parts(const uint8_t *bytes, size_t n_bytes, size_t *ret_bytes)
{
	const size_t n_front = n_bytes < 2 ? n_bytes : 2;
	const size_t n_left = n_bytes - n_front;
	const size_t n_asked = n_front == 2 ? grow_u16(bytes) : 0;
	const size_t n_text = n_asked < n_left ? n_asked : n_left;
	uint8_t *packed = calloc(1, n_bytes + 6 * (size_t)TAR_BLOCK), *at = packed;

	if (!packed)
		return NULL;
	at = pack_file(at, "t/metadata", bytes + n_front, n_text);
	at = pack_file(at, "t/s", bytes + n_front + n_text, n_left - n_text);
	*ret_bytes = (size_t)(at - packed) + 2 * (size_t)TAR_BLOCK;
	return packed;
}

static void read_trace(uint8_t choice, const uint8_t *bytes, size_t n_bytes)
{
	static const struct rst_open how = { .dialect = "ctf" };

	if (choice & CHOICE_READER)
		chunks_read(&dialect_ctf, &how, bytes, n_bytes, 0);
	else if (!is_bomb(bytes, n_bytes))
		show_whole(bytes, n_bytes, &how,
			choice & CHOICE_SUMMARY ? (unsigned)SHOW_SUMMARY : choice & CHOICE_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t choice, *grown, *packed = NULL;

	if (!size)
		return 0;
	choice = *data;
	grown = grow(data + 1, size - 1, &size);
	if (grown && choice & CHOICE_PARTS)
		packed = pack_parts(grown, size, &size);
	if (grown && (packed || !(choice & CHOICE_PARTS)))
		read_trace(choice, packed ? packed : grown, size);
	free(packed);
	free(grown);
	return 0;
}
