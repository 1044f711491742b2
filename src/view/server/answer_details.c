/* SPDX-License-Identifier: MIT */
/* /api/details: the state of a track at a moment, with all its facts and its events. */
#include "picture/rows.h"
#include "view/server/server.h"

static void put_interval(struct json *json, const struct tracks *tracks, const struct track *track,
	const struct segment *segment)
{
	json_object(json, "interval");
	json_unsigned(json, "from", segment->from);
	json_unsigned(json, "to", segment->to);
	put_state(json, segment->class);
	put_facts(json, tracks, track, segment);
	json_end(json);
}

/*
 * Writes the track and its interval, or null without an interval. Returns false if the track does not exist.
 */
static bool put_found(const struct request *request, struct answer *answer, struct json *json,
	uint64_t number, uint64_t at, struct details *details)
{
	const struct tracks *tracks = &request->session->tracks;
	const struct track *track = number < tracks->n ? tracks->all[number] : NULL;
	uint64_t n;

	if (!track) {
		answer_fail(answer, 400, "track must be a number of /api/tracks");
		return false;
	}
	n = tree_find(&track->tree, at);
	json_object(json, NULL);
	put_track(json, "track", tracks, track);
	if (n == tree_n(&track->tree) || tree_segment(&track->tree, n).from > at) {
		json_null(json, "interval");
		return true;
	}

	const struct segment segment = tree_segment(&track->tree, n);

	details_take(details, tracks, track, &segment);
	put_interval(json, tracks, track, &segment);
	return true;
}

bool answer_details(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct details details = { .thread = "" };
	struct json json = { .out = &answer->body };
	struct events_query query;
	uint64_t number = UINT64_MAX, at = UINT64_MAX;
	bool is_found;

	if (!parameter_number(request, answer, "track", 0, UINT32_MAX, &number) ||
		!parameter_number(request, answer, "at", 0, UINT64_MAX, &at))
		return true;
	session_lock(session);
	is_found = put_found(request, answer, &json, number, at, &details);
	session_unlock(session);
	if (!is_found)
		return true;
	if (details.segment.from < details.segment.to && session->can_read_again &&
		details_ask(&details, &query) && !events_put(request, answer, &json, &query))
		return answer->status != 200;
	json_end(&json);
	json_line_end(&json);
	return !answer->body.error;
}
