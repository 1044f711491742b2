/* SPDX-License-Identifier: MIT */
/* Parses values and conditions of lines "# effect:". Their grammar is in parse_effect.c. */
#include <string.h>

#include "base/similar.h"
#include "template/syntax/effect_parser.h"

/* --- numbers and fields --------------------------------------------------------------------------------- */

static bool number_of(struct text text, uint64_t *ret)
{
	if (text.n_bytes > 2 && text.bytes[0] == '0' && (text.bytes[1] | 0x20) == 'x')
		return parse_digits((struct text){ text.bytes + 2, text.n_bytes - 2 }, 16, ret);
	return parse_digits(text, 10, ret);
}

/* The number of a field in the line; the same field has one number. */
static bool field_number(struct effect_parser *parser, const char *at, int16_t *ret)
{
	struct effect_line *line = parser->line;
	const struct text name = effect_take_name(parser);
	char *copy;

	if (name.n_bytes == 0)
		return effect_fail(parser, "T18", at, "name expected after $");
	for (unsigned i = 0; i < line->n_fields; i++)
		if (text_is_same(line->fields[i].name, name)) {
			*ret = (int16_t)(i + 1);
			return true;
		}
	copy = arena_copy(parser->arena, name.bytes, name.n_bytes);
	parser->has_no_memory |= !copy;
	if (!copy)
		return false;
	line->fields[line->n_fields].at = at;
	line->fields[line->n_fields].name = (struct text){ copy, name.n_bytes };
	*ret = (int16_t)++line->n_fields;
	return true;
}

static bool take_added(struct effect_parser *parser, struct rst_operand *ret)
{
	const char *at = parser->at;
	const bool is_minus = effect_take(parser, "-");
	uint64_t number;

	if (!is_minus && !effect_take(parser, "+"))
		return true;
	if (!number_of(effect_take_name(parser), &number) || number > INT32_MAX)
		return effect_fail(parser, "T18", at, "a number below 0x80000000 is expected behind + and -");
	ret->add = is_minus ? -(int32_t)number : (int32_t)number;
	return true;
}

static bool take_operand(
	struct effect_parser *parser, const struct effect_word *word, struct rst_operand *ret)
{
	static const struct {
		const char *name;
		int16_t from;
	} sources[] = { { "self", RST_FROM_SELF }, { "unknown", RST_FROM_UNKNOWN },
		{ "event", RST_FROM_TYPE } };
	const char *at = parser->at;
	const bool is_object = word->offset == offsetof(struct rst_effect, object);
	const bool is_thread = word->offset == offsetof(struct rst_effect, thread);
	struct text name;
	uint64_t number;

	if (effect_take(parser, "$"))
		return field_number(parser, at, &ret->from) && take_added(parser, ret);
	name = effect_take_name(parser);
	if (number_of(name, &number)) {
		if (number > INT32_MAX)
			return effect_fail(parser, "T18", at, "a number below 0x80000000 is expected");
		*ret = (struct rst_operand){ .from = RST_FROM_CONSTANT, .add = (int32_t)number };
		return true;
	}
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (text_is_word(name, sources[i].name) && (sources[i].from != RST_FROM_TYPE || is_object)) {
			ret->from = sources[i].from;
			return true;
		}
	if (is_thread && effect_is_by_self(parser->line->effect.kind) && text_is_word(name, "none"))
		return true;
	return effect_fail(parser, "T18", at,
		"%s is a field, such as $a, a number, self%s or unknown, not '%.*s'", word->name,
		is_object ? ", event" : "", text_shown(name), name.bytes);
}

/* --- values --------------------------------------------------------------------------------------------- */

/* The word that stands there, as one of a list; *ret is its number. */
static bool take_choice(struct effect_parser *parser, const struct effect_word *word, unsigned *ret)
{
	const char *at = parser->at;
	const struct text name = effect_take_name(parser);
	char wanted[64], advice[SIMILAR_TEXT_MAX];
	struct similar similar;

	snprintf(wanted, sizeof(wanted), "%.*s", text_shown(name), name.bytes);
	similar = similar_to(wanted);
	for (*ret = 0; *ret < word->n_choices; (*ret)++) {
		if (text_is_word(name, word->choice(*ret)))
			return true;
		similar_offer(&similar, word->choice(*ret));
	}
	return effect_fail(parser, "T18", at, "%s cannot be '%s'; %s", word->name, wanted,
		similar_or_all(&similar, advice));
}

static bool take_choice_of(struct effect_parser *parser, const struct effect_word *word)
{
	struct rst_effect *effect = &parser->line->effect;
	const char *at = parser->at;
	unsigned value;

	if (!take_choice(parser, word, &value))
		return false;
	memcpy((char *)effect + word->offset, &value, sizeof(value));
	if (word->offset == offsetof(struct rst_effect, phase) &&
		!effect_phase_fits(effect->kind, effect->phase))
		return effect_fail(parser, "T20", at, "'%s' has no phase '%s'", rst_effect_name(effect->kind),
			rst_phase_name(effect->phase));
	return true;
}

static bool take_string(struct effect_parser *parser, const struct effect_word *word)
{
	const char *at = parser->at, *start, *end;

	if (!effect_take(parser, "\""))
		return effect_fail(parser, "T18", at, "%s is a text in quotes", word->name);
	start = parser->at;
	end = memchr(start, '"', (size_t)(parser->end - start));
	if (!end || end == start)
		return effect_fail(parser, "T18", at, "%s is a text in quotes, and not empty", word->name);
	parser->line->effect.name = arena_copy(parser->arena, start, (size_t)(end - start));
	parser->has_no_memory |= !parser->line->effect.name;
	parser->at = end + 1;
	return !parser->has_no_memory;
}

