/* SPDX-License-Identifier: MIT */
/*
 * Names that the recording on the line has. Only files are looked at, and so briefly that a user does not
 * notice.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rastrum/rastrum.h>

#include "base/array.h"
#include "base/steady.h"
#include "cli/completion.h"

enum { PATIENCE_MS = 250 };

struct name {
	const char *name, *what; /* of the trace */
};

struct names {
	struct name *items;
	size_t n_items, room;
};

/* As far as it is read by then, the trace knows its names. Returns NULL if there is no recording. */
static struct rst_trace *read_some(const struct completion *completion)
{
	const struct rst_open how = { .dialect = completion->dialect };
	const uint64_t end = steady_ms() + PATIENCE_MS;
	const struct rst_batch *batch;
	struct rst_trace *trace;
	struct stat st;

	if (!completion->file || stat(completion->file, &st) != 0 || !S_ISREG(st.st_mode) ||
		rst_trace_open(&trace, completion->file, &how, NULL) < 0)
		return NULL;
	while (steady_ms() < end && rst_trace_next(trace, &batch, NULL) == RST_OK)
		continue;
	return trace;
}

/* A list has its members between commas: a name that holds one cannot be written. */
static void add_name(struct names *names, const char *name, const char *what)
{
	struct name *items;

	if (!name || !name[0] || strchr(name, ',') || name[0] == '!')
		return;
	items = array_room(names->items, names->n_items, &names->room, sizeof(*items));
	if (!items)
		return;
	names->items = items;
	items[names->n_items++] = (struct name){ name, what };
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(((const struct name *)one)->name, ((const struct name *)other)->name);
}

/* Each once, in the order of the alphabet. */
static void offer_names(struct completion *completion, struct names *names)
{
	if (names->n_items)
		qsort(names->items, names->n_items, sizeof(*names->items), compare_names);
	for (size_t i = 0; i < names->n_items; i++)
		if (i == 0 || compare_names(&names->items[i - 1], &names->items[i]) != 0)
			completion_offer(completion, names->items[i].name, names->items[i].what);
	free(names->items);
}

static void add_types(struct names *names, const struct rst_trace *trace, const char *text)
{
	enum { N_MARKERS = 2 };
	const struct rst_type *type;

	for (size_t i = N_MARKERS; (type = rst_trace_type(trace, i)) != NULL; i++) {
		add_name(names, type->name, type->label);
		/* The name of a service means its event, too. */
		if (text[0] && !strchr(type->label, ' '))
			add_name(names, type->label, type->name);
	}
}

static void add_contexts(struct names *names, const struct rst_trace *trace, const char *text)
{
	static const char *const kinds[] = { "thread", "isr", "init", "idle" };
	const struct rst_context *context;

	(void)text;
	for (size_t i = 0; (context = rst_trace_context(trace, i)) != NULL; i++)
		if (context->kind == RST_CONTEXT_THREAD)
			add_name(names, context->name,
				context->has_name ? "a thread" : "a thread without a name");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		add_name(names, kinds[i], "all of this kind");
}

static void add_objects(struct names *names, const struct rst_trace *trace, const char *text)
{
	const struct rst_object *object;

	(void)text;
	for (size_t i = 0; (object = rst_trace_object(trace, i)) != NULL; i++)
		add_name(names, object->name, rst_object_kind_name(object->kind));
}

/* A member of a list, which may have ! in front. */
static void complete_names(struct completion *completion,
	void (*add)(struct names *names, const struct rst_trace *trace, const char *text))
{
	const char *comma = strrchr(completion->text, ','), *member = comma ? comma + 1 : completion->text;
	struct rst_trace *trace = read_some(completion);
	struct names names = { 0 };

	completion_begin(completion, COMPLETION_LIST, (size_t)(member - completion->text) + (*member == '!'));
	if (trace)
		add(&names, trace, completion->text);
	offer_names(completion, &names);
	rst_trace_free(trace);
}

void complete_types(struct completion *completion)
{
	complete_names(completion, add_types);
}

void complete_contexts(struct completion *completion)
{
	complete_names(completion, add_contexts);
}

void complete_objects(struct completion *completion)
{
	complete_names(completion, add_objects);
}
