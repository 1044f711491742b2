/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "view/server/server.h"

struct route {
	const char *path;
	bool is_prefix; /* what is behind it names something */
	enum route_kind kind;
	bool (*answer)(const struct request *request, struct answer *answer); /* NULL: ROUTE_LIVE */
};

static const struct route routes[] = {
	{ "/api/info", false, ROUTE_READY, answer_info },
	{ "/api/tracks", false, ROUTE_READY, answer_tracks },
	{ "/api/tiles", false, ROUTE_READY, answer_tiles },
	{ "/api/arrows", false, ROUTE_READY, answer_arrows },
	{ "/api/details", false, ROUTE_SLOW, answer_details },
	{ "/api/events", false, ROUTE_SLOW, answer_events },
	{ "/api/search", false, ROUTE_SLOW, answer_search },
	{ "/api/stats/", true, ROUTE_PART, answer_stats },
	{ "/api/findings", false, ROUTE_READY, answer_findings },
	{ "/api/live", false, ROUTE_LIVE, NULL },
};

enum { N_ROUTES = sizeof(routes) / sizeof(routes[0]) };

bool answer_fail(struct answer *answer, unsigned status, const char *sentence)
{
	struct json json = { .out = &answer->body };

	answer->status = status;
	answer->asset = NULL;
	answer->type = "application/json";
	answer->body.at = answer->body.start;
	json_object(&json, NULL);
	json_text(&json, "error", sentence);
	json_end(&json);
	json_line_end(&json);
	return !answer->body.error;
}

bool parameter_number(const struct request *request, struct answer *answer, const char *name, uint64_t least,
	uint64_t most, uint64_t *ret_number)
{
	const char *text = request->parameter(request, name);
	char sentence[160];
	uint64_t number;

	if (!text)
		return true;
	if (!text[strspn(text, "0123456789")] && text_parse_u64(text, &number) && number >= least &&
		number <= most) {
		*ret_number = number;
		return true;
	}
	snprintf(sentence, sizeof(sentence), "%s must be a number from %llu to %llu", name,
		(unsigned long long)least, (unsigned long long)most);
	answer_fail(answer, 400, sentence);
	return false;
}

static bool answer_asset(const struct request *request, struct answer *answer)
{
	const char *path = strcmp(request->path, "/") == 0 ? "/index.html" : request->path;

	for (size_t i = 0; i < n_assets; i++)
		if (strcmp(assets[i].path, path) == 0) {
			answer->type = assets[i].type;
			answer->asset = assets[i].bytes;
			answer->asset_bytes = (size_t)(assets[i].end - assets[i].bytes);
			return true;
		}
	return answer_fail(answer, 404, "there is nothing of that name");
}

static const struct route *route_find(const char *path)
{
	for (size_t i = 0; i < N_ROUTES; i++) {
		const size_t n = strlen(routes[i].path);

		if (routes[i].is_prefix ? strncmp(path, routes[i].path, n) == 0
					: strcmp(path, routes[i].path) == 0)
			return &routes[i];
	}
	return NULL;
}

enum route_kind route_kind(const struct request *request)
{
	const struct route *route = route_find(request->path);

	if (route && route->kind == ROUTE_PART)
		return request->parameter(request, "from") || request->parameter(request, "to") ? ROUTE_SLOW
												: ROUTE_READY;
	return route ? route->kind : ROUTE_READY;
}

struct session *route_session(const struct request *request, struct answer *answer)
{
	uint64_t number = 0;

	return parameter_number(request, answer, "trace", 0, request->n_sessions - 1, &number)
		       ? &request->sessions[number]
		       : NULL;
}

bool route(struct request *request, struct answer *answer)
{
	const struct route *route = route_find(request->path);

	if (!route)
		return answer_asset(request, answer);
	request->session = route_session(request, answer);
	return request->session ? route->answer(request, answer) : !answer->body.error;
}
