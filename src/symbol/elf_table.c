/* SPDX-License-Identifier: MIT */
/* Reads the symbol table of an ELF file, sorts it, and copies the section of its names. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/elf_parts.h"

/* Larger tables are of no use, and are refused. */
static const uint64_t table_bytes_max = (uint64_t)256 << 20;

/* --- one symbol ----------------------------------------------------------------------------------------- */

/* Global names go before local ones, and symbols with a size before symbols without one. */
static uint8_t elf_table_rank_of(const GElf_Sym *symbol)
{
	static const uint8_t ranks[] = { [STB_LOCAL] = 2, [STB_GLOBAL] = 0, [STB_WEAK] = 1 };
	unsigned bind = GELF_ST_BIND(symbol->st_info);

	return (uint8_t)((bind < sizeof(ranks) ? ranks[bind] : 3U) + (symbol->st_size ? 0U : 4U));
}

/*
 * Labels of assembly code and names that a linker script defines have no type. `$t` and similar names only
 * mark the begin of ARM and RISC-V code.
 */
static enum symbol_class elf_table_class_of(const GElf_Sym *symbol, const char *name)
{
	static const uint8_t classes[] = {
		[STT_NOTYPE] = SYMBOL_LABEL + 1,
		[STT_OBJECT] = SYMBOL_DATA + 1,
		[STT_FUNC] = SYMBOL_CODE + 1,
		[STT_COMMON] = SYMBOL_DATA + 1,
		[STT_GNU_IFUNC] = SYMBOL_CODE + 1,
	};
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	if (type >= sizeof(classes) || !classes[type] || symbol->st_shndx == SHN_UNDEF ||
		symbol->st_shndx == SHN_COMMON || name[0] == '\0')
		return N_SYMBOL_CLASSES;
	if (type == STT_NOTYPE && (name[0] == '$' || name[0] == '.' || symbol->st_shndx == SHN_ABS))
		return N_SYMBOL_CLASSES;
	return classes[type] - 1U;
}

/* The largest size of a function without a size: up to the end of its section. */
static uint64_t size_to_section_end(Elf *elf, const GElf_Sym *symbol, uint64_t address)
{
	Elf_Scn *section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || address < header.sh_addr)
		return 0;
	return address - header.sh_addr < header.sh_size ? header.sh_size - (address - header.sh_addr) : 0;
}

/* --- the table ------------------------------------------------------------------------------------------ */

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/*
 * In the table of a file, the local symbols of a source file follow the name of that file; global symbols
 * come last.
 */
static size_t take_symbols(struct symbol_elf *table, Elf *elf, Elf_Data *data, size_t n_symbols)
{
	size_t n = 0;
	uint32_t file = 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < n_symbols; i++) {
		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_name >= table->n_names)
			continue;
		if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			file = symbol.st_name;
		enum symbol_class class = elf_table_class_of(&symbol, table->names + symbol.st_name);
		uint64_t address = symbol.st_value;

		if (class == N_SYMBOL_CLASSES)
			continue;
		if (class == SYMBOL_CODE)
			address &= ~(uint64_t)table->has_thumb;
		table->symbols[n++] = (struct symbol){
			.address = address,
			.size = symbol.st_size || class != SYMBOL_CODE
					? symbol.st_size
					: size_to_section_end(elf, &symbol, address),
			.name = symbol.st_name,
			.file = GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? file : 0,
			.class = (uint8_t) class,
			.rank = elf_table_rank_of(&symbol),
		};
	}
	return n;
}

/* A function without a size ends where the next one begins. Such functions have ranks of 4 and above. */
static void cut_sizes(struct symbol_elf *table)
{
	const size_t end = table->first[SYMBOL_CODE + 1];
	uint64_t next = UINT64_MAX, own = UINT64_MAX;

	for (size_t i = end; i-- > 0;) {
		struct symbol *symbol = &table->symbols[i];

		if (symbol->address != own) {
			next = own;
			own = symbol->address;
		}
		if (symbol->rank >= 4 && symbol->size > next - symbol->address)
			symbol->size = next - symbol->address;
	}
}

