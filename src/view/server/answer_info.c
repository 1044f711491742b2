/* SPDX-License-Identifier: MIT */
/* /api/info and /api/findings: facts about the whole trace. */
#include "base/error.h"
#include "view/server/server.h"

enum { FINDINGS_LIMIT = 1000 };

static void put_number_or_null(struct outbuf *out, const char *key, bool is_there, uint64_t number)
{
	if (is_there)
		outbuf_printf(out, ",\"%s\":%llu", key, (unsigned long long)number);
	else
		outbuf_printf(out, ",\"%s\":null", key);
}

static void put_losses(struct outbuf *out, const struct session *session)
{
	const size_t n =
		session->n_losses < SESSION_LOSSES_MAX ? (size_t)session->n_losses : SESSION_LOSSES_MAX;

	outbuf_puts(out, ",\"loss_places\":[");
	for (size_t i = 0; i < n; i++)
		outbuf_printf(out, "%s%llu", i ? "," : "", (unsigned long long)session->losses[i].at);
	outbuf_puts(out, "]");
}

/* Writes the ticks after which new runs begin, up to a limit. */
static void put_runs(struct outbuf *out, const struct session *session)
{
	const struct scan *scan = &session->scan;

	outbuf_puts(out, ",\"run_places\":[");
	for (size_t i = 0; i < scan->n_runs && i < SESSION_LOSSES_MAX; i++)
		outbuf_printf(out, "%s%llu", i ? "," : "", (unsigned long long)scan->runs[i]);
	outbuf_puts(out, "]");
}

/* Lists all traces of the server, so that a page can offer each of them. */
static void put_traces(struct outbuf *out, const struct request *request)
{
	outbuf_puts(out, ",\"traces\":[");
	for (size_t i = 0; i < request->n_sessions; i++) {
		const struct survey *survey = &request->sessions[i].survey;

		outbuf_printf(out, "%s{\"trace\":%zu,\"path\":", i ? "," : "", i);
		outbuf_json(out, survey->operands[i]);
		outbuf_puts(out, "}");
	}
	outbuf_puts(out, "]");
}

/* A live input has no metadata before its dialect is known. */
static void put_metadata(struct outbuf *out, const struct session *session)
{
	const struct rst_metadata *metadata = session->trace ? rst_trace_metadata(session->trace) : NULL;
	const struct scan *scan = &session->scan;

	outbuf_puts(out, "{\"file\":");
	outbuf_json(out, metadata ? metadata->path : session->survey.operands[session->number]);
	outbuf_puts(out, ",\"dialect\":");
	outbuf_json(out, metadata ? metadata->dialect : NULL);
	put_number_or_null(out, "hz", metadata && metadata->clock_hz != 0, metadata ? metadata->clock_hz : 0);
	put_number_or_null(out, "events", true, scan->n_events);
	put_number_or_null(out, "first_ts", scan->is_started, scan->from);
	put_number_or_null(out, "last_ts", scan->is_started, scan->now);
	put_number_or_null(out, "zero_ts", scan->is_started, scan->is_started ? metadata->first_ticks : 0);
}

bool answer_info(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct outbuf *out = &answer->body;

	session_lock(session);
	const int percent = session_percent(session);

	put_metadata(out, session);
	put_number_or_null(out, "losses", true, session->n_losses);
	put_losses(out, session);
	put_runs(out, session);
	put_number_or_null(out, "tracks", true, session->tracks.n);
	outbuf_printf(out, ",\"damage\":%s,\"live\":%s,\"done\":%s",
		session->trace && rst_trace_is_damaged(session->trace) ? "true" : "false",
		session->is_live ? "true" : "false", session->is_done ? "true" : "false");
	put_number_or_null(out, "percent", percent >= 0, (uint64_t)percent);
	outbuf_puts(out, ",\"failure\":");
	outbuf_json(out, session->failure[0] ? session->failure : NULL);
	outbuf_puts(out, ",\"tables\":[");
	for (size_t i = 0; analyses[i]; i++)
		outbuf_printf(out, "%s\"%s\"", i ? "," : "", analyses[i]->name);
	outbuf_puts(out, "]");
	put_traces(out, request);
	outbuf_puts(out, "}\n");
	session_unlock(session);
	return !out->error;
}

/* While the trace is being read, it has the findings so far; some kinds add theirs only at the end. */
bool answer_findings(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct findings *findings = &session->judge.findings;
	struct outbuf *out = &answer->body;
	uint64_t offset = 0, limit = FINDINGS_LIMIT;
	size_t n = 0;
	bool is_done;

	if (!parameter_number(request, answer, "offset", 0, UINT64_MAX, &offset) ||
		!parameter_number(request, answer, "limit", 1, FINDINGS_LIMIT, &limit))
		return true;
	judge_lock(session);
	is_done = session->judge.is_done || findings_sort(findings);
	outbuf_printf(out, "{\"total\":%zu,\"findings\":[", findings->n_sorted);
	for (; offset < findings->n_sorted && n < limit; offset++, n++) {
		const size_t before = out_bytes(out);

		outbuf_puts(out, n ? ",\n" : "\n");
		finding_put_json(findings, findings->sorted[offset], -1, out);
		if (out_bytes(out) > ANSWER_MAX) {
			out_rewind(out, before);
			break;
		}
	}
	is_done &= !findings->lacks_names;
	findings_forget_names(findings);
	if (offset < findings->n_sorted)
		outbuf_printf(out, "],\"next\":%llu", (unsigned long long)offset);
	else
		outbuf_puts(out, "],\"next\":null");
	outbuf_printf(out, ",\"done\":%s}\n", session->judge.is_done ? "true" : "false");
	judge_unlock(session);
	return is_done && !out->error;
}
