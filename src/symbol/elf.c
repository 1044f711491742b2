/* SPDX-License-Identifier: MIT */
/*
 * libelf reads the file and checks what its headers claim; what we keep is a sorted table of the functions, a copy of
 * their names' section, and which bytes of the file stand at which addresses.
 */
#include "symbol/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUILD_ID_MAX = 64, SEGMENTS_MAX = 64, NOTES_MAX = 64, NOTE_BYTES_MAX = 64 << 10 };

/* Larger tables are no use to anyone. */
static const uint64_t table_bytes_max = (uint64_t)256 << 20;

struct function {
	uint64_t address, size;
	uint32_t name; /* where in names */
	uint32_t rank; /* of several names for one address the lowest is taken */
};

struct segment {
	uint64_t file_offset, n_bytes, address;
};

struct symbol_elf {
	uint8_t build_id[BUILD_ID_MAX];
	size_t n_build_id;
	struct function *functions;
	size_t n_functions;
	char *names;
	size_t n_names;
	unsigned n_segments;
	struct segment segments[SEGMENTS_MAX];
};

/* --- build id --------------------------------------------------------------------------------------------------- */

static bool has_build_id(Elf_Data *data, const uint8_t *build_id, size_t n_build_id)
{
	size_t at = 0, n_name, n_desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &n_name, &n_desc)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
			memcmp(bytes + n_name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0)
			return note.n_descsz == n_build_id &&
			       memcmp(bytes + n_desc, build_id, n_build_id) == 0;
	}
	return false;
}

static bool is_build_by_segments(Elf *elf, const uint8_t *build_id, size_t n_build_id)
{
	size_t n_headers = 0;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &n_headers) != 0)
		return false;
	for (size_t i = 0; i < n_headers && i < NOTES_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_NOTE ||
			header.p_filesz > NOTE_BYTES_MAX)
			continue;
		Elf_Type type = header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
		Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, type);

		if (has_build_id(data, build_id, n_build_id))
			return true;
	}
	return false;
}

/* Files of separate symbols may have sections only. */
static bool is_build_by_sections(Elf *elf, const uint8_t *build_id, size_t n_build_id)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	for (unsigned n = 0; n < NOTES_MAX && (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
			header.sh_size > NOTE_BYTES_MAX)
			continue;
		if (has_build_id(elf_getdata(section, NULL), build_id, n_build_id))
			return true;
		n++;
	}
	return false;
}

/* --- functions -------------------------------------------------------------------------------------------------- */

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Names that everybody sees go before those of one file, and what has a size before what has none. */
static uint32_t rank_of(const GElf_Sym *symbol)
{
	static const uint8_t ranks[] = { [STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1 };
	unsigned bind = GELF_ST_BIND(symbol->st_info);

	return (bind < sizeof(ranks) ? ranks[bind] : 3U) + (symbol->st_size ? 0U : 4U);
}

static bool is_function(const GElf_Sym *symbol, size_t n_names)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_name > 0 && symbol->st_name < n_names;
}

static void take_functions(struct symbol_elf *table, Elf_Data *data, size_t n_symbols, bool is_arm)
{
	GElf_Sym symbol;

	for (size_t i = 0; i < n_symbols; i++) {
		if (!gelf_getsym(data, (int)i, &symbol) || !is_function(&symbol, table->n_names) ||
			table->names[symbol.st_name] == '\0')
			continue;
		table->functions[table->n_functions++] = (struct function){
			/* On ARM, bit 0 is the instruction set. */
			.address = symbol.st_value & ~(uint64_t)is_arm,
			.size = symbol.st_size,
			.name = symbol.st_name,
			.rank = rank_of(&symbol),
		};
	}
	qsort(table->functions, table->n_functions, sizeof(struct function), compare_functions);
}

static bool take_names(struct symbol_elf *table, Elf *elf, const GElf_Shdr *symbols)
{
	Elf_Scn *section = elf_getscn(elf, symbols->sh_link);
	GElf_Shdr header;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB ||
		header.sh_size > table_bytes_max)
		return false;
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return false;
	table->names = malloc(data->d_size + 1);
	if (!table->names)
		return false;
	memcpy(table->names, data->d_buf, data->d_size);
	table->names[data->d_size] = '\0';
	table->n_names = data->d_size;
	return true;
}

