/* SPDX-License-Identifier: MIT */
/* gzip (RFC 1952): members, each with a checksum and a length at its end. */
#define ZLIB_CONST
#include <zlib.h>

#include "input/wrapping/member.h"

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* the largest window; + 16: gzip headers only */

struct gzip_state {
	struct members members;
	z_stream z;
};

static bool gzip_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	(void)is_whole;
	if (n_bytes < 3 || bytes[0] != 0x1f || bytes[1] != 0x8b || bytes[2] != Z_DEFLATED)
		return false;
	return n_bytes == 3 || !(bytes[3] & 0xe0); /* reserved flags, RFC 1952 2.3.1.2 */
}

static enum rst_status gzip_open(void *state, struct rst_error *err)
{
	struct gzip_state *gzip = state;

	return inflateInit2(&gzip->z, GZIP_WINDOW_BITS) == Z_OK ? RST_OK : error_nomem(err);
}

static bool gzip_begin(void *state)
{
	struct gzip_state *gzip = state;

	inflateReset(&gzip->z);
	return true;
}

static enum member_step gzip_step(void *state, struct wrapping_io *io, const char **ret_reason)
{
	static const struct member_answer answers[] = {
		{ Z_OK, MEMBER_GOES_ON, NULL },
		{ Z_BUF_ERROR, MEMBER_GOES_ON, NULL },
		{ Z_STREAM_END, MEMBER_ENDED, NULL },
		{ Z_MEM_ERROR, MEMBER_NO_MEMORY, NULL },
	};
	struct gzip_state *gzip = state;
	z_stream *z = &gzip->z;
	const unsigned n_in = member_step_bytes(io->n_in), n_out = member_step_bytes(io->n_out);

	z->next_in = io->in;
	z->avail_in = n_in;
	z->next_out = io->out;
	z->avail_out = n_out;
	int result = inflate(z, Z_NO_FLUSH);

	wrapping_use(io, n_in - z->avail_in);
	wrapping_make(io, n_out - z->avail_out);
	if (z->msg)
		*ret_reason = z->msg;
	return member_judge(answers, sizeof(answers) / sizeof(*answers), result, ret_reason);
}

static void gzip_close(void *state)
{
	struct gzip_state *gzip = state;

	inflateEnd(&gzip->z);
}

static const struct member_codec gzip_codec = { .name = "gzip",
	.command = "gzip -dc",
	.magic = "\x1f\x8b",
	.n_magic = 2,
	.begin = gzip_begin,
	.step = gzip_step };

static enum rst_status gzip_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	return members_decode(&gzip_codec, state, io, err);
}

const struct wrapping wrapping_gzip = {
	.name = "gzip",
	.probe = gzip_probe,
	.state_size = sizeof(struct gzip_state),
	.open = gzip_open,
	.decode = gzip_decode,
	.close = gzip_close,
};
