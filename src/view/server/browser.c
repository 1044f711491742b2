/* SPDX-License-Identifier: MIT */
/*
 * Shows the link to the user's browser. Every user of the machine can read the command lines of all
 * processes, so no command line has the link with its token. The browser opens a file that leads to the link
 * and that only the user may read. Such files are in the folder for the session's own files, else in the
 * user's cache, else among temporary files.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view/server/browser.h"

/*
 * Makes a file that only the user may read; its path is that of ret_path. Returns -1 if the folder takes
 * none.
 */
static int file_below(const char *folder, const char *below, char ret_path[BROWSER_PATH_MAX])
{
	static const char ending[] = ".html";

	if (!folder || *folder != '/' ||
		snprintf(ret_path, BROWSER_PATH_MAX, "%s%s/rastrum-view-XXXXXX%s", folder, below, ending) >=
			BROWSER_PATH_MAX)
		return -1;
	return mkostemps(ret_path, sizeof(ending) - 1, O_CLOEXEC);
}

static int file_make(char ret_path[BROWSER_PATH_MAX])
{
	const char *const temporary = getenv("TMPDIR");
	int fd = file_below(getenv("XDG_RUNTIME_DIR"), "", ret_path);

	if (fd < 0)
		fd = file_below(getenv("XDG_CACHE_HOME"), "", ret_path);
	if (fd < 0)
		fd = file_below(getenv("HOME"), "/.cache", ret_path);
	return fd >= 0 ? fd : file_below(temporary ? temporary : "/tmp", "", ret_path);
}

/* The link is ours: digits, letters and the marks of an address. */
static bool file_write(int fd, const char *link)
{
	FILE *file = fdopen(fd, "w");
	bool is_good;

	if (!file) {
		close(fd);
		return false;
	}
	fprintf(file,
		"<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>rastrum view</title>\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n"
		"<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<a href=\"%s\">rastrum view</a>\n",
		link, link);
	is_good = !ferror(file);
	return fclose(file) == 0 && is_good;
}

/*
 * A process of its own, which the server does not wait for; without a desktop it fails, and the link is
 * printed anyway.
 */
static void opener_start(const char *path)
{
	const char *const opener = getenv("BROWSER") ? getenv("BROWSER") : "xdg-open";
	const pid_t child = fork();

	if (child != 0)
		return;
	setsid();
	if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout) ||
		!freopen("/dev/null", "w", stderr))
		_exit(EXIT_FAILURE);
	execlp(opener, opener, path, (char *)NULL);
	_exit(EXIT_FAILURE);
}

bool browser_open(struct browser *browser, const char *link)
{
	const int fd = file_make(browser->path);

	if (fd < 0 || !file_write(fd, link)) {
		if (fd >= 0)
			unlink(browser->path);
		*browser->path = '\0';
		return false;
	}
	opener_start(browser->path);
	return true;
}

void browser_close(struct browser *browser)
{
	if (*browser->path)
		unlink(browser->path);
	*browser->path = '\0';
}