/* false: the file has no such section with functions in it. */
static bool take_table(struct symbol_elf *table, Elf *elf, uint32_t kind)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header = { 0 };
	GElf_Ehdr file;
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == kind)
			break;
	if (!section || !gelf_getehdr(elf, &file) || header.sh_size > table_bytes_max)
		return false;
	data = elf_getdata(section, NULL);
	size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);

	if (!data || !data->d_buf || !entry || !take_names(table, elf, &header))
		return false;
	table->functions = calloc(data->d_size / entry + 1, sizeof(struct function));
	if (table->functions)
		take_functions(table, data, data->d_size / entry, file.e_machine == EM_ARM);
	if (table->n_functions)
		return true;
	free(table->functions);
	free(table->names);
	table->functions = NULL;
	table->names = NULL;
	return false;
}

static void take_segments(struct symbol_elf *table, Elf *elf)
{
	size_t n_headers = 0;
	GElf_Phdr program;

	if (elf_getphdrnum(elf, &n_headers) != 0)
		return;
	for (size_t i = 0; i < n_headers && table->n_segments < SEGMENTS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &program) && program.p_type == PT_LOAD)
			table->segments[table->n_segments++] =
				(struct segment){ program.p_offset, program.p_filesz, program.p_vaddr };
}

/* --- files ------------------------------------------------------------------------------------------------------ */

static struct symbol_elf *load_elf(Elf *elf, const uint8_t *build_id, size_t n_build_id)
{
	struct symbol_elf *table;

	if (elf_kind(elf) != ELF_K_ELF || !(is_build_by_segments(elf, build_id, n_build_id) ||
						  is_build_by_sections(elf, build_id, n_build_id)))
		return NULL;
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	memcpy(table->build_id, build_id, n_build_id);
	table->n_build_id = n_build_id;
	take_segments(table, elf);
	if (take_table(table, elf, SHT_SYMTAB) || take_table(table, elf, SHT_DYNSYM))
		return table;
	symbol_elf_free(table);
	return NULL;
}

struct symbol_elf *symbol_elf_load(const char *path, const uint8_t *build_id, size_t n_build_id)
{
	struct symbol_elf *table = NULL;
	struct stat status;
	Elf *elf;
	int fd;

	if (!n_build_id || n_build_id > BUILD_ID_MAX || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	/* A log may name a pipe or a terminal: never wait for one, never make one ours. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		(elf = elf_begin(fd, ELF_C_READ, NULL)) != NULL) {
		table = load_elf(elf, build_id, n_build_id);
		elf_end(elf);
	}
	close(fd);
	return table;
}

void symbol_elf_free(struct symbol_elf *elf)
{
	if (!elf)
		return;
	free(elf->functions);
	free(elf->names);
	free(elf);
}

bool symbol_elf_is(const struct symbol_elf *elf, const uint8_t *build_id, size_t n_build_id)
{
	return elf->n_build_id == n_build_id && memcmp(elf->build_id, build_id, n_build_id) == 0;
}

/* The last function at or below the address; of several with one address the first. */
static const struct function *function_below(const struct symbol_elf *elf, uint64_t address)
{
	size_t low = 0, high = elf->n_functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (elf->functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	for (low--; low && elf->functions[low - 1].address == elf->functions[low].address;)
		low--;
	return &elf->functions[low];
}

const char *symbol_elf_find(const struct symbol_elf *elf, uint64_t file_offset, uint64_t *ret_offset)
{
	for (unsigned i = 0; i < elf->n_segments; i++) {
		const struct segment *segment = &elf->segments[i];
		uint64_t in_segment = file_offset - segment->file_offset;

		if (file_offset < segment->file_offset || in_segment >= segment->n_bytes)
			continue;
		uint64_t address = segment->address + in_segment;
		const struct function *function = function_below(elf, address);

		if (!function || (function->size && address - function->address >= function->size))
			return NULL;
		*ret_offset = address - function->address;
		return elf->names + function->name;
	}
	return NULL;
}
