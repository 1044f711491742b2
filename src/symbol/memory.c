/* SPDX-License-Identifier: MIT */
/*
 * A module is valid from its moment on, and newer modules go before older ones. If no module has the address
 * yet, the first later one is taken, because a process makes events before its memory map is recorded.
 */
#include "symbol/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "symbol/demangle.h"

enum { NAME_MAX_BYTES = 512, GENERATIONS_MAX = 8 };

/* Index + 1 of the newest module of the process, or 0. */
static uint32_t newest_of(const struct symbol_memory *memory, uint32_t pid)
{
	return (uint32_t)(uintptr_t)map_find(&memory->newest, pid);
}

bool symbol_memory_add(struct symbol_memory *memory, const struct symbol_module *module)
{
	struct symbol_module *modules, *own;

	if (symbol_memory_is_full(memory))
		return true;
	modules = array_room(
		memory->modules, memory->n_modules, &memory->modules_room, sizeof(struct symbol_module));
	if (!modules)
		return false;
	memory->modules = modules;
	own = &modules[memory->n_modules];
	*own = *module;
	own->before = newest_of(memory, module->pid);
	own->elf = NULL;
	own->was_looked_for = false;
	if (!map_set(&memory->newest, module->pid, (void *)(uintptr_t)(memory->n_modules + 1)))
		return false;
	memory->n_modules++;
	return true;
}

bool symbol_memory_fork(struct symbol_memory *memory, uint32_t child, uint32_t parent)
{
	return memory->parents.n_used >= SYMBOL_PARENTS_MAX ||
	       map_set(&memory->parents, child, (void *)(uintptr_t)parent);
}

void symbol_memory_forget(struct symbol_memory *memory)
{
	memory->n_modules = 0;
	map_done(&memory->newest);
}

void symbol_memory_done(struct symbol_memory *memory)
{
	for (size_t i = 0; i < memory->n_files; i++)
		symbol_elf_free(memory->files[i]);
	free(memory->modules);
	map_done(&memory->newest);
	map_done(&memory->parents);
}

static bool is_in(const struct symbol_module *module, uint32_t pid, uint64_t address)
{
	return module->pid == pid && address >= module->address && address - module->address < module->size;
}

static struct symbol_module *own_module_at(
	struct symbol_memory *memory, uint32_t pid, uint64_t address, uint64_t now)
{
	struct symbol_module *later = NULL;

	for (uint32_t i = newest_of(memory, pid); i && memory->n_steps < SYMBOL_STEPS_MAX;
		i = memory->modules[i - 1].before) {
		struct symbol_module *module = &memory->modules[i - 1];

		memory->n_steps++;
		if (!is_in(module, pid, address))
			continue;
		if (module->since <= now)
			return module;
		later = module;
	}
	return later;
}

/*
 * A child has its parent's memory until it calls exec. Its own modules are recorded only if it lives long
 * enough.
 */
struct symbol_module *symbol_memory_find(
	struct symbol_memory *memory, uint32_t pid, uint64_t address, uint64_t now)
{
	struct symbol_module *module = NULL;

	for (unsigned n = 0; pid && !module && n < GENERATIONS_MAX; n++) {
		module = own_module_at(memory, pid, address, now);
		pid = (uint32_t)(uintptr_t)map_find(&memory->parents, pid);
	}
	return module;
}

/* --- files ---------------------------------------------------------------------------------------------- */

static struct symbol_elf *load_at(
	const struct symbol_module *module, const char *root, const char *between, const char *rest)
{
	char path[2 * SYMBOL_PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s%s", root, between, rest);

	return n > 0 && (size_t)n < sizeof(path) ? symbol_elf_load(path, module->build_id, module->n_build_id)
						 : NULL;
}

/* Searches where debuggers search for separate symbols: ROOT/.build-id/ab/cdef….debug. */
static struct symbol_elf *load_by_id(const struct symbol_module *module, const char *root)
{
	char rest[2 * sizeof(module->build_id) + 16], *p = rest;

	p = text_put_hex_bytes(p, module->build_id, 1);
	*p++ = '/';
	p = text_put_hex_bytes(p, module->build_id + 1, module->n_build_id - 1U);
	p = text_put_literal(p, ".debug");
	*p = '\0';
	return load_at(module, root, "/.build-id/", rest);
}

static struct symbol_elf *load_anywhere(
	const struct symbol_memory *memory, const struct symbol_module *module)
{
	const char *root = memory->root;
	struct symbol_elf *elf = NULL;

	if (root && !elf)
		elf = load_at(module, root, "/", module->path);
	if (root && !elf)
		elf = load_at(module, root, "/", text_file_name(module->path));
	if (root && !elf)
		elf = load_by_id(module, root);
	if (!elf && module->path[0] == '/')
		elf = symbol_elf_load(module->path, module->build_id, module->n_build_id);
	return elf;
}

static struct symbol_elf *elf_of(struct symbol_memory *memory, struct symbol_module *module)
{
	struct symbol_elf *elf;

	if (!module->n_build_id)
		return NULL;
	elf = memory->given ? symbol_names_of_build(memory->given, module->build_id, module->n_build_id)
			    : NULL;
	module->is_given = elf != NULL;
	if (elf)
		return elf;
	for (size_t i = 0; i < memory->n_files; i++)
		if (symbol_elf_is(memory->files[i], module->build_id, module->n_build_id))
			return memory->files[i];
	if (memory->n_files == SYMBOL_FILES_MAX)
		return NULL;
	elf = load_anywhere(memory, module);
	if (elf)
		memory->files[memory->n_files++] = elf;
	return elf;
}

bool symbol_memory_name(struct symbol_memory *memory, struct symbol_module *module, uint64_t address,
	char *name, size_t n_room, const struct rst_detail **ret_source)
{
	uint64_t offset = address - module->address + module->file_offset;
	char symbol[NAME_MAX_BYTES + 1];
	struct symbol_hit hit;
	bool is_found;

	if (!module->was_looked_for)
		module->elf = elf_of(memory, module);
	module->was_looked_for = true;
	is_found = module->elf && symbol_elf_find(module->elf, offset, &hit);
	if (is_found)
		symbol_demangle(hit.name, symbol, sizeof(symbol));
	if (is_found && hit.offset == 0)
		snprintf(name, n_room, "%s", symbol);
	else
		snprintf(name, n_room, "%.*s+0x%" PRIx64, NAME_MAX_BYTES,
			is_found ? symbol : text_file_name(module->path), is_found ? hit.offset : offset);
	if (ret_source)
		*ret_source = is_found && module->is_given
				      ? symbol_names_source(memory->given, module->elf, hit.address)
				      : NULL;
	return is_found;
}