static bool take_flag(struct effect_parser *parser)
{
	struct rst_effect *effect = &parser->line->effect;
	const char *at = parser->at;
	const struct text name = effect_take_name(parser);

	for (const struct effect_flag *flag = effect_flags; flag->name; flag++)
		if (text_is_word(name, flag->name) && effect_kind_has(flag->kinds, effect->kind)) {
			*(bool *)((char *)effect + flag->offset) = true;
			return true;
		}
	return effect_fail(parser, "T18", at, "'%s' is not '%.*s'", rst_effect_name(effect->kind),
		text_shown(name), name.bytes);
}

bool effect_take_value(struct effect_parser *parser, const struct effect_word *word)
{
	bool is_good;

	if (word->type == EFFECT_WORD_OPERAND)
		is_good = take_operand(parser, word, effect_operand(&parser->line->effect, word));
	else if (word->type == EFFECT_WORD_CHOICE)
		is_good = take_choice_of(parser, word);
	else if (word->type == EFFECT_WORD_NAME)
		is_good = take_string(parser, word);
	else
		is_good = take_flag(parser);
	if (is_good && !effect_word_ends(parser))
		return effect_fail(
			parser, "T18", parser->at, "a blank is expected behind the value of %s", word->name);
	return is_good;
}

/* --- conditions ----------------------------------------------------------------------------------------- */

static const struct {
	const char *sign;
	enum rst_test test;
	bool is_above; /* of the next number */
} tests[] = {
	{ ">=", RST_TEST_AT_LEAST, false },
	{ "<=", RST_TEST_BELOW, true },
	{ "!=", RST_TEST_IS_NOT, false },
	{ "!&=", RST_TEST_LACKS_SOME, false },
	{ "!&", RST_TEST_LACKS, false },
	{ "&=", RST_TEST_HAS_ALL, false },
	{ "=", RST_TEST_IS, false },
	{ ">", RST_TEST_AT_LEAST, true },
	{ "<", RST_TEST_BELOW, false },
	{ "&", RST_TEST_HAS, false },
};
enum { N_TESTS = sizeof(tests) / sizeof(tests[0]) };

/*
 * Takes the value that a field is compared with: a number, another field, self, or the name of one of the
 * field's constants.
 */
static bool take_compared(struct effect_parser *parser, struct rst_condition *condition,
	struct text *ret_constant, bool is_above)
{
	const char *at = parser->at;
	struct text name;
	char *copy;

	if (effect_take(parser, "$")) {
		if (!field_number(parser, parser->at, &condition->with.from) ||
			!take_added(parser, &condition->with))
			return false;
		if (is_above && condition->with.add == INT32_MAX)
			return effect_fail(parser, "T22", at, "a number below 0x7fffffff is expected");
		condition->with.add += is_above;
		return true;
	}
	name = effect_take_name(parser);
	if (number_of(name, &condition->value)) {
		if (is_above && condition->value == UINT64_MAX)
			return effect_fail(parser, "T22", at, "no number is above this one");
		condition->value += is_above;
		return true;
	}
	if (text_is_word(name, "self")) {
		if (condition->test != RST_TEST_IS && condition->test != RST_TEST_IS_NOT)
			return effect_fail(parser, "T22", at, "self is compared by = and != only");
		condition->test = condition->test == RST_TEST_IS ? RST_TEST_IS_SELF : RST_TEST_IS_OTHER;
		return true;
	}
	if (name.n_bytes == 0 || is_above)
		return effect_fail(
			parser, "T22", at, "a number or a field is expected behind the sign of a condition");
	copy = arena_copy(parser->arena, name.bytes, name.n_bytes);
	parser->has_no_memory |= !copy;
	*ret_constant = (struct text){ copy, name.n_bytes };
	return copy != NULL;
}

static bool take_condition(struct effect_parser *parser, unsigned n)
{
	struct rst_condition *condition = &parser->line->effect.when[n];
	const char *at = parser->at;
	unsigned i = 0;

	if (!effect_take(parser, "$"))
		return effect_fail(parser, "T22", at, "a condition begins with a field, such as $a!=0");
	if (!field_number(parser, at, &condition->of.from))
		return false;
	at = parser->at;
	while (i < N_TESTS && !effect_take(parser, tests[i].sign))
		i++;
	if (i == N_TESTS)
		return effect_fail(
			parser, "T22", at, "one of = != < <= > >= & !& &= !&= is expected behind the field");
	condition->test = tests[i].test;
	if (!take_compared(parser, condition, &parser->line->constants[n], tests[i].is_above))
		return false;
	return effect_word_ends(parser) ||
	       effect_fail(parser, "T22", parser->at, "a blank is expected behind a condition");
}

bool effect_take_conditions(struct effect_parser *parser)
{
	for (unsigned n = 0;; n++) {
		effect_skip_blanks(parser);
		if (n == RST_CONDITIONS_MAX)
			return effect_fail(parser, "T22", parser->at, "an effect has at most %d conditions",
				RST_CONDITIONS_MAX);
		if (!take_condition(parser, n))
			return false;
		effect_skip_blanks(parser);
		if (parser->at == parser->end)
			return true;
		const char *at = parser->at;

		if (!text_is_word(effect_take_name(parser), "and") || !effect_word_ends(parser))
			return effect_fail(parser, "T22", at, "'and' is expected between two conditions");
	}
}
