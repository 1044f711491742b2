/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/elsewhere.h"
#include "record/rendezvous/proc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FOLDER	      "/dev/shm"
#define MOMENT_DIGITS 20 /* all of one length: the earliest name sorts first */
#define LIST_BYTES    4096

void elsewhere_path(uint32_t uid, uint64_t moment, char ret_path[ELSEWHERE_PATH_BYTES])
{
	char *at = proc_number(stpcpy(ret_path, ELSEWHERE_PREFIX), uid);

	if (moment) {
		*at++ = '-';
		for (unsigned int i = MOMENT_DIGITS; i > 0; i--, moment /= 10)
			at[i - 1] = (char)('0' + moment % 10);
		at += MOMENT_DIGITS;
	}
	*at = '\0';
}

static bool is_moment(const char *text)
{
	return text[0] == '-' && strspn(text + 1, "0123456789") == MOMENT_DIGITS &&
	       text[1 + MOMENT_DIGITS] == '\0';
}

bool elsewhere_is_path(const char *path, uint32_t uid)
{
	char plain[ELSEWHERE_PATH_BYTES];
	size_t n;

	elsewhere_path(uid, 0, plain);
	n = strlen(plain);
	return strncmp(path, plain, n) == 0 && (path[n] == '\0' || is_moment(path + n));
}

bool elsewhere_is_taken(uint32_t uid)
{
	char plain[ELSEWHERE_PATH_BYTES];
	struct stat st;

	elsewhere_path(uid, 0, plain);
	return lstat(plain, &st) == 0 && st.st_uid != uid;
}

static void consider(const char *name, uint32_t uid, char path[ELSEWHERE_PATH_BYTES])
{
	char found[ELSEWHERE_PATH_BYTES] = FOLDER "/";
	struct stat st;

	if (strlen(name) >= sizeof found - sizeof FOLDER)
		return;
	strcat(found, name);
	if (elsewhere_is_path(found, uid) && strcmp(found, path) < 0 && lstat(found, &st) == 0 &&
		S_ISDIR(st.st_mode) && st.st_uid == uid)
		strcpy(path, found);
}

bool elsewhere_find(uint32_t uid, char ret_path[ELSEWHERE_PATH_BYTES])
{
	_Alignas(struct dirent64) char bytes[LIST_BYTES];
	long fd = syscall(SYS_openat, (long)AT_FDCWD, FOLDER, (long)(O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0L);
	int kept = errno;
	unsigned int n_names = 0;
	long n = 0;

	strcpy(ret_path, "~"); /* sorts behind all paths */
	while (fd >= 0 && n_names < ELSEWHERE_NAMES_MAX &&
		(n = syscall(SYS_getdents64, fd, bytes, sizeof bytes)) > 0) {
		for (long at = 0; at < n; n_names++) {
			const struct dirent64 *entry = (const void *)(bytes + at);

			consider(entry->d_name, uid, ret_path);
			at += entry->d_reclen;
		}
	}
	proc_close((int)fd);
	errno = kept;
	return ret_path[0] == '/';
}
