/* SPDX-License-Identifier: MIT */
#include "dialect/store/store.h"

#include <string.h>

#include "log/crc32c.h"

static const struct dialect_option options[] = { { NULL, NULL, NULL } };

static unsigned store_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	(void)is_whole;
	return n_bytes >= STORE_HEAD_BYTES && memcmp(bytes, STORE_MAGIC, STORE_MAGIC_BYTES) == 0 ? 100 : 0;
}

static void store_recorded_as(const uint8_t *bytes, size_t n_bytes, char ret_name[DIALECT_NAME_ROOM])
{
	_Static_assert((int)STORE_NAME_BYTES < (int)DIALECT_NAME_ROOM, "the name is a text");
	memset(ret_name, 0, DIALECT_NAME_ROOM);
	if (n_bytes >= STORE_HEAD_BYTES)
		memcpy(ret_name, bytes + STORE_NAME_AT, STORE_NAME_BYTES);
}

static enum rst_status store_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct store *store = state;

	(void)how;
	(void)err;
	store->definitions.model = model;
	return RST_OK;
}

static void store_close(void *state)
{
	struct store *store = state;

	definitions_done(&store->definitions);
	segment_done(&store->segment);
	carried_reader_done(&store->carried);
	store_passing_done(&store->passing);
}

static double store_share(const void *state, const struct chunk *chunk)
{
	const struct store *store = state;

	(void)store;
	return chunk->n_bytes ? (double)chunk->n_used / (double)chunk->n_bytes : 1;
}

/* --- damage --------------------------------------------------------------------------------------------- */

enum rst_status store_put_damage(struct model *model, struct batch *batch, const struct chunk *chunk,
	size_t at, size_t n_bytes, const char *what, struct rst_error *err)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = chunk->offset + at,
		.n_bytes = n_bytes,
		.what = what,
		.source = chunk->source };

	return model_put_gap(model, batch, &gap) ? RST_OK : error_nomem(err);
}

/* Replaces damaged definitions with END's copy of all definitions of the store. */
static enum rst_status take_all(struct store *store, const struct chunk *chunk, struct rst_error *err)
{
	struct store_block block;
	struct store_end end;

	if (store->has_all || !store_end_find(chunk->bytes, chunk->n_bytes, &block) ||
		!store_end_read(&block, &end))
		return RST_OK;
	store->has_all = true;
	store->due.has_next = false;
	return definitions_take(&store->definitions, end.definitions, end.n_definitions, err);
}

/* --- definitions ---------------------------------------------------------------------------------------- */

/*
 * Reads the next definitions of the block. Returns false if they are damaged; the end of the block is not
 * damage.
 */
static bool due_next(struct store_due *due)
{
	uint64_t n_bytes;

	due->has_next = cursor_left(&due->from) != 0;
	if (!due->has_next)
		return true;
	if (!cursor_take_number(&due->from, &due->row) || !cursor_take_number(&due->from, &n_bytes) ||
		n_bytes > cursor_left(&due->from)) {
		due->has_next = false;
		return false;
	}
	due->items = cursor_take(&due->from, (size_t)n_bytes);
	due->n_items_bytes = (size_t)n_bytes;
	return true;
}

enum rst_status store_take_due(struct store *store, const struct chunk *chunk, struct rst_error *err)
{
	struct store_due *due = &store->due;

	while (due->has_next && due->row <= store->row) {
		enum rst_status status = store->has_all ? RST_OK
							: definitions_take(&store->definitions, due->items,
								  due->n_items_bytes, err);

		/*
		 * Definitions that cannot be read are not tried again: without END, the rest of the block is
		 * lost.
		 */
		if (status == RST_E_DAMAGED || !due_next(due)) {
			due->has_next = false;
			status = take_all(store, chunk, err);
		}
		if (status < 0)
			return status;
	}
	return RST_OK;
}

/* --- blocks --------------------------------------------------------------------------------------------- */

