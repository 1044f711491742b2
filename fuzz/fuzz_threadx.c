/* SPDX-License-Identifier: MIT */
/*
 * The ThreadX reader and everything behind it, over arbitrary bytes. The first byte chooses how the trace is opened
 * and reported; the rest is the dump.
 */
#include <fcntl.h>
#include <unistd.h>

#include "report/report.h"
#include "report/summary.h"
#include "template/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The built-in templates, loaded anew now and then: what is compiled for a trace stays in the set's memory. */
static struct template_set *load_templates(struct diags *diags)
{
	enum { RUNS = 256 };
	static struct template_set *set;
	static unsigned n_runs;

	if (n_runs++ % RUNS == 0) {
		template_set_free(set);
		set = template_set_new("threadx");
		if (set)
			template_search(set, 0, NULL, diags, NULL);
	}
	return set;
}

static void report_as(struct rst_trace *trace, const struct report_format *format, enum time_form form)
{
	const struct select_wish all = { 0 };
	struct outbuf out;
	struct rst_error err;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct diags diags = { 0 };
	struct report report = { .out = &out,
		.format = format,
		.wish = &all,
		.time_form = form,
		.n_left = UINT64_MAX,
		.has_color = true,
		.diags = &diags };

	report.templates = load_templates(&diags);
	if (null >= 0 && outbuf_init(&out, null)) {
		report_trace(&report, trace, &err);
		outbuf_flush(&out);
		outbuf_done(&out);
	}
	diags_done(&diags);
	close(null);
}

static void summarise(struct rst_trace *trace)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rst_setting settings[] = { { "netx", "old" }, { "wrap", "1000" },
		{ "direction", "down" } };
	struct rst_trace *trace;
	struct rst_error err;
	uint8_t choice;

	if (!size)
		return 0;
	choice = *data;
	const struct rst_open how = {
		.dialect = "threadx",
		.in_file_order = choice & 1,
		.clock_hz = choice & 2 ? 168000000 : 0,
		.n_settings = choice & 4 ? 3 : 0,
		.settings = settings,
	};
	const unsigned output = (choice >> 4) % 5;

	if (rst_trace_open_bytes(&trace, data + 1, size - 1, "fuzz", &how, &err) < 0)
		return 0;
	if (report_formats[output])
		report_as(trace, report_formats[output], how.clock_hz ? TIME_CLOCK : TIME_AUTO);
	else
		summarise(trace);
	rst_trace_free(trace);
	return 0;
}
