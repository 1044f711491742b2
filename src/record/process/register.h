/* SPDX-License-Identifier: MIT */
/* The entry of this process in the directory of its user, at the beginning and the end of a program. */
#ifndef PROCESS_REGISTER_H
#define PROCESS_REGISTER_H

/*
 * Before process_start(), in a program that records others but is not a target itself: no controller finds
 * it.
 */
void register_keep_private(void);

/* Removes what dead processes have left in the directory, when it is time to. Async-signal-safe. */
void register_sweep(void);

/*
 * The end of the program: names and modules that its streams still lack are written, and its entry is
 * removed.
 */
void register_end(void);

#endif
