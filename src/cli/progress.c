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

void progress_trace(struct progress *progress, const struct rst_trace *trace)
{
	progress->trace = trace;
	if (progress->is_wanted)
		progress->trace_ns = steady_ns();
}

void progress_update(void *context, uint64_t n_events)
{
	struct progress *progress = context;
	char share[16] = "";
	uint64_t now;
	int percent;

	if (!progress->is_wanted)
		return;
	now = steady_ns();
	if (now - progress->start_ns < FIRST_NS || now - progress->shown_ns < EVERY_NS)
		return;
	percent = progress->trace ? trace_percent(progress->trace) : -1;
	if (percent >= 0)
		snprintf(share, sizeof(share), "%d %%, ", percent);
	fprintf(stderr, "\r%" PRIu64 " events, %s%.1f M/s ", n_events, share,
		(double)n_events * 1e3 / (double)(now - progress->trace_ns));
	progress->shown_ns = now;
	progress->is_shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fprintf(stderr, "\r%48s\r", "");
	progress->is_shown = false;
	progress->trace = NULL;
}
