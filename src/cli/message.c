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

/* TEXT_MAX: what is printed of a text without memory: most sentences are shorter. */
enum { INDENT = 4, COLUMNS_MIN = 20, TEXT_MAX = 1000 };

/* The part of a text that may be shown. */
struct shown {
	char *bytes; /* on the heap, or in `place` */
	size_t n;
	char place[4 * TEXT_MAX + 1];
};

static void text_show(struct shown *shown, const char *text, size_t n)
{
	shown->bytes = n <= TEXT_MAX ? shown->place : malloc(4 * n + 1);
	if (!shown->bytes) {
		shown->bytes = shown->place;
		n = TEXT_MAX;
	}
	shown->n = (size_t)(text_clean(shown->bytes, (const uint8_t *)text, n) - shown->bytes);
}

static void shown_done(struct shown *shown)
{
	if (shown->bytes != shown->place)
		free(shown->bytes);
}

void message_print_name(const char *name)
{
	struct shown shown;

	text_show(&shown, name, strlen(name));
	fwrite(shown.bytes, 1, shown.n, stderr);
	shown_done(&shown);
}

/* The columns of bytes of UTF-8, each character taken for one. */
static unsigned message_columns_of(const char *bytes, size_t n)
{
	unsigned columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)bytes[i] & 0xc0) != 0x80;
	return columns;
}

/*
 * Breaks at blanks, where a terminal would break anywhere; n_columns 0: there is no terminal, and one line.
 */
static void print_wrapped(const char *text, size_t n, unsigned column, unsigned n_columns)
{
	const char *end = text + n, *word_end;

	for (const char *word = text; word < end; word = word_end) {
		unsigned width;

		for (word_end = word; word_end < end && *word_end == ' '; word_end++)
			;
		for (; word_end < end && *word_end != ' '; word_end++)
			;
		width = message_columns_of(word, (size_t)(word_end - word));
		if (n_columns >= COLUMNS_MIN && column > INDENT && column + width > n_columns) {
			word += *word == ' ';
			fprintf(stderr, "\n%*s", INDENT, "");
			column = INDENT;
			width = message_columns_of(word, (size_t)(word_end - word));
		}
		fwrite(word, 1, (size_t)(word_end - word), stderr);
		column += width;
	}
}

void message_print(const char *format, ...)
{
	char cut[TEXT_MAX + 1], *whole = NULL;
	const char *sentence = cut;
	struct shown shown;
	va_list args;

	va_start(args, format);
	int n = vsnprintf(cut, sizeof(cut), format, args);
	va_end(args);
	if (n > TEXT_MAX) {
		va_start(args, format);
		if (vasprintf(&whole, format, args) >= 0)
			sentence = whole;
		va_end(args);
	}
	fputs(PREFIX, stderr);
	text_show(&shown, sentence, strlen(sentence));
	print_wrapped(shown.bytes, shown.n, sizeof PREFIX - 1, terminal_columns(STDERR_FILENO));
	fputc('\n', stderr);
	shown_done(&shown);
	if (sentence == whole)
		free(whole);
}

void message_tell(void *context, const char *sentence)
{
	(void)context;
	message_print("%s", sentence);
}
