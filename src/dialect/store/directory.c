/* SPDX-License-Identifier: MIT */
#include "dialect/store/directory.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dialect/store/blocks.h"

void directory_done(struct directory *directory)
{
	free(directory->blocks);
	free(directory->segments);
	free(directory->counts);
	free(directory->extents);
	free(directory->firsts);
	free(directory->gaps);
	for (size_t i = 0; i < N_PASSED_TALLIES; i++)
		free(directory->tallies[i].n);
	free(directory->payloads);
	free(directory->known_cores);
	free(directory->shown);
	map_done(&directory->known);
	*directory = (struct directory){ 0 };
}

/* Adds an item to a list of any type; NULL if memory ran out. */
#define LIST_ADD(directory, name)                                                                            \
	__extension__({                                                                                      \
		void *all_ = array_room((directory)->name, (directory)->n_##name, &(directory)->name##_room, \
			sizeof(*(directory)->name));                                                         \
		if (all_)                                                                                    \
			(directory)->name = all_;                                                            \
		all_ ? &(directory)->name[(directory)->n_##name++] : NULL;                                   \
	})

static bool row_add(uint64_t *row, uint64_t value)
{
	if (row)
		*row = value;
	return row != NULL;
}

void directory_start(struct directory *directory, const struct model *model)
{
	if (directory->has_first_ticks || !model->has_first_ticks)
		return;
	directory->has_first_ticks = true;
	directory->first_ticks = model->first_ticks;
	directory->clock_hz = model->clock_hz;
}

/* --- what is met ---------------------------------------------------------------------------------------- */

/*
 * Sets the flag of an index; *ret_is_first is true if it was not set before. Returns false if memory ran out.
 */
static bool flag_set(uint8_t **flags, size_t *room, uint64_t index, bool *ret_is_first)
{
	uint8_t *reached;

	if (index < *room && (*flags)[index])
		return true;
	reached = array_reach(*flags, room, (size_t)index, 1);
	if (!reached)
		return false;
	*flags = reached;
	reached[index] = 1;
	*ret_is_first = true;
	return true;
}

/* The context as it is shown: which one it interrupts, and how deep. */
static uint64_t context_key(const struct segment *segment, size_t i)
{
	return segment->columns[SEGMENT_CONTEXT][i] | segment->columns[SEGMENT_INTERRUPTED][i] << 28 |
	       (segment->columns[SEGMENT_DEPTH][i] + 1) << 56;
}

static bool context_see(
	struct directory *directory, const struct segment *segment, size_t i, bool *ret_is_first)
{
	const uint64_t context = segment->columns[SEGMENT_CONTEXT][i], key = context_key(segment, i);
	uint64_t *shown;

	if (context < directory->shown_room && directory->shown[context] == key)
		return true;
	shown = array_reach(directory->shown, &directory->shown_room, (size_t)context, sizeof(*shown));
	if (!shown)
		return false;
	directory->shown = shown;
	shown[context] = key;
	if (map_find(&directory->known, key))
		return true;
	*ret_is_first = true;
	return map_set(&directory->known, key, directory);
}

/* A payload that is shorter than all before is a first one too: it may be too short for a template. */
static bool layout_see(
	struct directory *directory, const struct segment *segment, size_t i, bool *ret_is_first)
{
	const uint64_t layout = segment->columns[SEGMENT_LAYOUT][i],
		       n_bytes = segment->columns[SEGMENT_PAYLOAD][i] + 1;
	uint64_t *payloads;

	if (layout < directory->payloads_room && directory->payloads[layout] &&
		directory->payloads[layout] <= n_bytes)
		return true;
	payloads = array_reach(
		directory->payloads, &directory->payloads_room, (size_t)layout, sizeof(*payloads));
	if (!payloads)
		return false;
	directory->payloads = payloads;
	payloads[layout] = n_bytes;
	*ret_is_first = true;
	return true;
}

static bool row_see(struct directory *directory, const struct segment *segment, size_t i, uint64_t row)
{
	const uint64_t layout = segment->columns[SEGMENT_LAYOUT][i];
	bool is_first = false;

	if (layout < 2 && directory->n_gaps < DIRECTORY_GAPS_MAX && !row_add(LIST_ADD(directory, gaps), row))
		return false;
	const uint64_t core = segment->columns[SEGMENT_CORE][i];

	return layout_see(directory, segment, i, &is_first) &&
	       ((i && core == segment->columns[SEGMENT_CORE][i - 1]) ||
		       flag_set(&directory->known_cores, &directory->known_cores_room, core, &is_first)) &&
	       context_see(directory, segment, i, &is_first) &&
	       (!is_first || row_add(LIST_ADD(directory, firsts), row));
}

/* Whether the row has nothing new, which is true of most rows. */
static inline bool row_is_known(const struct directory *directory, const struct segment *segment, size_t i)
{
	const uint64_t layout = segment->columns[SEGMENT_LAYOUT][i],
		       context = segment->columns[SEGMENT_CONTEXT][i];

	return layout >= 2 && layout < directory->payloads_room && directory->payloads[layout] &&
	       directory->payloads[layout] <= segment->columns[SEGMENT_PAYLOAD][i] + 1 &&
	       context < directory->shown_room && directory->shown[context] == context_key(segment, i) && i &&
	       segment->columns[SEGMENT_CORE][i] == segment->columns[SEGMENT_CORE][i - 1];
}

/* --- zone maps ------------------------------------------------------------------------------------------ */

static bool directory_tally_add(struct passed_counts *tallies, const uint64_t *column, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		if (__builtin_expect(column[i] >= tallies->room, 0)) {
			uint64_t *n = array_reach(tallies->n, &tallies->room, (size_t)column[i], sizeof(*n));

			if (!n)
				return false;
			tallies->n = n;
		}
		tallies->n[column[i]]++;
	}
	return true;
}

