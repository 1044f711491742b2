/* SPDX-License-Identifier: MIT */
/*
 * Types of a description, by recursive descent: each function below is one rule of the grammar, and leaves
 * the word behind what it has read as the present word. A name of a type is looked up from the innermost
 * braces outwards, in the order of the text, so a name cannot contain itself.
 */
#include "dialect/ctf/words.h"

#include <stdio.h>
#include <string.h>

struct ctf_alias {
	const char *name;
	const struct ctf_class *class;
	struct ctf_alias *other; /* with the same key */
};

/* --- scopes --------------------------------------------------------------------------------------------- */

void ctf_scope_begin(struct ctf_parser *parser, struct ctf_scope *scope)
{
	*scope = (struct ctf_scope){ .outer = parser->scope };
	parser->scope = scope;
}

void ctf_scope_end(struct ctf_parser *parser)
{
	map_done(&parser->scope->names);
	parser->scope = parser->scope->outer;
}

static bool scope_add(struct ctf_parser *parser, const char *name, const struct ctf_class *class)
{
	const uint64_t key = map_text_key(name, strlen(name));
	struct ctf_alias *alias = ctf_room(parser, sizeof(*alias));

	if (!alias)
		return false;
	*alias = (struct ctf_alias){ name, class, map_find(&parser->scope->names, key) };
	if (map_set(&parser->scope->names, key, alias))
		return true;
	parser->has_no_memory = true;
	return ctf_wrong(parser, "memory ran out");
}

static const struct ctf_class *scope_find(const struct ctf_parser *parser, const char *name)
{
	const uint64_t key = map_text_key(name, strlen(name));

	for (const struct ctf_scope *scope = parser->scope; scope; scope = scope->outer)
		for (const struct ctf_alias *alias = map_find(&scope->names, key); alias;
			alias = alias->other)
			if (strcmp(alias->name, name) == 0)
				return alias->class;
	return NULL;
}

/* --- enumerations --------------------------------------------------------------------------------------- */

static bool types_take_value(struct ctf_parser *parser, uint64_t *ret)
{
	const bool is_negative = ctf_took(parser, '-');

	ctf_took(parser, '+');
	if (parser->word != CTF_WORD_NUMBER)
		return ctf_wrong(parser, "here a number is missing");
	*ret = is_negative ? -parser->number : parser->number;
	return ctf_next(parser);
}

static bool take_label(struct ctf_parser *parser, struct ctf_label *ret, uint64_t next)
{
	if (parser->word != CTF_WORD_NAME && parser->word != CTF_WORD_TEXT)
		return ctf_wrong(parser, "here a label is missing");
	*ret = (struct ctf_label){ parser->text, next, next };
	if (!ctf_next(parser))
		return false;
	if (ctf_took(parser, '=')) {
		if (!types_take_value(parser, &ret->from))
			return false;
		ret->to = ret->from;
		if (ctf_took(parser, CTF_SIGN_RANGE) && !types_take_value(parser, &ret->to))
			return false;
	}
	return true;
}

static bool take_labels(struct ctf_parser *parser, struct ctf_class *class)
{
	struct ctf_label *labels = NULL;
	size_t room = 0, n = 0;
	uint64_t next = 0;

	while (!ctf_is_sign(parser, '}')) {
		struct ctf_label label;

		if (!take_label(parser, &label, next))
			return false;
		if (n == room) {
			struct ctf_label *more =
				ctf_room(parser, (room = room ? 2 * room : 8) * sizeof(*more));

			if (!more)
				return false;
			if (n)
				memcpy(more, labels, n * sizeof(*more));
			labels = more;
		}
		labels[n++] = label;
		next = label.to + 1;
		if (!ctf_took(parser, ','))
			break;
	}
	class->labels = labels;
	class->n_labels = n;
	return ctf_take(parser, '}');
}

/* The name of a struct, enum or variant among names of types: "struct point". */
static const char *tag_name(struct ctf_parser *parser, const char *what, const char *name)
{
	const size_t n_what = strlen(what), n_name = strlen(name);
	char *tag = ctf_room(parser, n_what + n_name + 2);

	if (tag)
		sprintf(tag, "%s %s", what, name);
	return tag;
}

