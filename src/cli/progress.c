/* SPDX-License-Identifier: MIT */
/* A line on the terminal while work lasts: nothing in the first half second, then five times a second. */
#include <inttypes.h>
#include <unistd.h>

#include "base/steady.h"
#include "cli/cli.h"

#define FIRST_NS 500000000U
#define EVERY_NS 200000000U

void progress_start(struct progress *progress, int out_fd)
{
	*progress = (struct progress){ .is_wanted = isatty(STDERR_FILENO) && !isatty(out_fd) };
	if (progress->is_wanted)
		progress->start_ns = progress->shown_ns = steady_ns();
}

void progress_update(void *context, uint64_t n_events)
{
	struct progress *progress = context;
	uint64_t now;

	if (!progress->is_wanted)
		return;
	now = steady_ns();
	if (now - progress->start_ns < FIRST_NS || now - progress->shown_ns < EVERY_NS)
		return;
	fprintf(stderr, "\r%" PRIu64 " events, %.1f M/s ", n_events,
		(double)n_events * 1e3 / (double)(now - progress->start_ns));
	progress->shown_ns = now;
	progress->is_shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r                                        \r", stderr);
}
