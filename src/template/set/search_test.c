/* SPDX-License-Identifier: MIT */
#include "template/set/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

static char folder[] = "/tmp/rastrum-search-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(path_of(name), "w");

	if (!out || fputs(text, out) < 0 || fclose(out) != 0)
		exit(1);
}

static void check_label(const struct template_set *set, const char *label, const char *sentence)
{
	const struct stanza *stanza = template_set_find(set, "AAA", 3);
	char got[40] = "";

	if (stanza)
		snprintf(got, sizeof(got), "%.*s", (int)stanza->label.n_bytes, stanza->label.bytes);
	is_text(got, label, sentence);
}

static void test_folder(void)
{
	struct template_set *set = template_set_new("aix");
	struct diags diags = { 0 };
	struct rst_error err;

	is_number(template_search_path(set, folder, &diags, &err), RST_OK, "a folder is read");
	check_label(set, "b", "its files count in the order of their names");
	is_number(set->n_files, 2, "other dialects, names and hidden files are left out");
	is_number(template_search_path(set, path_of("a.trcfmt"), &diags, &err), RST_OK, "a file is read");
	check_label(set, "a", "and stands above what was read before");
	is_number(diags.n_errors, 2, "a stanza with an error is told and is no failure");
	diags_done(&diags);
	template_set_free(set);
}

static void test_absent(void)
{
	const char *absent = path_of("absent");
	struct template_set *set = template_set_new("aix");
	struct diags diags = { 0 };
	struct rst_error err;

	ok(template_search_path(set, absent, &diags, &err) == RST_E_IO && strcmp(err.source, absent) == 0,
		"what is named and is not there is a failure that has its name");
	ok(template_search(set, NULL, 1, &absent, &diags, &err) == RST_E_IO, "also in a search");
	setenv("RASTRUM_TEMPLATES", absent, true);
	ok(template_search(set, NULL, 0, NULL, &diags, &err) == RST_E_IO &&
			strstr(err.advice, "RASTRUM_TEMPLATES"),
		"the message says when the environment names it");
	unsetenv("RASTRUM_TEMPLATES");
	diags_done(&diags);
	template_set_free(set);
}

static void test_dialects(void)
{
	struct template_set *set = template_set_new("threadx");
	struct diags diags = { 0 };
	struct rst_error err;

	is_number(template_search(set, NULL, 0, NULL, &diags, &err), RST_OK,
		"the templates built in can be loaded");
	ok(diags.n_errors == 0 && diags.n_warnings == 0, "there is nothing wrong with them");
	is_number(template_search_path(set, folder, &diags, &err), RST_OK,
		"files of the set's dialect are read");
	check_label(set, "threadx", "and no others");
	diags_done(&diags);
	template_set_free(set);
}

/* A search warns of each entry of a folder that it cannot read, and reads the others. */
static void test_strange_entries(void)
{
	static const char *const strange[] = { "0.trcfmt", "1.trcfmt", "2.trcfmt" };
	struct template_set *set = template_set_new("aix");
	struct diags diags = { 0 };
	struct rst_error err;

	if (mkfifo(path_of(strange[0]), 0600) != 0 || mkdir(path_of(strange[1]), 0700) != 0 ||
		symlink("nowhere", path_of(strange[2])) != 0)
		exit(1);
	is_number(template_search_path(set, folder, &diags, &err), RST_OK,
		"a folder may have pipes, folders and links to nothing");
	check_label(set, "b", "its files are read");
	ok(diags.n_warnings == 3 && strcmp(diags.items[0].number, "W05") == 0 &&
			strstr(diags.items[0].what, strange[0]) &&
			strstr(diags.items[2].what, "No such file"),
		"and each of the others is told with its name and what is wrong");
	diags_done(&diags);
	template_set_free(set);
	unlink(path_of(strange[0]));
	rmdir(path_of(strange[1]));
	unlink(path_of(strange[2]));
}

static void test_questions(void)
{
	const char *path = folder;
	struct template_set *set = template_set_new("aix");
	struct diags diags = { 0 };
	struct rst_error err;
	struct stat output;

	ok(stat(path_of("b.trcfmt"), &output) == 0 &&
			template_search_spares(&output, 0, NULL, 1, &path, &err) == RST_E_USAGE &&
			strcmp(err.source, path_of("b.trcfmt")) == 0,
		"a search tells of a file that it would read");
	ok(stat(path_of("e.txt"), &output) == 0 &&
			template_search_spares(&output, 0, NULL, 1, &path, &err) == RST_OK,
		"and not of others");
	setenv("RASTRUM_TEMPLATES", "/dev/null:-", true);
	ok(template_search_spares(&output, 0, NULL, 1, &path, &err) == RST_E_USAGE &&
			template_search(set, NULL, 0, NULL, &diags, &err) == RST_E_USAGE &&
			strstr(err.what, "standard input"),
		"standard input is not for the environment");
	unsetenv("RASTRUM_TEMPLATES");
	template_search_path(set, folder, &diags, &err);
	ok(template_search_gave(set, folder) && template_search_gave(set, path_of("a.trcfmt")) &&
			!template_search_gave(set, path_of("c.trcfmt")) &&
			!template_search_gave(set, "/tm") && !template_search_gave(set, "-"),
		"the set knows from which files and folders it has templates");
	diags_done(&diags);
	template_set_free(set);
}

static void test_memory(void)
{
	const char *path = folder;
	enum rst_status status = RST_E_NOMEM;

	for (long n = 0; n < 10000 && status == RST_E_NOMEM; n++) {
		struct template_set *set;
		struct diags diags = { 0 };
		struct rst_error err;

		tap_fail_alloc_after(n);
		set = template_set_new("aix");
		status = set ? template_search(set, NULL, 1, &path, &diags, &err) : RST_E_NOMEM;
		tap_fail_alloc_after(-1);
		if (diags.has_no_memory && status == RST_OK)
			status = RST_E_NOMEM;
		diags_done(&diags);
		template_set_free(set);
	}
	is_number(status, RST_OK, "whenever memory runs out, this is what is told, and nothing leaks");
}

int main(void)
{
	static const char *const names[] = { "a.trcfmt", "b.trcfmt", "c.trcfmt", ".d.trcfmt", "e.txt" };

	if (!mkdtemp(folder))
		return 1;
	setenv("HOME", folder, true);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("RASTRUM_TEMPLATES");
	put(names[0], "AAA 1.0 \"a\"\nAAB 1.0 X17\n");
	put(names[1], "AAA 1.0 \"b\"\n");
	put(names[2], "# dialect: threadx\nAAA 1.0 \"threadx\"\n");
	put(names[3], "AAA 1.0 \"hidden\"\n");
	put(names[4], "AAA 1.0 \"not a template\"\n");
	test_folder();
	test_absent();
	test_dialects();
	test_strange_entries();
	test_questions();
	test_memory();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	rmdir(folder);
	return tap_done();
}
