/* SPDX-License-Identifier: MIT */
/* Which files of a directory count, in which order, and whether they are parts of one thing. */
#include "input/set.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

static bool is_sequence(size_t n_names, const char *const *names)
{
	struct input_set_file files[8];
	const struct input_set set = { .n_files = n_names, .files = files };
	size_t other;

	for (size_t i = 0; i < n_names; i++)
		files[i] = (struct input_set_file){ .name = names[i] };
	return input_set_is_sequence(&set, &other);
}

static void test_order(void)
{
	ok(input_set_compare("t.2", "t.10") < 0 && input_set_compare("t.10", "t.2") > 0,
		"2 stands before 10");
	ok(input_set_compare("t.007", "t.10") < 0 && input_set_compare("t", "t1") < 0,
		"zeros in front do not count, and the shorter name is first");
	ok(input_set_compare("a1b2", "a1b10") < 0, "each number of a name counts");
	ok(input_set_compare("a01", "a1") != 0 && input_set_compare("a1", "a1") == 0,
		"only equal names are equal");
	ok(input_set_compare("a99999999999999999999999998", "a99999999999999999999999999") < 0,
		"numbers may be longer than any type");
}

static void test_sequences(void)
{
	ok(is_sequence(1, (const char *[]){ "x" }), "a single file is a sequence");
	ok(is_sequence(3, (const char *[]){ "core0.bin", "core1.bin", "core10.bin" }),
		"names may differ in numbers");
	ok(is_sequence(3, (const char *[]){ "xaa", "xab", "xac" }) &&
			is_sequence(2, (const char *[]){ "traceaz", "traceba" }),
		"or have letters at their end as split(1) gives them");
	ok(!is_sequence(2, (const char *[]){ "xaa", "xac" }), "without a gap");
	ok(!is_sequence(2, (const char *[]){ "a.bin", "b.bin" }) &&
			!is_sequence(2, (const char *[]){ "README", "core0.bin" }) &&
			!is_sequence(2, (const char *[]){ "a1", "a1.md" }),
		"other names are no parts of one recording");
}

static void make_file(const char *folder, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static void test_directory(void)
{
	char folder[] = "/tmp/rastrum-set-XXXXXX", inner[64], expected[64], command[64];
	struct input_set *set = NULL;
	struct rst_error err = { 0 };

	ok(mkdtemp(folder) && input_set_open(&set, folder, &err) == RST_E_UNKNOWN &&
			strstr(err.what, "no file") && strcmp(err.source, folder) == 0,
		"a directory without files is refused");
	make_file(folder, "p10");
	make_file(folder, "p9");
	make_file(folder, ".hidden");
	snprintf(inner, sizeof(inner), "%s/p11", folder);
	mkdir(inner, 0700);
	snprintf(expected, sizeof(expected), "%s/p9", folder);
	ok(input_set_open(&set, folder, &err) == RST_OK && set->n_files == 2 &&
			strcmp(set->files[0].path, expected) == 0 && strcmp(set->files[1].name, "p10") == 0,
		"files are listed in order, without hidden ones and directories");
	ok(input_set_open(&set, expected, &err) == RST_END && set->n_files == 2, "a file is no directory");
	input_set_free(set);

	enum rst_status status = RST_E_NOMEM;
	long n;

	for (n = 0; status == RST_E_NOMEM && n < 50; n++) {
		set = NULL;
		tap_fail_alloc_after(n);
		status = input_set_open(&set, folder, &err);
		tap_fail_alloc_after(-1);
		input_set_free(set);
	}
	ok(status == RST_OK && n > 3, "each allocation that fails is reported");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ok(system(command) == 0, "the directory is removed");
}

int main(void)
{
	test_order();
	test_sequences();
	test_directory();
	return tap_done();
}
