/* SPDX-License-Identifier: MIT */
#include "template/update/update.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static struct template_file *file_of(const char *name, const char *text)
{
	return template_file_of(name, text, strlen(text));
}

/* The changed master, or the undo file, as a text that the caller frees; NULL if memory ran out. */
static char *written(
	const struct update *update, void (*put)(const struct update *update, struct outbuf *out))
{
	struct outbuf out;
	char *text = NULL;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return NULL;
	put(update, &out);
	if (!out.error)
		text = strndup(out.start, (size_t)(out.at - out.start));
	outbuf_done(&out);
	return text;
}

/* Updates a master; *ret_undo is the undo file. Returns NULL if there are errors, or memory ran out. */
static char *updated(const char *master, const char *input, bool is_forced, char **ret_undo)
{
	struct update update = { .set = NULL };
	struct diags diags = { 0 };
	struct template_file *old = file_of("master", master), *file = file_of("input", input);
	struct rst_error err;
	char *text = NULL;

	*ret_undo = NULL;
	if (!old || !file) {
		template_file_free(old);
		template_file_free(file);
		return NULL;
	}
	if (update_read(&update, "aix", old, file, &diags, &err) == RST_OK && diags.n_errors == 0 &&
		!diags.has_no_memory && update_apply(&update, is_forced, &err) == RST_OK) {
		text = written(&update, update_put_master);
		*ret_undo = written(&update, update_put_undo);
	}
	diags_done(&diags);
	update_done(&update);
	return text;
}

#define UPDATE "* /etc/trcfmt\n"

static const struct {
	const char *master, *input, *forced, *result, *sentence;
} rows[] = {
	{ "05A 1.0 x\n", "+ 05A 1.1 y\n", NULL, "05A 1.1 y\n", "a later version takes the place" },
	{ "05A 1.1 x\n", "+ 05A 1.0 y\n", "05A 1.0 y\n", "05A 1.1 x\n",
		"an older one only when it is forced" },
	{ "05A 1.1 x\n", "+ 05A 1.1 y\n", NULL, "05A 1.1 y\n", "an equal one does (D29)" },
	{ "05A 1.9 x\n", "+ 05A 1.10 y\n", NULL, "05A 1.10 y\n", "versions are numbers" },
	{ "05A 2.0 x\n", "+ 05A 1.9 y\n", "05A 1.9 y\n", "05A 2.0 x\n", "the first number counts first" },
	{ "", "+ 05B 1.0\n", NULL, "05B 1.0\n", "a hook that is not there is added" },
	{ "# c", "+ 05B 1.0\n", NULL, "# c\n05B 1.0\n", "behind a last line without an end" },
	{ "05C 1.0 x\n", "- 05C\n", NULL, "", "a hook is deleted" },
	{ "05A 1.0 x\n", "+ 05A 2.0 y\n- 05A\n", NULL, "", "lines are taken in their order" },
	{ "05A 1.0 x\n", "- 05A\n+ 05A 0.1 y\n", NULL, "05A 0.1 y\n",
		"what was deleted has no version any more" },
	{ "134 1.0 x\n", "+ 1340 1.1 y\n", NULL, "1340 1.1 y\n", "hhh0 is hhh (D30)" },
	{ "134 1.0 x\n", "-1340\n", NULL, "", "a sign may stand at its word" },
	{ "05A 1.0 x\n", "- 05B\n", NULL, "05A 1.0 x\n", "a hook that is not there cannot be deleted" },
	{ "05A 1.0 x\n05A 2.0 y\n", "- 05A\n", NULL, "", "a hook that is there twice is deleted twice" },
	{ "# a\n05A 1.0 x\n# b\n05B 1.0 \\\n  z\n\n# c\n", "+ 05A 1.0 y\n", NULL,
		"# a\n05A 1.0 y\n# b\n05B 1.0 \\\n  z\n\n# c\n", "all else keeps its bytes" },
	{ "05A 1.0 X17\n", "+ 05A 0.1 y\n", NULL, "05A 0.1 y\n", "a stanza with an error has no version" },
	{ "oops\n05A 1.0 x\n", "- 05A\n", NULL, "oops\n", "errors of the master stay" },
	{ "# e\n# effect: none\n05A 1.0 x\n", "- 05A\n", NULL, "# e\n", "effects go with their stanza" },
	{ "# effect: none\n05A 1.0 x\n", "# note\n# effect: none\n+ 05A 1.1 y\n", NULL,
		"# effect: none\n05A 1.1 y\n", "and come with it" },
	{ "05A 1.0 x", "+ 05A 1.0 y \\\n+z\n", NULL, "05A 1.0 y \\\n+z\n", "a continued line has no sign" },
	{ "05A 1.0 x \\", "+ 05B 1.0\n", NULL, "05A 1.0 x \\\n\n05B 1.0\n",
		"a backslash at the end continues nothing that is added" },
	{ "05A 1.0 x\n05A 2.0 X17\n", "+ 05A 1.1 y\n", NULL, "05A 1.1 y\n05A 2.0 X17\n",
		"the one in force is replaced, not one with an error" },
	{ "05A 1.0 x\r\n05B 1.0\r\n", "+ 05A 1.0 y\r\n- 05B\r\n", NULL, "05A 1.0 y\r\n",
		"lines may end as on other systems" },
};

