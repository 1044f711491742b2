/* SPDX-License-Identifier: MIT */
/*
 * Reads the fields of a selector of events: {FIELD=VALUE, FIELD=VALUE}.
 *
 *	event TX_TRACE_MUTEX_GET{mutex_ptr="bus lock", wait_option=0xffffffff}
 *
 * A name or value without quotes ends at a blank, comma, brace, equals sign, quote or #. Whether a value is a
 * number or a text is not decided here: the field decides, which only the trace has. So each value keeps its
 * text, and also its number if the text reads as one.
 */
#include <string.h>

#include "base/text.h"
#include "query/line.h"

static bool fields_fault(struct line *line, const char *what)
{
	line_lacks(line, what);
	return line_advise(line, "it is event NAME{FIELD=VALUE, FIELD=VALUE}");
}

/* A word or a text in quotes. */
static bool piece_parse(struct line *line, const char *what, const char **ret_text)
{
	const char *start;
	size_t n;

	line_blanks(line);
	start = line->p;
	if (*start == '"' || *start == '\'')
		return line_quoted(line, ret_text);
	n = strcspn(start, " \t,{}=#\"'");
	if (!n)
		return fields_fault(line, what);
	*ret_text = line_copy(line, start, start + n);
	line->last = line->p = start + n;
	return *ret_text != NULL;
}

static void number_parse(struct field_value *value)
{
	const bool has_sign = *value->text == '-';
	uint64_t number;

	if (!text_parse_u64(value->text + has_sign, &number) || (has_sign && number > INT64_MAX))
		return;
	value->is_number = true;
	value->is_negative = has_sign && number;
	value->number = has_sign ? -number : number;
}

static bool field_parse(struct line *line, struct field_value *value)
{
	if (!piece_parse(line, "a field", &value->name))
		return false;
	if (!line_take(line, "="))
		return fields_fault(line, "'='");
	if (!piece_parse(line, "the value", &value->text))
		return false;
	number_parse(value);
	return true;
}

bool line_fields(struct line *line, struct selector *selector)
{
	const char *start;
	struct field_value *fields;

	line_blanks(line);
	start = line->p;
	if (!line_take(line, "{"))
		return true;
	fields = arena_alloc(&line->rules->arena, SELECTOR_FIELDS_MAX * sizeof(*fields));
	if (!fields)
		return !(line->has_no_memory = true);
	selector->fields = fields;
	do {
		struct field_value value = { 0 };

		if (selector->n_fields == SELECTOR_FIELDS_MAX)
			return line_fault(
				line, line->p, "a selector has at most %d fields", SELECTOR_FIELDS_MAX);
		if (!field_parse(line, &value))
			return false;
		fields[selector->n_fields++] = value;
	} while (line_take(line, ","));
	if (!line_take(line, "}"))
		return fields_fault(line, "'}'");
	selector->fields_text = line_copy(line, start, line->last);
	return selector->fields_text != NULL;
}
