/* SPDX-License-Identifier: MIT */
/* The events behind a track's state at a moment. */
#include <stdio.h>

#include "picture/rows.h"
#include "view/session/session.h"

enum { DETAILS_EVENTS = 100 };

void details_take(struct details *details, const struct tracks *tracks, const struct track *track,
	const struct segment *segment)
{
	*details = (struct details){ .segment = *segment };
	if (track->kind == RST_INTERVAL_THREAD && segment->class == RST_STATE_RUNNING)
		entity_label(tracks_entity(tracks, track->subject), details->thread, sizeof(details->thread));
}

static void add_seq(struct events_query *query, uint64_t seqs[DETAILS_SEQS], uint64_t seq)
{
	query->filter.seqs = seqs;
	if (seq != RST_NO_SEQ && (!query->filter.n_seqs || seqs[0] != seq))
		seqs[query->filter.n_seqs++] = seq;
}

bool details_ask(struct details *details, struct events_query *ret_query)
{
	const struct segment *segment = &details->segment;
	const bool has_run = *details->thread != '\0';

	snprintf(details->from, sizeof(details->from), "%llu", (unsigned long long)segment->from);
	snprintf(details->to, sizeof(details->to), "%llu", (unsigned long long)segment->to);
	*ret_query = (struct events_query){ .limit = DETAILS_EVENTS,
		.from = segment->from,
		.to = segment->to,
		.filter = { .from = details->from,
			.to = details->to,
			.contexts = { &details->thread_name, has_run } } };
	details->thread_name = details->thread;
	if (has_run)
		return true;
	add_seq(ret_query, details->seqs, segment->from_seq);
	add_seq(ret_query, details->seqs, segment->to_seq);
	return ret_query->filter.n_seqs > 0;
}
