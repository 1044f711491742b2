/* SPDX-License-Identifier: MIT */
/*
 * Writes floating-point numbers as text. The digits come from the C library, which rounds correctly. The
 * point is always '.', whatever the locale of the program that uses the library.
 */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>

enum { REAL_MAX = 32, REAL_DECIMALS_MAX = 16 }; /* bytes that real_put and real_put_scientific can write */

/*
 * Writes a number for people and JSON, with only the digits that it needs to be distinct: "2.5", "-0.001",
 * "1.5E+300"; INF, NAN. is_short: the number was recorded as a float.
 */
char *real_put(char *p, double number, bool is_short);

/*
 * Writes as printf's %.nE in the C locale: "-2.5000E+00" with four decimals; INF, NAN, with a minus if they
 * have one.
 */
char *real_put_scientific(char *p, double number, unsigned n_decimals);

#endif
