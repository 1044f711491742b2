/* SPDX-License-Identifier: MIT */
/*
 * The memory of processes. A module holds from its block on and goes before older ones; what has no older one takes the
 * first that is told later, since a process makes events before anyone has looked at its memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "dialect/posix/posix.h"

enum { PATH_MAX_BYTES = 4096, HEAD = sizeof(struct log_module), SYMBOL_MAX = 512, GENERATIONS_MAX = 8 };

/* Index of the newest module of the process, and one. */
static uint32_t newest_of(const struct posix *posix, uint32_t pid)
{
	return (uint32_t)(uintptr_t)map_find(&posix->newest, pid);
}

static bool module_add(
	struct posix *posix, struct model *model, const struct log_module *said, const char *path)
{
	struct posix_module *modules = array_room(
		posix->modules, posix->n_modules, &posix->modules_room, sizeof(struct posix_module));
	bool has_id = said->n_build_id <= sizeof(said->build_id);
	struct posix_module *module;

	if (!modules)
		return false;
	posix->modules = modules;
	module = &modules[posix->n_modules];
	*module = (struct posix_module){ .block = posix->n_blocks,
		.address = said->address,
		.size = said->size,
		.file_offset = said->file_offset,
		.pid = said->pid,
		.n_build_id = (uint8_t)(has_id ? said->n_build_id : 0) };
	memcpy(module->build_id, said->build_id, sizeof(module->build_id));
	module->path = arena_copy(&model->arena, path, strnlen(path, said->length));
	module->before = newest_of(posix, said->pid);
	if (!module->path || !map_set(&posix->newest, said->pid, (void *)(uintptr_t)(posix->n_modules + 1)))
		return false;
	posix->n_modules++;
	return true;
}

bool posix_module(struct posix *posix, struct model *model, const uint8_t *body, size_t n_bytes)
{
	struct log_module said;

	if (n_bytes < HEAD)
		return true;
	memcpy(&said, body, HEAD);
	if (!said.length || said.length > n_bytes - HEAD || said.length > PATH_MAX_BYTES)
		return true;
	if (posix->n_modules < POSIX_MODULES_MAX)
		return module_add(posix, model, &said, (const char *)body + HEAD);
	if (posix->has_passed_modules)
		return true;
	posix->has_passed_modules = true;
	return model_warn(
		model, "only the first %d modules are looked at for names of addresses", POSIX_MODULES_MAX);
}

static bool is_in(const struct posix_module *module, uint32_t pid, uint64_t address)
{
	return module->pid == pid && address >= module->address && address - module->address < module->size;
}

static struct posix_module *own_module_at(struct posix *posix, uint32_t pid, uint64_t address)
{
	struct posix_module *later = NULL;

	for (uint32_t i = newest_of(posix, pid); i && posix->n_steps < POSIX_STEPS_MAX;
		i = posix->modules[i - 1].before) {
		struct posix_module *module = &posix->modules[i - 1];

		posix->n_steps++;
		if (!is_in(module, pid, address))
			continue;
		if (module->block <= posix->n_blocks)
			return module;
		later = module;
	}
	return later;
}

/* Until a child calls exec it has its parent's memory, and its modules are told only if it lives long enough. */
struct posix_module *posix_module_at(struct posix *posix, uint32_t pid, uint64_t address)
{
	struct posix_module *module = NULL;

	for (unsigned n = 0; pid && !module && n < GENERATIONS_MAX; n++) {
		module = own_module_at(posix, pid, address);
		pid = (uint32_t)(uintptr_t)map_find(&posix->parents, pid);
	}
	return module;
}

/* --- files ------------------------------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static struct posix_elf *load_at(
	const struct posix_module *module, const char *root, const char *between, const char *rest)
{
	char path[2 * PATH_MAX_BYTES];
	int n = snprintf(path, sizeof(path), "%s%s%s", root, between, rest);

	return n > 0 && (size_t)n < sizeof(path) ? posix_elf_load(path, module->build_id, module->n_build_id)
						 : NULL;
}

/* As debuggers look for separate symbols: ROOT/.build-id/ab/cdef….debug. */
static struct posix_elf *load_by_id(const struct posix_module *module, const char *root)
{
	char rest[2 * sizeof(module->build_id) + 16], *p = rest;

	p = text_put_hex_bytes(p, module->build_id, 1);
	*p++ = '/';
	p = text_put_hex_bytes(p, module->build_id + 1, module->n_build_id - 1U);
	p = text_put_literal(p, ".debug");
	*p = '\0';
	return load_at(module, root, "/.build-id/", rest);
}

static struct posix_elf *load_anywhere(const struct posix *posix, const struct posix_module *module)
{
	const char *root = posix->root;
	struct posix_elf *elf = NULL;

	if (root && !elf)
		elf = load_at(module, root, "/", module->path);
	if (root && !elf)
		elf = load_at(module, root, "/", base_name(module->path));
	if (root && !elf)
		elf = load_by_id(module, root);
	if (!elf && module->path[0] == '/')
		elf = posix_elf_load(module->path, module->build_id, module->n_build_id);
	return elf;
}

static struct posix_elf *elf_of(struct posix *posix, const struct posix_module *module)
{
	struct posix_elf *elf;

	if (!module->n_build_id)
		return NULL;
	for (size_t i = 0; i < posix->n_elfs; i++)
		if (posix_elf_is(posix->elfs[i], module->build_id, module->n_build_id))
			return posix->elfs[i];
	if (posix->n_elfs == POSIX_ELFS_MAX)
		return NULL;
	elf = load_anywhere(posix, module);
	if (elf)
		posix->elfs[posix->n_elfs++] = elf;
	return elf;
}

void posix_module_name(
	struct posix *posix, struct posix_module *module, uint64_t address, char *name, size_t n_room)
{
	uint64_t offset = address - module->address + module->file_offset, in_symbol = 0;
	const char *symbol = NULL;

	if (!module->was_looked_for)
		module->elf = elf_of(posix, module);
	module->was_looked_for = true;
	if (module->elf)
		symbol = posix_elf_find(module->elf, offset, &in_symbol);
	if (symbol && in_symbol == 0)
		snprintf(name, n_room, "%.*s", SYMBOL_MAX, symbol);
	else
		snprintf(name, n_room, "%.*s+0x%" PRIx64, SYMBOL_MAX,
			symbol ? symbol : base_name(module->path), symbol ? in_symbol : offset);
}
