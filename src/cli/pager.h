/* SPDX-License-Identifier: MIT */
/* Shows long output a screen at a time, as git does: with PAGER, or less, on a terminal only. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

struct pager {
	pid_t pid; /* 0: none */
};

/*
 * When fd is standard output and a terminal, it goes to a pager from here on, and so does standard error if
 * that is the terminal, too. Nothing happens when PAGER is empty or "cat", or no pager can be started.
 */
void pager_start(struct pager *pager, int fd);

/* Everything has been written: waits until the user has seen it. */
void pager_done(struct pager *pager);

#endif
