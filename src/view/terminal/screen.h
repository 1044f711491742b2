/* SPDX-License-Identifier: MIT */
/* Includes ncurses, only for the files that need it, because it has many macros. */
#ifndef VIEW_TERMINAL_SCREEN_H
#define VIEW_TERMINAL_SCREEN_H

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "view/terminal/terminal.h"

#endif
