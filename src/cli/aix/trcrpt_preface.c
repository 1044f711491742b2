/* SPDX-License-Identifier: MIT */
/*
 * The text above the columns of a report on one trace: when, where and how it was recorded. It has only facts
 * that the recording contains:
 *
 *	Mon Nov 23 02:59:42 2026
 *	System: board-7
 *	Trace: motor.trx, dialect posix
 *	Clock: 168000000 Hz
 *	Session: circular, channel 0; rastrum trace -al -j 010
 *	Tracing only these hooks, 010
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli/aix/trcrpt.h"

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

static const char *text_of(const struct rst_detail *details, size_t n_details, const char *name)
{
	for (size_t i = 0; i < n_details; i++)
		if (strcmp(details[i].name, name) == 0 && details[i].type == RST_DETAIL_TEXT)
			return details[i].text;
	return "";
}

/* In the words of AIX's trcrpt. */
static void put_hooks(struct outbuf *out, const char *hooks)
{
	static const char all_but[] = "all but ";
	const bool leaves_out = strncmp(hooks, all_but, strlen(all_but)) == 0;

	if (strcmp(hooks, "all") == 0)
		outbuf_puts(out, "Tracing all hooks.\n");
	else if (leaves_out)
		outbuf_printf(out, "Tracing all hooks but these, %s\n", hooks + strlen(all_but));
	else
		outbuf_printf(out, "Tracing only these hooks, %s\n", hooks);
}

/* A command without the directory of its program. */
static const char *command_short(const char *command)
{
	const char *name = command + strcspn(command, " ");

	while (name > command && name[-1] != '/')
		name--;
	return name;
}

/* Writes the details of the session, if a session wrote the log. */
static void put_session(struct outbuf *out, const struct rst_metadata *metadata)
{
	for (size_t i = 0; i < metadata->n_details; i++) {
		const struct rst_detail *session = &metadata->details[i];

		if (session->type != RST_DETAIL_GROUP || strcmp(session->name, "session") != 0)
			continue;
		outbuf_printf(out, "Session: %s, channel %s; ",
			text_of(session->items, session->n_items, "mode"),
			text_of(session->items, session->n_items, "channels"));
		outbuf_clean(out, command_short(text_of(metadata->details, metadata->n_details, "command")));
		outbuf_puts(out, "\n");
		put_hooks(out, text_of(session->items, session->n_items, "hooks"));
	}
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
	put_session(out, metadata);
	outbuf_puts(out, "\n");
}
