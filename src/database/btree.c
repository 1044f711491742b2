/* SPDX-License-Identifier: MIT */
#include "database/btree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LEAF = 0x0d,
	INTERIOR = 0x05,
	LEAF_HEADER = 8,
	INTERIOR_HEADER = 12,
	CELL_MAX = 4 + 9,     /* of a page above leaves: a page and a row id */
	LOCK_AT = 0x40000000, /* the page at this byte is never used: section 1.5.1 */
	N_PAGES_AT = 28,
	VERSION_AT = 24,   /* the number of pages counts where this one and … */
	VALID_FOR_AT = 92, /* … this one are the same: section 1.3.7 */
	LOCAL_MAX = BTREE_PAGE_BYTES - 35,
	LOCAL_MIN = (BTREE_PAGE_BYTES - 12) * 32 / 255 - 23,
	CHAIN_BYTES = BTREE_PAGE_BYTES - 4,
};

static void store_be16(uint8_t *at, unsigned number)
{
	at[0] = (uint8_t)(number >> 8);
	at[1] = (uint8_t)number;
}

static void store_be32(uint8_t *at, uint32_t number)
{
	store_be16(at, number >> 16);
	store_be16(at + 2, number & 0xffff);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static enum rst_status file_fault(int error, struct rst_error *err)
{
	return error == ENOMEM ? error_nomem(err)
			       : error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot write the database: %s",
					 strerror(error));
}

enum rst_status btree_file_open(struct btree_file *file, const char *path, struct rst_error *err)
{
	struct stat st;

	file->fd = open(path, O_RDWR | O_CLOEXEC);
	if (file->fd < 0 || fstat(file->fd, &st) != 0 || lseek(file->fd, 0, SEEK_END) < 0)
		return file_fault(errno, err);
	file->n_pages = (uint32_t)(st.st_size / BTREE_PAGE_BYTES);
	return outbuf_init(&file->out, file->fd) ? RST_OK : error_nomem(err);
}

/* Writes the number of pages into the header: SQLite adds its pages behind them. */
static bool count_write(const struct btree_file *file)
{
	uint8_t count[4], version[4];

	store_be32(count, file->n_pages);
	return pread(file->fd, version, sizeof(version), VERSION_AT) == sizeof(version) &&
	       pwrite(file->fd, version, sizeof(version), VALID_FOR_AT) == sizeof(version) &&
	       pwrite(file->fd, count, sizeof(count), N_PAGES_AT) == sizeof(count);
}

enum rst_status btree_file_finish(struct btree_file *file, struct rst_error *err)
{
	if (!outbuf_flush(&file->out))
		return file_fault(file->out.error, err);
	return count_write(file) ? RST_OK : file_fault(errno ? errno : EIO, err);
}

void btree_file_close(struct btree_file *file)
{
	if (file->out.start)
		outbuf_done(&file->out);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct btree_file){ .fd = -1 };
}

/* Appends a page; returns its number. */
static uint32_t page_append(struct btree_file *file, const uint8_t *page)
{
	if (file->n_pages == LOCK_AT / BTREE_PAGE_BYTES && outbuf_reserve(&file->out, BTREE_PAGE_BYTES)) {
		memset(file->out.at, 0, BTREE_PAGE_BYTES);
		file->out.at += BTREE_PAGE_BYTES;
		file->n_pages++;
	}
	if (outbuf_reserve(&file->out, BTREE_PAGE_BYTES)) {
		memcpy(file->out.at, page, BTREE_PAGE_BYTES);
		file->out.at += BTREE_PAGE_BYTES;
	}
	return ++file->n_pages;
}

static uint32_t page_next(const struct btree_file *file)
{
	return file->n_pages + 1 + (file->n_pages == LOCK_AT / BTREE_PAGE_BYTES);
}

/* --- pages above leaves ------------------------------------------------------------------------------------------- */

static bool level_begin(struct btree_level *level)
{
	if (!level->page)
		level->page = malloc(BTREE_PAGE_BYTES);
	level->n_cells = 0;
	level->at = BTREE_PAGE_BYTES;
	return level->page;
}

static void level_close(struct btree_level *level, unsigned kind)
{
	const unsigned n_header = kind == LEAF ? LEAF_HEADER : INTERIOR_HEADER,
		       end = n_header + 2 * level->n_cells;

	level->page[0] = (uint8_t)kind;
	store_be16(level->page + 1, 0);
	store_be16(level->page + 3, level->n_cells);
	store_be16(level->page + 5, level->at);
	level->page[7] = 0;
	if (kind == INTERIOR)
		store_be32(level->page + 8, level->child);
	/* Clears the free space, so that no bytes of earlier rows remain there. */
	memset(level->page + end, 0, level->at - end);
}

static bool level_has_room(const struct btree_level *level, unsigned n_header, size_t n_bytes)
{
	return n_header + 2 * (level->n_cells + 1) + n_bytes <= level->at;
}

/* Adds a cell of n_bytes, for which the page has room, and returns its place. */
static uint8_t *cell_add(struct btree_level *level, unsigned n_header, size_t n_bytes)
{
	level->at -= (unsigned)n_bytes;
	store_be16(level->page + n_header + 2 * level->n_cells++, level->at);
	return level->page + level->at;
}

/*
 * Writes the cell of the previous child, and keeps this child until the next one: the last child of a page
 * has no cell.
 */
