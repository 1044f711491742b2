/* SPDX-License-Identifier: MIT */
/* /api/details: the state of a track at a moment, with all its facts and its events. */
#include "view/rows.h"
#include "view/server/server.h"

static void put_interval(struct outbuf *out, const struct tracks *tracks, const struct track *track,
	const struct segment *segment)
{
	outbuf_puts(out, "{");
	put_number(out, "from", segment->from);
	put_number(out, "to", segment->to);
	put_state(out, segment->class);
	put_facts(out, tracks, track, segment);
	outbuf_puts(out, "}");
}

/* Writes the track and its interval, or null without an interval. Returns false if the track does not exist. */
static bool put_found(const struct request *request, struct answer *answer, uint64_t number, uint64_t at,
	struct details *details)
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
	if (n == tree_n(&track->tree) || tree_segment(&track->tree, n).from > at) {
		outbuf_puts(&answer->body, "null");
		return true;
	}

	const struct segment segment = tree_segment(&track->tree, n);

	details_take(details, tracks, track, &segment);
	put_interval(&answer->body, tracks, track, &segment);
	return true;
}

bool answer_details(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct details details = { .thread = "" };
	struct events_query query;
	uint64_t number = UINT64_MAX, at = UINT64_MAX;
	bool is_found;

	if (!parameter_number(request, answer, "track", 0, UINT32_MAX, &number) ||
		!parameter_number(request, answer, "at", 0, UINT64_MAX, &at))
		return true;
	session_lock(session);
	is_found = put_found(request, answer, number, at, &details);
	session_unlock(session);
	if (!is_found)
		return true;
	if (details.segment.from < details.segment.to && session->can_read_again &&
		details_ask(&details, &query)) {
		outbuf_puts(&answer->body, ",");
		if (!events_put(request, answer, &query))
			return answer->status != 200;
	}
	outbuf_puts(&answer->body, "}\n");
	return !answer->body.error;
}
