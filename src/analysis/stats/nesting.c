/* SPDX-License-Identifier: MIT */
#include "analysis/stats/nesting.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * A span that ends counts as inside of the innermost open span that began before it. A span that ended
 * without a piece (it took no time, or is not selected) stays here; the time that was counted in it counts
 * once for the outer spans, too.
 */
struct open_span {
	uint64_t seq;
	uint64_t inside; /* ticks of spans that lie in it, and in nothing else that began behind it */
	uint64_t owed;	 /* of these, the ticks that no span around it has counted */
	struct span_identity identity;
	uint64_t counted; /* ticks of spans that are called the same and lie in it */
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

/* Drops a span, but neither an outermost nor an innermost one, since those are most likely open. */
static void spans_drop(struct thread_spans *spans, size_t n)
{
	spans->open[n - 1].inside += spans->open[n].inside;
	spans->open[n - 1].owed += spans->open[n].owed;
	spans_remove(spans, n);
}

struct span_identity span_identity_of(const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	const bool is_of_object = facts->object.is_there;

	return (struct span_identity){ .name = facts->effect->name,
		.id = is_of_object ? facts->object.id : occurrence->batch->type[occurrence->row]->id,
		.is_of_object = is_of_object };
}

static bool is_same(const struct span_identity *a, const struct span_identity *b)
{
	return a->is_of_object == b->is_of_object && a->id == b->id &&
	       (a->name == b->name || (a->name && b->name && strcmp(a->name, b->name) == 0));
}

bool nesting_begin(struct nesting *nesting, const struct rst_entity *thread, uint64_t seq,
	const struct span_identity *identity)
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
	open[spans->n++] = (struct open_span){ .seq = seq, .identity = *identity };
	return true;
}

/* Counts the spans that began before this event. */
static size_t spans_before(const struct thread_spans *spans, uint64_t seq)
{
	size_t n = spans->n;

	while (n && spans->open[n - 1].seq >= seq)
		n--;
	return n;
}

/* The ticks of spans inside the n-th span, which ends. */
static uint64_t spans_inside(struct thread_spans *spans, size_t n)
{
	uint64_t inside = spans->open[n].inside;

	for (size_t i = n + 1; i < spans->n; i++) {
		inside += spans->open[i].owed;
		spans->open[i].owed = 0;
	}
	return inside;
}

/* Finds the innermost span around the n-th that has the same identity. Returns NULL if no span has it. */
static struct open_span *span_around(struct thread_spans *spans, size_t n)
{
	for (size_t i = n; i-- > 0;)
		if (is_same(&spans->open[i].identity, &spans->open[n].identity))
			return &spans->open[i];
	return NULL;
}

bool nesting_add(struct nesting *nesting, const struct piece *piece, uint64_t *ret_ticks)
{
	const uint64_t seq = piece->interval->from_seq, ticks = piece_ticks(piece);
	struct thread_spans *spans = spans_of(nesting, &piece->interval->object);
	struct open_span *around = NULL;
	uint64_t already;
	size_t n;

	*ret_ticks = 0;
	if (!spans || piece->interval->to_seq == RST_NO_SEQ)
		return spans != NULL;
	if (piece->from == piece->begin)
		nesting->counted = 0;
	n = spans_before(spans, seq);
	if (seq != RST_NO_SEQ && n < spans->n && spans->open[n].seq == seq) {
		nesting->counted += spans->open[n].counted;
		spans->open[n].counted = 0;
		around = span_around(spans, n);
	}
	if (around)
		around->counted += ticks;
	already = nesting->counted < ticks ? nesting->counted : ticks;
	nesting->counted -= already;
	*ret_ticks = ticks - already;
	return true;
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