static void child_add(struct btree *tree, struct btree_file *file, unsigned n, uint32_t child, int64_t key)
{
	struct btree_level *level = &tree->levels[n];

	if (n == tree->n_levels) {
		tree->n_levels++;
		level->child = 0;
		if (n + 1 >= BTREE_LEVELS_MAX || !level_begin(level)) {
			file->out.error = n + 1 >= BTREE_LEVELS_MAX ? EFBIG : ENOMEM;
			tree->n_levels--;
			return;
		}
	}
	if (level->child && !level_has_room(level, INTERIOR_HEADER, CELL_MAX)) {
		level_close(level, INTERIOR);
		child_add(tree, file, n + 1, page_append(file, level->page), level->child_key);
		level_begin(level);
	} else if (level->child) {
		char cell[CELL_MAX];
		const size_t n_cell = (size_t)(btree_put_varint(cell + 4, (uint64_t)level->child_key) - cell);

		store_be32((uint8_t *)cell, level->child);
		memcpy(cell_add(level, INTERIOR_HEADER, n_cell), cell, n_cell);
	}
	level->child = child;
	level->child_key = key;
}

/* --- leaves ------------------------------------------------------------------------------------------------------- */

bool btree_init(struct btree *tree, uint32_t root)
{
	*tree = (struct btree){ .root = root, .n_levels = 1 };
	return level_begin(&tree->levels[0]);
}

/* Copies a part of a row, whose body follows its head. */
static void row_copy(
	uint8_t *to, const struct outbuf *head, const struct outbuf *body, size_t from, size_t n_bytes)
{
	const size_t n_head = (size_t)(head->at - head->start);

	if (from < n_head) {
		const size_t n = n_bytes < n_head - from ? n_bytes : n_head - from;

		memcpy(to, head->start + from, n);
		to += n;
		from += n;
		n_bytes -= n;
	}
	if (n_bytes)
		memcpy(to, body->start + (from - n_head), n_bytes);
}

/* Writes the end of a long row to overflow pages, each of which names the next one; returns the first. */
static uint32_t chain_write(struct btree_file *file, const struct outbuf *head, const struct outbuf *body,
	size_t from, size_t n_row)
{
	const uint32_t first = page_next(file);
	uint8_t page[BTREE_PAGE_BYTES];

	while (from < n_row) {
		const size_t n = n_row - from < CHAIN_BYTES ? n_row - from : CHAIN_BYTES;
		struct btree_file behind = { .n_pages = page_next(file) };

		store_be32(page, from + n < n_row ? page_next(&behind) : 0);
		row_copy(page + 4, head, body, from, n);
		memset(page + 4 + n, 0, CHAIN_BYTES - n);
		page_append(file, page);
		from += n;
	}
	return first;
}

/* How much of a row is on the leaf itself: section 1.6. */
static size_t local_bytes(size_t n_row)
{
	const size_t rest = LOCAL_MIN + (n_row - LOCAL_MIN) % CHAIN_BYTES;

	if (n_row <= LOCAL_MAX)
		return n_row;
	return rest <= LOCAL_MAX ? rest : LOCAL_MIN;
}

void btree_add(struct btree *tree, struct btree_file *file, int64_t id, const struct outbuf *head,
	const struct outbuf *body)
{
	const size_t n_row = (size_t)(head->at - head->start) + (size_t)(body->at - body->start);
	const size_t n_local = local_bytes(n_row);
	struct btree_level *leaf = &tree->levels[0];
	char lead[20];
	const size_t n_lead = (size_t)(btree_put_varint(btree_put_varint(lead, n_row), (uint64_t)id) - lead);
	const size_t n_cell = n_lead + n_local + (n_local < n_row ? 4 : 0);
	uint8_t *cell;

	if (file->out.error)
		return;
	if (!level_has_room(leaf, LEAF_HEADER, n_cell)) {
		level_close(leaf, LEAF);
		child_add(tree, file, 1, page_append(file, leaf->page), tree->last);
		level_begin(leaf);
	}
	cell = cell_add(leaf, LEAF_HEADER, n_cell);
	memcpy(cell, lead, n_lead);
	row_copy(cell + n_lead, head, body, 0, n_local);
	if (n_local < n_row)
		store_be32(cell + n_lead + n_local, chain_write(file, head, body, n_local, n_row));
	tree->last = id;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static void root_write(const struct btree *tree, struct btree_file *file, const uint8_t *page)
{
	const off_t at = (off_t)(tree->root - 1) * BTREE_PAGE_BYTES;

	if (!file->out.error && pwrite(file->fd, page, BTREE_PAGE_BYTES, at) != BTREE_PAGE_BYTES)
		file->out.error = errno ? errno : EIO;
}

void btree_finish(struct btree *tree, struct btree_file *file)
{
	for (unsigned n = 0; n < tree->n_levels && !file->out.error; n++) {
		struct btree_level *level = &tree->levels[n];

		level_close(level, n ? INTERIOR : LEAF);
		if (n + 1 == tree->n_levels) {
			root_write(tree, file, level->page);
			break;
		}
		child_add(
			tree, file, n + 1, page_append(file, level->page), n ? level->child_key : tree->last);
	}
}

void btree_done(struct btree *tree)
{
	for (unsigned n = 0; n < BTREE_LEVELS_MAX; n++)
		free(tree->levels[n].page);
	*tree = (struct btree){ .root = 0 };
}
