/* SPDX-License-Identifier: MIT */
/*
 * Generated templates: for an event type from its fields, "queue_ptr=$queue_ptr, enqueued=$enqueued", without
 * those that stand aside, and for hooks without a template.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "template/compile/bind.h"

/* --- as a stanza ---------------------------------------------------------------------------------------- */

static const struct template_file nowhere = { .name = "(made from the fields)", .text = "" };

/* Built as the parser would, but not through text: names of types and fields may hold any character. */
static struct node *add_node(struct arena *arena, struct node ***end, enum node_kind kind)
{
	struct node *node = arena_alloc(arena, sizeof(*node));

	if (!node)
		return NULL;
	node->kind = kind;
	node->at = nowhere.text;
	**end = node;
	*end = &node->next;
	return node;
}

static bool add_field(struct arena *arena, struct node ***end, const struct rst_field *field, bool is_first)
{
	size_t n_name = strlen(field->name);
	bool is_hook = key_is_hook(field->name, n_name);
	char *text = arena_alloc(arena, 2 * n_name + 5), *p = text;
	struct node *lead = text ? add_node(arena, end, NODE_TEXT) : NULL;
	struct node *macro = lead ? add_node(arena, end, NODE_MACRO) : NULL;

	if (!macro)
		return false;
	if (!is_first)
		p = text_put_literal(p, ", ");
	p = text_put(p, field->name, n_name);
	*p++ = '=';
	lead->text = (struct text){ text, (size_t)(p - text) };
	macro->macro.name.bytes = p;
	p = text_put(p, field->name, n_name);
	if (is_hook)
		*p++ = '_';
	macro->macro.name.n_bytes = (size_t)(p - macro->macro.name.bytes);
	return true;
}

/*
 * The loop visits all fields twice: first it takes those about what happened, then those about where it was.
 * Returns NULL if the field is not for this round, or for none.
 */
static const struct rst_field *field_at(const struct rst_layout *layout, unsigned i)
{
	const struct rst_field *field = &layout->fields[i % layout->n_fields];

	return !field->is_aside && field->is_site == (i >= layout->n_fields) ? field : NULL;
}

struct stanza *generate_stanza(struct template_set *set, const struct rst_layout *layout)
{
	struct stanza *stanza = arena_alloc(&set->bound, sizeof(*stanza));
	struct node **end;

	if (!stanza)
		return NULL;
	*stanza = (struct stanza){ .file = &nowhere,
		.at = nowhere.text,
		.end = nowhere.text,
		.key = { layout->type->name, layout->type->name_bytes },
		.written_key = { layout->type->name, layout->type->name_bytes },
		.version = 1,
		.level = LEVEL_KERN };
	end = &stanza->body;
	for (unsigned i = 0; i < 2 * layout->n_fields; i++) {
		const struct rst_field *field = field_at(layout, i);

		if (field && !add_field(&set->bound, &end, field, !stanza->body))
			return NULL;
	}
	return stanza;
}

/* --- as text, to start from ----------------------------------------------------------------------------- */

static char *put_escaped(char *p, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*p++ = '\\';
		*p++ = *text;
	}
	return p;
}

const char *generate_text(struct arena *arena, const struct rst_layout *layout)
{
	size_t n_bytes = strlen(layout->type->name) + 2 * strlen(layout->type->label) + 64;
	const char *lead = " \"";
	char *text, *p;

	for (unsigned i = 0; i < layout->n_fields; i++)
		n_bytes += 2 * strlen(layout->fields[i].name) + 8;
	text = p = arena_alloc(arena, n_bytes);
	if (!text)
		return NULL;
	p += sprintf(p, "%s 1.0 L=KERN \"@", layout->type->name);
	p = put_escaped(p, layout->type->label);
	*p++ = '"';
	for (unsigned i = 0; i < 2 * layout->n_fields; i++) {
		const struct rst_field *field = field_at(layout, i);
		const char *name = field ? field->name : NULL;

		if (!name)
			continue;
		p += sprintf(p, "%s%s=\"$%s%s", lead, name, name, key_is_hook(name, strlen(name)) ? "_" : "");
		lead = "\", ";
	}
	*p = '\0';
	return text;
}

/* --- hooks without a template --------------------------------------------------------------------------- */

/* Name, id, type, then the data words, or the variable bytes in hexadecimal. */
static const char unknown_text[] =
	"007 1.0 L=KERN \"@UNKNOWN HOOK\" \"unknown hook\" $TRACEID \"type\" HT \"data\" $HD \\\n"
	"	$GENERIC, 1 { $D1\", \" HB \"bytes:\" {{ $DATAPOINTER = 2 * $WORDSIZE }} LOOP HB {X1} }, "
	"\\\n"
	"	\\* { {{ $DATAPOINTER = $WORDSIZE }} {{ $words = $HL / $WORDSIZE }} LOOP $words {XW} }\n";

struct stanza *generate_unknown(struct template_set *set)
{
	static const char key[] = "007";
	struct stanza *stanza = stanza_good(template_set_find(set, key, sizeof(key) - 1));
	struct diags diags = { 0 };
	struct template_file *file;

	if (stanza)
		return stanza;
	file = template_file_of("(built in)", unknown_text, sizeof(unknown_text) - 1);
	if (file)
		template_set_add(set, file, &diags);
	diags_done(&diags);
	return template_set_find(set, key, sizeof(key) - 1);
}
