/* SPDX-License-Identifier: MIT */
#include "dialect/store/segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dialect/store/column.h"
#include "dialect/store/format.h"

bool segment_reserve(struct segment *segment, size_t n_rows)
{
	if (n_rows <= segment->n_room)
		return true;
	segment->n_room = 0; /* holds if memory runs out below */
	for (size_t i = 0; i < N_SEGMENT_COLUMNS; i++) {
		free(segment->columns[i]);
		segment->columns[i] = malloc(n_rows * sizeof(uint64_t));
		if (!segment->columns[i])
			return false;
	}
	segment->n_room = n_rows;
	return true;
}

void segment_done(struct segment *segment)
{
	for (size_t i = 0; i < N_SEGMENT_COLUMNS; i++)
		free(segment->columns[i]);
	bytes_done(&segment->payloads);
	bytes_done(&segment->batches);
	bytes_done(&segment->gaps);
	packed_done(&segment->packed);
	free(segment->read_gaps);
	arena_done(&segment->texts);
	*segment = (struct segment){ 0 };
}

/* --- gaps ----------------------------------------------------------------------------------------------- */

static void record_gap(struct codec *codec, struct rst_gap *gap)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_gap, marker, CODEC_NUMBER, RST_RUN + 1),
		CODEC_ROW(struct rst_gap, n_events, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_gap, offset, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_gap, n_bytes, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_gap, what, CODEC_NAME, 0),
		CODEC_ROW(struct rst_gap, source, CODEC_NAME, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), gap);
}

/* --- writing -------------------------------------------------------------------------------------------- */

/* The payload's offset in the source + 1; 0 if it is not in the source. */
static uint64_t offset_of(const struct segment_source *source, const struct rst_batch *batch, size_t row)
{
	const uintptr_t at = (uintptr_t)batch->payload[row], start = (uintptr_t)source->bytes;

	if (!start || at < start || at - start > source->n_bytes ||
		batch->payload_bytes[row] > source->n_bytes - (at - start))
		return 0;
	return at - start + 1;
}

/* Only an index has all columns. */
static size_t count_columns(const struct segment *segment)
{
	return segment->source.bytes ? N_SEGMENT_COLUMNS : SEGMENT_OFFSET;
}

bool segment_add(struct segment *segment, const struct rst_batch *batch, size_t row)
{
	const size_t n = segment->n_rows;
	const struct rst_context *interrupted = rst_batch_interrupted(batch, row);
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	struct codec codec = { .to = &segment->gaps };
	struct rst_gap copy;

	segment->columns[SEGMENT_TICKS][n] = batch->ticks[row];
	segment->columns[SEGMENT_STAMP][n] = batch->stamp[row];
	segment->columns[SEGMENT_SEQ][n] = batch->seq[row];
	segment->columns[SEGMENT_LAYOUT][n] = batch->layout[row]->index;
	segment->columns[SEGMENT_CONTEXT][n] = batch->context[row]->index;
	segment->columns[SEGMENT_PAYLOAD][n] = gap ? 0 : batch->payload_bytes[row];
	segment->columns[SEGMENT_CORE][n] = rst_batch_core(batch, row);
	segment->columns[SEGMENT_INTERRUPTED][n] = interrupted ? (uint64_t)interrupted->index + 1 : 0;
	segment->columns[SEGMENT_DEPTH][n] = rst_batch_depth(batch, row);
	segment->columns[SEGMENT_PRIORITY][n] = sign_fold(rst_batch_priority(batch, row));
	segment->columns[SEGMENT_THRESHOLD][n] = sign_fold(rst_batch_threshold(batch, row));
	segment->columns[SEGMENT_OFFSET][n] = gap ? 0 : offset_of(&segment->source, batch, row);
	if (gap) {
		copy = *gap;
		if (segment->gap_source)
			copy.source = segment->gap_source;
		record_gap(&codec, &copy);
		segment->n_gaps++;
	} else if (!segment->columns[SEGMENT_OFFSET][n] &&
		   !bytes_put(&segment->payloads, batch->payload[row], batch->payload_bytes[row])) {
		return false;
	}
	segment->n_rows++;
	return codec_is_good(&codec);
}

/* Adds a column of a batch, or one value for all its rows if the batch has no such column. */
#define COLUMN_ADD(column, is_there, value, other)                                \
	do {                                                                      \
		uint64_t *const to_ = segment->columns[column] + segment->n_rows; \
		for (size_t i = 0; (is_there) && i < n; i++)                      \
			to_[i] = (uint64_t)(value);                               \
		for (size_t i = 0; !(is_there) && i < n; i++)                     \
			to_[i] = (uint64_t)(other);                               \
	} while (0)

