/* SPDX-License-Identifier: MIT */
/* The user's browser, which is shown the link of the server. One thread; nothing is borrowed. */
#ifndef VIEW_SERVER_BROWSER_H
#define VIEW_SERVER_BROWSER_H

#include <fcntl.h>
#include <stdbool.h>

enum { BROWSER_PATH_MAX = 4096 };

struct browser {
	char path[BROWSER_PATH_MAX]; /* of the file that leads to the link; empty if there is no file */
};

/*
 * Starts $BROWSER, else xdg-open, with a file of mode 0600 that leads to the link. Returns false if no folder of the user takes
 * such a file; no browser is started then. Whether the browser comes up is not known.
 */
bool browser_open(struct browser *browser, const char *link);

/* Removes the file; the link leads nowhere any more. */
void browser_close(struct browser *browser);

#endif
