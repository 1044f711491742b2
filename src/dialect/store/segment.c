/* SPDX-License-Identifier: MIT */
#include "dialect/store/segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dialect/store/format.h"

enum form { FORM_STEPS, FORM_CHANGES, FORM_NUMBERS, N_FORMS };

bool segment_init(struct segment *segment)
{
	bool is_good = true;

	*segment = (struct segment){ 0 };
	for (size_t i = 0; i < N_SEGMENT_COLUMNS; i++) {
		segment->columns[i] = malloc(STORE_ROWS * sizeof(uint64_t));
		is_good &= segment->columns[i] != NULL;
	}
	return is_good;
}

void segment_done(struct segment *segment)
{
	for (size_t i = 0; i < N_SEGMENT_COLUMNS; i++)
		free(segment->columns[i]);
	bytes_done(&segment->payloads);
	bytes_done(&segment->batches);
	bytes_done(&segment->gaps);
	free(segment->read_gaps);
	arena_done(&segment->texts);
	*segment = (struct segment){ 0 };
}

/* --- gaps ------------------------------------------------------------------------------------------------------- */

static void record_gap(struct codec *codec, struct rst_gap *gap)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct rst_gap, marker, CODEC_NUMBER, RST_DAMAGE + 1),
		CODEC_ROW(struct rst_gap, n_events, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_gap, offset, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_gap, n_bytes, CODEC_NUMBER, 0),
		CODEC_ROW(struct rst_gap, what, CODEC_NAME, 0),
		CODEC_ROW(struct rst_gap, source, CODEC_NAME, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), gap);
}

/* --- writing ---------------------------------------------------------------------------------------------------- */

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
	if (gap) {
		copy = *gap;
		record_gap(&codec, &copy);
		segment->n_gaps++;
	} else if (!bytes_put(&segment->payloads, batch->payload[row], batch->payload_bytes[row])) {
		return false;
	}
	segment->n_rows++;
	return codec_is_good(&codec);
}

bool segment_end_batch(struct segment *segment, size_t n_rows)
{
	return n_rows == 0 || bytes_put_number(&segment->batches, n_rows);
}

static bool column_write_steps(const uint64_t *column, size_t n_rows, struct bytes *to)
{
	const uint64_t step = n_rows > 1 ? column[1] - column[0] : 0;

	return bytes_put_number(to, FORM_STEPS) && bytes_put_number(to, column[0]) &&
	       bytes_put_number(to, sign_fold((int64_t)step));
}

/* Values, or differences to the one before. */
static bool column_write_all(const uint64_t *column, size_t n_rows, enum form form, struct bytes *to)
{
	uint64_t before = 0;

	if (!bytes_put_number(to, form) || !bytes_reserve(to, 10 * n_rows))
		return false;
	for (size_t i = 0; i < n_rows; i++) {
		bytes_put_number(
			to, form == FORM_NUMBERS ? column[i] : sign_fold((int64_t)(column[i] - before)));
		before = column[i];
	}
	return true;
}

static unsigned number_bytes(uint64_t number)
{
	return (unsigned)(63 - __builtin_clzll(number | 1)) / 7 + 1;
}

static bool column_write(const uint64_t *column, size_t n_rows, struct bytes *to)
{
	const uint64_t step = n_rows > 1 ? column[1] - column[0] : 0;
	uint64_t before = 0, n_numbers = 0, n_changes = 0;
	bool is_even = true;

	for (size_t i = 0; i < n_rows; i++) {
		is_even &= i == 0 || column[i] - before == step;
		n_numbers += number_bytes(column[i]);
		n_changes += number_bytes(sign_fold((int64_t)(column[i] - before)));
		before = column[i];
	}
	if (is_even)
		return column_write_steps(column, n_rows, to);
	return column_write_all(column, n_rows, n_numbers <= n_changes ? FORM_NUMBERS : FORM_CHANGES, to);
}

