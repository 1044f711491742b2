/* SPDX-License-Identifier: MIT */
/*
 * xz (The .xz File Format 1.0.4): streams, each with a header of twelve bytes, blocks, an index and a footer.
 * The header of a block states the memory that it needs, up to 4 GiB; a block that needs more than
 * MEMBER_MEMORY_MAX is refused.
 */
#include <lzma.h>
#include <string.h>

#include "input/wrapping/member.h"

enum {
	XZ_FLAGS_AT = 6, /* after the magic: a byte that is 0, and the kind of check in four bits */
	XZ_FLAG_BYTES = 2,
};

static const char xz_magic[XZ_FLAGS_AT] = { '\xfd', '7', 'z', 'X', 'Z', 0 };

struct xz_state {
	struct members members;
	lzma_stream z;
};

static bool xz_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	(void)is_whole;
	if (n_bytes < sizeof(xz_magic) || memcmp(bytes, xz_magic, sizeof(xz_magic)) != 0)
		return false;
	return n_bytes < XZ_FLAGS_AT + XZ_FLAG_BYTES ||
	       (!bytes[XZ_FLAGS_AT] && bytes[XZ_FLAGS_AT + 1] <= LZMA_CHECK_ID_MAX);
}

/* An all-zero lzma_stream is LZMA_STREAM_INIT. */
static bool xz_begin(void *state)
{
	struct xz_state *xz = state;

	return lzma_stream_decoder(&xz->z, MEMBER_MEMORY_MAX, 0) == LZMA_OK;
}

static enum member_step xz_step(void *state, struct wrapping_io *io, const char **ret_reason)
{
	static const struct member_answer answers[] = {
		{ LZMA_OK, MEMBER_GOES_ON, NULL },
		{ LZMA_BUF_ERROR, MEMBER_GOES_ON, NULL },
		{ LZMA_STREAM_END, MEMBER_ENDED, NULL },
		{ LZMA_MEM_ERROR, MEMBER_NO_MEMORY, NULL },
		{ LZMA_MEMLIMIT_ERROR, MEMBER_TOO_LARGE, NULL },
		{ LZMA_FORMAT_ERROR, MEMBER_BROKEN, "not xz" },
		{ LZMA_OPTIONS_ERROR, MEMBER_BROKEN, "a filter that liblzma does not know" },
		{ LZMA_DATA_ERROR, MEMBER_BROKEN, "checksum or data is wrong" },
	};
	struct xz_state *xz = state;
	lzma_stream *z = &xz->z;
	const size_t n_in = io->n_in, n_out = io->n_out;

	z->next_in = io->in;
	z->avail_in = n_in;
	z->next_out = io->out;
	z->avail_out = n_out;
	lzma_ret result = lzma_code(z, LZMA_RUN);

	wrapping_use(io, n_in - z->avail_in);
	wrapping_make(io, n_out - z->avail_out);
	return member_judge(answers, sizeof(answers) / sizeof(*answers), (int)result, ret_reason);
}

static void xz_close(void *state)
{
	struct xz_state *xz = state;

	lzma_end(&xz->z);
}

static const struct member_codec xz_codec = { .name = "xz",
	.command = "xz -dc",
	.magic = xz_magic,
	.n_magic = sizeof(xz_magic),
	.begin = xz_begin,
	.step = xz_step };

static enum rst_status xz_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	return members_decode(&xz_codec, state, io, err);
}

const struct wrapping wrapping_xz = {
	.name = "xz",
	.probe = xz_probe,
	.state_size = sizeof(struct xz_state),
	.decode = xz_decode,
	.close = xz_close,
};
