/* SPDX-License-Identifier: MIT */
/*
 * The nesting of a thread's spans: for the time of a span without the spans in it. Begins come with the
 * effects of a batch, ends with its pieces. A span that ends lies in the innermost open span that began
 * before it.
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
	uint64_t counted; /* ticks of the present span that spans of the same name in it have counted */
};

/* The key by which spans count as the same. The name is borrowed and lives as long as the trace. */
struct span_identity {
	const char *name;
	uint64_t id; /* of the object, or else of the type */
	bool is_of_object;
};

/* The identity of the span that an effect begins. */
struct span_identity span_identity_of(const struct occurrence *occurrence);

/* A span of this thread begins with the event of this sequence number. Returns false if memory ran out. */
bool nesting_begin(struct nesting *nesting, const struct rst_entity *thread, uint64_t seq,
	const struct span_identity *identity);

/*
 * Computes the ticks that a piece of a span adds to the sum of spans with the same identity. They are 0 if
 * the end of the span is not recorded, and leave out ticks that a span in it has already added. Called for
 * each piece of a span, in their order, before nesting_end(). Returns false if memory ran out.
 */
bool nesting_add(struct nesting *nesting, const struct piece *piece, uint64_t *ret_ticks);

/*
 * A span ends: *ret_self is its length without the spans in it, *ret_is_known is false if its begin is not
 * known. Returns false if memory ran out.
 */
bool nesting_end(struct nesting *nesting, const struct piece *piece, uint64_t *ret_self, bool *ret_is_known);

void nesting_done(struct nesting *nesting);

#endif
