/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a store, a container for traces of every dialect; docs/STORE.md describes all of them. Numbers
 * have the low byte first.
 *
 *	head    8 bytes of magic, version (u32), flags (u32), name of the dialect (12 bytes, then 0), CRC-32C of these (u32)
 *	blocks  each a header of 32 bytes and its payload, which 0 to 7 bytes of 0 follow
 *	        DEFINITIONS, SEGMENT, DEFINITIONS, SEGMENT, … SOURCE, DIRECTORY, END
 *	tail    where the block END begins (u64), magic of the tail (8 bytes)
 *
 * A store without END was not finished; its whole blocks are read.
 */
#ifndef STORE_FORMAT_H
#define STORE_FORMAT_H

#include <stdint.h>

#include "base/limit.h"

enum {
	STORE_HEAD_BYTES = 32,
	STORE_FLAGS_AT = 12,
	STORE_NAME_AT = 16,
	STORE_NAME_BYTES = 12,
	STORE_HEAD_CRC_AT = 28,
	STORE_BLOCK_BYTES = 32, /* of a block's header */
	STORE_TAIL_BYTES = 16,
	STORE_MAGIC_BYTES = 8,
	STORE_VERSION = 3,
	STORE_VERSION_FIRST = 1,  /* the first one that we can read; it has no DIRECTORY */
	STORE_VERSION_PACKED = 3, /* the first one whose payloads may be packed */
};

/* Flags of the head. */
enum {
	STORE_IS_INDEX = 1, /* payloads are in another file, which SOURCE describes */
	STORE_FLAGS_ALL = 1,
};

#define STORE_MAGIC	  "\x89RSX\r\n\x1a\n"
#define STORE_TAIL_MAGIC  "RSX tail"
#define STORE_BLOCK_MAGIC 0x4b425352u /* "RSBK" */

enum store_block_kind {
	STORE_DEFINITIONS = 1, /* things that the next events refer to: types, objects, contexts, facts */
	STORE_SEGMENT,	       /* rows, as columns */
	STORE_END,	       /* how reading the source ended, and where the directory is */
	STORE_DIRECTORY,       /* where each block is, and what is in it */
	STORE_SOURCE,	       /* in an index: the file that payloads are in */
	STORE_CARRIED, /* in a part of a recording: intervals, and numbers of the next segment's events */
	STORE_PART,    /* which part of which recording the store is */
};

/* A block's header, without its magic: kind, two numbers for random access, and the checksums. */
struct store_block {
	uint32_t kind;
	uint32_t crc;	   /* CRC-32C of the payload */
	uint64_t n_bytes;  /* of the payload */
	uint64_t row;	   /* the first row that it belongs to */
	const uint8_t *at; /* the payload */
};

/* The most rows of a segment, and the most bytes of their payloads. A single payload may be larger. */
enum { STORE_ROWS = LIMIT(65536, 64), STORE_PAYLOAD_BYTES = LIMIT(16 << 20, 4096) };

/*
 * The most rows of a segment of an index: fewer, so that reading some rows takes less, and the columns of a
 * segment stay in the cache.
 */
enum { STORE_INDEX_ROWS = LIMIT(16384, 64) };

/* Limits of packed payloads in a segment: their unpacked bytes, and how many for each byte of the segment. */
enum { STORE_PACKED_BYTES = 2 * STORE_PAYLOAD_BYTES, STORE_PACKED_RATIO = 1024 };

/* The most definitions of a kind in a store: more is damage. */
enum { STORE_LAYOUTS_MAX = 1 << 20, STORE_FIELDS_MAX = 4096, STORE_CONSTANTS_MAX = 1 << 20 };

#endif
