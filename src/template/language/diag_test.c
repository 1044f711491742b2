/* SPDX-License-Identifier: MIT */
#include "template/language/diag.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static const char *printed(const struct template_file *file, const char *number, const char *at,
	const char *key, const char *what)
{
	static char *text;
	struct diags diags = { 0 };
	size_t n_text;
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &n_text);
	diag_add(&diags, number, (struct diag_location){ file, at, { key, strlen(key) } }, "%s", what);
	diag_print(&diags.items[0], out);
	fclose(out);
	diags_done(&diags);
	return text;
}

static const char *printed_in(const char *text, size_t column, const char *key, const char *what)
{
	const struct template_file file = { .name = "my.trcfmt", .text = text, .n_bytes = strlen(text) };

	return printed(&file, "T08", text + column - 1, key, what);
}

static void check_printing(void)
{
	static const char text[] = "# c\n\n010 1.0 \"x\" X17\nx\n";
	const struct template_file file = { .name = "my.trcfmt", .text = text, .n_bytes = sizeof(text) - 1 };

	is_text(printed(&file, "T08", strstr(text, "X17"), "010", "X17 is too wide"),
		"my.trcfmt:3:13: error T08: hook 010: X17 is too wide\n010 1.0 \"x\" X17\n            ^\n",
		"a diagnosis has its position, the line, and a caret");
	is_text(printed(&file, "W01", text + file.n_bytes, "TX_A", "b"),
		"my.trcfmt:5:1: warning W01: TX_A: b\n\n^\n", "a position may be the end of the file");
	is_text(printed(&file, "A01", text, "", "b"), "my.trcfmt:1:1: advice A01: b\n# c\n^\n",
		"there need not be a key");
	is_text(printed(NULL, "T16", NULL, "", "b"), "warning T16: b\n", "nor a position");
}

static void check_caret(void)
{
	is_text(printed_in("\ta\tX", 4, "", "b"), "my.trcfmt:1:4: error T08: b\n\ta\tX\n\t \t^\n",
		"the caret stands right behind tabs");
	is_text(printed_in("\xc3\xa9\xe2\x82\xacX", 6, "", "b"),
		"my.trcfmt:1:6: error T08: b\n\xc3\xa9\xe2\x82\xacX\n  ^\n",
		"… behind letters of several bytes");
	is_text(printed_in("\x1b[\xffX\r\n", 4, "\x1b", "\x07"),
		"my.trcfmt:1:4: error T08: \\x1b: \\x07\n\\x1b[\\xffX\n         ^\n",
		"… and behind bytes that are not shown as they are");
}

static void check_long_line(void)
{
	char text[2000], expected[400];

	memset(text, 'a', sizeof(text));
	text[1000] = 'X';
	text[sizeof(text) - 1] = '\0';
	snprintf(expected, sizeof(expected), "my.trcfmt:1:1001: error T08: b\n… %.80sX%.79s …\n  %80s^\n",
		text, text, "");
	is_text(printed_in(text, 1001, "", "b"), expected,
		"of a long line, the part around the position is shown");
}

static void check_counts(void)
{
	const struct template_file file = { .name = "f", .text = "x", .n_bytes = 1 };
	struct diags diags = { 0 };

	for (unsigned i = 0; i < DIAGS_MAX + 500; i++)
		diag_add(&diags, i & 1 ? "T01" : "T16",
			(struct diag_location){ &file, file.text, { "k", 1 } }, "%u", i);
	ok(diags.n_items == DIAGS_MAX && diags.n_errors == 750 && diags.n_warnings == 750,
		"a thousand are kept, all are counted");
	ok(diags.n_kept_errors == 750 && strcmp(diags.items[999].what, "1499") == 0 &&
			strcmp(diags.items[499].what, "499") == 0 &&
			strcmp(diags.items[500].what, "501") == 0,
		"errors take the places of the last that are none, and stay in their order");
	ok(strcmp(diags.items[999].key, "k") == 0 && diags.items[999].kind == DIAG_ERROR &&
			diags.items[498].kind == DIAG_WARNING,
		"each has its kind and its words");
	for (unsigned i = 0; i < DIAGS_MAX; i++)
		diag_add(&diags, "T02", (struct diag_location){ &file, file.text, { "k", 1 } }, "more");
	ok(diags.n_kept_errors == DIAGS_MAX && diags.n_errors == 1750 &&
			strcmp(diags.items[0].what, "1") == 0,
		"of too many errors the first are kept");
	diags_done(&diags);
	ok(!diags.items && !diags.n_errors, "a list that is done is an empty one");
	tap_fail_alloc_after(0);
	ok(!diag_add(&diags, "T01", (struct diag_location){ &file, file.text, { "k", 1 } }, "x"),
		"adding is failing");
	tap_fail_alloc_after(-1);
	ok(diags.has_no_memory && diags.n_errors == 1, "what there is no memory for is counted, too");
	diags_done(&diags);
	diag_add(&diags, "T01",
		(struct diag_location){ &file, file.text,
			{ "a key that is much longer than forty-eight bytes are, by far", 60 } },
		"%0300d", 1);
	ok(strlen(diags.items[0].key) == 47 && strlen(diags.items[0].what) == 199, "long words are cut");
	diags_done(&diags);
}

static void check_repeats(void)
{
	const struct template_file file = { .name = "f", .text = "line\n", .n_bytes = 5 };
	struct diags diags = { 0 };

	diag_add(&diags, "T08", (struct diag_location){ &file, file.text, { "k", 1 } }, "too wide");
	diag_add(&diags, "T08", (struct diag_location){ &file, file.text + 1, { "k", 1 } }, "too wide");
	diag_add(&diags, "T08", (struct diag_location){ &file, file.text, { "k", 1 } }, "has a dot");
	ok(!diag_is_repeated(&diags, 0) && !diag_is_repeated(&diags, 1) && !diag_is_repeated(&diags, 2),
		"another position, or another sentence, is another diagnosis");
	diag_add(&diags, "T08", (struct diag_location){ &file, file.text, { "k", 1 } }, "too wide");
	ok(diag_is_repeated(&diags, 3), "the same sentence of the same position is a repetition");
	diags_done(&diags);
}

static void check_meanings(void)
{
	ok(diag_meaning("T01") && diag_meaning("T16") && diag_meaning("W04") && diag_meaning("R04"),
		"numbers have meanings");
	ok(!diag_meaning("T24") && !diag_meaning("") && !diag_meaning("T011"), "others have none");
}

int main(void)
{
	check_printing();
	check_caret();
	check_long_line();
	check_counts();
	check_repeats();
	check_meanings();
	return tap_done();
}
