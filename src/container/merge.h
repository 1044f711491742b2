/* SPDX-License-Identifier: MIT */
/*
 * Writes several traces as one store, in one scan: the caller reads them and gives their rows in the final
 * order. Things that belong to different traces are kept apart (model/origins.h).
 *
 *	store_merge_open(&merge, "x.rsx", inputs, n_inputs, &err)
 *	store_merge_batch(merge, n)                        after each rst_trace_next() of input n
 *	store_merge_row(merge, n, batch, row, ticks, &err) for each row
 *	store_merge_finish(merge, &end, &err)
 *	merge = store_merge_free(merge)
 */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include <rastrum/trace.h>

struct store_merge_input {
	struct rst_trace *trace; /* open, and read by the caller only */
	const char *name;	 /* of the trace among the others; borrowed */
};

struct store_merge;

/*
 * fd and name are the same as for store_write_open(). The inputs are borrowed. May return RST_E_IO,
 * RST_E_NOMEM, or RST_E_USAGE if there are too many inputs.
 */
enum rst_status store_merge_open(struct store_merge **ret, int fd, const char *name,
	const struct store_merge_input *inputs, size_t n_inputs, struct rst_error *err);

/* The inputs come from one host: a core number means the same core in all of them. */
void store_merge_share_cores(struct store_merge *merge);

/* Sets the ticks of the first event. */
void store_merge_first(struct store_merge *merge, uint64_t ticks);

/* The merged trace uses this input's clock; SIZE_MAX if its ticks have no common frequency. */
void store_merge_clock(struct store_merge *merge, size_t n);

/* Adds a sentence for `info`, without a full stop. Returns false if memory ran out. */
bool store_merge_warn(struct store_merge *merge, const char *sentence);

/* Called for a new batch of this input, which may have brought names and types. */
void store_merge_batch(struct store_merge *merge, size_t n);

/* Called when this input has no more rows. Returns false if memory ran out. */
bool store_merge_end(struct store_merge *merge, size_t n);

/* Adds a row of the last batch of an input, at these ticks of the merged trace. */
enum rst_status store_merge_row(struct store_merge *merge, size_t n, const struct rst_batch *batch,
	size_t row, uint64_t ticks, struct rst_error *err);

/* The same as store_write_finish(), for all inputs. */
enum rst_status store_merge_finish(
	struct store_merge *merge, const struct rst_error *end, struct rst_error *err);

/* NULL is fine; returns NULL. */
struct store_merge *store_merge_free(struct store_merge *merge);

#endif