/* Reads the name behind `struct`, `enum` or `variant`, if there is one: its name among types, or NULL. */
static bool take_tag(struct ctf_parser *parser, const char *what, const char **ret)
{
	*ret = NULL;
	if (!ctf_next(parser))
		return false;
	if (parser->word != CTF_WORD_NAME)
		return true;
	*ret = tag_name(parser, what, parser->text);
	return *ret && ctf_next(parser);
}

static const struct ctf_class *named_class(struct ctf_parser *parser, const char *tag)
{
	const struct ctf_class *class = tag ? scope_find(parser, tag) : NULL;

	if (!class)
		ctf_wrong(parser, "a type is not known");
	return class;
}

static const struct ctf_class *take_enumeration(struct ctf_parser *parser)
{
	const struct ctf_class *container = NULL;
	struct ctf_class *class;
	const char *tag;

	if (!take_tag(parser, "enum", &tag))
		return NULL;
	if (ctf_took(parser, ':')) {
		container = ctf_type(parser);
		if (!container)
			return NULL;
	} else if (!ctf_is_sign(parser, '{')) {
		return named_class(parser, tag);
	} else {
		container = scope_find(parser, "int");
	}
	if (!container || container->kind != CTF_INTEGER) {
		ctf_wrong(parser, "an enumeration has no integer type");
		return NULL;
	}
	class = ctf_class_new(parser, CTF_ENUMERATION);
	if (!class || !ctf_take(parser, '{'))
		return NULL;
	*class = *container;
	class->kind = CTF_ENUMERATION;
	if (!take_labels(parser, class))
		return NULL;
	if (!ctf_index_labels(&parser->trace->arena, class, NULL, &class->starts)) {
		parser->has_no_memory = true;
		ctf_wrong(parser, "memory ran out");
		return NULL;
	}
	return !tag || scope_add(parser, tag, class) ? class : NULL;
}

/* --- structures and variants ---------------------------------------------------------------------------- */

static struct ctf_class *array_new(struct ctf_parser *parser, const struct ctf_class *item)
{
	struct ctf_class *class = NULL;

	if (parser->word == CTF_WORD_NUMBER) {
		class = ctf_class_new(parser, CTF_ARRAY);
		if (class)
			class->n_items = parser->number;
		if (!ctf_next(parser))
			return NULL;
	} else {
		const char *of = ctf_path(parser);

		if (of)
			class = ctf_class_new(parser, CTF_SEQUENCE);
		if (class)
			class->of = of;
	}
	if (class)
		class->item = item;
	return class;
}

/* [3][n] behind a name: arrays of three sequences. */
static const struct ctf_class *take_brackets(struct ctf_parser *parser, const struct ctf_class *item)
{
	struct ctf_class *outermost = NULL, *innermost = NULL;
	unsigned n = 0;

	while (ctf_took(parser, '[')) {
		struct ctf_class *class = array_new(parser, item);

		if (!class || !ctf_take(parser, ']'))
			return NULL;
		if (++n + parser->depth > CTF_DEPTH_MAX) {
			ctf_wrong(parser, "types are nested too deeply");
			return NULL;
		}
		if (innermost)
			innermost->item = class;
		else
			outermost = class;
		innermost = class;
	}
	return outermost ? outermost : item;
}

struct member_list {
	struct ctf_member *rows;
	size_t n, room;
};

static bool add_member(struct ctf_parser *parser, struct member_list *list, const struct ctf_member *member)
{
	if (list->n == list->room) {
		const size_t room = list->room ? 2 * list->room : 8;
		struct ctf_member *more = ctf_room(parser, room * sizeof(*more));

		if (!more)
			return false;
		if (list->n)
			memcpy(more, list->rows, list->n * sizeof(*more));
		list->rows = more;
		list->room = room;
	}
	list->rows[list->n++] = *member;
	return true;
}