bool segment_write(struct segment *segment, bool is_down, struct bytes *to)
{
	const uint64_t *ticks = segment->columns[SEGMENT_TICKS];
	uint64_t *stamps = segment->columns[SEGMENT_STAMP];
	bool is_good = bytes_put_number(to, segment->n_rows) && bytes_put_number(to, segment->n_gaps) &&
		       bytes_put_number(to, is_down);

	for (size_t i = 0; i < segment->n_rows; i++)
		stamps[i] = is_down ? stamps[i] + ticks[i] : stamps[i] - ticks[i];
	for (size_t i = 0; i < N_SEGMENT_COLUMNS && is_good; i++)
		is_good = column_write(segment->columns[i], segment->n_rows, to);
	is_good = is_good && bytes_put_number(to, segment->batches.n) &&
		  bytes_put(to, segment->batches.at, segment->batches.n) &&
		  bytes_put(to, segment->gaps.at, segment->gaps.n) &&
		  bytes_put(to, segment->payloads.at, segment->payloads.n);
	segment->n_rows = segment->n_gaps = 0;
	segment->gaps.n = segment->payloads.n = segment->batches.n = 0;
	return is_good;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

static bool column_read(struct cursor *from, uint64_t *column, size_t n_rows)
{
	uint64_t form, value = 0, number, step;

	if (!cursor_take_number(from, &form) || form >= N_FORMS)
		return false;
	if (form == FORM_STEPS) {
		if (!cursor_take_number(from, &value) || !cursor_take_number(from, &step))
			return false;
		for (size_t i = 0; i < n_rows; i++, value += (uint64_t)sign_unfold(step))
			column[i] = value;
		return true;
	}
	for (size_t i = 0; i < n_rows; i++) {
		if (!cursor_take_number(from, &number))
			return false;
		value = form == FORM_NUMBERS ? number : value + (uint64_t)sign_unfold(number);
		column[i] = value;
	}
	return true;
}

/* As the model has it, which it outlives. NULL when memory ran out. */
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

/* As many markers as gaps, and as many bytes as payloads have. */
static bool is_consistent(const struct segment *segment)
{
	uint64_t n_bytes = 0;
	size_t n_markers = 0;

	for (size_t i = 0; i < segment->n_rows; i++) {
		n_markers += segment->columns[SEGMENT_LAYOUT][i] < 2;
		if (segment->columns[SEGMENT_PAYLOAD][i] > UINT32_MAX)
			return false;
		n_bytes += segment->columns[SEGMENT_PAYLOAD][i];
	}
	return n_markers == segment->n_gaps && n_bytes == segment->n_payload;
}

enum rst_status segment_read(struct segment *segment, struct model *model, const uint8_t *bytes,
	size_t n_bytes, struct rst_error *err)
{
	struct codec codec = {
		.is_reading = true, .from = cursor_over(bytes, n_bytes), .arena = &model->arena
	};
	const uint64_t *ticks = segment->columns[SEGMENT_TICKS];
	uint64_t *stamps = segment->columns[SEGMENT_STAMP];
	uint64_t n_rows = 0, n_gaps = 0, is_down = 0, n_batches = 0;
	const uint8_t *batches;

	codec_number(&codec, &n_rows, STORE_ROWS + 1);
	codec_number(&codec, &n_gaps, n_rows + 1);
	codec_number(&codec, &is_down, 2);
	for (size_t i = 0; i < N_SEGMENT_COLUMNS && codec_is_good(&codec); i++)
		codec.is_bad |= !column_read(&codec.from, segment->columns[i], n_rows);
	segment->n_rows = codec_is_good(&codec) ? (size_t)n_rows : 0;
	for (size_t i = 0; i < segment->n_rows; i++)
		stamps[i] = is_down ? stamps[i] - ticks[i] : stamps[i] + ticks[i];
	codec_number(&codec, &n_batches, cursor_left(&codec.from) + 1);
	batches = cursor_take(&codec.from, (size_t)n_batches);
	codec.is_bad |= !batches;
	segment->read_batches = cursor_over(batches, batches ? (size_t)n_batches : 0);
	segment->n_gaps = (size_t)n_gaps;
	if (codec_is_good(&codec))
		gaps_read(segment, model, &codec);
	segment->payload = codec.from.at;
	segment->n_payload = cursor_left(&codec.from);
	codec.is_bad |= codec_is_good(&codec) && !is_consistent(segment);
	if (codec_is_good(&codec))
		return RST_OK;
	segment->n_rows = 0;
	return codec.lacks_memory
		       ? error_nomem(err)
		       : error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "rows of the store cannot be read");
}
