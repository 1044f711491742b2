/* SPDX-License-Identifier: MIT */
#ifndef EMBED_CHECK_PRINT_H
#define EMBED_CHECK_PRINT_H

#include <stdint.h>

/* "name NUMBER\n", with what is in `kind` before the number. */
void print_line(const char *name, const char *kind, uint32_t number);

#endif
