/* SPDX-License-Identifier: MIT */
/* Shows the link of the server to the user's browser. For one thread; it borrows nothing. */
#ifndef VIEW_SERVER_BROWSER_H
#define VIEW_SERVER_BROWSER_H

#include <fcntl.h>
#include <stdbool.h>

enum { BROWSER_PATH_MAX = 4096 };

struct browser {
	char path[BROWSER_PATH_MAX]; /* of the file that leads to the link; empty if there is no file */
};

/*
 * Starts $BROWSER, else xdg-open, with a file of mode 0600 that leads to the link. Returns false if no folder
 * of the user takes such a file; no browser is started then. It cannot find out whether the browser comes up.
 */
bool browser_open(struct browser *browser, const char *link);

/* Removes the file; the link leads nowhere any more. */
void browser_close(struct browser *browser);

#endif