/* Makes a list of the counts and sets them to 0. */
static bool tally_end(struct directory *directory, struct passed_counts *tallies)
{
	for (size_t i = 0; i < tallies->room; i++) {
		struct directory_count *count;

		if (!tallies->n[i])
			continue;
		count = LIST_ADD(directory, counts);
		if (!count)
			return false;
		*count = (struct directory_count){ i, tallies->n[i] };
		tallies->n[i] = 0;
	}
	return true;
}

static bool tallies_put(
	struct directory *directory, struct directory_segment *zone, const struct segment *segment)
{
	static const enum segment_column columns[N_PASSED_TALLIES] = {
		[PASSED_LAYOUTS] = SEGMENT_LAYOUT,
		[PASSED_CONTEXTS] = SEGMENT_CONTEXT,
		[PASSED_CORES] = SEGMENT_CORE,
	};

	for (size_t i = 0; i < N_PASSED_TALLIES; i++) {
		zone->counts[i] = directory->n_counts;
		if (!directory_tally_add(
			    &directory->tallies[i], segment->columns[columns[i]], segment->n_rows) ||
			!tally_end(directory, &directory->tallies[i]))
			return false;
	}
	zone->counts[N_PASSED_TALLIES] = directory->n_counts;
	return true;
}

/*
 * Payloads that follow each other make one extent. If there are too many extents, the last one includes all
 * further payloads.
 */
static bool extents_put(
	struct directory *directory, struct directory_segment *zone, const struct segment *segment)
{
	enum { NEAR = 64 << 10 };
	struct directory_extent *extent = NULL;

	zone->extents[0] = directory->n_extents;
	for (size_t i = 0; segment->source.bytes && i < segment->n_rows; i++) {
		const uint64_t n_bytes = segment->columns[SEGMENT_PAYLOAD][i];
		const uint64_t start = segment->columns[SEGMENT_OFFSET][i] - 1, end = start + n_bytes;

		if (!segment->columns[SEGMENT_OFFSET][i] || !n_bytes)
			continue;
		if (extent && start - extent->offset <= extent->n_bytes &&
			end - extent->offset >= extent->n_bytes) {
			extent->n_bytes = end - extent->offset;
			continue;
		}
		if (!extent || ((start < extent->offset || start > extent->offset + extent->n_bytes + NEAR) &&
				       directory->n_extents - zone->extents[0] < DIRECTORY_EXTENTS_MAX)) {
			extent = LIST_ADD(directory, extents);
			if (!extent)
				return false;
			*extent = (struct directory_extent){ start, n_bytes };
			continue;
		}
		if (start < extent->offset) {
			extent->n_bytes += extent->offset - start;
			extent->offset = start;
		}
		if (end > extent->offset + extent->n_bytes)
			extent->n_bytes = end - extent->offset;
	}
	zone->extents[1] = directory->n_extents;
	return true;
}

