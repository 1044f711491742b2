/* SPDX-License-Identifier: MIT */
/* The size of a terminal. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

/* Columns of the terminal behind a descriptor; 0 if there is none, or its width is not known. */
unsigned terminal_columns(int fd);

/* Likewise its lines. */
unsigned terminal_lines(int fd);

#endif
