/* SPDX-License-Identifier: MIT */
/* /api/events and /api/search. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/rows.h"
#include "view/server/server.h"

enum { SEQS_MAX = 1000, EVENTS_USUAL = 200, SEARCH_LIMIT = 200, NUMBER_ROOM = 24 };

/* The query of a request, and the texts that it points to. */
struct wanted {
	struct events_query query;
	char from[NUMBER_ROOM], to[NUMBER_ROOM];
	const char *type, *context;
	uint64_t seqs[SEQS_MAX];
};

/* Parses "3,4,9": numbers in ascending order. */
static bool seqs_parse(const struct request *request, struct answer *answer, struct wanted *wanted)
{
	const char *list = request->parameter(request, "seqs");
	size_t n = 0;

	for (char *end; list; list = *end ? end + 1 : NULL) {
		wanted->seqs[n] = strtoull(list, &end, 10);
		if (*list < '0' || *list > '9' || (*end && *end != ',') ||
			(n && wanted->seqs[n] <= wanted->seqs[n - 1]) || ++n == SEQS_MAX) {
			answer_fail(answer, 400,
				"seqs must be numbers of events, smallest first, with commas between");
			return false;
		}
	}
	wanted->query.filter.seqs = wanted->seqs;
	wanted->query.filter.n_seqs = n;
	return true;
}

static bool wanted_parse(const struct request *request, struct answer *answer, struct wanted *wanted)
{
	struct events_query *query = &wanted->query;

	query->to = UINT64_MAX;
	if (!parameter_number(request, answer, "from", 0, UINT64_MAX, &query->from) ||
		!parameter_number(request, answer, "to", 0, UINT64_MAX, &query->to) ||
		!parameter_number(request, answer, "first", 0, UINT64_MAX, &query->first) ||
		!parameter_number(request, answer, "limit", 1, EVENTS_MAX, &query->limit))
		return false;
	if (query->from > query->to) {
		answer_fail(answer, 400, "from must not be above to");
		return false;
	}
	snprintf(wanted->from, sizeof(wanted->from), "%llu", (unsigned long long)query->from);
	snprintf(wanted->to, sizeof(wanted->to), "%llu", (unsigned long long)query->to);
	wanted->type = request->parameter(request, "type");
	wanted->context = request->parameter(request, "context");
	query->filter = (struct filter_spec){
		.from = query->from ? wanted->from : NULL,
		.to = query->to < UINT64_MAX ? wanted->to : NULL,
		.types = { &wanted->type, wanted->type != NULL },
		.contexts = { &wanted->context, wanted->context != NULL },
	};
	return seqs_parse(request, answer, wanted);
}

/* Ends an object by events. Returns false if it has become another answer. */
static bool put_events(
	const struct request *request, struct answer *answer, struct json *json, struct wanted *wanted)
{
	const struct events_query *query = &wanted->query;

	if (!events_put(request, answer, json, &wanted->query))
		return answer->status != 200;
	json_bool(json, "cut", query->is_cut);
	if (query->is_cut) {
		json_object(json, "next");
		json_unsigned(json, "from", query->next_from);
		json_unsigned(json, "first", query->next);
		json_end(json);
	} else {
		json_null(json, "next");
	}
	json_end(json);
	json_line_end(json);
	return !answer->body.error;
}

bool answer_events(const struct request *request, struct answer *answer)
{
	struct wanted wanted = { .query.limit = EVENTS_USUAL };
	struct json json = { .out = &answer->body };

	if (!wanted_parse(request, answer, &wanted))
		return true;
	json_object(&json, NULL);
	return put_events(request, answer, &json, &wanted);
}

/* Finds tracks by their name, then events by the text of their line. */
bool answer_search(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct json json = { .out = &answer->body };
	struct wanted wanted = { .query = {
					 .limit = SEARCH_LIMIT, .text = request->parameter(request, "q") } };
	size_t n = 0;

	if (!wanted.query.text || !*wanted.query.text)
		return answer_fail(answer, 400, "q must be what to search for");
	if (!wanted_parse(request, answer, &wanted))
		return true;
	json_object(&json, NULL);
	json_array(&json, "tracks");
	session_lock(session);
	for (size_t i = 0; i < session->tracks.n && n < SEARCH_LIMIT; i++) {
		char name[LABEL_MAX];

		entity_label(
			tracks_entity(&session->tracks, session->tracks.all[i]->subject), name, sizeof(name));
		if (strcasestr(name, wanted.query.text)) {
			json_unsigned(&json, NULL, i);
			n++;
		}
	}
	session_unlock(session);
	json_end(&json);
	return put_events(request, answer, &json, &wanted);
}
