/* SPDX-License-Identifier: MIT */
/*
 * Names of addresses, from the program files that a user gives for one trace. Each address is looked up only
 * once, and then keeps its name.
 *
 * Only one thread at a time may use it.
 */
#ifndef SYMBOL_NAMES_H
#define SYMBOL_NAMES_H

#include <rastrum/object.h>

#include "base/error.h"
#include "base/limit.h"
#include "symbol/elf.h"

enum {
	SYMBOL_ADDRESSES_MAX = LIMIT(131072, 48), /* addresses that are looked up; others have no names */
	SYMBOL_PROGRAMS_MAX = 64,
};

struct symbol_names;

/*
 * Opens all of the files. If several of them have a symbol at an address, the first file names it. Returns
 * RST_E_IO; RST_E_USAGE if a file is no program, or there are too many files; RST_E_DAMAGED; RST_E_NOMEM.
 */
enum rst_status symbol_names_open(
	struct symbol_names **ret_names, size_t n_paths, const char *const *paths, struct rst_error *err);

/* names may be NULL. */
void symbol_names_free(struct symbol_names *names);

/*
 * Finds the name of an address, as an object of this kind (RST_OBJECT_UNKNOWN: a function or memory, as in
 * the file). Returns NULL if the address has no name. The begin of a function is "name", and an address
 * inside it is "name+0x12". Data have a name only at their begin. An object of another kind has no name if
 * the address is inside a function. The result lives as long as names.
 */
const struct rst_object *symbol_names_find(
	struct symbol_names *names, uint64_t address, enum rst_object_kind kind);

/* The n-th object that was found, or NULL. */
const struct rst_object *symbol_names_object(const struct symbol_names *names, size_t n);

size_t symbol_names_n_programs(const struct symbol_names *names);

/* The n-th file and its path. Returns NULL if there are no more files. */
const struct symbol_elf *symbol_names_program(
	const struct symbol_names *names, size_t n, const char **ret_path);

/* Finds the program with this build id and marks it as used. Returns NULL if no program has it. */
struct symbol_elf *symbol_names_of_build(
	struct symbol_names *names, const uint8_t *build_id, size_t n_build_id);
bool symbol_names_is_used(const struct symbol_names *names, size_t n);

/*
 * Writes the name that a list of symbols has for an address outside all modules, with its NUL, and marks the
 * list as used. Returns false if no list has the address. This is for traces that identify programs by build
 * ids: addresses of lists are then addresses of the process.
 */
bool symbol_names_listed(struct symbol_names *names, uint64_t address, char *text, size_t n_room);

/*
 * The source line of an address, "main.c:42", as a detail of its object. Returns NULL if it is not known. The
 * result lives as long as names.
 */
const struct rst_detail *symbol_names_source(
	struct symbol_names *names, struct symbol_elf *elf, uint64_t address);

/* Counts an address that was looked up elsewhere, in the modules of a process. */
void symbol_names_count(struct symbol_names *names, bool is_named);

struct symbol_counts {
	uint64_t n_addresses, n_named; /* that were looked up; of these, the ones with a name */
	bool is_full;		       /* there were more than SYMBOL_ADDRESSES_MAX addresses */
	bool lacks_memory;	       /* some addresses have no name because memory ran out */
	bool lacks_library;	       /* lines are not shown because libdw is not installed */
};

const struct symbol_counts *symbol_names_counts(const struct symbol_names *names);

#endif
