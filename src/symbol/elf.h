/* SPDX-License-Identifier: MIT */
/* Finds symbols of an ELF file by address. A log or the user names the file, and nothing in it is trusted. */
#ifndef SYMBOL_ELF_H
#define SYMBOL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct symbol_elf;

/* The properties of a file and of its target machine. */
struct symbol_elf_facts {
	unsigned n_bits; /* of an address: 32 or 64 */
	bool is_big_endian;
	bool is_relative; /* addresses count from the load address of the program */
	bool has_lines;	  /* the file has debug information */
	bool is_list;	  /* a text with one symbol per line; the machine is unknown except for n_bits */
	size_t n_symbols; /* 0 if the file is stripped */
};

/* The symbol to which an address belongs. Texts live as long as the table of the file. */
struct symbol_hit {
	const char *name;
	const char *file; /* its source file, if several files have a symbol of this name; else NULL */
	uint64_t address; /* without the bit of the instruction set */
	uint64_t offset;  /* of the address in the symbol */
	bool is_code;
};

/*
 * Reads the symbols of a regular file that has this build id, from .symtab or, if that is missing, from
 * .dynsym. Returns NULL if there is no such file, it is another build, it cannot be read, it has no symbols,
 * or memory ran out.
 */
struct symbol_elf *symbol_elf_load(const char *path, const uint8_t *build_id, size_t n_build_id);

/*
 * The same for a program that the user names, whatever its build, or for a list of symbols as text (list.c
 * describes its forms). A stripped program has no symbols, which is no error. Returns RST_E_IO; RST_E_USAGE
 * if it is neither an ELF file nor a list, or if it is not linked; RST_E_DAMAGED; RST_E_NOMEM.
 */
enum rst_status symbol_elf_open(struct symbol_elf **ret_elf, const char *path, struct rst_error *err);

/* elf may be NULL. */
void symbol_elf_free(struct symbol_elf *elf);

const struct symbol_elf_facts *symbol_elf_facts(const struct symbol_elf *elf);

/* Whether the file has this build id. If n_build_id is 0: whether it has any build id. */
bool symbol_elf_is(const struct symbol_elf *elf, const uint8_t *build_id, size_t n_build_id);

/*
 * Finds the symbol at an address: a function that contains it, data that begin there, or a label. On ARM, bit
 * 0 of a function's address is the instruction set. Returns false if nothing there has a name.
 */
bool symbol_elf_at(const struct symbol_elf *elf, uint64_t address, struct symbol_hit *ret_hit);

/*
 * Finds the function or the data that contain a byte of the file. Data that the file does not contain,
 * because they are zero at first, count as if they stood behind those of their segment. Returns false if
 * nothing there has a name.
 */
bool symbol_elf_find(const struct symbol_elf *elf, uint64_t file_offset, struct symbol_hit *ret_hit);

/*
 * Writes the source line of an address, "main.c:42", cut to n_room bytes with its NUL. This works only for
 * files that the user named, because a log may name any file. Returns RST_END if the line is not known.
 * Returns RST_E_UNSUPPORTED if libdw is not installed.
 */
enum rst_status symbol_elf_line(struct symbol_elf *elf, uint64_t address, char *text, size_t n_room);

#endif