/* The names behind a type: a, b[4]; */
static bool take_declarators(
	struct ctf_parser *parser, struct member_list *list, const struct ctf_class *class)
{
	do {
		struct ctf_member member = { .keep = -1 };

		while (ctf_took(parser, '*'))
			continue;
		if (parser->word != CTF_WORD_NAME && parser->word != CTF_WORD_TEXT)
			return ctf_wrong(parser, "here the name of a field is missing");
		member.name = parser->text;
		if (!ctf_next(parser))
			return false;
		member.class = take_brackets(parser, class);
		if (!member.class || !add_member(parser, list, &member))
			return false;
	} while (ctf_took(parser, ','));
	return ctf_take(parser, ';');
}

static bool take_members(struct ctf_parser *parser, struct ctf_class *class)
{
	struct member_list list = { 0 };

	while (!ctf_is_sign(parser, '}')) {
		bool is_statement = false;
		const struct ctf_class *type;

		if (parser->word == CTF_WORD_END)
			return ctf_wrong(parser, "a type does not end");
		if (ctf_is_word(parser, "typealias") || ctf_is_word(parser, "typedef")) {
			if (!ctf_type_statement(parser, &is_statement))
				return false;
			continue;
		}
		type = ctf_type(parser);
		if (!type)
			return false;
		if (ctf_took(parser, ';')) /* a type with a name, without a field */
			continue;
		if (!take_declarators(parser, &list, type))
			return false;
	}
	class->members = list.rows;
	class->n_members = list.n;
	return ctf_next(parser);
}

static bool take_braces(struct ctf_parser *parser, struct ctf_class *class)
{
	struct ctf_scope scope;
	bool is_good;

	ctf_scope_begin(parser, &scope);
	is_good = ctf_take(parser, '{') && take_members(parser, class);
	ctf_scope_end(parser);
	return is_good;
}

/* align(32) behind the braces of a structure. */
static bool take_align(struct ctf_parser *parser, struct ctf_class *class)
{
	if (!ctf_is_word(parser, "align"))
		return true;
	return ctf_next(parser) && ctf_take(parser, '(') &&
	       (parser->word == CTF_WORD_NUMBER || ctf_wrong(parser, "here a number is missing")) &&
	       ctf_set_align(parser, class, parser->number) && ctf_next(parser) && ctf_take(parser, ')');
}

static const struct ctf_class *take_structure(struct ctf_parser *parser)
{
	struct ctf_class *class;
	const char *tag;

	if (!take_tag(parser, "struct", &tag))
		return NULL;
	if (!ctf_is_sign(parser, '{'))
		return named_class(parser, tag);
	class = ctf_class_new(parser, CTF_STRUCTURE);
	if (!class || !take_braces(parser, class) || !take_align(parser, class))
		return NULL;
	return !tag || scope_add(parser, tag, class) ? class : NULL;
}

/* variant NAME <tag> { … }; each of the three may be absent. */
static const struct ctf_class *take_variant(struct ctf_parser *parser)
{
	const struct ctf_class *known;
	struct ctf_class *class = ctf_class_new(parser, CTF_VARIANT);
	const char *tag, *of = NULL;

	if (!class || !take_tag(parser, "variant", &tag))
		return NULL;
	if (ctf_took(parser, '<')) {
		of = ctf_path(parser);
		if (!of || !ctf_take(parser, '>'))
			return NULL;
	}
	if (ctf_is_sign(parser, '{')) {
		if (!take_braces(parser, class) || (tag && !scope_add(parser, tag, class)))
			return NULL;
	} else {
		known = named_class(parser, tag);
		if (!known)
			return NULL;
		*class = *known;
	}
	if (of)
		class->of = of;
	return class;
}

/* --- a type --------------------------------------------------------------------------------------------- */

/*
 * The words of a name of a type: unsigned long *. The last word may be the name of the field, so a name is
 * taken only if another word follows, or if it would be the first.
 */
