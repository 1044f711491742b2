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

static const char *store_recorded_as(const uint8_t *bytes, size_t n_bytes)
{
	char name[STORE_NAME_BYTES + 1] = "";
	const struct dialect *dialect;

	if (n_bytes < STORE_HEAD_BYTES)
		return NULL;
	memcpy(name, bytes + STORE_NAME_AT, STORE_NAME_BYTES);
	dialect = dialect_find(name);
	return dialect ? dialect->name : NULL;
}

static enum rst_status store_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct store *store = state;

	(void)how;
	store->definitions.model = model;
	return segment_init(&store->segment) ? RST_OK : error_nomem(err);
}

static void store_close(void *state)
{
	struct store *store = state;

	definitions_done(&store->definitions);
	segment_done(&store->segment);
}

static double store_share(const void *state, const struct chunk *chunk)
{
	const struct store *store = state;

	(void)store;
	return chunk->n_bytes ? (double)chunk->n_used / (double)chunk->n_bytes : 1;
}

/* --- damage ----------------------------------------------------------------------------------------------------- */

static enum rst_status put_damage(struct model *model, struct batch *batch, const struct chunk *chunk,
	size_t at, size_t n_bytes, const char *what, struct rst_error *err)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = chunk->offset + at,
		.n_bytes = n_bytes,
		.what = what,
		.source = chunk->source };

	return model_put_gap(model, batch, &gap) ? RST_OK : error_nomem(err);
}

/* In place of definitions that are damaged: all of the store, which END has once more. */
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

/* --- definitions ------------------------------------------------------------------------------------------------ */

/* The next ones of the block: its end is no damage, everything else is. */
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

/* Gives the model what is to be known before the next row. */
static enum rst_status take_due(struct store *store, const struct chunk *chunk, struct rst_error *err)
{
	struct store_due *due = &store->due;

	while (due->has_next && due->row <= store->row) {
		enum rst_status status = store->has_all ? RST_OK
							: definitions_take(&store->definitions, due->items,
								  due->n_items_bytes, err);

		if (status == RST_E_DAMAGED || !due_next(due))
			status = take_all(store, chunk, err);
		if (status < 0)
			return status;
	}
	return RST_OK;
}

/* --- rows ------------------------------------------------------------------------------------------------------- */

/* What the row's numbers refer to is there, and its payload has the hook word that its layout says. */
static bool row_is_sound(const struct store *store, size_t n)
{
	const struct definitions *definitions = &store->definitions;
	uint64_t *const *columns = store->segment.columns;
	const uint64_t layout = columns[SEGMENT_LAYOUT][n], interrupted = columns[SEGMENT_INTERRUPTED][n];

	return layout < definitions->model->n_layouts &&
	       columns[SEGMENT_CONTEXT][n] < definitions->n_contexts &&
	       interrupted <= definitions->n_contexts &&
	       columns[SEGMENT_PAYLOAD][n] >=
		       (layout < 2 ? 0 : definitions->model->layouts[layout]->hook_bytes);
}

static void set_columns(const struct store *store, struct batch *batch, size_t row, size_t n)
{
	uint64_t *const *columns = store->segment.columns;
	const uint64_t interrupted = columns[SEGMENT_INTERRUPTED][n];

	batch->core[row] = (uint16_t)columns[SEGMENT_CORE][n];
	batch->interrupted[row] = interrupted ? &store->definitions.contexts[interrupted - 1]->public : NULL;
	batch->depth[row] = (uint8_t)columns[SEGMENT_DEPTH][n];
	batch->priority[row] = (int16_t)sign_unfold(columns[SEGMENT_PRIORITY][n]);
	batch->threshold[row] = (int16_t)sign_unfold(columns[SEGMENT_THRESHOLD][n]);
}

/* A marker stands where the source had it. */
static bool put_marker(struct store *store, struct model *model, struct batch *batch, size_t n)
{
	const size_t row = batch->n_events;

	if (!model_put_gap(model, batch, &store->segment.read_gaps[store->n_gaps++]))
		return false;
	batch->ticks[row] = store->segment.columns[SEGMENT_TICKS][n];
	batch->seq[row] = store->segment.columns[SEGMENT_SEQ][n];
	return true;
}