bool directory_add_segment(struct directory *directory, const struct segment *segment, uint64_t row)
{
	const uint64_t *ticks = segment->columns[SEGMENT_TICKS];
	const size_t n_rows = segment->n_rows;
	struct directory_segment *zone = LIST_ADD(directory, segments);
	uint64_t least = ticks[0], greatest = ticks[0];

	if (!zone)
		return false;
	*zone = (struct directory_segment){ .row = row,
		.n_rows = n_rows,
		.last_ticks = ticks[n_rows - 1],
		.last_seq = segment->columns[SEGMENT_SEQ][n_rows - 1] };
	for (size_t i = 0; i < n_rows; i++) {
		least = ticks[i] < least ? ticks[i] : least;
		greatest = ticks[i] > greatest ? ticks[i] : greatest;
		if (!row_is_known(directory, segment, i) && !row_see(directory, segment, i, row + i))
			return false;
	}
	zone->least_ticks = least;
	zone->greatest_ticks = greatest;
	return tallies_put(directory, zone, segment) && extents_put(directory, zone, segment);
}

uint64_t directory_end(const struct directory *directory)
{
	const struct directory_block *last;

	if (!directory->n_blocks)
		return STORE_HEAD_BYTES;
	last = &directory->blocks[directory->n_blocks - 1];
	return last->at + block_whole(last->n_bytes);
}

bool directory_add_block(struct directory *directory, bool is_segment, uint64_t n_bytes, uint32_t crc)
{
	const uint64_t at = directory_end(directory);
	struct directory_block *block = LIST_ADD(directory, blocks);

	if (!block)
		return false;
	*block = (struct directory_block){ .at = at,
		.n_bytes = n_bytes,
		.crc = crc,
		.is_segment = is_segment,
		.segment = directory->n_segments - is_segment };
	return true;
}

/* --- bytes ---------------------------------------------------------------------------------------------- */

/* Ascending numbers, stored as differences: rows, indexes. */
static void record_rows(struct codec *codec, uint64_t *rows, size_t n_rows)
{
	uint64_t before = 0;

	for (size_t i = 0; i < n_rows && codec_is_good(codec); i++) {
		uint64_t change = rows[i] - before;

		codec_number(codec, &change, 0);
		rows[i] = before += change;
	}
}

static void record_zone(struct codec *codec, struct directory_segment *zone)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct directory_segment, n_rows, CODEC_NUMBER, STORE_ROWS + 1),
		CODEC_ROW(struct directory_segment, least_ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct directory_segment, greatest_ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct directory_segment, last_ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct directory_segment, last_seq, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), zone);
}

/* Readers make tables by these numbers, so numbers that no trace can have are refused. */
static void record_count(struct codec *codec, enum passed_tally tally, struct directory_count *count)
{
	static const uint64_t limits[N_PASSED_TALLIES] = {
		[PASSED_LAYOUTS] = STORE_LAYOUTS_MAX,
		[PASSED_CONTEXTS] = CONTEXTS_MAX + 1,
		[PASSED_CORES] = RST_NO_CORE + 1,
	};

	codec_number(codec, &count->index, limits[tally]);
	codec_number(codec, &count->n_rows, STORE_ROWS + 1);
}

static void record_extent(struct codec *codec, struct directory_extent *extent)
{
	codec_number(codec, &extent->offset, UINT64_MAX / 2);
	codec_number(codec, &extent->n_bytes, UINT64_MAX / 2);
}

static void directory_record_facts(struct codec *codec, struct directory *directory)
{
	codec_number(codec, &directory->has_first_ticks, 2);
	codec_number(codec, &directory->first_ticks, 0);
	codec_number(codec, &directory->clock_hz, 0);
	codec_number(codec, &directory->has_late_names, 2);
}

static void segment_write_zone(
	struct directory *directory, struct codec *codec, struct directory_segment *zone)
{
	record_zone(codec, zone);
	for (size_t i = 0; i < N_PASSED_TALLIES; i++) {
		size_t n = zone->counts[i + 1] - zone->counts[i];

		codec_size(codec, &n, 0);
		for (size_t k = zone->counts[i]; k < zone->counts[i + 1]; k++)
			record_count(codec, (enum passed_tally)i, &directory->counts[k]);
	}
	size_t n = zone->extents[1] - zone->extents[0];

