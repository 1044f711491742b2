/* SPDX-License-Identifier: MIT */
/*
 * Opens the index of an input. All parts of the index and of the input that will be read are first compared
 * with their checksums, because it is too late to start again once lines are written.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/load.h"
#include "index/parts.h"
#include "log/crc32c.h"

enum { BEFORE_PAYLOAD = 256 }; /* bytes before a payload that describe it */

struct finder {
	const struct index_input *input;
	uint8_t *bytes; /* the index, mapped */
	size_t n_bytes;
	struct directory directory;
	const uint8_t *crcs; /* of the input's blocks */
	uint8_t *checked;    /* by block: whether it was compared */
	struct index_ranges ranges;
	struct rst_trace *source; /* the trace whose input it is */
};

static void finder_free(void *context)
{
	struct finder *finder = context;

	rst_trace_free(finder->source);
	directory_done(&finder->directory);
	free(finder->ranges.items);
	free(finder->checked);
	if (finder->bytes)
		munmap(finder->bytes, finder->n_bytes);
	free(finder);
}

static bool map_index(struct finder *finder)
{
	const int fd = cache_open(finder->input->name);
	struct stat about;
	void *bytes = MAP_FAILED;

	if (fd < 0)
		return false;
	if (fstat(fd, &about) == 0 && about.st_size > STORE_HEAD_BYTES + STORE_TAIL_BYTES) {
		finder->n_bytes = (size_t)about.st_size;
		bytes = mmap(NULL, finder->n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	finder->bytes = bytes == MAP_FAILED ? NULL : bytes;
	return finder->bytes != NULL;
}

static bool head_fits(const struct finder *finder)
{
	const uint8_t *head = finder->bytes;

	return memcmp(head, STORE_MAGIC, STORE_MAGIC_BYTES) == 0 &&
	       load_u32(head + STORE_MAGIC_BYTES, false) == STORE_VERSION &&
	       load_u32(head + STORE_FLAGS_AT, false) == STORE_IS_INDEX &&
	       load_u32(head + STORE_HEAD_CRC_AT, false) == crc32c_choose()(0, head, STORE_HEAD_CRC_AT);
}

static bool block_at(
	const struct finder *finder, uint64_t at, enum store_block_kind kind, struct store_block *ret)
{
	return at < finder->n_bytes && block_look(finder->bytes + at, finder->n_bytes - (size_t)at, ret) &&
	       ret->kind == kind && block_is_whole(ret, finder->n_bytes - (size_t)at);
}

/* Checks the head and the end of the index, its directory, and its description of the input. */
static bool index_fits(struct finder *finder)
{
	struct store_block block;
	struct store_end end;

	return head_fits(finder) && store_end_find(finder->bytes, finder->n_bytes, &block) &&
	       store_end_read(&block, &end) && end.failure.status == RST_OK &&
	       block_at(finder, end.directory_at, STORE_DIRECTORY, &block) &&
	       directory_read(&finder->directory, block.at, (size_t)block.n_bytes) &&
	       block_at(finder, directory_end(&finder->directory), STORE_SOURCE, &block) &&
	       index_about_fits(finder->input, block.at, (size_t)block.n_bytes, &finder->crcs);
}

/* --- what will be read ---------------------------------------------------------------------------------- */

static bool source_is_sound(struct finder *finder, const struct directory_extent *extent)
{
	const struct source_file *file = &finder->input->file;
	const uint64_t start = extent->offset > BEFORE_PAYLOAD ? extent->offset - BEFORE_PAYLOAD : 0;
	crc32c_function *crc32c = crc32c_choose();

	if (extent->offset > file->n_bytes || extent->n_bytes > file->n_bytes - extent->offset)
		return false;
	for (uint64_t block = start / INDEX_BLOCK_BYTES;
		block * INDEX_BLOCK_BYTES < extent->offset + extent->n_bytes; block++) {
		const size_t at = (size_t)block * INDEX_BLOCK_BYTES, n_left = file->n_bytes - at;

		if (finder->checked[block])
			continue;
		finder->checked[block] = 1;
		if (crc32c(0, file->bytes + at, n_left < INDEX_BLOCK_BYTES ? n_left : INDEX_BLOCK_BYTES) !=
			load_u32(finder->crcs + 4 * block, false))
			return false;
	}
	return true;
}

static bool block_is_sound(struct finder *finder, const struct directory_block *of)
{
	const struct directory_segment *zone;
	struct store_block block;

	if (!block_at(finder, of->at, of->is_segment ? STORE_SEGMENT : STORE_DEFINITIONS, &block) ||
		block.n_bytes != of->n_bytes || block.crc != of->crc)
		return false;
	if (!of->is_segment)
		return true;
	zone = &finder->directory.segments[of->segment];
	for (size_t i = zone->extents[0]; i < zone->extents[1]; i++)
		if (!source_is_sound(finder, &finder->directory.extents[i]))
			return false;
	return true;
}

/* *range: the first range that ends after the previous segment. */
static bool is_wanted(const struct finder *finder, const struct directory_segment *zone, size_t *range)
{
	const struct index_ranges *ranges = &finder->ranges;

	while (*range < ranges->n && ranges->items[*range].to <= zone->row)
		(*range)++;
	return *range < ranges->n && ranges->items[*range].from < zone->row + zone->n_rows;
}

/* Checks all definitions, and the segments that have wanted rows. */
static bool all_is_sound(struct finder *finder)
{
	const struct directory *directory = &finder->directory;
	size_t range = 0;

	for (size_t i = 0; i < directory->n_blocks; i++) {
		const struct directory_block *block = &directory->blocks[i];

		if ((!block->is_segment || is_wanted(finder, &directory->segments[block->segment], &range)) &&
			!block_is_sound(finder, block))
			return false;
	}
	return true;
}

static struct rst_trace *open_index(struct finder *finder, const char *name)
{
	const struct rst_open how = { .dialect = dialect_store.name };
	struct rst_trace *trace;

	if (rst_trace_open_bytes(&trace, finder->bytes, finder->n_bytes, name, &how, NULL) < 0)
		return NULL;
	store_read_only(
		trace->state, &(struct store_plan){ .directory = &finder->directory,
				      .ranges = finder->ranges.items,
				      .n_ranges = finder->ranges.n,
				      .source = { finder->input->file.bytes, finder->input->file.n_bytes } });
	return trace;
}

bool index_find(struct rst_trace **trace, const struct index_input *input, const struct index_wish *wish,
	bool *ret_is_stale)
{
	struct finder *finder = calloc(1, sizeof(*finder));
	struct rst_trace *over = NULL;
	bool is_plan = false;

	*ret_is_stale = false;
	if (!finder)
		return false;
	finder->input = input;
	*ret_is_stale = !map_index(finder) || !index_fits(finder);
	if (!*ret_is_stale)
		is_plan = index_plan(&finder->directory, wish, &finder->ranges);
	if (is_plan) {
		finder->checked = calloc(input->file.n_bytes / INDEX_BLOCK_BYTES + 1, 1);
		*ret_is_stale = finder->checked && !all_is_sound(finder);
		if (finder->checked && !*ret_is_stale)
			over = open_index(finder, source_about((*trace)->sources[0]).name);
	}
	if (!over) {
		finder_free(finder);
		return false;
	}
	cache_touch(input->name);
	finder->source = *trace;
	finder->input = NULL; /* the caller's */
	over->tap = (struct trace_tap){ .done = finder_free, .context = finder };
	*trace = over;
	return true;
}

bool index_is_there(const struct index_input *input)
{
	struct finder finder = { .input = input };
	const bool is_there = map_index(&finder) && index_fits(&finder);

	directory_done(&finder.directory);
	if (finder.bytes)
		munmap(finder.bytes, finder.n_bytes);
	return is_there;
}