static void put_event(struct store *store, const struct model *model, struct batch *batch, size_t n)
{
	uint64_t *const *columns = store->segment.columns;
	const size_t n_payload = (size_t)columns[SEGMENT_PAYLOAD][n];
	const size_t row = batch_row(batch, 0,
		&(struct batch_row){
			.ticks = columns[SEGMENT_TICKS][n],
			.stamp = columns[SEGMENT_STAMP][n],
			.seq = columns[SEGMENT_SEQ][n],
			.layout = model->layouts[columns[SEGMENT_LAYOUT][n]],
			.context = &store->definitions.contexts[columns[SEGMENT_CONTEXT][n]]->public,
			.payload = store->segment.payload + store->n_payload,
			.n_payload = n_payload,
		});

	set_columns(store, batch, row, n);
	store->n_payload += n_payload;
}

/* RST_OK: the batch is full, or a batch of the source ends, behind which definitions may be due. RST_END: of the segment. */
static enum rst_status put_rows(struct store *store, struct model *model, const struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	while (store->n_given < store->segment.n_rows) {
		const size_t n = store->n_given;

		if (batch_is_full(batch) || (batch->n_events && store->n_left == 0))
			return RST_OK;
		/* What cannot be read is one batch: it has no checksum of its own that could be right. */
		if (store->n_left == 0 &&
			(!cursor_take_number(&store->segment.read_batches, &store->n_left) ||
				store->n_left == 0))
			store->n_left = store->segment.n_rows;
		error_try(take_due(store, chunk, err));
		if (!row_is_sound(store, n)) {
			error_try(put_damage(model, batch, chunk, chunk->n_used, 0,
				"rows refer to names and types that are not there", err));
			store->row += store->segment.n_rows - n;
			store->n_given = store->segment.n_rows;
			return RST_END;
		}
		store->n_given++;
		store->n_left--;
		store->row++;
		if (store->segment.columns[SEGMENT_LAYOUT][n] >= 2)
			put_event(store, model, batch, n);
		else if (!put_marker(store, model, batch, n))
			return error_nomem(err);
	}
	return RST_END;
}

/* --- blocks ----------------------------------------------------------------------------------------------------- */

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
	store->failure = end.failure;
	store->is_ended = true;
	model->n_gaps_all += end.n_gaps;
	model->n_damages += end.n_damages;
	return RST_OK;
}

/* RST_E_DAMAGED: the block says nothing that can be understood. */
static enum rst_status begin_block(
	struct store *store, const struct store_block *block, struct rst_error *err)
{
	switch (block->kind) {
	case STORE_DEFINITIONS:
		return begin_definitions(store, block, err);
	case STORE_SEGMENT:
		return begin_segment(store, block, err);
	case STORE_END:
		return take_end(store, block, err);
	default: /* of a later version: what needs it is damaged, nothing else */
		return RST_OK;
	}
}

/* A block that cannot be used, and how far it goes. */
static enum rst_status pass_damage(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, bool has_head, const struct store_block *block, struct rst_error *err)
{
	const uint8_t *at = chunk->bytes + chunk->n_used;
	const size_t n_left = chunk->n_bytes - chunk->n_used;
	const uint64_t n_whole = has_head ? block_whole(block->n_bytes) : 0;
	size_t n_bytes = has_head && n_whole <= n_left ? (size_t)n_whole : 1 + block_find(at + 1, n_left - 1);

	if (has_head && n_whole > n_left)
		n_bytes = n_left;
	store->is_cut_told |= n_bytes == n_left;
	error_try(put_damage(model, batch, chunk, chunk->n_used, n_bytes,
		!has_head	   ? "these bytes are no block of a store"
		: n_whole > n_left ? "the store ends within a block"
				   : "the checksum of this block is wrong",
		err));
	chunk->n_used += n_bytes;
	return has_head && block->kind == STORE_SEGMENT ? RST_OK : take_all(store, chunk, err);
}

