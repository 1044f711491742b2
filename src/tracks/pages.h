/* SPDX-License-Identifier: MIT */
/*
 * Memory for data that may be larger than RAM. Pieces lie in a mapped file without a name, which the system
 * writes out and reads in as needed. If no such file can be made, they lie in anonymous memory. Pieces begin
 * as zeros, never move, and are freed all at once.
 */
#ifndef TRACKS_PAGES_H
#define TRACKS_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { PAGES_WINDOW = 4 << 20 }; /* bytes that are mapped at a time */

struct pages {
	int fd;		   /* below 0: there is no file */
	bool is_begun;	   /* the file was opened, or that failed */
	bool is_in_memory; /* some windows are not in the file */
	char **windows;	   /* of PAGES_WINDOW bytes each */
	size_t n_windows, room;
	size_t n_left; /* free bytes of the last window */
};

/*
 * Allocates at most PAGES_WINDOW bytes, aligned for any type. Returns NULL if both disk and memory are full.
 */
void *pages_alloc(struct pages *pages, size_t n_bytes);

/* Returns the memory of pieces in the file to the system, until they are touched again. */
void pages_release(const struct pages *pages);

/*
 * Frees all pieces but keeps the file and its first window, for an owner that fills pages again and again: to
 * map and unmap a window takes milliseconds.
 */
void pages_clear(struct pages *pages);

void pages_done(struct pages *pages);

#endif
