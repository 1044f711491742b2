/* SPDX-License-Identifier: MIT */
/*
 * Names of addresses, from the program files that a user gives for one trace. An address that was found once is found again
 * without looking, and keeps its name.
 *
 * One thread at a time.
 */
#ifndef SYMBOL_NAMES_H
#define SYMBOL_NAMES_H

#include <rastrum/object.h>

#include "base/error.h"
#include "base/limit.h"
#include "symbol/elf.h"

enum {
	SYMBOL_ADDRESSES_MAX = LIMIT(131072, 48), /* that are looked up; further ones have no names */
	SYMBOL_PROGRAMS_MAX = 64,
};

struct symbol_names;

/*
 * Opens all of the files; what several of them have, the first one names. RST_E_IO; RST_E_USAGE: one is no program, or there are
 * too many; RST_E_DAMAGED; RST_E_NOMEM.
 */
enum rst_status symbol_names_open(
	struct symbol_names **ret_names, size_t n_paths, const char *const *paths, struct rst_error *err);

/* NULL is fine. */
void symbol_names_free(struct symbol_names *names);

/*
 * What lies at an address, as an object of this kind (RST_OBJECT_UNKNOWN: a function or memory, as the file
 * has it); NULL if it has no name. A function is "name", and inside of it "name+0x12"; data have a name only
 * where they begin; an object that is no function is not inside of one. Lives as long as names.
 */
const struct rst_object *symbol_names_find(
	struct symbol_names *names, uint64_t address, enum rst_object_kind kind);

/* The n-th object that was found, or NULL. */
const struct rst_object *symbol_names_object(const struct symbol_names *names, size_t n);

size_t symbol_names_n_programs(const struct symbol_names *names);

/* Of the n-th file: its path, what its header says; NULL if there are no more files. */
const struct symbol_elf *symbol_names_program(
	const struct symbol_names *names, size_t n, const char **ret_path);

/* The program that has this build id, which is used then; NULL if none has. */
struct symbol_elf *symbol_names_of_build(
	struct symbol_names *names, const uint8_t *build_id, size_t n_build_id);
bool symbol_names_is_used(const struct symbol_names *names, size_t n);

/*
 * What a list of symbols has at an address that is in no module, as text with its NUL; the list is used then.
 * Returns false if none has it. Of a trace that knows programs by their build ids: addresses of lists are
 * those of the process.
 */
bool symbol_names_listed(struct symbol_names *names, uint64_t address, char *text, size_t n_room);

/* "main.c:42", as a detail of the object there, which lives as long as names; NULL if it is not known. */
const struct rst_detail *symbol_names_source(
	struct symbol_names *names, struct symbol_elf *elf, uint64_t address);

/* Counts an address that was looked up elsewhere: by the modules of a process. */
void symbol_names_count(struct symbol_names *names, bool is_named);

struct symbol_counts {
	uint64_t n_addresses, n_named; /* that were looked up; of these, the ones with a name */
	bool is_full;		       /* there were more than are looked up */
	bool lacks_memory;	       /* memory ran out: addresses have no names for that reason */
	bool lacks_library;	       /* lines are not shown, since libdw is not installed */
};

const struct symbol_counts *symbol_names_counts(const struct symbol_names *names);

#endif
