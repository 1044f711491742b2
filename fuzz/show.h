/* SPDX-License-Identifier: MIT */
/* What every fuzzer of a dialect does with a trace that could be opened: shows it in full, or sums it up. */
#ifndef FUZZ_SHOW_H
#define FUZZ_SHOW_H

#include <fcntl.h>
#include <unistd.h>

#include "report/report.h"
#include "report/summary.h"

/* How a trace is shown. templates: NULL for none. */
struct show {
	const struct report_format *format;
	enum time_form form;
	bool has_color;
	struct template_set *templates;
	struct diags *diags;
};

/* To nowhere, but through everything on the way. */
static inline void show_report(struct rst_trace *trace, const struct show *show)
{
	const struct select_wish all = { 0 };
	struct outbuf out;
	struct rst_error err;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct report report = { .out = &out,
		.format = show->format,
		.wish = &all,
		.time_form = show->form,
		.n_left = UINT64_MAX,
		.has_color = show->has_color,
		.templates = show->templates,
		.diags = show->diags };

	if (null >= 0 && outbuf_init(&out, null)) {
		report_trace(&report, trace, &err);
		outbuf_flush(&out);
		outbuf_done(&out);
	}
	close(null);
}

static inline void show_summary(struct rst_trace *trace)
{
	struct summary summary;
	struct outbuf out;
	struct rst_error err;

	if (outbuf_init(&out, OUTBUF_MEMORY)) {
		summary_read(&summary, trace, NULL, NULL, &err);
		summary_json(&summary, &out);
		summary_words(&summary, &out);
		summary_done(&summary);
		outbuf_done(&out);
	}
}

/* Opens it, and shows it in the format of this number, or sums it up where there is none. */
static inline void show_whole(const uint8_t *data, size_t size, const struct rst_open *how, unsigned output)
{
	struct diags diags = { 0 };
	const struct show show = { .format = report_formats[output], .diags = &diags };
	struct rst_trace *trace;

	if (rst_trace_open_bytes(&trace, data, size, "fuzz", how, NULL) < 0)
		return;
	if (show.format)
		show_report(trace, &show);
	else
		show_summary(trace);
	rst_trace_free(trace);
	diags_done(&diags);
}

#endif
