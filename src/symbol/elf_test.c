/* SPDX-License-Identifier: MIT */
/*
 * Tests files that tests/elf.py writes, also with every fault. tests/record/posix.t and
 * tests/record/preload.t read real files.
 */
#include "symbol/elf.h"
#include "tests/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FOLDER "tests/data/symbols/"

/* "file:name+0x12", or "-". */
static const char *name_at(const struct symbol_elf *elf, uint64_t address, char text[200])
{
	struct symbol_hit hit;

	if (!symbol_elf_at(elf, address, &hit))
		return "-";
	snprintf(text, 200, "%s%s%s", hit.file ? hit.file : "", hit.file ? ":" : "", hit.name);
	if (hit.offset)
		snprintf(text + strlen(text), 200 - strlen(text), "+0x%" PRIx64, hit.offset);
	return text;
}

static struct symbol_elf *open_file(const char *path)
{
	struct symbol_elf *elf = NULL;

	ok(symbol_elf_open(&elf, path, NULL) == RST_OK, "%s is opened", path);
	return elf;
}

static void check_logged(void)
{
	static const uint8_t none[20];

	ok(!symbol_elf_load("/proc/self/exe", none, sizeof(none)), "another build is not loaded");
	ok(!symbol_elf_load("/proc/self/exe", none, 0), "nor is anything without a build id");
	ok(!symbol_elf_load("Makefile", none, sizeof(none)), "nor is a file that is no ELF file");
	symbol_elf_free(NULL);
}

