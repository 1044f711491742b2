/* SPDX-License-Identifier: MIT */
/* Events of the trace, in the form of JSON Lines. */
#include <string.h>

#include "view/server/server.h"

/* "events":[…],"seqs":[…] */
static void members_put(struct outbuf *out, const struct events *events)
{
	const char *line = events->lines.start, *const end = line + events->n_bytes;

	outbuf_puts(out, "\"events\":[");
	for (const char *next; line < end; line = next) {
		next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
		outbuf_puts(out, line == events->lines.start ? "\n" : ",\n");
		if (outbuf_reserve(out, (size_t)(next - line)))
			out->at =
				(char *)memcpy(out->at, line, (size_t)(next - line - 1)) + (next - line - 1);
	}
	outbuf_puts(out, "],\"seqs\":[");
	for (uint64_t i = 0; i < events->n; i++)
		if (events->seqs[i] == RST_NO_SEQ)
			outbuf_puts(out, i ? ",null" : "null");
		else
			outbuf_printf(out, "%s%llu", i ? "," : "", (unsigned long long)events->seqs[i]);
	outbuf_puts(out, "]");
}

bool events_put(const struct request *request, struct answer *answer, struct events_query *query)
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
		members_put(&answer->body, &events);
	events_done(&events);
	return is_done && !answer->body.error;
}
