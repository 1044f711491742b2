/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

unsigned terminal_columns(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

unsigned terminal_lines(int fd)
{
	struct winsize size;

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}
