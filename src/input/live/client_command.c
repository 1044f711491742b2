/* SPDX-License-Identifier: MIT */
/*
 *	byte  0        1 … 5                          6       7
 *	      command  parameters: of a mask the      0x0d    0x0a
 *	               32 bits, highest byte first
 *
 * See los_trace.h, TraceClientCmd. The driver of the board must take the line feed off, as for LiteOS Studio.
 */
#include "input/live/client_command.h"

#include <string.h>

#include "base/text.h"

static const struct command_row {
	const char *name;
	uint8_t number;
	bool has_mask;
} command_rows[] = {
	{ "start", 1, false },
	{ "stop", 2, false },
	{ "mask=", 3, true },
	{ "dump", 4, false },
};

static bool match_row(const struct command_row *row, const char *words, uint64_t *ret_mask)
{
	size_t n = strlen(row->name);

	*ret_mask = 0;
	if (!row->has_mask)
		return strcmp(words, row->name) == 0;
	return strncmp(words, row->name, n) == 0 && text_parse_u64(words + n, ret_mask) &&
	       *ret_mask <= UINT32_MAX;
}

enum rst_status client_command_parse(
	struct client_command *ret_command, const char *words, struct rst_error *err)
{
	for (size_t i = 0; i < sizeof(command_rows) / sizeof(command_rows[0]); i++) {
		const struct command_row *row = &command_rows[i];
		uint64_t mask;

		if (!match_row(row, words, &mask))
			continue;
		*ret_command = (struct client_command){ { row->number, (uint8_t)(mask >> 24),
			(uint8_t)(mask >> 16), (uint8_t)(mask >> 8), (uint8_t)mask, 0, '\r', '\n' } };
		return RST_OK;
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no command '%s'", words);
	error_advise(err, "it is one of start, stop, mask=N (of 32 bits) and dump");
	return RST_E_USAGE;
}