	codec_size(codec, &n, 0);
	for (size_t k = zone->extents[0]; k < zone->extents[1]; k++)
		record_extent(codec, &directory->extents[k]);
}

bool directory_write(struct directory *directory, struct bytes *to)
{
	struct codec codec = { .to = to };

	directory_record_facts(&codec, directory);
	codec_size(&codec, &directory->n_blocks, 0);
	for (size_t i = 0; i < directory->n_blocks; i++) {
		struct directory_block *block = &directory->blocks[i];
		uint64_t is_segment = block->is_segment, crc = block->crc;

		codec_number(&codec, &is_segment, 0);
		codec_number(&codec, &block->n_bytes, 0);
		codec_number(&codec, &crc, 0);
		if (is_segment)
			segment_write_zone(directory, &codec, &directory->segments[block->segment]);
	}
	codec_size(&codec, &directory->n_firsts, 0);
	record_rows(&codec, directory->firsts, directory->n_firsts);
	codec_size(&codec, &directory->n_gaps, 0);
	record_rows(&codec, directory->gaps, directory->n_gaps);
	return codec_is_good(&codec);
}

/* Lists grow as their items are read: a count alone allocates no memory. */
static void zone_read(struct directory *directory, struct codec *codec)
{
	const struct directory_segment *before =
		directory->n_segments ? &directory->segments[directory->n_segments - 1] : NULL;
	const uint64_t row = before ? before->row + before->n_rows : 0;
	struct directory_segment *zone = LIST_ADD(directory, segments);
	size_t n = 0;

	codec->lacks_memory |= !zone;
	if (!zone)
		return;
	*zone = (struct directory_segment){ .row = row };
	record_zone(codec, zone);
	for (size_t i = 0; i < N_PASSED_TALLIES; i++) {
		zone->counts[i] = directory->n_counts;
		codec_size(codec, &n, 0);
		while (codec_is_good(codec) && n--) {
			struct directory_count *count = LIST_ADD(directory, counts);

			codec->lacks_memory |= !count;
			if (count)
				record_count(codec, (enum passed_tally)i, count);
		}
	}
	zone->counts[N_PASSED_TALLIES] = directory->n_counts;
	zone->extents[0] = directory->n_extents;
	codec_size(codec, &n, DIRECTORY_EXTENTS_MAX + 1);
	while (codec_is_good(codec) && n--) {
		struct directory_extent *extent = LIST_ADD(directory, extents);

		codec->lacks_memory |= !extent;
		if (extent)
			record_extent(codec, extent);
	}
	zone->extents[1] = directory->n_extents;
	codec->is_bad |= zone->n_rows == 0;
}

static void block_read(struct directory *directory, struct codec *codec)
{
	uint64_t is_segment = 0, n_bytes = 0, crc = 0;

	codec_number(codec, &is_segment, 2);
	codec_number(codec, &n_bytes, UINT32_MAX);
	codec_number(codec, &crc, (uint64_t)UINT32_MAX + 1);
	if (is_segment)
		zone_read(directory, codec);
	codec->lacks_memory |=
		codec_is_good(codec) && !directory_add_block(directory, is_segment, n_bytes, (uint32_t)crc);
}

static uint64_t *rows_read(struct codec *codec, size_t *ret_n_rows)
{
	uint64_t *rows;

	codec_size(codec, ret_n_rows, cursor_left(&codec->from) + 1);
	if (!codec_is_good(codec) || !*ret_n_rows)
		return NULL;
	rows = calloc(*ret_n_rows, sizeof(*rows));
	codec->lacks_memory |= !rows;
	if (rows)
		record_rows(codec, rows, *ret_n_rows);
	return rows;
}

bool directory_read(struct directory *ret, const uint8_t *bytes, size_t n_bytes)
{
	struct codec codec = { .is_reading = true, .from = cursor_over(bytes, n_bytes) };
	size_t n_blocks = 0;

	*ret = (struct directory){ 0 };
	directory_record_facts(&codec, ret);
	codec_size(&codec, &n_blocks, 0);
	while (codec_is_good(&codec) && n_blocks--)
		block_read(ret, &codec);
	ret->firsts = rows_read(&codec, &ret->n_firsts);
	ret->gaps = rows_read(&codec, &ret->n_gaps);
	return codec_is_good(&codec) && cursor_left(&codec.from) == 0;
}
