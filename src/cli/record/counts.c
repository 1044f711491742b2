/* SPDX-License-Identifier: MIT */
/*
 * Counts the contents of a log so far, from the heads of its blocks (docs/LOG.md), and prints the line that
 * shows them. The log is not trusted, and only its counts are read: `rastrum report` reports its faults.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "cli/record/record.h"
#include "log/block.h"

/* --- counting ------------------------------------------------------------------------------------------- */

static bool read_at(struct tally *tally, uint64_t at, void *bytes, size_t n_bytes)
{
	const ssize_t n = pread(tally->fd, bytes, n_bytes, (off_t)at);

	if (n < 0)
		tally->read_error = errno;
	return n == (ssize_t)n_bytes;
}

static void tally_begin(struct tally *tally)
{
	struct log_header header;

	if (!read_at(tally, 0, &header, sizeof(header)) ||
		memcmp(header.magic, LOG_MAGIC, sizeof(header.magic)) != 0)
		return;
	tally->has_begun = true;
	tally->has_area = header.incompatible & LOG_NEEDS_AREA;
	tally->at = header.header_bytes + (tally->has_area ? header.area_bytes : 0);
}

static void take_end(struct tally *tally, const struct log_end *end)
{
	tally->has_end = true;
	tally->n_events = end->n_events;
	tally->n_lost = end->n_lost;
	tally->n_overwritten = end->n_overwritten;
	tally->n_unnamed = end->n_unnamed;
	tally->write_error = (int)end->flush_error;
	tally->is_full = end->log_full != 0;
	tally->is_overrun = end->stream_overrun == POSIX_TRACE_OVERRUN;
}

/* One block; false when it is not there as a whole. */
static bool take_block(struct tally *tally, uint64_t n_file)
{
	struct {
		struct log_block head;
		union {
			struct log_events events;
			struct log_end end;
		} body;
	} block;
	uint64_t n_bytes;
	bool is_whole;

	if (!read_at(tally, tally->at, &block.head, sizeof(block.head)) ||
		block.head.magic != LOG_BLOCK_MAGIC || block.head.length > LOG_BLOCK_MAX)
		return false;
	n_bytes = sizeof(block.head) + log_padded(block.head.length);
	is_whole = n_bytes <= n_file - tally->at;
	if (is_whole && block.head.kind == LOG_EVENTS && block.head.length >= sizeof(block.body.events) &&
		read_at(tally, tally->at + sizeof(block.head), &block.body.events, sizeof(block.body.events)))
		tally->n_events += block.body.events.n_events;
	if (is_whole && block.head.kind == LOG_END && block.head.length >= sizeof(block.body.end) &&
		read_at(tally, tally->at + sizeof(block.head), &block.body.end, sizeof(block.body.end)))
		take_end(tally, &block.body.end);
	tally->at += is_whole ? n_bytes : 0;
	return is_whole;
}

void tally_look(struct tally *tally)
{
	struct stat st;

	if (tally->fd < 0 || fstat(tally->fd, &st) != 0)
		return;
	if (!tally->has_begun)
		tally_begin(tally);
	/* A ring area is a hole where nothing was written yet. */
	tally->n_bytes = tally->has_area ? (uint64_t)st.st_blocks * 512 : (uint64_t)st.st_size;
	while (tally->has_begun && !tally->has_end && tally->at < (uint64_t)st.st_size &&
		take_block(tally, (uint64_t)st.st_size))
		;
}

void tally_bytes_text(uint64_t n_bytes, char *text, size_t n_text)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)n_bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		value /= 1024;
	snprintf(text, n_text, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void tally_text(const struct tally *tally, char *text, size_t n_text)
{
	char bytes[32];

	tally_bytes_text(tally->n_bytes, bytes, sizeof(bytes));
	/* Events in a ring area are counted at the end only. */
	if (tally->read_error)
		snprintf(text, n_text, "%s, whose events cannot be counted: %s", bytes,
			strerror(tally->read_error));
	else if (tally->has_area && !tally->has_end)
		snprintf(text, n_text, "%s", bytes);
	else
		snprintf(text, n_text, "%" PRIu64 " event%s, %s", tally->n_events,
			tally->n_events == 1 ? "" : "s", bytes);
}

/* --- the line ------------------------------------------------------------------------------------------- */

void live_line_begin(struct live_line *line, bool is_wanted)
{
	*line = (struct live_line){ .is_wanted = is_wanted && isatty(STDERR_FILENO) };
}

/* Not over a program that draws on the whole terminal, nor from the background. */
static bool has_terminal(void)
{
	struct termios modes;

	return tcgetattr(STDERR_FILENO, &modes) == 0 && modes.c_lflag & ICANON &&
	       tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* The cursor goes back to the beginning, so that what the program prints stands there. */
void live_line_show(struct live_line *line, const char *text)
{
	size_t n = strlen(text);

	if (!line->is_wanted || !has_terminal())
		return;
	fprintf(stderr, "\r%s%*s\r", text, (int)(line->n_shown > n ? line->n_shown - n : 0), "");
	line->n_shown = n;
}

void live_line_clear(struct live_line *line)
{
	if (line->n_shown)
		live_line_show(line, "");
}
