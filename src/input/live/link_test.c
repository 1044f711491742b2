/* SPDX-License-Identifier: MIT */
/*
 * The system's counts on a link: differences, words, and markers in the trace. tests/cli/live.t tests real
 * links.
 */
#include "input/live/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

/* The reports, sentence by sentence. */
struct notices {
	char text[1000];
	unsigned n;
};

static void take_sentence(void *context, const char *sentence)
{
	struct notices *notices = context;

	snprintf(notices->text, sizeof(notices->text), "%s", sentence);
	notices->n++;
}

/* A wire: the bytes of a file; bytes are missing in front of the third one. */
static enum rst_status open_wire(struct link *link, struct rst_error *err)
{
	(void)err;
	link->fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return RST_OK;
}

static ssize_t read_wire(struct link *link, uint8_t *room, size_t n_room)
{
	if (link->n_bytes != 2 || link_counted(link, LINK_FULL, 1))
		return read(link->fd, room, n_room ? 1 : 0);
	errno = EAGAIN;
	return -1;
}

static const struct link_kind wire = { .open = open_wire, .read = read_wire };

static void link_of(struct link *link, struct notices *notices)
{
	*notices = (struct notices){ 0 };
	*link = (struct link){ .kind = &wire, .name = "wire", .out_fd = -1, .save_fd = -1 };
	link->notify = take_sentence;
	link->notify_context = notices;
	link_start(link, NULL);
}

static void check_differences(void)
{
	struct link link;
	struct notices notices;

	link_of(&link, &notices);
	link_count_from(&link, LINK_OVERRUNS, 40);
	ok(link_counted(&link, LINK_OVERRUNS, 40) && !link.is_missing,
		"what was counted before is not of this link");
	ok(!link_counted(&link, LINK_OVERRUNS, 43) && link.is_missing, "overrun bytes are missing");
	is_text(link.missing, "the serial device was overrun about here", "and the trace gets this reason");
	ok(link_counted(&link, LINK_OVERRUNS, 41), "a count that steps back is no news");
	link_count_from(&link, LINK_DATAGRAMS, UINT32_MAX - 1);
	ok(!link_counted(&link, LINK_DATAGRAMS, 3), "counts wrap at 32 bits");
	is_text(link.missing, "the system dropped datagrams here", "datagrams are missing");
	link_print_counts(&link, false);
	ok(notices.n == 2, "each count is reported");
	is_text(notices.text, "bytes overrun in the serial device: 3", "with how many there are");
	link_counted(&link, LINK_DATAGRAMS, 4);
	link_print_counts(&link, false);
	ok(notices.n == 2, "not oftener than once a second");
	link.is_missing = false;
	ok(link_counted(&link, LINK_FRAMING, 7) && link_counted(&link, LINK_PARITY, 1) && !link.is_missing,
		"bytes that came out wrong are not missing");
	link_done(&link);
	ok(notices.n == 6, "at the end all counts are reported");
	is_text(notices.text, "in all, bytes with a wrong parity: 1", "as totals");
}

static void check_place(void)
{
	static const enum rst_status expected[] = { RST_OK, RST_OK, RST_MORE, RST_OK };
	struct link link;
	struct notices notices;
	struct live_input input;
	bool is_good = true;

	link_of(&link, &notices);
	input = link_input(&link);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		uint8_t room[8];
		size_t n = 0;

		is_good &= input.read(input.context, room, sizeof(room), 1000, &n, NULL) == expected[i] &&
			   n == (expected[i] == RST_OK);
	}
	ok(is_good && link.n_bytes == 3,
		"what is missing is reported between the bytes before and behind it");
	is_text(input.missing(input.context), "the serial driver's buffer was overrun about here",
		"and what it was");
	is_text(notices.text, "overruns of the serial driver's buffer: 1", "the user sees it at once");
	link_done(&link);
}

int main(void)
{
	check_differences();
	check_place();
	return tap_done();
}
