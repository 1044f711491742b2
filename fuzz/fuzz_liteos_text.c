/* SPDX-License-Identifier: MIT */
/*
 * The reader of LiteOS text dumps over arbitrary bytes. The first byte chooses the order; the rest is the
 * text.
 */
#include <rastrum/rastrum.h>

#include <stdlib.h>
#include <string.h>

#include "dialect/liteos/text.h"
#include "fuzz/bomb.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every line by itself, of just its size, so that a look behind it shows. */
static void read_lines(const uint8_t *bytes, size_t n_bytes)
{
	static const struct liteos_wanted wanted;
	while (n_bytes) {
		const uint8_t *end = memchr(bytes, '\n', n_bytes);
		size_t n_line = end ? (size_t)(end - bytes) : n_bytes;
		uint8_t *line = malloc(n_line ? n_line : 1);
		struct liteos_columns columns;
		struct liteos_text_row row;
		struct liteos_text_object object;
		uint64_t number;

		if (!line)
			return;
		memcpy(line, bytes, n_line);
		liteos_text_columns(&columns, line, n_line);
		liteos_text_parse_row(&row, &columns, line, n_line);
		liteos_text_guess(&columns, &wanted, line, n_line);
		liteos_text_parse_object(&object, &columns, line, n_line);
		liteos_text_line(line, n_line, columns.margin, &number);
		free(line);
		bytes += n_line + (end != NULL);
		n_bytes -= n_line + (end != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { IN_FILE_ORDER = 1 };
	const uint8_t choice = size ? *data : 0;
	const struct rst_open how = { .dialect = "liteos", .in_file_order = choice & IN_FILE_ORDER };
	uint8_t *copy;

	if (!size)
		return 0;
	copy = grow(data + 1, size - 1, &size);
	if (!copy)
		return 0;
	read_lines(copy, size);
	if (!is_bomb(copy, size))
		show_whole(copy, size, &how, (choice >> 1) % 5);
	free(copy);
	return 0;
}
