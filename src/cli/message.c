/* SPDX-License-Identifier: MIT */
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/terminal.h"

#define PREFIX "rastrum: "

enum { INDENT = 4, COLUMNS_MIN = 20 };

/* What may be shown of a text, on the heap; NULL without memory. */
static char *text_shown(const char *text, size_t *ret_n)
{
	size_t n = strlen(text);
	char *shown = malloc(4 * n + 1);

	if (shown)
		*ret_n = (size_t)(text_clean(shown, (const uint8_t *)text, n) - shown);
	return shown;
}

void message_print_name(const char *name)
{
	size_t n;
	char *shown = text_shown(name, &n);

	if (shown)
		fwrite(shown, 1, n, stderr);
	free(shown);
}

/* The columns of bytes of UTF-8, each character taken for one. */
static unsigned columns_of(const char *bytes, size_t n)
{
	unsigned columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
	return columns;
}

/* Breaks at blanks, where a terminal would break anywhere; n_columns 0: there is no terminal, and one line. */
static void print_wrapped(const char *text, size_t n, unsigned column, unsigned n_columns)
{
	const char *end = text + n, *word_end;

	for (const char *word = text; word < end; word = word_end) {
		unsigned width;

		for (word_end = word; word_end < end && *word_end == ' '; word_end++)
			;
		for (; word_end < end && *word_end != ' '; word_end++)
			;
		width = columns_of(word, (size_t)(word_end - word));
		if (n_columns >= COLUMNS_MIN && column > INDENT && column + width > n_columns) {
			word += *word == ' ';
			fprintf(stderr, "\n%*s", INDENT, "");
			column = INDENT;
			width = columns_of(word, (size_t)(word_end - word));
		}
		fwrite(word, 1, (size_t)(word_end - word), stderr);
		column += width;
	}
}

void message_print(const char *format, ...)
{
	va_list args;
	char *sentence;

	va_start(args, format);
	int n = vasprintf(&sentence, format, args);

	va_end(args);
	fputs(PREFIX, stderr);
	if (n >= 0) {
		size_t n_shown;
		char *shown = text_shown(sentence, &n_shown);

		if (shown)
			print_wrapped(shown, n_shown, sizeof PREFIX - 1, terminal_columns(STDERR_FILENO));
		free(shown);
		free(sentence);
	}
	fputc('\n', stderr);
}
