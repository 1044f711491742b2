/* SPDX-License-Identifier: MIT */
#include "template/set/set.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static enum rst_status add_text(
	struct template_set *set, const char *name, const char *text, struct diags *diags)
{
	return template_set_add(set, template_file_of(name, text, strlen(text)), diags);
}

/* The version of the template of an event, or -1. */
static int version_of(const struct template_set *set, const char *event)
{
	const struct stanza *stanza = template_set_find_event(set, event, strlen(event));

	return stanza ? (int)stanza->version : -1;
}

static void check_finding(void)
{
	struct diags diags = { 0 };
	struct template_set *set = template_set_new("threadx");

	is_number((unsigned)version_of(set, "TX_A"), (unsigned)-1, "an empty set has no templates");
	add_text(set, "a", "TX_A 1.0\nTX_B+3 2.0\nTX_B 3.0\n12C0 4.0\nTX_C 5.0 X17\n", &diags);
	ok(version_of(set, "TX_A") == 1 && version_of(set, "TX") == -1, "an event is found by its name");
	ok(version_of(set, "TX_B+3") == 2, "… by the whole of it");
	ok(version_of(set, "TX_B+4") == 3 && version_of(set, "TX_B") == 3,
		"… or by what stands before its +");
	ok(version_of(set, "12c") == 4 && version_of(set, "12C0") == 4,
		"hook ids are found however they are written");
	ok(version_of(set, "TX_C") == -1 && template_set_find(set, "TX_C", 4)->is_bad,
		"a bad template is known, but is that of no event");
	ok(version_of(set, "") == -1 && version_of(set, "+") == -1, "no name is no event's");
	diags_done(&diags);
	template_set_free(set);
	ok(!template_set_free(NULL), "nothing can be freed");
}

static void check_many(void)
{
	enum { N_STANZAS = 5000 };
	struct diags diags = { 0 };
	struct template_set *set = template_set_new("x");
	char *text = malloc(N_STANZAS * 20), *p = text, key[32];
	bool is_found = true;

	for (int i = 0; i < N_STANZAS; i++)
		p += sprintf(p, "EVENT_%d %d.0\n", i, i);
	add_text(set, "many", text, &diags);
	for (int i = 0; i < N_STANZAS; i++) {
		sprintf(key, "EVENT_%d", i);
		is_found &= version_of(set, key) == i;
	}
	ok(is_found && set->n_stanzas == N_STANZAS && set->n_names == N_STANZAS,
		"each of many templates is found");
	ok(set->stanzas[77]->index == 77 && set->stanzas[77]->version == 77, "they are kept in their order");
	diags_done(&diags);
	template_set_free(set);
	free(text);
}

static void check_replacing(void)
{
	struct diags diags = { 0 };
	struct template_set *set = template_set_new("aix");
	const struct stanza *stanza;

	add_text(set, "a", "010 1.0\n011 1.0\n", &diags);
	add_text(set, "b", "0100 2.0\n", &diags);
	stanza = template_set_find(set, "010", 3);
	ok(stanza->version == 2 && stanza->replaced && stanza->replaced->version == 1,
		"a later file's template takes the place of an earlier one's, and knows it");
	ok(strcmp(stanza->file->name, "b") == 0 && stanza->written_key.n_bytes == 4 && set->n_names == 2,
		"it knows its file and how its key is written there");
	is_number(diags.n_items, 0, "that is as it should be");
	add_text(set, "c", "012 1.0\n# c\n012 2.0 x\\\ny\n", &diags);
	ok(diags.n_items == 1 && strcmp(diags.items[0].number, "T16") == 0 && diags.n_warnings == 1 &&
			!diags.n_errors,
		"twice in one file is worth a warning");
	stanza = template_set_find(set, "012", 3);
	ok(stanza->version == 2 && stanza->end - stanza->at == 12,
		"the last one counts; it knows where it stands");
	diags_done(&diags);
	template_set_free(set);
}

