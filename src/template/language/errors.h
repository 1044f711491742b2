/* SPDX-License-Identifier: MIT */
/* The names of error numbers (errno), which depend on the system that recorded them (D24). */
#ifndef TEMPLATE_LANGUAGE_ERRORS_H
#define TEMPLATE_LANGUAGE_ERRORS_H

#include <stddef.h>
#include <stdint.h>

enum error_numbers { ERRORS_OF_LINUX, ERRORS_OF_AIX };

/* Returns NULL if the number has no name. */
const char *error_number_name(enum error_numbers whose, uint64_t number);

/* Returns the number of a name, or 0 if it is unknown. Second names of a number are known, too. */
int error_name_number(enum error_numbers whose, const char *name, size_t n_bytes);

#endif