static const struct ctf_class *take_named_type(struct ctf_parser *parser)
{
	char name[CTF_PATH_BYTES];
	const struct ctf_class *class = NULL, *longer;
	size_t n = 0;

	while (parser->word == CTF_WORD_NAME || ctf_is_sign(parser, '*')) {
		const char *text = parser->word == CTF_WORD_NAME ? parser->text : "*";
		const size_t n_text = strlen(text);

		if (n + n_text + 2 > sizeof(name)) {
			ctf_wrong(parser, "the name of a type is too long");
			return NULL;
		}
		if (strcmp(text, "const") == 0) {
			if (!ctf_next(parser))
				return NULL;
			continue;
		}
		if (n)
			name[n++] = ' ';
		memcpy(name + n, text, n_text + 1);
		n += n_text;
		longer = scope_find(parser, name);
		if (class && !longer) {
			struct ctf_parser ahead = *parser;

			/* Either the name of the field, or a word of a longer name. */
			if (!ctf_next(&ahead) || (ahead.word != CTF_WORD_NAME && !ctf_is_sign(&ahead, '*')))
				break;
		}
		class = longer;
		if (!ctf_next(parser))
			return NULL;
	}
	if (!class && !parser->fault->what[0])
		ctf_refuse(parser->fault, parser->line, "the type '%.60s' is not known", n ? name : "");
	return class;
}

static const struct ctf_class *type_of_word(struct ctf_parser *parser)
{
	if (ctf_is_word(parser, "integer"))
		return ctf_scalar(parser, CTF_INTEGER);
	if (ctf_is_word(parser, "floating_point"))
		return ctf_scalar(parser, CTF_REAL);
	if (ctf_is_word(parser, "string"))
		return ctf_scalar(parser, CTF_STRING);
	if (ctf_is_word(parser, "enum"))
		return take_enumeration(parser);
	if (ctf_is_word(parser, "struct"))
		return take_structure(parser);
	if (ctf_is_word(parser, "variant"))
		return take_variant(parser);
	return take_named_type(parser);
}

const struct ctf_class *ctf_type(struct ctf_parser *parser)
{
	const struct ctf_class *class;

	if (parser->depth >= CTF_DEPTH_MAX) {
		ctf_wrong(parser, "types are nested too deeply");
		return NULL;
	}
	parser->depth++;
	class = type_of_word(parser);
	parser->depth--;
	return class;
}

/* typealias TYPE := unsigned long *; */
static bool take_typealias(struct ctf_parser *parser)
{
	const struct ctf_class *class;
	char name[CTF_PATH_BYTES];
	const char *copy;
	size_t n = 0;

	if (!ctf_next(parser))
		return false;
	class = ctf_type(parser);
	if (!class || !ctf_take(parser, CTF_SIGN_IS))
		return false;
	while (!ctf_is_sign(parser, ';')) {
		const char *text = ctf_is_sign(parser, '*') ? "*" : parser->text;
		const bool is_part = ctf_is_sign(parser, '*') || parser->word == CTF_WORD_NAME;

		if (!is_part || n + strlen(text) + 2 > sizeof(name))
			return ctf_wrong(parser, "here the name of a type is missing");
		if (n)
			name[n++] = ' ';
		memcpy(name + n, text, strlen(text));
		n += strlen(text);
		if (!ctf_next(parser))
			return false;
	}
	copy = arena_copy(&parser->trace->arena, name, n);
	parser->has_no_memory |= !copy;
	return copy && scope_add(parser, copy, class) && ctf_next(parser);
}

/* typedef TYPE name[4], other; */
static bool take_typedef(struct ctf_parser *parser)
{
	struct member_list list = { 0 };
	const struct ctf_class *class;

	if (!ctf_next(parser))
		return false;
	class = ctf_type(parser);
	if (!class || !take_declarators(parser, &list, class))
		return false;
	for (size_t i = 0; i < list.n; i++)
		if (!scope_add(parser, list.rows[i].name, list.rows[i].class))
			return false;
	return true;
}

bool ctf_type_statement(struct ctf_parser *parser, bool *ret_is_one)
{
	*ret_is_one = true;
	if (ctf_is_word(parser, "typealias"))
		return take_typealias(parser);
	if (ctf_is_word(parser, "typedef"))
		return take_typedef(parser);
	if (ctf_is_word(parser, "struct") || ctf_is_word(parser, "enum") || ctf_is_word(parser, "variant"))
		return ctf_type(parser) && ctf_take(parser, ';');
	*ret_is_one = false;
	return true;
}
