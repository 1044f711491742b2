/* SPDX-License-Identifier: MIT */
/* A folder that was packed with tar: each file has a block of 512 bytes in front, and fills whole blocks. */
#include <string.h>

#include "base/text.h"
#include "dialect/ctf/ctf.h"

enum {
	BLOCK = 512,
	NAME_BYTES = 100,
	SIZE_AT = 124,
	SIZE_BYTES = 12,
	TYPE_AT = 156,
	MAGIC_AT = 257,
	PREFIX_AT = 345,
	PREFIX_BYTES = 155
};

static bool is_header(const uint8_t *block)
{
	return memcmp(block + MAGIC_AT, "ustar", 5) == 0;
}

/* Octal digits, up to a blank or NUL. Sizes of 8 GiB and more are written otherwise, and are not read. */
static uint64_t octal(const uint8_t *at, size_t n_bytes)
{
	uint64_t number = 0;

	for (size_t i = 0; i < n_bytes && at[i] >= '0' && at[i] <= '7'; i++)
		number = number * 8 + (at[i] - '0');
	return number;
}

static void put_name(const uint8_t *block, char *ret_name, size_t room)
{
	const size_t n_prefix = strnlen((const char *)block + PREFIX_AT, PREFIX_BYTES);
	const size_t n_name = strnlen((const char *)block, NAME_BYTES);
	size_t n = 0;

	if (n_prefix + n_name + 2 > room) {
		ret_name[0] = '\0';
		return;
	}
	if (n_prefix) {
		memcpy(ret_name, block + PREFIX_AT, n_prefix);
		ret_name[n_prefix] = '/';
		n = n_prefix + 1;
	}
	memcpy(ret_name + n, block, n_name);
	ret_name[n + n_name] = '\0';
}

bool ctf_tar_next(
	const uint8_t *bytes, size_t n_bytes, size_t *at, struct ctf_file *ret, char *ret_name, size_t room)
{
	while (*at <= n_bytes && n_bytes - *at >= BLOCK && is_header(bytes + *at)) {
		const uint8_t *block = bytes + *at;
		const uint64_t n_file = octal(block + SIZE_AT, SIZE_BYTES);
		const size_t n_left = n_bytes - *at - BLOCK, n = n_file < n_left ? (size_t)n_file : n_left;
		const size_t n_padded = (n + BLOCK - 1) / BLOCK * BLOCK;

		*ret = (struct ctf_file){ NULL, block + BLOCK, n };
		put_name(block, ret_name, room);
		*at = n_padded <= n_left ? *at + BLOCK + n_padded : n_bytes;
		if (block[TYPE_AT] == '0' || block[TYPE_AT] == '\0')
			return true;
	}
	return false;
}

bool ctf_tar_is_whole(const uint8_t *bytes, size_t n_bytes, size_t at)
{
	static const uint8_t end[BLOCK];

	return at <= n_bytes && n_bytes - at >= BLOCK && memcmp(bytes + at, end, BLOCK) == 0;
}

unsigned ctf_rate_tar(const uint8_t *bytes, size_t n_bytes)
{
	char name[NAME_BYTES + PREFIX_BYTES + 2];
	struct ctf_file file;
	size_t at = 0;

	if (n_bytes < BLOCK || !is_header(bytes))
		return 0;
	while (ctf_tar_next(bytes, n_bytes, &at, &file, name, sizeof(name)))
		if (strcmp(text_file_name(name), "metadata") == 0)
			return ctf_rate_metadata(file.bytes, file.n_bytes);
	return 0;
}
