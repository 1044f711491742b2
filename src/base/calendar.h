/* SPDX-License-Identifier: MIT */
/* Moments as ctime() writes them, in Greenwich time, without a new line and without the C library's locks. */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include <stdint.h>

enum { CALENDAR_MAX = 48 }; /* bytes that calendar_put can write */

/* "Sun Sep  9 01:46:40 2001" for 1000000000 seconds since 1970. Years have as many digits as they need. */
char *calendar_put(char *p, int64_t seconds);

#endif
