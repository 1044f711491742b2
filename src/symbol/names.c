/* SPDX-License-Identifier: MIT */
#include "symbol/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "base/text.h"
#include "symbol/demangle.h"

enum { NAME_ROOM = 512 };

/* The result of a look-up of an address, with one object for each kind that the caller wanted. */
struct place {
	const char *name; /* NULL if nothing there has a name */
	size_t name_bytes;
	bool is_code, is_inside; /* in a function; not at its begin */
	const struct rst_detail *source;
	struct found *found;
};

struct found {
	struct rst_object object;
	struct found *other;
};

struct program {
	const char *path;
	struct symbol_elf *elf;
	bool is_used; /* a module of a log has its build id */
};

struct symbol_names {
	struct arena arena;
	struct program programs[SYMBOL_PROGRAMS_MAX];
	size_t n_programs;
	struct map places; /* address to struct place */
	struct found **all;
	size_t n_all, room;
	struct symbol_counts counts;
};

enum rst_status symbol_names_open(
	struct symbol_names **ret_names, size_t n_paths, const char *const *paths, struct rst_error *err)
{
	struct symbol_names *names = calloc(1, sizeof(*names));
	enum rst_status status = names ? RST_OK : error_nomem(err);

	if (n_paths > SYMBOL_PROGRAMS_MAX)
		status = error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"there are %zu files with symbols, more than %d", n_paths, SYMBOL_PROGRAMS_MAX);
	for (size_t i = 0; status == RST_OK && i < n_paths; i++) {
		struct program *program = &names->programs[i];

		program->path = arena_copy(&names->arena, paths[i], strlen(paths[i]));
		status = program->path ? symbol_elf_open(&program->elf, paths[i], err) : error_nomem(err);
		names->n_programs += status == RST_OK;
	}
	if (status < 0)
		symbol_names_free(names);
	else
		*ret_names = names;
	return status;
}

void symbol_names_free(struct symbol_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->n_programs; i++) {
		symbol_elf_free(names->programs[i].elf);
	}
	map_done(&names->places);
	free(names->all);
	arena_done(&names->arena);
	free(names);
}

const struct rst_detail *symbol_names_source(
	struct symbol_names *names, struct symbol_elf *elf, uint64_t address)
{
	struct rst_detail *detail;
	char line[NAME_ROOM], clean[4 * NAME_ROOM + TEXT_SHORT];
	enum rst_status status = symbol_elf_line(elf, address, line, sizeof(line));

	names->counts.lacks_library |= status == RST_E_UNSUPPORTED;
	if (status != RST_OK)
		return NULL;
	detail = arena_alloc(&names->arena, sizeof(*detail));
	if (detail)
		*detail = (struct rst_detail){ .name = "source",
			.type = RST_DETAIL_TEXT,
			.text = arena_copy(&names->arena, clean,
				(size_t)(text_keep(clean, (const uint8_t *)line, strlen(line)) - clean)) };
	names->counts.lacks_memory |= !detail || !detail->text;
	return detail && detail->text ? detail : NULL;
}

/* Makes "name" or "name+0x12", with "file.c:" in front if several files have a symbol of that name. */
static void name_place(struct symbol_names *names, struct place *place, const struct symbol_hit *hit)
{
	char raw[2 * NAME_ROOM + 1], clean[4 * sizeof(raw) + TEXT_HEX_MAX + TEXT_SHORT], *end;
	size_t n = 0;

	if (hit->file) {
		n = strnlen(hit->file, NAME_ROOM - 1);
		memcpy(raw, hit->file, n);
		raw[n++] = ':';
	}
	n += symbol_demangle(hit->name, raw + n, NAME_ROOM);
	end = text_keep(clean, (const uint8_t *)raw, n);
	if (hit->offset) {
		*end++ = '+';
		end = text_put_hex(end, hit->offset);
	}
	place->name_bytes = (size_t)(end - clean);
	place->name = arena_copy(&names->arena, clean, place->name_bytes);
	place->is_code = hit->is_code;
	place->is_inside = hit->offset != 0;
	names->counts.lacks_memory |= !place->name;
}

/* Looks the address up. Returns NULL if there are too many addresses, or memory ran out. */
static struct place *place_make(struct symbol_names *names, uint64_t address)
{
	struct symbol_hit hit;
	struct place *place;

