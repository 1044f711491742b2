/* SPDX-License-Identifier: MIT */
/* The symbols of an ELF file by address. Files are named by logs or by users, and nothing in them is trusted. */
#ifndef SYMBOL_ELF_H
#define SYMBOL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct symbol_elf;

/* What a file says of the machine that it is for. */
struct symbol_elf_facts {
	unsigned n_bits; /* of an address: 32 or 64 */
	bool is_big_endian;
	bool is_relative; /* addresses count from where the program is loaded */
	bool has_lines;	  /* there is debug information */
	bool is_list;	  /* it is text with one symbol a line, and nothing else is known of the machine */
	size_t n_symbols; /* 0 if the file is stripped */
};

/* A symbol that an address belongs to. Texts live as long as the file's table. */
struct symbol_hit {
	const char *name;
	const char *file; /* that it is of, where several files have a symbol of this name; else NULL */
	uint64_t address; /* without the bit of the instruction set */
	uint64_t offset;  /* of the address in it; 0 unless it is a function */
	bool is_code;
};

/*
 * Reads the symbols of a regular file that has this build id: those of .symtab, without any those of .dynsym.
 * Returns NULL if there is no such file, it is another build, it cannot be read, or memory ran out.
 */
struct symbol_elf *symbol_elf_load(const char *path, const uint8_t *build_id, size_t n_build_id);

/*
 * The same of a program that the user names, whatever its build, or of a list of symbols as text (list.c has
 * its forms). A stripped program has no symbols, which is no error. RST_E_IO; RST_E_USAGE if it is no ELF
 * file, or one that is not linked; RST_E_DAMAGED; RST_E_NOMEM.
 */
enum rst_status symbol_elf_open(struct symbol_elf **ret_elf, const char *path, struct rst_error *err);

/* NULL is fine. */
void symbol_elf_free(struct symbol_elf *elf);

const struct symbol_elf_facts *symbol_elf_facts(const struct symbol_elf *elf);

/* Whether the file has this build id; one of no bytes: whether it has any. */
bool symbol_elf_is(const struct symbol_elf *elf, const uint8_t *build_id, size_t n_build_id);

/*
 * What lies at an address: a function that it is in, data that begin there, or a label. On ARM, bit 0 of a
 * function's address is the instruction set. false: nothing that has a name.
 */
bool symbol_elf_at(const struct symbol_elf *elf, uint64_t address, struct symbol_hit *ret_hit);

/* The function that a byte of the file lies in; false: in none. */
bool symbol_elf_find(const struct symbol_elf *elf, uint64_t file_offset, struct symbol_hit *ret_hit);

/*
 * The line of the source that an address is from, "main.c:42", cut to n_room bytes with its NUL; only of
 * files that the user named: a log may name any. Returns RST_END if it is not known. Returns
 * RST_E_UNSUPPORTED if libdw is not installed.
 */
enum rst_status symbol_elf_line(struct symbol_elf *elf, uint64_t address, char *text, size_t n_room);

#endif
