/* SPDX-License-Identifier: MIT */
/*
 * The reader of POSIX trace logs over arbitrary bytes: as a whole and in pieces. The first byte chooses how long pieces
 * are, and whether checksums are made good, without which hardly any block would get further.
 */
#include <stdlib.h>

#include "dialect/posix/posix.h"
#include "log/block.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A header, and whatever looks like the head of a block, gets the sum of its bytes. */
static void mend(uint8_t *bytes, size_t n_bytes)
{
	crc32c_function *crc = crc32c_choose();
	struct log_block head;
	uint32_t sum;

	if (n_bytes >= HEADER_BYTES) {
		sum = crc(0, bytes, HEADER_CHECKED_BYTES);
		memcpy(bytes + HEADER_CHECKED_BYTES, &sum, sizeof(sum));
	}
	for (size_t at = HEADER_BYTES; at + sizeof(head) <= n_bytes; at += 8) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.magic != LOG_BLOCK_MAGIC || head.length > n_bytes - at - sizeof(head))
			continue;
		head.crc = log_block_crc(crc, &head, bytes + at + sizeof(head));
		memcpy(bytes + at, &head, sizeof(head));
		at += log_padded(head.length) + sizeof(head) - 8;
	}
}

/* What rows point to must be there: each byte is looked at. */
static uint64_t touch(const struct batch *batch, size_t row)
{
	uint64_t sum = 0;

	if (!batch->type[row] || !batch->context[row])
		abort();
	for (uint32_t i = 0; i < batch->payload_bytes[row]; i++)
		sum += batch->payload[row][i];
	return sum;
}

/* Reads a piece to its end, as trace.c does. false: nothing more can be read. */
static bool read_piece(void *state, struct model *model, struct batch *batch, struct piece *piece)
{
	static volatile uint64_t sum;
	struct rst_error err;
	enum rst_status status;

	do {
		batch_clear(batch);
		status = dialect_posix.read(state, model, piece, batch, &err);
		for (size_t i = 0; i < batch->n_events; i++)
			sum += touch(batch, i);
	} while (status == RST_OK);
	return status == RST_MORE;
}

/* Each piece has memory of its own, which is gone before the next one comes. */
static bool read_copy(struct posix *state, struct model *model, struct batch *batch, const uint8_t *bytes,
	struct piece *piece)
{
	uint8_t *copy = malloc(piece->n_bytes);
	bool is_good = copy != NULL;

	if (is_good) {
		memcpy(copy, bytes + piece->offset, piece->n_bytes);
		piece->bytes = copy;
		piece->n_used = 0;
		is_good = read_piece(state, model, batch, piece);
	}
	if (!piece->is_whole)
		free(copy);
	return is_good;
}

static void read_all(const uint8_t *bytes, size_t n_bytes, size_t n_piece)
{
	static struct batch batch;
	const struct rst_open how = { 0 };
	struct piece piece = { .source = "fuzz", .is_whole = n_piece == 0 };
	struct posix *state = calloc(1, dialect_posix.state_bytes);
	struct model model;
	struct rst_error err;
	bool is_good = state && model_init(&model) && batch_init(&batch, dialect_posix.scratch_bytes) &&
		       dialect_posix.open(state, &model, &how, &err) == RST_OK;

	for (size_t at = 0; is_good && at < n_bytes; at += piece.n_bytes) {
		piece.n_bytes = n_piece && n_piece < n_bytes - at ? n_piece : n_bytes - at;
		piece.offset = at;
		is_good = read_copy(state, &model, &batch, bytes, &piece);
	}
	const uint8_t *whole = piece.is_whole ? piece.bytes : NULL;

	if (is_good) {
		piece = (struct piece){ .source = "fuzz", .is_end = true };
		read_piece(state, &model, &batch, &piece);
	}
	dialect_posix.close(state);
	free(state);
	free((void *)(uintptr_t)whole);
	batch_done(&batch);
	model_done(&model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MENDED = 1, PIECES = 2 };
	uint8_t *copy;

	if (size < 2)
		return 0;
	copy = malloc(size - 1);
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	if (*data & MENDED)
		mend(copy, size - 1);
	read_all(copy, size - 1, *data & PIECES ? 1 + (size_t)(*data >> 2) * 37 : 0);
	free(copy);
	return 0;
}
