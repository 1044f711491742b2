/* SPDX-License-Identifier: MIT */
/* The functions of an ELF file, sorted by address. Files are named by logs, so nothing in them is trusted. */
#ifndef SYMBOL_ELF_H
#define SYMBOL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_elf;

/*
 * Reads the functions of a regular file that has this build id: those of .symtab, without any those of .dynsym.
 * NULL: there is no such file, it is another build, it cannot be read, or memory ran out.
 */
struct symbol_elf *symbol_elf_load(const char *path, const uint8_t *build_id, size_t n_build_id);

/* NULL is fine. */
void symbol_elf_free(struct symbol_elf *elf);

/* The build id that it was loaded by. */
bool symbol_elf_is(const struct symbol_elf *elf, const uint8_t *build_id, size_t n_build_id);

/* The function that a byte of the file lies in, and how far in it; NULL: in none. Lives as long as elf. */
const char *symbol_elf_find(const struct symbol_elf *elf, uint64_t file_offset, uint64_t *ret_offset);

#endif
