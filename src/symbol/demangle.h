/* SPDX-License-Identifier: MIT */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stddef.h>

/*
 * Writes the name of a C++ or Rust symbol as the source has it, "ns::worker::run(int)" for
 * "_ZN2ns6worker3runEi". Copies any other name. The text is cut to n_room bytes with its NUL. Returns its
 * bytes without the NUL.
 */
size_t symbol_demangle(const char *symbol, char *name, size_t n_room);

#endif
