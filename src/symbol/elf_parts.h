/* SPDX-License-Identifier: MIT */
/*
 * The declarations that the readers of ELF files share. libelf reads a file and checks the claims of its
 * headers; struct symbol_elf keeps the parts that are needed later.
 */
#ifndef SYMBOL_ELF_PARTS_H
#define SYMBOL_ELF_PARTS_H

#include <gelf.h>
#include <libelf.h>

#include "symbol/elf.h"

enum { BUILD_ID_MAX = 64, SEGMENTS_MAX = 64 };

/*
 * In the order in which an address is searched: in a function, at the begin of data, at a label of assembly
 * code.
 */
enum symbol_class { SYMBOL_CODE, SYMBOL_DATA, SYMBOL_LABEL, N_SYMBOL_CLASSES };

struct symbol {
	uint64_t address, size;
	uint32_t name; /* offset in names */
	uint32_t file; /* its source file, as an offset in names, if several files have this name; else 0 */
	uint8_t class;
	uint8_t rank; /* if several symbols have one address, the lowest rank is taken */
};

struct segment {
	uint64_t file_offset, n_bytes, address;
};

struct symbol_elf {
	struct symbol_elf_facts facts;
	uint8_t build_id[BUILD_ID_MAX];
	size_t n_build_id;
	bool has_thumb;			    /* bit 0 of a function's address is the instruction set */
	struct symbol *symbols;		    /* by class, then by address */
	size_t first[N_SYMBOL_CLASSES + 1]; /* symbols of class c are from first[c] to first[c + 1] */
	char *names;
	size_t n_names;
	char *path;		    /* owned; NULL unless the user named the program */
	struct symbol_lines *lines; /* NULL until they are opened, and if the file has no lines */
	bool has_tried_lines;
	unsigned n_segments;
	struct segment segments[SEGMENTS_MAX];
};

/* build_id.c: the build id of a file. Returns NULL if the file has no build id. */
const uint8_t *symbol_build_id(Elf *elf, size_t *ret_n_bytes);

/*
 * elf_table.c: fills symbols and names from .symtab, or from .dynsym if .symtab is missing or empty. Returns
 * RST_END if neither has symbols. RST_E_DAMAGED, RST_E_NOMEM.
 */
enum rst_status symbol_elf_take(struct symbol_elf *table, Elf *elf, struct rst_error *err);

/*
 * elf_table.c: sorts n_symbols symbols by class and address. A function without a size ends where the next
 * one begins.
 */
void symbol_elf_sort(struct symbol_elf *table, size_t n_symbols);

/*
 * list.c: fills symbols and names from a list of symbols as text. Returns RST_E_USAGE if the file is no list,
 * or its addresses are hidden. Returns RST_E_NOMEM if memory ran out, or the file has more than 64 MiB.
 */
enum rst_status symbol_list_take(struct symbol_elf *table, int fd, struct rst_error *err);

#endif
