/* SPDX-License-Identifier: MIT */
/*
 * Which file lies where in the memory of each process, and so which function an address is in. Modules come from a
 * recording; the files that they name are read when the first address in them is looked up.
 *
 * One thread at a time.
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
	SYMBOL_STEPS_MAX = LIMIT(1 << 28, 65536), /* modules looked at; later addresses have no names */
	SYMBOL_PATH_MAX = 4096,
	SYMBOL_BUILD_ID_MAX = 28,
};

/* A range of a process's memory that holds a part of a file. */
struct symbol_module {
	uint64_t since; /* from here on it is there, in the caller's count, which rises */
	uint64_t address, size, file_offset;
	uint32_t pid;
	const char *path;   /* borrowed, for as long as the memory */
	uint8_t n_build_id; /* 0 if the file cannot be identified, so it is not read */
	uint8_t build_id[SYMBOL_BUILD_ID_MAX];

	/* memory.c's own */
	uint32_t before; /* index of the module of this process that was added before it, and one; 0: none */
	struct symbol_elf *elf; /* NULL: not looked for, or none */
	bool is_given;		/* it is one of the programs that the user named */
	bool was_looked_for;
};

/* Zeros are an empty one. */
struct symbol_memory {
	const char *root; /* folder where files are looked for first, borrowed; NULL: none */
	/* Programs that go before files that are looked for, borrowed; NULL: none. */
	struct symbol_names *given;
	struct symbol_module *modules; /* owned */
	size_t n_modules, modules_room;
	struct map newest;  /* pid to the index of its newest module, and one */
	struct map parents; /* pid to the pid of the process that forked it */
	uint64_t n_steps;
	struct symbol_elf *files[SYMBOL_FILES_MAX];
	size_t n_files;
};

void symbol_memory_done(struct symbol_memory *memory);

/*
 * Copies the module. Beyond SYMBOL_MODULES_MAX nothing is added, see symbol_memory_is_full(). Returns false
 * if memory ran out.
 */
bool symbol_memory_add(struct symbol_memory *memory, const struct symbol_module *module);
static inline bool symbol_memory_is_full(const struct symbol_memory *memory)
{
	return memory->n_modules >= SYMBOL_MODULES_MAX;
}

/* The child has its parent's modules where it has none of its own. Returns false if memory ran out. */
bool symbol_memory_fork(struct symbol_memory *memory, uint32_t child, uint32_t parent);

/* No process has modules any more; files that were read stay. */
void symbol_memory_forget(struct symbol_memory *memory);

/*
 * What lies at an address of a process at that moment of the caller's count; NULL: nothing that is known.
 * Valid until the next symbol_memory_add().
 */
struct symbol_module *symbol_memory_find(
	struct symbol_memory *memory, uint32_t pid, uint64_t address, uint64_t now);

/*
 * "symbol+0x12" or "module+0x3456" in name, cut to n_room bytes with its NUL. Returns whether it is of a symbol. *ret_source
 * (unless ret_source is NULL) is the line of a program that the user named, or NULL.
 */
bool symbol_memory_name(struct symbol_memory *memory, struct symbol_module *module, uint64_t address,
	char *name, size_t n_room, const struct rst_detail **ret_source);

#endif
