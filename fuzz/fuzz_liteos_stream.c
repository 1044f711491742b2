/* SPDX-License-Identifier: MIT */
/*
 * The scanner of LiteOS streams over arbitrary bytes: as a whole and in pieces. The first byte chooses the order, how long
 * pieces are, and whether the checks of messages are made good, without which hardly any would get further.
 */
#include <stdlib.h>

#include "dialect/liteos/crc.h"
#include "dialect/liteos/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever looks like the head of a message gets the check of its body. */
static void mend(uint8_t *bytes, size_t n_bytes, bool is_big)
{
	for (size_t at = 0; at + LITEOS_MESSAGE_HEAD <= n_bytes; at++) {
		size_t n_body = load_u16(bytes + at + 2, is_big);

		if (bytes[at] != LITEOS_MAGIC || n_body > n_bytes - at - LITEOS_MESSAGE_HEAD)
			continue;
		liteos_store(bytes + at + 4, 2, is_big, liteos_crc(bytes + at + LITEOS_MESSAGE_HEAD, n_body));
		at += LITEOS_MESSAGE_HEAD + n_body - 1;
	}
}

/* Reads a piece to its end, as trace.c does. false: nothing more can be read. */
static bool read_piece(void *state, struct model *model, struct batch *batch, struct piece *piece)
{
	struct rst_error err;
	enum rst_status status;

	do {
		batch_clear(batch);
		status = dialect_liteos.read(state, model, piece, batch, &err);
		for (size_t i = 0; i < batch->n_events; i++)
			if (!batch->type[i] || !batch->context[i])
				abort();
	} while (status == RST_OK);
	return status == RST_MORE;
}

static void read_all(const uint8_t *bytes, size_t n_bytes, size_t n_piece, const struct rst_open *how)
{
	static struct batch batch;
	struct piece piece = { .source = "fuzz", .is_whole = n_piece == 0 };
	struct liteos *state = calloc(1, dialect_liteos.state_bytes);
	struct model model;
	struct rst_error err;
	bool is_good = state && model_init(&model) && batch_init(&batch, dialect_liteos.scratch_bytes) &&
		       dialect_liteos.open(state, &model, how, &err) == RST_OK;

	for (size_t at = 0; is_good && at < n_bytes; at += piece.n_bytes) {
		piece.n_bytes = n_piece && n_piece < n_bytes - at ? n_piece : n_bytes - at;
		piece.bytes = bytes + at;
		piece.offset = at;
		piece.n_used = 0;
		is_good = read_piece(state, &model, &batch, &piece);
	}
	if (is_good) {
		piece = (struct piece){ .source = "fuzz", .is_end = true };
		read_piece(state, &model, &batch, &piece);
	}
	dialect_liteos.close(state);
	free(state);
	batch_done(&batch);
	model_done(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { IN_FILE_ORDER = 1, BIG = 2, MENDED = 4, PIECES = 8 };
	const struct rst_open how = { .in_file_order = size && *data & IN_FILE_ORDER };
	uint8_t *copy;

	if (size < 2)
		return 0;
	/* Just as long as the input, so that a look behind it shows. */
	copy = malloc(size - 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	if (*data & MENDED)
		mend(copy, size - 1, *data & BIG);
	read_all(copy, size - 1, *data & PIECES ? 1 + (size_t)(*data >> 4) * 37 : 0, &how);
	free(copy);
	return 0;
}