static enum rst_status begin_segment(
	struct store *store, const struct store_block *block, struct rst_error *err)
{
	store->n_given = store->n_payload = store->n_gaps = 0;
	store->n_left = 0;
	store->row = block->row;
	return segment_read(
		&store->segment, store->definitions.model, block->at, (size_t)block->n_bytes, err);
}

static enum rst_status begin_definitions(
	struct store *store, const struct store_block *block, struct rst_error *err)
{
	store->due = (struct store_due){ .from = cursor_over(block->at, (size_t)block->n_bytes) };
	return due_next(&store->due) ? RST_OK : error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "cut");
}

static enum rst_status take_end(struct store *store, const struct store_block *block, struct rst_error *err)
{
	struct model *model = store->definitions.model;
	struct store_end end;

	if (!store_end_read(block, &end))
		return error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "cut");
	store->row = end.n_rows;
	if (store->failure.status >= 0) /* of an earlier part */
		store->failure = end.failure;
	store->is_ended = true;
	model->n_gaps_all += end.n_gaps;
	model->n_damages += end.n_damages;
	return RST_OK;
}

/* Returns RST_E_DAMAGED if the block's contents are not valid. */
static enum rst_status begin_block(
	struct store *store, const struct store_block *block, struct rst_error *err)
{
	switch (block->kind) {
	case STORE_DEFINITIONS:
		return begin_definitions(store, block, err);
	case STORE_SEGMENT:
		return begin_segment(store, block, err);
	case STORE_CARRIED:
		return store->definitions.model->is_part
			       ? carried_read(&store->carried, store->definitions.model, block->at,
					 (size_t)block->n_bytes, err)
			       : RST_OK;
	case STORE_END:
		return take_end(store, block, err);
	default: /* of a later version: only rows that need it are damaged */
		return RST_OK;
	}
}

/* Reports a block that cannot be used, and passes over it. */
static enum rst_status pass_damage(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, bool has_head, const struct store_block *block, struct rst_error *err)
{
	const uint8_t *at = chunk->bytes + store->at;
	const size_t n_left = chunk->n_bytes - store->at;
	const uint64_t n_whole = has_head ? block_whole(block->n_bytes) : 0;
	size_t n_bytes = has_head && n_whole <= n_left ? (size_t)n_whole : 1 + block_find(at + 1, n_left - 1);

	if (has_head && n_whole > n_left)
		n_bytes = n_left;
	store->is_cut_told |= n_bytes == n_left;
	error_try(store_put_damage(model, batch, chunk, store->at, n_bytes,
		!has_head	   ? "these bytes are no block of a store"
		: n_whole > n_left ? "the store ends within a block"
				   : "the checksum of this block is wrong",
		err));
	store->at += n_bytes;
	return has_head && block->kind == STORE_SEGMENT ? RST_OK : take_all(store, chunk, err);
}

/*
 * Passes over segments that are not wanted. Returns RST_END if another block, or a wanted segment, follows.
 */
static enum rst_status pass_segments(
	struct store *store, struct model *model, struct chunk *chunk, struct rst_error *err)
{
	const struct directory_segment *zone;
	uint64_t n_bytes;

	while (store->passing.plan.directory &&
		store_passing_skips(&store->passing, store->at, &zone, &n_bytes)) {
		if (n_bytes > chunk->n_bytes - store->at)
			break;
		if (!store_pass_zone(&store->passing, model, zone))
			return error_nomem(err);
		store->at += (size_t)n_bytes;
		store->row = zone->row + zone->n_rows;
		error_try(store_take_due(store, chunk, err));
	}
	return RST_END;
}

