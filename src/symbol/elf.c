/* SPDX-License-Identifier: MIT */
/* Opens ELF files and finds addresses in their tables of symbols. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/elf_parts.h"
#include "symbol/lines.h"

/* --- opening -------------------------------------------------------------------------------------------- */

static void take_segments(struct symbol_elf *table, Elf *elf)
{
	size_t n_headers = 0;
	GElf_Phdr program;

	if (elf_getphdrnum(elf, &n_headers) != 0)
		return;
	for (size_t i = 0; i < n_headers && table->n_segments < SEGMENTS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &program) && program.p_type == PT_LOAD)
			table->segments[table->n_segments++] =
				(struct segment){ program.p_offset, program.p_memsz, program.p_vaddr };
}

static bool has_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr header;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *own =
			gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (own && strcmp(own, name) == 0)
			return true;
	}
	return false;
}

static void take_build_id(struct symbol_elf *table, Elf *elf)
{
	const uint8_t *id = symbol_build_id(elf, &table->n_build_id);

	if (id)
		memcpy(table->build_id, id, table->n_build_id);
}

/* Reads the header, and checks whether libelf can read the tables that it names. */
static enum rst_status take_header(struct symbol_elf *table, Elf *elf, struct rst_error *err)
{
	size_t n_sections = 0;
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "this is no ELF file");
	if (!gelf_getehdr(elf, &header) || elf_getshdrnum(elf, &n_sections) != 0)
		return error_set(err, RST_E_DAMAGED, 0, "the ELF header cannot be read");
	if (header.e_type == ET_REL)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"this is an object file, which has no addresses before it is linked");
	if (header.e_shoff && header.e_shnum && !n_sections)
		return error_set(err, RST_E_DAMAGED, header.e_shoff, "the section headers cannot be read");
	table->has_thumb = header.e_machine == EM_ARM || header.e_machine == EM_MIPS;
	table->facts.n_bits = gelf_getclass(elf) == ELFCLASS64 ? 64 : 32;
	table->facts.is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	table->facts.is_relative = header.e_type == ET_DYN;
	return RST_OK;
}

static enum rst_status load_elf(struct symbol_elf *table, Elf *elf, struct rst_error *err)
{
	enum rst_status status = take_header(table, elf, err);

	error_try(status);
	take_segments(table, elf);
	status = symbol_elf_take(table, elf, err);
	error_try(status);
	table->facts.has_lines = has_section(elf, ".debug_line");
	return RST_OK;
}

/*
 * Reads a regular file with libelf. A log may name a pipe or a terminal, so open() must not wait for it or
 * make it the controlling terminal. If build_id is NULL, any build is accepted.
 */
static enum rst_status open_elf(struct symbol_elf *table, const char *path, const uint8_t *build_id,
	size_t n_build_id, struct rst_error *err)
{
	enum rst_status result = RST_OK;
	struct stat status;
	Elf *elf = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot open: %s", strerror(errno));
	if (fstat(fd, &status) != 0)
		result = error_set(
			err, RST_E_IO, RST_NO_OFFSET, "cannot look at this file: %s", strerror(errno));
	else if (!S_ISREG(status.st_mode))
		result = error_set(err, RST_E_USAGE, RST_NO_OFFSET, "this is no ELF file");
	else if (elf_version(EV_CURRENT) == EV_NONE || !(elf = elf_begin(fd, ELF_C_READ, NULL)))
		result = error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "libelf cannot read this file: %s",
			elf_errmsg(-1));
	if (elf && elf_kind(elf) != ELF_K_ELF && !build_id) {
		result = symbol_list_take(table, fd, err);
		elf_end(elf);
	} else if (elf) {
		take_build_id(table, elf);
		if (build_id && !symbol_elf_is(table, build_id, n_build_id))
			result = RST_E_USAGE;
		else
			result = load_elf(table, elf, err);
		elf_end(elf);
	}
	close(fd);
	return result;
}

struct symbol_elf *symbol_elf_load(const char *path, const uint8_t *build_id, size_t n_build_id)
{
	struct symbol_elf *table = n_build_id ? calloc(1, sizeof(*table)) : NULL;

	if (table && open_elf(table, path, build_id, n_build_id, NULL) >= 0 && table->facts.n_symbols)
		return table;
	symbol_elf_free(table);
	return NULL;
}

enum rst_status symbol_elf_open(struct symbol_elf **ret_elf, const char *path, struct rst_error *err)
{
	struct symbol_elf *table = calloc(1, sizeof(*table));
	enum rst_status status = table ? open_elf(table, path, NULL, 0, err) : error_nomem(err);

