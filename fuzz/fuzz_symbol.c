/* SPDX-License-Identifier: MIT */
/*
 * Programs that users name: the table of symbols and what is found in it, and names of symbols as in the
 * source. The first byte chooses which of both the rest is. What is found must be in the table, and the same
 * again. Debug information is not read here: libdw does that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/demangle.h"
#include "symbol/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_name(const uint8_t *data, size_t size)
{
	char *symbol = malloc(size + 1), name[64], longer[512];

	require(symbol != NULL);
	memcpy(symbol, data, size);
	symbol[size] = '\0';
	const size_t n = symbol_demangle(symbol, name, sizeof(name)),
		     n_longer = symbol_demangle(symbol, longer, sizeof(longer));

	require(n == strlen(name) && n_longer == strlen(longer) && n <= n_longer);
	require(n < sizeof(name) - 1 ? n == n_longer : n == sizeof(name) - 1);
	free(symbol);
}

static void check_address(const struct symbol_elf *elf, uint64_t address)
{
	struct symbol_hit hit, again;

	if (symbol_elf_find(elf, address, &hit))
		require(hit.is_code && hit.name[0]);
	if (!symbol_elf_at(elf, address, &hit))
		return;
	require(hit.name[0] && (hit.is_code || !hit.offset) && (hit.address | 1) == (address | 1));
	require(symbol_elf_at(elf, hit.address - hit.offset, &again) && again.offset == 0);
}

static void check_elf(const uint8_t *data, size_t size)
{
	struct symbol_elf *elf;
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (symbol_elf_open(&elf, path, NULL) == RST_OK) {
		for (size_t i = 0; i + sizeof(uint32_t) <= size && i < 4096; i += 2) {
			uint32_t address;

			memcpy(&address, data + i, sizeof(address));
			check_address(elf, address);
			check_address(elf, address + i);
		}
		symbol_elf_free(elf);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] & 1)
		check_name(data + 1, size - 1);
	else
		check_elf(data + 1, size - 1);
	return 0;
}
