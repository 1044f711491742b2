/* SPDX-License-Identifier: MIT */
/*
 * bzip2: a stream is "BZh", the size of blocks as a digit, and blocks of up to 900 kB. A magic of six bytes
 * stands in front of each block: the digits of pi. Those of the square root of pi follow the last block.
 * Damage costs its block.
 */
#include <bzlib.h>
#include <string.h>

#include "input/wrapping/member.h"

enum {
	BZIP2_LEVEL_AT = 3,
	BZIP2_BLOCK_AT = 4,
	BZIP2_MAGIC_BYTES = 6,
};

struct bzip2_state {
	struct members members;
	bz_stream z;
	bool is_open;
};

static bool bzip2_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	static const uint8_t block[] = { 0x31, 0x41, 0x59, 0x26, 0x53, 0x59 };
	static const uint8_t end[] = { 0x17, 0x72, 0x45, 0x38, 0x50, 0x90 };

	(void)is_whole;
	if (n_bytes < BZIP2_BLOCK_AT || memcmp(bytes, "BZh", BZIP2_LEVEL_AT) != 0 ||
		bytes[BZIP2_LEVEL_AT] < '1' || bytes[BZIP2_LEVEL_AT] > '9')
		return false;
	const size_t n_left = n_bytes - BZIP2_BLOCK_AT;
	const size_t n = n_left < BZIP2_MAGIC_BYTES ? n_left : BZIP2_MAGIC_BYTES;

	return memcmp(bytes + BZIP2_BLOCK_AT, block, n) == 0 || memcmp(bytes + BZIP2_BLOCK_AT, end, n) == 0;
}

static void bzip2_close(void *state)
{
	struct bzip2_state *bzip2 = state;

	if (bzip2->is_open)
		BZ2_bzDecompressEnd(&bzip2->z);
	bzip2->is_open = false;
}

static bool bzip2_begin(void *state)
{
	struct bzip2_state *bzip2 = state;

	bzip2_close(bzip2);
	memset(&bzip2->z, 0, sizeof(bzip2->z));
	bzip2->is_open = BZ2_bzDecompressInit(&bzip2->z, 0, 0) == BZ_OK;
	return bzip2->is_open;
}

static enum member_step bzip2_step(void *state, struct wrapping_io *io, const char **ret_reason)
{
	static const struct member_answer answers[] = {
		{ BZ_OK, MEMBER_GOES_ON, NULL },
		{ BZ_STREAM_END, MEMBER_ENDED, NULL },
		{ BZ_MEM_ERROR, MEMBER_NO_MEMORY, NULL },
		{ BZ_DATA_ERROR_MAGIC, MEMBER_BROKEN, "not bzip2" },
		{ BZ_DATA_ERROR, MEMBER_BROKEN, "checksum or data is wrong" },
	};
	struct bzip2_state *bzip2 = state;
	bz_stream *z = &bzip2->z;
	const unsigned n_in = member_step_bytes(io->n_in), n_out = member_step_bytes(io->n_out);

	z->next_in = (char *)(uintptr_t)io->in; /* the library only reads it */
	z->avail_in = n_in;
	z->next_out = (char *)io->out;
	z->avail_out = n_out;
	int result = BZ2_bzDecompress(z);

	wrapping_use(io, n_in - z->avail_in);
	wrapping_make(io, n_out - z->avail_out);
	return member_judge(answers, sizeof(answers) / sizeof(*answers), result, ret_reason);
}

static const struct member_codec bzip2_codec = { .name = "bzip2",
	.command = "bzip2 -dc",
	.magic = "BZh",
	.n_magic = 3,
	.begin = bzip2_begin,
	.step = bzip2_step };

static enum rst_status bzip2_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	return members_decode(&bzip2_codec, state, io, err);
}

const struct wrapping wrapping_bzip2 = {
	.name = "bzip2",
	.probe = bzip2_probe,
	.state_size = sizeof(struct bzip2_state),
	.decode = bzip2_decode,
	.close = bzip2_close,
};
