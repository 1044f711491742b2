/* SPDX-License-Identifier: MIT */
#include "tracks/pages.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"

enum { ALIGNMENT = 16 };

/* Opens a file in the user's cache, else in /var/tmp, because /tmp is often in memory. */
static int file_open(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[4096];
	int fd = -1;

	if (cache && *cache == '/')
		fd = open(cache, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && home && *home == '/' &&
		snprintf(path, sizeof(path), "%s/.cache", home) < (int)sizeof(path))
		fd = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd >= 0 ? fd : open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/*
 * Allocates the disk space before the window is used: a full disk is an error here, but would be a signal
 * later. Without disk space, the window is anonymous memory.
 */
static char *window_map(struct pages *pages)
{
	const off_t at = (off_t)pages->n_windows * PAGES_WINDOW;
	char *window = MAP_FAILED;

	if (!pages->is_begun)
		pages->fd = file_open();
	pages->is_begun = true;
	if (pages->fd >= 0 && posix_fallocate(pages->fd, at, PAGES_WINDOW) == 0)
		window = mmap(NULL, PAGES_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, pages->fd, at);
	if (window == MAP_FAILED) {
		pages->is_in_memory = true;
		window = mmap(NULL, PAGES_WINDOW, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	return window == MAP_FAILED ? NULL : window;
}

void pages_release(const struct pages *pages)
{
	for (size_t i = 0; pages->fd >= 0 && !pages->is_in_memory && i < pages->n_windows; i++)
		madvise(pages->windows[i], PAGES_WINDOW, MADV_DONTNEED);
}

void *pages_alloc(struct pages *pages, size_t n_bytes)
{
	const size_t n_aligned = (n_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

	if (n_aligned > PAGES_WINDOW)
		return NULL;
	if (n_aligned > pages->n_left) {
		char **windows = array_room(pages->windows, pages->n_windows, &pages->room, sizeof(*windows));
		char *window;

		if (!windows)
			return NULL;
		pages->windows = windows;
		window = window_map(pages);
		if (!window)
			return NULL;
		pages->windows[pages->n_windows++] = window;
		pages->n_left = PAGES_WINDOW;
	}
	char *piece = pages->windows[pages->n_windows - 1] + (PAGES_WINDOW - pages->n_left);

	pages->n_left -= n_aligned;
	return piece;
}

void pages_clear(struct pages *pages)
{
	const size_t n_used = pages->n_windows == 1 ? PAGES_WINDOW - pages->n_left : PAGES_WINDOW;

	if (!pages->n_windows)
		return;
	for (; pages->n_windows > 1; pages->n_windows--)
		munmap(pages->windows[pages->n_windows - 1], PAGES_WINDOW);
	/*
	 * Pieces begin as zeros: ftruncate() clears the bytes of later windows, memset() those of the first
	 * one.
	 */
	if (pages->fd >= 0 && ftruncate(pages->fd, PAGES_WINDOW) != 0) {
		pages_done(pages);
		return;
	}
	memset(pages->windows[0], 0, n_used);
	pages->n_left = PAGES_WINDOW;
}

void pages_done(struct pages *pages)
{
	for (size_t i = 0; i < pages->n_windows; i++)
		munmap(pages->windows[i], PAGES_WINDOW);
	free(pages->windows);
	if (pages->is_begun && pages->fd >= 0)
		close(pages->fd);
	*pages = (struct pages){ 0 };
}
