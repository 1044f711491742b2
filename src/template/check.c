/* SPDX-License-Identifier: MIT */
/*
 * What a compiler can see over a whole set: calls of templates that are not there (W01), calls in a circle (W02), and
 * advice: names that mean nothing (A01), cases that are never reached (A02), macros that nobody reads (A03), labels that
 * the text says again (A04).
 */
#include <string.h>
#include <strings.h>

#include "template/bind.h"

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

static void check_list(struct checker *checker, const struct node *node);

static bool text_is(struct text a, struct text b)
{
	return a.n_bytes == b.n_bytes && memcmp(a.bytes, b.bytes, a.n_bytes) == 0;
}

static void say(const struct checker *checker, const char *number, const char *at, const char *before,
	struct text name, const char *after)
{
	enum { NAME_MAX = 60 };
	const struct text key = checker->stanza->written_key;

	diag_add(checker->diags, number, checker->stanza->file, at, key.bytes, key.n_bytes, "%s%.*s%s",
		before, (int)(name.n_bytes < NAME_MAX ? name.n_bytes : NAME_MAX), name.bytes, after);
}

/* --- names --------------------------------------------------------------------------------------------------------- */

static bool find_slot(const struct stanza *stanza, struct text name, unsigned *ret_slot)
{
	for (*ret_slot = 0; *ret_slot < stanza->n_macros; ++*ret_slot)
		if (text_is(stanza->macros[*ret_slot], name))
			return true;
	return false;
}

/* What a name calls; in sets of events it may be a field of some of them, which is no call there. */
static struct stanza *find_callee(const struct checker *checker, struct text name)
{
	char key[8];
	unsigned slot;

	if (parse_is_hook(name.bytes, name.n_bytes))
		return template_set_find(checker->set, key, parse_key(key, name.bytes, name.n_bytes));
	if (checker->set->is_aix || macro_find(name.bytes, name.n_bytes) ||
		find_slot(checker->stanza, name, &slot))
		return NULL;
	return template_set_find(checker->set, name.bytes, name.n_bytes);
}

static void check_macro(struct checker *checker, const struct node *node)
{
	struct text name = node->macro.name;
	unsigned slot;

	if (find_slot(checker->stanza, name, &slot))
		checker->was_read[slot] = true;
	else if (parse_is_hook(name.bytes, name.n_bytes)) {
		if (!find_callee(checker, name))
			say(checker, "W01", node->at, "there is no template ", name, " to call");
	} else if (checker->set->is_aix && checker->wants_advice && !macro_find(name.bytes, name.n_bytes))
		say(checker, "A01", node->at, "$", name, " is never set: it is 0");
}

/* --- statements ------------------------------------------------------------------------------------------------------ */

static void check_cases(struct checker *checker, const struct switch_case *one)
{
	const struct switch_case *wild = NULL;

	for (; one; one = one->next) {
		if (wild && checker->wants_advice)
			say(checker, "A02", one->at, "the case ", one->match,
				" is never reached: a wildcard stands before it");
		if (one->is_wild && !wild)
			wild = one;
		check_list(checker, one->body);
	}
}

static void check_expression(struct checker *checker, const struct node *node)
{
	if (!node)
		return;
	if (node->kind == NODE_MACRO)
		check_macro(checker, node);
	if (node->kind != NODE_BINARY && node->kind != NODE_NEGATE)
		return;
	check_expression(checker, node->binary.left);
	if (node->kind == NODE_BINARY)
		check_expression(checker, node->binary.right);
}

static void check_item(struct checker *checker, const struct node *node)
{
	switch (node->kind) {
	case NODE_QUOTED:
		check_list(checker, node->pieces);
		break;
	case NODE_SWITCH:
		check_expression(checker, node->select.selector);
		check_cases(checker, node->select.cases);
		break;
	case NODE_LOOP:
		check_expression(checker, node->loop.count);
		check_list(checker, node->loop.body);
		break;
	case NODE_BITFLAGS:
		check_expression(checker, node->bits.selector);
		break;
	case NODE_ASSIGN:
		check_expression(checker, node->assign.value);
		break;
	case NODE_TIMER:
		check_expression(checker, node->timer.first);
		check_expression(checker, node->timer.second);
		break;
	case NODE_MACRO:
	case NODE_TEXT:
	case NODE_CODE:
	case NODE_NEWLINE:
	case NODE_TAB:
	case NODE_NUMBER:
	case NODE_NEGATE:
	case NODE_BINARY:
		check_expression(checker, node);
		break;
	}
}

static void check_list(struct checker *checker, const struct node *node)
{
	for (; node; node = node->next)
		check_item(checker, node);
}

/* The label stands in front of the text by itself; templates from elsewhere often say it again. */
static void check_label(const struct checker *checker)
{
	const struct stanza *stanza = checker->stanza;
	const struct node *first = stanza->body;

	if (!stanza->has_label || stanza->is_label_hidden || !stanza->label.n_bytes || !first ||
		first->kind != NODE_TEXT || first->text.n_bytes < stanza->label.n_bytes)
		return;
	if (strncasecmp(first->text.bytes, stanza->label.bytes, stanza->label.n_bytes) == 0)
		say(checker, "A04", first->at, "the text says '", stanza->label,
			"' again; hide the label with a @ in front of it");
}

static void check_stanza(struct checker *checker, struct stanza *stanza)
{
	checker->stanza = stanza;
	memset(checker->was_read, 0, sizeof(checker->was_read));
	check_list(checker, stanza->body);
	if (!checker->wants_advice)
		return;
	/* A macro that only a subroutine reads, by position, is read all the same: callers are left in peace. */
	for (unsigned i = 0; i < stanza->n_macros; i++)
		if (!checker->was_read[i] && !stanza->has_calls)
			say(checker, "A03", stanza->at, "$", stanza->macros[i], " is set, but never read");
	check_label(checker);
}

/* --- circles ---------------------------------------------------------------------------------------------------------- */

static void walk_calls(struct checker *checker, struct stanza *stanza);

static void walk_macro(struct checker *checker, struct stanza *stanza, const struct node *node)
{
	struct stanza *callee;

	checker->stanza = stanza;
	callee = find_callee(checker, node->macro.name);
	if (!callee)
		return;
	stanza->has_calls = true;
	if (checker->colors[callee->index] == COLOR_OPEN)
		say(checker, "W02", node->at, "the template ", callee->written_key, " is called in a circle");
	else if (checker->colors[callee->index] == COLOR_NEW)
		walk_calls(checker, callee);
}

static void walk_list(struct checker *checker, struct stanza *stanza, const struct node *node)
{
	for (; node; node = node->next) {
		if (node->kind == NODE_MACRO)
			walk_macro(checker, stanza, node);
		else if (node->kind == NODE_QUOTED)
			walk_list(checker, stanza, node->pieces);
		else if (node->kind == NODE_LOOP)
			walk_list(checker, stanza, node->loop.body);
		for (const struct switch_case *one = node->kind == NODE_SWITCH ? node->select.cases : NULL;
			one; one = one->next)
			walk_list(checker, stanza, one->body);
	}
}

/* Depth first; beyond this depth of calls an entry ends anyway, so nothing is lost by stopping there. */
static void walk_calls(struct checker *checker, struct stanza *stanza)
{
	enum { DEPTH_MAX = 256 };

	if (stanza->is_bad || checker->depth == DEPTH_MAX)
		return;
	checker->depth++;
	checker->colors[stanza->index] = COLOR_OPEN;
	walk_list(checker, stanza, stanza->body);
	checker->colors[stanza->index] = COLOR_DONE;
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
