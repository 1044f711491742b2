/* SPDX-License-Identifier: MIT */
#include "report/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NEAR_MAX = 4, SENTENCE_ROOM = 400, WORD_MAX = 64 };

/* Names of one sort that a trace has, one after the other; NULL ends them. */
typedef const char *(*name_at)(struct rst_trace *trace, size_t n);

static const char *type_at(struct rst_trace *trace, size_t n)
{
	enum { MARKERS = 2 };
	const struct rst_type *type = rst_trace_type(trace, n + MARKERS);

	return type ? type->name : NULL;
}

static const char *context_at(struct rst_trace *trace, size_t n)
{
	const struct rst_context *context = rst_trace_context(trace, n);

	return context ? (context->kind == RST_CONTEXT_UNKNOWN ? "" : context->name) : NULL;
}

static const char *object_at(struct rst_trace *trace, size_t n)
{
	const struct rst_object *object = rst_trace_object(trace, n);

	return object ? (object->name ? object->name : "") : NULL;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* How many letters must be changed, added, left out or swapped with their neighbour to make one word the other. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1];
	size_t n_a = strlen(a), n_b = strlen(b);

	if (n_a > WORD_MAX || n_b > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n_b; j++) {
			unsigned best = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]) && second[j - 2] + 1 < best)
				best = second[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[n_a % 3][n_b];
}

/* It has the word in it, or is nearly the word. */
static bool is_near(const char *word, const char *name)
{
	size_t n_word = strlen(word), n_bare = strcspn(word, "*?[");

	if (n_bare == n_word && n_word >= 3 && strcasestr(name, word))
		return true;
	return distance(word, name) <= 1 + n_word / 6;
}

/* "; there are low, high, …": the near ones where there are some, else the first. */
static void add_names(char *sentence, struct rst_trace *trace, name_at at, const char *word, bool wants_near)
{
	const char *told[NEAR_MAX], *name;
	unsigned n_told = 0;
	bool has_more = false;

	for (size_t i = 0; (name = at(trace, i)) != NULL && !has_more; i++) {
		bool is_known = false;

		for (unsigned k = 0; k < n_told; k++)
			is_known |= strcmp(told[k], name) == 0;
		if (is_known || !name[0] || (wants_near && !is_near(word, name)))
			continue;
		has_more = n_told == NEAR_MAX;
		if (!has_more)
			told[n_told++] = name;
	}
	if (!n_told && wants_near) {
		add_names(sentence, trace, at, word, false);
		return;
	}
	for (unsigned k = 0; k < n_told; k++) {
		size_t n = strlen(sentence);

		snprintf(sentence + n, SENTENCE_ROOM - n, "%s%.48s",
			k	     ? ", "
			: wants_near ? "; did you mean "
				     : "; there are ",
			told[k]);
	}
	if (n_told && (has_more || wants_near)) {
		size_t n = strlen(sentence);

		snprintf(sentence + n, SENTENCE_ROOM - n, "%s", has_more ? ", …" : "?");
	}
}

static bool tell_word(const struct explain *explain, const char *what, const char *word, name_at at)
{
	char sentence[SENTENCE_ROOM];

	snprintf(sentence, sizeof(sentence), "no %s '%.64s'", what, word);
	add_names(sentence, explain->select->trace, at, word, true);
	explain->tell(explain->context, sentence);
	return true;
}

/* Each returns whether it had to tell something. */
static bool explain_types(const struct explain *explain, const char *word)
{
	const struct select_list one = { .items = &word, .n_items = 1 };
	const struct rst_type *type;

	for (size_t i = 2; (type = rst_trace_type(explain->select->trace, i)) != NULL; i++)
		if (select_takes_type(&one, type))
			return false;
	return tell_word(explain, "event has the type", word, type_at);
}

static bool explain_contexts(const struct explain *explain, const char *word)
{
	const struct select_list one = { .items = &word, .n_items = 1 };
	const struct rst_context *context;

	for (size_t i = 0; (context = rst_trace_context(explain->select->trace, i)) != NULL; i++)
		if (select_takes_context(&one, context))
			return false;
	return tell_word(explain, "event is of a thread", word, context_at);
}

static bool explain_objects(const struct explain *explain, const char *word)
{
	const struct select_list one = { .items = &word, .n_items = 1 };
	const struct rst_object *object;
	uint64_t id;

	if (text_parse_u64(word, &id))
		return false;
	for (size_t i = 0; (object = rst_trace_object(explain->select->trace, i)) != NULL; i++)
		if (select_takes_name(&one, object->name))
			return false;
	return tell_word(explain, "object is called", word, object_at);
}

static bool explain_time(const struct explain *explain)
{
	const struct select *select = explain->select;
	char sentence[SENTENCE_ROOM];

	if (select->from > select->to)
		snprintf(sentence, sizeof(sentence), "--to is before --from");
	else if (select->from > explain->last_ticks)
		snprintf(sentence, sizeof(sentence),
			"--from is behind the last event, which is at tick %" PRIu64, explain->last_ticks);
	else if (select->to < explain->first_ticks)
		snprintf(sentence, sizeof(sentence),
			"--to is before the first event, which is at tick %" PRIu64, explain->first_ticks);
	else
		return false;
	explain->tell(explain->context, sentence);
	return true;
}

void explain_selection(const struct explain *explain)
{
	const struct select_wish *wish = explain->select->wish;
	const struct {
		const struct select_list *list;
		bool (*explain)(const struct explain *explain, const char *word);
	} lists[] = { { &wish->types, explain_types }, { &wish->contexts, explain_contexts },
		{ &wish->objects, explain_objects } };

	bool is_told = false;

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (size_t i = 0; i < lists[k].list->n_items; i++)
			if (lists[k].list->items[i][0] != '!')
				is_told |= lists[k].explain(explain, lists[k].list->items[i]);
	if (explain->has_chosen || is_told || explain->select->takes_all || explain_time(explain))
		return;
	bool is_core = wish->cores.n_items && !wish->types.n_items && !wish->contexts.n_items &&
		       !wish->objects.n_items && !wish->from && !wish->to;

	explain->tell(explain->context, is_core ? "no event is on a core that was asked for"
						: "no event matches all that was asked for");
}
