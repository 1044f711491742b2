/* SPDX-License-Identifier: MIT */
/* What the files that read ELF files share. libelf reads a file and checks what its headers claim; this is what is kept of it. */
#ifndef SYMBOL_ELF_PARTS_H
#define SYMBOL_ELF_PARTS_H

#include <gelf.h>
#include <libelf.h>

#include "symbol/elf.h"

enum { BUILD_ID_MAX = 64, SEGMENTS_MAX = 64 };

/* In the order in which an address is looked for: in a function, at the begin of data, at a label of assembly code. */
enum symbol_class { SYMBOL_CODE, SYMBOL_DATA, SYMBOL_LABEL, N_SYMBOL_CLASSES };

struct symbol {
	uint64_t address, size;
	uint32_t name; /* where in names */
	uint32_t file; /* of a name that several files have, its own: where in names; 0: none */
	uint8_t class;
	uint8_t rank; /* of several symbols at one address the lowest is taken */
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
	char *path;		    /* owned; of a program that the user named, else NULL */
	struct symbol_lines *lines; /* NULL if it is not opened yet, or there are none */
	bool has_tried_lines;
	unsigned n_segments;
	struct segment segments[SEGMENTS_MAX];
};

/* build_id.c: the build id of a file, which is NULL where it has none. */
const uint8_t *symbol_build_id(Elf *elf, size_t *ret_n_bytes);

/*
 * elf_table.c: fills symbols and names from .symtab, without one from .dynsym. Returns RST_END if the file
 * has neither, or only empty ones. RST_E_DAMAGED, RST_E_NOMEM.
 */
enum rst_status symbol_elf_take(struct symbol_elf *table, Elf *elf, struct rst_error *err);

/* elf_table.c: sorts so many symbols by class and address, and ends functions without a size where the next one begins. */
void symbol_elf_sort(struct symbol_elf *table, size_t n_symbols);

/*
 * list.c: fills symbols and names from a list of symbols as text. Returns RST_E_USAGE if it is none, or its
 * addresses are hidden. RST_E_NOMEM, for a file of more than 64 MiB, too.
 */
enum rst_status symbol_list_take(struct symbol_elf *table, int fd, struct rst_error *err);

#endif
