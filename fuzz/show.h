/* SPDX-License-Identifier: MIT */
/*
 * Every fuzzer of a dialect calls this for a trace that opens: it shows the whole trace, or sums it up,
 * within a budget of memory and time.
 */
#ifndef FUZZ_SHOW_H
#define FUZZ_SHOW_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "fuzz/grow.h"
#include "lines/report.h"
#include "summary/summary.h"

/* How a trace is shown. templates: NULL for none. */
struct show {
	const struct report_format *format;
	enum time_form form;
	bool has_color;
	struct template_set *templates;
	struct diags *diags;
};

/*
 * Checks that the output is printable UTF-8 in lines, whatever names the input has. The only escape sequences
 * are our colours, and a form feed ends a page of AIX's report. Returns the number of bytes it checked:
 * unless is_last is set, a character at the end may continue in the next bytes.
 */
static inline size_t show_check(const uint8_t *text, size_t n_bytes, bool is_last, bool has_color)
{
	enum { CHARACTER_MAX = 4 };
	size_t at = 0;

	while (at < n_bytes && (is_last || n_bytes - at >= CHARACTER_MAX)) {
		const unsigned n = text_utf8_bytes(text + at, n_bytes - at);

		if (!n && text[at] != '\n' && text[at] != '\t' && text[at] != '\f' &&
			!(has_color && text[at] == '\033'))
			abort();
		at += n ? n : 1;
	}
	return at;
}

static inline void show_check_file(int fd, bool has_color)
{
	enum { PIECE = 65536 };
	static uint8_t piece[PIECE + 4];
	size_t n_kept = 0, n_done;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, piece + n_kept, PIECE)) > 0) {
		n_kept += (size_t)n;
		n_done = show_check(piece, n_kept, false, has_color);
		n_kept -= n_done;
		memmove(piece, piece + n_done, n_kept);
	}
	show_check(piece, n_kept, true, has_color);
}

/* To a file in memory, through everything on the way. */
static inline void show_report(struct rst_trace *trace, const struct show *show)
{
	const struct filter_spec all = { 0 };
	struct outbuf out;
	struct rst_error err;
	int shown = memfd_create("shown", MFD_CLOEXEC);
	struct report_input input = { .trace = trace, .templates = show->templates, .diags = show->diags };
	struct report report = { .options = { .format = show->format,
					 .filter = &all,
					 .time_form = show->form,
					 .has_color = show->has_color },
		.out = &out,
		.n_left = UINT64_MAX };

	if (shown >= 0 && outbuf_init(&out, shown)) {
		report_trace(&report, &input, &err);
		outbuf_flush(&out);
		outbuf_done(&out);
		show_check_file(shown, show->has_color);
	}
	close(shown);
}

/* The number behind the last format: `info`. */
enum { SHOW_SUMMARY = 4 };

/* As `info` and `info --json`. How many rows there were. */
static inline uint64_t show_summary(struct rst_trace *trace, struct budget *budget)
{
	struct summary summary;
	struct outbuf out;
	struct rst_error err;
	const struct rst_gap *gaps;
	size_t n_gaps;
	uint64_t n_rows;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return 0;
	summary_read(&summary, trace, NULL, NULL, &err);
	/* A wrapping has a window of its own, of up to 128 MiB. */
	if (!rst_trace_metadata(trace)->wrapping[0])
		budget_look(budget);
	/* Their ids have 16 bits, and each may be another type. */
	while (strcmp(rst_trace_metadata(trace)->dialect, "threadx") == 0 &&
		rst_trace_type(trace, budget->n_types))
		budget->n_types++;
	n_rows = summary.n_events + rst_trace_gaps(trace, &gaps, &n_gaps);
	summary_json(&summary, &out);
	summary_words(&summary, &out);
	show_check((const uint8_t *)out.start, (size_t)(out.at - out.start), true, false);
	summary_done(&summary);
	outbuf_done(&out);
	return n_rows;
}

/* false: it took too long. */
static inline bool show_once(
	const uint8_t *data, size_t size, const struct rst_open *how, const struct show *show)
{
	struct budget budget = budget_begin(size);
	uint64_t n_rows = size / 2; /* as many as there may be */
	struct rst_trace *trace;

	if (rst_trace_open_bytes(&trace, data, size, "fuzz", how, NULL) >= 0) {
		if (show->format)
			show_report(trace, show);
		else
			n_rows = show_summary(trace, &budget);
		rst_trace_free(trace);
	}
	return budget_check(&budget, n_rows);
}

/*
 * Opens a trace and shows it in the format; without a format, sums it up. A run that exceeds the budget is
 * tried again; the third such run is a finding.
 */
static inline void show_trace(
	const uint8_t *data, size_t size, const struct rst_open *how, const struct show *show)
{
	for (unsigned n = 0; n < 3; n++)
		if (show_once(data, size, how, show))
			return;
	abort();
}

/* The same in the format of this number, without templates. */
static inline void show_whole(const uint8_t *data, size_t size, const struct rst_open *how, unsigned output)
{
	struct diags diags = { 0 };
	const struct show show = { .format = report_formats[output], .diags = &diags };

	show_trace(data, size, how, &show);
	diags_done(&diags);
}

#endif
