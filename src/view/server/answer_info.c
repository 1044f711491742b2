/* SPDX-License-Identifier: MIT */
/* /api/info and /api/findings: facts about the whole trace. */
#include "base/error.h"
#include "view/server/server.h"

enum { FINDINGS_LIMIT = 1000 };

/* Lists the places of losses, and the ticks after which new runs begin, up to a limit. */
static void put_places(struct json *json, const struct session *session)
{
	const struct scan *scan = &session->scan;

	json_array(json, "loss_places");
	for (size_t i = 0; i < session->n_losses && i < SESSION_LOSSES_MAX; i++)
		json_unsigned(json, NULL, session->losses[i].at);
	json_end(json);
	json_array(json, "run_places");
	for (size_t i = 0; i < scan->n_runs && i < SESSION_LOSSES_MAX; i++)
		json_unsigned(json, NULL, scan->runs[i]);
	json_end(json);
}

/* Lists all traces of the server, so that a page can offer each of them. */
static void put_traces(struct json *json, const struct request *request)
{
	json_array(json, "traces");
	for (size_t i = 0; i < request->n_sessions; i++) {
		json_object(json, NULL);
		json_unsigned(json, "trace", i);
		json_text(json, "path", request->sessions[i].job.paths[i]);
		json_end(json);
	}
	json_end(json);
}

/* A live input has no metadata before its dialect is known. */
static void put_metadata(struct json *json, const struct session *session)
{
	const struct rst_metadata *metadata = session->trace ? rst_trace_metadata(session->trace) : NULL;
	const struct scan *scan = &session->scan;

	json_text(json, "file", metadata ? metadata->path : session->job.paths[session->number]);
	json_text(json, "dialect", metadata ? metadata->dialect : NULL);
	json_known(json, "hz", metadata && metadata->clock_hz != 0, metadata ? metadata->clock_hz : 0);
	json_unsigned(json, "events", scan->n_events);
	json_known(json, "first_ts", scan->is_started, scan->from);
	json_known(json, "last_ts", scan->is_started, scan->now);
	json_known(json, "zero_ts", scan->is_started, scan->is_started ? metadata->first_ticks : 0);
}

bool answer_info(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct json json = { .out = &answer->body };

	session_lock(session);
	const int percent = session_percent(session);

	json_object(&json, NULL);
	put_metadata(&json, session);
	json_unsigned(&json, "losses", session->n_losses);
	put_places(&json, session);
	json_unsigned(&json, "tracks", session->tracks.n);
	json_bool(&json, "damage", session->trace && rst_trace_is_damaged(session->trace));
	json_bool(&json, "live", session->is_live);
	json_bool(&json, "done", session->is_done);
	json_known(&json, "percent", percent >= 0, (uint64_t)percent);
	json_text(&json, "failure", session->failure[0] ? session->failure : NULL);
	json_array(&json, "tables");
	for (size_t i = 0; analyses[i]; i++)
		json_text(&json, NULL, analyses[i]->name);
	json_end(&json);
	put_traces(&json, request);
	json_end(&json);
	json_line_end(&json);
	session_unlock(session);
	return !answer->body.error;
}

/* While the trace is being read, it has the findings so far; some kinds add theirs only at the end. */
bool answer_findings(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct findings *findings = &session->judge.findings;
	struct outbuf *out = &answer->body;
	struct json json = { .out = out };
	uint64_t offset = 0, limit = FINDINGS_LIMIT;
	size_t n = 0;
	bool is_done;

	if (!parameter_number(request, answer, "offset", 0, UINT64_MAX, &offset) ||
		!parameter_number(request, answer, "limit", 1, FINDINGS_LIMIT, &limit))
		return true;
	judge_lock(session);
	is_done = session->judge.is_done || findings_sort(findings);
	json_object(&json, NULL);
	json_unsigned(&json, "total", findings->n_sorted);
	json_array(&json, "findings");
	for (; offset < findings->n_sorted && n < limit; offset++, n++) {
		const struct json_mark before = json_mark(&json);

		json_line_begin(&json);
		finding_put_json(findings, findings->sorted[offset], -1, &json);
		if (out_bytes(out) > ANSWER_MAX) {
			json_rewind(&json, &before);
			break;
		}
	}
	is_done &= !findings->lacks_names;
	findings_forget_names(findings);
	json_end(&json);
	json_known(&json, "next", offset < findings->n_sorted, offset);
	json_bool(&json, "done", session->judge.is_done);
	json_end(&json);
	json_line_end(&json);
	judge_unlock(session);
	return is_done && !out->error;
}
