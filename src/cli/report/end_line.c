/* SPDX-License-Identifier: MIT */
/* "FILE: 223 events, none lost, no damage": what a trace came to, below its lines. */
#include <inttypes.h>

#include "cli/message.h"
#include "cli/report/report.h"

enum { PART_ROOM = 64 };

/* Kept gaps of a marker; they lost *ret_n_events events, and *ret_n_unknown gaps an unknown number. */
static uint64_t count_gaps(struct rst_trace *trace, enum rst_marker marker, uint64_t *ret_n_events,
	uint64_t *ret_n_unknown, bool *ret_is_all)
{
	const struct rst_gap *gaps;
	size_t n_kept;
	uint64_t n = 0;

	*ret_is_all = rst_trace_gaps(trace, &gaps, &n_kept) == n_kept;
	*ret_n_events = *ret_n_unknown = 0;
	for (size_t i = 0; i < n_kept; i++)
		if (gaps[i].marker == marker) {
			n++;
			*ret_n_events += gaps[i].n_events;
			*ret_n_unknown += gaps[i].n_events == 0;
		}
	return n;
}

static void put_lost(char *part, struct rst_trace *trace, bool *ret_is_all)
{
	uint64_t n_lost, n_unknown, n = count_gaps(trace, RST_LOSS, &n_lost, &n_unknown, ret_is_all);

	if (n == 0 && *ret_is_all)
		snprintf(part, PART_ROOM, "none lost");
	else if (n_lost == 0)
		snprintf(part, PART_ROOM, "an unknown number lost");
	else
		snprintf(part, PART_ROOM, "%s%" PRIu64 " lost", n_unknown || !*ret_is_all ? "at least " : "",
			n_lost);
}

static void put_damages(char *part, struct rst_trace *trace)
{
	bool is_all;
	uint64_t n_events, n_unknown, n = count_gaps(trace, RST_DAMAGE, &n_events, &n_unknown, &is_all);

	if (!rst_trace_is_damaged(trace))
		snprintf(part, PART_ROOM, "no damage");
	else
		snprintf(part, PART_ROOM, "%s%" PRIu64 " damaged place%s", is_all ? "" : "at least ", n,
			n == 1 ? "" : "s");
}

void end_line_print(struct rst_trace *trace, uint64_t n_events, uint64_t n_shown)
{
	char shown[PART_ROOM] = "", lost[PART_ROOM], damages[PART_ROOM];
	bool is_all;

	if (n_shown != n_events)
		snprintf(shown, sizeof(shown), "%" PRIu64 " of ", n_shown);
	put_lost(lost, trace, &is_all);
	put_damages(damages, trace);
	message_print("%s: %s%" PRIu64 " event%s, %s, %s%s", rst_trace_metadata(trace)->path, shown, n_events,
		n_events == 1 ? "" : "s", lost, damages, is_all ? "" : "; `rastrum info` counts them");
}