static void check_thumb(void)
{
	static const struct {
		uint64_t address;
		const char *name, *sentence;
	} rows[] = {
		{ 0x8001, "a.c:start", "a function that two files have shows its file" },
		{ 0x8000, "a.c:start", "the bit of the instruction set does not matter" },
		{ 0x8013, "b.c:start+0x2", "an address in a function has an offset without that bit" },
		{ 0x8021, "alone", "a local function that is the only one of its name shows no file" },
		{ 0x8031, "-", "a function ends where its size says" },
		{ 0x8051, "count", "a global symbol has no file, even if a local one has its name" },
		{ 0x20000004, "a.c:count", "and the local one shows it" },
		{ 0x8139, "no_size+0x38", "a function without a size goes on …" },
		{ 0x8149, "-", "… to the next one, not behind it" },
		{ 0xa101, "last+0x100", "the last one goes on …" },
		{ 0x17fff, "last+0xdffe", "… to the end of its section …" },
		{ 0x18001, "-", "… and no further" },
		{ 0x8200, "Reset_Handler", "a label of assembly code has a name" },
		{ 0x8202, "-", "only where it stands" },
		{ 0x20000000, "table", "data go before a name of the linker script" },
		{ 0x20000001, "-", "inside of data there is no name" },
		{ 0x40, "-", "a number is no address" },
		{ 0, "-", "a symbol of another file is none" },
		{ UINT64_MAX, "-", "the last address is in nothing" },
	};
	struct symbol_elf *elf = open_file(FOLDER "thumb.elf");
	const struct symbol_elf_facts *facts = symbol_elf_facts(elf);
	char text[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(name_at(elf, rows[i].address, text), rows[i].name, rows[i].sentence);
	ok(facts->n_bits == 32 && !facts->is_big_endian && !facts->is_relative && !facts->has_lines,
		"it is of 32 bits, little-endian, linked, without lines");
	symbol_elf_free(elf);
}

static void check_be64(void)
{
	struct symbol_elf *elf = open_file(FOLDER "be64.elf");
	const struct symbol_elf_facts *facts = symbol_elf_facts(elf);
	char text[200];

	ok(facts->n_bits == 64 && facts->is_big_endian && facts->n_symbols == 3,
		"it is of 64 bits, big-endian, with three symbols");
	is_text(name_at(elf, 0x123456789001, text), "_RNvC5crate4main+0x1",
		"bit 0 is a bit like others on other machines");
	is_text(name_at(elf, 0x7fff00001000, text), "_ZN2ns5countE", "data of high addresses have names");
	symbol_elf_free(elf);
}

static void check_build_id(void)
{
	uint8_t id[20];
	struct symbol_elf *elf;
	struct symbol_hit hit;

	memset(id, 0xab, sizeof(id));
	elf = symbol_elf_load(FOLDER "posix.elf", id, sizeof(id));
	ok(elf && symbol_elf_is(elf, id, sizeof(id)) && !symbol_elf_is(elf, id, 19),
		"a build is known by all of its id");
	ok(elf && symbol_elf_find(elf, 0x2010, &hit) && hit.offset == 8,
		"a byte of the file is in a function");
	ok(elf && !symbol_elf_find(elf, 0x1fff, &hit) && !symbol_elf_find(elf, 0x3000, &hit),
		"one that is not loaded is in none");
	symbol_elf_free(elf);
}

static void check_refused(const char *path, enum rst_status expected, const char *sentence)
{
	struct symbol_elf *elf = NULL;
	struct rst_error err;
	enum rst_status status = symbol_elf_open(&elf, path, &err);

	ok(status == expected && !elf && strcmp(err.source, path) == 0, "%s", sentence);
}

/* --- faults --------------------------------------------------------------------------------------------- */

static int faulty_fd(const uint8_t *bytes, size_t n_bytes, char path[64])
{
	int fd = memfd_create("faulty", MFD_CLOEXEC);

	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd >= 0 && write(fd, bytes, n_bytes) == (ssize_t)n_bytes ? fd : -1;
}

/* Whether the file is opened or refused as expected, and addresses are looked up without a crash. */
static bool is_survived(const uint8_t *bytes, size_t n_bytes, bool *ret_is_opened)
{
	struct symbol_elf *elf = NULL;
	struct symbol_hit hit;
	char path[64];
	int fd = faulty_fd(bytes, n_bytes, path);
	enum rst_status status = symbol_elf_open(&elf, path, NULL);

	*ret_is_opened = status == RST_OK;
	if (elf)
		for (uint64_t address = 0x7ff0; address < 0x8300; address += 7) {
			symbol_elf_at(elf, address, &hit);
			symbol_elf_find(elf, address, &hit);
		}
	symbol_elf_free(elf);
	close(fd);
	return fd >= 0 && (status == RST_OK || status == RST_E_USAGE || status == RST_E_DAMAGED);
}

static void check_faults(const char *path)
{
	size_t n;
	uint8_t *bytes = tap_slurp(path, &n);
	bool is_survived_cut = n > 0, is_survived_flip = n > 0, is_cut_opened = false, is_opened;

	for (size_t i = 0; i < n; i++) {
		is_survived_cut &= is_survived(bytes, i, &is_opened);
		is_cut_opened |= is_opened;
		for (unsigned bit = 0; bit < 8; bit += 7) {
			bytes[i] ^= (uint8_t)(1U << bit);
			is_survived_flip &= is_survived(bytes, n, &is_opened);
			bytes[i] ^= (uint8_t)(1U << bit);
		}
	}
	ok(is_survived_cut && !is_cut_opened, "%s cut anywhere is refused", path);
	ok(is_survived_flip, "with any bit inverted it is read or refused");
	free(bytes);
}

static void check_memory(void)
{
	struct symbol_elf *elf = NULL;
	enum rst_status status = RST_E_NOMEM;
	bool is_good = true;

	for (unsigned n = 0; n < 1000 && status != RST_OK; n++) {
		tap_fail_alloc_after(n);
		status = symbol_elf_open(&elf, FOLDER "thumb.elf", NULL);
		tap_fail_alloc_after(-1);
		is_good &= status == RST_OK || (!elf && (status == RST_E_NOMEM || status == RST_E_DAMAGED));
	}
	ok(is_good && status == RST_OK, "without memory it is refused");
	symbol_elf_free(elf);
}

int main(void)
{
	check_logged();
	check_thumb();
	check_be64();
	check_build_id();
	check_refused("/nonexistent/fw.elf", RST_E_IO, "a file that is not there cannot be opened");
	check_refused("Makefile", RST_E_USAGE, "a file of another kind is refused");
	check_refused("/dev/null", RST_E_USAGE, "and so is a device");
	check_refused("src", RST_E_USAGE, "and a folder");
	check_refused(FOLDER "object.elf", RST_E_USAGE, "and a file that is not linked");
	check_faults(FOLDER "thumb.elf");
	check_faults(FOLDER "be64.elf");
	check_faults(FOLDER "posix.elf");
	check_memory();
	return tap_done();
}
