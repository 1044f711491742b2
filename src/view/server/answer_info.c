/* SPDX-License-Identifier: MIT */
/* /api/info, /api/tracks, /api/stats/TABLE: what is known of the whole. */
#include "analysis/table/format.h"
#include "base/error.h"
#include "view/rows.h"
#include "view/server/server.h"

enum { TRACKS_LIMIT = 5000, NAME_MAX = 256 };

static void put_number(struct outbuf *out, const char *key, bool is_there, uint64_t number)
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

bool answer_info(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct outbuf *out = &answer->body;

	pthread_mutex_lock(&session->lock);

	const struct rst_metadata *metadata = rst_trace_metadata(session->trace);
	const struct scan *scan = &session->scan;

	outbuf_puts(out, "{\"file\":");
	outbuf_json(out, metadata->path);
	outbuf_printf(out, ",\"dialect\":\"%s\"", metadata->dialect);
	put_number(out, "hz", metadata->clock_hz != 0, metadata->clock_hz);
	put_number(out, "events", true, scan->n_events);
	put_number(out, "first_ts", scan->is_started, metadata->first_ticks);
	put_number(out, "last_ts", scan->is_started, scan->now);
	put_number(out, "losses", true, session->n_losses);
	put_losses(out, session);
	outbuf_printf(out, ",\"damage\":%s,\"done\":%s",
		rst_trace_is_damaged(session->trace) ? "true" : "false", session->is_done ? "true" : "false");
	outbuf_puts(out, ",\"tables\":[");
	for (size_t i = 0; analyses[i]; i++)
		outbuf_printf(out, "%s\"%s\"", i ? "," : "", analyses[i]->name);
	outbuf_puts(out, "]}\n");
	pthread_mutex_unlock(&session->lock);
	return !out->error;
}

static void put_track(struct outbuf *out, const struct tracks *tracks, const struct track *track)
{
	const struct rst_entity *entity = tracks_entity(tracks, track->subject);
	char name[NAME_MAX];

	entity_label(entity, name, sizeof(name));
	outbuf_printf(out, "{\"id\":%u,\"kind\":\"%s\",\"name\":", track->number,
		rst_interval_kind_name(track->kind));
	outbuf_json(out, name);
	outbuf_puts(out, ",\"object\":");
	outbuf_json(out, entity && entity->kind ? entity->kind : NULL);
	outbuf_printf(out, ",\"lane\":%u,\"source\":%u,\"segments\":%llu}", track->lane, track->source,
		(unsigned long long)tree_n(&track->tree));
}

bool answer_tracks(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct outbuf *out = &answer->body;
	uint64_t offset = 0, limit = TRACKS_LIMIT;

	if (!parameter_number(request, answer, "offset", 0, UINT64_MAX, &offset) ||
		!parameter_number(request, answer, "limit", 1, TRACKS_LIMIT, &limit))
		return true;
	pthread_mutex_lock(&session->lock);
	outbuf_printf(out, "{\"total\":%zu,\"tracks\":[", session->tracks.n);
	for (size_t i = offset, n = 0;
		i < session->tracks.n && n < limit && out->at - out->start < ANSWER_MAX; i++, n++) {
		outbuf_puts(out, n ? ",\n" : "\n");
		put_track(out, &session->tracks, session->tracks.all[i]);
	}
	outbuf_puts(out, "]}\n");
	pthread_mutex_unlock(&session->lock);
	return !out->error;
}

bool answer_stats(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	const char *name = request->path + strlen("/api/stats/");
	struct table_output output = { .out = &answer->body };
	bool is_there = false, is_done = true;

	pthread_mutex_lock(&session->lock);
	output.times = session->scan.is_started ? &session->scan.times : NULL;
	for (size_t i = 0; i < session->stats.n_analyses; i++) {
		struct table table;

		if (strcmp(session->stats.analyses[i]->name, name) != 0)
			continue;
		is_there = true;
		is_done = stats_table(&session->stats, i, &table, NULL) == RST_OK;
		if (is_done)
			table_format_json.put(&output, &table);
		table_done(&table);
	}
	pthread_mutex_unlock(&session->lock);
	return is_there ? is_done
			: answer_fail(
				  answer, 404, "there is no table of that name: /api/info has their names");
}
