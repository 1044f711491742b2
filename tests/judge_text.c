/* SPDX-License-Identifier: MIT */
/* The text of an entry, and the blanks in it: decision D3, word by word. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/judge_parts.h"

enum { TAB_COLUMNS = 8 };

/* Room for n_bytes more and a NUL. */
static void string_room(struct judge_string *string, size_t n_bytes)
{
	if (string->n_bytes + n_bytes + 1 <= string->room)
		return;
	string->room = 2 * (string->n_bytes + n_bytes + 1);
	string->bytes = realloc(string->bytes, string->room);
	if (!string->bytes)
		abort();
}

void string_add(struct judge_string *string, const void *bytes, size_t n_bytes)
{
	string_room(string, n_bytes);
	if (n_bytes)
		memcpy(string->bytes + string->n_bytes, bytes, n_bytes);
	string->n_bytes += n_bytes;
	string->bytes[string->n_bytes] = 0;
}

void string_fill(struct judge_string *string, char c, size_t n)
{
	string_room(string, n);
	memset(string->bytes + string->n_bytes, c, n);
	string->n_bytes += n;
	string->bytes[string->n_bytes] = 0;
}

void string_print(struct judge_string *string, const char *format, ...)
{
	va_list args;
	char *made;

	va_start(args, format);
	int n = vasprintf(&made, format, args);

	va_end(args);
	if (n < 0)
		abort();
	string_add(string, made, (size_t)n);
	free(made);
}

/* The one blank before visible characters. */
static void put_wanted_blank(struct judge *judge, bool begins_with_blank)
{
	bool is_needless = judge->last == LAST_START || judge->last == LAST_GAP || begins_with_blank;

	if (judge->is_blank_wanted && !is_needless)
		string_add(&judge->out, " ", 1);
	judge->is_blank_wanted = false;
}

void judge_literal(struct judge *judge, const char *bytes, size_t n_bytes)
{
	if (!n_bytes)
		return;
	put_wanted_blank(judge, bytes[0] == ' ');
	string_add(&judge->out, bytes, n_bytes);
	judge->last = bytes[n_bytes - 1] == ' ' ? LAST_GAP : LAST_TEXT;
}

void judge_data(struct judge *judge, const char *bytes, size_t n_bytes, bool is_tight)
{
	if (!n_bytes)
		return;
	if (judge->last == LAST_DATA)
		judge->is_blank_wanted = true;
	put_wanted_blank(judge, false);
	string_add(&judge->out, bytes, n_bytes);
	judge->last = is_tight ? LAST_TIGHT : LAST_DATA;
}

void judge_spacing(struct judge *judge, unsigned n)
{
	string_fill(&judge->out, ' ', n);
	judge->is_blank_wanted = false;
	judge->last = LAST_GAP;
}

void judge_tab(struct judge *judge)
{
	size_t column = text_columns(judge->out.bytes + judge->line, judge->out.n_bytes - judge->line);

	string_fill(&judge->out, ' ', TAB_COLUMNS - column % TAB_COLUMNS);
	judge->line = judge->out.n_bytes; /* from here on the stops are the same */
	judge->is_blank_wanted = false;
	judge->last = LAST_GAP;
}

void judge_newline(struct judge *judge)
{
	string_add(&judge->out, "\n", 1);
	string_fill(&judge->out, ' ', judge->margin);
	judge->line = judge->out.n_bytes;
	judge->is_blank_wanted = false;
	judge->last = LAST_START;
}

void judge_mark(struct judge *judge, const char *mark)
{
	judge->is_blank_wanted = true;
	judge_literal(judge, mark, strlen(mark));
}

void judge_end(struct judge *judge)
{
	longjmp(judge->end, 1);
}

void judge_truncate(struct judge *judge)
{
	judge->n_truncated++;
	judge_mark(judge, "*TRUNC*");
	judge_end(judge);
}
