/* SPDX-License-Identifier: MIT */
/* Writes moments as text, in UTC, without the C library's locks. */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include <stdint.h>

enum { CALENDAR_MAX = 48 }; /* bytes that the functions below can write */

/* "Sun Sep  9 01:46:40 2001" for 1000000000 seconds since 1970. Years have as many digits as they need. */
char *calendar_put(char *p, int64_t seconds);
/* The same moment after ISO 8601, without a zone: "2001-09-09T01:46:40". Years have four digits or more. */
char *calendar_put_iso(char *p, int64_t seconds);
/* With nine decimals (of the rest beyond whole seconds) and its zone: "2001-09-09T01:46:40.000000005Z". */
char *calendar_put_utc(char *p, int64_t seconds, uint32_t nanoseconds);
char *calendar_put_utc_ns(char *p, int64_t nanoseconds);

#endif
