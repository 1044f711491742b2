/* SPDX-License-Identifier: MIT */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include <stddef.h>

/*
 * Writes the name of a symbol as the source has it, "ns::worker::run(int)" for "_ZN2ns6worker3runEi", in C++ and Rust; another
 * name as it is. Cut to n_room bytes with its NUL. Returns its bytes without the NUL.
 */
size_t symbol_demangle(const char *symbol, char *name, size_t n_room);

#endif
