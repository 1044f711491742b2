/* SPDX-License-Identifier: MIT */
#include "analysis/stats/askers.h"

#include <stdlib.h>

#include "base/array.h"

struct ask {
	uint64_t seq, at;
	const struct rst_type *type;
	enum rst_reason reason; /* none: any */
	bool has_waited;
};

enum { ASKS_MAX = RST_BATCH_EVENTS + 1 };

struct thread_asks {
	struct subject subject;
	struct ask *asks; /* in the order of time, the present ones from first on */
	size_t first, n, room;
};

static struct thread_asks *asks_of(struct askers *askers, const struct rst_entity *thread)
{
	askers->threads.record_bytes = sizeof(struct thread_asks);
	return subject_of(&askers->threads, thread);
}

/* Forgotten requests make room: at most half as often as requests come. */
static void asks_compact(struct thread_asks *asks)
{
	if (asks->n == ASKS_MAX) {
		asks->first++;
		asks->n--;
	}
	if (asks->first < asks->n + 1)
		return;
	memmove(asks->asks, asks->asks + asks->first, asks->n * sizeof(*asks->asks));
	asks->first = 0;
}

bool askers_ask(struct askers *askers, const struct occurrence *occurrence)
{
	struct thread_asks *asks;
	struct ask *ask;

	askers->threads.record_bytes = sizeof(*asks);
	asks = subject_of_context(&askers->threads, occurrence->facts->thread);
	if (!asks)
		return false;
	asks_compact(asks);
	if (asks->n && asks->asks[asks->first + asks->n - 1].seq == occurrence->seq)
		return true;
	ask = array_room(asks->asks, asks->first + asks->n, &asks->room, sizeof(*ask));
	if (!ask)
		return false;
	asks->asks = ask;
	ask[asks->first + asks->n++] = (struct ask){ .seq = occurrence->seq,
		.at = occurrence->at,
		.type = occurrence->batch->type[occurrence->row],
		.reason = occurrence->facts->reason };
	return true;
}

bool askers_piece(struct askers *askers, const struct piece *piece, const struct rst_type **ret_type,
	bool *ret_is_first)
{
	const struct rst_interval *interval = piece->interval;
	struct thread_asks *asks = asks_of(askers, &interval->subject);
	struct ask *ask;

	*ret_type = NULL;
	*ret_is_first = false;
	if (!asks)
		return false;
	while (asks->n > 1 && asks->asks[asks->first + 1].at <= piece->begin) {
		asks->first++;
		asks->n--;
	}
	ask = asks->n ? &asks->asks[asks->first] : NULL;
	if (!ask || interval->state != RST_STATE_WAITING || ask->at > piece->begin ||
		(ask->reason != RST_REASON_NONE && ask->reason != interval->reason))
		return true;
	*ret_type = ask->type;
	*ret_is_first = !ask->has_waited;
	ask->has_waited = true;
	return true;
}

void askers_done(struct askers *askers)
{
	for (size_t i = 0; i < askers->threads.n; i++)
		free(((struct thread_asks *)askers->threads.all[i])->asks);
	subjects_done(&askers->threads);
}