static int compare_names(const void *a, const void *b, void *names)
{
	const struct symbol *x = *(struct symbol *const *)a, *y = *(struct symbol *const *)b;

	return strcmp((const char *)names + x->name, (const char *)names + y->name);
}

/* Clears the source file of each symbol whose name is unique. Returns false if memory ran out. */
static bool settle_files(struct symbol_elf *table, size_t n_symbols)
{
	struct symbol **by_name = calloc(n_symbols + 1, sizeof(*by_name));
	size_t from = 0;

	if (!by_name)
		return false;
	for (size_t i = 0; i < n_symbols; i++)
		by_name[i] = &table->symbols[i];
	qsort_r(by_name, n_symbols, sizeof(*by_name), compare_names, table->names);
	for (size_t i = 1; i <= n_symbols; i++) {
		if (i < n_symbols && compare_names(&by_name[i], &by_name[from], table->names) == 0)
			continue;
		if (i - from == 1)
			by_name[from]->file = 0;
		from = i;
	}
	free(by_name);
	return true;
}

static enum rst_status bad_table(const GElf_Shdr *header, struct rst_error *err)
{
	return error_set(err, RST_E_DAMAGED, header->sh_offset, "the table of symbols cannot be read");
}

static enum rst_status take_names(
	struct symbol_elf *table, Elf *elf, const GElf_Shdr *symbols, struct rst_error *err)
{
	Elf_Scn *section = elf_getscn(elf, symbols->sh_link);
	GElf_Shdr header;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB ||
		header.sh_size > table_bytes_max)
		return bad_table(symbols, err);
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size)
		return bad_table(symbols, err);
	table->names = malloc(data->d_size + 1);
	if (!table->names)
		return error_nomem(err);
	memcpy(table->names, data->d_buf, data->d_size);
	table->names[data->d_size] = '\0';
	table->n_names = data->d_size;
	return RST_OK;
}

void symbol_elf_sort(struct symbol_elf *table, size_t n)
{
	qsort(table->symbols, n, sizeof(struct symbol), compare_symbols);
	for (size_t i = 0; i < n; i++)
		table->first[table->symbols[i].class + 1] = i + 1;
	for (unsigned class = 0; class < N_SYMBOL_CLASSES; class ++)
		if (table->first[class + 1] < table->first[class])
			table->first[class + 1] = table->first[class];
	cut_sizes(table);
	table->facts.n_symbols = n;
}

static enum rst_status elf_table_fill(
	struct symbol_elf *table, Elf *elf, Elf_Data *data, size_t n, struct rst_error *err)
{
	table->symbols = calloc(n + 1, sizeof(struct symbol));
	if (!table->symbols)
		return error_nomem(err);
	n = take_symbols(table, elf, data, n);
	if (!settle_files(table, n))
		return error_nomem(err);
	symbol_elf_sort(table, n);
	return n ? RST_OK : RST_END;
}

/*
 * Reads the first section of this kind. Returns RST_END if the file has no such section, or it has no
 * symbols.
 */
static enum rst_status take_section(struct symbol_elf *table, Elf *elf, uint32_t kind, struct rst_error *err)
{
	const size_t entry = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *section = NULL;
	GElf_Shdr header = { 0 };
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == kind)
			break;
	if (!section || !header.sh_size)
		return RST_END;
	data = header.sh_size <= table_bytes_max ? elf_getdata(section, NULL) : NULL;
	if (!data || !data->d_buf || !entry)
		return bad_table(&header, err);
	error_try(take_names(table, elf, &header, err));
	enum rst_status status = elf_table_fill(table, elf, data, data->d_size / entry, err);

	if (status != RST_OK) {
		free(table->symbols);
		free(table->names);
		table->symbols = NULL;
		table->names = NULL;
	}
	return status;
}

enum rst_status symbol_elf_take(struct symbol_elf *table, Elf *elf, struct rst_error *err)
{
	enum rst_status status = take_section(table, elf, SHT_SYMTAB, err);

	return status == RST_END ? take_section(table, elf, SHT_DYNSYM, err) : status;
}
