/* SPDX-License-Identifier: MIT */
#include "input/live/client_command.h"

#include <string.h>

#include "tests/tap.h"

static bool is_sent_as(const char *words, const char *bytes)
{
	struct client_command command;

	return client_command_parse(&command, words, NULL) == RST_OK &&
	       memcmp(command.bytes, bytes, CLIENT_COMMAND_BYTES) == 0;
}

static bool is_refused(const char *words)
{
	struct client_command command;
	struct rst_error err;

	return client_command_parse(&command, words, &err) == RST_E_USAGE && strstr(err.what, words) &&
	       strstr(err.advice, "mask=N");
}

int main(void)
{
	static const char *const bad[] = { "", "go", "Start", "start=1", "mask", "mask=", "mask=-1",
		"mask=0x100000000", "mask=1 ", "dump " };

	ok(is_sent_as("start", "\1\0\0\0\0\0\r\n"), "start is command 1");
	ok(is_sent_as("stop", "\2\0\0\0\0\0\r\n"), "stop is command 2");
	ok(is_sent_as("mask=0x12345678", "\3\x12\x34\x56\x78\0\r\n"), "a mask has its highest byte first");
	ok(is_sent_as("mask=4294967295", "\3\xff\xff\xff\xff\0\r\n"), "a mask has 32 bits");
	ok(is_sent_as("dump", "\4\0\0\0\0\0\r\n"), "dump is command 4");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(is_refused(bad[i]), "'%s' is no command", bad[i]);
	return tap_done();
}
