/* SPDX-License-Identifier: MIT */
/* Works that leave and use the index of a large input, in a cache of their own. */
#ifndef BENCH_INDEX_H
#define BENCH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct index_bench {
	const char *path; /* of the input */
	char folder[40];  /* of the cache */
};

/* From here on this process and its children have the cache. false: there is no place for it. */
bool index_bench_begin(struct index_bench *bench, const char *path);
void index_bench_end(const struct index_bench *bench);

/* A work for bench_row: counts all events, as info does, and leaves an index, without one that is there. */
bool index_build(void *bench);

/* The same counts, without leaving one. */
bool index_read(void *bench);

/* The looks that an index serves; each false when it failed. */
bool index_last(const struct index_bench *bench);			    /* report --last 10 */
bool index_from(const struct index_bench *bench, uint64_t ticks);	    /* report --from */
bool index_info(const struct index_bench *bench, uint64_t *ret_last_ticks); /* info */

/* Bytes of the index that is there. */
uint64_t index_bytes(const struct index_bench *bench);

#endif
