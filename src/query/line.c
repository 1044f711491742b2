/* SPDX-License-Identifier: MIT */
#include "query/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

void line_blanks(struct line *line)
{
	line->p += strspn(line->p, " \t");
}

bool line_ends(struct line *line)
{
	line_blanks(line);
	return !*line->p || *line->p == '#';
}

bool line_take(struct line *line, const char *mark)
{
	line_blanks(line);
	if (strncmp(line->p, mark, strlen(mark)) != 0)
		return false;
	line->last = line->p += strlen(mark);
	return true;
}

size_t line_word(const char *p)
{
	size_t n = 0;

	while (text_is_of_name(p[n]))
		n++;
	return n;
}

bool line_quoted(struct line *line, const char **ret_text)
{
	const char *open = line->p;
	const char quote = *open;
	char *text = arena_alloc(&line->rules->arena, strlen(open) + 1), *to = text;

	*ret_text = text;
	if (!text)
		return !(line->has_no_memory = true);
	for (line->p++; *line->p != quote; *to++ = *line->p++) {
		if (*line->p == '\\' && (line->p[1] == quote || line->p[1] == '\\'))
			line->p++;
		if (!*line->p)
			return line_fault(line, open, "the quote that begins here has no end");
	}
	line->last = ++line->p;
	return true;
}

const char *line_copy(struct line *line, const char *from, const char *to)
{
	const char *copy;

	while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	copy = arena_copy(&line->rules->arena, from, (size_t)(to - from));
	line->has_no_memory |= !copy;
	return copy;
}

/* Characters, not bytes: as editors count them. */
unsigned line_column(const struct line *line, const char *at)
{
	unsigned column = 1;

	for (const char *p = line->start; p < at; p++)
		column += (*p & 0xc0) != 0x80;
	return column;
}

bool line_fault(struct line *line, const char *at, const char *format, ...)
{
	struct rules *rules = line->rules;
	struct rule_fault *faults =
		array_room(rules->faults, rules->n_faults, &rules->faults_room, sizeof(*faults));
	struct rule_fault *fault;
	va_list args;

	if (!faults)
		return !(line->has_no_memory = true);
	rules->faults = faults;
	fault = &faults[rules->n_faults++];
	*fault = (struct rule_fault){ .line = line->number, .column = line_column(line, at) };
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return false;
}

bool line_lacks(struct line *line, const char *what)
{
	return line_fault(line, line_ends(line) ? line->last : line->p, "%s is missing", what);
}

bool line_advise(struct line *line, const char *format, ...)
{
	struct rules *rules = line->rules;
	va_list args;

	if (line->has_no_memory)
		return false;
	va_start(args, format);
	vsnprintf(rules->faults[rules->n_faults - 1].advice, sizeof(rules->faults->advice), format, args);
	va_end(args);
	return false;
}
