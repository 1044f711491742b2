/* SPDX-License-Identifier: MIT */
/*
 * Reads traces of the compact encoder, embed/compact. README.md describes the format. Files: input.c finds
 * blocks in chunks, block.c recognises a block, and rows.c makes rows of its records. events.c makes types,
 * names.c reads names, image.c reads the memory of a program.
 */
#ifndef COMPACT_COMPACT_H
#define COMPACT_COMPACT_H

#include "dialect/dialect.h"

enum {
	COMPACT_HEAD_BYTES = 16,
	COMPACT_PAYLOAD_MAX = 255,
	COMPACT_CHECKSUM_BYTES = 2,
	COMPACT_BLOCK_MAX = COMPACT_HEAD_BYTES + COMPACT_PAYLOAD_MAX + COMPACT_CHECKSUM_BYTES,
	COMPACT_MARK = 0xf5,
	COMPACT_EVENTS = 'e',
	COMPACT_NAMES = 'n',
	COMPACT_RAW = 'r', /* as it lies in the target's memory: no checksum, perhaps not full yet */
	COMPACT_VALUES_MAX = 3,
	COMPACT_CORES = 64,
	COMPACT_NESTING = 8,
	COMPACT_USERS = 32,			/* event numbers of the program … */
	COMPACT_USER_FIRST = 32,		/* … from this one on */
	COMPACT_CONTEXTS_MAX = LIMIT(4096, 16), /* tasks beyond are not distinguished */
	COMPACT_OBJECTS_MAX = LIMIT(65536, 32),
	COMPACT_MEMORY_MAX = LIMIT(16 << 20, 2048) /* bytes of memory that are gathered */
};

/* A block, as its head shows. */
struct compact_block {
	uint8_t kind;
	uint8_t core;
	uint32_t first_event; /* its number */
	uint32_t n_lost;      /* of the earlier ones, refused by the recorder */
	uint32_t stamp;
	const uint8_t *payload;
	size_t n_payload;
	uint64_t offset; /* of its mark in the input */
	const char *source;
};

enum compact_find {
	COMPACT_FOUND,
	COMPACT_NONE, /* no block begins here */
	COMPACT_CUT   /* one may begin here; more bytes are needed to decide */
};

/* The task and interrupts that run on a core. */
struct compact_core {
	bool has_task;
	uint8_t n_interrupts;
	uint32_t task;
	uint32_t interrupts[COMPACT_NESTING];
};

/* The block whose records are being read. */
struct compact_reading {
	bool is_open;
	bool has_started; /* what precedes its first record has been reported */
	struct compact_block block;
	size_t n_used;
	uint32_t stamp; /* of the last record */
	unsigned core;
};

/* Checksums of the bytes in front (sums.c). */
enum { COMPACT_SUMS = 4096 };
struct compact_sums {
	const uint8_t *from;
	size_t n, n_next;
	uint16_t powers[COMPACT_BLOCK_MAX]; /* x^(8 * n); all zero before the first begin() */
	uint16_t sums[COMPACT_SUMS + 1];
};

/* The bytes up to here that are not a block. */
struct compact_skipped {
	uint64_t offset, n_bytes;
	const char *source;
};

/* The memory of a program: where its blocks are, oldest first. */
struct compact_image {
	bool is_one;
	size_t block_bytes, n_blocks, first, n_done;
};

enum { COMPACT_COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH };

struct compact {
	struct compact_reading reading;
	struct compact_skipped skipped;
	struct compact_sums sums;
	struct compact_image image;
	size_t n_seen; /* bytes of memory that arrives in chunks; 0 for other inputs */

	bool has_expected; /* a block of events has come: `expected` is the next one's first number */
	uint32_t expected, n_lost;
	struct clock clock;
	uint64_t seq;
	struct compact_core cores[COMPACT_CORES];
	const struct rst_layout *layouts[256]; /* by id */
	const char *user_names[COMPACT_USERS];
	bool has_program, has_passed_objects;
};

