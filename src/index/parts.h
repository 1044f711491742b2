/* SPDX-License-Identifier: MIT */
/* What the files of this room share. */
#ifndef INDEX_PARTS_H
#define INDEX_PARTS_H

#include "dialect/store/pass.h"
#include "dialect/store/store.h"
#include "dialect/trace_parts.h"
#include "index/index.h"
#include "log/crc32c.h"
#include "store/cache.h"

/* Bytes of the input that have one checksum. */
enum { INDEX_BLOCK_BYTES = LIMIT(64 << 10, 64) };

/* An input that may have an index. */
struct index_input {
	struct source_file file;
	struct cache_mark mark;
	uint64_t salt; /* of the program, and how the trace is opened */
	char name[CACHE_NAME_MAX];
};

/* --- about.c: the payload of SOURCE ------------------------------------------------------------------------------------ */

/*
 * Returns false if the trace is read from something else than one file as it is, or from one that is too
 * small.
 */
bool index_input_of(const struct rst_trace *trace, struct index_input *ret);

/* Checksums of the blocks of an input, as far as they are known. */
struct index_sums {
	uint32_t *crc;
	size_t n, n_blocks;
	crc32c_function *crc32c;
};

bool index_sums_init(struct index_sums *sums, size_t n_bytes);
/* Those of all whole blocks in front of byte `until`; n_bytes: of all. */
void index_sums_reach(struct index_sums *sums, const struct source_file *file, uint64_t until);

bool index_about_write(const struct index_input *input, const struct index_sums *sums, struct bytes *to);

/*
 * Returns false if it is of another input, of this one as it was, or of another program. *ret_crcs: where the
 * checksums are.
 */
bool index_about_fits(
	const struct index_input *input, const uint8_t *about, size_t n_bytes, const uint8_t **ret_crcs);

/* --- plan.c -------------------------------------------------------------------------------------------------------------- */

struct index_ranges {
	struct store_range *items;
	size_t n, room;
};

/* The rows that are needed. Returns false if all of them, or memory ran out. The caller frees items. */
bool index_plan(const struct directory *directory, const struct index_wish *wish, struct index_ranges *ret);

/* The moments of a wish as ticks; 0 and UINT64_MAX where there are none. false: one is no moment. */
bool index_moments(uint64_t first_ticks, uint64_t clock_hz, const struct index_wish *wish, uint64_t *ret_from,
	uint64_t *ret_to);

/* --- window.c ------------------------------------------------------------------------------------------------------------ */

/* Whether the input says itself where its rows are, so that it need not be looked at as a whole. */
bool index_has_heads(const struct rst_trace *trace);

/* Has the dialect leave out what is not needed. Returns false if it cannot, or everything is needed. */
bool index_leave_out(struct rst_trace *trace, const struct index_wish *wish);

/* --- find.c, make.c -------------------------------------------------------------------------------------------------------- */

/* Takes the trace over where it is true. *ret_is_stale: there is an index, but it is of no use. */
bool index_find(struct rst_trace **trace, const struct index_input *input, const struct index_wish *wish,
	bool *ret_is_stale);

/* Whether there is one that seems to be of this input as it is now. */
bool index_is_there(const struct index_input *input);

/* Writes one while the caller reads the trace. */
void index_make(struct rst_trace *trace, const struct index_input *input);

/* Reads the trace for it. Returns false if none can be written, and the trace is as it was. */
bool index_make_now(struct rst_trace *trace, const struct index_input *input);

#endif
