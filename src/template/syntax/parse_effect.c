/* SPDX-License-Identifier: MIT */
/*
 * Lines "# effect:", which stand in front of a stanza and give its events effects:
 *
 *	line      = "# effect:" ( "none" | KIND { WORD "=" value } [ "when" condition { "and" condition } ] )
 *	value     = operand | WORD | STRING
 *	operand   = "$" NAME [ ( "+" | "-" ) NUMBER ] | NUMBER | "self" | "unknown" | "event"
 *	condition = "$" NAME test ( NUMBER | NAME | "self" )
 *	test      = "=" | "!=" | ">=" | "<=" | ">" | "<" | "&" | "!&"
 *
 * Fields are numbered in the order in which the line names them: as in a dialect's table, an operand has the
 * number of a field, and compile/effects.c finds the field of a layout.
 */
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/similar.h"
#include "base/text.h"
#include "template/syntax/effect_parser.h"

bool effect_fail(struct effect_parser *parser, const char *number, const char *at, const char *format, ...)
{
	const struct diag_location location = { .file = parser->file, .at = at, .key = parser->key };
	va_list args;

	va_start(args, format);
	diag_add_list(parser->diags, number, location, format, args);
	va_end(args);
	return false;
}

static bool parse_effect_is_name(char c)
{
	return text_is_of_name(c) || c == '.';
}

struct text effect_take_name(struct effect_parser *parser)
{
	struct text name = { parser->at, 0 };

	while (parser->at < parser->end && parse_effect_is_name(*parser->at))
		parser->at++;
	name.n_bytes = (size_t)(parser->at - name.bytes);
	return name;
}

bool effect_take(struct effect_parser *parser, const char *what)
{
	const size_t n = strlen(what);

	if ((size_t)(parser->end - parser->at) < n || memcmp(parser->at, what, n) != 0)
		return false;
	parser->at += n;
	return true;
}

/* --- words ---------------------------------------------------------------------------------------------- */

static bool fail_word(struct effect_parser *parser, struct text name)
{
	const enum rst_effect_kind kind = parser->line->effect.kind;
	char wanted[64], advice[SIMILAR_TEXT_MAX];
	struct similar similar;

	snprintf(wanted, sizeof(wanted), "%.*s", text_shown(name), name.bytes);
	similar = similar_to(wanted);
	for (const struct effect_word *word = effect_words; word->name; word++)
		if (effect_kind_has(word->kinds, kind))
			similar_offer(&similar, word->name);
	return effect_fail(parser, "T18", name.bytes, "'%s' has nothing that is called '%s'%s%s",
		rst_effect_name(kind), wanted, *wanted ? "; " : "",
		*wanted ? similar_or_all(&similar, advice) : "");
}

static bool parse_effect_take_word(struct effect_parser *parser)
{
	const enum rst_effect_kind kind = parser->line->effect.kind;
	const struct text name = effect_take_name(parser);
	unsigned i = 0;

	while (effect_words[i].name &&
		!(text_is_word(name, effect_words[i].name) && effect_kind_has(effect_words[i].kinds, kind)))
		i++;
	if (!effect_words[i].name)
		return fail_word(parser, name);
	if (!effect_take(parser, "="))
		return effect_fail(
			parser, "T18", parser->at, "= is expected behind %s", effect_words[i].name);
	if (parser->seen >> i & 1 && effect_words[i].type != EFFECT_WORD_FLAG)
		return effect_fail(parser, "T18", name.bytes, "%s was there already", effect_words[i].name);
	parser->seen |= 1U << i;
	return effect_take_value(parser, &effect_words[i]);
}

static bool has_needed(struct effect_parser *parser, const char *at)
{
	const enum rst_effect_kind kind = parser->line->effect.kind;

	for (unsigned i = 0; effect_words[i].name; i++)
		if (effect_kind_has(effect_words[i].needed, kind) && !(parser->seen >> i & 1))
			return effect_fail(parser, "T19", at, "'%s' needs %s=", rst_effect_name(kind),
				effect_words[i].name);
	if (kind == RST_EFFECT_STATE && parser->line->effect.phase < RST_ENTERS)
		return effect_fail(parser, "T19", at, "'state' needs phase=enters, phase=leaves or phase=in");
	if (kind == RST_EFFECT_STATE && parser->line->effect.phase != RST_LEAVES &&
		!parser->line->effect.other.from)
		return effect_fail(parser, "T19", at, "'state' needs other=, the state");
	return true;
}

/* --- lines ---------------------------------------------------------------------------------------------- */