static void batch_add_columns(struct segment *segment, const struct rst_batch *batch)
{
	const uint64_t none = sign_fold(RST_NO_PRIORITY);
	const size_t n = batch->n_events;

	memcpy(segment->columns[SEGMENT_TICKS] + segment->n_rows, batch->ticks, n * sizeof(uint64_t));
	memcpy(segment->columns[SEGMENT_STAMP] + segment->n_rows, batch->stamp, n * sizeof(uint64_t));
	memcpy(segment->columns[SEGMENT_SEQ] + segment->n_rows, batch->seq, n * sizeof(uint64_t));
	COLUMN_ADD(SEGMENT_LAYOUT, true, batch->layout[i]->index, 0);
	COLUMN_ADD(SEGMENT_CONTEXT, true, batch->context[i]->index, 0);
	COLUMN_ADD(SEGMENT_PAYLOAD, true, batch->payload_bytes[i], 0);
	COLUMN_ADD(SEGMENT_CORE, batch->core, batch->core[i], RST_NO_CORE);
	COLUMN_ADD(SEGMENT_INTERRUPTED, batch->interrupted,
		batch->interrupted[i] ? batch->interrupted[i]->index + (uint64_t)1 : 0, 0);
	COLUMN_ADD(SEGMENT_DEPTH, batch->depth, batch->depth[i], 0);
	COLUMN_ADD(SEGMENT_PRIORITY, batch->priority, sign_fold(batch->priority[i]), none);
	COLUMN_ADD(SEGMENT_THRESHOLD, batch->threshold, sign_fold(batch->threshold[i]), none);
}

/* Adds the gap or the payload of each row. */
static bool batch_add_payloads(
	struct segment *segment, const struct rst_batch *batch, uint64_t *ret_gaps, uint64_t *ret_damages)
{
	uint64_t *const offsets = segment->columns[SEGMENT_OFFSET] + segment->n_rows;
	struct codec codec = { .to = &segment->gaps };

	for (size_t i = 0; i < batch->n_events; i++) {
		const struct rst_gap *gap = rst_batch_gap(batch, i);

		offsets[i] = gap ? 0 : offset_of(&segment->source, batch, i);
		if (__builtin_expect(gap != NULL, 0)) {
			struct rst_gap copy = *gap;

			segment->columns[SEGMENT_PAYLOAD][segment->n_rows + i] = 0;
			record_gap(&codec, &copy);
			segment->n_gaps++;
			*ret_gaps += gap->marker != RST_RUN;
			*ret_damages += gap->marker == RST_DAMAGE;
		} else if (!offsets[i] &&
			   !bytes_put(&segment->payloads, batch->payload[i], batch->payload_bytes[i])) {
			return false;
		}
	}
	return codec_is_good(&codec);
}

bool segment_add_batch(
	struct segment *segment, const struct rst_batch *batch, uint64_t *ret_gaps, uint64_t *ret_damages)
{
	batch_add_columns(segment, batch);
	if (!batch_add_payloads(segment, batch, ret_gaps, ret_damages))
		return false;
	segment->n_rows += batch->n_events;
	return true;
}

bool segment_end_batch(struct segment *segment, size_t n_rows)
{
	return n_rows == 0 || bytes_put_number(&segment->batches, n_rows);
}

bool segment_write(struct segment *segment, bool is_down, struct bytes *to)
{
	const uint64_t *ticks = segment->columns[SEGMENT_TICKS];
	uint64_t *stamps = segment->columns[SEGMENT_STAMP];
	const size_t n_before = to->n;
	bool is_good = bytes_put_number(to, segment->n_rows) && bytes_put_number(to, segment->n_gaps) &&
		       bytes_put_number(to, is_down);

	for (size_t i = 0; i < segment->n_rows; i++)
		stamps[i] = is_down ? stamps[i] + ticks[i] : stamps[i] - ticks[i];
	for (size_t i = 0; i < count_columns(segment) && is_good; i++)
		is_good = column_write(segment->columns[i], segment->n_rows,
			i == SEGMENT_TICKS && !segment->source.bytes, to);
	is_good = is_good && bytes_put_number(to, segment->batches.n) &&
		  bytes_put(to, segment->batches.at, segment->batches.n) &&
		  bytes_put(to, segment->gaps.at, segment->gaps.n) &&
		  payloads_write(
			  &segment->packed, &segment->payloads, to->n - n_before, !segment->source.bytes, to);
	segment->n_rows = segment->n_gaps = 0;
	segment->gaps.n = segment->payloads.n = segment->batches.n = 0;
	return is_good;
}

/* --- reading -------------------------------------------------------------------------------------------- */

/* Returns a copy that the model has, which outlives the segment. NULL when memory ran out. */
static const char *text_keep(struct segment *segment, struct model *model, const char *text)
{
	const char **place = &segment->kept[segment->n_kept % SEGMENT_TEXTS];

	for (size_t i = 0; i < SEGMENT_TEXTS && segment->kept[i]; i++)
		if (strcmp(segment->kept[i], text) == 0)
			return segment->kept[i];
	*place = arena_copy(&model->arena, text, strlen(text));
	segment->n_kept++;
	return *place;
}

