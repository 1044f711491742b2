/* SPDX-License-Identifier: MIT */
/* The text of an entry, and the blanks in it: decision D3, word by word. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/template/ref_interp_parts.h"

enum { TAB_COLUMNS = 8 };

/* Room for n_bytes more and a NUL. */
static void string_room(struct interp_string *string, size_t n_bytes)
{
	if (string->n_bytes + n_bytes + 1 <= string->room)
		return;
	string->room = 2 * (string->n_bytes + n_bytes + 1);
	string->bytes = realloc(string->bytes, string->room);
	if (!string->bytes)
		abort();
}

void string_add(struct interp_string *string, const void *bytes, size_t n_bytes)
{
	string_room(string, n_bytes);
	if (n_bytes)
		memcpy(string->bytes + string->n_bytes, bytes, n_bytes);
	string->n_bytes += n_bytes;
	string->bytes[string->n_bytes] = 0;
}

void string_fill(struct interp_string *string, char c, size_t n)
{
	string_room(string, n);
	memset(string->bytes + string->n_bytes, c, n);
	string->n_bytes += n;
	string->bytes[string->n_bytes] = 0;
}

void string_print(struct interp_string *string, const char *format, ...)
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
static void put_wanted_blank(struct ref_interp *interp, bool begins_with_blank)
{
	bool is_needless = interp->last == LAST_START || interp->last == LAST_GAP || begins_with_blank;

	if (interp->is_blank_wanted && !is_needless)
		string_add(&interp->out, " ", 1);
	interp->is_blank_wanted = false;
}

void interp_put_literal(struct ref_interp *interp, const char *bytes, size_t n_bytes)
{
	if (!n_bytes)
		return;
	put_wanted_blank(interp, bytes[0] == ' ');
	string_add(&interp->out, bytes, n_bytes);
	interp->last = bytes[n_bytes - 1] == ' ' ? LAST_GAP : LAST_TEXT;
}

void interp_put_data(struct ref_interp *interp, const char *bytes, size_t n_bytes, bool is_tight)
{
	if (!n_bytes)
		return;
	if (interp->last == LAST_DATA)
		interp->is_blank_wanted = true;
	put_wanted_blank(interp, false);
	string_add(&interp->out, bytes, n_bytes);
	interp->last = is_tight ? LAST_TIGHT : LAST_DATA;
}

void interp_put_spacing(struct ref_interp *interp, unsigned n)
{
	string_fill(&interp->out, ' ', n);
	interp->is_blank_wanted = false;
	interp->last = LAST_GAP;
}

void interp_put_tab(struct ref_interp *interp)
{
	size_t column = text_columns(interp->out.bytes + interp->line, interp->out.n_bytes - interp->line);

	string_fill(&interp->out, ' ', TAB_COLUMNS - column % TAB_COLUMNS);
	interp->line = interp->out.n_bytes; /* from here on the stops are the same */
	interp->is_blank_wanted = false;
	interp->last = LAST_GAP;
}

void interp_put_newline(struct ref_interp *interp)
{
	string_add(&interp->out, "\n", 1);
	string_fill(&interp->out, ' ', interp->margin);
	interp->line = interp->out.n_bytes;
	interp->is_blank_wanted = false;
	interp->last = LAST_START;
}

void interp_put_mark(struct ref_interp *interp, const char *mark)
{
	interp->is_blank_wanted = true;
	interp_put_literal(interp, mark, strlen(mark));
}

void interp_end(struct ref_interp *interp)
{
	longjmp(interp->end, 1);
}

void interp_truncate(struct ref_interp *interp)
{
	interp->n_truncated++;
	interp_put_mark(interp, "*TRUNC*");
	interp_end(interp);
}
