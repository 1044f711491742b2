/* SPDX-License-Identifier: MIT */
/*
 * /api/events and /api/search: events as JSON Lines have them, in an array. The trace is read again, from its beginning, until as
 * many as are wanted were found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/format.h"
#include "view/rows.h"
#include "view/server/server.h"

enum { EVENTS_LIMIT = 1000, EVENTS_USUAL = 200, SEARCH_LIMIT = 200, NAME_MAX = 256, NUMBER_ROOM = 24 };

/* What is asked for. */
struct wanted {
	char from[NUMBER_ROOM], to[NUMBER_ROOM];
	const char *types[1], *contexts[1];
	struct filter_spec filter;
	uint64_t limit;
	const char *text; /* that the line must have; NULL: none */
};

static bool wanted_parse(const struct request *request, struct answer *answer, struct wanted *wanted)
{
	uint64_t from = 0, to = UINT64_MAX;

	if (!parameter_number(request, answer, "from", 0, UINT64_MAX, &from) ||
		!parameter_number(request, answer, "to", 0, UINT64_MAX, &to) ||
		!parameter_number(request, answer, "limit", 1, EVENTS_LIMIT, &wanted->limit))
		return false;
	snprintf(wanted->from, sizeof(wanted->from), "%llu", (unsigned long long)from);
	snprintf(wanted->to, sizeof(wanted->to), "%llu", (unsigned long long)to);
	wanted->types[0] = request->parameter(request, "type");
	wanted->contexts[0] = request->parameter(request, "context");
	wanted->filter = (struct filter_spec){
		.from = from ? wanted->from : NULL,
		.to = to < UINT64_MAX ? wanted->to : NULL,
		.types = { wanted->types, wanted->types[0] != NULL },
		.contexts = { wanted->contexts, wanted->contexts[0] != NULL },
	};
	return true;
}

/* The lines of a report as members of an array: those that have the text, or all; at most limit. */
static uint64_t put_lines(struct outbuf *out, const struct outbuf *lines, const struct wanted *wanted)
{
	uint64_t n = 0;

	for (char *line = lines->start, *end; line < lines->at && n < wanted->limit; line = end + 1) {
		end = memchr(line, '\n', (size_t)(lines->at - line));
		if (!end)
			break;
		*end = '\0';
		if (wanted->text && !strcasestr(line, wanted->text))
			continue;
		if (out->at - out->start > ANSWER_MAX)
			break;
		outbuf_puts(out, n++ ? ",\n" : "\n");
		outbuf_puts(out, line);
	}
	return n;
}

/* With a text to look for, all lines are needed until enough have it: they come in pieces of this many. */
static enum rst_status report_lines(struct survey *survey, const struct wanted *wanted, struct outbuf *lines,
	uint64_t n_lines, struct rst_error *err)
{
	struct report report = { .options = { .filter = &wanted->filter }, .out = lines, .n_left = n_lines };
	struct report_input input = { .source = 0 };
	struct dialect_templates *templates;
	enum rst_status status;

	error_try(report_format_find("jsonl", &report.options.format, err));
	error_try(survey_open(survey, 0, &input.trace, err));
	status = templates_load(&survey->templates, rst_trace_metadata(input.trace)->dialect,
		&survey->args->templates, &templates, err);
	if (status == RST_OK) {
		input.templates = templates->set;
		input.diags = &templates->diags;
		status = report_trace(&report, &input, err);
	}
	rst_trace_free(input.trace);
	return status < 0 && status != RST_E_DAMAGED ? status : RST_OK;
}

/* The events of the answer; the error of a moment or name that cannot be read is the answer's. */
static bool put_events(const struct request *request, struct answer *answer, const struct wanted *wanted)
{
	/* Options, without the lists of templates that the reader's thread works with. */
	struct survey survey = { .args = request->session->survey->args,
		.n_operands = request->session->survey->n_operands,
		.operands = request->session->survey->operands };
	const uint64_t n_lines = wanted->text ? UINT64_MAX : wanted->limit;
	struct outbuf lines;
	struct rst_error err;
	bool is_done = outbuf_init(&lines, OUTBUF_MEMORY);

	if (!is_done)
		return false;
	if (report_lines(&survey, wanted, &lines, n_lines, &err) < 0) {
		char text[1024];

		rst_error_text(&err, text, sizeof(text));
		answer_fail(answer, err.status == RST_E_USAGE ? 400 : 500, text);
	} else {
		outbuf_puts(&answer->body, "\"events\":[");
		put_lines(&answer->body, &lines, wanted);
		outbuf_puts(&answer->body, "]}\n");
	}
	templates_free(survey.templates);
	outbuf_done(&lines);
	return !answer->body.error;
}

bool answer_events(const struct request *request, struct answer *answer)
{
	struct wanted wanted = { .limit = EVENTS_USUAL };

	if (!wanted_parse(request, answer, &wanted))
		return true;
	outbuf_puts(&answer->body, "{");
	return put_events(request, answer, &wanted);
}

/* Tracks by their name, then events by what stands in their line. */
bool answer_search(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct outbuf *out = &answer->body;
	struct wanted wanted = { .limit = SEARCH_LIMIT, .text = request->parameter(request, "q") };
	size_t n = 0;

	if (!wanted.text || !*wanted.text)
		return answer_fail(answer, 400, "q must be what to search for");
	if (!wanted_parse(request, answer, &wanted))
		return true;
	outbuf_puts(out, "{\"tracks\":[");
	pthread_mutex_lock(&session->lock);
	for (size_t i = 0; i < session->tracks.n && n < SEARCH_LIMIT; i++) {
		char name[NAME_MAX];

		entity_label(
			tracks_entity(&session->tracks, session->tracks.all[i]->subject), name, sizeof(name));
		if (strcasestr(name, wanted.text))
			outbuf_printf(out, "%s%zu", n++ ? "," : "", i);
	}
	pthread_mutex_unlock(&session->lock);
	outbuf_puts(out, "],");
	return put_events(request, answer, &wanted);
}
