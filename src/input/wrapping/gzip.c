/* SPDX-License-Identifier: MIT */
/*
 * gzip (RFC 1952): members back to back, each with a checksum and a length at its end. Zeros between and after
 * members are padding, as tapes and block devices leave it.
 */
#define ZLIB_CONST
#include <zlib.h>

#include "input/wrapping/wrapping.h"

/* zlib counts in unsigned int. */
enum { GZIP_STEP_MAX = 1 << 30 };

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* the largest window; + 16: gzip headers only */

struct gzip_state {
	z_stream z;
	bool is_inside;	 /* a member has begun and not ended */
	bool is_further; /* a member has ended before */
	uint64_t member_offset;
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

static unsigned gzip_step(size_t n_bytes)
{
	return n_bytes < GZIP_STEP_MAX ? (unsigned)n_bytes : GZIP_STEP_MAX;
}

static int gzip_inflate(struct gzip_state *gzip, struct wrapping_io *io)
{
	z_stream *z = &gzip->z;
	const unsigned n_in = gzip_step(io->n_in), n_out = gzip_step(io->n_out);

	z->next_in = io->in;
	z->avail_in = n_in;
	z->next_out = io->out;
	z->avail_out = n_out;
	int result = inflate(z, Z_NO_FLUSH);

	wrapping_use(io, n_in - z->avail_in);
	wrapping_make(io, n_out - z->avail_out);
	if (result == Z_BUF_ERROR && io->n_in && io->n_out)
		return Z_DATA_ERROR; /* must not happen; a decoder that stands still would hang us */
	return result;
}

static enum rst_status gzip_fault(const struct gzip_state *gzip, struct wrapping_io *io)
{
	uint64_t start = gzip->member_offset;

	if (gzip->is_further && !gzip->z.total_out)
		wrapping_fault(io, start, wrapping_rest(io, start),
			"what follows the gzip data is no gzip data; it is left out");
	else
		wrapping_fault(io, io->offset, wrapping_rest(io, io->offset),
			"gzip data is corrupt here (%s); what came before is given",
			gzip->z.msg ? gzip->z.msg : "not gzip");
	return RST_END;
}

static void gzip_skip_padding(struct wrapping_io *io)
{
	while (io->n_in && !*io->in)
		wrapping_use(io, 1);
}

/* Finds the next member. RST_OK: it has begun, or more input is needed to see it. */
static enum rst_status gzip_begin(struct gzip_state *gzip, struct wrapping_io *io)
{
	if (gzip->is_further)
		gzip_skip_padding(io);
	if (!io->n_in)
		return io->is_last ? RST_END : RST_OK;
	inflateReset(&gzip->z);
	gzip->member_offset = io->offset;
	gzip->is_inside = true;
	return RST_OK;
}

static enum rst_status gzip_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct gzip_state *gzip = state;

	while (io->n_out) {
		if (!gzip->is_inside) {
			enum rst_status status = gzip_begin(gzip, io);

			if (!gzip->is_inside)
				return status;
		}
		int result = gzip_inflate(gzip, io);

		if (result == Z_MEM_ERROR)
			return error_nomem(err);
		if (result == Z_STREAM_END) {
			gzip->is_inside = false;
			gzip->is_further = true;
		} else if (result != Z_OK && result != Z_BUF_ERROR) {
			return gzip_fault(gzip, io);
		} else if (!io->n_in && io->n_out) {
			if (!io->is_last)
				return RST_OK;
			wrapping_fault(io, io->offset, 0, "gzip data is cut here; what came before is given");
			return RST_END;
		}
	}
	return RST_OK;
}

static void gzip_close(void *state)
{
	struct gzip_state *gzip = state;

	inflateEnd(&gzip->z);
}

const struct wrapping wrapping_gzip = {
	.name = "gzip",
	.probe = gzip_probe,
	.state_size = sizeof(struct gzip_state),
	.open = gzip_open,
	.decode = gzip_decode,
	.close = gzip_close,
};
