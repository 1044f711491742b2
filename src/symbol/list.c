/* SPDX-License-Identifier: MIT */
/*
 * Reads lists of symbols as text, in place of a program. Each line is one symbol, in one of these forms.
 * Numbers are hexadecimal:
 *
 *	ffffffff81000000 T _stext			nm(1), System.map, /proc/kallsyms; perhaps with [module] behind it
 *	0000000000401136 0000000000000020 T main	nm -S
 *	7f0012340000 80 jit_function			map files of perf: begin, size, name
 *	7f0012340000-7f0012342000 r-xp … /lib/libm.so	/proc/PID/maps: names are "libm.so+0x40", from where the file begins
 *
 * Other lines are skipped. A file is a list only if it has at least one such line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "symbol/elf_parts.h"

enum {
	LIST_BYTES_MAX = 64 << 20,
	SIZE_MAX_UNKNOWN = 1 << 20, /* of a function without a size, at most */
	RANK_UNSIZED = 4,	    /* from this rank on, the next symbol cuts the size (elf_table.c) */
};

struct list {
	struct symbol_elf *table;
	size_t n_symbols, symbols_room, names_room;
	uint64_t all_addresses; /* joined by or: 0 if the kernel hides them */
	uint64_t map_begin;	/* of the file in the previous line of /proc/PID/maps */
	uint32_t map_name;
};

/* --- words ---------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *word_end(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '\t')
		at++;
	return at;
}

/* Reads at most 16 hexadecimal digits, with or without 0x before them. */
static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	unsigned n = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
		p += 2;
	for (*ret = 0; p < end && text_digit(*p) < 16 && n < 16; p++, n++)
		*ret = *ret << 4 | text_digit(*p);
	if (n == 0 || (p < end && text_digit(*p) < 16))
		return false;
	*at = p;
	return true;
}

static bool is_blank_at(const char *at, const char *end)
{
	return at < end && (*at == ' ' || *at == '\t');
}

/* --- symbols -------------------------------------------------------------------------------------------- */

static bool add_name(struct list *list, const char *name, size_t n_name, uint32_t *ret_name)
{
	struct symbol_elf *table = list->table;

	if (table->n_names + n_name + 1 > list->names_room) {
		const size_t room = 2 * (list->names_room + n_name + 1);
		char *names = realloc(table->names, room);

		if (!names)
			return false;
		table->names = names;
		list->names_room = room;
	}
	*ret_name = (uint32_t)table->n_names;
	*text_put(table->names + table->n_names, name, n_name) = '\0';
	table->n_names += n_name + 1;
	return true;
}

static bool add_symbol(struct list *list, const struct symbol *symbol)
{
	struct symbol_elf *table = list->table;
	struct symbol *symbols =
		array_room(table->symbols, list->n_symbols, &list->symbols_room, sizeof(*symbols));

	if (!symbols)
		return false;
	table->symbols = symbols;
	symbols[list->n_symbols++] = *symbol;
	list->all_addresses |= symbol->address;
	return true;
}

/*
 * The class of a letter of nm(1). Undefined, absolute and debugging symbols have no class, because they name
 * no address.
 */
static enum symbol_class list_class_of(char letter)
{
	static const char code[] = "tTwWi", data[] = "dDbBrRvVgGsS";

	if (letter && strchr(code, letter))
		return SYMBOL_CODE;
	return letter && strchr(data, letter) ? SYMBOL_DATA : N_SYMBOL_CLASSES;
}

static uint8_t list_rank_of(char letter, bool has_size)
{
	const bool is_weak = strchr("wWvV", letter) != NULL, is_local = letter >= 'a' && !is_weak;

	return (uint8_t)((is_local ? 2 : is_weak ? 1 : 0) + (has_size ? 0 : RANK_UNSIZED));
}

/* --- lines ---------------------------------------------------------------------------------------------- */

/* Reads "T name"; at points to the letter. */
static bool take_named(struct list *list, uint64_t address, uint64_t size, const char *at, const char *end)
{
	const enum symbol_class class = list_class_of(*at);
	const char *name = skip_blanks(at + 1, end), *name_end = word_end(name, end);
	struct symbol symbol = { .address = address,
		.size = size ? size : SIZE_MAX_UNKNOWN,
		.class = (uint8_t) class,
		.rank = list_rank_of(*at, size != 0) };

	if (class == N_SYMBOL_CLASSES || name == name_end)
		return true;
	return add_name(list, name, (size_t)(name_end - name), &symbol.name) && add_symbol(list, &symbol);
}

