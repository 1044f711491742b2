/* SPDX-License-Identifier: MIT */
/* ncurses, for those files only that need it: its macros are many. */
#ifndef VIEW_TERMINAL_SCREEN_H
#define VIEW_TERMINAL_SCREEN_H

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "view/terminal/terminal.h"

#endif
