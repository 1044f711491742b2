/* SPDX-License-Identifier: MIT */
#include "template/syntax/tree.h"

#include <string.h>

const char *const level_names[N_LEVELS] = { "APPL", "SVC", "KERN", "INT" };

/* --- texts and names ------------------------------------------------------------------------------------ */

bool text_is_word(struct text text, const char *word)
{
	return text.n_bytes == strlen(word) && memcmp(text.bytes, word, text.n_bytes) == 0;
}

bool stanza_slot(const struct stanza *stanza, struct text name, unsigned *ret_slot)
{
	for (unsigned i = 0; i < stanza->n_macros; i++)
		if (text_is_same(stanza->macros[i], name)) {
			*ret_slot = i;
			return true;
		}
	return false;
}

struct diag_location stanza_location(const struct stanza *stanza, const char *at)
{
	return (struct diag_location){ .file = stanza->file, .at = at, .key = stanza->written_key };
}

int text_shown(struct text text)
{
	enum { SHOWN_MAX = 60 };

	return (int)(text.n_bytes < SHOWN_MAX ? text.n_bytes : SHOWN_MAX);
}

/* --- a walk --------------------------------------------------------------------------------------------- */

static void visit_quoted(const struct tree_visitor *visitor, const struct node *node)
{
	tree_visit(visitor, node->parts);
}

static void visit_switch(const struct tree_visitor *visitor, const struct node *node)
{
	tree_visit(visitor, node->select.selector);
	for (const struct switch_case *one = node->select.cases; one; one = one->next) {
		if (visitor->match)
			visitor->match(visitor->context, node, one);
		tree_visit(visitor, one->body);
	}
}

static void visit_loop(const struct tree_visitor *visitor, const struct node *node)
{
	tree_visit(visitor, node->loop.count);
	tree_visit(visitor, node->loop.body);
}

static void visit_flags(const struct tree_visitor *visitor, const struct node *node)
{
	tree_visit(visitor, node->bits.selector);
}

static void visit_assign(const struct tree_visitor *visitor, const struct node *node)
{
	tree_visit(visitor, node->assign.value);
}

static void visit_timer(const struct tree_visitor *visitor, const struct node *node)
{
	tree_visit(visitor, node->timer.first);
	tree_visit(visitor, node->timer.second);
}

static void visit_operands(const struct tree_visitor *visitor, const struct node *node)
{
	tree_visit(visitor, node->binary.left);
	tree_visit(visitor, node->binary.right);
}

/* The nodes that have other nodes as parts. */
static void (*const visit_parts[])(const struct tree_visitor *visitor, const struct node *node) = {
	[NODE_QUOTED] = visit_quoted,
	[NODE_SWITCH] = visit_switch,
	[NODE_LOOP] = visit_loop,
	[NODE_BITFLAGS] = visit_flags,
	[NODE_ASSIGN] = visit_assign,
	[NODE_TIMER] = visit_timer,
	[NODE_NEGATE] = visit_operands,
	[NODE_BINARY] = visit_operands,
};

void tree_visit(const struct tree_visitor *visitor, const struct node *list)
{
	for (const struct node *node = list; node; node = node->next) {
		visitor->node(visitor->context, node);
		if (visit_parts[node->kind])
			visit_parts[node->kind](visitor, node);
	}
}
