/* SPDX-License-Identifier: MIT */
/*
 * What stands above the columns of a report on one trace: when it was recorded, where, how. Only what the recording has:
 *
 *	Mon Nov 23 02:59:42 2026
 *	System: board-7
 *	Trace: motor.trx, dialect posix
 *	Clock: 168000000 Hz
 */
#include <inttypes.h>
#include <time.h>

#include "cli/trcrpt/trcrpt.h"

static void put_date(struct outbuf *out, const struct rst_metadata *metadata)
{
	enum { NS_PER_SECOND = 1000000000 };
	char text[64];
	struct tm local;
	int64_t ns;
	time_t seconds;

	if (!metadata->has_first_ticks || !rst_clock_wall_ns(&metadata->clock, metadata->first_ticks, &ns))
		return;
	seconds = (time_t)(ns / NS_PER_SECOND);
	if (localtime_r(&seconds, &local) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &local))
		outbuf_printf(out, "%s\n", text);
}

void trcrpt_preface(struct outbuf *out, const struct report_input *input)
{
	const struct rst_metadata *metadata = input ? rst_trace_metadata(input->trace) : NULL;

	if (!metadata || input->report->options.has_sources)
		return;
	put_date(out, metadata);
	if (metadata->target) {
		outbuf_puts(out, "System: ");
		outbuf_clean(out, metadata->target);
		outbuf_puts(out, "\n");
	}
	outbuf_puts(out, "Trace: ");
	outbuf_clean(out, metadata->path);
	outbuf_printf(out, ", dialect %s", metadata->dialect);
	if (input->report->n_merged > 1)
		outbuf_printf(out, "; and %zu more, merged by time", input->report->n_merged - 1);
	outbuf_puts(out, "\n");
	if (metadata->clock_hz)
		outbuf_printf(out, "Clock: %" PRIu64 " Hz\n", metadata->clock_hz);
	else
		outbuf_puts(out, "Clock: not known, so times are in ticks\n");
	outbuf_puts(out, "\n");
}