	if (status >= 0 && !(table->path = strdup(path)))
		status = error_nomem(err);
	if (status < 0) {
		if (status == RST_E_USAGE && !table->n_names)
			error_advise(err,
				"give the program as the linker wrote it (.elf, .axf, .out), or what nm "
				"prints of it");
		error_name(err, path);
		symbol_elf_free(table);
		return status;
	}
	*ret_elf = table;
	return RST_OK;
}

void symbol_elf_free(struct symbol_elf *elf)
{
	if (!elf)
		return;
	symbol_lines_free(elf->lines);
	free(elf->path);
	free(elf->symbols);
	free(elf->names);
	free(elf);
}

const struct symbol_elf_facts *symbol_elf_facts(const struct symbol_elf *elf)
{
	return &elf->facts;
}

bool symbol_elf_is(const struct symbol_elf *elf, const uint8_t *build_id, size_t n_build_id)
{
	if (!n_build_id)
		return elf->n_build_id != 0;
	return elf->n_build_id == n_build_id && memcmp(elf->build_id, build_id, n_build_id) == 0;
}

/* --- finding -------------------------------------------------------------------------------------------- */

/*
 * The last symbol of a class at or below the address. If several symbols have its address, the first of them.
 */
static const struct symbol *symbol_below(
	const struct symbol_elf *elf, enum symbol_class class, uint64_t address)
{
	const size_t first = elf->first[class];
	size_t low = first, high = elf->first[class + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (elf->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == first)
		return NULL;
	for (low--; low > first && elf->symbols[low - 1].address == elf->symbols[low].address;)
		low--;
	return &elf->symbols[low];
}

static bool take_hit(const struct symbol_elf *elf, const struct symbol *symbol, uint64_t address,
	struct symbol_hit *ret_hit)
{
	*ret_hit = (struct symbol_hit){
		.name = elf->names + symbol->name,
		.file = symbol->file ? elf->names + symbol->file : NULL,
		.address = address,
		.offset = address - symbol->address,
		.is_code = symbol->class == SYMBOL_CODE,
	};
	return true;
}

static bool code_at(const struct symbol_elf *elf, uint64_t address, struct symbol_hit *ret_hit)
{
	const struct symbol *symbol = symbol_below(elf, SYMBOL_CODE, address);
	const uint64_t offset = symbol ? address - symbol->address : 0;

	return symbol && (offset == 0 || offset < symbol->size) && take_hit(elf, symbol, address, ret_hit);
}

static bool data_at(const struct symbol_elf *elf, uint64_t address, struct symbol_hit *ret_hit)
{
	const struct symbol *symbol = symbol_below(elf, SYMBOL_DATA, address);

	return symbol && address - symbol->address < symbol->size && take_hit(elf, symbol, address, ret_hit);
}

bool symbol_elf_at(const struct symbol_elf *elf, uint64_t address, struct symbol_hit *ret_hit)
{
	if (code_at(elf, address & ~(uint64_t)elf->has_thumb, ret_hit))
		return true;
	for (enum symbol_class class = SYMBOL_DATA; class < N_SYMBOL_CLASSES; class ++) {
		const struct symbol *symbol = symbol_below(elf, class, address);

		if (symbol && symbol->address == address)
			return take_hit(elf, symbol, address, ret_hit);
	}
	return false;
}

bool symbol_elf_find(const struct symbol_elf *elf, uint64_t file_offset, struct symbol_hit *ret_hit)
{
	for (unsigned i = 0; i < elf->n_segments; i++) {
		const struct segment *segment = &elf->segments[i];
		uint64_t in_segment = file_offset - segment->file_offset;

		if (file_offset >= segment->file_offset && in_segment < segment->n_bytes)
			return code_at(elf, segment->address + in_segment, ret_hit) ||
			       data_at(elf, segment->address + in_segment, ret_hit);
	}
	return false;
}

enum rst_status symbol_elf_line(struct symbol_elf *elf, uint64_t address, char *text, size_t n_room)
{
	bool has_library = true;

	if (!elf->has_tried_lines && elf->path && elf->facts.has_lines)
		elf->lines = symbol_lines_open(elf->path, &has_library);
	elf->has_tried_lines = true;
	if (!has_library)
		return RST_E_UNSUPPORTED;
	return elf->lines && symbol_lines_at(elf->lines, address, text, n_room) ? RST_OK : RST_END;
}