static bool take_kind(struct effect_parser *parser)
{
	const struct text name = effect_take_name(parser);
	char wanted[64], advice[SIMILAR_TEXT_MAX];
	struct similar similar;

	snprintf(wanted, sizeof(wanted), "%.*s", text_shown(name), name.bytes);
	similar = similar_to(wanted);
	for (unsigned kind = RST_EFFECT_NONE; kind < RST_N_EFFECTS; kind++) {
		const char *word = rst_effect_name((enum rst_effect_kind)kind);

		if (text_is_word(name, word) && effect_word_ends(parser)) {
			parser->line->effect.kind = (enum rst_effect_kind)kind;
			return true;
		}
		similar_offer(&similar, word);
	}
	if (!*wanted)
		return effect_fail(parser, "T17", name.bytes, "an effect is expected behind '# effect:'");
	return effect_fail(parser, "T17", name.bytes, "there is no effect '%s'; %s", wanted,
		similar_or_all(&similar, advice));
}

static bool take_words(struct effect_parser *parser)
{
	for (;;) {
		const char *at;

		effect_skip_blanks(parser);
		at = parser->at;
		if (at == parser->end)
			return true;
		if (text_is_word(effect_take_name(parser), "when") && effect_word_ends(parser))
			return effect_take_conditions(parser);
		parser->at = at;
		if (!parse_effect_take_word(parser))
			return false;
	}
}

static bool take_line(struct effect_parser *parser)
{
	struct rst_effect *effect = &parser->line->effect;
	const char *at;

	effect_skip_blanks(parser);
	at = parser->at;
	if (!take_kind(parser))
		return false;
	effect_skip_blanks(parser);
	if (effect->kind == RST_EFFECT_NONE)
		return parser->at == parser->end ||
		       effect_fail(parser, "T18", parser->at, "'none' stands alone");
	if (!take_words(parser) || !has_needed(parser, at))
		return false;
	if (!(parser->seen & 1) && effect_is_by_self(effect->kind)) /* the first of the words is thread */
		effect->thread.from = RST_FROM_SELF;
	if (effect->kind == RST_EFFECT_LEVEL && effect->object.from == RST_FROM_NOTHING)
		effect->object.from = RST_FROM_TYPE;
	return true;
}

/* Returns the text behind "# effect:" in a line, or NULL if it is no such line. */
static const char *effect_of_line(const char *at, const char *end)
{
	static const char word[] = "effect:";
	enum { N_WORD = sizeof(word) - 1 };

	if (at == end || *at != '#')
		return NULL;
	for (at++; at < end && effect_is_blank(*at);)
		at++;
	return end - at >= N_WORD && strncasecmp(at, word, N_WORD) == 0 ? at + N_WORD : NULL;
}

/* "none" in front of all others; later ones are of no use. */
static bool none_is_first(struct effect_parser *parser, const struct effect_line *first)
{
	return parser->line->effect.kind != RST_EFFECT_NONE || !first ||
	       effect_fail(parser, "T18", parser->line->at, "'none' stands in front of all other effects");
}

static struct effect_line *add_line(
	struct effect_parser *parser, struct effect_line *first, struct effect_line ***last, const char *at)
{
	struct effect_line *line = arena_alloc(parser->arena, sizeof(*line));

	parser->has_no_memory |= !line;
	if (!line)
		return first;
	*line = (struct effect_line){ .at = at };
	parser->line = line;
	parser->seen = 0;
	if (!take_line(parser) || !none_is_first(parser, first))
		return first;
	**last = line;
	*last = &line->next;
	return first ? first : line;
}

bool parse_effects(struct effect_line **ret_lines, const struct template_file *file, const char *from,
	const char *to, struct text key, struct arena *arena, struct diags *diags)
{
	struct effect_parser parser = { .file = file, .key = key, .arena = arena, .diags = diags };
	struct effect_line **last = ret_lines;

	*ret_lines = NULL;
	for (const char *at = from; at < to;) {
		const char *newline = memchr(at, '\n', (size_t)(to - at));
		const char *end = newline ? newline : to;
		const char *effect = effect_of_line(at, end);

		while (effect && end > effect && effect_is_blank(end[-1]))
			end--;
		parser.at = effect;
		parser.end = end;
		if (effect && key.n_bytes)
			*ret_lines = add_line(&parser, *ret_lines, &last, effect);
		else if (effect)
			effect_fail(&parser, "T23", at, "no event follows that the effect could be of");
		at = newline ? newline + 1 : to;
	}
	return !parser.has_no_memory;
}
