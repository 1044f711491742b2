/* SPDX-License-Identifier: MIT */
#include "analysis/stats/nesting.h"

#include <stdlib.h>

#include "base/array.h"

/*
 * What has ended in a span counts for the innermost span that began before it. A span that ended without a piece (it took no
 * time, or is not selected) stays here: what was counted there counts for the outer ones, too, once.
 */
struct open_span {
	uint64_t seq;
	uint64_t inside; /* ticks of spans that lie in it, and in nothing else that began behind it */
	uint64_t owed;	 /* of these, what no span around it has counted */
};

struct thread_spans {
	struct subject subject;
	struct open_span *open; /* in the order of their begins */
	size_t n, room;
};

static struct thread_spans *spans_of(struct nesting *nesting, const struct rst_entity *thread)
{
	nesting->threads.record_bytes = sizeof(struct thread_spans);
	return subject_of(&nesting->threads, thread);
}

static void spans_remove(struct thread_spans *spans, size_t n)
{
	memmove(spans->open + n, spans->open + n + 1, (spans->n - n - 1) * sizeof(*spans->open));
	spans->n--;
}

/* Neither the outermost nor the innermost ones, which are open most likely. */
static void spans_drop(struct thread_spans *spans, size_t n)
{
	spans->open[n - 1].inside += spans->open[n].inside;
	spans->open[n - 1].owed += spans->open[n].owed;
	spans_remove(spans, n);
}

bool nesting_begin(struct nesting *nesting, const struct rst_entity *thread, uint64_t seq)
{
	struct thread_spans *spans = spans_of(nesting, thread);
	struct open_span *open;

	if (!spans)
		return false;
	if (spans->n >= NESTING_MAX)
		spans_drop(spans, NESTING_MAX / 2);
	open = array_room(spans->open, spans->n, &spans->room, sizeof(*open));
	if (!open)
		return false;
	spans->open = open;
	open[spans->n++] = (struct open_span){ .seq = seq };
	return true;
}

/* How many began before this event. */
static size_t spans_before(const struct thread_spans *spans, uint64_t seq)
{
	size_t n = spans->n;

	while (n && spans->open[n - 1].seq >= seq)
		n--;
	return n;
}

/* What lies in the n-th one, which ends. */
static uint64_t spans_inside(struct thread_spans *spans, size_t n)
{
	uint64_t inside = spans->open[n].inside;

	for (size_t i = n + 1; i < spans->n; i++) {
		inside += spans->open[i].owed;
		spans->open[i].owed = 0;
	}
	return inside;
}

bool nesting_end(struct nesting *nesting, const struct piece *piece, uint64_t *ret_self, bool *ret_is_known)
{
	const uint64_t length = piece_length(piece), seq = piece->interval->from_seq;
	struct thread_spans *spans = spans_of(nesting, &piece->interval->object);
	size_t n;

	if (!spans)
		return false;
	n = spans_before(spans, seq);

	*ret_is_known = seq != RST_NO_SEQ && n < spans->n && spans->open[n].seq == seq;
	*ret_self = length;
	if (*ret_is_known) {
		const uint64_t inside = spans_inside(spans, n);

		*ret_self = length > inside ? length - inside : 0;
		spans_remove(spans, n);
	}
	if (n && seq != RST_NO_SEQ) {
		spans->open[n - 1].inside += length;
		spans->open[n - 1].owed += length;
	}
	return true;
}

void nesting_done(struct nesting *nesting)
{
	for (size_t i = 0; i < nesting->threads.n; i++)
		free(((struct thread_spans *)nesting->threads.all[i])->open);
	subjects_done(&nesting->threads);
}
