/* SPDX-License-Identifier: MIT */
/*
 * Writes rows into tables of an SQLite file without SQLite, which takes several times as long
 * (sqlite.org/fileformat2.html, sections 1.5 to 2.1). A table is a b-tree by row id; rows come in the order
 * of their ids, so its pages are written once, one after the other, from the leaves up. SQLite has made the
 * file and the tables, and is not connected to it meanwhile.
 *
 *	   root			  where SQLite has put it: written last
 *	   /  \
 *	 page  page		  for each child its number, and the largest row id in it
 *	 /  \    \
 *    leaf  leaf  leaf		  rows, from the end of the page to its front; the ends of long ones on pages of their own
 */
#ifndef DATABASE_BTREE_H
#define DATABASE_BTREE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/load.h"
#include "base/outbuf.h"

enum { BTREE_PAGE_BYTES = 8192, BTREE_LEVELS_MAX = 10, PACKED_COLUMNS_MAX = 24 };

/* The file that trees share. */
struct btree_file {
	int fd;
	uint32_t n_pages;  /* that are used */
	struct outbuf out; /* those that follow each other and are not written yet */
};

/* Adds pages behind those that the file has. RST_E_IO, RST_E_NOMEM; btree_file_close() is due in any case. */
enum rst_status btree_file_open(struct btree_file *file, const char *path, struct rst_error *err);

/* Writes the remaining pages, so that SQLite may be connected. The file must then be closed. RST_E_IO. */
enum rst_status btree_file_finish(struct btree_file *file, struct rst_error *err);
void btree_file_close(struct btree_file *file);

/* A page that is being filled: a leaf (level 0), or a page above it. */
struct btree_level {
	uint8_t *page;	  /* NULL until the level has a page */
	unsigned n_cells; /* their places are behind the page's header … */
	unsigned at;	  /* … and they themselves from here to its end */
	uint32_t child;	  /* the last child, which has no cell yet; 0 if there is no child */
	int64_t child_key;
};

struct btree {
	uint32_t root;
	int64_t last; /* row id */
	unsigned n_levels;
	struct btree_level levels[BTREE_LEVELS_MAX];
};

/* Returns false if memory ran out. btree_done() is due in any case. */
bool btree_init(struct btree *tree, uint32_t root);

/* The row id is greater than the last one. Failures to write are remembered in file->out. */
void btree_add(struct btree *tree, struct btree_file *file, int64_t id, const struct outbuf *head,
	const struct outbuf *body);

/* Writes the pages that are not full. */
void btree_finish(struct btree *tree, struct btree_file *file);
void btree_done(struct btree *tree);

/* --- records ------------------------------------------------------------------------------------------------------ */

/* A row: what type each column has, and the values (section 2.1). */
struct packed {
	struct outbuf head, body;
};

static inline bool packed_init(struct packed *packed)
{
	return outbuf_init(&packed->head, OUTBUF_MEMORY) && outbuf_init(&packed->body, OUTBUF_MEMORY);
}

static inline void packed_done(struct packed *packed)
{
	if (packed->head.start)
		outbuf_done(&packed->head);
	if (packed->body.start)
		outbuf_done(&packed->body);
}

/* The length of the head is in front of it. One byte is enough for it: a row has few columns. */
static inline void packed_begin(struct packed *packed)
{
	packed->head.at = packed->head.start + 1;
	packed->body.at = packed->body.start;
}

/* Numbers of SQLite's files: the highest seven bits first. */
static inline char *btree_put_varint(char *p, uint64_t number)
{
	char bytes[10];
	unsigned n = 0;

	if (number < 0x80) {
		*p++ = (char)number;
		return p;
	}
	if (number >> 56) { /* the ninth byte has eight */
		p[8] = (char)number;
		number >>= 8;
		for (int i = 7; i >= 0; i--, number >>= 7)
			p[i] = (char)(number | 0x80);
		return p + 9;
	}
	for (; number || !n; number >>= 7)
		bytes[n++] = (char)(number | 0x80);
	bytes[0] &= 0x7f;
	while (n)
		*p++ = bytes[--n];
	return p;
}

static inline void packed_null(struct packed *packed)
{
	*packed->head.at++ = 0;
}

/* Adds the number in as few bytes as it needs, the highest first. */
static inline void packed_number(struct packed *packed, int64_t number)
{
	static const uint8_t types[9] = { 1, 1, 2, 3, 4, 5, 5, 6, 6 }, lengths[7] = { 0, 1, 2, 3, 4, 6, 8 };
	const uint64_t size = (uint64_t)(number < 0 ? ~number : number);
	const unsigned n_bits = 65 - (unsigned)__builtin_clzll(size | 1), type = types[(n_bits + 7) / 8];
	uint64_t stored;

	if (size <= 1 && number >= 0) {
		*packed->head.at++ = (char)(8 + number);
		return;
	}
	*packed->head.at++ = (char)type;
	stored = htobe64((uint64_t)number << (64 - 8 * lengths[type]));
	memcpy(packed->body.at, &stored, sizeof(stored));
	packed->body.at += lengths[type];
}

/* Adds the number in eight bytes, the highest first. */
static inline void packed_real(struct packed *packed, double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	bits = htobe64(bits);
	*packed->head.at++ = 7;
	memcpy(packed->body.at, &bits, sizeof(bits));
	packed->body.at += sizeof(bits);
}

enum { PACKED_ROOM = 512 }; /* of a row's numbers, in head and body */

/* A row has room for its numbers; each text makes its own. Returns false if memory ran out. */
static inline bool packed_text(struct packed *packed, const char *bytes, size_t n_bytes)
{
	packed->head.at = btree_put_varint(packed->head.at, 13 + 2 * (uint64_t)n_bytes);
	if (!outbuf_reserve(&packed->body, n_bytes + PACKED_ROOM))
		return false;
	if (n_bytes)
		memcpy(packed->body.at, bytes, n_bytes);
	packed->body.at += n_bytes;
	return true;
}

/* Ends the row after its last column and adds it to the tree. */
static inline void packed_end(struct packed *packed, struct btree *tree, struct btree_file *file, int64_t id)
{
	*packed->head.start = (char)(packed->head.at - packed->head.start);
	btree_add(tree, file, id, &packed->head, &packed->body);
}

#endif
