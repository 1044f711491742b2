/* SPDX-License-Identifier: MIT */
/*
 * Integers, reals and strings of a description. Each has attributes in braces, such as its size and byte
 * order, which become a class of fields. types.c builds all other types from these.
 */
#include "dialect/ctf/words.h"

#include <string.h>

struct ctf_class *ctf_class_new(struct ctf_parser *parser, enum ctf_kind kind)
{
	struct ctf_class *class = ctf_room(parser, sizeof(*class));

	if (class) {
		class->kind = kind;
		class->align = 1;
	}
	return class;
}

/* --- attributes of a type ------------------------------------------------------------------------------- */

bool ctf_order_named(const char *name, enum ctf_order *ret)
{
	static const struct {
		const char *name;
		enum ctf_order order;
	} orders[] = { { "le", CTF_LITTLE }, { "be", CTF_BIG }, { "network", CTF_BIG },
		{ "native", CTF_NATIVE } };

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (strcmp(orders[i].name, name) == 0) {
			*ret = orders[i].order;
			return true;
		}
	return false;
}

const char *ctf_path(struct ctf_parser *parser)
{
	char path[CTF_PATH_BYTES];
	size_t n = 0;
	const char *copy;

	for (;;) {
		if (parser->word != CTF_WORD_NAME && parser->word != CTF_WORD_TEXT) {
			ctf_wrong(parser, "here a name is missing");
			return NULL;
		}
		const size_t n_name = strlen(parser->text);

		if (n + n_name + 2 > sizeof(path)) {
			ctf_wrong(parser, "a path is too long");
			return NULL;
		}
		memcpy(path + n, parser->text, n_name);
		n += n_name;
		if (!ctf_next(parser))
			return NULL;
		if (!ctf_is_sign(parser, '.') && !ctf_is_sign(parser, CTF_SIGN_ARROW))
			break;
		path[n++] = '.';
		if (!ctf_next(parser))
			return NULL;
	}
	copy = arena_copy(&parser->trace->arena, path, n);
	parser->has_no_memory |= !copy;
	if (!copy)
		ctf_wrong(parser, "memory ran out");
	return copy;
}

bool ctf_take_value(struct ctf_parser *parser, struct ctf_value *ret)
{
	*ret = (struct ctf_value){ .is_negative = ctf_took(parser, '-') };
	if (parser->word == CTF_WORD_NUMBER) {
		ret->is_number = true;
		ret->number = ret->is_negative ? -parser->number : parser->number;
		if (!ctf_next(parser))
			return false;
	} else if (parser->word == CTF_WORD_TEXT) {
		ret->text = parser->text;
		if (!ctf_next(parser))
			return false;
	} else {
		ret->text = ctf_path(parser);
		if (!ret->text)
			return false;
	}
	return ctf_take(parser, ';');
}

bool ctf_is_true(const struct ctf_value *value)
{
	if (value->is_number)
		return value->number != 0;
	return strcmp(value->text, "true") == 0 || strcmp(value->text, "TRUE") == 0;
}

static uint8_t base_of(const struct ctf_value *value)
{
	static const struct {
		const char *name;
		uint8_t base;
	} bases[] = { { "x", 16 }, { "X", 16 }, { "hex", 16 }, { "hexadecimal", 16 }, { "p", 16 }, { "o", 8 },
		{ "oct", 8 }, { "octal", 8 }, { "b", 2 }, { "binary", 2 } };

	if (value->is_number)
		return value->number <= 16 ? (uint8_t)value->number : 10;
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++)
		if (strcmp(bases[i].name, value->text) == 0)
			return bases[i].base;
	return 10;
}

static bool is_power(uint64_t number)
{
	return number && number <= 1U << 30 && (number & (number - 1)) == 0;
}

/* map = clock.NAME.value */
static bool set_clock(struct ctf_parser *parser, struct ctf_class *class, const struct ctf_value *value)
{
	static const char start[] = "clock.";
	const size_t n_start = sizeof(start) - 1;
	const char *text = value->text ? value->text : "", *dot = strrchr(text, '.');

	if (strncmp(text, start, n_start) != 0 || !dot || dot < text + n_start)
		return ctf_wrong(parser, "a number is mapped to something else than a clock");
	class->clock_name = arena_copy(&parser->trace->arena, text + n_start, (size_t)(dot - text) - n_start);
	parser->has_no_memory |= !class->clock_name;
	return class->clock_name || ctf_wrong(parser, "memory ran out");
}

bool ctf_set_align(struct ctf_parser *parser, struct ctf_class *class, uint64_t align)
{
	if (!is_power(align))
		return ctf_wrong(parser, "an alignment is no power of two");
	class->align = (uint32_t)align;
	return true;
}

static bool set_attribute(
	struct ctf_parser *parser, struct ctf_class *class, const char *name, const struct ctf_value *value)
{
	const uint64_t number = value->is_number ? value->number : 0;

	if (strcmp(name, "align") == 0)
		return ctf_set_align(parser, class, number);
	if (strcmp(name, "byte_order") == 0)
		return (value->text && ctf_order_named(value->text, &class->order)) ||
		       ctf_wrong(parser, "a byte order is none of le, be, network and native");
	if (strcmp(name, "encoding") == 0)
		class->is_text = value->text && strcmp(value->text, "none") != 0;
	if (class->kind == CTF_STRING)
		return true;
	if (strcmp(name, "size") == 0 || strcmp(name, "mant_dig") == 0 || strcmp(name, "exp_dig") == 0)
		class->n_bits += number <= 4096 ? (uint32_t)number : 4096;
	else if (strcmp(name, "signed") == 0)
		class->is_signed = ctf_is_true(value);
	else if (strcmp(name, "base") == 0)
		class->base = base_of(value);
	else if (strcmp(name, "map") == 0)
		return set_clock(parser, class, value);
	return true;
}

/* NAME = VALUE; */
static bool take_attribute(struct ctf_parser *parser, struct ctf_class *class)
{
	const char *name = ctf_path(parser);
	struct ctf_value value;

	return name && ctf_take(parser, '=') && ctf_take_value(parser, &value) &&
	       set_attribute(parser, class, name, &value);
}

static bool check_number(struct ctf_parser *parser, struct ctf_class *class, uint32_t align_before)
{
	if (class->kind == CTF_INTEGER && (class->n_bits == 0 || class->n_bits > 64))
		return ctf_wrong(parser, "an integer has not 1 to 64 bits");
	if (class->kind == CTF_REAL && class->n_bits != 32 && class->n_bits != 64)
		return ctf_wrong(parser, "a real number has neither 32 nor 64 bits, so it cannot be read");
	if (class->align == align_before)
		class->align = class->n_bits % 8 == 0 ? 8 : 1;
	return true;
}

/* integer { size = 32; … }, and likewise reals and strings. */
const struct ctf_class *ctf_scalar(struct ctf_parser *parser, enum ctf_kind kind)
{
	struct ctf_class *class = ctf_class_new(parser, kind);
	const bool is_string = kind == CTF_STRING;

	if (!class || !ctf_next(parser))
		return NULL;
	class->align = is_string ? 8 : 0;
	class->base = 10;
	if (!is_string && !ctf_is_sign(parser, '{')) {
		ctf_wrong(parser, "here { is missing");
		return NULL;
	}
	if (ctf_took(parser, '{')) {
		while (!ctf_is_sign(parser, '}'))
			if (!take_attribute(parser, class))
				return NULL;
		if (!ctf_next(parser))
			return NULL;
	}
	if (is_string)
		class->align = 8;
	return is_string || check_number(parser, class, 0) ? class : NULL;
}
