/* SPDX-License-Identifier: MIT */
/* /api/tracks: all tracks, in the order in which the reader met them. */
#include "view/server/server.h"

enum { TRACKS_LIMIT = 10000 };

bool answer_tracks(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	const struct tracks *tracks = &session->tracks;
	struct outbuf *out = &answer->body;
	struct json json = { .out = out };
	uint64_t next = 0, limit = TRACKS_LIMIT;
	size_t n = 0;

	if (!parameter_number(request, answer, "offset", 0, UINT64_MAX, &next) ||
		!parameter_number(request, answer, "limit", 1, TRACKS_LIMIT, &limit))
		return true;
	session_lock(session);
	json_object(&json, NULL);
	json_unsigned(&json, "total", tracks->n);
	json_array(&json, "tracks");
	for (; next < tracks->n && n < limit; next++, n++) {
		const struct json_mark before = json_mark(&json);

		json_line_begin(&json);
		put_track(&json, NULL, tracks, tracks->all[next]);
		if (out_bytes(out) > ANSWER_MAX) {
			json_rewind(&json, &before);
			break;
		}
	}
	json_end(&json);
	json_known(&json, "next", next < tracks->n, next);
	json_end(&json);
	json_line_end(&json);
	session_unlock(session);
	return !out->error;
}
