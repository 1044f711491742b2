/* SPDX-License-Identifier: MIT */
/* Tests names of addresses as objects: their kinds, files and number. */
#include "symbol/names.h"
#include "tests/tap.h"

#include <string.h>

#define FOLDER "tests/data/symbols/"

static struct symbol_names *open_two(void)
{
	static const char *const paths[] = { FOLDER "thumb.elf", FOLDER "be64.elf" };
	struct symbol_names *names = NULL;

	ok(symbol_names_open(&names, 2, paths, NULL) == RST_OK, "two programs are opened");
	return names;
}

static const char *name_of(struct symbol_names *names, uint64_t address, enum rst_object_kind kind)
{
	const struct rst_object *object = symbol_names_find(names, address, kind);

	return object ? object->name : "-";
}

static void check_names(void)
{
	struct symbol_names *names = open_two();
	const struct rst_object *object;

	is_text(name_of(names, 0x20000000, RST_OBJECT_THREAD), "table",
		"data are a thread where that is looked for");
	is_text(name_of(names, 0x8003, RST_OBJECT_FUNCTION), "a.c:start+0x2",
		"an address in a function has an offset");
	is_text(name_of(names, 0x8003, RST_OBJECT_QUEUE), "-", "no queue is inside of a function");
	is_text(name_of(names, 0x8021, RST_OBJECT_QUEUE), "alone",
		"where a function begins, another kind may be");
	is_text(name_of(names, 0x123456789040, RST_OBJECT_UNKNOWN), "ns::worker::run(int)",
		"the second program names what the first has not");
	is_text(name_of(names, 0x20000000, RST_OBJECT_SIGNAL), "-", "a number is not looked for");
	is_text(name_of(names, 0, RST_OBJECT_UNKNOWN), "-", "nor is 0");
	is_text(name_of(names, 0x999, RST_OBJECT_UNKNOWN), "-", "an address of no program has no name");
	object = symbol_names_find(names, 0x20000000, RST_OBJECT_UNKNOWN);
	ok(object && object->kind == RST_OBJECT_MEMORY && object->id == 0x20000000,
		"data of no special kind are memory");
	object = symbol_names_find(names, 0x8001, RST_OBJECT_UNKNOWN);
	ok(object && object->kind == RST_OBJECT_FUNCTION && object->id == 0x8001, "code is a function");
	ok(object == symbol_names_find(names, 0x8001, RST_OBJECT_UNKNOWN), "what was found is found again");
	ok(symbol_names_counts(names)->n_addresses == 6 && symbol_names_counts(names)->n_named == 5,
		"each address counts once");
	ok(symbol_names_object(names, 5) && !symbol_names_object(names, 6),
		"each kind of an address is an object");
	symbol_names_free(names);
}

static void check_limit(void)
{
	struct symbol_names *names = open_two();

	for (uint64_t i = 1; i <= SYMBOL_ADDRESSES_MAX; i++)
		symbol_names_find(names, 0x90000000 + i, RST_OBJECT_UNKNOWN);
	ok(!symbol_names_counts(names)->is_full, "so many addresses are looked for");
	is_text(name_of(names, 0x20000000, RST_OBJECT_UNKNOWN), "-", "no more");
	ok(symbol_names_counts(names)->is_full &&
			symbol_names_counts(names)->n_addresses == SYMBOL_ADDRESSES_MAX,
		"and that is known");
	symbol_names_free(names);
}

static void check_open(void)
{
	const char *many[SYMBOL_PROGRAMS_MAX + 1], *const bad[] = { FOLDER "thumb.elf",
		"/nonexistent/fw.elf" };
	struct symbol_names *names = NULL;
	struct rst_error err;

	for (size_t i = 0; i <= SYMBOL_PROGRAMS_MAX; i++)
		many[i] = FOLDER "thumb.elf";
	ok(symbol_names_open(&names, SYMBOL_PROGRAMS_MAX + 1, many, &err) == RST_E_USAGE && !names,
		"too many programs are refused");
	ok(symbol_names_open(&names, 2, bad, &err) == RST_E_IO && !names && strcmp(err.source, bad[1]) == 0,
		"the one that cannot be opened is named");
	symbol_names_free(NULL);
}

static void check_memory(void)
{
	struct symbol_names *names = open_two();
	bool is_good = true, has_name = false;

	for (unsigned n = 0; n < 100 && !has_name; n++) {
		tap_fail_alloc_after(n);
		has_name = symbol_names_find(names, 0x8001 + 0x20U * n, RST_OBJECT_UNKNOWN) != NULL;
		tap_fail_alloc_after(-1);
		is_good &= has_name || symbol_names_counts(names)->lacks_memory;
		if (!has_name) {
			symbol_names_free(names);
			names = open_two();
		}
	}
	ok(is_good, "an address without a name for want of memory is told from one that has none");
	symbol_names_free(names);
}

int main(void)
{
	check_names();
	check_limit();
	check_open();
	check_memory();
	return tap_done();
}
