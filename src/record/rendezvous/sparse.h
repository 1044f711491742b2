/* SPDX-License-Identifier: MIT */
/*
 * Memory that is only promised: the file is longer than what it has, and gets a page when one is touched. Where the file
 * system is full then, a load or a store is a SIGBUS in the program. A system call that touches the same page only fails.
 */
#ifndef RENDEZVOUS_SPARSE_H
#define RENDEZVOUS_SPARSE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Gets all pages of a range, which stay as they are; false: there is no room for one of them. Async-signal-safe, keeps errno.
 * A system call for each page.
 */
bool sparse_get(const void *memory, size_t bytes);

#endif
