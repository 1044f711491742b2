/* SPDX-License-Identifier: MIT */
/* /api/details: what a track did at a moment, with all that is known of it, and its events. */
#include <stdio.h>

#include "view/rows.h"
#include "view/server/server.h"

enum { DETAILS_EVENTS = 100, NUMBER_ROOM = 24 };

/* What is asked for, copied: while events are read, the reader goes on. */
struct found {
	struct segment segment;
	char thread[LABEL_MAX]; /* whose events count; "": those that begin and end it */
};

static void put_interval(struct outbuf *out, const struct tracks *tracks, const struct track *track,
	const struct segment *segment)
{
	outbuf_printf(out, "{\"from\":%llu,\"to\":%llu,", (unsigned long long)segment->from,
		(unsigned long long)segment->to);
	put_state(out, segment->class);
	put_facts(out, tracks, track, segment);
	outbuf_puts(out, "}");
}

/* The track and its interval; false: there is no such track. */
static bool put_found(const struct request *request, struct answer *answer, uint64_t number, uint64_t at,
	struct found *found)
{
	const struct tracks *tracks = &request->session->tracks;
	const struct track *track = number < tracks->n ? tracks->all[number] : NULL;
	uint64_t n;

	if (!track) {
		answer_fail(answer, 400, "track must be a number of /api/tracks");
		return false;
	}
	n = tree_find(&track->tree, at);
	outbuf_puts(&answer->body, "{\"track\":");
	put_track(&answer->body, tracks, track);
	outbuf_puts(&answer->body, ",\"interval\":");
	if (n == tree_n(&track->tree) || tree_segment(&track->tree, n)->from > at) {
		outbuf_puts(&answer->body, "null");
		found->segment.from = 1; /* behind its end */
		return true;
	}
	found->segment = *tree_segment(&track->tree, n);
	put_interval(&answer->body, tracks, track, &found->segment);
	if (track->kind == RST_INTERVAL_THREAD && found->segment.class == RST_STATE_RUNNING)
		entity_label(tracks_entity(tracks, track->subject), found->thread, LABEL_MAX);
	return true;
}

/* Of what ran: its events; of everything else: those that began and ended it. */
static bool put_events(const struct request *request, struct answer *answer, const struct found *found)
{
	const struct segment *segment = &found->segment;
	const char *thread = found->thread;
	uint64_t seqs[2];
	char from[NUMBER_ROOM], to[NUMBER_ROOM];
	struct events_query query = { .limit = DETAILS_EVENTS, .to = segment->to };

	snprintf(from, sizeof(from), "%llu", (unsigned long long)segment->from);
	snprintf(to, sizeof(to), "%llu", (unsigned long long)segment->to);
	query.filter =
		(struct filter_spec){ .from = from, .to = to, .contexts = { &thread, *thread != '\0' } };
	if (!*thread) {
		query.filter.seqs = seqs;
		if (segment->from_seq != RST_NO_SEQ)
			seqs[query.filter.n_seqs++] = segment->from_seq;
		if (segment->to_seq != RST_NO_SEQ && segment->to_seq != segment->from_seq)
			seqs[query.filter.n_seqs++] = segment->to_seq;
		if (!query.filter.n_seqs)
			return true;
	}
	outbuf_puts(&answer->body, ",");
	return events_put(request, answer, &query);
}

bool answer_details(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct found found = { .thread = "" };
	uint64_t number = UINT64_MAX, at = UINT64_MAX;
	bool is_found;

	if (!parameter_number(request, answer, "track", 0, UINT32_MAX, &number) ||
		!parameter_number(request, answer, "at", 0, UINT64_MAX, &at))
		return true;
	session_lock(session);
	is_found = put_found(request, answer, number, at, &found);
	session_unlock(session);
	if (!is_found)
		return true;
	if (found.segment.from < found.segment.to && session->can_read_again &&
		!put_events(request, answer, &found))
		return answer->status != 200;
	outbuf_puts(&answer->body, "}\n");
	return !answer->body.error;
}
