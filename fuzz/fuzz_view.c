/* SPDX-License-Identifier: MIT */
/*
 * Requests to the server of `rastrum view`, behind its doors: the input is a path with its parameters. Each
 * gets an answer that is small, of a status that docs/VIEW.md has, and one JSON object; tiles are no more
 * than the width allows.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "view/server/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 4096, BODY_MAX = 512 * 1024 };

#define DUMP "tests/data/threadx/priority_inversion.trx"

static void require(bool holds)
{
	if (!holds)
		abort();
}

static struct session viewed;

/* Frees the session: the leak sanitizer does not see the pointers in its pages. */
static void end_session(void)
{
	session_stop(&viewed);
	session_end(&viewed);
}

static void tell_nothing(void *context, const char *sentence)
{
	(void)context, (void)sentence;
}

static void diagnose_nothing(void *context, const struct diag *diag)
{
	(void)context, (void)diag;
}

/* A trace that is read once, for all inputs. */
static struct session *session_ready(void)
{
	static bool has_begun;
	static const struct job_spec job;
	static const struct session_listener deaf = { .tell = tell_nothing, .diagnose = diagnose_nothing };
	static char *operands[] = { (char *)(uintptr_t)DUMP };
	const struct session_spec spec = {
		.job = &job, .n_paths = 1, .paths = operands, .listener = &deaf, .has_relations = true
	};
	struct rst_error err;
	bool is_done = false;

	if (has_begun)
		return &viewed;
	has_begun = true;
	require(session_begin(&viewed, &spec, 0, &err) == RST_OK && atexit(end_session) == 0);
	while (!is_done) {
		usleep(1000);
		session_lock(&viewed);
		is_done = viewed.is_done;
		session_unlock(&viewed);
	}
	return &viewed;
}

/* NAME=VALUE&NAME=VALUE: each ended by a NUL in place of what stands behind it. */
struct query {
	const char *text, *end;
};

static const char *parameter_find(const struct request *request, const char *name)
{
	const struct query *query = request->connection;
	const size_t n = strlen(name);

	for (const char *at = query->text; at < query->end; at += strlen(at) + 1)
		if (strncmp(at, name, n) == 0 && at[n] == '=')
			return at + n + 1;
	return NULL;
}

/* Braces and brackets agree outside of strings, and no control character stands anywhere. */
static void check_json(const char *body, size_t n_bytes)
{
	size_t depth = 0;
	bool is_string = false;

	require(n_bytes > 2 && body[0] == '{' && body[n_bytes - 1] == '\n');
	for (size_t i = 0; i < n_bytes; i++) {
		require((unsigned char)body[i] >= ' ' || body[i] == '\n');
		if (is_string && body[i] == '\\')
			i++;
		else if (body[i] == '"')
			is_string = !is_string;
		else if (!is_string && strchr("{[", body[i]))
			depth++;
		else if (!is_string && strchr("}]", body[i]))
			require(depth-- > 0);
	}
	require(!depth && !is_string);
}

static void check_tiles(const struct request *request, const char *body)
{
	const char *text = parameter_find(request, "width");
	const unsigned long width = text ? strtoul(text, NULL, 10) : 1024;

	for (const char *track = body; (track = strstr(track, "\"tiles\":[")) != NULL;) {
		unsigned long n = 0;

		for (track += 9; *track != ']'; track++)
			n += *track == '{';
		require(n <= 2 * width + 2);
	}
}

static void check_answer(const struct request *request, const struct answer *answer)
{
	const char *body = answer->body.start;
	const size_t n_bytes = out_bytes(&answer->body);

	require(answer->status == 200 || answer->status == 400 || answer->status == 404 ||
		answer->status == 409 || answer->status == 500 || answer->status == 503);
	if (answer->asset)
		return;
	require(n_bytes < BODY_MAX);
	check_json(body, n_bytes);
	require((answer->status == 200) != (strncmp(body, "{\"error\":", 9) == 0));
	if (answer->status == 200 && strcmp(request->path, "/api/tiles") == 0)
		check_tiles(request, body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer answer = { .status = 200, .type = "application/json" };
	char text[INPUT_MAX + 2];
	struct query query;
	struct request request = { .sessions = session_ready(),
		.n_sessions = 1,
		.parameter = parameter_find,
		.connection = &query };

	/* Paths and parameters end at a NUL. */
	if (size > INPUT_MAX || memchr(data, '\0', size))
		return -1;
	memcpy(text, data, size);
	text[size] = text[size + 1] = '\0';
	query = (struct query){ text + strcspn(text, "?"), text + size };
	if (query.text < query.end)
		text[query.text++ - text] = '\0';
	for (char *p = text + (query.text - text); p < query.end; p++)
		*p = *p == '&' ? '\0' : *p;
	request.path = text;
	if (route_kind(&request) == ROUTE_LIVE)
		return 0;
	require(outbuf_init(&answer.body, OUTBUF_MEMORY));
	require(route(&request, &answer));
	check_answer(&request, &answer);
	outbuf_done(&answer.body);
	return 0;
}
