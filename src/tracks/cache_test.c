/* SPDX-License-Identifier: MIT */
#include "tracks/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

struct rig {
	char top[32], folder[48];
};

static void rig_begin(struct rig *rig)
{
	strcpy(rig->top, "/tmp/cache-XXXXXX");
	ok(mkdtemp(rig->top) != NULL, "there is a folder of its own");
	snprintf(rig->folder, sizeof(rig->folder), "%s/rastrum", rig->top);
	setenv("XDG_CACHE_HOME", rig->top, 1);
	unsetenv("RASTRUM_CACHE_DISABLE");
	unsetenv("RASTRUM_CACHE_MAXSIZE");
	unsetenv("RASTRUM_CACHE_MINSIZE");
}

static void path_of(const struct rig *rig, const char *name, char *ret, size_t room)
{
	snprintf(ret, room, "%s/%s", rig->folder, name);
}

/* The number of files in the folder; -1 if the folder does not exist. */
static int count_files(const struct rig *rig)
{
	DIR *listing = opendir(rig->folder);
	const struct dirent *entry;
	int n = 0;

	if (!listing)
		return -1;
	while ((entry = readdir(listing)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(listing);
	return n;
}

static void rig_end(const struct rig *rig)
{
	DIR *listing = opendir(rig->folder);
	const struct dirent *entry;
	char path[400];

	while (listing && (entry = readdir(listing)) != NULL) {
		path_of(rig, entry->d_name, path, sizeof(path));
		if (entry->d_name[0] != '.')
			unlink(path);
	}
	if (listing)
		closedir(listing);
	rmdir(rig->folder);
	rmdir(rig->top);
}

static bool write_file(const char *name, size_t n_bytes)
{
	char *bytes = calloc(1, n_bytes);
	struct cache_file file;
	bool is_good = bytes && cache_create(&file, name);

	is_good = is_good && write(file.fd, bytes, n_bytes) == (ssize_t)n_bytes && cache_keep(&file);
	free(bytes);
	return is_good;
}

static bool has_file(const char *name)
{
	const int fd = cache_open(name);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_keeping(void)
{
	struct rig rig;
	struct stat about;
	struct cache_file file;
	char path[100];

	rig_begin(&rig);
	path_of(&rig, "a.rsx", path, sizeof(path));
	ok(!has_file("a.rsx") && count_files(&rig) < 0, "what only looks makes no folder");
	ok(cache_create(&file, "a.rsx") && write(file.fd, "1", 1) == 1 && count_files(&rig) == 0,
		"a file that is written has no name");
	cache_drop(&file);
	cache_drop(&file);
	ok(count_files(&rig) == 0 && !has_file("a.rsx"), "nothing is left of one that is dropped");
	ok(write_file("a.rsx", 5) && has_file("a.rsx"), "one that is kept is found");
	ok(stat(path, &about) == 0 && (about.st_mode & 0777) == 0600 && about.st_size == 5,
		"only its user may read it");
	ok(stat(rig.folder, &about) == 0 && (about.st_mode & 0777) == 0700,
		"nor may others look into the folder");
	ok(write_file("a.rsx", 7) && stat(path, &about) == 0 && about.st_size == 7 && count_files(&rig) == 1,
		"another one takes its place");
	cache_remove("a.rsx");
	ok(!has_file("a.rsx"), "one that is removed is gone");
	rig_end(&rig);
}

static void test_killed_writer(void)
{
	struct rig rig;
	struct cache_file file;
	pid_t child;

	rig_begin(&rig);
	child = fork();
	if (child == 0)
		_exit(!(cache_create(&file, "a.rsx") && write(file.fd, "1", 1) == 1));
	ok(waitpid(child, NULL, 0) == child && !has_file("a.rsx"),
		"a writer that ends leaves nothing with the name");
	rig_end(&rig);
}

static void test_bound(void)
{
	static const char first[] = "00000000000000aa.rsx", second[] = "00000000000000bb.rsx",
			  third[] = "00000000000000cc.rsx", fourth[] = "00000000000000dd.rsx";
	static const char *const foreign[] = { "holiday.mp4", "00000000000000aa.rsx.txt",
		"0123456789abcdef.part", "0123456789abcdef0.rsx", "README.md" };
	struct rig rig;
	char path[100];
	bool is_there = true;

	rig_begin(&rig);
	setenv("RASTRUM_CACHE_MAXSIZE", "1M", 1);
	ok(write_file(first, 400000) && write_file(second, 400000), "two files have room");
	cache_touch(first);
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		path_of(&rig, foreign[i], path, sizeof(path));
		const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		is_there = is_there && fd >= 0 && ftruncate(fd, 0) == 0 && write(fd, path, 1) == 1;
		if (fd >= 0)
			close(fd);
	}
	ok(write_file(third, 400000) && has_file(first) && !has_file(second) && has_file(third),
		"the one that was used longest ago makes room for a third");
	ok(!write_file(fourth, 1100000) && !has_file(fourth) && has_file(third),
		"one that is larger than all of them may be is not kept");
	setenv("RASTRUM_CACHE_MAXSIZE", "0", 1);
	cache_bound();
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		is_there = is_there && has_file(foreign[i]);
	ok(is_there && !has_file(first) && !has_file(third),
		"files that are not the cache's own stay, whatever their age and size");
	rig_end(&rig);
}

static void test_places(void)
{
	struct rig rig;
	struct cache_file file;
	char path[100];

	rig_begin(&rig);
	setenv("RASTRUM_CACHE_DISABLE", "1", 1);
	ok(!cache_create(&file, "a.rsx") && !cache_is_wanted(UINT64_MAX),
		"there is none where it is disabled");
	cache_drop(&file);
	unsetenv("RASTRUM_CACHE_DISABLE");
	mkdir(rig.folder, 0700);
	chmod(rig.folder, 0777);
	ok(!cache_create(&file, "a.rsx") && !has_file("a.rsx"),
		"a folder that others may write to is not used");
	rmdir(rig.folder);
	ok(symlink("/tmp", rig.folder) == 0 && !cache_create(&file, "a.rsx"), "nor is a link to a folder");
	unlink(rig.folder);
	setenv("XDG_CACHE_HOME", "relative", 1);
	unsetenv("HOME");
	ok(!cache_create(&file, "a.rsx"), "a relative path and no home are no place");
	setenv("HOME", rig.top, 1);
	unsetenv("XDG_CACHE_HOME");
	ok(write_file("a.rsx", 1) && has_file("a.rsx"), "else it lies below ~/.cache");
	snprintf(path, sizeof(path), "%s/.cache/rastrum/a.rsx", rig.top);
	ok(unlink(path) == 0, "where it is expected");
	snprintf(path, sizeof(path), "%s/.cache/rastrum", rig.top);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/.cache", rig.top);
	rmdir(path);
	rig_end(&rig);
}

static void test_size(void)
{
	unsetenv("RASTRUM_CACHE_DISABLE");
	unsetenv("RASTRUM_CACHE_MINSIZE");
	ok(!cache_is_wanted(31999999) && cache_is_wanted(32000000), "files begin at 32 MB");
	setenv("RASTRUM_CACHE_MINSIZE", "1k", 1);
	ok(!cache_is_wanted(999) && cache_is_wanted(1000), "or where the user wants it");
	setenv("RASTRUM_CACHE_MINSIZE", "much", 1);
	ok(!cache_is_wanted(31999999) && cache_is_wanted(32000000), "words that are no size change nothing");
}

static void test_marks(void)
{
	static uint8_t bytes[1 << 20];
	const struct stat about = { .st_size = sizeof(bytes), .st_ino = 7 };
	struct stat other = about;
	struct cache_mark first, second;
	char names[3][CACHE_NAME_MAX];

	cache_mark(&first, &about, bytes, sizeof(bytes));
	cache_mark(&second, &about, bytes, sizeof(bytes));
	ok(cache_mark_is_same(&first, &second), "a file has the same mark while it is the same");
	bytes[0] = 1;
	cache_mark(&second, &about, bytes, sizeof(bytes));
	ok(!cache_mark_is_same(&first, &second), "another first byte shows");
	bytes[0] = 0;
	bytes[sizeof(bytes) - 1] = 1;
	cache_mark(&second, &about, bytes, sizeof(bytes));
	ok(!cache_mark_is_same(&first, &second), "and another last one");
	bytes[sizeof(bytes) - 1] = 0;
	memset(bytes + sizeof(bytes) / 2, 1, 64 << 10);
	cache_mark(&second, &about, bytes, sizeof(bytes));
	ok(!cache_mark_is_same(&first, &second), "and other bytes in the middle");
	memset(bytes + sizeof(bytes) / 2, 0, 64 << 10);
	other.st_ctim.tv_nsec = 1;
	cache_mark(&second, &other, bytes, sizeof(bytes));
	ok(!cache_mark_is_same(&first, &second), "the time of the last change shows where the bytes do not");
	cache_mark(&second, &about, bytes, 3);
	ok(!cache_mark_is_same(&first, &second), "a short file has a mark, too");
	cache_name(names[0], &first, 1, ".rsx");
	cache_name(names[1], &first, 2, ".rsx");
	first.inode++;
	cache_name(names[2], &first, 1, ".rsx");
	ok(strcmp(names[0], names[1]) != 0 && strcmp(names[0], names[2]) != 0 && strstr(names[0], ".rsx"),
		"other options and other files have other names");
}

int main(void)
{
	test_keeping();
	test_killed_writer();
	test_bound();
	test_places();
	test_size();
	test_marks();
	return tap_done();
}
