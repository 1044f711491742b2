/* SPDX-License-Identifier: MIT */
/* Tests modules of processes in the order of their moments, children, and modules without a file. */
#include "symbol/memory.h"
#include "tests/tap.h"

#include <string.h>

static bool add(
	struct symbol_memory *memory, uint32_t pid, uint64_t since, uint64_t address, const char *path)
{
	const struct symbol_module module = { .pid = pid,
		.since = since,
		.address = address,
		.size = 0x1000,
		.file_offset = 0x200,
		.path = path };

	return symbol_memory_add(memory, &module);
}

static const char *path_at(struct symbol_memory *memory, uint32_t pid, uint64_t address, uint64_t now)
{
	const struct symbol_module *module = symbol_memory_find(memory, pid, address, now);

	return module ? module->path : "nothing";
}

static void check_moments(void)
{
	struct symbol_memory memory = { 0 };

	ok(add(&memory, 7, 3, 0x10000, "/old") && add(&memory, 7, 5, 0x10800, "/new"), "modules are added");
	is_text(path_at(&memory, 7, 0x10900, 9), "/new", "the newest goes first");
	is_text(path_at(&memory, 7, 0x10900, 4), "/old", "before its moment the older one holds");
	is_text(path_at(&memory, 7, 0x10900, 1), "/old", "before all moments the first one holds");
	is_text(path_at(&memory, 7, 0x117ff, 9), "/new", "to its last byte");
	is_text(path_at(&memory, 7, 0x11800, 9), "nothing", "and no further");
	is_text(path_at(&memory, 8, 0x10900, 9), "nothing", "another process has none of it");
	symbol_memory_forget(&memory);
	is_text(path_at(&memory, 7, 0x10900, 9), "nothing", "what is forgotten is gone");
	symbol_memory_done(&memory);
}

static void check_children(void)
{
	struct symbol_memory memory = { 0 };

	ok(add(&memory, 1, 0, 0x10000, "/program") && symbol_memory_fork(&memory, 2, 1) &&
			symbol_memory_fork(&memory, 3, 2),
		"a child, and a child of that");
	is_text(path_at(&memory, 3, 0x10000, 0), "/program", "have the memory of their parents");
	ok(symbol_memory_fork(&memory, 1, 3), "a process that is its own ancestor");
	is_text(path_at(&memory, 3, 0x90000, 0), "nothing", "is no endless search");
	symbol_memory_done(&memory);
}

static void check_names(void)
{
	struct symbol_memory memory = { 0 };
	struct symbol_module *module;
	char name[64], cut[8];

	add(&memory, 1, 0, 0x10000, "/usr/bin/program");
	module = symbol_memory_find(&memory, 1, 0x10034, 0);
	ok(!symbol_memory_name(&memory, module, 0x10034, name, sizeof(name), NULL),
		"a module without a file has no symbols");
	is_text(name, "program+0x234", "without symbols a name is the file and the offset in it");
	symbol_memory_name(&memory, module, 0x10034, cut, sizeof(cut), NULL);
	is_text(cut, "program", "which is cut to its room");
	symbol_memory_done(&memory);
}

static void check_limit(void)
{
	struct symbol_memory memory = { 0 };
	bool is_good = true;

	for (uint64_t i = 0; i <= SYMBOL_MODULES_MAX; i++)
		is_good = is_good && symbol_memory_is_full(&memory) == (i == SYMBOL_MODULES_MAX) &&
			  add(&memory, 1, i, i << 12, "/some");
	ok(is_good && memory.n_modules == SYMBOL_MODULES_MAX, "there are no more than the limit");
	symbol_memory_done(&memory);
}

int main(void)
{
	check_moments();
	check_children();
	check_names();
	check_limit();
	return tap_done();
}
