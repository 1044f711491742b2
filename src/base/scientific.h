/* SPDX-License-Identifier: MIT */
/* Floating-point numbers as printf's %.nE writes them, correctly rounded, without printf. */
#ifndef BASE_SCIENTIFIC_H
#define BASE_SCIENTIFIC_H

enum { SCIENTIFIC_DECIMALS_MAX = 16, SCIENTIFIC_MAX = 28 }; /* bytes that scientific_put can write */

/* "-2.5000E+00" with four decimals; INF, NAN, with a minus where they have one. */
char *scientific_put(char *p, double number, unsigned n_decimals);

#endif
