/* SPDX-License-Identifier: MIT */
/*
 * Which spans of a thread lie in which other ones: for the time that a span takes without those in it. Begins come with
 * the effects of a batch, ends with its pieces; a span that ends lies in the innermost one that began before it and is open.
 */
#ifndef ANALYSIS_STATS_NESTING_H
#define ANALYSIS_STATS_NESTING_H

#include "analysis/scan.h"
#include "analysis/subjects.h"

enum {
	NESTING_MAX = LIMIT(1024, 4)
}; /* open spans of a thread, and begins of one batch; the oldest are dropped */

struct nesting {
	struct subjects threads;
	uint64_t counted; /* ticks of the present span that others of its name in it have counted */
};

/* What is the same of spans that are called the same. The name is borrowed, as long as the trace lives. */
struct span_identity {
	const char *name;
	uint64_t id; /* of the object, or else of the type */
	bool is_of_object;
};

/* Of an effect that begins a span. */
struct span_identity span_identity_of(const struct occurrence *occurrence);

/* A span of this thread begins with the event of this sequence number. Returns false if memory ran out. */
bool nesting_begin(struct nesting *nesting, const struct rst_entity *thread, uint64_t seq,
	const struct span_identity *identity);

/*
 * What a piece of a span adds to the sum of those called the same: nothing where its end is not recorded, and
 * nothing that a span in it has added already. Called for each piece of a span, in their order, before
 * nesting_end(). Returns false if memory ran out.
 */
bool nesting_add(struct nesting *nesting, const struct piece *piece, uint64_t *ret_ticks);

/*
 * A span ends: *ret_self is its length without the spans in it, *ret_is_known false where its begin is not
 * known. Returns false if memory ran out.
 */
bool nesting_end(struct nesting *nesting, const struct piece *piece, uint64_t *ret_self, bool *ret_is_known);

void nesting_done(struct nesting *nesting);

#endif
