/* SPDX-License-Identifier: MIT */
/* Events of the trace, in the form of JSON Lines. */
#include <string.h>

#include "view/server/server.h"

static void members_put(struct json *json, const struct events *events)
{
	const char *line = events->lines.start, *const end = line + events->n_bytes;

	json_array(json, "events");
	for (const char *line_end; line < end; line = line_end + 1) {
		line_end = memchr(line, '\n', (size_t)(end - line));
		json_line_begin(json);
		json_ready(json, NULL, (struct text){ line, (size_t)(line_end - line) });
	}
	json_end(json);
	json_array(json, "seqs");
	for (uint64_t i = 0; i < events->n; i++)
		json_known(json, NULL, events->seqs[i] != RST_NO_SEQ, events->seqs[i]);
	json_end(json);
}

bool events_put(
	const struct request *request, struct answer *answer, struct json *json, struct events_query *query)
{
	struct events events;
	struct rst_error err;
	enum rst_status status;
	bool is_done = true;

	query->format = &report_format_jsonl;
	if (!request->session->can_read_again) {
		answer_fail(
			answer, 409, "the trace came through a pipe: its events cannot be read once more");
		return false;
	}
	status = events_read(request->session, query, &events, &err);
	if (status < 0) {
		char text[1024];

		is_done = false;
		answer_fail(
			answer, status == RST_E_USAGE ? 400 : 500, rst_error_text(&err, text, sizeof(text)));
	}
	if (is_done)
		members_put(json, &events);
	events_done(&events);
	return is_done && !answer->body.error;
}
