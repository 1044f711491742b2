/* SPDX-License-Identifier: MIT */
/* Tests lists of symbols as text, in place of programs. */
#include "symbol/names.h"
#include "tests/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct address {
	uint64_t address;
	const char *name, *sentence;
};

static const char *write_list(char path[32], const char *text)
{
	strcpy(path, "/tmp/rastrum-list-XXXXXX");
	const int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	return path;
}

/* "name+0x12", or "-". */
static const char *name_at(const struct symbol_elf *elf, uint64_t address, char text[200])
{
	struct symbol_hit hit;

	if (!symbol_elf_at(elf, address, &hit))
		return "-";
	snprintf(text, 200, hit.offset ? "%s+0x%" PRIx64 : "%s", hit.name, hit.offset);
	return text;
}

static void check_list(const char *text, const struct address *rows, size_t n_rows)
{
	struct symbol_elf *elf = NULL;
	char path[32], name[200];

	if (symbol_elf_open(&elf, write_list(path, text), NULL) == RST_OK)
		for (size_t i = 0; i < n_rows; i++)
			is_text(name_at(elf, rows[i].address, name), rows[i].name, rows[i].sentence);
	else
		ok(false, "a list is opened");
	ok(elf && symbol_elf_facts(elf)->is_list && !symbol_elf_facts(elf)->is_relative, "it is a list");
	symbol_elf_free(elf);
	unlink(path);
}

#define CHECK(text, ...)                                                \
	do {                                                            \
		static const struct address rows[] = { __VA_ARGS__ };   \
		check_list(text, rows, sizeof(rows) / sizeof(rows[0])); \
	} while (0)

static void check_forms(void)
{
	CHECK("ffffffff81000000 T _stext\n"
	      "ffffffff81000000 t local_of_the_same\n"
	      "ffffffff81000100 t do_one_initcall\n"
	      "ffffffff82000000 D jiffies\n"
	      "                 U printf\n"
	      "ffffffff81000080 a absolute\n"
	      "ffffffffc0000000 t helper\t[module]\n",
		{ 0xffffffff81000000, "_stext", "of two at one address the global one is taken" },
		{ 0xffffffff810000ff, "_stext+0xff", "a function goes on to the next one" },
		{ 0xffffffff81000100, "do_one_initcall", "where that begins" },
		{ 0xffffffff810fffff, "do_one_initcall+0xffeff", "one that nothing ends goes on …" },
		{ 0xffffffff81200000, "-", "… but not for ever" },
		{ 0xffffffff82000000, "jiffies", "data have a name where they begin" },
		{ 0xffffffff82000001, "-", "and nowhere else" },
		{ 0xffffffffc0000004, "helper+0x4", "a module of the kernel is not part of the name" },
		{ 0xffffffff80ffffff, "-", "in front of all is nothing" });
	CHECK("0000000000401136 0000000000000020 T main\n0000000000401200 0000000000000010 t step\n",
		{ 0x401155, "main+0x1f", "nm -S: a function has its size" },
		{ 0x401156, "-", "and ends there" }, { 0x40120f, "step+0xf", "each" });
	CHECK("7f0012340000 80 LazyCompile:~step main.js:3\n7f0012340080 8 f\r\n",
		{ 0x7f0012340041, "LazyCompile:~step main.js:3+0x41",
			"perf: the name is the rest of the line" },
		{ 0x7f0012340087, "f+0x7", "however short it is" },
		{ 0x7f0012340088, "-", "and has its size" });
	CHECK("55d000000000-55d000001000 r--p 00000000 fd:00 7    /usr/bin/demo\n"
	      "55d000001000-55d000003000 r-xp 00001000 fd:00 7    /usr/bin/demo\n"
	      "55d000004000-55d000005000 rw-p 00000000 00:00 0    [heap]\n"
	      "7f0000000000-7f0000002000 r-xp 00000000 fd:00 9    /usr/lib/libm.so.6 (deleted)\n"
	      "7f0000002800 T between\n"
	      "7f0000003000-7f0000004000 r-xp 00000000 fd:00 9    /usr/lib/libm.so.6 (deleted)\n",
		{ 0x55d000001136, "demo+0x1136", "maps: an offset from where the file begins" },
		{ 0x55d000003000, "-", "not behind its last line" },
		{ 0x55d000004800, "-", "the heap has no name" },
		{ 0x7f0000003010, "libm.so.6 (deleted)+0x10", "a further one of another line begins anew" },
		{ 0x7f0000000010, "libm.so.6 (deleted)+0x10",
			"a file that is gone is named as the kernel does" });
}

static void check_faults(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{ "no list\n", "no ELF file" },
		{ "", "ELF" },
		{ "12345678901234567 T too_long\nzz T x\n00 T\n10 ? x\n20\n", "no ELF file" },
		{ "0000000000000000 T _stext\n0000000000000000 t x\n", "hides them" },
	};
	struct symbol_elf *elf;
	struct rst_error err;
	char path[32];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		err.what[0] = '\0';
		ok(symbol_elf_open(&elf, write_list(path, rows[i].text), &err) < 0 &&
				strstr(err.what, rows[i].why),
			"a file with no symbol is refused: %s (%s)", rows[i].why, err.what);
		unlink(path);
	}
}

static void check_listed(void)
{
	struct symbol_names *names = NULL;
	char path[32], text[64];
	const char *paths[] = { write_list(path, "7f0012340000 80 _ZN3Job4stepEv\n") };

	ok(symbol_names_open(&names, 1, paths, NULL) == RST_OK && !symbol_names_is_used(names, 0),
		"a list is one of the files of names");
	ok(symbol_names_listed(names, 0x7f0012340004, text, sizeof(text)) &&
			strncmp(text, "Job::step", 9) == 0 && strstr(text, "+0x4") &&
			symbol_names_is_used(names, 0),
		"it names addresses outside of modules, as the source has it (%s)", text);
	ok(!symbol_names_listed(names, 1, text, sizeof(text)), "and no others");
	symbol_names_free(names);
	unlink(path);
}

int main(void)
{
	check_forms();
	check_faults();
	check_listed();
	return tap_done();
}
