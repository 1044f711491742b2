/* SPDX-License-Identifier: MIT */
/*
 * Sparse memory: the file is longer than what is allocated, and a page is allocated when it is touched. If
 * the file system is full then, a load or a store raises SIGBUS in the program. A system call that touches
 * the same page only fails.
 */
#ifndef RENDEZVOUS_SPARSE_H
#define RENDEZVOUS_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Allocates all pages of a range, without changing them; false if there is no room for one of them.
 * Async-signal-safe, keeps errno. One system call for each page.
 */
bool sparse_get(const void *memory, size_t bytes);

#endif