/* Only the tail follows END. Returns RST_END if there are no more blocks. */
static enum rst_status next_block(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	enum rst_status passed = pass_segments(store, model, chunk, err);
	const size_t n_left = chunk->n_bytes - store->at;
	const uint8_t *at = chunk->bytes + store->at;
	struct store_block block = { 0 };
	const bool has_head = n_left && block_look(at, n_left, &block);

	if (passed != RST_END)
		return passed;
	if (store->is_ended || n_left == 0)
		return RST_END;
	if (has_head && block_is_whole(&block, n_left)) {
		enum rst_status status = begin_block(store, &block, err);

		if (status != RST_E_DAMAGED) {
			uint64_t n_whole = block_whole(block.n_bytes);

			store->at += n_whole < n_left ? (size_t)n_whole : n_left;
			return status;
		}
	}
	return pass_damage(store, model, chunk, batch, has_head, &block, err);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static enum rst_status check_head(struct store *store, struct model *model, const struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	const uint32_t version =
		chunk->n_bytes >= STORE_HEAD_BYTES ? load_u32(chunk->bytes + STORE_MAGIC_BYTES, false) : 0;

	if (chunk->n_bytes < STORE_HEAD_BYTES || memcmp(chunk->bytes, STORE_MAGIC, STORE_MAGIC_BYTES) != 0)
		return error_set(
			err, RST_E_DAMAGED, chunk->offset, "this is no store: it does not begin as one");
	if (version < STORE_VERSION_FIRST || version > STORE_VERSION) {
		error_set(err, RST_E_UNSUPPORTED, chunk->offset + STORE_MAGIC_BYTES,
			"this store is of version %u, and this program reads versions %u to %u", version,
			(unsigned)STORE_VERSION_FIRST, (unsigned)STORE_VERSION);
		error_advise(err, "a newer Rastrum reads it");
		return RST_E_UNSUPPORTED;
	}
	store->segment.is_unpacked = version < STORE_VERSION_PACKED;
	store->has_begun = true;
	store->at = STORE_HEAD_BYTES;
	if (load_u32(chunk->bytes + STORE_FLAGS_AT, false) & STORE_IS_INDEX && !store->segment.source.bytes) {
		error_set(err, RST_E_UNSUPPORTED, chunk->offset + STORE_FLAGS_AT,
			"this is an index of a trace, and not the trace");
		error_advise(err, "report the file that it was made of");
		return RST_E_UNSUPPORTED;
	}
	if (load_u32(chunk->bytes + STORE_HEAD_CRC_AT, false) ==
		crc32c_choose()(0, chunk->bytes, STORE_HEAD_CRC_AT))
		return RST_OK;
	return store_put_damage(
		model, batch, chunk, 0, STORE_HEAD_BYTES, "the checksum of the store's head is wrong", err);
}

/* At the end of the input: takes the last definitions, and reports if the store was not finished. */
static enum rst_status finish_input(struct store *store, struct model *model, const struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	if (!store->is_ended && !store->is_cut_told) {
		store->is_cut_told = true;
		error_try(store_put_damage(model, batch, chunk, chunk->n_bytes, 0,
			"the store was not finished: it was cut, or what wrote it was ended", err));
	}
	return RST_OK;
}

/* Returns RST_END if there are no more blocks. Returns RST_OK if the batch is full, or ends. */
static enum rst_status read_blocks(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	enum rst_status status;

	for (;;) {
		if (store->definitions.has_facts && batch->n_events == 0)
			batch_set_columns(batch, store->definitions.manner.columns);
		status = store_put_rows(store, model, chunk, batch, err);
		if (status != RST_END || batch_is_full(batch))
			return status == RST_END ? RST_OK : status;
		/*
		 * Definitions behind the last row of a segment wait until the rows are given out, and so do
		 * segments that are passed over.
		 */
		if ((store->due.has_next || store->passing.plan.directory) && batch->n_events)
			return RST_OK;
		error_try(store_take_due(store, chunk, err));
		status = next_block(store, model, chunk, batch, err);
		if (status < 0)
			return status;
		if (status == RST_END)
			break;
	}
	if (store->due.has_next && batch->n_events)
		return RST_OK;
	error_try(store_take_due(store, chunk, err));
	return RST_END;
}

/* --- parts of a recording ------------------------------------------------------------------------------- */

/*
 * Takes a store that says which part it is. A store of which rows are passed over would lack their intervals.
 * Sets *ret_is_part to false if it is a trace of its own. Returns false if memory ran out.
 */
static bool begin_part(struct store *store, struct model *model, const struct chunk *chunk, bool *ret_is_part,
	uint64_t *ret_n_missing)
{
	struct rst_carried part;

	*ret_is_part = !store->passing.plan.directory && part_find(chunk->bytes, chunk->n_bytes, &part);
	return !*ret_is_part || carried_begin(&store->carried, model, &part, ret_is_part, ret_n_missing);
}

/* Forgets the store in front: what it defined stays, since all parts of a recording number things alike. */
static void forget_blocks(struct store *store)
{
	store->is_ended = store->is_cut_told = store->has_all = false;
	store->due = (struct store_due){ .has_next = false };
	store->segment.n_rows = store->n_given = 0;
	store->n_left = store->row = 0;
}

/*
 * Another store behind this one: the next part of the same recording. Events that both have are given once;
 * if events are missing between them, that is a loss.
 */
static enum rst_status begin_next(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	struct rst_gap gap = { .marker = RST_LOSS,
		.what = "the part of the recording between two stores is not there",
		.source = chunk->source };
	bool is_part = false;

	if (model->is_part && !begin_part(store, model, chunk, &is_part, &gap.n_events))
		return error_nomem(err);
	if (!is_part) {
		chunk->n_used = chunk->n_bytes;
		return store_put_damage(model, batch, chunk, 0, chunk->n_bytes,
			"a store is a whole trace, and nothing goes on behind it but the next part of the "
			"same recording",
			err);
	}
	store->carried.seqs[batch->n_events] = store->carried.had_events;
	if (gap.n_events && !model_put_gap(model, batch, &gap))
		return error_nomem(err);
	forget_blocks(store);
	return RST_OK;
}

/* The intervals that come out with the rows of the batch; behind the last row, all that are left. */
static enum rst_status take_carried(
	struct store *store, struct model *model, enum rst_status status, struct rst_error *err)
{
	if (!model->is_part || status < 0)
		return status;
	if (!carried_take(&store->carried, model, store->row) ||
		(status == RST_END && !carried_end(&store->carried, model)))
		return error_nomem(err);
	return status;
}

/* The chunk is used up when all rows are given out: its last block may have more than one batch. */
static enum rst_status read_input(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	enum rst_status status;

	if (chunk->n_used == 0) {
		uint64_t n_missing;
		bool is_part;

		if (store->has_begun)
			error_try(begin_next(store, model, chunk, batch, err));
		if (chunk->n_used)
			return RST_OK;
		error_try(check_head(store, model, chunk, batch, err));
		if (!model->is_part && !begin_part(store, model, chunk, &is_part, &n_missing))
			return error_nomem(err);
	}
	status = take_carried(store, model, read_blocks(store, model, chunk, batch, err), err);
	if (status < 0)
		return status;
	if (status == RST_END) {
		chunk->n_used = chunk->n_bytes;
		return finish_input(store, model, chunk, batch, err);
	}
	chunk->n_used = store->at < chunk->n_bytes ? store->at : chunk->n_bytes - 1;
	return RST_OK;
}

static enum rst_status store_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct store *store = state;

	if (chunk->n_used < chunk->n_bytes && !batch_is_full(batch)) {
		error_try(read_input(store, model, chunk, batch, err));
		if (chunk->n_used < chunk->n_bytes || batch_is_full(batch))
			return RST_OK;
	}
	if (chunk->behind != CHUNK_ENDS)
		return RST_MORE;
	if (!carried_finish(&store->carried, model))
		return error_nomem(err);
	if (store->failure.status < 0) {
		*err = store->failure;
		return store->failure.status;
	}
	return RST_END;
}

static const struct dialect_rare store_rare = {
	.recorded_as = store_recorded_as,
	.take_passed = store_take_passed,
};

const struct dialect dialect_store = {
	.name = "store",
	.summary = "Rastrum's own container, as cut and merge write it: traces of any dialect",
	.options = options,
	.chunks = CHUNKS_WHOLE,
	.columns = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH | BATCH_PRIORITY | BATCH_THRESHOLD,
	.state_bytes = sizeof(struct store),
	.probe = store_probe,
	.open = store_open,
	.read = store_read,
	.share = store_share,
	.close = store_close,
	.rare = &store_rare,
};
