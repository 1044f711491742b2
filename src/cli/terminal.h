/* SPDX-License-Identifier: MIT */
/* What a terminal is asked for and given. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

/* Columns of the terminal behind a descriptor; 0: there is none, or it does not say. */
unsigned terminal_columns(int fd);

#endif
