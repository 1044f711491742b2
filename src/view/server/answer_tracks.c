/* SPDX-License-Identifier: MIT */
/* /api/tracks: all tracks, in the order in which the reader met them. */
#include "view/server/server.h"

enum { TRACKS_LIMIT = 10000 };

bool answer_tracks(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	const struct tracks *tracks = &session->tracks;
	struct outbuf *out = &answer->body;
	uint64_t next = 0, limit = TRACKS_LIMIT;
	size_t n = 0;

	if (!parameter_number(request, answer, "offset", 0, UINT64_MAX, &next) ||
		!parameter_number(request, answer, "limit", 1, TRACKS_LIMIT, &limit))
		return true;
	session_lock(session);
	outbuf_printf(out, "{\"total\":%zu,\"tracks\":[", tracks->n);
	for (; next < tracks->n && n < limit; next++, n++) {
		const size_t before = out_bytes(out);

		outbuf_puts(out, n ? ",\n" : "\n");
		put_track(out, tracks, tracks->all[next]);
		if (out_bytes(out) > ANSWER_MAX) {
			out_rewind(out, before);
			break;
		}
	}
	if (next < tracks->n)
		outbuf_printf(out, "],\"next\":%llu}\n", (unsigned long long)next);
	else
		outbuf_puts(out, "],\"next\":null}\n");
	session_unlock(session);
	return !out->error;
}
