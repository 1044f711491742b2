/* SPDX-License-Identifier: MIT */
/* Makes batches of the rows of a segment, with the things that they refer to. */
#include "dialect/store/store.h"

/*
 * Whether the items that the row's numbers refer to exist, and the payload has the hook word that its layout
 * requires.
 */
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

/* Puts a marker in the same place as the source had it. */
static bool put_marker(
	struct store *store, struct model *model, const struct chunk *chunk, struct batch *batch, size_t n)
{
	const size_t row = batch->n_events;
	struct rst_gap gap = store->segment.read_gaps[store->n_gaps++];

	/* The index's source file may have another name today. */
	if (store->segment.source.bytes)
		gap.source = chunk->source;
	if (!model_put_gap(model, batch, &gap))
		return false;
	batch->ticks[row] = store->segment.columns[SEGMENT_TICKS][n];
	batch->seq[row] = store->segment.columns[SEGMENT_SEQ][n];
	batch->context[row] =
		&store->definitions.contexts[store->segment.columns[SEGMENT_CONTEXT][n]]->public;
	return true;
}

/* Passes over a row. */
static void pass_row(struct store *store, size_t n)
{
	store->n_payload += segment_is_borrowed(&store->segment, n)
				    ? 0
				    : (size_t)store->segment.columns[SEGMENT_PAYLOAD][n];
	store->n_gaps += store->segment.columns[SEGMENT_LAYOUT][n] < 2;
}

/* Notes the number of a row of a part, unless the part in front had the row already: then passes over it. */
static bool number_row(struct store *store, const struct model *model, size_t row, size_t n)
{
	uint64_t *const *columns = store->segment.columns;
	const bool is_event = columns[SEGMENT_LAYOUT][n] >= 2;
	uint64_t number;

	if (!model->is_part)
		return true;
	number = carried_next_number(&store->carried, is_event);
	if (carried_had(&store->carried, number, is_event, columns[SEGMENT_TICKS][n])) {
		pass_row(store, n);
		return false;
	}
	store->carried.seqs[row] = number;
	return true;
}

static const uint8_t *payload_of(const struct store *store, size_t n)
{
	const struct segment *segment = &store->segment;

	return segment_is_borrowed(segment, n)
		       ? segment->source.bytes + segment->columns[SEGMENT_OFFSET][n] - 1
		       : segment->payload + store->n_payload;
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
			.payload = payload_of(store, n),
			.n_payload = n_payload,
		});

	set_columns(store, batch, row, n);
	store->n_payload += segment_is_borrowed(&store->segment, n) ? 0 : n_payload;
}

/* Passes over the batch that begins here, unless it is wanted. */
static enum rst_status pass_batch(struct store *store, struct model *model, struct rst_error *err)
{
	struct segment *segment = &store->segment;
	const size_t n = store->n_given, n_rows = store->n_left < segment->n_rows - n ? (size_t)store->n_left
										      : segment->n_rows - n;

	if (store_passing_wants(&store->passing, store->row, n_rows))
		return RST_OK;
	for (size_t row = n; row < n + n_rows; row++)
		pass_row(store, row);
	store->n_given += n_rows;
	store->n_left = 0;
	store->row += n_rows;
	return store_pass_rows(&store->passing, model, segment, n, n_rows) ? RST_MORE : error_nomem(err);
}

enum rst_status store_put_rows(struct store *store, struct model *model, const struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	while (store->n_given < store->segment.n_rows) {
		const size_t n = store->n_given;

		if (batch_is_full(batch) || (batch->n_events && store->n_left == 0))
			return RST_OK;
		/* If the length of a batch cannot be read, the rest of the segment is one batch. */
		if (store->n_left == 0) {
			if (!cursor_take_number(&store->segment.read_batches, &store->n_left) ||
				store->n_left == 0)
				store->n_left = store->segment.n_rows;
			if (batch->n_events == 0) {
				enum rst_status status = pass_batch(store, model, err);

				if (status == RST_MORE)
					continue;
				error_try(status);
			}
		}
		error_try(store_take_due(store, chunk, err));
		if (!row_is_sound(store, n)) {
			error_try(store_put_damage(model, batch, chunk, store->at, 0,
				"rows refer to names and types that are not there", err));
			store->row += store->segment.n_rows - n;
			store->n_given = store->segment.n_rows;
			return RST_END;
		}
		store->n_given++;
		store->n_left--;
		store->row++;
		if (!number_row(store, model, batch->n_events, n))
			continue;
		if (store->segment.columns[SEGMENT_LAYOUT][n] >= 2)
			put_event(store, model, batch, n);
		else if (!put_marker(store, model, chunk, batch, n))
			return error_nomem(err);
	}
	return RST_END;
}
