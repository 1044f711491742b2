/* SPDX-License-Identifier: MIT */
#include "cli/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void say_name(const char *name)
{
	size_t n = strlen(name);
	char *clean = malloc(4 * n + 1);

	if (clean)
		fwrite(clean, 1, (size_t)(text_clean(clean, (const uint8_t *)name, n) - clean), stderr);
	free(clean);
}

void say(const char *format, ...)
{
	va_list args;
	char *sentence;

	va_start(args, format);
	int n = vasprintf(&sentence, format, args);

	va_end(args);
	fputs("rastrum: ", stderr);
	if (n >= 0) {
		say_name(sentence);
		free(sentence);
	}
	fputc('\n', stderr);
}
