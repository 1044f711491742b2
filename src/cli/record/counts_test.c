/* SPDX-License-Identifier: MIT */
/* The line that shows counts reports a log whose blocks cannot be read. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/record/record.h"
#include "tests/tap.h"

/* A descriptor that is open for writing only stands for a disk that fails. */
static void test_unreadable(void)
{
	char path[] = "/tmp/counts_test-XXXXXX", text[80];
	const int made = mkstemp(path);
	struct tally tally = { .fd = open(path, O_WRONLY | O_CLOEXEC) };

	ok(made >= 0 && tally.fd >= 0 && write(made, "RASTRUM\n", 8) == 8, "a file of eight bytes");
	tally_look(&tally);
	tally_text(&tally, text, sizeof(text));
	is_text(text, "8 bytes, whose events cannot be counted: Bad file descriptor",
		"a log that cannot be read is not one of 0 events");
	close(tally.fd);
	tally = (struct tally){ .fd = made };
	tally_look(&tally);
	tally_text(&tally, text, sizeof(text));
	is_text(text, "0 events, 8 bytes", "one that can be read, and has none, is");
	close(made);
	unlink(path);
}

int main(void)
{
	test_unreadable();
	return tap_done();
}
