/* SPDX-License-Identifier: MIT */
/*
 * The recorder as a part of a program. load.c begins it when the program or the library that it is linked
 * into is loaded, and ends it with the program. libposixtrace, static and shared, and rastrum-bench have
 * load.c. The program `rastrum` is linked without it: it begins the recorder only if it records other
 * programs, so reading a trace does not pay for the recorder.
 */
#ifndef POSIX_RECORDER_H
#define POSIX_RECORDER_H

/*
 * The process becomes one that can be traced; what dead processes left is removed. Once is enough, more is
 * harmless.
 */
void recorder_begin(void);

/*
 * Likewise, but no controller finds the process, and what dead processes left stays. Instead of
 * recorder_begin().
 */
void recorder_begin_private(void);

/* The program ends: targets of its streams without log detach, and no file of it is left. */
void recorder_end(void);

#endif