/* The stanzas in force, one a line, sorted by their place in the set's table of keys. */
static char *stanzas_of(const char *text)
{
	struct template_set *set = template_set_new("aix");
	struct diags diags = { 0 };
	struct outbuf out;
	char *all;

	template_set_add(set, file_of("all", text), &diags);
	outbuf_init(&out, OUTBUF_MEMORY);
	for (unsigned hook = 0; hook < 0x1000; hook++) {
		char key[4];

		snprintf(key, sizeof(key), "%03X", hook);
		update_put_stanza(set, (struct text){ key, 3 }, &out);
	}
	all = strndup(out.start, (size_t)(out.at - out.start));
	outbuf_done(&out);
	diags_done(&diags);
	template_set_free(set);
	return all;
}

static void check_undo(const char *master, const char *result, const char *undo, const char *sentence)
{
	char *again, *back = updated(result, undo, true, &again), *was = stanzas_of(master),
		     *is = back ? stanzas_of(back) : NULL;

	ok(is && strcmp(is, was) == 0, "undone: %s", sentence);
	free(again);
	free(back);
	free(was);
	free(is);
}

static void check_rows(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned is_forced = 0; is_forced < 2; is_forced++) {
			const char *wanted = is_forced && rows[i].forced ? rows[i].forced : rows[i].result;
			char input[200], *undo, *result;

			snprintf(input, sizeof(input), UPDATE "%s", rows[i].input);
			result = updated(rows[i].master, input, is_forced, &undo);
			is_text(result ? result : "errors", wanted, rows[i].sentence);
			if (result && undo)
				check_undo(rows[i].master, result, undo, rows[i].sentence);
			free(result);
			free(undo);
		}
}

static void check_errors(void)
{
	static const struct {
		const char *input, *number, *sentence;
	} errors[] = {
		{ "+ 05A 1.0\n", "T01", "a file that does not begin with its line" },
		{ "* /etc/trcfmtx\n+ 05A 1.0\n", "T01", "or with another" },
		{ "", "T01", "or is empty" },
		{ UPDATE "05A 1.0\n", "T01", "a line without a sign" },
		{ UPDATE "-\n", "T01", "nothing to delete" },
		{ UPDATE "- 5A\n", "T01", "what is no hook cannot be deleted" },
		{ UPDATE "- 05A 1.0\n", "T01", "more than a hook cannot be deleted" },
		{ UPDATE "+ 05A\n", "T02", "a stanza without a version" },
		{ UPDATE "+ 05A 1.0 \"x\n", "T04", "a string that is not closed" },
		{ UPDATE "+ 05B 1.0\n- 05B\n+ 05A 1.0 X17\n", "T08", "an error behind good lines" },
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct update update = { .set = NULL };
		struct diags diags = { 0 };
		struct rst_error err;

		update_read(&update, "aix", file_of("m", "05A 1.0\n"), file_of("i", errors[i].input), &diags,
			&err);
		ok(diags.n_errors == 1 && strcmp(diags.items[0].number, errors[i].number) == 0 &&
				diags.items[0].file == update.input &&
				strcmp(update.input->text, errors[i].input) == 0,
			"an error: %s", errors[i].sentence);
		diags_done(&diags);
		update_done(&update);
	}
}

/* Keys of other dialects are names. */
static void check_names(void)
{
	struct update update = { .set = NULL };
	struct diags diags = { 0 };
	struct rst_error err;
	char *text;

	update_read(&update, "threadx", file_of("m", "# dialect: threadx\nTX_A 1.0 a\nTX_B 1.0 b\n"),
		file_of("i", UPDATE "+ TX_A 1.1 x\n- TX_B\n"), &diags, &err);
	ok(diags.n_errors == 0 && update_apply(&update, false, &err) == RST_OK && update.n_changes == 2,
		"names of events are keys, too");
	text = written(&update, update_put_master);
	is_text(text, "# dialect: threadx\nTX_A 1.1 x\n", "and so they are changed");
	free(text);
	diags_done(&diags);
	update_done(&update);
}

static void check_no_memory(void)
{
	bool is_clean = true;
	long n = 0;

	for (;; n++) {
		char *undo, *text;

		tap_fail_alloc_after(n);
		text = updated(
			"05A 1.0 x\n05C 1.0\n", UPDATE "+ 05A 1.1 y\n- 05C\n+ 05B 1.0\n", false, &undo);
		tap_fail_alloc_after(-1);
		is_clean &= !text || strcmp(text, "05A 1.1 y\n05B 1.0\n") == 0;
		bool is_done = text && undo;

		free(text);
		free(undo);
		if (is_done)
			break;
	}
	ok(is_clean && n > 10, "without memory nothing is half done");
}

int main(void)
{
	check_rows();
	check_errors();
	check_names();
	check_no_memory();
	return tap_done();
}
