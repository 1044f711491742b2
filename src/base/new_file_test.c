/* SPDX-License-Identifier: MIT */
#include "base/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

static char folder[] = "/tmp/rastrum-new-XXXXXX";

static const char *at(const char *name)
{
	static char path[100];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static unsigned n_names(void)
{
	DIR *names = opendir(folder);
	unsigned n = 0;

	while (names && readdir(names))
		n++;
	if (names)
		closedir(names);
	return n - 2; /* . and .. */
}

static bool has(const char *name, const char *text)
{
	FILE *file = fopen(at(name), "r");
	char read[20] = "";

	if (file && fgets(read, sizeof(read), file) == NULL)
		read[0] = '\0';
	if (file)
		fclose(file);
	return file && strcmp(read, text) == 0;
}

static struct new_file written(const char *text, bool is_named)
{
	struct new_file file;

	ok(new_file_open(&file, at("x"), 0666, is_named) == 0 && (file.part != NULL) >= is_named &&
			write(file.fd, text, strlen(text)) == (ssize_t)strlen(text),
		"a file is made");
	return file;
}

static void test_file(bool is_named)
{
	struct new_file file = written("one", is_named);
	struct stat st;

	ok(access(at("x"), F_OK) != 0 && n_names() == (file.part ? 1 : 0),
		"which has no name yet, or another");
	ok(new_file_keep(&file, at("x"), false) == 0 && has("x", "one") && n_names() == 1,
		"it is kept under its name, and no other");
	ok(stat(at("x"), &st) == 0 && (st.st_mode & 0777) == 0640, "and its mode is what the mask leaves");
	new_file_drop(&file);

	file = written("two", is_named);
	ok(new_file_keep(&file, at("x"), false) == EEXIST && has("x", "one"),
		"another does not take its place");
	ok(new_file_keep(&file, at("x"), true) == 0 && has("x", "two") && n_names() == 1, "unless it may");
	new_file_drop(&file);

	file = written("three", is_named);
	new_file_drop(&file);
	ok(has("x", "two") && n_names() == 1, "of one that is not kept nothing is left");

	file = written("four", is_named);
	mkdir(at("folder"), 0777);
	ok(new_file_keep(&file, at("folder"), true) != 0, "a folder is not replaced");
	new_file_drop(&file);
	rmdir(at("folder"));
	ok(n_names() == 1, "and nothing is left then");
	unlink(at("x"));
}

int main(void)
{
	struct new_file file;

	umask(027);
	if (!mkdtemp(folder))
		return 1;
	test_file(false);
	test_file(true);
	ok(new_file_open(&file, at("none/x"), 0666, false) == ENOENT && file.fd == -1,
		"where there is no folder there is no file");
	rmdir(folder);
	return tap_done();
}
