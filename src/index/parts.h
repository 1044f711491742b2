/* SPDX-License-Identifier: MIT */
/* The declarations that the files of this room share. */
#ifndef INDEX_PARTS_H
#define INDEX_PARTS_H

#include "dialect/store/pass.h"
#include "dialect/store/store.h"
#include "index/index.h"
#include "log/crc32c.h"
#include "trace/trace_parts.h"
#include "tracks/cache.h"

/* The bytes of the input with one checksum. */
enum { INDEX_BLOCK_BYTES = LIMIT(64 << 10, 64) };

/* An input that may have an index. */
struct index_input {
	struct source_file file;
	struct cache_mark mark;
	uint64_t salt; /* from the program and the options of the trace */
	char name[CACHE_NAME_MAX];
};

/* --- about.c: the payload of SOURCE --------------------------------------------------------------------- */

/* Returns false if the input of the trace is not one plain file, or is too small. */
bool index_input_of(const struct rst_trace *trace, struct index_input *ret);

/* The checksums of the blocks of an input that are known so far. */
struct index_sums {
	uint32_t *crc;
	size_t n, n_blocks;
	crc32c_function *crc32c;
};

bool index_sums_init(struct index_sums *sums, size_t n_bytes);
/* Adds the checksums of all whole blocks before byte `until`; of all blocks if that is n_bytes. */
void index_sums_reach(struct index_sums *sums, const struct source_file *file, uint64_t until);

bool index_about_write(const struct index_input *input, const struct index_sums *sums, struct bytes *to);

/*
 * Returns false if the index is of another input, of an earlier version of this one, or of another program.
 * *ret_crcs: the place of the checksums.
 */
bool index_about_fits(
	const struct index_input *input, const uint8_t *about, size_t n_bytes, const uint8_t **ret_crcs);

/* --- plan.c --------------------------------------------------------------------------------------------- */

struct index_ranges {
	struct store_range *items;
	size_t n, room;
};

/*
 * Finds the rows that are needed. Returns false if all are needed, or memory ran out. The caller frees items.
 */
bool index_plan(const struct directory *directory, const struct index_wish *wish, struct index_ranges *ret);

/*
 * Gets the moments of a wish as ticks; 0 and UINT64_MAX if from or to is NULL. Returns false if a text is no
 * moment.
 */
bool index_moments(uint64_t first_ticks, uint64_t clock_hz, const struct index_wish *wish, uint64_t *ret_from,
	uint64_t *ret_to);

/* --- window.c ------------------------------------------------------------------------------------------- */

/* Whether the input contains the places of its rows, so that it need not be read as a whole. */
bool index_has_heads(const struct rst_trace *trace);

/*
 * Makes the dialect leave out rows that are not needed. Returns false if it cannot, or all rows are needed.
 */
bool index_leave_out(struct rst_trace *trace, const struct index_wish *wish);

/* --- find.c, make.c ------------------------------------------------------------------------------------- */

/*
 * Returns true if the index is used; the new *trace then owns the old one. *ret_is_stale: the index is
 * missing, stale or damaged.
 */
bool index_find(struct rst_trace **trace, const struct index_input *input, const struct index_wish *wish,
	bool *ret_is_stale);

/* Whether there is an index that seems to be of the present version of this input. */
bool index_is_there(const struct index_input *input);

/* Writes an index while the caller reads the trace. */
void index_make(struct rst_trace *trace, const struct index_input *input);

/*
 * Reads the trace to make an index. Returns false, and leaves the trace as it was, if no index can be
 * written.
 */
bool index_make_now(struct rst_trace *trace, const struct index_input *input);

#endif