/* Behind END there is the tail only. RST_END: there are no more blocks. */
static enum rst_status next_block(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	const size_t n_left = chunk->n_bytes - chunk->n_used;
	const uint8_t *at = chunk->bytes + chunk->n_used;
	struct store_block block = { 0 };
	const bool has_head = n_left && block_look(at, n_left, &block);

	if (store->is_ended || n_left == 0)
		return RST_END;
	if (has_head && block_is_whole(&block, n_left)) {
		enum rst_status status = begin_block(store, &block, err);

		if (status != RST_E_DAMAGED) {
			uint64_t n_whole = block_whole(block.n_bytes);

			chunk->n_used += n_whole < n_left ? (size_t)n_whole : n_left;
			return status;
		}
	}
	return pass_damage(store, model, chunk, batch, has_head, &block, err);
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

static enum rst_status check_head(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	const uint32_t version =
		chunk->n_bytes >= STORE_HEAD_BYTES ? load_u32(chunk->bytes + STORE_MAGIC_BYTES, false) : 0;

	if (chunk->n_bytes < STORE_HEAD_BYTES || memcmp(chunk->bytes, STORE_MAGIC, STORE_MAGIC_BYTES) != 0)
		return error_set(
			err, RST_E_DAMAGED, chunk->offset, "this is no store: it does not begin as one");
	if (version != STORE_VERSION) {
		error_set(err, RST_E_UNSUPPORTED, chunk->offset + STORE_MAGIC_BYTES,
			"this store is of version %u, and this program reads version %u", version,
			(unsigned)STORE_VERSION);
		error_advise(err, "a newer Rastrum reads it");
		return RST_E_UNSUPPORTED;
	}
	store->has_begun = true;
	chunk->n_used = STORE_HEAD_BYTES;
	if (load_u32(chunk->bytes + STORE_HEAD_CRC_AT, false) ==
		crc32c_choose()(0, chunk->bytes, STORE_HEAD_CRC_AT))
		return RST_OK;
	return put_damage(
		model, batch, chunk, 0, STORE_HEAD_BYTES, "the checksum of the store's head is wrong", err);
}

/* At the end of the input: what is known last, and whether the store was finished. */
static enum rst_status finish_input(struct store *store, struct model *model, const struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	if (!store->is_ended && !store->is_cut_told) {
		store->is_cut_told = true;
		error_try(put_damage(model, batch, chunk, chunk->n_bytes, 0,
			"the store was not finished: it was cut, or what wrote it was ended", err));
	}
	return RST_OK;
}

static enum rst_status read_input(struct store *store, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	enum rst_status status;

	if (store->has_begun && chunk->n_used == 0) {
		chunk->n_used = chunk->n_bytes;
		return put_damage(model, batch, chunk, 0, chunk->n_bytes,
			"a store is a whole trace, and nothing goes on behind it", err);
	}
	if (chunk->n_used == 0)
		error_try(check_head(store, model, chunk, batch, err));
	for (;;) {
		if (store->definitions.has_facts && batch->n_events == 0)
			batch_set_columns(batch, store->definitions.manner.columns);
		status = put_rows(store, model, chunk, batch, err);
		if (status != RST_END || batch_is_full(batch))
			return status == RST_END ? RST_OK : status;
		/* Those behind the last row of a segment wait for the rows to be out. */
		if (store->due.has_next && batch->n_events)
			return RST_OK;
		error_try(take_due(store, chunk, err));
		status = next_block(store, model, chunk, batch, err);
		if (status < 0)
			return status;
		if (status == RST_END)
			break;
	}
	if (store->due.has_next && batch->n_events)
		return RST_OK;
	error_try(take_due(store, chunk, err));
	chunk->n_used = chunk->n_bytes;
	return finish_input(store, model, chunk, batch, err);
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
	if (store->failure.status < 0) {
		*err = store->failure;
		return store->failure.status;
	}
	return RST_END;
}

const struct dialect dialect_store = {
	.name = "store",
	.summary = "Rastrum's own container, as cut and merge write it: traces of any dialect",
	.options = options,
	.chunks = CHUNKS_WHOLE,
	.columns = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH | BATCH_PRIORITY | BATCH_THRESHOLD,
	.state_bytes = sizeof(struct store),
	.probe = store_probe,
	.recorded_as = store_recorded_as,
	.open = store_open,
	.read = store_read,
	.share = store_share,
	.close = store_close,
};
