/* SPDX-License-Identifier: MIT */
/*
 * libdw of elfutils reads the debug information. It is opened by dlopen(), and only for a program with debug
 * information. With the libraries that it needs, it would make the start of every command an eighth longer,
 * and most commands name no address.
 */
#include "symbol/lines.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { UNITS_MAX = 1 << 20 };

struct symbol_lines {
	void *library;
	int fd;
	Dwarf *dwarf;
	__typeof__(dwarf_begin) *begin;
	__typeof__(dwarf_end) *end;
	__typeof__(dwarf_addrdie) *addrdie;
	__typeof__(dwarf_nextcu) *nextcu;
	__typeof__(dwarf_offdie) *offdie;
	__typeof__(dwarf_haspc) *haspc;
	__typeof__(dwarf_getsrc_die) *getsrc_die;
	__typeof__(dwarf_linesrc) *linesrc;
	__typeof__(dwarf_lineno) *lineno;
};

/* libdw has these functions since its version 0.122, of 2006. */
static bool find_functions(struct symbol_lines *lines)
{
	const struct {
		const char *name;
		void *function; /* the place for its address */
	} rows[] = {
		{ "dwarf_begin", &lines->begin },
		{ "dwarf_end", &lines->end },
		{ "dwarf_addrdie", &lines->addrdie },
		{ "dwarf_nextcu", &lines->nextcu },
		{ "dwarf_offdie", &lines->offdie },
		{ "dwarf_haspc", &lines->haspc },
		{ "dwarf_getsrc_die", &lines->getsrc_die },
		{ "dwarf_linesrc", &lines->linesrc },
		{ "dwarf_lineno", &lines->lineno },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *function = dlsym(lines->library, rows[i].name);

		if (!function)
			return false;
		memcpy(rows[i].function, &function, sizeof(function));
	}
	return true;
}

struct symbol_lines *symbol_lines_open(const char *path, bool *ret_has_library)
{
	struct symbol_lines *lines = calloc(1, sizeof(*lines));

	*ret_has_library = true;
	if (!lines)
		return NULL;
	lines->fd = -1;
	lines->library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
	*ret_has_library = lines->library && find_functions(lines);
	if (*ret_has_library)
		lines->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (lines->fd >= 0)
		lines->dwarf = lines->begin(lines->fd, DWARF_C_READ);
	if (lines->dwarf)
		return lines;
	symbol_lines_free(lines);
	return NULL;
}

void symbol_lines_free(struct symbol_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		lines->end(lines->dwarf);
	if (lines->fd >= 0)
		close(lines->fd);
	if (lines->library)
		dlclose(lines->library);
	free(lines);
}

/*
 * Finds the compilation unit of an address by .debug_aranges. Some compilers omit it; then all units are
 * searched.
 */
static bool unit_at(struct symbol_lines *lines, uint64_t address, Dwarf_Die *ret_unit)
{
	Dwarf_Off at = 0, next;
	size_t n_header;

	if (lines->addrdie(lines->dwarf, address, ret_unit))
		return true;
	for (unsigned n = 0; n < UNITS_MAX; n++, at = next) {
		if (lines->nextcu(lines->dwarf, at, &next, &n_header, NULL, NULL, NULL) != 0)
			return false;
		if (lines->offdie(lines->dwarf, at + n_header, ret_unit) &&
			lines->haspc(ret_unit, address) > 0)
			return true;
	}
	return false;
}

bool symbol_lines_at(struct symbol_lines *lines, uint64_t address, char *text, size_t n_room)
{
	Dwarf_Die unit;
	Dwarf_Line *line = unit_at(lines, address, &unit) ? lines->getsrc_die(&unit, address) : NULL;
	const char *path = line ? lines->linesrc(line, NULL, NULL) : NULL;
	int number = 0;

	if (!path || lines->lineno(line, &number) != 0 || number <= 0)
		return false;
	snprintf(text, n_room, "%s:%d", text_file_name(path), number);
	return true;
}
