/* SPDX-License-Identifier: MIT */
/*
 * Memory for what may be larger than memory: pieces lie in a file without a name, which the system writes out and reads in as
 * it needs to. Where no such file can be made, they are in memory. Pieces are zero, stay where they are, and are freed all at
 * once.
 */
#ifndef STORE_PAGES_H
#define STORE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { PAGES_WINDOW = 4 << 20 }; /* bytes that are mapped at a time */

struct pages {
	int fd;		   /* below 0: there is no file */
	bool is_begun;	   /* a file has been looked for */
	bool is_in_memory; /* some windows have no place in it */
	char **windows;	   /* of PAGES_WINDOW bytes each */
	size_t n_windows, room;
	size_t n_left; /* bytes of the last one */
};

/*
 * A piece of at most PAGES_WINDOW bytes, aligned for any type; NULL if neither the disk nor memory has room
 * for it.
 */
void *pages_alloc(struct pages *pages, size_t n_bytes);

/* Gives the memory of pieces that lie in the file back to the system, until they are touched again. */
void pages_release(const struct pages *pages);

/*
 * Frees all pieces and keeps the file and its first window, for an owner that fills pages again and again: making and giving back
 * a window costs the system milliseconds.
 */
void pages_clear(struct pages *pages);

void pages_done(struct pages *pages);

#endif
