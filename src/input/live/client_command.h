/* SPDX-License-Identifier: MIT */
/*
 * Commands to a board that runs LiteOS: seven bytes of TraceClientCmd, and the line feed that LiteOS Studio
 * sends after them.
 */
#ifndef INPUT_LIVE_CLIENT_COMMAND_H
#define INPUT_LIVE_CLIENT_COMMAND_H

#include <stdint.h>

#include "base/error.h"

enum { CLIENT_COMMAND_BYTES = 8 };

struct client_command {
	uint8_t bytes[CLIENT_COMMAND_BYTES];
};

/* Parses "start", "stop", "mask=N" or "dump". Returns RST_E_USAGE for any other words. */
enum rst_status client_command_parse(
	struct client_command *ret_command, const char *words, struct rst_error *err);

#endif
