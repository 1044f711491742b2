/* SPDX-License-Identifier: MIT */
#include "base/choice.h"

#include <string.h>

#include "tests/tap.h"

static const char *name_of(size_t i)
{
	static const char *const names[] = { "text", "jsonl", "csv" };

	return i < 3 ? names[i] : NULL;
}

static void check_failure(const struct choice *choice, const char *word, const char *wanted)
{
	struct rst_error err;
	size_t index = 99;
	char text[512];
	const enum rst_status status = choice_find(choice, word, &index, &err);

	rst_error_text(&err, text, sizeof(text));
	ok(status == RST_E_USAGE && index == 99 && strcmp(text, wanted) == 0, "'%s': %s", word, text);
}

int main(void)
{
	const struct choice shown = { .kind = "format", .name = name_of };
	const struct choice referred = { .kind = "format", .name = name_of, .see = "see the list" };
	struct rst_error err;
	size_t index = 99;

	ok(choice_find(&shown, "csv", &index, &err) == RST_OK && index == 2, "a name is found");
	check_failure(&shown, "jsnol", "there is no format 'jsnol'; did you mean jsonl?");
	check_failure(&shown, "xml", "there is no format 'xml'; it is one of text, jsonl, csv");
	check_failure(&referred, "xml", "there is no format 'xml'; see the list");
	check_failure(&referred, "texd", "there is no format 'texd'; did you mean text?");
	return tap_done();
}
