/* SPDX-License-Identifier: MIT */
/*
 * Checks a whole set for calls of missing templates (W01) and calls in a circle (W02). It also gives advice:
 * names that mean nothing (A01), cases that are never reached (A02), macros that are never read (A03), labels
 * that the text repeats (A04).
 */
#include <string.h>
#include <strings.h>

#include "template/compile/bind.h"

enum color { COLOR_NEW, COLOR_OPEN, COLOR_DONE };

struct checker {
	struct template_set *set;
	struct diags *diags;
	bool wants_advice;
	uint8_t *colors; /* by index of the stanza */
	struct stanza *stanza;
	bool was_read[TREE_MACROS_MAX];
	unsigned depth;
};

static void checker_add(const struct checker *checker, const char *number, const char *at, const char *format,
	...) __attribute__((format(printf, 4, 5)));

static void checker_add(
	const struct checker *checker, const char *number, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add_list(checker->diags, number, stanza_location(checker->stanza, at), format, args);
	va_end(args);
}

/* --- one stanza ----------------------------------------------------------------------------------------- */

static void check_macro(struct checker *checker, const struct node *node)
{
	struct text name = node->macro.name;
	unsigned slot;

	/* In sets of events, binding to a type finds a name that means nothing. */
	if (stanza_slot(checker->stanza, name, &slot))
		checker->was_read[slot] = true;
	else if (!checker->set->is_aix)
		return;
	else if (key_is_hook(name.bytes, name.n_bytes)) {
		if (!template_set_callee(checker->set, name))
			checker_add(checker, "W01", node->at, "there is no template %.*s to call",
				text_shown(name), name.bytes);
	} else if (checker->wants_advice && !macro_find(name.bytes, name.n_bytes))
		checker_add(checker, "A01", node->at, "$%.*s is never set: it is 0", text_shown(name),
			name.bytes);
}

static void advise_cases(const struct checker *checker, const struct switch_case *one)
{
	while (one && !one->is_wild)
		one = one->next;
	for (one = one ? one->next : NULL; one; one = one->next)
		checker_add(checker, "A02", one->at,
			"the case %.*s is never reached: a wildcard stands before it", text_shown(one->match),
			one->match.bytes);
}

static void check_node(void *context, const struct node *node)
{
	struct checker *checker = context;

	if (node->kind == NODE_MACRO)
		check_macro(checker, node);
	if (node->kind == NODE_SWITCH && checker->wants_advice)
		advise_cases(checker, node->select.cases);
}

/* The label stands in front of the text by itself; templates from elsewhere often repeat it. */
static void check_label(const struct checker *checker)
{
	const struct stanza *stanza = checker->stanza;
	const struct node *first = stanza->body;

	if (!stanza->has_label || stanza->is_label_hidden || !stanza->label.n_bytes || !first ||
		first->kind != NODE_TEXT || first->text.n_bytes < stanza->label.n_bytes)
		return;
	if (strncasecmp(first->text.bytes, stanza->label.bytes, stanza->label.n_bytes) == 0)
		checker_add(checker, "A04", first->at,
			"the text says '%.*s' again; hide the label with a @ in front of it",
			text_shown(stanza->label), stanza->label.bytes);
}

static void check_stanza(struct checker *checker, struct stanza *stanza)
{
	const struct tree_visitor visitor = { .node = check_node, .context = checker };

	checker->stanza = stanza;
	memset(checker->was_read, 0, sizeof(checker->was_read));
	tree_visit(&visitor, stanza->body);
	if (!checker->wants_advice)
		return;
	/* A subroutine may read a macro of its caller by position: a template with calls gets no advice. */
	for (unsigned i = 0; i < stanza->n_macros; i++)
		if (!checker->was_read[i] && !stanza->has_calls)
			checker_add(checker, "A03", stanza->at, "$%.*s is set, but never read",
				text_shown(stanza->macros[i]), stanza->macros[i].bytes);
	check_label(checker);
}

/* --- circles -------------------------------------------------------------------------------------------- */

static void walk_calls(struct checker *checker, struct stanza *stanza);

/*
 * The template that a name calls; in sets of events the name may be a field of some of them, which is no call
 * there.
 */
static struct stanza *find_callee(const struct checker *checker, struct text name)
{
	unsigned slot;

	if (!key_is_hook(name.bytes, name.n_bytes) &&
		(macro_find(name.bytes, name.n_bytes) || stanza_slot(checker->stanza, name, &slot)))
		return NULL;
	return template_set_callee(checker->set, name);
}

static void walk_node(void *context, const struct node *node)
{
	struct checker *checker = context;
	struct stanza *callee = node->kind == NODE_MACRO ? find_callee(checker, node->macro.name) : NULL;

	if (!callee)
		return;
	checker->stanza->has_calls = true;
	if (checker->colors[callee->index] == COLOR_OPEN)
		checker_add(checker, "W02", node->at, "the template %.*s is called in a circle",
			text_shown(callee->written_key), callee->written_key.bytes);
	else if (checker->colors[callee->index] == COLOR_NEW)
		walk_calls(checker, callee);
}

/* Depth first; beyond this depth of calls an entry ends anyway, so nothing is lost by stopping there. */
static void walk_calls(struct checker *checker, struct stanza *stanza)
{
	enum { DEPTH_MAX = 256 };
	const struct tree_visitor visitor = { .node = walk_node, .context = checker };
	struct stanza *caller = checker->stanza;

	if (stanza->is_bad || checker->depth == DEPTH_MAX)
		return;
	checker->depth++;
	checker->stanza = stanza;
	checker->colors[stanza->index] = COLOR_OPEN;
	tree_visit(&visitor, stanza->body);
	checker->colors[stanza->index] = COLOR_DONE;
	checker->stanza = caller;
	checker->depth--;
}

/* Not one that a later file has overridden. */
static bool is_current(const struct template_set *set, const struct stanza *stanza)
{
	return template_set_find(set, stanza->key.bytes, stanza->key.n_bytes) == stanza;
}

void check_set(struct template_set *set, bool wants_advice, struct diags *diags)
{
	struct checker checker = { .set = set, .diags = diags, .wants_advice = wants_advice };

	checker.colors = arena_alloc(&set->arena, set->n_stanzas + 1);
	if (!checker.colors) {
		diags->has_no_memory = true;
		return;
	}
	for (size_t i = 0; i < set->n_stanzas; i++)
		if (checker.colors[i] == COLOR_NEW)
			walk_calls(&checker, set->stanzas[i]);
	for (size_t i = 0; i < set->n_stanzas; i++)
		if (!set->stanzas[i]->is_bad && is_current(set, set->stanzas[i]))
			check_stanza(&checker, set->stanzas[i]);
}
