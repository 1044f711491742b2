/* SPDX-License-Identifier: MIT */
/* Files that are no ELF files, or another build. tests/record/posix.t and tests/record/preload.t read the symbols of real ones. */
#include "symbol/elf.h"
#include "tests/tap.h"

int main(void)
{
	static const uint8_t none[20];

	ok(!symbol_elf_load("/proc/self/exe", none, sizeof(none)), "another build is not loaded");
	ok(!symbol_elf_load("/proc/self/exe", none, 0), "nor is anything without a build id");
	ok(!symbol_elf_load("Makefile", none, sizeof(none)), "nor is a file that is no ELF file");
	symbol_elf_free(NULL);
	return tap_done();
}