/* Reads a line of perf; the name is the rest of the line. */
static bool take_sized(struct list *list, uint64_t address, uint64_t size, const char *at, const char *end)
{
	struct symbol symbol = { .address = address, .size = size, .class = SYMBOL_CODE };

	while (end > at && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	if (at == end || !size)
		return true;
	return add_name(list, at, (size_t)(end - at), &symbol.name) && add_symbol(list, &symbol);
}

/* Whether the previous line was about the same file. */
static bool is_mapped_on(const struct list *list, uint64_t begin, const char *name, size_t n_name)
{
	if (!list->n_symbols || !list->map_begin || list->map_begin > begin ||
		list->table->symbols[list->n_symbols - 1].name != list->map_name)
		return false;
	const char *known = list->table->names + list->map_name;

	return strlen(known) == n_name && memcmp(known, name, n_name) == 0;
}

/*
 * Reads a line of /proc/PID/maps; at points behind "begin-end". Lines of one file follow each other, and the
 * first one has the begin of the file.
 */
static bool take_mapping(struct list *list, uint64_t begin, uint64_t last, const char *at, const char *end)
{
	enum { WORDS_BEFORE_PATH = 4 };
	struct symbol symbol = { .address = begin, .size = last - begin, .class = SYMBOL_CODE };

	for (unsigned i = 0; i < WORDS_BEFORE_PATH; i++)
		at = word_end(skip_blanks(at, end), end);
	at = skip_blanks(at, end);
	if (at == end || *at != '/' || last <= begin)
		return true;
	const char *slash = memrchr(at, '/', (size_t)(end - at));
	const size_t n_name = (size_t)(end - slash - 1);

	if (is_mapped_on(list, begin, slash + 1, n_name)) {
		struct symbol *file = &list->table->symbols[list->n_symbols - 1];

		file->size = last - file->address;
		return true;
	}
	if (!add_name(list, slash + 1, n_name, &symbol.name))
		return false;
	list->map_begin = begin;
	list->map_name = symbol.name;
	return add_symbol(list, &symbol);
}

/* Returns false if memory ran out. */
static bool take_line(struct list *list, const char *at, const char *end)
{
	uint64_t address, second;

	at = skip_blanks(at, end);
	if (!take_hex(&at, end, &address))
		return true;
	if (at < end && *at == '-')
		return at++, !take_hex(&at, end, &second) || !is_blank_at(at, end) ||
				     take_mapping(list, address, second, at, end);
	if (!is_blank_at(at, end))
		return true;
	at = skip_blanks(at, end);
	if (word_end(at, end) - at == 1 && text_digit(*at) >= 10)
		return take_named(list, address, 0, at, end);
	if (!take_hex(&at, end, &second) || !is_blank_at(at, end))
		return true;
	at = skip_blanks(at, end);
	if (word_end(at, end) - at == 1 && word_end(at, end) < end)
		return take_named(list, address, second, at, end);
	return take_sized(list, address, second, at, end);
}

/* --- the file ------------------------------------------------------------------------------------------- */

/*
 * Reads to the end of the file, because files in /proc have the size 0. Returns RST_E_IO; RST_E_NOMEM if
 * memory ran out, or the file is too large.
 */
static enum rst_status read_all(int fd, char **ret_bytes, size_t *ret_n_bytes, struct rst_error *err)
{
	size_t n = 0, room = 0;
	char *bytes = NULL;
	ssize_t n_read = 1;

	while (n_read > 0) {
		if (n == room) {
			char *more =
				room < LIST_BYTES_MAX ? realloc(bytes, room = 2 * room + (64 << 10)) : NULL;

			if (!more) {
				free(bytes);
				return error_nomem(err);
			}
			bytes = more;
		}
		do
			n_read = pread(fd, bytes + n, room - n, (off_t)n);
		while (n_read < 0 && errno == EINTR);
		n += n_read > 0 ? (size_t)n_read : 0;
	}
	if (n_read < 0) {
		error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot read: %s", strerror(errno));
		free(bytes);
		return RST_E_IO;
	}
	*ret_bytes = bytes;
	*ret_n_bytes = n;
	return RST_OK;
}

static bool take_lines(struct list *list, const char *bytes, size_t n_bytes)
{
	const char *const last = bytes + n_bytes;

	for (const char *at = bytes; at < last;) {
		const char *end = memchr(at, '\n', (size_t)(last - at));

		if (!end)
			end = last;
		if (!take_line(list, at, end))
			return false;
		at = end + 1;
	}
	return true;
}

enum rst_status symbol_list_take(struct symbol_elf *table, int fd, struct rst_error *err)
{
	struct list list = { .table = table };
	size_t n_bytes = 0;
	char *bytes = NULL;

	error_try(read_all(fd, &bytes, &n_bytes, err));
	const bool is_good = memchr(bytes, '\0', n_bytes) || take_lines(&list, bytes, n_bytes);

	free(bytes);
	if (!is_good)
		return error_nomem(err);
	if (!list.n_symbols)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "this is no ELF file");
	if (!list.all_addresses)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"all addresses in this list are 0: the kernel hides them from all but root");
	table->facts.is_list = true;
	table->facts.n_bits = list.all_addresses >> 32 ? 64 : 32;
	symbol_elf_sort(table, list.n_symbols);
	return RST_OK;
}
