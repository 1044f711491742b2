/* SPDX-License-Identifier: MIT */
#include "lines/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/similar.h"
#include "base/text.h"

enum { NAMES_MAX = 4, SENTENCE_ROOM = 480 };

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

/* "there are low, high, …" */
static void list_names(char *text, size_t room, struct rst_trace *trace, name_at at)
{
	const char *told[NAMES_MAX], *name;
	size_t n_told = 0, n = 0;
	bool has_more = false;

	for (size_t i = 0; (name = at(trace, i)) != NULL && !has_more; i++) {
		bool is_known = name[0] == '\0';

		for (size_t k = 0; k < n_told; k++)
			is_known |= strcmp(told[k], name) == 0;
		if (is_known)
			continue;
		has_more = n_told == NAMES_MAX;
		if (!has_more)
			told[n_told++] = name;
	}
	text[0] = '\0';
	for (size_t k = 0; k < n_told; k++)
		n += (size_t)snprintf(text + n, room - n, "%s%.64s", k ? ", " : "there are ", told[k]);
	if (has_more)
		snprintf(text + n, room - n, ", …");
}

static bool tell_word(const struct explain *explain, const char *what, const char *word, name_at at)
{
	struct rst_trace *trace = explain->select->trace;
	struct similar similar = similar_to(word);
	char names[SIMILAR_TEXT_MAX], sentence[SENTENCE_ROOM];
	const char *name;

	for (size_t i = 0; (name = at(trace, i)) != NULL; i++)
		similar_offer(&similar, name);
	if (!similar_text(&similar, names))
		list_names(names, sizeof(names), trace, at);
	snprintf(sentence, sizeof(sentence), "no %s '%.64s'%s%s", what, word, names[0] ? "; " : "", names);
	explain->tell(explain->context, sentence);
	return true;
}

/* Each returns whether it reported a sentence. */
static bool explain_types(const struct explain *explain, const char *word)
{
	const struct select_list one = { .items = &word, .n_items = 1 };
	const struct rst_layout *layout;

	for (size_t i = 2; (layout = rst_trace_layout(explain->select->trace, i)) != NULL; i++)
		if (select_takes_layout(&one, layout))
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
	const struct filter_spec *spec = explain->select->spec;
	const struct {
		const struct select_list *list;
		bool (*explain)(const struct explain *explain, const char *word);
	} lists[] = { { &spec->types, explain_types }, { &spec->contexts, explain_contexts },
		{ &spec->objects, explain_objects } };

	bool is_told = false;

	for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++)
		for (size_t i = 0; i < lists[k].list->n_items; i++)
			if (lists[k].list->items[i][0] != '!')
				is_told |= lists[k].explain(explain, lists[k].list->items[i]);
	if (explain->has_chosen || is_told || explain->select->takes_all || explain_time(explain))
		return;
	bool is_core = spec->cores.n_items && !spec->types.n_items && !spec->contexts.n_items &&
		       !spec->objects.n_items && !spec->from && !spec->to;

	explain->tell(explain->context, is_core ? "no event is on a core that was asked for"
						: "no event matches all that was asked for");
}
