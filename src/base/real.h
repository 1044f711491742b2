/* SPDX-License-Identifier: MIT */
/* Floating-point numbers for people and JSON: no more digits than the number needs to be distinct. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>

enum { REAL_MAX = 32 }; /* bytes that real_put can write */

/* "2.5", "-0.001", "1.5E+300"; INF, NAN. is_short: the number was recorded as a float. */
char *real_put(char *p, double number, bool is_short);

#endif