static void gap_read(struct segment *segment, struct model *model, struct codec *codec, struct rst_gap *gap)
{
	codec->arena = &segment->texts;
	*gap = (struct rst_gap){ 0 };
	record_gap(codec, gap);
	codec->is_bad |= gap->marker == RST_EVENT;
	if (!codec_is_good(codec))
		return;
	gap->what = text_keep(segment, model, gap->what);
	gap->source = text_keep(segment, model, gap->source);
	codec->lacks_memory |= !gap->what || !gap->source;
}

static void gaps_read(struct segment *segment, struct model *model, struct codec *codec)
{
	for (size_t i = 0; i < segment->n_gaps && codec_is_good(codec); i++) {
		struct rst_gap *gaps =
			array_room(segment->read_gaps, i, &segment->read_gaps_room, sizeof(struct rst_gap));

		codec->lacks_memory |= !gaps;
		if (!gaps)
			return;
		segment->read_gaps = gaps;
		gap_read(segment, model, codec, &gaps[i]);
	}
	arena_done(&segment->texts);
}

/* Whether the whole payload of this row is in the source. */
static bool segment_is_in_source(const struct segment *segment, size_t row)
{
	const uint64_t offset = segment->columns[SEGMENT_OFFSET][row] - 1,
		       n_bytes = segment->columns[SEGMENT_PAYLOAD][row];

	return offset <= segment->source.n_bytes && n_bytes <= segment->source.n_bytes - offset;
}

/*
 * Whether there are as many markers as gaps, and all payloads in the source exist. *ret_payload is the length
 * of all other payloads.
 */
static bool is_consistent(const struct segment *segment, uint64_t *ret_payload)
{
	size_t n_markers = 0;

	*ret_payload = 0;
	for (size_t i = 0; i < segment->n_rows; i++) {
		n_markers += segment->columns[SEGMENT_LAYOUT][i] < 2;
		if (segment->columns[SEGMENT_PAYLOAD][i] > UINT32_MAX)
			return false;
		if (!segment_is_borrowed(segment, i))
			*ret_payload += segment->columns[SEGMENT_PAYLOAD][i];
		else if (!segment_is_in_source(segment, i))
			return false;
	}
	return n_markers == segment->n_gaps;
}

/* Takes the payloads, which are all bytes behind the gaps. */
static void payloads_take(struct segment *segment, struct codec *codec, size_t n_block)
{
	uint64_t n_payload;

	if (!is_consistent(segment, &n_payload)) {
		codec->is_bad = true;
	} else if (segment->is_unpacked) {
		segment->payload = codec->from.at;
		codec->is_bad |= n_payload != cursor_left(&codec->from);
	} else {
		segment->payload = payloads_read(&segment->packed, codec, n_payload, n_block);
	}
}

/* Calculates stamps from their distances to ticks; see segment_write(). */
static void stamps_follow(struct segment *segment, bool is_down)
{
	const uint64_t *ticks = segment->columns[SEGMENT_TICKS];
	uint64_t *stamps = segment->columns[SEGMENT_STAMP];

	for (size_t i = 0; i < segment->n_rows; i++)
		stamps[i] = is_down ? stamps[i] - ticks[i] : stamps[i] + ticks[i];
}

enum rst_status segment_read(struct segment *segment, struct model *model, const uint8_t *bytes,
	size_t n_bytes, struct rst_error *err)
{
	struct codec codec = {
		.is_reading = true, .from = cursor_over(bytes, n_bytes), .arena = &model->arena
	};
	uint64_t n_rows = 0, n_gaps = 0, is_down = 0, n_batches = 0;
	const uint8_t *batches;

	segment->n_rows = 0;
	codec_number(&codec, &n_rows, STORE_ROWS + 1);
	/* Limits how many rows a few bytes may become. An index is the user's own file. */
	codec.is_bad |= !segment->source.bytes && n_rows / COLUMN_GROUP > n_bytes;
	codec_number(&codec, &n_gaps, n_rows + 1);
	codec_number(&codec, &is_down, 2);
	if (codec_is_good(&codec) && !segment_reserve(segment, n_rows))
		return error_nomem(err);
	for (size_t i = 0; i < count_columns(segment) && codec_is_good(&codec); i++)
		codec.is_bad |= !column_read(&codec.from, segment->columns[i], n_rows);
	segment->n_rows = codec_is_good(&codec) ? (size_t)n_rows : 0;
	stamps_follow(segment, is_down);
	codec_number(&codec, &n_batches, cursor_left(&codec.from) + 1);
	batches = cursor_take(&codec.from, (size_t)n_batches);
	codec.is_bad |= !batches;
	if (batches)
		segment->read_batches = cursor_over(batches, (size_t)n_batches);
	segment->n_gaps = (size_t)n_gaps;
	if (codec_is_good(&codec))
		gaps_read(segment, model, &codec);
	if (codec_is_good(&codec))
		payloads_take(segment, &codec, n_bytes);
	if (codec_is_good(&codec))
		return RST_OK;
	segment->n_rows = 0;
	return codec.lacks_memory
		       ? error_nomem(err)
		       : error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "rows of the store cannot be read");
}