	if (names->counts.n_addresses >= SYMBOL_ADDRESSES_MAX) {
		names->counts.is_full = true;
		return NULL;
	}
	place = arena_alloc(&names->arena, sizeof(*place));
	if (!place || !map_set(&names->places, address, place)) {
		names->counts.lacks_memory = true;
		return NULL;
	}
	names->counts.n_addresses++;
	for (size_t i = 0; i < names->n_programs && !place->name; i++) {
		struct program *program = &names->programs[i];

		if (!symbol_elf_at(program->elf, address, &hit))
			continue;
		name_place(names, place, &hit);
		if (hit.is_code)
			place->source = symbol_names_source(names, program->elf, hit.address);
	}
	names->counts.n_named += place->name != NULL;
	return place;
}

static const struct rst_object *object_make(
	struct symbol_names *names, struct place *place, uint64_t address, enum rst_object_kind kind)
{
	struct found **all = array_room(names->all, names->n_all, &names->room, sizeof(struct found *));
	struct found *found = arena_alloc(&names->arena, sizeof(*found));

	if (all)
		names->all = all;
	if (!all || !found) {
		names->counts.lacks_memory = true;
		return NULL;
	}
	found->object = (struct rst_object){
		.id = address,
		.kind = kind,
		.name = place->name,
		.name_bytes = place->name_bytes,
		.n_details = place->source != NULL,
		.details = place->source,
	};
	found->other = place->found;
	place->found = found;
	names->all[names->n_all++] = found;
	return &found->object;
}

/*
 * Whether an object of this kind may lie inside a function. Other kinds never do, so such a hit would show
 * that the program file is wrong.
 */
static bool may_be_inside(enum rst_object_kind kind)
{
	return kind == RST_OBJECT_UNKNOWN || kind == RST_OBJECT_FUNCTION || kind == RST_OBJECT_MEMORY;
}

const struct rst_object *symbol_names_find(
	struct symbol_names *names, uint64_t address, enum rst_object_kind kind)
{
	struct place *place;

	if (!address || kind >= RST_OBJECT_SIGNAL)
		return NULL;
	place = map_find(&names->places, address);
	if (!place)
		place = place_make(names, address);
	if (!place || !place->name || (place->is_inside && !may_be_inside(kind)))
		return NULL;
	if (kind == RST_OBJECT_UNKNOWN)
		kind = place->is_code ? RST_OBJECT_FUNCTION : RST_OBJECT_MEMORY;
	for (struct found *found = place->found; found; found = found->other)
		if (found->object.kind == kind)
			return &found->object;
	return object_make(names, place, address, kind);
}

const struct rst_object *symbol_names_object(const struct symbol_names *names, size_t n)
{
	return n < names->n_all ? &names->all[n]->object : NULL;
}

size_t symbol_names_n_programs(const struct symbol_names *names)
{
	return names->n_programs;
}

const struct symbol_elf *symbol_names_program(
	const struct symbol_names *names, size_t n, const char **ret_path)
{
	if (n >= names->n_programs)
		return NULL;
	*ret_path = names->programs[n].path;
	return names->programs[n].elf;
}

struct symbol_elf *symbol_names_of_build(
	struct symbol_names *names, const uint8_t *build_id, size_t n_build_id)
{
	for (size_t i = 0; i < names->n_programs; i++) {
		if (!symbol_elf_is(names->programs[i].elf, build_id, n_build_id))
			continue;
		names->programs[i].is_used = true;
		return names->programs[i].elf;
	}
	return NULL;
}

bool symbol_names_listed(struct symbol_names *names, uint64_t address, char *text, size_t n_room)
{
	struct symbol_hit hit;

	for (size_t i = 0; i < names->n_programs; i++) {
		struct program *program = &names->programs[i];

		if (!symbol_elf_facts(program->elf)->is_list || !symbol_elf_at(program->elf, address, &hit) ||
			n_room <= TEXT_HEX_MAX + 1)
			continue;
		char *end = text + symbol_demangle(hit.name, text, n_room - TEXT_HEX_MAX - 1);

		program->is_used = true;
		if (hit.offset) {
			*end++ = '+';
			end = text_put_hex(end, hit.offset);
		}
		*end = '\0';
		return true;
	}
	return false;
}

bool symbol_names_is_used(const struct symbol_names *names, size_t n)
{
	return names->programs[n].is_used;
}

void symbol_names_count(struct symbol_names *names, bool is_named)
{
	names->counts.n_addresses++;
	names->counts.n_named += is_named;
}

const struct symbol_counts *symbol_names_counts(const struct symbol_names *names)
{
	return &names->counts;
}
