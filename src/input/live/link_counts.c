/* SPDX-License-Identifier: MIT */
/*
 * The system counts the bytes that it lost or spoilt on the way, so no loss is silent. The user sees the
 * counts, and the trace has a marker where bytes are missing. Bytes that only came out wrong are in the
 * trace, and the dialect detects them.
 */
#include <inttypes.h>

#include "base/steady.h"
#include "input/live/link.h"

enum { NOTIFY_MS = 1000 };

static const struct {
	const char *words;   /* the number follows */
	const char *missing; /* the reason in the trace; NULL if no byte is missing */
} counts[LINK_N_COUNTS] = {
	[LINK_DATAGRAMS] = { "datagrams dropped by the system, which had no room for them",
		"the system dropped datagrams here" },
	[LINK_OVERRUNS] = { "bytes overrun in the serial device",
		"the serial device was overrun about here" },
	[LINK_FULL] = { "overruns of the serial driver's buffer",
		"the serial driver's buffer was overrun about here" },
	[LINK_FRAMING] = { "bytes without a stop bit (is the rate right?)", NULL },
	[LINK_PARITY] = { "bytes with a wrong parity", NULL },
};

void link_count_from(struct link *link, enum link_count which, uint32_t now)
{
	link->counters[which].last = now;
}

/* Ignores a count that is older than the last one seen. */
bool link_counted(struct link *link, enum link_count which, uint32_t now)
{
	struct link_counter *counter = &link->counters[which];
	uint32_t n_new = now - counter->last;

	if (n_new == 0 || n_new > INT32_MAX)
		return true;
	counter->last = now;
	counter->n += n_new;
	if (!counts[which].missing)
		return true;
	link->missing = counts[which].missing;
	link->is_missing = true;
	return false;
}

void link_print_counts(struct link *link, bool is_last)
{
	uint64_t now_ms = steady_ms();

	if (!is_last && now_ms < link->notify_at_ms)
		return;
	for (size_t i = 0; i < LINK_N_COUNTS; i++) {
		struct link_counter *counter = &link->counters[i];

		if (counter->n == (is_last ? 0 : counter->n_notified))
			continue;
		link_notify(link, "%s%s: %" PRIu64, is_last ? "in all, " : "", counts[i].words, counter->n);
		counter->n_notified = counter->n;
		link->notify_at_ms = now_ms + NOTIFY_MS;
	}
}
