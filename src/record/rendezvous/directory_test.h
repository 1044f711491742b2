/* SPDX-License-Identifier: MIT */
/* Shared by tests of rendezvous directories: the directory of a uid that no user has, and a folder of the
 * test's own. */
#ifndef RENDEZVOUS_DIRECTORY_TEST_H
#define RENDEZVOUS_DIRECTORY_TEST_H

#include "record/rendezvous/child_test.h"
#include "record/rendezvous/directory.h"
#include <dirent.h>
#include <sys/stat.h>

static struct {
	uint32_t uid; /* no user's */
	char path[64];
	char folder[64]; /* of the test's own */
	int directory;
} test;

static inline void test_begin(void)
{
	test.uid = 2000000000u + (uint32_t)getpid();
	snprintf(test.path, sizeof test.path, "/dev/shm/posix-trace-%u", test.uid);
	strcpy(test.folder, "/dev/shm/directory_test.XXXXXX");
	if (!mkdtemp(test.folder) || (test.directory = open(test.folder, O_PATH | O_DIRECTORY)) < 0)
		exit(1);
}

/* A directory of the test's, with whatever is in it. */
static inline void remove_all(const char *path)
{
	char inside[512];
	DIR *folder = opendir(path);

	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
		snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
		if (unlink(inside) < 0)
			rmdir(inside);
	}
	if (folder)
		closedir(folder);
	if (rmdir(path) < 0)
		unlink(path);
}

/* The test's folder, empty, and root's or the user's again. */
static inline void folder_renew(void)
{
	remove_all(test.folder);
	if (mkdir(test.folder, 0700) < 0)
		exit(1);
	close(test.directory);
	test.directory = open(test.folder, O_PATH | O_DIRECTORY);
}

#endif
