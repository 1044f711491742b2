/* SPDX-License-Identifier: MIT */
/*
 * Finds the function of an address from the files that are mapped into the memory of each process. Modules
 * come from a recording. The file of a module is read when the first address in it is looked up.
 *
 * Only one thread at a time may use it.
 */
#ifndef SYMBOL_MEMORY_H
#define SYMBOL_MEMORY_H

#include "base/limit.h"
#include "base/map.h"
#include "symbol/names.h"

enum {
	SYMBOL_MODULES_MAX = LIMIT(16384, 16),
	SYMBOL_FILES_MAX = LIMIT(256, 4),	  /* files whose symbols are read */
	SYMBOL_PARENTS_MAX = LIMIT(65536, 32),	  /* processes whose parent is known */
	SYMBOL_STEPS_MAX = LIMIT(1 << 28, 65536), /* modules visited; later addresses have no names */
	SYMBOL_PATH_MAX = 4096,
	SYMBOL_BUILD_ID_MAX = 28,
};

/* A range of a process's memory that holds a part of a file. */
struct symbol_module {
	uint64_t since; /* the begin of the mapping, in the caller's count, which rises */
	uint64_t address, size, file_offset;
	uint32_t pid;
	const char *path;   /* borrowed, for as long as the memory */
	uint8_t n_build_id; /* 0 if the file cannot be identified; then it is not read */
	uint8_t build_id[SYMBOL_BUILD_ID_MAX];

	/* Only memory.c uses these. */
	uint32_t before; /* index + 1 of the previous module of this process; 0 if this is the first one */
	struct symbol_elf *elf; /* NULL until it is looked for, and if it is not found */
	bool is_given;		/* it is one of the programs that the user named */
	bool was_looked_for;
};

/* A memory of all zeros is empty. */
struct symbol_memory {
	const char *root; /* the folder that is searched first, or NULL; borrowed */
	/* Programs of the user, which are tried before any file is searched, or NULL; borrowed. */
	struct symbol_names *given;
	struct symbol_module *modules; /* owned */
	size_t n_modules, modules_room;
	struct map newest;  /* pid to the index + 1 of its newest module */
	struct map parents; /* pid to the pid of the process that forked it */
	uint64_t n_steps;
	struct symbol_elf *files[SYMBOL_FILES_MAX];
	size_t n_files;
};

void symbol_memory_done(struct symbol_memory *memory);

/*
 * Copies the module. If there are SYMBOL_MODULES_MAX modules already, adds nothing; see
 * symbol_memory_is_full(). Returns false if memory ran out.
 */
bool symbol_memory_add(struct symbol_memory *memory, const struct symbol_module *module);
static inline bool symbol_memory_is_full(const struct symbol_memory *memory)
{
	return memory->n_modules >= SYMBOL_MODULES_MAX;
}

/* Where the child has no module of its own, it has those of its parent. Returns false if memory ran out. */
bool symbol_memory_fork(struct symbol_memory *memory, uint32_t child, uint32_t parent);

/* Removes the modules of all processes, but keeps the files that were read. */
void symbol_memory_forget(struct symbol_memory *memory);

/*
 * Finds the module at an address of a process, at moment now of the caller's count. Returns NULL if no module
 * is known there. The result is valid until the next symbol_memory_add().
 */
struct symbol_module *symbol_memory_find(
	struct symbol_memory *memory, uint32_t pid, uint64_t address, uint64_t now);

/*
 * Writes "symbol+0x12" or "module+0x3456" to name, cut to n_room bytes with its NUL. Returns whether a symbol
 * was found. If ret_source is not NULL, *ret_source is the source line, or NULL. Only programs of the user
 * have source lines.
 */
bool symbol_memory_name(struct symbol_memory *memory, struct symbol_module *module, uint64_t address,
	char *name, size_t n_room, const struct rst_detail **ret_source);

#endif
