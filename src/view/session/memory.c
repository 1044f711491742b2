/* SPDX-License-Identifier: MIT */
/*
 * Memory that files back need not stay resident: the system reads a page again when the process touches it.
 * Without this module, a process that reads a large file keeps all of it in memory until others need the
 * memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "view/session/session.h"

enum { FILES_KEPT = 96 << 20, LINE_MAX_BYTES = 4096 };

/* Returns how many bytes of files are in memory. */
static uint64_t file_bytes_in_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	uint64_t n_pages = 0;

	if (file && fscanf(file, "%*u %*u %" SCNu64, &n_pages) != 1)
		n_pages = 0;
	if (file)
		fclose(file);
	return n_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The mappings of a recording, which are only read: nothing in them is lost. */
static void mappings_release(const struct stat *of)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[LINE_MAX_BYTES];

	while (maps && fgets(line, sizeof(line), maps)) {
		uintptr_t from, to;
		unsigned major, minor;
		uint64_t inode;

		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " r--p %*x %x:%x %" SCNu64, &from, &to, &major,
			    &minor, &inode) == 5 &&
			inode == of->st_ino && makedev(major, minor) == of->st_dev)
			madvise((void *)from, to - from, MADV_DONTNEED);
	}
	if (maps)
		fclose(maps);
}

void session_release(struct session *session)
{
	struct stat st;

	if (file_bytes_in_memory() < FILES_KEPT)
		return;
	session_lock(session);
	pages_release(&session->tracks.store.fine);
	session_unlock(session);
	for (int i = 0; i < session->job.n_paths; i++)
		if (stat(session->job.paths[i], &st) == 0 && S_ISREG(st.st_mode))
			mappings_release(&st);
}
