/* SPDX-License-Identifier: MIT */
/* The size of a terminal. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

/*
 * Returns the columns of the terminal behind a descriptor, or 0 if it is not a terminal or its width is not
 * known.
 */
unsigned terminal_columns(int fd);

/* Returns the lines of the terminal, with the same rules. */
unsigned terminal_lines(int fd);

#endif
