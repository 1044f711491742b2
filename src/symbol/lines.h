/* SPDX-License-Identifier: MIT */
/* Finds the source file and line of an address of a program, if the program has debug information (DWARF). */
#ifndef SYMBOL_LINES_H
#define SYMBOL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_lines;

/*
 * Returns NULL if the file cannot be opened, it has no debug information, or memory ran out.
 * *ret_has_library: whether libdw is installed.
 */
struct symbol_lines *symbol_lines_open(const char *path, bool *ret_has_library);

/* lines may be NULL. */
void symbol_lines_free(struct symbol_lines *lines);

/* "main.c:42" in text, cut to n_room bytes with its NUL. Returns false if it is not known. */
bool symbol_lines_at(struct symbol_lines *lines, uint64_t address, char *text, size_t n_room);

#endif
