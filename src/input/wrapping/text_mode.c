/* SPDX-License-Identifier: MIT */
/*
 * A transfer in text mode, as a wrapping (input/text_mode.h). It is not in the table, since the bytes of a
 * file alone do not show such a transfer. The reader of the recording decides it (source_undo_text_mode()).
 */
#include "input/text_mode.h"
#include "input/wrapping/wrapping.h"

static enum rst_status decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct text_mode *mode = state;
	const uint8_t *in = io->in;
	uint8_t *out = io->out;
	size_t n_in = io->n_in, n_out = io->n_out;

	(void)err;
	text_mode_undo(mode, &in, &n_in, &out, &n_out);
	wrapping_use(io, io->n_in - n_in);
	wrapping_make(io, io->n_out - n_out);
	if (io->n_in || !io->is_last)
		return RST_OK;
	if (text_mode_end(mode)) {
		if (!io->n_out)
			return RST_OK;
		*io->out = '\r';
		wrapping_make(io, 1);
	}
	return RST_END;
}

const struct wrapping wrapping_text_mode = {
	.name = "CR LF for LF",
	.state_size = sizeof(struct text_mode),
	.decode = decode,
};