extern const struct dialect dialect_compact;

/* Results of a reading step, which decide the caller's next step. */
enum compact_step { COMPACT_DONE, COMPACT_NO_ROOM, COMPACT_NO_MEMORY };

/*
 * block.c: judges whether a block begins at `at`. The payload is borrowed from there. If sums is NULL, only
 * this block is summed up.
 */
enum compact_find compact_find(
	struct compact_block *ret, const uint8_t *at, size_t n_bytes, struct compact_sums *sums);

/*
 * sums.c: compact_checksum() returns the checksum of a run of 2 to COMPACT_BLOCK_MAX bytes. compact_sums_of()
 * returns those of many runs, of bytes that must not change after compact_sums_begin(); n_there bytes follow
 * `at`, which may only move forward.
 */
uint16_t compact_checksum(const uint8_t *bytes, size_t n_bytes);
void compact_sums_begin(struct compact_sums *sums);
uint16_t compact_sums_of(struct compact_sums *sums, const uint8_t *at, size_t n_bytes, size_t n_there);

/* Takes a number with seven bits in each byte. Returns false if it has more than 32 bits, or is cut. */
bool compact_number_long(const uint8_t **at, const uint8_t *end, uint32_t *ret);

/* The same; most have one byte. */
static inline bool compact_number(const uint8_t **at, const uint8_t *end, uint32_t *ret)
{
	if (__builtin_expect(*at == end || **at > 127, 0))
		return compact_number_long(at, end, ret);
	*ret = *(*at)++;
	return true;
}

/*
 * input.c: takes the next block off the chunk. Returns COMPACT_NONE if the whole chunk is used, COMPACT_CUT
 * if the possible beginning of a block is left.
 */
enum compact_find compact_next_block(struct compact *compact, struct chunk *chunk, struct compact_block *ret);

/* Notes that these bytes are not a block. */
void compact_skip(struct compact *compact, uint64_t offset, const char *source, size_t n_bytes);

/* Reports skipped bytes as damage. The batch must have room for a marker. */
bool compact_report_skipped(struct compact *compact, struct model *model, struct batch *batch);

/*
 * rows.c: compact_begin() begins a block of events or of memory; compact_rows() makes rows of it until it
 * ends or the batch is full.
 */
void compact_begin(struct compact *compact, const struct compact_block *block);
enum compact_step compact_rows(struct compact *compact, struct model *model, struct batch *batch);

/* events.c: makes the type of an id. NULL when memory ran out. */
const struct rst_layout *compact_layout_make(struct compact *compact, struct model *model, uint8_t id);

/* The type of an id, made when it is first requested. */
static inline const struct rst_layout *compact_layout(
	struct compact *compact, struct model *model, uint8_t id)
{
	const struct rst_layout *layout = compact->layouts[id];

	return __builtin_expect(layout != NULL, 1) ? layout : compact_layout_make(compact, model, id);
}
bool compact_catalogue(struct model *model);

/* names.c: takes the names of a block. Returns false when memory ran out. */
bool compact_names(struct compact *compact, struct model *model, const struct compact_block *block);

/*
 * image.c: compact_is_image() tests whether these bytes are the memory of a recorder; compact_image_next()
 * gives its blocks, oldest first, and returns false if there are no more blocks.
 */
bool compact_is_image(struct compact_image *ret, const uint8_t *bytes, size_t n_bytes);
bool compact_image_next(struct compact_image *image, const uint8_t *bytes, struct compact_block *ret);

/*
 * image.c: the length of a cut block at the end of the memory; 0 if it ends with a whole block or with unused
 * ones.
 */
size_t compact_image_cut(const struct compact_image *image, const uint8_t *bytes, size_t n_bytes);

/*
 * Whether the chunk is a part of memory that arrives in chunks, and waits for the rest. If there are too many
 * bytes for memory, they become damage, and the following bytes are read as a stream.
 */
bool compact_image_waits(struct compact *compact, struct chunk *chunk);

#endif