static void check_dialects(void)
{
	static const struct {
		const char *text, *dialect;
	} files[] = {
		{ "", "aix" },
		{ "010 1.0\n", "aix" },
		{ "# dialect: threadx\nTX_A 1.0\n", "threadx" },
		{ "# c\n* c\n\n#dialect:\trkh \r\n", "rkh" },
		{ "\xef\xbb\xbf# dialect: x", "x" },
		{ "010 1.0\n# dialect: x\n", "aix" },
		{ "# dialect:\n# a dialect: x\n", "aix" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct template_file *file = template_file_of("f", files[i].text, strlen(files[i].text));
		struct text dialect = template_file_dialect(file);

		ok(dialect.n_bytes == strlen(files[i].dialect) &&
				memcmp(dialect.bytes, files[i].dialect, dialect.n_bytes) == 0,
			"file %zu is of the dialect %s", i, files[i].dialect);
		template_file_free(file);
	}
}

static void check_files(void)
{
	char path[] = "/tmp/set_test_XXXXXX";
	int fd = mkstemp(path);
	struct rst_error err;
	struct template_file *file;
	char *text = malloc(300000);

	memset(text, '#', 300000);
	ok(write(fd, text, 300000) == 300000 && template_file_read(&file, path, &err) == RST_OK &&
			file->n_bytes == 300000 && memcmp(file->text, text, 300000) == 0 &&
			file->text[300000] == '\0',
		"a file is read whole");
	is_text(file->name, path, "… and has its name");
	template_file_free(file);
	for (long n = 0; n < 4; n++) {
		tap_fail_alloc_after(n);
		if (template_file_read(&file, path, &err) != RST_E_NOMEM)
			ok(false, "a file without memory for it is refused");
		tap_fail_alloc_after(-1);
	}
	free(text);
	close(fd);
	unlink(path);
	ok(template_file_read(&file, path, &err) == RST_E_IO && !file, "a file that is not there is told");
	is_text(err.source, path, "… by its name");
	ok(template_file_read(&file, "/tmp", &err) == RST_E_IO, "a directory is no file");
	ok(template_file_read(&file, "/dev/zero", &err) == RST_E_IO, "nor is what has no end");
	fd = dup(STDIN_FILENO);
	ok(freopen("/dev/null", "r", stdin) && template_file_read(&file, "-", &err) == RST_OK &&
			file->n_bytes == 0,
		"- is the standard input");
	dup2(fd, STDIN_FILENO);
	close(fd);
	is_text(file->name, "<standard input>", "… which has a name, too");
	template_file_free(file);
}

static bool times(const struct template_set *set, const char *event)
{
	return template_set_times(set, event, strlen(event));
}

/* A reader that leaves events out must find the templates whose text has the time since another event. */
static void check_times(void)
{
	static const char text[] = "TX_A 1.0 \"plain\" X4\n"
				   "TX_B 1.0 \"since \" endtimer(1, 0)\n"
				   "TX_C 1.0 $MIDDLE\n"
				   "TX_D 1.0 $ROUND\n"
				   "TX_E 1.0 $NOWHERE\n"
				   "MIDDLE 1.0 $TX_B\n"
				   "ROUND 1.0 \"x\" $ROUND\n";
	struct diags diags = { 0 };
	struct template_set *set = template_set_new("threadx");

	add_text(set, "times", text, &diags);
	is_number(diags.n_errors, 0, "templates with and without timers are sound");
	ok(!times(set, "TX_A") && times(set, "TX_B"), "a template with a timer is known");
	ok(times(set, "TX_C"), "… however deep the timer stands in what it calls");
	ok(times(set, "TX_D"), "one that calls itself may have any");
	ok(!times(set, "TX_E") && !times(set, "TX_Z"), "what is missing has none");
	diags_done(&diags);
	template_set_free(set);
}

static void check_no_memory(void)
{
	static const char text[] = "010 1.0 \"a\" X4\n010 1.1\noops\n";
	bool is_clean = true;
	long n = 0;

	for (;; n++) {
		struct diags diags = { 0 };
		struct template_set *set;
		struct template_file *file;
		enum rst_status status = RST_E_NOMEM;

		tap_fail_alloc_after(n);
		set = template_set_new("aix");
		file = set ? template_file_of("test", text, sizeof(text) - 1) : NULL;
		if (file)
			status = template_set_add(set, file, &diags);
		tap_fail_alloc_after(-1);
		is_clean &= status == RST_E_NOMEM || (status == RST_OK && set->n_stanzas == 2);
		is_clean &= status == RST_E_NOMEM || diags.n_errors == 1;
		template_set_free(set);
		if (status == RST_OK && !diags.has_no_memory) {
			diags_done(&diags);
			break;
		}
		diags_done(&diags);
	}
	ok(is_clean && n > 8, "without memory for a set, its owner is told");
}

static bool counts(const struct template_set *set, const char *event)
{
	return template_set_counts(set, template_set_find_event(set, event, strlen(event)));
}

/* Several threads need the templates whose text depends on how many events were shown. */
static void check_counts(void)
{
	static const char text[] = "TX_A 1.0 \"plain\" X4\n"
				   "TX_B 1.0 \"since \" endtimer(1, 0)\n"
				   "TX_C 1.0 \"line \" $RELLINENO\n"
				   "TX_D 1.0 $MIDDLE\n"
				   "TX_E 1.0 X1, 0 { $SKIP }, \\* \"shown\"\n"
				   "MIDDLE 1.0 \"of \" $TOTALCPUS\n";
	static const char *const counting[] = { "TX_B", "TX_C", "TX_D", "TX_E" };
	struct template_set *set = template_set_new("threadx");
	struct diags diags = { 0 };

	ok(set && template_set_add(set, template_file_of("own", text, sizeof(text) - 1), &diags) == RST_OK &&
			diags.n_items == 0,
		"templates that count, and one that does not");
	ok(!counts(set, "TX_A") && !counts(set, "TX_NONE"),
		"fields alone do not count, nor does what is not there");
	for (size_t i = 0; i < sizeof(counting) / sizeof(counting[0]); i++)
		ok(counts(set, counting[i]), "%s counts", counting[i]);
	template_set_free(set);
	diags_done(&diags);
}

int main(void)
{
	check_finding();
	check_many();
	check_replacing();
	check_dialects();
	check_files();
	check_times();
	check_counts();
	check_no_memory();
	return tap_done();
}
